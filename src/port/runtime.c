/* A runtime: an adapter's table behind the port's checks. Rows P1, P5, P12. */
#include "src/port/capability.h"
#include "src/port/port.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCH_MS    120000
#define RECONCILE_MS 120000
#define LOOKUP_MS    10000
#define READ_MS      30000

/* ---- making one ---- */

enum sbx_status sbx_runtime_create(const struct sbx_runtime_ops *ops, void *self, struct sbx_env *env,
                                   struct sbx_runtime **out, struct sbx_error *err) {
    struct sbx_runtime *rt = NULL;
    const char *broken = NULL;
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (!ops || ops->size < offsetof(struct sbx_runtime_ops, launch)) {
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "ops: expected a table with its size");
    }
    enum sbx_status st = SBX_INVALID_ARGUMENT;
    if (!env || !out) {
        sbx_fail(err, st, SBX_OUTCOME_NONE, "%s: expected one", env ? "out" : "env");
        goto failed;
    }
    st = SBX_NO_MEMORY;
    rt = calloc(1, sizeof(*rt));
    if (!rt) goto failed;
    memcpy(&rt->ops, ops, ops->size < sizeof(rt->ops) ? ops->size : sizeof(rt->ops));
    rt->self = self;
    rt->env = env;
    broken = sbx_capability_broken(&rt->ops);
    if (broken) {
        st = sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE,
                      "ops.%s: expected what caps declares, no more and no less", broken);
        goto failed;
    }
    *out = rt;
    return SBX_OK;
failed:
    if (st == SBX_NO_MEMORY) sbx_fail(err, st, SBX_OUTCOME_NONE, NULL);
    if (ops->free) ops->free(self);
    free(rt);
    return st;
}

void sbx_runtime_free(struct sbx_runtime *rt) {
    if (!rt) return;
    rt->ops.free(rt->self);
    free(rt);
}

const char *sbx_runtime_provider(const struct sbx_runtime *rt) {
    return rt ? rt->ops.provider : "";
}
uint64_t sbx_runtime_capabilities(const struct sbx_runtime *rt) {
    return rt ? rt->ops.caps : 0;
}
int32_t sbx_runtime_isolation(const struct sbx_runtime *rt) {
    return rt ? rt->ops.isolation : SBX_ISOLATION_NONE;
}

struct sbx_env *sbx_runtime_env(const struct sbx_runtime *rt) {
    return rt ? rt->env : NULL;
}

enum sbx_status sbx_acquisition_new(struct sbx_env *env, char *out) {
    unsigned char bytes[(SBX_ACQUISITION_SIZE - 1) / 2];
    if (!env || !out) return SBX_INVALID_ARGUMENT;
    enum sbx_status st = env->random(env, bytes, sizeof(bytes));
    if (st) return st;
    sbx_hex(bytes, sizeof(bytes), out);
    return SBX_OK;
}

/* ---- entering and leaving ---- */

enum sbx_status sbx_port_entry_begin(struct port_entry *entry, const char *operation, struct sbx_error *callers) {
    memset(entry, 0, sizeof(*entry));
    entry->callers = callers;
    sbx_error_init(&entry->err, sizeof(entry->err));
    sbx_copy(entry->err.operation, sizeof(entry->err.operation), operation);
    if (!callers || callers->size >= sizeof(entry->err)) return SBX_OK;
    entry->callers = NULL; /* it says no size that could hold an answer */
    return SBX_INVALID_ARGUMENT;
}

enum sbx_status sbx_port_enter(struct port_entry *entry, struct sbx_runtime *rt, const char *operation, uint64_t cap,
                               const struct sbx_call *call, int64_t default_ms, struct sbx_error *callers) {
    enum sbx_status st = sbx_port_entry_begin(entry, operation, callers);
    if (st) return st;
    entry->rt = rt;
    if (!rt) return sbx_fail(&entry->err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "runtime or sandbox: expected one");
    sbx_copy(entry->err.provider, sizeof(entry->err.provider), rt->ops.provider);
    if (cap && !(rt->ops.caps & cap)) /* guard: undeclared_operation */
        return sbx_fail(&entry->err, SBX_UNSUPPORTED, SBX_OUTCOME_NOT_SENT, "%s does not declare %s", rt->ops.provider,
                        sbx_capability_name(cap));
    return sbx_port_call_take(call, rt->env, default_ms, &entry->call, &entry->err);
}

