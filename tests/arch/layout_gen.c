/* layout_gen > layout_table.c: from the structs that public headers define, a program part that knows where each
 * member lies. Read from the headers, so that no struct and no member can be left out. */
#include "source.h"

#include "t.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void emit_member(const char *name, const char *type, size_t type_len, const char *strct) {
    printf("    MEMBER(%s, %s, \"%.*s\")\n", strct, name, (int)type_len, type);
}

/* The last identifier of [from, to). */
static const char *last_word(const char *from, const char *to, size_t *len) {
    const char *end = to;
    while (end > from && !isalnum((unsigned char)end[-1]) && end[-1] != '_') end--;
    const char *start = end;
    while (start > from && (isalnum((unsigned char)start[-1]) || start[-1] == '_')) start--;
    *len = (size_t)(end - start);
    return start;
}

/* One declaration of a member, [from, to) without its semicolon: a plain member, an array, or a function pointer. */
static void read_member(const char *from, const char *to, const char *strct) {
    char name[128];
    size_t len = 0;
    while (from < to && isspace((unsigned char)*from)) from++;
    if (from == to) return;
    const char *paren = memchr(from, '(', (size_t)(to - from));
    if (paren) {
        const char *close = memchr(paren, ')', (size_t)(to - paren));
        const char *word = last_word(paren, close ? close : to, &len);
        snprintf(name, sizeof(name), "%.*s", (int)len, word);
        emit_member(name, "function", strlen("function"), strct);
        return;
    }
    const char *bracket = memchr(from, '[', (size_t)(to - from));
    const char *word = last_word(from, bracket ? bracket : to, &len);
    const char *type_end = word;
    while (type_end > from && isspace((unsigned char)type_end[-1])) type_end--;
    snprintf(name, sizeof(name), "%.*s", (int)len, word);
    emit_member(name, from, (size_t)(type_end - from), strct);
}

static void read_struct(const char *body, const char *strct) {
    printf("    STRUCT(%s)\n", strct);
    for (const char *at = body; *at && *at != '}';) {
        const char *end = strchr(at, ';');
        const char *close = strchr(at, '}');
        if (!end || (close && close < end)) break;
        read_member(at, end, strct);
        at = end + 1;
    }
}

static void read_header(const char *code) {
    for (const char *at = code; (at = strstr(at, "struct sbx_")) != NULL; at++) {
        char name[128] = "";
        int used = 0;
        if (!source_word_at(code, at, "struct")) continue;
        if (sscanf(at, "struct %127[a-z0-9_] {%n", name, &used) == 1 && used > 0) read_struct(at + used, name);
    }
}

int main(int argc, char **argv) {
    static const char *const roots[] = {"include", NULL};
    struct source_tree tree;
    (void)argv;
    if (argc > 1) {
        fprintf(stderr, "usage: SANDPORT_SOURCE_DIR=... layout_gen\n");
        return 64;
    }
    source_tree_load(&tree, roots);
    printf("/* Made by layout_gen from the public headers. */\n#include \"layout_table.h\"\n\n#include <stddef.h>\n");
    for (size_t i = 0; i < tree.n; i++) printf("#include <%s>\n", tree.files[i].path + strlen("include/"));
    printf("\n#define STRUCT(s) {#s, NULL, NULL, 0, sizeof(struct s)},\n"
           "#define MEMBER(s, m, t) {#s, #m, t, offsetof(struct s, m), sizeof(((struct s *)0)->m)},\n"
           "\nconst struct layout_line layout_table[] = {\n");
    for (size_t i = 0; i < tree.n; i++) read_header(tree.files[i].code);
    printf("};\nconst size_t layout_table_count = sizeof(layout_table) / sizeof(layout_table[0]);\n");
    source_tree_free(&tree);
    return 0;
}
