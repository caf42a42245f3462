/* awk's record and its fields: split when a field is asked for, joined again when the record is. */
#include "sim/machine/awk/awk.h"
#include <ctype.h>
#include <string.h>

#define RECORD_FIELDS_MAX 1000000

void sim_awk_split_regex(const struct awk_regex *regex, const char *text, size_t len, awk_field_fn *each, void *ctx) {
    size_t from = 0, look = 0;
    regmatch_t m;
    while (look < len && sim_awk_regex_find(regex, text, len, look, &m)) {
        if (m.rm_eo == m.rm_so) { /* nothing separates nothing */
            look = (size_t)m.rm_eo + 1;
            continue;
        }
        each(ctx, text + from, (size_t)m.rm_so - from);
        from = look = (size_t)m.rm_eo;
    }
    each(ctx, text + from, len - from);
}

static void split_blanks(const char *text, size_t len, awk_field_fn *each, void *ctx) {
    for (size_t i = 0; i < len;) {
        while (i < len && isspace((unsigned char)text[i])) i++;
        size_t from = i;
        while (i < len && !isspace((unsigned char)text[i])) i++;
        if (i > from) each(ctx, text + from, i - from);
    }
}

void sim_awk_split(struct awk *a, const char *text, size_t len, const char *separator, size_t separator_len,
                   int lines_too, awk_field_fn *each, void *ctx) {
    if (!len) return;
    if (separator_len == 1 && *separator == ' ') {
        split_blanks(text, len, each, ctx);
    } else if (separator_len == 0) {
        for (size_t i = 0; i < len; i++) each(ctx, text + i, 1);
    } else if (separator_len == 1 && *separator != '\\') {
        size_t from = 0;
        for (size_t i = 0; i < len; i++) {
            if (text[i] != *separator && !(lines_too && text[i] == '\n')) continue;
            each(ctx, text + from, i - from);
            from = i + 1;
        }
        each(ctx, text + from, len - from);
    } else {
        struct sim_mark mark = sim_mark(a->p);
        struct sim_text re = {.p = a->p};
        if (lines_too) sim_text_str(&re, "(");
        sim_text_add(&re, separator, separator_len);
        if (lines_too) sim_text_str(&re, ")|\n");
        const struct awk_regex *regex = sim_awk_regex_of(a, sim_text_get(&re), re.len);
        sim_awk_split_regex(regex, text, len, each, ctx);
        sim_release(a->p, mark);
    }
}

static void record_room(struct awk *a, size_t n) {
    if (n < a->field_cap) return;
    size_t cap = a->field_cap ? a->field_cap * 2 : 32;
    while (cap <= n) cap *= 2;
    struct awk_value *fields = sim_keep(a->p, cap * sizeof *fields);
    memset(fields, 0, cap * sizeof *fields);
    if (a->field_cap) memcpy(fields, a->fields, a->field_cap * sizeof *fields);
    sim_drop(a->p, a->fields);
    a->fields = fields;
    a->field_cap = cap;
}

static void record_add(void *ctx, const char *text, size_t len) {
    struct awk *a = ctx;
    record_room(a, ++a->field_count);
    sim_awk_set_text(a, &a->fields[a->field_count], text, len, AWK_INPUT);
}

static void record_count(struct awk *a) {
    sim_awk_set_global(a, AWK_V_NF, (double)a->field_count);
}

void sim_awk_record_fields(struct awk *a) {
    if (a->split) return;
    struct awk_string *fs = sim_awk_text(a, &a->globals[AWK_V_FS].value, AWK_V_CONVFMT);
    struct awk_string *rs = sim_awk_text(a, &a->globals[AWK_V_RS].value, AWK_V_CONVFMT);
    a->split = 1;
    a->field_count = 0;
    sim_awk_split(a, a->record.string->text, a->record.string->len, fs->text, fs->len, rs->len == 0, record_add, a);
    sim_awk_string_drop(a, fs);
    sim_awk_string_drop(a, rs);
    record_count(a);
}

void sim_awk_record_set(struct awk *a, const char *text, size_t len) {
    sim_awk_set_text(a, &a->record, text, len, AWK_INPUT);
    a->split = 0;
    a->joined = 1;
}

void sim_awk_record_join(struct awk *a) {
    if (a->joined) return;
    struct sim_mark mark = sim_mark(a->p);
    struct sim_text text = {.p = a->p};
    struct awk_string *ofs = sim_awk_text(a, &a->globals[AWK_V_OFS].value, AWK_V_CONVFMT);
    for (size_t i = 1; i <= a->field_count; i++) {
        struct awk_string *field = sim_awk_text(a, &a->fields[i], AWK_V_CONVFMT);
        if (i > 1) sim_text_add(&text, ofs->text, ofs->len);
        sim_text_add(&text, field->text, field->len);
        sim_awk_string_drop(a, field);
    }
    sim_awk_string_drop(a, ofs);
    sim_awk_set_text(a, &a->record, sim_text_get(&text), text.len, AWK_INPUT);
    sim_release(a->p, mark);
    a->joined = 1;
}

static size_t record_number(struct awk *a, double number) {
    if (!(number >= 0)) sim_awk_fail(a, "negative field index $%.6g", number);
    if (number > RECORD_FIELDS_MAX) sim_awk_fail(a, "field index $%.6g is too large", number);
    return (size_t)number;
}

const struct awk_value *sim_awk_field(struct awk *a, double number) {
    static const struct awk_value unset;
    size_t i = record_number(a, number);
    if (i == 0) {
        sim_awk_record_join(a);
        return &a->record;
    }
    sim_awk_record_fields(a);
    return i <= a->field_count ? &a->fields[i] : &unset;
}

static void record_resize(struct awk *a, size_t n) {
    record_room(a, n);
    for (size_t i = a->field_count + 1; i <= n; i++) sim_awk_set_text(a, &a->fields[i], "", 0, 0);
    a->field_count = n;
    a->joined = 0;
}

void sim_awk_field_set(struct awk *a, double number, const struct awk_value *value) {
    size_t i = record_number(a, number);
    if (i == 0) {
        struct awk_string *text = sim_awk_text(a, value, AWK_V_CONVFMT);
        sim_awk_record_set(a, text->text, text->len);
        sim_awk_string_drop(a, text);
        return;
    }
    sim_awk_record_fields(a);
    if (i > a->field_count) record_resize(a, i);
    sim_awk_copy(a, &a->fields[i], value);
    a->joined = 0;
    record_count(a);
}

void sim_awk_field_count_set(struct awk *a) {
    struct awk_value wanted = {0};
    sim_awk_copy(a, &wanted, &a->globals[AWK_V_NF].value);
    size_t n = record_number(a, sim_awk_number(&wanted));
    sim_awk_record_fields(a);
    record_resize(a, n);
    record_count(a);
    sim_awk_drop(a, &wanted);
}
