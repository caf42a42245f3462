/* exports LIBRARY.so LIBRARY.a HEADER...: what the shared library exports is what its headers declare SBX_API, and
 * every name in the archive is one of ours, so that a static link cannot clash with its host's. Row P6. */
#include "source.h"

#include "t.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What our names begin with: hidden ones are still global in an archive. */
static const char *const prefixes[] = {"sbx_", "sim_", "daytona_", "e2b_", "serve_", "machine_"};

/* The names that a header marks SBX_API, each appended as "name\n". */
static void declared_names(const char *path, struct sbx_buf *names) {
    static const char *const roots[] = {"include", NULL};
    struct source_tree tree;
    source_tree_load(&tree, roots);
    for (size_t i = 0; i < tree.n; i++) {
        if (strcmp(tree.files[i].path, path) != 0) continue;
        for (const char *at = tree.files[i].code; (at = strstr(at, "SBX_API")) != NULL; at++) {
            const char *name = at + strlen("SBX_API");
            if (!source_word_at(tree.files[i].code, at, "SBX_API")) continue;
            for (; *name && *name != ';'; name++) {
                size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
                if (!source_starts_with(name, "sbx_") || isalnum((unsigned char)name[-1])) continue;
                if (name[len] == '(' || name[len] == '[' || name[len] == ';') {
                    sbx_buf_printf(names, "%.*s\n", (int)len, name);
                    break;
                }
            }
        }
    }
    source_tree_free(&tree);
}

static int has_line(const char *lines, const char *line) {
    size_t len = strlen(line);
    for (const char *at = lines; (at = strstr(at, line)) != NULL; at++)
        if ((at == lines || at[-1] == '\n') && (at[len] == '\n' || !at[len])) return 1;
    return 0;
}

/* Names of the tool chain's and of sanitizers, which are in every library. */
static int is_ours_to_judge(const char *name) {
    return name[0] != '_' && !source_starts_with(name, "llvm_");
}

/* The names that nm lists, each as "name\n". */
static char *symbols(const char *how, const char *library) {
    char command[2048];
    snprintf(command, sizeof(command), "nm %s '%s' 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u", how, library);
    return source_command_output(command);
}

static void compare(const char *left, const char *right, const char *complaint, struct sbx_buf *wrong) {
    char *copy = strdup(left);
    char *rest = NULL;
    if (!copy) T_FAIL("out of memory");
    for (char *name = strtok_r(copy, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest))
        if (is_ours_to_judge(name) && !has_line(right, name)) sbx_buf_printf(wrong, "%s %s\n", name, complaint);
    free(copy);
}

static void check_prefixes(const char *names, struct sbx_buf *wrong) {
    char *copy = strdup(names);
    char *rest = NULL;
    if (!copy) T_FAIL("out of memory");
    for (char *name = strtok_r(copy, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest)) {
        int ours = !is_ours_to_judge(name);
        for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
            ours |= source_starts_with(name, prefixes[i]);
        if (!ours) sbx_buf_printf(wrong, "%s is global in the archive and has none of our prefixes\n", name);
    }
    free(copy);
}

int main(int argc, char **argv) {
    struct sbx_buf declared = SBX_BUF_INIT, wrong = SBX_BUF_INIT;
    if (argc < 4) {
        fprintf(stderr, "usage: exports LIBRARY.so LIBRARY.a HEADER...\n");
        return 64;
    }
    for (int i = 3; i < argc; i++) declared_names(argv[i], &declared);
    char *exported = symbols("-D --defined-only", argv[1]);
    char *archived = symbols("-g --defined-only", argv[2]);
    if (!declared.len) sbx_buf_printf(&wrong, "the headers declare nothing\n");
    compare(exported, sbx_buf_text(&declared), "is exported and in no header of this part", &wrong);
    compare(sbx_buf_text(&declared), exported, "is declared SBX_API and not exported", &wrong);
    check_prefixes(archived, &wrong);
    fputs(sbx_buf_text(&wrong), stderr);
    int failed = wrong.len != 0 || wrong.failed;
    free(exported);
    free(archived);
    sbx_buf_finish(&declared);
    sbx_buf_finish(&wrong);
    return failed;
}
