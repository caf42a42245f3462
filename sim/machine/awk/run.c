/* awk's statements, function calls and rules at work. */
#include "sim/machine/awk/awk.h"
#include <math.h>
#include <string.h>

#define RUN_LEVELS    30    /* of statements on one stack */
#define RUN_CALLS_MAX 10000 /* of functions in one another */

static enum awk_flow run_statement(struct awk *a, const struct awk_node *n);

static enum awk_flow run_list(struct awk *a, const struct awk_node *n) {
    enum awk_flow flow = AWK_GO_ON;
    for (; n && flow == AWK_GO_ON; n = n->next) flow = run_statement(a, n);
    return flow;
}

/* ---- output ---- */

static void run_write(struct awk *a, const struct awk_node *n, const char *text, size_t len) {
    if (n->number == AWK_MAIN) {
        sim_out(a->p, text, len);
        return;
    }
    struct awk_string *name = sim_awk_eval_text(a, n->b);
    struct awk_stream *stream = sim_awk_stream_out(a, (enum awk_way)n->number, name);
    sim_awk_string_drop(a, name);
    sim_awk_stream_write(a, stream, text, len);
}

static void run_print(struct awk *a, const struct awk_node *n) {
    struct sim_mark mark = sim_mark(a->p);
    struct sim_text text = {.p = a->p};
    struct awk_string *s;
    if (!n || !n->a) {
        sim_awk_record_join(a);
        sim_text_add(&text, a->record.string->text, a->record.string->len);
    }
    for (const struct awk_node *arg = n ? n->a : NULL; arg; arg = arg->next) {
        struct awk_value v = {0};
        sim_awk_eval(a, arg, &v);
        s = sim_awk_text(a, &v, AWK_V_OFMT);
        sim_text_add(&text, s->text, s->len);
        sim_awk_string_drop(a, s);
        sim_awk_drop(a, &v);
        if (!arg->next) break;
        s = sim_awk_text(a, &a->globals[AWK_V_OFS].value, AWK_V_CONVFMT);
        sim_text_add(&text, s->text, s->len);
        sim_awk_string_drop(a, s);
    }
    s = sim_awk_text(a, &a->globals[AWK_V_ORS].value, AWK_V_CONVFMT);
    sim_text_add(&text, s->text, s->len);
    sim_awk_string_drop(a, s);
    if (n)
        run_write(a, n, sim_text_get(&text), text.len);
    else
        sim_out(a->p, sim_text_get(&text), text.len);
    sim_release(a->p, mark);
}

static void run_printf(struct awk *a, const struct awk_node *n) {
    struct awk_node call = {.op = AWK_BUILTIN, .number = AWK_SPRINTF, .a = n->a};
    struct awk_value text = {0};
    sim_awk_builtin(a, &call, &text);
    run_write(a, n, text.string->text, text.string->len);
    sim_awk_drop(a, &text);
}

/* ---- loops ---- */

/* @return whether the loop ends, with *flow for what is around it */
static int run_loop_ends(struct awk *a, const struct awk_node *body, enum awk_flow *flow) {
    *flow = run_statement(a, body);
    if (*flow == AWK_DO_CONTINUE) *flow = AWK_GO_ON;
    if (*flow == AWK_GO_ON) return 0;
    if (*flow == AWK_DO_BREAK) *flow = AWK_GO_ON;
    return 1;
}

static enum awk_flow run_for(struct awk *a, const struct awk_node *n) {
    enum awk_flow flow = AWK_GO_ON;
    if (n->a) run_statement(a, n->a);
    while (!n->b || sim_awk_eval_truth(a, n->b)) {
        if (run_loop_ends(a, n->d, &flow)) break;
        if (n->c) run_statement(a, n->c);
    }
    return flow;
}

