/* Every guard has a mutation that breaks it and a pair of tests, and nothing else has. Row V3. */
#include "mutation/entry.h"
#include "source.h"
#include "t.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const guarded[] = {"src", "adapters", "sim", NULL};

static char *entries_folder(char *out, size_t cap) {
    const char *root = getenv("SANDPORT_SOURCE_DIR");
    snprintf(out, cap, "%s/mutation/guards", root ? root : ".");
    return out;
}

/* The name of the mark that starts at `at`, "" if it is none. */
static void mark_name(const char *at, char *name, size_t cap) {
    size_t n = 0;
    for (at += strlen("guard: ");
         n + 1 < cap && (islower((unsigned char)*at) || isdigit((unsigned char)*at) || *at == '_');)
        name[n++] = *at++;
    name[n] = 0;
}

typedef void (*mark_fn)(const struct source_file *file, int line, const char *name, void *ctx);

static void each_mark(const struct source_tree *tree, mark_fn visit, void *ctx) {
    for (size_t i = 0; i < tree->n; i++) {
        const struct source_file *file = &tree->files[i];
        for (const char *at = file->text; (at = strstr(at, "guard: ")) != NULL; at++) {
            char name[128];
            if (!source_word_at(file->text, at, "guard")) continue;
            mark_name(at, name, sizeof(name));
            if (name[0]) visit(file, source_line(file->text, at), name, ctx);
        }
    }
}

struct marks_check {
    const struct entry *entries;
    size_t n;
    const char *tests;
    struct sbx_buf wrong;
};

static int has_test(const char *tests, const char *prefix, const char *guard) {
    char part[256];
    snprintf(part, sizeof(part), ".%s%s__", prefix, guard);
    return strstr(tests, part) != NULL;
}

static void check_mark(const struct source_file *file, int line, const char *name, void *ctx) {
    struct marks_check *check = ctx;
    int found = 0;
    for (size_t i = 0; i < check->n; i++)
        found |= strcmp(check->entries[i].guard, name) == 0 && strcmp(check->entries[i].file, file->path) == 0;
    if (!found)
        sbx_buf_printf(&check->wrong, "%s:%d: guard %s has no mutation/guards/%s.json for this file\n", file->path,
                       line, name, name);
    if (!has_test(check->tests, "must_fire_", name))
        sbx_buf_printf(&check->wrong, "%s:%d: guard %s has no test must_fire_%s__...\n", file->path, line, name, name);
    if (!has_test(check->tests, "must_not_fire_", name))
        sbx_buf_printf(&check->wrong, "%s:%d: guard %s has no test must_not_fire_%s__...\n", file->path, line, name,
                       name);
}

static void every_guard_has_a_mutation_and_its_pair(void) {
    struct source_tree tree;
    struct marks_check check = {.wrong = SBX_BUF_INIT};
    char folder[1024];
    char *tests = source_ctest_names();
    struct entry *entries = entries_load(entries_folder(folder, sizeof(folder)), &check.n, &check.wrong);
    source_tree_load(&tree, guarded);
    check.entries = entries;
    check.tests = tests;
    each_mark(&tree, check_mark, &check);
    source_tree_free(&tree);
    entries_free(entries, check.n);
    free(tests);
    source_report(&check.wrong);
}

struct search {
    const struct entry *entry;
    int found;
};

static void find_mark(const struct source_file *file, int line, const char *name, void *ctx) {
    struct search *search = ctx;
    (void)line;
    search->found |= strcmp(search->entry->guard, name) == 0 && strcmp(search->entry->file, file->path) == 0;
}

static void every_mutation_breaks_a_guard_that_is_there(void) {
    struct source_tree tree;
    struct sbx_buf wrong = SBX_BUF_INIT;
    char folder[1024];
    size_t n = 0;
    struct entry *entries = entries_load(entries_folder(folder, sizeof(folder)), &n, &wrong);
    source_tree_load(&tree, guarded);
    for (size_t i = 0; i < n; i++) {
        struct search search = {&entries[i], 0};
        size_t times = 0;
        each_mark(&tree, find_mark, &search);
        for (size_t f = 0; f < tree.n; f++)
            if (strcmp(tree.files[f].path, entries[i].file) == 0)
                times = entry_occurrences(&entries[i], tree.files[f].text);
        if (!search.found)
            sbx_buf_printf(&wrong, "%s.json: no line of %s is marked guard: %s\n", entries[i].name, entries[i].file,
                           entries[i].guard);
        if (times != 1)
            sbx_buf_printf(&wrong, "%s.json: its text is %zu times in %s\n", entries[i].name, times, entries[i].file);
    }
    source_tree_free(&tree);
    entries_free(entries, n);
    source_report(&wrong);
}

/* An entry with a mistake must be refused, not skipped. */
static void entries_are_read_strictly(void) {
    static const char good[] =
        "{\"guard\":\"g\",\"file\":\"f\",\"find\":\"a\",\"replace\":\"b\",\"tests\":[\"t\"],\"expect\":\"e\"}";
    static const char *const bad[] = {
        "{\"guard\":\"g\",\"file\":\"f\",\"find\":\"a\",\"replace\":\"b\",\"tests\":[],\"expect\":\"e\"}",
        "{\"guard\":\"h\",\"file\":\"f\",\"find\":\"a\",\"replace\":\"b\",\"tests\":[\"t\"],\"expect\":\"e\"}",
        "{\"guard\":\"g\",\"file\":\"f\",\"find\":\"a\",\"replace\":\"a\",\"tests\":[\"t\"],\"expect\":\"e\"}",
        "{\"guard\":\"g\",\"file\":\"f\",\"find\":\"a\",\"replace\":\"b\",\"tests\":[\"t\"],\"expect\":\"\"}",
        "{\"guard\":\"g\",\"file\":\"f\",\"find\":\"a\",\"replace\":\"b\",\"tests\":[\"t\"],\"expect\":\"e\",\"x\":1}",
        "{\"guard\":\"g\",\"find\":\"a\",\"replace\":\"b\",\"tests\":[\"t\"],\"expect\":\"e\"}",
        "[]",
        "{"};
    struct entry entry;
    struct sbx_buf why = SBX_BUF_INIT;
    T_EQ(entry_parse("g.2", good, strlen(good), &entry, &why), 0);
    T_STR(sbx_buf_text(&why), "");
    char *applied = entry_apply(&entry, "x a y");
    T_STR(applied, "x b y");
    free(applied);
    T_TRUE(!entry_apply(&entry, "a a"));
    T_TRUE(!entry_apply(&entry, "x"));
    entry_finish(&entry);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        sbx_buf_clear(&why);
        T_EQ(entry_parse("g", bad[i], strlen(bad[i]), &entry, &why), -1);
        T_CONTAINS(sbx_buf_text(&why), "g.json: ");
    }
    sbx_buf_finish(&why);
}

T_CASES(T_CASE(every_guard_has_a_mutation_and_its_pair), T_CASE(every_mutation_breaks_a_guard_that_is_there),
        T_CASE(entries_are_read_strictly))
