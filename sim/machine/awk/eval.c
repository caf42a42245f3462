/* awk's expressions at work. */
#include "sim/machine/awk/awk.h"
#include <math.h>
#include <string.h>

#define EVAL_LEVELS 60 /* of evaluation on one stack */

struct awk_slot *sim_awk_slot_of(struct awk *a, const struct awk_node *n) {
    return n->op == AWK_LOCAL ? &a->locals[n->number] : &a->globals[n->number];
}

struct awk_string *sim_awk_eval_text(struct awk *a, const struct awk_node *n) {
    struct awk_value v = {0};
    sim_awk_eval(a, n, &v);
    struct awk_string *s = sim_awk_text(a, &v, AWK_V_CONVFMT);
    sim_awk_drop(a, &v);
    return s;
}

double sim_awk_eval_number(struct awk *a, const struct awk_node *n) {
    struct awk_value v = {0};
    sim_awk_eval(a, n, &v);
    double number = sim_awk_number(&v);
    sim_awk_drop(a, &v);
    return number;
}

int sim_awk_eval_truth(struct awk *a, const struct awk_node *n) {
    struct awk_value v = {0};
    sim_awk_eval(a, n, &v);
    int truth = sim_awk_truth(&v);
    sim_awk_drop(a, &v);
    return truth;
}

struct awk_string *sim_awk_key(struct awk *a, const struct awk_node *n) {
    if (n->op != AWK_GROUP) return sim_awk_eval_text(a, n);
    struct sim_mark mark = sim_mark(a->p);
    struct sim_text text = {.p = a->p};
    for (const struct awk_node *part = n->a; part; part = part->next) {
        struct awk_string *s = sim_awk_eval_text(a, part);
        sim_text_add(&text, s->text, s->len);
        sim_awk_string_drop(a, s);
        if (!part->next) break;
        s = sim_awk_text(a, &a->globals[AWK_V_SUBSEP].value, AWK_V_CONVFMT);
        sim_text_add(&text, s->text, s->len);
        sim_awk_string_drop(a, s);
    }
    struct awk_string *key = sim_awk_string_new(a, sim_text_get(&text), text.len);
    sim_release(a->p, mark);
    return key;
}

/* ---- targets of assignments ---- */

/* A target whose key or number has been evaluated, once. */
struct eval_place {
    const struct awk_node *n;
    struct awk_string *key;
    double field;
};

static struct eval_place eval_place(struct awk *a, const struct awk_node *n) {
    struct eval_place place = {.n = n};
    if (n->op == AWK_INDEX) place.key = sim_awk_key(a, n->b);
    if (n->op == AWK_FIELD) place.field = sim_awk_eval_number(a, n->a);
    return place;
}

static struct awk_value *eval_element(struct awk *a, const struct awk_node *n, const struct awk_string *key) {
    return sim_awk_array_at(a, sim_awk_slot_array(a, sim_awk_slot_of(a, n->a)), key->text, key->len);
}

static void eval_slot_check(struct awk *a, const struct awk_slot *slot) {
    if (slot->array) sim_awk_fail(a, "an array is used as a variable that has a value");
}

static void eval_load(struct awk *a, const struct eval_place *place, struct awk_value *out) {
    struct awk_slot *slot;
    switch ((int)place->n->op) {
    case AWK_INDEX:
        sim_awk_copy(a, out, eval_element(a, place->n, place->key));
        break;
    case AWK_FIELD:
        sim_awk_copy(a, out, sim_awk_field(a, place->field));
        break;
    default:
        slot = sim_awk_slot_of(a, place->n);
        eval_slot_check(a, slot);
        if (place->n->op == AWK_GLOBAL && place->n->number == AWK_V_NF) sim_awk_record_fields(a);
        sim_awk_copy(a, out, &slot->value);
        break;
    }
}

static void eval_save(struct awk *a, const struct eval_place *place, const struct awk_value *value) {
    struct awk_slot *slot;
    switch ((int)place->n->op) {
    case AWK_INDEX:
        sim_awk_copy(a, eval_element(a, place->n, place->key), value);
        break;
    case AWK_FIELD:
        sim_awk_field_set(a, place->field, value);
        break;
    default:
        slot = sim_awk_slot_of(a, place->n);
        eval_slot_check(a, slot);
        if (place->n->op == AWK_GLOBAL && place->n->number == AWK_V_NF) sim_awk_record_fields(a);
        sim_awk_copy(a, &slot->value, value);
        if (place->n->op != AWK_GLOBAL) break;
        if (place->n->number == AWK_V_NF) sim_awk_field_count_set(a);
        if (place->n->number == AWK_V_NR) a->nr = (int64_t)sim_awk_number(&slot->value);
        if (place->n->number == AWK_V_FNR) a->fnr = (int64_t)sim_awk_number(&slot->value);
        break;
    }
}

