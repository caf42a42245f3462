/* Reading guard mutations strictly, and applying one to a text. */
#include "mutation/entry.h"

#include <dirent.h>
#include <sandport/kit/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void entry_note_unread(void *ctx, const char *path) {
    sbx_buf_printf(ctx, " %s", path);
}

static void entry_read_tests(struct sbx_json *js, const struct sbx_json_node *root, struct entry *entry) {
    const struct sbx_json_node *tests = sbx_json_array(js, root, "tests");
    for (const struct sbx_json_node *node = sbx_json_first(tests); node; node = sbx_json_next(node)) {
        const char *test = sbx_json_as_string(js, node);
        if (test && entry->test_count < ENTRY_TESTS_MAX) entry->tests[entry->test_count++] = strdup(test);
    }
    if (!entry->test_count) sbx_json_complain(js, root, "tests", "at least one test");
    if (sbx_json_count(tests) > ENTRY_TESTS_MAX) sbx_json_complain(js, root, "tests", "fewer tests");
}

static char *entry_text(struct sbx_json *js, const struct sbx_json_node *root, const char *key) {
    const char *text = sbx_json_string(js, root, key);
    return strdup(text ? text : "");
}

/* The file is named after the guard, so that nobody has to search: <guard>.json or <guard>.<n>.json. */
static int entry_name_fits(const struct entry *entry) {
    size_t len = strlen(entry->guard);
    if (!len || strncmp(entry->name, entry->guard, len) != 0) return 0;
    return entry->name[len] == 0 || (entry->name[len] == '.' && strspn(entry->name + len + 1, "0123456789") > 0);
}

static int entry_check(struct sbx_json *js, const struct entry *entry, struct sbx_buf *why) {
    struct sbx_buf unread = SBX_BUF_INIT;
    int wrong = 1;
    sbx_json_unread(js, entry_note_unread, &unread);
    if (sbx_json_status(js))
        sbx_buf_printf(why, "%s.json: %s\n", entry->name, sbx_json_error(js));
    else if (unread.len)
        sbx_buf_printf(why, "%s.json: unknown member%s\n", entry->name, sbx_buf_text(&unread));
    else if (!entry_name_fits(entry))
        sbx_buf_printf(why, "%s.json: is of guard %s\n", entry->name, entry->guard);
    else if (!entry->find[0])
        sbx_buf_printf(why, "%s.json: nothing to find\n", entry->name);
    else if (!entry->expect[0])
        sbx_buf_printf(why, "%s.json: nothing to expect\n", entry->name);
    else if (strcmp(entry->find, entry->replace) == 0)
        sbx_buf_printf(why, "%s.json: breaks nothing\n", entry->name);
    else
        wrong = 0;
    sbx_buf_finish(&unread);
    return wrong;
}

int entry_parse(const char *name, const char *text, size_t len, struct entry *entry, struct sbx_buf *why) {
    struct sbx_json *js = NULL;
    int wrong = 1;
    memset(entry, 0, sizeof(*entry));
    if (sbx_json_parse(text, len, 0, &js)) {
        sbx_buf_printf(why, "%s.json: %s\n", name, js ? sbx_json_error(js) : "out of memory");
        goto done;
    }
    const struct sbx_json_node *root = sbx_json_root(js);
    entry->name = strdup(name);
    entry->guard = entry_text(js, root, "guard");
    entry->file = entry_text(js, root, "file");
    entry->find = entry_text(js, root, "find");
    entry->replace = entry_text(js, root, "replace");
    entry->expect = entry_text(js, root, "expect");
    entry_read_tests(js, root, entry);
    if (!entry->name || !entry->guard || !entry->file || !entry->find || !entry->replace || !entry->expect) {
        sbx_buf_printf(why, "%s.json: out of memory\n", name);
        goto done;
    }
    wrong = entry_check(js, entry, why);
done:
    sbx_json_free(js);
    if (wrong) entry_finish(entry);
    return wrong ? -1 : 0;
}

void entry_finish(struct entry *entry) {
    free(entry->name);
    free(entry->guard);
    free(entry->file);
    free(entry->find);
    free(entry->replace);
    free(entry->expect);
    for (size_t i = 0; i < entry->test_count; i++) free(entry->tests[i]);
    memset(entry, 0, sizeof(*entry));
}

static int entry_is_json(const struct dirent *file) {
    size_t len = strlen(file->d_name);
    return len > 5 && strcmp(file->d_name + len - 5, ".json") == 0;
}

struct entry *entries_load(const char *folder, size_t *n, struct sbx_buf *why) {
    struct dirent **files = NULL;
    int count = scandir(folder, &files, entry_is_json, alphasort);
    struct entry *entries = count > 0 ? calloc((size_t)count, sizeof(*entries)) : NULL;
    *n = 0;
    if (count < 0) sbx_buf_printf(why, "%s: cannot be read\n", folder);
    if (count > 0 && !entries) sbx_buf_printf(why, "out of memory\n");
    for (int i = 0; i < count; i++) {
        char path[1024];
        size_t len = 0;
        snprintf(path, sizeof(path), "%s/%s", folder, files[i]->d_name);
        char *text = entry_read_file(path, &len);
        files[i]->d_name[strlen(files[i]->d_name) - 5] = 0;
        if (!text)
            sbx_buf_printf(why, "%s: cannot be read\n", path);
        else if (entries && entry_parse(files[i]->d_name, text, len, &entries[*n], why) == 0)
            ++*n;
        free(text);
        free(files[i]);
    }
    free(files);
    return entries;
}

void entries_free(struct entry *entries, size_t n) {
    for (size_t i = 0; i < n; i++) entry_finish(&entries[i]);
    free(entries);
}

size_t entry_occurrences(const struct entry *entry, const char *text) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, entry->find)) != NULL; at++) count++;
    return count;
}

char *entry_apply(const struct entry *entry, const char *text) {
    if (entry_occurrences(entry, text) != 1) return NULL;
    const char *at = strstr(text, entry->find);
    size_t before = (size_t)(at - text);
    size_t removed = strlen(entry->find), added = strlen(entry->replace), all = strlen(text);
    char *out = malloc(all - removed + added + 1);
    if (!out) return NULL;
    memcpy(out, text, before);
    memcpy(out + before, entry->replace, added);
    memcpy(out + before + added, at + removed, all - before - removed + 1);
    return out;
}

char *entry_read_file(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = -1;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    rewind(file);
    if (size >= 0) text = malloc((size_t)size + 1);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size) {
        free(text);
        text = NULL;
    }
    fclose(file);
    if (!text) return NULL;
    text[size] = 0;
    if (len) *len = (size_t)size;
    return text;
}