/* Over the keys that there are at its start. */
static enum awk_flow run_for_in(struct awk *a, const struct awk_node *n) {
    struct awk_array *array = sim_awk_slot_array(a, sim_awk_slot_of(a, n->b));
    size_t count = array->count, i = 0;
    enum awk_flow flow = AWK_GO_ON;
    struct awk_string **keys = sim_keep(a->p, (count + 1) * sizeof *keys);
    for (const struct awk_entry *e = array->first; e; e = e->next) keys[i++] = sim_awk_string_new(a, e->key, e->len);
    int ended = 0;
    for (i = 0; i < count; i++) {
        if (!ended && sim_awk_array_find(array, keys[i]->text, keys[i]->len)) {
            struct awk_value key = {.string = sim_awk_string_hold(keys[i]), .has = AWK_STRING | AWK_INPUT};
            sim_awk_store(a, n->a, &key);
            sim_awk_drop(a, &key);
            ended = run_loop_ends(a, n->c, &flow);
        }
        sim_awk_string_drop(a, keys[i]);
    }
    sim_drop(a->p, keys);
    return flow;
}

static enum awk_flow run_while(struct awk *a, const struct awk_node *n) {
    enum awk_flow flow = AWK_GO_ON;
    if (n->op == AWK_DO && run_loop_ends(a, n->b, &flow)) return flow;
    while (sim_awk_eval_truth(a, n->a))
        if (run_loop_ends(a, n->b, &flow)) break;
    return flow;
}

/* ---- statements ---- */

static void run_delete(struct awk *a, const struct awk_node *target) {
    if (target->op != AWK_INDEX) {
        sim_awk_array_clear(a, sim_awk_slot_array(a, sim_awk_slot_of(a, target)));
        return;
    }
    struct awk_string *key = sim_awk_key(a, target->b);
    sim_awk_array_remove(a, sim_awk_slot_array(a, sim_awk_slot_of(a, target->a)), key->text, key->len);
    sim_awk_string_drop(a, key);
}

static enum awk_flow run_here(struct awk *a, const struct awk_node *n) {
    struct awk_value v = {0};
    switch ((int)n->op) {
    case AWK_EXPRESSION:
        sim_awk_eval(a, n->a, &v);
        sim_awk_drop(a, &v);
        return AWK_GO_ON;
    case AWK_BLOCK:
        return run_list(a, n->a);
    case AWK_IF:
        if (sim_awk_eval_truth(a, n->a)) return run_statement(a, n->b);
        return n->c ? run_statement(a, n->c) : AWK_GO_ON;
    case AWK_WHILE:
    case AWK_DO:
        return run_while(a, n);
    case AWK_FOR:
        return run_for(a, n);
    case AWK_FOR_IN:
        return run_for_in(a, n);
    case AWK_BREAK:
        return AWK_DO_BREAK;
    case AWK_CONTINUE:
        return AWK_DO_CONTINUE;
    case AWK_NEXT:
        return AWK_DO_NEXT;
    case AWK_NEXT_FILE:
        return AWK_DO_NEXT_FILE;
    case AWK_EXIT:
        if (n->a) a->exit_code = (int)fmod(sim_awk_eval_number(a, n->a), 256);
        return AWK_DO_EXIT;
    case AWK_RETURN:
        if (n->a) sim_awk_eval(a, n->a, &v);
        sim_awk_drop(a, &a->result);
        a->result = v;
        return AWK_DO_RETURN;
    case AWK_DELETE:
        run_delete(a, n->a);
        return AWK_GO_ON;
    case AWK_PRINT:
        run_print(a, n);
        return AWK_GO_ON;
    default:
        run_printf(a, n);
        return AWK_GO_ON;
    }
}

struct run_deeper {
    struct awk *a;
    const struct awk_node *n;
};

static int run_deeper_main(struct sim_proc *p, void *arg) {
    const struct run_deeper *d = arg;
    (void)p;
    return (int)run_here(d->a, d->n);
}