enum sbx_status sbx_port_leave(struct port_entry *entry, enum sbx_status st) {
    size_t size = 0;
    entry->err.status = (int32_t)st;
    if (st == SBX_OK) sbx_error_init(&entry->err, sizeof(entry->err));
    if (!entry->callers) return st;
    size = entry->callers->size;
    memcpy(entry->callers, &entry->err, sizeof(entry->err));
    entry->callers->size = size;
    return st;
}

/* ---- launch ---- */

typedef enum sbx_status (*launch_fn)(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                                     struct sbx_identity *out, struct sbx_error *err);

static enum sbx_status launch_by(struct port_entry *entry, launch_fn launch, const struct sbx_launch_options *from,
                                 struct sbx_sandbox **out) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_sandbox *sb = NULL;
    char acquisition[SBX_ACQUISITION_SIZE];
    if (!out) return sbx_port_missing(entry, "out");
    if (sbx_options_take(&opt, sizeof(opt), from, sizeof(opt))) return sbx_port_size_wrong(entry, "opt");
    enum sbx_status st = sbx_port_check_launch(entry->rt, &opt, &entry->err);
    if (st) return st;
    if (!opt.acquisition) {
        st = sbx_acquisition_new(entry->rt->env, acquisition);
        if (st) return sbx_fail(&entry->err, st, SBX_OUTCOME_NOT_SENT, "the env gave no random bytes");
        opt.acquisition = acquisition;
    }
    sb = sbx_port_sandbox_new(entry->rt, 1);
    if (!sb) return sbx_fail(&entry->err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    sbx_copy(entry->err.acquisition, sizeof(entry->err.acquisition), opt.acquisition);
    sbx_copy(sb->who.acquisition, sizeof(sb->who.acquisition), opt.acquisition);
    st = launch(entry->rt->self, &opt, &entry->call, &sb->who, &entry->err);
    if (st) {
        if (!entry->err.sandbox_id[0]) sbx_copy(entry->err.sandbox_id, sizeof(entry->err.sandbox_id), sb->who.id);
        sbx_sandbox_free(sb);
        return st;
    }
    sb->who.owned = 1;
    *out = sb;
    return SBX_OK;
}

enum sbx_status sbx_runtime_launch(struct sbx_runtime *rt, const struct sbx_launch_options *opt,
                                   const struct sbx_call *call, struct sbx_sandbox **out, struct sbx_error *err) {
    struct port_entry entry;
    enum sbx_status st = sbx_port_enter(&entry, rt, "launch", 0, call, LAUNCH_MS, err);
    if (!st) st = launch_by(&entry, rt->ops.launch, opt, out);
    return sbx_port_leave(&entry, st);
}

enum sbx_status sbx_runtime_launch_detached(struct sbx_runtime *rt, const struct sbx_launch_options *opt,
                                            const struct sbx_call *call, struct sbx_sandbox **out,
                                            struct sbx_error *err) {
    struct port_entry entry;
    enum sbx_status st = sbx_port_enter(&entry, rt, "launch_detached", SBX_CAP_DETACHED_LAUNCH, call, READ_MS, err);
    if (!st) st = launch_by(&entry, rt->ops.launch_detached, opt, out);
    return sbx_port_leave(&entry, st);
}

/* ---- look-ups ---- */

