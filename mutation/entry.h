/* One guard mutation as written in mutation/guards/<name>.json. */
#ifndef MUTATION_ENTRY_H
#define MUTATION_ENTRY_H

#include <sandport/kit/buf.h>
#include <stddef.h>

#define ENTRY_TESTS_MAX 8

struct entry {
    char *name; /* of the file, without .json */
    char *guard;
    char *file;
    char *find;
    char *replace;
    char *tests[ENTRY_TESTS_MAX];
    size_t test_count;
    char *expect;
};

/** Reads one entry's text. @param why what is wrong with it, for people
 *  @return 0, or -1 with `entry` empty */
int entry_parse(const char *name, const char *text, size_t len, struct entry *entry, struct sbx_buf *why);
void entry_finish(struct entry *entry);

/** Reads every *.json of a folder, in order of name. What is wrong goes to `why`, a line each.
 *  @return the entries, yours: entries_free(); NULL with *n = 0 when there is none */
struct entry *entries_load(const char *folder, size_t *n, struct sbx_buf *why);
void entries_free(struct entry *entries, size_t n);

/** How often `find` is in `text`. */
size_t entry_occurrences(const struct entry *entry, const char *text);

/** The text with the one place replaced; free() it. NULL unless it is there exactly once. */
char *entry_apply(const struct entry *entry, const char *text);

/** A file in memory, NUL-terminated; free() it. NULL if it cannot be read. */
char *entry_read_file(const char *path, size_t *len);

#endif
