/* A validator for type, const, enum, minimum, maximum, properties, required, additionalProperties, items, oneOf, $ref.
 */
#include "schema.h"

#include <stdio.h>
#include <string.h>

struct check {
    const struct sbx_json_node *root;
    char *why;
    size_t why_cap;
};

static int fits(const struct check *c, const struct sbx_json_node *schema, const struct sbx_json_node *value);

static int wrong(const struct check *c, const char *what, const char *name) {
    snprintf(c->why, c->why_cap, "%s %s", what, name);
    return 0;
}

static const char *text_of(const struct sbx_json_node *node) {
    static char text[4096];
    struct sbx_buf buf = SBX_BUF_INIT;
    sbx_json_write_node(&buf, node);
    snprintf(text, sizeof(text), "%s", sbx_buf_text(&buf));
    sbx_buf_finish(&buf);
    return text;
}

static int same_value(const struct sbx_json_node *a, const struct sbx_json_node *b) {
    char first[4096];
    snprintf(first, sizeof(first), "%s", text_of(a));
    return strcmp(first, text_of(b)) == 0;
}

static int is_type(const char *name, const struct sbx_json_node *value) {
    enum sbx_json_type type = sbx_json_type(value);
    const char *text = text_of(value);
    if (strcmp(name, "\"integer\"") == 0) return type == SBX_JSON_NUMBER && !strpbrk(text, ".e");
    return strcmp(name, type == SBX_JSON_OBJECT   ? "\"object\""
                        : type == SBX_JSON_ARRAY  ? "\"array\""
                        : type == SBX_JSON_STRING ? "\"string\""
                        : type == SBX_JSON_NUMBER ? "\"number\""
                        : type == SBX_JSON_BOOL   ? "\"boolean\""
                                                  : "\"null\"") == 0;
}

static int type_name_fits(const struct sbx_json_node *name, const struct sbx_json_node *value) {
    char text[32];
    snprintf(text, sizeof(text), "%.30s", text_of(name));
    return is_type(text, value);
}

static int type_fits(const struct sbx_json_node *types, const struct sbx_json_node *value) {
    if (sbx_json_type(types) == SBX_JSON_STRING) return type_name_fits(types, value);
    for (const struct sbx_json_node *t = sbx_json_first(types); t; t = sbx_json_next(t))
        if (type_name_fits(t, value)) return 1;
    return 0;
}

static int one_of(const struct sbx_json_node *list, const struct sbx_json_node *value) {
    for (const struct sbx_json_node *item = sbx_json_first(list); item; item = sbx_json_next(item))
        if (same_value(item, value)) return 1;
    return 0;
}

static double number_of(const struct sbx_json_node *node) {
    double number = 0;
    return sscanf(text_of(node), "%lf", &number) == 1 ? number : 0;
}

/* "#/$defs/name" */
static const struct sbx_json_node *ref_of(const struct check *c, const struct sbx_json_node *ref) {
    char name[128];
    if (sscanf(text_of(ref), "\"#/$defs/%127[a-z_]\"", name) != 1) return NULL;
    return sbx_json_member(sbx_json_member(c->root, "$defs"), name);
}

static int members_fit(const struct check *c, const struct sbx_json_node *schema, const struct sbx_json_node *value) {
    const struct sbx_json_node *known = sbx_json_member(schema, "properties");
    const struct sbx_json_node *others = sbx_json_member(schema, "additionalProperties");
    const struct sbx_json_node *required = sbx_json_member(schema, "required");
    for (const struct sbx_json_node *r = required ? sbx_json_first(required) : NULL; r; r = sbx_json_next(r)) {
        char name[128];
        snprintf(name, sizeof(name), "%.100s", text_of(r) + 1);
        name[strcspn(name, "\"")] = 0;
        if (!sbx_json_member(value, name)) return wrong(c, "has no member", name);
    }
    for (const struct sbx_json_node *m = sbx_json_first(value); m; m = sbx_json_next(m)) {
        const struct sbx_json_node *its = known ? sbx_json_member(known, sbx_json_key(m)) : NULL;
        if (!its) its = others;
        if (its && sbx_json_type(its) == SBX_JSON_BOOL) return wrong(c, "may not have a member", sbx_json_key(m));
        if (its && !fits(c, its, m)) return 0;
    }
    return 1;
}

static int items_fit(const struct check *c, const struct sbx_json_node *schema, const struct sbx_json_node *value) {
    for (const struct sbx_json_node *item = sbx_json_first(value); item; item = sbx_json_next(item))
        if (!fits(c, schema, item)) return 0;
    return 1;
}

static int alternatives_fit(const struct check *c, const struct sbx_json_node *list,
                            const struct sbx_json_node *value) {
    int fitting = 0;
    for (const struct sbx_json_node *item = sbx_json_first(list); item; item = sbx_json_next(item))
        fitting += fits(c, item, value);
    return fitting == 1;
}

static int keyword_fits(const struct check *c, const struct sbx_json_node *schema, const struct sbx_json_node *keyword,
                        const struct sbx_json_node *value) {
    const char *key = sbx_json_key(keyword);
    static const char *const silent[] = {
        "$schema", "$defs", "title", "description", "required", "properties", "additionalProperties"};
    for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++)
        if (strcmp(key, silent[i]) == 0) return 1;
    (void)schema;
    if (strcmp(key, "type") == 0) return type_fits(keyword, value);
    if (strcmp(key, "const") == 0) return same_value(keyword, value);
    if (strcmp(key, "enum") == 0) return one_of(keyword, value);
    if (strcmp(key, "minimum") == 0) return number_of(value) >= number_of(keyword);
    if (strcmp(key, "maximum") == 0) return number_of(value) <= number_of(keyword);
    if (strcmp(key, "items") == 0) return items_fit(c, keyword, value);
    if (strcmp(key, "oneOf") == 0) return alternatives_fit(c, keyword, value);
    if (strcmp(key, "$ref") == 0) return ref_of(c, keyword) && fits(c, ref_of(c, keyword), value);
    return 0;
}

static int fits(const struct check *c, const struct sbx_json_node *schema, const struct sbx_json_node *value) {
    for (const struct sbx_json_node *k = sbx_json_first(schema); k; k = sbx_json_next(k))
        if (!keyword_fits(c, schema, k, value)) {
            if (strcmp(sbx_json_key(k), "$ref") != 0 && strcmp(sbx_json_key(k), "items") != 0)
                wrong(c, sbx_json_key(k), text_of(value));
            return 0;
        }
    return sbx_json_type(value) != SBX_JSON_OBJECT || members_fit(c, schema, value);
}

int schema_fits(const struct sbx_json_node *schema, const struct sbx_json_node *root, const struct sbx_json_node *value,
                char *why, size_t why_cap) {
    const struct check c = {root, why, why_cap};
    why[0] = 0;
    return fits(&c, schema, value);
}
