/* The source tree as the architecture tests see it: each file's text, without comments, and without literals too. */
#ifndef TESTS_ARCH_SOURCE_H
#define TESTS_ARCH_SOURCE_H

#include <sandport/kit/buf.h>
#include <stddef.h>

struct source_file {
    char path[512]; /* from the root of the tree */
    char *text;     /* as it is */
    char *plain;    /* comments blanked, line breaks kept */
    char *code;     /* literals blanked as well */
};

struct source_tree {
    struct source_file *files; /* in order of path */
    size_t n;
};

/** Loads the .c and .h files under the given folders; a folder that does not exist has none. Fails the test when
 *  nothing at all is found. @param roots ends with NULL */
void source_tree_load(struct source_tree *tree, const char *const *roots);
void source_tree_free(struct source_tree *tree);

/** Line number, from 1, of a position in a text. */
int source_line(const char *text, const char *at);

int source_starts_with(const char *text, const char *prefix);

/** Does an identifier start here: at[0] begins one and the character before belongs to none? */
int source_word_at(const char *text, const char *at, const char *word);

/** Fails the test with everything that `complaints` has collected, if anything; frees it. */
void source_report(struct sbx_buf *complaints);

/** The standard output of a command, "" if it has none; free() it. Fails the test if it does not end with 0. */
char *source_command_output(const char *command);

/** Every CTest name of this build, each between line breaks: "\nname\nname\n"; free() it. */
char *source_ctest_names(void);

#endif
