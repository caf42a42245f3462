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
CORPUS(quoting, sh, 40)
CORPUS(quoting, bash, 40)
CORPUS(arithmetic, sh, 40)
CORPUS(arithmetic, bash, 40)
CORPUS(redirections, sh, 50)
CORPUS(redirections, bash, 50)
CORPUS(heredoc, sh, 40)
CORPUS(heredoc, bash, 40)
CORPUS(parameters, sh, 60)
CORPUS(parameters, bash, 60)
CORPUS(control, sh, 50)
CORPUS(control, bash, 50)
CORPUS(functions, sh, 45)
CORPUS(functions, bash, 45)
CORPUS(substitution, sh, 40)
CORPUS(substitution, bash, 40)
CORPUS(set_e, sh, 50)
CORPUS(set_e, bash, 50)
CORPUS(options, sh, 45)
CORPUS(options, bash, 45)
CORPUS(traps, sh, 60)
CORPUS(traps, bash, 60)
CORPUS(builtins, sh, 90)
CORPUS(builtins, bash, 90)
CORPUS(jobs, sh, 50)
CORPUS(jobs, bash, 50)
CORPUS(glob, sh, 30)
CORPUS(glob, bash, 30)
CORPUS(invocation, sh, 40)
CORPUS(invocation, bash, 40)
CORPUS(assignments, sh, 30)
CORPUS(assignments, bash, 30)
CORPUS(procfs, sh, 25)
CORPUS(procfs, bash, 25)
CORPUS(names, sh, 20)
CORPUS(names, bash, 20)
CORPUS(deep, sh, 20)
CORPUS(deep, bash, 20)
CORPUS(alias, sh, 15)
CORPUS(bash, bash, 20)
CORPUS(tools_text, sh, 100)
CORPUS(tools_files, sh, 100)
CORPUS(tools_sed, sh, 40)
CORPUS(tools_grep, sh, 30)
CORPUS(tools_find, sh, 30)
CORPUS(tools_process, sh, 60)
CORPUS(tools_awk, sh, 90)
CORPUS(tools_archive, sh, 40)
CORPUS(tools_code, sh, 60)
CORPUS(features, sh, 85)
CORPUS(features, bash, 85)
CORPUS(tools_paths, sh, 60)
CORPUS(tools_making, sh, 40)
CORPUS(tools_moving, sh, 35)
CORPUS(tools_rights, sh, 20)
CORPUS(tools_small, sh, 60)
CORPUS(tools_environment, sh, 50)
CORPUS(tools_system, sh, 60)
CORPUS(tools_small, bash, 60)

T_CASES(T_CASE(language_is_as_by_the_hosts_sh), T_CASE(language_is_as_by_the_hosts_bash),
        T_CASE(expansion_is_as_by_the_hosts_sh), T_CASE(expansion_is_as_by_the_hosts_bash),
        T_CASE(processes_is_as_by_the_hosts_sh), T_CASE(processes_is_as_by_the_hosts_bash),
        T_CASE(quoting_is_as_by_the_hosts_sh), T_CASE(quoting_is_as_by_the_hosts_bash),
        T_CASE(arithmetic_is_as_by_the_hosts_sh), T_CASE(arithmetic_is_as_by_the_hosts_bash),
        T_CASE(redirections_is_as_by_the_hosts_sh), T_CASE(redirections_is_as_by_the_hosts_bash),
        T_CASE(heredoc_is_as_by_the_hosts_sh), T_CASE(heredoc_is_as_by_the_hosts_bash),
        T_CASE(parameters_is_as_by_the_hosts_sh), T_CASE(parameters_is_as_by_the_hosts_bash),
        T_CASE(control_is_as_by_the_hosts_sh), T_CASE(control_is_as_by_the_hosts_bash),
        T_CASE(functions_is_as_by_the_hosts_sh), T_CASE(functions_is_as_by_the_hosts_bash),
        T_CASE(substitution_is_as_by_the_hosts_sh), T_CASE(substitution_is_as_by_the_hosts_bash),
        T_CASE(set_e_is_as_by_the_hosts_sh), T_CASE(set_e_is_as_by_the_hosts_bash),
        T_CASE(options_is_as_by_the_hosts_sh), T_CASE(options_is_as_by_the_hosts_bash),
        T_CASE(traps_is_as_by_the_hosts_sh), T_CASE(traps_is_as_by_the_hosts_bash),
        T_CASE(builtins_is_as_by_the_hosts_sh), T_CASE(builtins_is_as_by_the_hosts_bash),
        T_CASE(jobs_is_as_by_the_hosts_sh), T_CASE(jobs_is_as_by_the_hosts_bash), T_CASE(glob_is_as_by_the_hosts_sh),
        T_CASE(glob_is_as_by_the_hosts_bash), T_CASE(invocation_is_as_by_the_hosts_sh),
        T_CASE(invocation_is_as_by_the_hosts_bash), T_CASE(assignments_is_as_by_the_hosts_sh),
        T_CASE(assignments_is_as_by_the_hosts_bash), T_CASE(procfs_is_as_by_the_hosts_sh),
        T_CASE(procfs_is_as_by_the_hosts_bash), T_CASE(names_is_as_by_the_hosts_sh),
        T_CASE(names_is_as_by_the_hosts_bash), T_CASE(deep_is_as_by_the_hosts_sh), T_CASE(deep_is_as_by_the_hosts_bash),
        T_CASE(alias_is_as_by_the_hosts_sh), T_CASE(bash_is_as_by_the_hosts_bash),
        T_CASE(tools_text_is_as_by_the_hosts_sh), T_CASE(tools_files_is_as_by_the_hosts_sh),
        T_CASE(tools_sed_is_as_by_the_hosts_sh), T_CASE(tools_grep_is_as_by_the_hosts_sh),
        T_CASE(tools_find_is_as_by_the_hosts_sh), T_CASE(tools_process_is_as_by_the_hosts_sh),
        T_CASE(tools_awk_is_as_by_the_hosts_sh), T_CASE(tools_archive_is_as_by_the_hosts_sh),
        T_CASE(tools_code_is_as_by_the_hosts_sh), T_CASE(features_is_as_by_the_hosts_sh),
        T_CASE(features_is_as_by_the_hosts_bash), T_CASE(tools_paths_is_as_by_the_hosts_sh),
        T_CASE(tools_making_is_as_by_the_hosts_sh), T_CASE(tools_moving_is_as_by_the_hosts_sh),
        T_CASE(tools_rights_is_as_by_the_hosts_sh), T_CASE(tools_small_is_as_by_the_hosts_sh),
        T_CASE(tools_environment_is_as_by_the_hosts_sh), T_CASE(tools_system_is_as_by_the_hosts_sh),
        T_CASE(tools_small_is_as_by_the_hosts_bash))
