/* The machine against this host's own shells: every script of the corpus, by dash and by bash.
 *
 * A script's name may begin with [sh] or [bash], if only one of them has what it is about. */
#include "compare.h"
#include "rig.h"

#include <stdio.h>

static void add(void *ctx, const char *name, const char *text) {
    struct compare *c = ctx;
    if (*name == '[' && (strncmp(name + 1, c->shell, strlen(c->shell)) != 0 || name[1 + strlen(c->shell)] != ']'))
        return;
    compare_add(c, name, text);
}

static void compare_corpus(const char *file, const char *shell, size_t least) {
    struct compare c;
    char path[160];
    compare_start(&c, shell);
    snprintf(path, sizeof path, "tests/unit/sim_machine/corpus/%s.txt", file);
    rig_corpus(path, add, &c);
    size_t n = c.count;
    compare_run(&c);
    if (c.wrong_count) T_FAIL("%s: %zu differences in %zu scripts\n%s", file, c.wrong_count, n, sbx_buf_text(&c.wrong));
    compare_finish(&c);
    if (n < least) T_FAIL("%s has only %zu scripts for %s", file, n, shell);
}

#define CORPUS(file, shell, least)                                                                                     \
    static void file##_is_as_by_the_hosts_##shell(void) {                                                              \
        compare_corpus(#file, #shell, least);                                                                          \
    }
CORPUS(language, sh, 100)
CORPUS(language, bash, 100)
CORPUS(expansion, sh, 60)
CORPUS(expansion, bash, 60)
CORPUS(processes, sh, 20)
CORPUS(processes, bash, 20)
CORPUS(bash, bash, 20)
CORPUS(tools, sh, 100)

T_CASES(T_CASE(language_is_as_by_the_hosts_sh), T_CASE(language_is_as_by_the_hosts_bash),
        T_CASE(expansion_is_as_by_the_hosts_sh), T_CASE(expansion_is_as_by_the_hosts_bash),
        T_CASE(processes_is_as_by_the_hosts_sh), T_CASE(processes_is_as_by_the_hosts_bash),
        T_CASE(bash_is_as_by_the_hosts_bash), T_CASE(tools_is_as_by_the_hosts_sh))
