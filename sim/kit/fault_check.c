/* Which fault rules are rules: every member checked, and every effect against the points where it can happen. Row V2.
 */
#include "sim/kit/faults_inside.h"
#include "sim/kit/sim.h"

#include <stdio.h>
#include <string.h>

/* Members of an effect, as bits. */
enum {
    HAS_STATUS = 1 << 0,
    HAS_BODY = 1 << 1,
    HAS_AT_BYTES = 1 << 2,
    HAS_DELAY = 1 << 3,
    HAS_STATE = 1 << 4,
    HAS_DIALECT = 1 << 5,
    HAS_RETRY_AFTER = 1 << 6,
    HAS_PATH = 1 << 7,
    HAS_VALUE = 1 << 8
};

static const struct {
    unsigned bit;
    const char *name;
} members[] = {
    {HAS_STATUS, "effect.status"},     {HAS_BODY, "effect.body"},
    {HAS_AT_BYTES, "effect.at_bytes"}, {HAS_DELAY, "effect.delay_ms"},
    {HAS_STATE, "effect.state"},       {HAS_DIALECT, "effect.dialect"},
    {HAS_PATH, "effect.path"},         {HAS_RETRY_AFTER, "effect.retry_after"},
    {HAS_VALUE, "effect.value"},
};

#define UNANSWERED (1u << SIM_PHASE_BEFORE | 1u << SIM_PHASE_BEFORE_COMMIT | 1u << SIM_PHASE_AFTER_COMMIT)
#define NOT_AFTER  (UNANSWERED | 1u << SIM_PHASE_MID_REPLY)

/* The effects that every cloud has. Those of a cloud's own may have any member and happen at any point. */
static const struct common {
    const char *kind;
    unsigned phases;
    unsigned needs;
    unsigned may;
} commons[] = {
    {"status", UNANSWERED, HAS_STATUS, HAS_BODY | HAS_RETRY_AFTER},
    {"html", UNANSWERED, 0, HAS_STATUS},
    {"reset", NOT_AFTER, 0, HAS_AT_BYTES},
    {"close", NOT_AFTER, 0, HAS_AT_BYTES},
    {"hang", NOT_AFTER, 0, HAS_AT_BYTES},
    {"late", NOT_AFTER, HAS_DELAY, 0},
    {"cut", NOT_AFTER, 0, HAS_AT_BYTES | HAS_VALUE},
    {"slow", NOT_AFTER, HAS_DELAY, 0},
    {"mutate", NOT_AFTER, HAS_PATH, HAS_VALUE},
};

int sim_fault_refuse(char *why, size_t why_cap, const char *member, const char *what) {
    if (why && why_cap) snprintf(why, why_cap, "%s: %s", member, what);
    return 0;
}

static const struct common *common_of(const char *kind) {
    for (size_t i = 0; i < sizeof(commons) / sizeof(commons[0]); i++)
        if (strcmp(commons[i].kind, kind) == 0) return &commons[i];
    return NULL;
}

/* The cloud that has the operation, NULL if none has. */
static struct sim_cloud *cloud_of(struct sim *sim, const char *op) {
    for (size_t i = 0; i < sim_cloud_count(sim); i++) {
        struct sim_cloud *cloud = sim_cloud_at(sim, i);
        for (const char *const *known = cloud->ops; known && *known; known++)
            if (strcmp(*known, op) == 0) return cloud;
    }
    return NULL;
}

static unsigned members_of(const struct sbx_fault_effect *effect) {
    return (effect->status ? HAS_STATUS : 0u) | (effect->body ? HAS_BODY : 0u) |
           (effect->at_bytes ? HAS_AT_BYTES : 0u) | (effect->delay_ms ? HAS_DELAY : 0u) |
           (effect->state ? HAS_STATE : 0u) | (effect->dialect ? HAS_DIALECT : 0u) |
           (effect->retry_after ? HAS_RETRY_AFTER : 0u) | (effect->path ? HAS_PATH : 0u) |
           (effect->value ? HAS_VALUE : 0u);
}

static const char *member_name(unsigned bits) {
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        if (bits & members[i].bit) return members[i].name;
    return "effect";
}

/* "$" followed by .name and [index] steps. */
static int path_is_one(const char *path) {
    if (*path++ != '$') return 0;
    while (*path) {
        size_t len = *path == '.' ? strcspn(path + 1, ".[]") : *path == '[' ? strspn(path + 1, "0123456789") : 0;
        if (!len) return 0;
        if (*path == '[' && path[len + 1] != ']') return 0;
        path += len + (*path == '[' ? 2 : 1);
    }
    return 1;
}

