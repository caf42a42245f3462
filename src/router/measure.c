/* How much room every account has, read side by side. Row R14. */
#include "src/router/router.h"

#include <sandport/router_capacity.h>
#include <stdlib.h>
#include <string.h>

#define MEASURE_MS   30000
#define MEASURE_WIDE 16 /* accounts read at once */

struct measured {
    char pool_id[SBX_POOL_ID_SIZE];
    const struct sbx_pool *pool; /* only while it is read */
    const struct sbx_call *call;
    struct sbx_capacity capacity;
};

struct sbx_capacity_report {
    size_t count;
    struct measured at[];
};

static void measure(void *arg) {
    struct measured *m = arg;
    sbx_pool_capacity(m->pool, m->call, &m->capacity);
}

static int id_compare(const void *a, const void *b) {
    return strcmp(((const struct measured *)a)->pool_id, ((const struct measured *)b)->pool_id);
}

static struct sbx_capacity_report *report_new(const struct sbx_pool *const *pools, size_t count,
                                              const struct sbx_call *call) {
    const struct sbx_capacity nothing = SBX_CAPACITY_INIT;
    struct sbx_capacity_report *report = calloc(1, sizeof(*report) + count * sizeof(report->at[0]));
    if (!report) return NULL;
    report->count = count;
    for (size_t i = 0; i < count; i++) {
        struct measured *m = &report->at[i];
        sbx_copy(m->pool_id, sizeof(m->pool_id), sbx_pool_id(pools[i]));
        m->pool = pools[i];
        m->call = call;
        m->capacity = nothing;
    }
    qsort(report->at, count, sizeof(report->at[0]), id_compare);
    return report;
}

static enum sbx_status measure_all(struct router_entry *entry, const struct sbx_pool *const *pools, size_t count,
                                   struct sbx_capacity_report **out) {
    struct sbx_env *env = entry->router->env;
    const struct sbx_call call = sbx_router_inner_call(entry, entry->router->opt.capacity_timeout_ms);
    struct sbx_capacity_report *report = report_new(pools, count, &call);
    struct sbx_task *tasks = calloc(count ? count : 1, sizeof(*tasks));
    if (!report || !tasks) {
        free(report);
        free(tasks);
        return sbx_fail(&entry->err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        tasks[i].run = measure;
        tasks[i].arg = &report->at[i];
    }
    env->run_all(env, tasks, count, MEASURE_WIDE);
    free(tasks);
    *out = report;
    return SBX_OK;
}

enum sbx_status sbx_router_capacity(struct sbx_router *router, const struct sbx_call *call,
                                    struct sbx_capacity_report **out, struct sbx_error *err) {
    struct router_entry entry;
    const struct sbx_pool *const *pools = NULL;
    size_t count = 0;
    void *loan = NULL;
    enum sbx_status st = sbx_router_enter(&entry, router, "capacity", call, MEASURE_MS, err);
    if (!st && !out) st = sbx_router_wrong(&entry, "out", "one");
    if (st) return sbx_router_leave(&entry, st);
    st = sbx_registry_lend(router->opt.registry, &pools, &count, &loan);
    if (st) {
        (void)sbx_fail(&entry.err, st, SBX_OUTCOME_NOT_SENT, "registry: its pools could not be had");
        return sbx_router_leave(&entry, st);
    }
    st = measure_all(&entry, pools, count, out);
    sbx_registry_give_back(router->opt.registry, loan);
    return sbx_router_leave(&entry, st);
}

enum sbx_status sbx_router_capacity_of(struct sbx_router *router, const char *pool_id, const struct sbx_call *call,
                                       struct sbx_capacity *out, struct sbx_error *err) {
    struct router_entry entry;
    const struct sbx_pool *const *pools = NULL;
    size_t count = 0, i = 0;
    void *loan = NULL;
    enum sbx_status st = sbx_router_enter(&entry, router, "capacity", call, MEASURE_MS, err);
    if (!st && (!pool_id || !out)) st = sbx_router_wrong(&entry, pool_id ? "out" : "pool_id", "one");
    if (st) return sbx_router_leave(&entry, st);
    st = sbx_registry_lend(router->opt.registry, &pools, &count, &loan);
    if (st) {
        (void)sbx_fail(&entry.err, st, SBX_OUTCOME_NOT_SENT, "registry: its pools could not be had");
        return sbx_router_leave(&entry, st);
    }
    const struct sbx_call inner = sbx_router_inner_call(&entry, router->opt.capacity_timeout_ms);
    while (i < count && strcmp(sbx_pool_id(pools[i]), pool_id) != 0) i++;
    if (i < count)
        sbx_pool_capacity(pools[i], &inner, out);
    else
        st = sbx_fail(&entry.err, SBX_NOT_FOUND, SBX_OUTCOME_NOT_SENT, "pool_id: no pool has it");
    sbx_registry_give_back(router->opt.registry, loan);
    return sbx_router_leave(&entry, st);
}

size_t sbx_capacity_report_count(const struct sbx_capacity_report *report) {
    return report ? report->count : 0;
}
const char *sbx_capacity_report_pool(const struct sbx_capacity_report *report, size_t index) {
    return report && index < report->count ? report->at[index].pool_id : NULL;
}
const struct sbx_capacity *sbx_capacity_report_at(const struct sbx_capacity_report *report, size_t index) {
    return report && index < report->count ? &report->at[index].capacity : NULL;
}
void sbx_capacity_report_free(struct sbx_capacity_report *report) {
    free(report);
}
