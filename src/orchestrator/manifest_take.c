/* Taking a manifest: a copy of each process, checked for itself. Row R19. */
#include "src/orchestrator/manifest.h"

#include <stdlib.h>
#include <string.h>

#define READY_MS    30000
#define FLUSH_MS    30000
#define IDLE_MS     60000
#define RESTART_MAX 3

static enum sbx_status wrong(struct sbx_error *err, size_t i, const char *field, const char *expected) {
    (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "processes[%zu].%s: expected %s", i, field,
                   expected);
    return SBX_INVALID_ARGUMENT;
}

static enum sbx_status no_memory(struct sbx_error *err) {
    (void)sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    return SBX_NO_MEMORY;
}

static int is_id_char(char c, int first) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return 1;
    return !first && (c == '.' || c == '_' || c == '-');
}

static int is_id(const char *id) {
    size_t len = id ? strnlen(id, SBX_PROCESS_ID_BYTES_MAX + 1) : 0;
    if (!len || len > SBX_PROCESS_ID_BYTES_MAX) return 0;
    for (size_t i = 0; i < len; i++)
        if (!is_id_char(id[i], i == 0)) return 0;
    return 1;
}

/* What each may say for itself; readiness that cannot come is about those who wait for it, and checked there. */
static enum sbx_status process_check(const struct sbx_process *p, size_t i, struct sbx_error *err) {
    if (!is_id(p->id)) return wrong(err, i, "id", "1 to 64 letters, digits, `.`, `_`, `-`, the first no sign");
    if (!p->command || !p->command[strspn(p->command, " \t\r\n")]) return wrong(err, i, "command", "a command");
    if (p->need_count && !p->needs) return wrong(err, i, "needs", "what its count says");
    if (p->ready < SBX_READY_STARTED || p->ready > SBX_READY_NEVER)
        return wrong(err, i, "ready", "one of enum sbx_readiness");
    if ((p->ready == SBX_READY_PROBE) != (p->probe != NULL))
        return wrong(err, i, "probe", "a command with SBX_READY_PROBE, and none without");
    if (p->restart < SBX_RESTART_NEVER || p->restart > SBX_RESTART_ALWAYS)
        return wrong(err, i, "restart", "one of enum sbx_restart");
    if (p->auxiliary < SBX_DEFAULT || p->auxiliary > SBX_NO) return wrong(err, i, "auxiliary", "SBX_YES or SBX_NO");
    if (p->ready_ms < 0 || p->flush_ms < 0 || p->restart_max < 0)
        return wrong(err, i, "ready_ms, flush_ms, restart_max", "0 or more");
    if (p->env_count && !p->env) return wrong(err, i, "env", "what its count says");
    for (size_t k = 0; k < p->env_count; k++)
        if (!p->env[k].name || !sbx_is_env_name(p->env[k].name) || !p->env[k].value)
            return wrong(err, i, "env", "names and values");
    return SBX_OK;
}

/* ---- copies ---- */

static int keep(char **to, const char *text) {
    *to = text ? strdup(text) : NULL;
    return !text || *to;
}

static int keep_env(struct plan_process *to, const struct sbx_process *p) {
    to->env = calloc(p->env_count + 1, sizeof(*to->env));
    if (!to->env) return 0;
    for (size_t i = 0; i < p->env_count; i++) {
        to->env[i].name = strdup(p->env[i].name);
        to->env[i].value = strdup(p->env[i].value);
        to->env_count = i + 1;
        if (!to->env[i].name || !to->env[i].value) return 0;
    }
    return 1;
}

static int process_keep(struct plan_process *to, const struct sbx_process *p) {
    to->useful = p->auxiliary != SBX_YES;
    to->ready = p->ready;
    to->ready_ms = p->ready_ms ? p->ready_ms : READY_MS;
    to->restart = p->restart;
    to->restart_max = p->restart_max ? p->restart_max : RESTART_MAX;
    to->stop_order = p->stop_order;
    to->flush_ms = p->flush_ms ? p->flush_ms : FLUSH_MS;
    to->needs = calloc(p->need_count + 1, sizeof(*to->needs));
    return to->needs && keep_env(to, p) && keep(&to->id, p->id) && keep(&to->command, p->command) &&
           keep(&to->probe, p->probe) && keep(&to->flush, p->flush) && keep(&to->cwd, p->cwd);
}

static size_t find(const struct sbx_plan *plan, const char *id) {
    for (size_t i = 0; i < plan->count; i++)
        if (plan->processes[i].id && strcmp(plan->processes[i].id, id) == 0) return i;
    return NOBODY;
}

static enum sbx_status needs_take(struct sbx_plan *plan, const struct sbx_process *p, size_t i, struct sbx_error *err) {
    struct plan_process *to = &plan->processes[i];
    for (size_t k = 0; k < p->need_count; k++) {
        size_t at = p->needs[k] ? find(plan, p->needs[k]) : NOBODY;
        if (at == NOBODY) { /* guard: manifest_unknown_id */
            (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "needs: %s -> %.64s: no process of that id",
                           to->id, p->needs[k] ? p->needs[k] : "");
            return SBX_INVALID_ARGUMENT;
        }
        to->needs[to->need_count++] = at;
    }
    return SBX_OK;
}

static enum sbx_status process_take(const struct sbx_manifest *from, size_t i, struct sbx_process *to,
                                    struct sbx_error *err) {
    size_t stride = 0;
    memcpy(&stride, from->processes, sizeof(stride));
    sbx_process_init(to, sizeof(*to));
    const char *at = (const char *)from->processes + i * stride;
    if (sbx_options_take(to, sizeof(*to), at, offsetof(struct sbx_process, needs)))
        return wrong(err, i, "size", "sizeof the struct");
    return process_check(to, i, err);
}

static enum sbx_status each_take(const struct sbx_manifest *from, struct sbx_plan *plan, struct sbx_error *err) {
    struct sbx_process p;
    for (size_t i = 0; i < from->count; i++) {
        enum sbx_status st = process_take(from, i, &p, err);
        if (st) return st;
        if (find(plan, p.id) != NOBODY) { /* guard: manifest_duplicate_id */
            (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "id: %s is there twice", p.id);
            return SBX_INVALID_ARGUMENT;
        }
        if (!process_keep(&plan->processes[i], &p)) return no_memory(err);
        plan->count = i + 1;
    }
    for (size_t i = 0; i < from->count; i++) {
        enum sbx_status st = process_take(from, i, &p, err);
        if (!st) st = needs_take(plan, &p, i, err);
        if (st) return st;
    }
    return SBX_OK;
}

enum sbx_status sbx_plan_take(const struct sbx_manifest *from, struct sbx_plan *plan, struct sbx_error *err) {
    struct sbx_manifest own = SBX_MANIFEST_INIT;
    if (!from || sbx_options_take(&own, sizeof(own), from, sizeof(own)) || !own.count || !own.processes ||
        own.count > SBX_PROCESSES_MAX || own.idle_ms < 0) {
        (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "manifest: expected 1 to 256 processes");
        return SBX_INVALID_ARGUMENT;
    }
    plan->idle_ms = own.idle_ms ? own.idle_ms : IDLE_MS;
    plan->processes = calloc(own.count, sizeof(*plan->processes));
    plan->room = plan->processes ? own.count : 0;
    return plan->processes ? each_take(&own, plan, err) : no_memory(err);
}