static int is_json(const char *text) {
    struct sbx_json *js = NULL;
    int ok = sbx_json_parse(text, strlen(text), 0, &js) == SBX_OK;
    sbx_json_free(js);
    return ok;
}

static int header_value_is_one(const char *value) {
    for (; *value; value++)
        if ((unsigned char)*value < ' ' || *value == 127) return 0;
    return 1;
}

static int check_values(const struct sbx_fault_effect *effect, char *why, size_t cap) {
    if (effect->status && (effect->status < 200 || effect->status > 599))
        return sim_fault_refuse(why, cap, "effect.status", "expected 200 to 599");
    if (effect->at_bytes < 0) return sim_fault_refuse(why, cap, "effect.at_bytes", "expected 0 or more");
    if (effect->delay_ms < 0 || effect->delay_ms > SIM_NEVER / SIM_MS / 4)
        return sim_fault_refuse(why, cap, "effect.delay_ms", "expected 0 or more, within 70 years");
    if (effect->retry_after && !header_value_is_one(effect->retry_after))
        return sim_fault_refuse(why, cap, "effect.retry_after", "expected a header value");
    if (strcmp(effect->kind, "mutate") == 0) {
        if (effect->path && !path_is_one(effect->path))
            return sim_fault_refuse(why, cap, "effect.path", "expected a JSON path such as $.items[0].id");
        if (effect->value && !is_json(effect->value))
            return sim_fault_refuse(why, cap, "effect.value", "expected JSON");
    }
    if (strcmp(effect->kind, "cut") == 0 && effect->value && strcmp(effect->value, "reset") != 0 &&
        strcmp(effect->value, "close") != 0)
        return sim_fault_refuse(why, cap, "effect.value", "expected reset or close");
    return 1;
}

static int check_effect(struct sim_cloud *cloud, const struct sbx_fault *rule, char *why, size_t cap) {
    const struct sbx_fault_effect *effect = &rule->effect;
    if (!effect->kind) return sim_fault_refuse(why, cap, "effect.kind", "expected one");
    const struct common *common = common_of(effect->kind);
    if (!common) {
        if (!cloud->knows_effect || !cloud->knows_effect(cloud, rule->op, effect->kind))
            return sim_fault_refuse(why, cap, "effect.kind", "no such effect for this operation");
        return check_values(effect, why, cap);
    }
    unsigned phase = (unsigned)sim_fault_phase(rule->phase), has = members_of(effect),
             may = common->needs | common->may;
    if (phase != SIM_PHASE_MID_REPLY && strcmp(effect->kind, "cut") != 0) may &= ~(unsigned)HAS_AT_BYTES;
    if (!(common->phases & 1u << phase)) return sim_fault_refuse(why, cap, "phase", "this effect cannot happen there");
    if (common->needs & ~has)
        return sim_fault_refuse(why, cap, member_name(common->needs & ~has), "needed by this effect");
    if (has & ~may) return sim_fault_refuse(why, cap, member_name(has & ~may), "not a member of this effect");
    return check_values(effect, why, cap);
}

static int check_where(const struct sbx_fault_where *where, char *why, size_t cap) {
    if (where->label && (!strchr(where->label, '=') || where->label[0] == '='))
        return sim_fault_refuse(why, cap, "where.label", "expected name=value");
    if (where->after_ms < 0 || where->after_ms > SIM_NEVER / SIM_MS)
        return sim_fault_refuse(why, cap, "where.after_ms", "expected 0 or more");
    return 1;
}

int sim_fault_check(struct sim *sim, const struct sbx_fault *rule, char *why, size_t cap) {
    if (!rule) return sim_fault_refuse(why, cap, "rule", "expected one");
    if (rule->size && rule->size != sizeof(*rule)) return sim_fault_refuse(why, cap, "size", "not of this release");
    struct sim_cloud *cloud = rule->op ? cloud_of(sim, rule->op) : NULL;
    if (!cloud) return sim_fault_refuse(why, cap, "op", "no cloud has this operation");
    if (!rule->phase || sim_fault_phase(rule->phase) < 0)
        return sim_fault_refuse(why, cap, "phase", "expected before, before_commit, after_commit, mid_reply or after");
    if (rule->nth < 0) return sim_fault_refuse(why, cap, "nth", "expected 0 or more");
    if (rule->times < 0) return sim_fault_refuse(why, cap, "times", "expected 0 or more");
    if (!(rule->rate >= 0.0 && rule->rate <= 1.0)) return sim_fault_refuse(why, cap, "rate", "expected 0 to 1");
    return check_where(&rule->where, why, cap) && check_effect(cloud, rule, why, cap);
}