void sim_awk_store(struct awk *a, const struct awk_node *target, const struct awk_value *value) {
    struct eval_place place = eval_place(a, target);
    eval_save(a, &place, value);
    sim_awk_string_drop(a, place.key);
}

double sim_awk_calculate(struct awk *a, enum awk_op op, double x, double y) {
    (void)a;
    switch ((int)op) {
    case AWK_ADD:
        return x + y;
    case AWK_SUBTRACT:
        return x - y;
    case AWK_MULTIPLY:
        return x * y;
    case AWK_DIVIDE:
        return x / y;
    case AWK_MODULO:
        return fmod(x, y);
    default:
        return pow(x, y);
    }
}

static void eval_assign(struct awk *a, const struct awk_node *n, struct awk_value *out) {
    struct eval_place place = eval_place(a, n->a);
    struct awk_value value = {0};
    sim_awk_eval(a, n->b, &value);
    if (n->number != AWK_ASSIGN) {
        struct awk_value old = {0};
        eval_load(a, &place, &old);
        sim_awk_set_number(a, &value,
                           sim_awk_calculate(a, (enum awk_op)n->number, sim_awk_number(&old), sim_awk_number(&value)));
        sim_awk_drop(a, &old);
    }
    eval_save(a, &place, &value);
    sim_awk_string_drop(a, place.key);
    sim_awk_drop(a, out);
    *out = value;
}

static void eval_step(struct awk *a, const struct awk_node *n, struct awk_value *out) {
    struct eval_place place = eval_place(a, n->a);
    struct awk_value value = {0};
    eval_load(a, &place, &value);
    double old = sim_awk_number(&value);
    sim_awk_set_number(a, &value, old + n->number);
    eval_save(a, &place, &value);
    sim_awk_string_drop(a, place.key);
    sim_awk_drop(a, &value);
    sim_awk_set_number(a, out, n->op == AWK_AFTER ? old : old + n->number);
}

/* ---- operators ---- */

static int eval_match_text(struct awk *a, const struct awk_node *regex, const struct awk_string *text) {
    regmatch_t m;
    return sim_awk_regex_find(sim_awk_regex_eval(a, regex), text->text, text->len, 0, &m);
}

static int eval_match(struct awk *a, const struct awk_node *n) {
    struct awk_string *text = sim_awk_eval_text(a, n->a);
    int hit = eval_match_text(a, n->b, text);
    sim_awk_string_drop(a, text);
    return hit != n->negate;
}

static int eval_in(struct awk *a, const struct awk_node *n) {
    struct awk_string *key = sim_awk_key(a, n->a);
    int hit = sim_awk_array_find(sim_awk_slot_array(a, sim_awk_slot_of(a, n->b)), key->text, key->len) != NULL;
    sim_awk_string_drop(a, key);
    return hit;
}

static int eval_compare(struct awk *a, const struct awk_node *n) {
    struct awk_value x = {0}, y = {0};
    sim_awk_eval(a, n->a, &x);
    sim_awk_eval(a, n->b, &y);
    int order = sim_awk_compare(a, &x, &y);
    sim_awk_drop(a, &x);
    sim_awk_drop(a, &y);
    switch ((int)n->op) {
    case AWK_LESS:
        return order < 0;
    case AWK_LESS_EQUAL:
        return order <= 0;
    case AWK_EQUAL:
        return order == 0;
    case AWK_NOT_EQUAL:
        return order != 0;
    case AWK_GREATER:
        return order > 0;
    default:
        return order >= 0;
    }
}

static void eval_concat(struct awk *a, const struct awk_node *n, struct awk_value *out) {
    struct awk_string *x = sim_awk_eval_text(a, n->a), *y = sim_awk_eval_text(a, n->b);
    struct awk_string *both = sim_keep(a->p, sizeof *both + x->len + y->len + 1);
    both->refs = 1;
    both->len = x->len + y->len;
    memcpy(both->text, x->text, x->len);
    memcpy(both->text + x->len, y->text, y->len + 1);
    sim_awk_string_drop(a, x);
    sim_awk_string_drop(a, y);
    sim_awk_drop(a, out);
    *out = (struct awk_value){.string = both, .has = AWK_STRING};
}

/* ---- getline ---- */

