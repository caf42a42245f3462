/* Loading sources for the architecture tests, and what they ask of the outside: a command's output, CTest's names. */
#include "source.h"

#include "t.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int word_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

int source_starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

int source_word_at(const char *text, const char *at, const char *word) {
    size_t len = strlen(word);
    if (strncmp(at, word, len) != 0 || word_char(at[len])) return 0;
    return at == text || !word_char(at[-1]);
}

int source_line(const char *text, const char *at) {
    int line = 1;
    for (const char *p = text; p < at; p++) line += *p == '\n';
    return line;
}

static void blank(char *text, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (text[i] != '\n') text[i] = ' ';
}

/* The end of the comment that starts at `i`. */
static size_t comment_end(const char *text, size_t i) {
    const char *end = text[i + 1] == '*' ? strstr(text + i + 2, "*/") : strchr(text + i, '\n');
    if (!end) return strlen(text);
    return (size_t)(end - text) + (text[i + 1] == '*' ? 2 : 0);
}

/* Behind the closing quote of the literal that starts at `i`. */
static size_t literal_end(const char *text, size_t i) {
    char quote = text[i++];
    while (text[i] && text[i] != quote && text[i] != '\n') i += text[i] == '\\' && text[i + 1] ? 2 : 1;
    return text[i] ? i + 1 : i;
}

static void strip(struct source_file *file) {
    const char *text = file->text;
    size_t i = 0;
    while (text[i]) {
        if (text[i] == '/' && (text[i + 1] == '*' || text[i + 1] == '/')) {
            size_t end = comment_end(text, i);
            blank(file->plain, i, end);
            blank(file->code, i, end);
            i = end;
        } else if (text[i] == '"' || text[i] == '\'') {
            size_t end = literal_end(text, i);
            if (end > i + 2) blank(file->code, i + 1, end - 1);
            i = end;
        } else {
            i++;
        }
    }
}

static void add_file(struct source_tree *tree, const char *path) {
    struct source_file *grown = realloc(tree->files, (tree->n + 1) * sizeof(*grown));
    if (!grown) T_FAIL("out of memory");
    tree->files = grown;
    struct source_file *file = &grown[tree->n++];
    snprintf(file->path, sizeof(file->path), "%s", path);
    file->text = t_read_source(path, NULL);
    file->plain = strdup(file->text);
    file->code = strdup(file->text);
    if (!file->plain || !file->code) T_FAIL("out of memory");
    strip(file);
}

static int is_source(const char *name) {
    size_t len = strlen(name);
    return len > 2 && name[len - 2] == '.' && (name[len - 1] == 'c' || name[len - 1] == 'h');
}

static void add_folder(struct source_tree *tree, const char *folder) {
    const char *root = getenv("SANDPORT_SOURCE_DIR");
    char full[1024];
    struct dirent **entries = NULL;
    snprintf(full, sizeof(full), "%s/%s", root ? root : ".", folder);
    int n = scandir(full, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        char path[512];
        struct stat st;
        snprintf(path, sizeof(path), "%s/%s", folder, name);
        snprintf(full, sizeof(full), "%s/%s", root ? root : ".", path);
        if (name[0] != '.' && stat(full, &st) == 0) {
            if (S_ISDIR(st.st_mode))
                add_folder(tree, path);
            else if (is_source(name))
                add_file(tree, path);
        }
        free(entries[i]);
    }
    free(entries);
}

void source_tree_load(struct source_tree *tree, const char *const *roots) {
    memset(tree, 0, sizeof(*tree));
    for (size_t i = 0; roots[i]; i++) add_folder(tree, roots[i]);
    if (!tree->n) T_FAIL("no sources found: is SANDPORT_SOURCE_DIR the root of the tree?");
}

void source_tree_free(struct source_tree *tree) {
    for (size_t i = 0; i < tree->n; i++) {
        free(tree->files[i].text);
        free(tree->files[i].plain);
        free(tree->files[i].code);
    }
    free(tree->files);
    memset(tree, 0, sizeof(*tree));
}

void source_report(struct sbx_buf *complaints) {
    static char message[65536];
    if (complaints->failed) T_FAIL("out of memory");
    if (!complaints->len) return;
    snprintf(message, sizeof(message), "%s", complaints->data);
    sbx_buf_finish(complaints);
    T_FAIL("%s", message);
}

char *source_command_output(const char *command) {
    struct sbx_buf out = SBX_BUF_INIT;
    char piece[4096];
    FILE *from = popen(command, "r");
    if (!from) T_FAIL("cannot run %s", command);
    for (size_t got; (got = fread(piece, 1, sizeof(piece), from)) > 0;) sbx_buf_append(&out, piece, got);
    int status = pclose(from);
    if (status != 0) T_FAIL("%s ended with %d", command, status);
    char *text = strdup(out.data ? out.data : "");
    if (out.failed || !text) T_FAIL("out of memory");
    sbx_buf_finish(&out);
    return text;
}

char *source_ctest_names(void) {
    const char *folder = getenv("SANDPORT_BINARY_DIR");
    char command[1024];
    struct sbx_buf names = SBX_BUF_INIT;
    if (!folder) T_FAIL("SANDPORT_BINARY_DIR is not set");
    snprintf(command, sizeof(command), "ctest --test-dir '%s' -N", folder);
    char *listing = source_command_output(command);
    sbx_buf_char(&names, '\n');
    for (char *line = strtok(listing, "\n"); line; line = strtok(NULL, "\n")) {
        const char *name = strstr(line, "Test ") ? strstr(line, ": ") : NULL;
        if (name && strchr(line, '#')) sbx_buf_printf(&names, "%s\n", name + 2);
    }
    free(listing);
    char *text = strdup(names.data ? names.data : "\n");
    if (names.failed || !text) T_FAIL("out of memory");
    sbx_buf_finish(&names);
    return text;
}
