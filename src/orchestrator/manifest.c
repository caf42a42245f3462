/* Plans: the order of starts and stops, and the idle verdict. Pure, but for memory. Row R19. */
#include "src/orchestrator/manifest.h"

#include <stdlib.h>
#include <string.h>

void sbx_process_init(struct sbx_process *process, size_t size) {
    sbx_options_init(process, size);
}
void sbx_manifest_init(struct sbx_manifest *manifest, size_t size) {
    sbx_options_init(manifest, size);
}
void sbx_idle_evidence_init(struct sbx_idle_evidence *evidence, size_t size) {
    sbx_options_init(evidence, size);
}

static void process_finish(struct plan_process *p) {
    for (size_t i = 0; i < p->env_count; i++) {
        /* the copies are ours; the pair's members are const for callers */
        char *name = NULL, *value = NULL;
        memcpy(&name, &p->env[i].name, sizeof(name));
        memcpy(&value, &p->env[i].value, sizeof(value));
        if (value) explicit_bzero(value, strlen(value));
        free(name);
        free(value);
    }
    free(p->env);
    free(p->needs);
    free(p->id);
    free(p->command);
    free(p->probe);
    free(p->flush);
    free(p->cwd);
}

void sbx_plan_free(struct sbx_plan *plan) {
    if (!plan) return;
    for (size_t i = 0; i < plan->room; i++) process_finish(&plan->processes[i]);
    free(plan->processes);
    free(plan->steps[0]);
    free(plan->steps[1]);
    free(plan);
}

/* ---- orders ---- */

static void put(struct sbx_plan *plan, int teardown, int32_t action, size_t process) {
    plan->steps[teardown][plan->step_count[teardown]++] = (struct plan_step){action, process};
}

static int all_started(const struct plan_process *p, const unsigned char *started) {
    for (size_t k = 0; k < p->need_count; k++)
        if (!started[p->needs[k]]) return 0;
    return 1;
}

static void await_once(struct sbx_plan *plan, unsigned char *awaited, size_t i) {
    if (awaited[i]) return;
    awaited[i] = 1;
    put(plan, 0, SBX_PLAN_AWAIT, i);
}

/* The first of the manifest whose needs have been started: they are awaited, and it is. No cycle is left, so there is
 * one each time. */
static void order_starts(struct sbx_plan *plan) {
    unsigned char started[SBX_PROCESSES_MAX] = {0}, awaited[SBX_PROCESSES_MAX] = {0};
    for (size_t done = 0; done < plan->count; done++) {
        size_t i = 0;
        while (started[i] || !all_started(&plan->processes[i], started)) i++; /* guard: manifest_needs_first */
        for (size_t k = 0; k < plan->processes[i].need_count; k++)
            await_once(plan, awaited, plan->processes[i].needs[k]);
        started[i] = 1;
        put(plan, 0, SBX_PLAN_START, i);
    }
    for (size_t i = 0; i < plan->count; i++)
        if (plan->processes[i].useful) await_once(plan, awaited, i);
}

static int is_needed(const struct sbx_plan *plan, size_t i, const unsigned char *stopped) {
    for (size_t j = 0; j < plan->count; j++)
        for (size_t k = 0; k < plan->processes[j].need_count; k++)
            if (!stopped[j] && plan->processes[j].needs[k] == i) return 1;
    return 0;
}

/* Of those that nobody needs any more: the highest stop order, then the last of the manifest. */
static void order_stops(struct sbx_plan *plan) {
    unsigned char stopped[SBX_PROCESSES_MAX] = {0};
    for (size_t done = 0; done < plan->count; done++) {
        size_t next = NOBODY;
        for (size_t i = 0; i < plan->count; i++) {
            if (stopped[i] || is_needed(plan, i, stopped)) continue; /* guard: manifest_history_is_safe */
            if (next == NOBODY || plan->processes[i].stop_order >= plan->processes[next].stop_order) next = i;
        }
        stopped[next] = 1;
        if (plan->processes[next].flush) put(plan, 1, SBX_PLAN_FLUSH, next);
        put(plan, 1, SBX_PLAN_STOP, next);
    }
}

enum sbx_status sbx_plan_order(struct sbx_plan *plan, struct sbx_error *err) {
    for (int i = 0; i < 2; i++) {
        plan->steps[i] = calloc(2 * plan->count, sizeof(*plan->steps[i]));
        if (!plan->steps[i]) {
            (void)sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
            return SBX_NO_MEMORY;
        }
    }
    order_starts(plan);
    order_stops(plan);
    return SBX_OK;
}

static enum sbx_status plan_fill(struct sbx_plan *plan, const struct sbx_manifest *manifest, struct sbx_error *err) {
    enum sbx_status st = sbx_plan_take(manifest, plan, err);
    if (!st) st = sbx_plan_check(plan, err);
    return st ? st : sbx_plan_order(plan, err);
}

enum sbx_status sbx_plan_create(const struct sbx_manifest *manifest, struct sbx_plan **out, struct sbx_error *err) {
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (!out) {
        (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "out: expected one");
        return SBX_INVALID_ARGUMENT;
    }
    struct sbx_plan *plan = calloc(1, sizeof(*plan));
    if (!plan) {
        (void)sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
        return SBX_NO_MEMORY;
    }
    enum sbx_status st = plan_fill(plan, manifest, err);
    if (st)
        sbx_plan_free(plan);
    else
        *out = plan;
    return st;
}

size_t sbx_plan_count(const struct sbx_plan *plan, int teardown) {
    return plan->step_count[teardown != 0];
}
int32_t sbx_plan_action(const struct sbx_plan *plan, int teardown, size_t i) {
    return plan->steps[teardown != 0][i].action;
}
const char *sbx_plan_process(const struct sbx_plan *plan, int teardown, size_t i) {
    return plan->processes[plan->steps[teardown != 0][i].process].id;
}

/* ---- idle ---- */

static int32_t idle_of(const struct sbx_plan *plan, const struct sbx_idle_evidence *is, int64_t now_ms) {
    if (!is || is->known != SBX_YES) return SBX_IDLE_UNDECIDED; /* guard: idle_needs_evidence */
    if (is->active == SBX_YES || now_ms - is->last_act_ms < plan->idle_ms) return SBX_IDLE_BUSY;
    return SBX_IDLE_YES;
}

static const struct sbx_idle_evidence *evidence_of(const struct sbx_idle_evidence *evidence, size_t count,
                                                   const char *id) {
    size_t stride = 0;
    if (!evidence || !count) return NULL;
    memcpy(&stride, evidence, sizeof(stride));
    if (stride < sizeof(*evidence)) return NULL;
    for (size_t i = 0; i < count; i++) {
        const void *at = (const char *)evidence + i * stride;
        const struct sbx_idle_evidence *one = at;
        if (one->id && strcmp(one->id, id) == 0) return one;
    }
    return NULL;
}

/* Whoever is busy decides, whatever is not known of others. */
int32_t sbx_plan_idle(const struct sbx_plan *plan, const struct sbx_idle_evidence *evidence, size_t count,
                      int64_t now_ms) {
    int32_t verdict = SBX_IDLE_YES;
    for (size_t i = 0; i < plan->count; i++) {
        if (!plan->processes[i].useful) continue;
        const int32_t one = idle_of(plan, evidence_of(evidence, count, plan->processes[i].id), now_ms);
        if (one == SBX_IDLE_BUSY) return one;
        if (one == SBX_IDLE_UNDECIDED) verdict = one;
    }
    return verdict;
}
