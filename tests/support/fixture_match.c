/* An answer held against a fixture, member for member. */
#include "fixture_match.h"

#include <sandport/kit/text.h>
#include <stdio.h>

struct matching {
    struct fixture_names *names;
    struct sbx_json *want_js, *js;
};

void fixture_bind(struct fixture_names *names, const char *name, const char *value, int number) {
    T_TRUE(names->count < sizeof(names->bound) / sizeof(names->bound[0]));
    struct fixture_name *b = &names->bound[names->count++];
    T_TRUE(sbx_copy(b->name, sizeof(b->name), name) && sbx_copy(b->value, sizeof(b->value), value));
    b->number = number;
}

static const struct fixture_name *bound(const struct fixture_names *names, const char *name) {
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->bound[i].name, name) == 0) return &names->bound[i];
    return NULL;
}

/* The name that the text begins with, or, for a number, that it begins with in quotes. @param len what it takes */
static const struct fixture_name *name_at(const struct fixture_names *names, const char *text, size_t *len) {
    const struct fixture_name *hit = NULL;
    for (size_t i = 0; i < names->count; i++) {
        const struct fixture_name *b = &names->bound[i];
        const size_t n = strlen(b->name);
        const int quoted =
            b->number && *text == '"' && text[1] && strncmp(text + 1, b->name, n) == 0 && text[n + 1] == '"';
        if (!quoted && strncmp(text, b->name, n) != 0) continue;
        hit = b;
        *len = n + (quoted ? 2 : 0);
    }
    return hit;
}

void fixture_fill(const struct fixture_names *names, const char *text, struct sbx_buf *out) {
    for (size_t len = 1; *text; text += len, len = 1) {
        const struct fixture_name *hit = name_at(names, text, &len);
        if (hit)
            sbx_buf_text_append(out, hit->value);
        else
            sbx_buf_char(out, *text);
    }
}

static int is_shaped(const char *text, const char *shape) {
    for (; *shape && *shape != '*'; shape++, text++) {
        const int digit = *text >= '0' && *text <= '9', hex = digit || (*text >= 'a' && *text <= 'f'),
                  any = digit || (*text >= 'a' && *text <= 'z');
        if (*shape == '9' ? !digit : *shape == 'h' ? !hex : *shape == 'x' ? !any : *shape != *text) return 0;
    }
    return *shape == '*' || !*text;
}

static void match_any(const struct matching *m, const char *type, const struct sbx_json_node *got, const char *at) {
    const enum sbx_json_type found = sbx_json_type(got);
    int good = 0;
    if (strcmp(type, "number") == 0) good = found == SBX_JSON_NUMBER;
    if (strcmp(type, "bool") == 0) good = found == SBX_JSON_BOOL;
    if (strcmp(type, "string") == 0) good = found == SBX_JSON_STRING;
    for (const struct fixture_shape *s = m->names->shapes; s->type; s++)
        if (strcmp(type, s->type) == 0)
            good = found == SBX_JSON_STRING && is_shaped(sbx_json_as_string(m->js, got), s->shape);
    if (!good) T_FAIL("%s: expected any %s", at, type);
}

static void same_text(const struct sbx_json_node *got, const char *want, const char *at) {
    struct sbx_buf text = SBX_BUF_INIT;
    sbx_json_write_node(&text, got);
    t_str(sbx_buf_text(&text), want, at, __FILE__, __LINE__);
    sbx_buf_finish(&text);
}

static void match_text(const struct matching *m, const char *want, const struct sbx_json_node *got, const char *at) {
    const struct fixture_name *b = bound(m->names, want);
    struct sbx_buf filled = SBX_BUF_INIT;
    if (strncmp(want, "$any:", 5) == 0) {
        match_any(m, want + 5, got, at);
        return;
    }
    if (b && b->number) {
        same_text(got, b->value, at);
        return;
    }
    if (sbx_json_type(got) != SBX_JSON_STRING) T_FAIL("%s: expected a string", at);
    const char *text = sbx_json_as_string(m->js, got);
    if (*want == '$' && !b) fixture_bind(m->names, want, text, 0);
    fixture_fill(m->names, want, &filled);
    t_str(text, sbx_buf_text(&filled), at, __FILE__, __LINE__);
    sbx_buf_finish(&filled);
}

static void match(const struct matching *m, const struct sbx_json_node *want, const struct sbx_json_node *got,
                  const char *at);

static void match_object(const struct matching *m, const struct sbx_json_node *want, const struct sbx_json_node *got,
                         const char *at) {
    char below[256];
    for (const struct sbx_json_node *it = sbx_json_first(want); it; it = sbx_json_next(it)) {
        const struct sbx_json_node *member = sbx_json_member(got, sbx_json_key(it));
        snprintf(below, sizeof(below), "%.160s.%.80s", at, sbx_json_key(it));
        if (!member) T_FAIL("%s: missing", below);
        match(m, it, member, below);
    }
    for (const struct sbx_json_node *it = sbx_json_first(got); it; it = sbx_json_next(it))
        if (!sbx_json_member(want, sbx_json_key(it))) T_FAIL("%s.%s: no fixture knows it", at, sbx_json_key(it));
}

static void match_array(const struct matching *m, const struct sbx_json_node *want, const struct sbx_json_node *got,
                        const char *at) {
    char below[256];
    int i = 0;
    const struct sbx_json_node *b = sbx_json_first(got);
    if (sbx_json_count(want) != sbx_json_count(got)) T_FAIL("%s: %zu items", at, sbx_json_count(got));
    for (const struct sbx_json_node *it = sbx_json_first(want); it; it = sbx_json_next(it), b = sbx_json_next(b)) {
        snprintf(below, sizeof(below), "%.160s[%d]", at, i++);
        match(m, it, b, below);
    }
}

static void match(const struct matching *m, const struct sbx_json_node *want, const struct sbx_json_node *got,
                  const char *at) {
    struct sbx_buf value = SBX_BUF_INIT;
    if (sbx_json_type(want) == SBX_JSON_STRING) {
        match_text(m, sbx_json_as_string(m->want_js, want), got, at);
        return;
    }
    if (sbx_json_type(want) != sbx_json_type(got)) T_FAIL("%s: of another type", at);
    if (sbx_json_type(want) == SBX_JSON_OBJECT) {
        match_object(m, want, got, at);
    } else if (sbx_json_type(want) == SBX_JSON_ARRAY) {
        match_array(m, want, got, at);
    } else {
        sbx_json_write_node(&value, want);
        same_text(got, sbx_buf_text(&value), at);
        sbx_buf_finish(&value);
    }
}

void fixture_match(struct fixture_names *names, struct sbx_json *want_js, const struct sbx_json_node *want,
                   struct sbx_json *js, const struct sbx_json_node *got) {
    const struct matching m = {names, want_js, js};
    match(&m, want, got, "$");
}