static enum awk_flow run_statement(struct awk *a, const struct awk_node *n) {
    enum awk_flow flow;
    sim_proc_step(a->p);
    if (++a->p->depth > RUN_LEVELS) {
        struct run_deeper d = {a, n};
        int levels = a->levels;
        a->levels = 0;
        flow = (enum awk_flow)sim_proc_deeper(a->p, run_deeper_main, &d);
        a->levels = levels;
    } else {
        flow = run_here(a, n);
    }
    a->p->depth--;
    return flow;
}

/* ---- functions ---- */

void sim_awk_call(struct awk *a, const struct awk_node *n, struct awk_value *out) {
    const struct awk_function *f = &a->functions[n->number];
    if (++a->calls > RUN_CALLS_MAX) sim_awk_fail(a, "function %s calls itself too deep", f->name.s);
    struct awk_slot *frame = sim_keep(a->p, ((size_t)f->parameter_count + 1) * sizeof *frame), *outer = a->locals;
    memset(frame, 0, ((size_t)f->parameter_count + 1) * sizeof *frame);
    int i = 0;
    for (const struct awk_node *arg = n->a; arg; arg = arg->next, i++) {
        if (i == f->parameter_count) sim_awk_fail(a, "too many arguments in a call of %s", f->name.s);
        struct awk_slot *slot = arg->op == AWK_GLOBAL || arg->op == AWK_LOCAL ? sim_awk_slot_of(a, arg) : NULL;
        if (slot && slot->array) {
            frame[i].array = slot->array;
            frame[i].borrowed = 1;
        } else {
            sim_awk_eval(a, arg, &frame[i].value);
            if (slot && !slot->value.has) frame[i].origin = slot;
        }
    }
    a->locals = frame;
    run_statement(a, f->body);
    a->locals = outer;
    for (i = 0; i < f->parameter_count; i++) sim_awk_slot_finish(a, &frame[i]);
    sim_drop(a->p, frame);
    a->calls--;
    sim_awk_drop(a, out);
    *out = a->result;
    a->result = (struct awk_value){0};
}

/* ---- rules ---- */

static int run_applies(struct awk *a, struct awk_rule *rule) {
    if (!rule->is_range) return !rule->from || sim_awk_eval_truth(a, rule->from);
    if (!rule->in_range && !sim_awk_eval_truth(a, rule->from)) return 0;
    rule->in_range = !sim_awk_eval_truth(a, rule->to);
    return 1;
}

static enum awk_flow run_rules(struct awk *a) {
    for (size_t i = 0; i < a->rule_count; i++) {
        if (!run_applies(a, &a->rules[i])) continue;
        if (!a->rules[i].body) {
            run_print(a, NULL);
            continue;
        }
        enum awk_flow flow = run_statement(a, a->rules[i].body);
        if (flow != AWK_GO_ON) return flow;
    }
    return AWK_GO_ON;
}

static enum awk_flow run_records(struct awk *a) {
    const char *text;
    size_t len;
    while (sim_awk_main_next(a, &text, &len)) {
        struct sim_mark mark = sim_mark(a->p);
        sim_awk_record_set(a, text, len);
        sim_awk_set_global(a, AWK_V_NR, (double)++a->nr);
        sim_awk_set_global(a, AWK_V_FNR, (double)++a->fnr);
        enum awk_flow flow = run_rules(a);
        sim_release(a->p, mark);
        if (a->p->out_error) return AWK_DO_EXIT;
        if (flow == AWK_DO_EXIT) return flow;
        if (flow == AWK_DO_NEXT_FILE) sim_awk_main_next_file(a);
    }
    return AWK_GO_ON;
}

int sim_awk_run(struct awk *a) {
    if (run_list(a, a->begin) != AWK_DO_EXIT && (a->rule_count || a->end)) (void)run_records(a);
    run_list(a, a->end);
    sim_awk_streams_finish(a);
    return a->exit_code & 255;
}
