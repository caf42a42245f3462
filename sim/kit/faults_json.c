/* Fault rules in JSON, as in fixtures/schema/fault.json. A member that it does not have is refused by name. Row V2. */
#include "sim/kit/faults_inside.h"

#include <sandport/kit/json.h>
#include <stdio.h>
#include <string.h>

static const char *const rule_members[] = {"op", "phase", "nth", "times", "rate", "where", "effect", NULL};
static const char *const where_members[] = {"label", "state", "sandbox", "after_ms", NULL};
static const char *const effect_members[] = {"kind",    "status",      "body", "at_bytes", "delay_ms", "state",
                                             "dialect", "retry_after", "path", "value",    NULL};

static int is_listed(const char *const *list, const char *key) {
    while (*list && strcmp(*list, key) != 0) list++;
    return *list != NULL;
}

static int members_known(const struct sbx_json_node *object, const char *const *list, const char *at, char *why,
                         size_t why_cap) {
    char member[96];
    for (const struct sbx_json_node *m = sbx_json_first(object); m; m = sbx_json_next(m)) {
        if (is_listed(list, sbx_json_key(m))) continue;
        snprintf(member, sizeof(member), "%s%.60s", at, sbx_json_key(m));
        return sim_fault_refuse(why, why_cap, member, "no such member");
    }
    return 1;
}

/* A text, or any other JSON as its text. */
static const char *text_or_json(const struct sbx_json_node *node, int as_json, struct sbx_json *js,
                                struct sbx_buf *held) {
    if (!node || (!as_json && sbx_json_type(node) == SBX_JSON_NULL)) return NULL;
    if (!as_json && sbx_json_type(node) == SBX_JSON_STRING) return sbx_json_as_string(js, node);
    sbx_json_touch(node);
    sbx_json_write_node(held, node);
    return sbx_buf_text(held);
}

static void read_where(struct sbx_json *js, const struct sbx_json_node *node, struct sbx_fault_where *where) {
    where->label = sbx_json_opt_string(js, node, "label", NULL);
    where->state = sbx_json_opt_string(js, node, "state", NULL);
    where->sandbox = sbx_json_opt_string(js, node, "sandbox", NULL);
    where->after_ms = sbx_json_opt_int(js, node, "after_ms", 0);
}

static void read_effect(struct sbx_json *js, const struct sbx_json_node *node, struct sbx_fault_effect *effect,
                        struct sbx_buf *body, struct sbx_buf *value) {
    int64_t status = sbx_json_opt_int(js, node, "status", 0);
    effect->kind = sbx_json_string(js, node, "kind");
    effect->status = status < INT32_MIN || status > INT32_MAX ? -1 : (int32_t)status;
    effect->body = text_or_json(sbx_json_member(node, "body"), 0, js, body);
    effect->at_bytes = sbx_json_opt_int(js, node, "at_bytes", 0);
    effect->delay_ms = sbx_json_opt_int(js, node, "delay_ms", 0);
    effect->state = sbx_json_opt_string(js, node, "state", NULL);
    effect->dialect = sbx_json_opt_string(js, node, "dialect", NULL);
    effect->retry_after = sbx_json_opt_string(js, node, "retry_after", NULL);
    effect->path = sbx_json_opt_string(js, node, "path", NULL);
    int mutate = effect->kind && strcmp(effect->kind, "mutate") == 0; /* its value is JSON, null among it */
    effect->value = text_or_json(sbx_json_member(node, "value"), mutate, js, value);
}

int64_t sim_faults_add_json(struct sim_faults *faults, struct sbx_json *js, const struct sbx_json_node *node, char *why,
                            size_t why_cap) {
    struct sbx_fault rule = {0};
    struct sbx_buf body = SBX_BUF_INIT, value = SBX_BUF_INIT;
    int64_t number = 0;
    const struct sbx_json_node *object = sbx_json_as_object(js, node);
    const struct sbx_json_node *where = sbx_json_opt_object(js, object, "where");
    const struct sbx_json_node *effect = sbx_json_object(js, object, "effect");
    if (why && why_cap) why[0] = 0;
    if (object && !members_known(object, rule_members, "", why, why_cap)) goto done;
    if (!members_known(where, where_members, "where.", why, why_cap)) goto done;
    if (!members_known(effect, effect_members, "effect.", why, why_cap)) goto done;
    rule.op = sbx_json_string(js, object, "op");
    rule.phase = sbx_json_string(js, object, "phase");
    rule.nth = sbx_json_opt_int(js, object, "nth", 0);
    rule.times = sbx_json_opt_int(js, object, "times", 0);
    rule.rate = sbx_json_opt_number(js, object, "rate", 0);
    read_where(js, where, &rule.where);
    read_effect(js, effect, &rule.effect, &body, &value);
    if (sbx_json_status(js))
        sim_fault_refuse(why, why_cap, "rule", sbx_json_error(js));
    else if (body.failed || value.failed)
        sim_fault_refuse(why, why_cap, "rule", "out of memory");
    else
        number = sim_faults_add(faults, &rule, why, why_cap);
done:
    sbx_buf_finish(&body);
    sbx_buf_finish(&value);
    return number;
}
