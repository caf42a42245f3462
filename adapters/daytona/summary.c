/* An organisation's room for people: limits as they keep them, and what is in use against them. Row R16. */
#include "adapters/daytona/verbs.h"

#include <sandport/daytona_capacity.h>
#include <sandport/kit/text.h>
#include <string.h>

#define SUMMARY_MS       10000
#define WARNING_PERCENT  80
#define CRITICAL_PERCENT 95
#define MIB_A_GIB        1024
#define AMOUNT_MAX       1e12

static const struct amount {
    const char *limit;  /* the member of a limits text */
    const char *member; /* of Daytona's sandbox */
    const char *total;  /* of the summary */
    int resource;       /* enum sbx_resource */
    int unit;
} amounts[] = {{"cpu", "cpu", "cpu", SBX_RESOURCE_CPU, 1},
               {"memory_gib", "memory", "memory_mib", SBX_RESOURCE_MEMORY, MIB_A_GIB},
               {"disk_gib", "disk", "disk_mib", SBX_RESOURCE_DISK, MIB_A_GIB}};
#define AMOUNTS (sizeof(amounts) / sizeof(amounts[0]))

static enum sbx_status wrong(struct sbx_error *err, const char *what, const char *expected) {
    (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s: expected %s", what, expected);
    return SBX_INVALID_ARGUMENT;
}

void sbx_daytona_summary_options_init(struct sbx_daytona_summary_options *opt, size_t size) {
    sbx_options_init(opt, size);
}

/* ---- limits ---- */

static void note_unread(void *ctx, const char *path) {
    char *first = ctx;
    if (!*first) sbx_copy(first, 64, path);
}

static double limit_read(struct sbx_json *js, const struct sbx_json_node *obj, const struct amount *amount) {
    if (!obj || !sbx_json_member(obj, amount->limit)) return 0;
    const double value = sbx_json_opt_number(js, obj, amount->limit, -1);
    if (!(value > 0 && value <= AMOUNT_MAX)) sbx_json_complain(js, obj, amount->limit, "a number above 0");
    return value * amount->unit;
}

static enum sbx_status limits_read(struct sbx_json *js, struct sbx_capacity_options *out, struct sbx_error *err) {
    const struct sbx_json_node *root = sbx_json_as_object(js, sbx_json_root(js));
    const struct sbx_json_node *demand = sbx_json_opt_object(js, root, "demand");
    char unread[64] = "";
    int limits = 0;
    for (size_t i = 0; i < AMOUNTS; i++) {
        struct sbx_bound *bound = &out->bound[amounts[i].resource];
        bound->limit = limit_read(js, root, &amounts[i]);
        bound->required = limit_read(js, demand, &amounts[i]);
        limits += bound->limit > 0;
        if (bound->required > 0 && !(bound->limit > 0))
            sbx_json_complain(js, demand, amounts[i].limit, "none without its limit");
    }
    sbx_json_unread(js, note_unread, unread);
    if (sbx_json_status(js)) {
        (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "limits: %s", sbx_json_error(js));
        return SBX_INVALID_ARGUMENT;
    }
    if (unread[0]) return wrong(err, unread, "cpu, memory_gib, disk_gib or demand");
    return limits ? SBX_OK : wrong(err, "limits", "one");
}

enum sbx_status sbx_daytona_limits_parse(const char *json, size_t len, struct sbx_capacity_options *out,
                                         struct sbx_error *err) {
    struct sbx_capacity_options limits = SBX_CAPACITY_OPTIONS_INIT;
    struct sbx_json *js = NULL;
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (!json || !out || out->size < sizeof(limits)) return wrong(err, json ? "out" : "json", "one");
    enum sbx_status st = sbx_json_parse(json, len, 0, &js);
    if (st == SBX_NO_MEMORY)
        st = sbx_fail(err, st, SBX_OUTCOME_NONE, NULL);
    else if (st)
        st = wrong(err, "limits", "a JSON object");
    else
        st = limits_read(js, &limits, err);
    sbx_json_free(js);
    if (!st) memcpy(out->bound, limits.bound, sizeof(limits.bound));
    return st;
}

/* ---- the sum ---- */

struct summary {
    struct sbx_daytona_summary_options opt;
    struct sbx_capacity_options limits;
    double used[AMOUNTS]; /* in MiB and cores */
    int64_t sandboxes, running, coerced, own;
    struct sbx_buf idle; /* objects of a JSON array */
};

/* For people a guess is better than nothing; it is counted. */
static double amount_guess(struct summary *s, const struct sbx_json_node *node, const char *member,
                           struct sbx_json *js) {
    const struct sbx_json_node *value = sbx_json_member(node, member);
    const enum sbx_json_type type = value ? sbx_json_type(value) : SBX_JSON_NULL;
    int64_t whole = 0;
    double amount = -1;
    if (type == SBX_JSON_NUMBER) amount = sbx_json_opt_number(js, node, member, -1);
    if (amount >= 0 && amount <= AMOUNT_MAX) return amount;
    s->coerced++;
    if (type == SBX_JSON_STRING && sbx_text_int(sbx_json_as_string(js, value), 0, INT32_MAX, &whole))
        return (double)whole;
    return 0;
}

static int is_idle(int32_t state) {
    return state == SBX_STATE_STOPPED || state == SBX_STATE_PAUSED || state == SBX_STATE_ARCHIVED;
}

static void idle_take(struct summary *s, struct sbx_json *js, const struct daytona_dto *item) {
    const struct sbx_json_node *activity = sbx_json_member(item->node, "lastActivityAt");
    const int is_said = activity && sbx_json_type(activity) == SBX_JSON_STRING;
    s->own++;
    if (!is_idle(item->state)) return;
    sbx_json_begin_object(&s->idle, NULL);
    sbx_json_put_string(&s->idle, "id", item->id);
    sbx_json_put_string(&s->idle, "name", item->name);
    sbx_json_put_string(&s->idle, "state", item->state_text);
    sbx_json_put_string(&s->idle, "last_activity", is_said ? sbx_json_as_string(js, activity) : "");
    sbx_json_end_object(&s->idle);
}

static enum sbx_status summary_take(void *ctx, struct sbx_json *js, const struct daytona_dto *item) {
    struct summary *s = ctx;
    s->sandboxes++;
    s->running += item->state == SBX_STATE_RUNNING;
    for (size_t i = 0; i < AMOUNTS; i++)
        s->used[i] += amount_guess(s, item->node, amounts[i].member, js) * amounts[i].unit;
    /* Of others nothing but the sum is anybody's business. */
    if (s->opt.workspace && daytona_dto_matches(js, item, s->opt.workspace, 1)) /* guard: idle_of_ones_own */
        idle_take(s, js, item);
    return sbx_json_status(js) ? SBX_PROTOCOL : sbx_buf_status(&s->idle);
}

/* ---- in words ---- */

enum level { LEVEL_UNKNOWN, LEVEL_OK, LEVEL_WARNING, LEVEL_CRITICAL };
static const char *const level_names[] = {"unknown", "ok", "warning", "critical"};

static int64_t percent_of(double used, double limit) {
    const double percent = used / limit * 100;
    return percent < 1e9 ? (int64_t)percent : 1000000000;
}

static enum level level_of(const struct summary *s, double used, double limit) {
    if (!(limit > 0)) return LEVEL_UNKNOWN;
    if (used >= limit / 100 * s->opt.critical_percent) return LEVEL_CRITICAL;
    return used >= limit / 100 * s->opt.warning_percent ? LEVEL_WARNING : LEVEL_OK;
}

/* Whole numbers: a fraction of a core or a MiB is rounded up, since it is in use. */
static int64_t whole(double amount) {
    const int64_t down = amount < AMOUNT_MAX * MIB_A_GIB ? (int64_t)amount : INT64_MAX / 2;
    return (double)down < amount ? down + 1 : down;
}

static void put_amount(const struct summary *s, size_t i, struct sbx_buf *json) {
    const double limit = s->limits.bound[amounts[i].resource].limit;
    sbx_json_begin_object(json, amounts[i].total);
    sbx_json_put_int(json, "used", whole(s->used[i]));
    if (limit > 0) {
        sbx_json_put_int(json, "limit", whole(limit));
        sbx_json_put_int(json, "percent", percent_of(s->used[i], limit));
    } else {
        sbx_json_put_null(json, "limit");
        sbx_json_put_null(json, "percent");
    }
    sbx_json_put_string(json, "level", level_names[level_of(s, s->used[i], limit)]);
    sbx_json_end_object(json);
}

static void put_workspace(const struct summary *s, struct sbx_buf *json) {
    struct sbx_buf label = SBX_BUF_INIT, list = SBX_BUF_INIT;
    sbx_buf_printf(&label, "%s=%s", s->opt.workspace->name, s->opt.workspace->value);
    sbx_buf_printf(&list, "[%s]", sbx_buf_text(&s->idle));
    sbx_json_begin_object(json, "workspace");
    sbx_json_put_string(json, "label", sbx_buf_text(&label));
    sbx_json_put_int(json, "sandboxes", s->own);
    sbx_json_put_raw(json, "idle", sbx_buf_text(&list), list.len);
    sbx_json_end_object(json);
    json->failed |= label.failed | list.failed;
    sbx_buf_finish(&label);
    sbx_buf_finish(&list);
}

static void put_summary(const struct summary *s, struct sbx_buf *json) {
    enum level worst = LEVEL_UNKNOWN;
    for (size_t i = 0; i < AMOUNTS; i++) {
        const enum level level = level_of(s, s->used[i], s->limits.bound[amounts[i].resource].limit);
        if (level > worst) worst = level;
    }
    sbx_json_begin_object(json, NULL);
    sbx_json_put_string(json, "level", level_names[worst]);
    sbx_json_begin_object(json, "thresholds");
    sbx_json_put_int(json, "warning", s->opt.warning_percent);
    sbx_json_put_int(json, "critical", s->opt.critical_percent);
    sbx_json_end_object(json);
    sbx_json_begin_object(json, "limits");
    sbx_json_put_string(json, "source", s->opt.limits_source ? s->opt.limits_source : "not said");
    sbx_json_end_object(json);
    sbx_json_begin_object(json, "totals");
    sbx_json_put_int(json, "sandboxes", s->sandboxes);
    sbx_json_put_int(json, "running", s->running);
    sbx_json_put_int(json, "coerced", s->coerced);
    for (size_t i = 0; i < AMOUNTS; i++) put_amount(s, i, json);
    sbx_json_end_object(json);
    if (s->opt.workspace) put_workspace(s, json);
    sbx_json_put_string(json, "provisioning_check", "not_covered");
    sbx_json_end_object(json);
}

/* ---- the call ---- */

static enum sbx_status options_take(struct summary *s, const struct sbx_daytona_summary_options *from,
                                    struct sbx_error *err) {
    const struct sbx_pair *label = NULL;
    sbx_daytona_summary_options_init(&s->opt, sizeof(s->opt));
    sbx_capacity_options_init(&s->limits, sizeof(s->limits));
    if (sbx_options_take(&s->opt, sizeof(s->opt), from, sizeof(s->opt)) ||
        sbx_options_take(&s->limits, sizeof(s->limits), s->opt.limits, sizeof(s->limits)))
        return wrong(err, "opt.size", "sizeof the struct");
    if (!s->opt.warning_percent) s->opt.warning_percent = WARNING_PERCENT;
    if (!s->opt.critical_percent) s->opt.critical_percent = CRITICAL_PERCENT;
    if (s->opt.warning_percent < 1 || s->opt.critical_percent <= s->opt.warning_percent ||
        s->opt.critical_percent > 100)
        return wrong(err, "critical_percent", "more than warning_percent, both 1 to 100");
    if (s->opt.limits_source &&
        sbx_utf8_valid(s->opt.limits_source, strlen(s->opt.limits_source)) != strlen(s->opt.limits_source))
        return wrong(err, "limits_source", "valid UTF-8");
    label = s->opt.workspace;
    if (label && (!label->name || !*label->name || !label->value)) return wrong(err, "workspace", "a label");
    if (label && (sbx_utf8_valid(label->name, strlen(label->name)) != strlen(label->name) ||
                  sbx_utf8_valid(label->value, strlen(label->value)) != strlen(label->value)))
        return wrong(err, "workspace", "valid UTF-8");
    return SBX_OK;
}

static enum sbx_status summarise(struct daytona *d, struct summary *s, const struct sbx_call *from, char **out,
                                 struct sbx_error *err) {
    struct sbx_call call = SBX_CALL_INIT;
    struct sbx_buf json = SBX_BUF_INIT;
    if (sbx_options_take(&call, sizeof(call), from, sizeof(call))) return wrong(err, "call.size", "sizeof the struct");
    if (!call.deadline_ms) call.deadline_ms = d->env->now_ms(d->env) + SUMMARY_MS;
    enum sbx_status st = daytona_each_listed(d, &call, summary_take, s, err);
    if (!st) {
        put_summary(s, &json);
        st = sbx_buf_status(&json);
        if (st) (void)sbx_fail(err, st, SBX_OUTCOME_NONE, NULL);
    }
    if (!st) *out = sbx_buf_take(&json, NULL);
    sbx_buf_finish(&json);
    return st;
}

enum sbx_status sbx_daytona_capacity_summary(struct sbx_runtime *rt, const struct sbx_daytona_summary_options *opt,
                                             const struct sbx_call *call, char **json, struct sbx_error *err) {
    struct summary s = {.idle = SBX_BUF_INIT};
    struct daytona *d = sbx_runtime_self(rt, "daytona");
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (err) {
        const size_t size = err->size;
        sbx_error_init(err, sizeof(*err));
        err->size = size;
        sbx_copy(err->provider, sizeof(err->provider), "daytona");
        sbx_copy(err->operation, sizeof(err->operation), "capacity_summary");
    }
    if (!d || !json) return wrong(err, d ? "json" : "rt", d ? "one" : "a runtime of Daytona's");
    enum sbx_status st = options_take(&s, opt, err);
    if (!st) st = summarise(d, &s, call, json, err);
    sbx_buf_finish(&s.idle);
    return st;
}