static enum sbx_status attach_in(struct port_entry *entry, const char *id, struct sbx_sandbox **out) {
    if (!out) return sbx_port_missing(entry, "out");
    enum sbx_status st = sbx_port_check_id(id, &entry->err);
    if (st) return st;
    struct sbx_sandbox *sb = sbx_port_sandbox_new(entry->rt, 0);
    if (!sb) return sbx_fail(&entry->err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    st = entry->rt->ops.attach(entry->rt->self, id, &entry->call, &sb->who, &entry->err);
    if (st) {
        sbx_sandbox_free(sb);
        return st;
    }
    sb->who.owned = 0;
    *out = sb;
    return SBX_OK;
}

enum sbx_status sbx_runtime_attach(struct sbx_runtime *rt, const char *id, const struct sbx_call *call,
                                   struct sbx_sandbox **out, struct sbx_error *err) {
    struct port_entry entry;
    enum sbx_status st = sbx_port_enter(&entry, rt, "attach", SBX_CAP_REATTACH, call, READ_MS, err);
    if (!st) st = attach_in(&entry, id, out);
    return sbx_port_leave(&entry, st);
}

static enum sbx_status find_in(struct port_entry *entry, const struct sbx_query *from, struct sbx_list **out) {
    struct sbx_query query = SBX_QUERY_INIT;
    if (!out) return sbx_port_missing(entry, "out");
    if (sbx_options_take(&query, sizeof(query), from, sizeof(query))) return sbx_port_size_wrong(entry, "opt");
    enum sbx_status st = sbx_port_check_query(&query, &entry->err);
    if (st) return st;
    struct sbx_list *list = calloc(1, sizeof(*list));
    if (!list) return sbx_fail(&entry->err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    st = entry->rt->ops.find(entry->rt->self, &query, &entry->call, list, &entry->err);
    if (st)
        sbx_list_free(list);
    else
        *out = list;
    return st;
}

enum sbx_status sbx_runtime_find(struct sbx_runtime *rt, const struct sbx_query *query, const struct sbx_call *call,
                                 struct sbx_list **out, struct sbx_error *err) {
    struct port_entry entry;
    enum sbx_status st = sbx_port_enter(&entry, rt, "find", SBX_CAP_LABEL_SEARCH, call, LOOKUP_MS, err);
    if (!st) st = find_in(&entry, query, out);
    return sbx_port_leave(&entry, st);
}

static enum sbx_status count_in(struct port_entry *entry, const struct sbx_query *from, int64_t *out) {
    struct sbx_query query = SBX_QUERY_INIT;
    if (!out) return sbx_port_missing(entry, "out");
    if (sbx_options_take(&query, sizeof(query), from, sizeof(query))) return sbx_port_size_wrong(entry, "opt");
    enum sbx_status st = sbx_port_check_query(&query, &entry->err);
    if (st) return st;
    return entry->rt->ops.count(entry->rt->self, &query, &entry->call, out, &entry->err);
}

enum sbx_status sbx_runtime_count(struct sbx_runtime *rt, const struct sbx_query *query, const struct sbx_call *call,
                                  int64_t *out, struct sbx_error *err) {
    struct port_entry entry;
    enum sbx_status st = sbx_port_enter(&entry, rt, "count", SBX_CAP_LABEL_SEARCH, call, LOOKUP_MS, err);
    if (!st) st = count_in(&entry, query, out);
    return sbx_port_leave(&entry, st);
}

static enum sbx_status reconcile_in(struct port_entry *entry, const struct sbx_reconcile_options *from,
                                    int32_t *verdict, struct sbx_list **out) {
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    int32_t said = SBX_RECONCILE_UNDECIDED;
    if (!verdict) return sbx_port_missing(entry, "verdict");
    if (sbx_options_take(&opt, sizeof(opt), from, sizeof(opt))) return sbx_port_size_wrong(entry, "opt");
    enum sbx_status st = sbx_port_check_reconcile(&opt, &entry->err);
    if (st) return st;
    struct sbx_list *list = calloc(1, sizeof(*list));
    if (!list) return sbx_fail(&entry->err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    st = entry->rt->ops.reconcile(entry->rt->self, &opt, &entry->call, &said, list, &entry->err);
    if (st == SBX_OK) *verdict = said;
    if (st == SBX_OK && out)
        *out = list;
    else
        sbx_list_free(list);
    return st;
}

enum sbx_status sbx_runtime_reconcile(struct sbx_runtime *rt, const struct sbx_reconcile_options *opt,
                                      const struct sbx_call *call, int32_t *verdict, struct sbx_list **out,
                                      struct sbx_error *err) {
    struct port_entry entry;
    enum sbx_status st = sbx_port_enter(&entry, rt, "reconcile", SBX_CAP_RECONCILE, call, RECONCILE_MS, err);
    if (!st) st = reconcile_in(&entry, opt, verdict, out);
    return sbx_port_leave(&entry, st);
}
