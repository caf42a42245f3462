/* awk's sub and gsub, and where a regular expression is an argument. */
#include "sim/machine/awk/awk.h"
#include <string.h>

struct awk_regex *sim_awk_regex_eval(struct awk *a, const struct awk_node *n) {
    while (n->op == AWK_GROUP && n->number == 1) n = n->a;
    if (n->op == AWK_REGEX) return n->regex;
    struct awk_string *text = sim_awk_eval_text(a, n);
    struct awk_regex *regex = sim_awk_regex_of(a, text->text, text->len);
    sim_awk_string_drop(a, text);
    return regex;
}

/* & is what matched; a backslash takes its meaning from it, and from a backslash before it. */
static void replace_with(struct sim_text *out, const struct awk_string *with, const char *hit, size_t len) {
    for (size_t i = 0; i < with->len; i++) {
        char c = with->text[i];
        if (c == '\\' && (with->text[i + 1] == '&' || with->text[i + 1] == '\\'))
            sim_text_char(out, with->text[++i]);
        else if (c == '&')
            sim_text_add(out, hit, len);
        else
            sim_text_char(out, c);
    }
}

static int64_t replace_text(const struct awk_regex *regex, const struct awk_string *with, const struct awk_string *in,
                            int all, struct sim_text *out) {
    int64_t count = 0;
    size_t from = 0, copied = 0;
    regmatch_t m;
    int after_hit = 0; /* an empty match right behind another is none */
    while (from <= in->len && sim_awk_regex_find(regex, in->text, in->len, from, &m)) {
        size_t so = (size_t)m.rm_so, eo = (size_t)m.rm_eo;
        if (eo == so && after_hit && so == copied) {
            from = so + 1;
            after_hit = 0;
            continue;
        }
        sim_text_add(out, in->text + copied, so - copied);
        replace_with(out, with, in->text + so, eo - so);
        count++;
        copied = eo;
        from = eo > so ? eo : eo + 1;
        after_hit = eo > so;
        if (!all) break;
    }
    sim_text_add(out, in->text + copied, in->len - copied);
    return count;
}

int64_t sim_awk_replace(struct awk *a, const struct awk_node *n) {
    static struct awk_node zero = {.op = AWK_CONSTANT, .value = {.has = AWK_NUMBER}};
    static const struct awk_node record = {.op = AWK_FIELD, .a = &zero};
    const struct awk_node *target = n->a->next->next ? n->a->next->next : &record;
    struct sim_mark mark = sim_mark(a->p);
    struct sim_text out = {.p = a->p};
    struct awk_string *with = sim_awk_eval_text(a, n->a->next);
    struct awk_string *in = sim_awk_eval_text(a, target);
    const struct awk_regex *regex = sim_awk_regex_eval(a, n->a);
    int64_t count = replace_text(regex, with, in, n->number == AWK_GSUB, &out);
    sim_awk_string_drop(a, with);
    sim_awk_string_drop(a, in);
    while (target->op == AWK_GROUP && target->number == 1) target = target->a;
    int stores =
        target->op == AWK_GLOBAL || target->op == AWK_LOCAL || target->op == AWK_INDEX || target->op == AWK_FIELD;
    if (count && stores) {
        struct awk_value value = {0};
        sim_awk_set_text(a, &value, sim_text_get(&out), out.len, 0);
        sim_awk_store(a, target, &value);
        sim_awk_drop(a, &value);
    }
    sim_release(a->p, mark);
    return count;
}