static void eval_got(struct awk *a, const struct awk_node *n, const char *text, size_t len) {
    if (!n->b) {
        sim_awk_record_set(a, text, len);
        return;
    }
    struct awk_value value = {0};
    sim_awk_set_text(a, &value, text, len, AWK_INPUT);
    sim_awk_store(a, n->b, &value);
    sim_awk_drop(a, &value);
}

static int eval_getline(struct awk *a, const struct awk_node *n) {
    const char *text;
    size_t len;
    int got;
    if (n->number == AWK_MAIN) {
        got = sim_awk_main_next(a, &text, &len);
    } else {
        struct awk_string *name = sim_awk_eval_text(a, n->a);
        struct awk_stream *stream = sim_awk_stream_in(a, (enum awk_way)n->number, name);
        sim_awk_string_drop(a, name);
        got = stream ? sim_awk_input_next(a, &stream->in, &text, &len) : -1;
    }
    if (got <= 0) return got;
    eval_got(a, n, text, len);
    if (n->number != AWK_FILE) sim_awk_set_global(a, AWK_V_NR, (double)++a->nr);
    if (n->number == AWK_MAIN) sim_awk_set_global(a, AWK_V_FNR, (double)++a->fnr);
    return got;
}

/* ---- everything ---- */

static void eval_here(struct awk *a, const struct awk_node *n, struct awk_value *out) {
    struct eval_place place;
    double x;
    switch ((int)n->op) {
    case AWK_CONSTANT:
        sim_awk_copy(a, out, &n->value);
        return;
    case AWK_GLOBAL:
    case AWK_LOCAL:
    case AWK_INDEX:
    case AWK_FIELD:
        place = eval_place(a, n);
        eval_load(a, &place, out);
        sim_awk_string_drop(a, place.key);
        return;
    case AWK_GROUP:
        sim_awk_eval(a, n->a, out);
        return;
    case AWK_ASSIGN:
        eval_assign(a, n, out);
        return;
    case AWK_BEFORE:
    case AWK_AFTER:
        eval_step(a, n, out);
        return;
    case AWK_CONDITION:
        sim_awk_eval(a, sim_awk_eval_truth(a, n->a) ? n->b : n->c, out);
        return;
    case AWK_CONCAT:
        eval_concat(a, n, out);
        return;
    case AWK_CALL:
        sim_awk_call(a, n, out);
        return;
    case AWK_BUILTIN:
        sim_awk_builtin(a, n, out);
        return;
    case AWK_OR:
        x = sim_awk_eval_truth(a, n->a) || sim_awk_eval_truth(a, n->b);
        break;
    case AWK_AND:
        x = sim_awk_eval_truth(a, n->a) && sim_awk_eval_truth(a, n->b);
        break;
    case AWK_NOT:
        x = !sim_awk_eval_truth(a, n->a);
        break;
    case AWK_IN:
        x = eval_in(a, n);
        break;
    case AWK_REGEX:
        sim_awk_record_join(a);
        x = eval_match_text(a, n, a->record.string);
        break;
    case AWK_MATCH:
        x = eval_match(a, n);
        break;
    case AWK_LESS:
    case AWK_LESS_EQUAL:
    case AWK_EQUAL:
    case AWK_NOT_EQUAL:
    case AWK_GREATER:
    case AWK_GREATER_EQUAL:
        x = eval_compare(a, n);
        break;
    case AWK_NEGATE:
        x = -sim_awk_eval_number(a, n->a);
        break;
    case AWK_PLUS:
        x = sim_awk_eval_number(a, n->a);
        break;
    case AWK_GETLINE:
        x = eval_getline(a, n);
        break;
    default:
        x = sim_awk_eval_number(a, n->a);
        x = sim_awk_calculate(a, n->op, x, sim_awk_eval_number(a, n->b));
        break;
    }
    sim_awk_set_number(a, out, x);
}

struct eval_deeper {
    struct awk *a;
    const struct awk_node *n;
    struct awk_value *out;
};

static int eval_deeper_main(struct sim_proc *p, void *arg) {
    const struct eval_deeper *d = arg;
    (void)p;
    eval_here(d->a, d->n, d->out);
    return 0;
}

void sim_awk_eval(struct awk *a, const struct awk_node *n, struct awk_value *out) {
    if (++a->levels > EVAL_LEVELS) {
        struct eval_deeper d = {a, n, out};
        int levels = a->levels;
        a->levels = 0;
        sim_proc_deeper(a->p, eval_deeper_main, &d);
        a->levels = levels;
    } else {
        eval_here(a, n, out);
    }
    a->levels--;
}
