/* What every file looks like from outside: it says its subject in its first line, is about one thing, and leaves
 * nothing unfinished behind. */
#include "source.h"

#include "t.h"
#include <string.h>

#define LINES_MAX 700

static const char *const everything[] = {"include", "src",      "adapters", "sim",  "examples", "tests",
                                         "bench",   "mutation", "fuzz",     "live", NULL};

static void no_file_grows_beyond_its_subject(void) {
    struct source_tree tree;
    struct sbx_buf wrong = SBX_BUF_INIT;
    source_tree_load(&tree, everything);
    for (size_t i = 0; i < tree.n; i++) {
        const char *text = tree.files[i].text;
        int lines = source_line(text, text + strlen(text)) - 1;
        if (lines > LINES_MAX)
            sbx_buf_printf(&wrong, "%s: %d lines; which second idea has moved in?\n", tree.files[i].path, lines);
    }
    source_tree_free(&tree);
    source_report(&wrong);
}

static void every_file_says_its_subject_first(void) {
    struct source_tree tree;
    struct sbx_buf wrong = SBX_BUF_INIT;
    source_tree_load(&tree, everything);
    for (size_t i = 0; i < tree.n; i++)
        if (!source_starts_with(tree.files[i].text, "/* "))
            sbx_buf_printf(&wrong, "%s: the first line does not say what it is about\n", tree.files[i].path);
    source_tree_free(&tree);
    source_report(&wrong);
}

static void nothing_is_left_for_later(void) {
    /* Put together here, so that this file does not find itself. */
    static const char *const marks[] = {"TO"
                                        "DO",
                                        "FIX"
                                        "ME",
                                        "XX"
                                        "X:",
                                        "HA"
                                        "CK"};
    struct source_tree tree;
    struct sbx_buf wrong = SBX_BUF_INIT;
    source_tree_load(&tree, everything);
    for (size_t i = 0; i < tree.n; i++)
        for (size_t m = 0; m < sizeof(marks) / sizeof(marks[0]); m++) {
            const char *at = strstr(tree.files[i].text, marks[m]);
            if (at)
                sbx_buf_printf(&wrong, "%s:%d: %s\n", tree.files[i].path, source_line(tree.files[i].text, at),
                               marks[m]);
        }
    source_tree_free(&tree);
    source_report(&wrong);
}

T_CASES(T_CASE(no_file_grows_beyond_its_subject), T_CASE(every_file_says_its_subject_first),
        T_CASE(nothing_is_left_for_later))
