/* awk's own functions. */
#include "sim/machine/awk/awk.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Characters m to m+n-1 of those that there are, by numbers that need not be whole. */
static void function_substr(struct awk *a, const struct awk_node *n, struct awk_value *out) {
    struct awk_string *s = sim_awk_eval_text(a, n->a);
    double from = sim_awk_eval_number(a, n->a->next), end = (double)s->len + 1;
    double first = rint(from);
    if (n->a->next->next) {
        double len = sim_awk_eval_number(a, n->a->next->next);
        double last = rint(from) + rint(len);
        if (isnan(last) || last < end) end = last;
    }
    if (!(first >= 1)) first = 1;
    if (first < end)
        sim_awk_set_text(a, out, s->text + (size_t)first - 1, (size_t)(end - first), 0);
    else
        sim_awk_set_text(a, out, "", 0, 0);
    sim_awk_string_drop(a, s);
}

static size_t function_index(struct awk *a, const struct awk_node *n) {
    struct awk_string *s = sim_awk_eval_text(a, n->a), *t = sim_awk_eval_text(a, n->a->next);
    const char *hit = memmem(s->text, s->len, t->text, t->len);
    size_t at = hit && t->len ? (size_t)(hit - s->text) + 1 : 0;
    sim_awk_string_drop(a, s);
    sim_awk_string_drop(a, t);
    return at;
}

static double function_match(struct awk *a, const struct awk_node *n) {
    struct awk_string *s = sim_awk_eval_text(a, n->a);
    regmatch_t m;
    int hit = sim_awk_regex_find(sim_awk_regex_eval(a, n->a->next), s->text, s->len, 0, &m);
    sim_awk_string_drop(a, s);
    double at = hit ? (double)m.rm_so + 1 : 0;
    sim_awk_set_global(a, AWK_V_RSTART, at);
    sim_awk_set_global(a, AWK_V_RLENGTH, hit ? (double)(m.rm_eo - m.rm_so) : -1);
    return at;
}

struct function_split {
    struct awk *a;
    struct awk_array *array;
    int64_t n;
};

static void function_split_one(void *ctx, const char *text, size_t len) {
    struct function_split *split = ctx;
    char key[24];
    int n = snprintf(key, sizeof key, "%lld", (long long)++split->n);
    sim_awk_set_text(split->a, sim_awk_array_at(split->a, split->array, key, (size_t)n), text, len, AWK_INPUT);
}

static double function_split(struct awk *a, const struct awk_node *n) {
    const struct awk_node *target = n->a->next, *by = target->next;
    if (target->op != AWK_GLOBAL && target->op != AWK_LOCAL) sim_awk_fail(a, "split into what is no array");
    struct awk_string *s = sim_awk_eval_text(a, n->a);
    const struct awk_regex *regex = by && by->op == AWK_REGEX ? by->regex : NULL;
    struct awk_string *fs = regex ? NULL
                            : by  ? sim_awk_eval_text(a, by)
                                  : sim_awk_text(a, &a->globals[AWK_V_FS].value, AWK_V_CONVFMT);
    struct function_split split = {.a = a, .array = sim_awk_slot_array(a, sim_awk_slot_of(a, target))};
    sim_awk_array_clear(a, split.array);
    if (!regex)
        sim_awk_split(a, s->text, s->len, fs->text, fs->len, 0, function_split_one, &split);
    else if (s->len)
        sim_awk_split_regex(regex, s->text, s->len, function_split_one, &split);
    sim_awk_string_drop(a, s);
    sim_awk_string_drop(a, fs);
    return (double)split.n;
}

static void function_sprintf(struct awk *a, const struct awk_node *n, struct awk_value *out) {
    struct sim_mark mark = sim_mark(a->p);
    struct sim_text text = {.p = a->p};
    size_t count = 0;
    for (const struct awk_node *arg = n->a->next; arg; arg = arg->next) count++;
    struct awk_value *args = sim_alloc_zero(a->p, (count + 1) * sizeof *args);
    struct awk_string *format = sim_awk_eval_text(a, n->a);
    size_t i = 0;
    for (const struct awk_node *arg = n->a->next; arg; arg = arg->next) sim_awk_eval(a, arg, &args[i++]);
    sim_awk_format(a, format, args, count, &text);
    for (i = 0; i < count; i++) sim_awk_drop(a, &args[i]);
    sim_awk_string_drop(a, format);
    sim_awk_set_text(a, out, sim_text_get(&text), text.len, 0);
    sim_release(a->p, mark);
}

static void function_case(struct awk *a, const struct awk_node *n, struct awk_value *out, int upper) {
    struct awk_string *s = sim_awk_eval_text(a, n->a);
    sim_awk_set_text(a, out, s->text, s->len, 0);
    for (size_t i = 0; i < s->len; i++) {
        unsigned char c = (unsigned char)s->text[i];
        if (c < 128) out->string->text[i] = (char)(upper ? toupper(c) : tolower(c));
    }
    sim_awk_string_drop(a, s);
}

static double function_length(struct awk *a, const struct awk_node *n) {
    if (!n->a) {
        sim_awk_record_join(a);
        return (double)a->record.string->len;
    }
    if (n->a->op == AWK_GLOBAL || n->a->op == AWK_LOCAL) {
        const struct awk_slot *slot = sim_awk_slot_of(a, n->a);
        while (!slot->array && slot->origin) slot = slot->origin;
        if (slot->array) return (double)slot->array->count;
    }
    struct awk_string *s = sim_awk_eval_text(a, n->a);
    double len = (double)s->len;
    sim_awk_string_drop(a, s);
    return len;
}

static double function_system(struct awk *a, const struct awk_node *n) {
    struct awk_string *command = sim_awk_eval_text(a, n->a);
    static char sh[] = "sh", c[] = "-c";
    char *argv[] = {sh, c, command->text, NULL};
    sim_awk_streams_flush(a);
    int status = sim_tool_run(a->p, argv);
    sim_awk_string_drop(a, command);
    return status;
}

static double function_close(struct awk *a, const struct awk_node *n) {
    struct awk_string *name = sim_awk_eval_text(a, n->a);
    int status = sim_awk_stream_close(a, name);
    sim_awk_string_drop(a, name);
    return status;
}

static double function_rand(struct awk *a) {
    a->random = a->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(a->random >> 11) / 9007199254740992.0;
}

static double function_srand(struct awk *a, const struct awk_node *n) {
    double before = a->seed;
    const int64_t now_s = sim_machine_wall_ns(a->p->m) / SIM_SEC;
    a->seed = n->a ? sim_awk_eval_number(a, n->a) : (double)now_s;
    uint64_t bits;
    memcpy(&bits, &a->seed, sizeof bits);
    a->random = bits * UINT64_C(0x9E3779B97F4A7C15) + 1;
    function_rand(a);
    return before;
}

void sim_awk_builtin(struct awk *a, const struct awk_node *n, struct awk_value *out) {
    double x = 0;
    switch ((enum awk_builtin)n->number) {
    case AWK_SUBSTR:
        function_substr(a, n, out);
        return;
    case AWK_SPRINTF:
        function_sprintf(a, n, out);
        return;
    case AWK_TOLOWER:
    case AWK_TOUPPER:
        function_case(a, n, out, n->number == AWK_TOUPPER);
        return;
    case AWK_SUB:
    case AWK_GSUB:
        x = (double)sim_awk_replace(a, n);
        break;
    case AWK_INDEX_OF:
        x = (double)function_index(a, n);
        break;
    case AWK_LENGTH:
        x = function_length(a, n);
        break;
    case AWK_MATCH_FUNCTION:
        x = function_match(a, n);
        break;
    case AWK_SPLIT:
        x = function_split(a, n);
        break;
    case AWK_SYSTEM:
        x = function_system(a, n);
        break;
    case AWK_CLOSE:
        x = function_close(a, n);
        break;
    case AWK_FFLUSH:
        if (n->a) x = sim_awk_eval_number(a, n->a) * 0;
        sim_awk_streams_flush(a);
        break;
    case AWK_RAND:
        x = function_rand(a);
        break;
    case AWK_SRAND:
        x = function_srand(a, n);
        break;
    case AWK_INT:
        x = trunc(sim_awk_eval_number(a, n->a));
        break;
    case AWK_SQRT:
        x = sqrt(sim_awk_eval_number(a, n->a));
        break;
    case AWK_EXP:
        x = exp(sim_awk_eval_number(a, n->a));
        break;
    case AWK_LOG:
        x = log(sim_awk_eval_number(a, n->a));
        break;
    case AWK_SIN:
        x = sin(sim_awk_eval_number(a, n->a));
        break;
    case AWK_COS:
        x = cos(sim_awk_eval_number(a, n->a));
        break;
    case AWK_ATAN2:
        x = sim_awk_eval_number(a, n->a);
        x = atan2(x, sim_awk_eval_number(a, n->a->next));
        break;
    }
    sim_awk_set_number(a, out, x);
}
