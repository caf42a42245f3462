/* The mapping store over SQLite: making one, and how often a call is tried. Row R21. */
#include "src/store/sqlite/room.h"
#include "src/store/sqlite/write.h"

#include <sandport/kit/fail.h>
#include <sandport/store_sqlite.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_MS         30000
#define BUSY_FIRST_MS   1
#define BUSY_LARGEST_MS 50

void sbx_store_sqlite_options_init(struct sbx_store_sqlite_options *opt, size_t size) {
    sbx_options_init(opt, size);
}

/* One try with a connection of its own. @return a result in *rc that is busy: to be tried again */
static enum sbx_status try_once(struct sbx_sqlite_store *self, sbx_sqlite_work_fn work, void *ctx, int *rc,
                                struct sbx_error *err) {
    struct sbx_sqlite_link *link = sbx_store_pool_take(self->pool);
    *rc = SQLITE_OK;
    if (!link) *rc = sbx_sqlite_link_open(self->path, &link);
    if (!link) return sbx_sqlite_status(NULL, *rc, SBX_OUTCOME_NOT_SENT, err);
    enum sbx_status st = work(self, link, ctx, rc, err);
    int is_sound = sbx_sqlite_is_busy(*rc) || !sbx_sqlite_status(NULL, *rc, SBX_OUTCOME_NONE, NULL);
    if (!is_sound || !sqlite3_get_autocommit(link->db))
        sbx_sqlite_link_close(link); /* whatever state it is in, the next one is fresh */
    else
        sbx_store_pool_give(self->pool, link);
    return st;
}

enum sbx_status sbx_sqlite_try(struct sbx_sqlite_store *self, sbx_sqlite_work_fn work, void *ctx,
                               const struct sbx_call *call, struct sbx_error *err) {
    struct sbx_backoff backoff;
    sbx_backoff_init(&backoff, BUSY_FIRST_MS, BUSY_LARGEST_MS);
    for (;;) {
        int rc = SQLITE_OK;
        enum sbx_status st = try_once(self, work, ctx, &rc, err);
        if (!st || !sbx_sqlite_is_busy(rc)) return st;
        st = sbx_call_pause(call, self->env, &backoff, 0); /* guard: store_sqlite_busy_waits */
        if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, "another process holds the lock of the store's file");
    }
}

/* ---- reading one ---- */

struct reading {
    const char *key;
    struct sbx_record *found;
};

static enum sbx_status read_once(struct sbx_sqlite_store *self, struct sbx_sqlite_link *link, void *ctx, int *rc,
                                 struct sbx_error *err) {
    struct reading *reading = ctx;
    sqlite3_stmt *statement = NULL;
    int by_locator = strncmp(reading->key, "sbx_", 4) == 0;
    enum sbx_status st = SBX_OK;
    (void)self;
    *rc = sbx_sqlite_statement(link, by_locator ? STATEMENT_BY_LOCATOR : STATEMENT_BY_ACQUISITION, &statement);
    if (*rc == SQLITE_OK) *rc = sqlite3_bind_text(statement, 1, reading->key, -1, SQLITE_STATIC);
    if (*rc == SQLITE_OK) *rc = sqlite3_step(statement);
    if (*rc == SQLITE_ROW)
        st = sbx_sqlite_row(statement, &reading->found, err);
    else if (*rc == SQLITE_DONE)
        st = sbx_fail(err, SBX_NOT_FOUND, SBX_OUTCOME_NONE, "key: it has no record");
    else
        st = sbx_sqlite_status(link->db, *rc, SBX_OUTCOME_NONE, err);
    if (statement) sqlite3_reset(statement);
    return st;
}

static enum sbx_status sbx_sqlite_get(void *ctx, const char *key, const struct sbx_call *call, struct sbx_record **out,
                                      struct sbx_error *err) {
    struct reading reading = {key, NULL};
    enum sbx_status st = sbx_sqlite_try(ctx, read_once, &reading, call, err);
    if (!st) *out = reading.found;
    return st;
}

/* ---- making one ---- */

static void sbx_sqlite_free(void *ctx) {
    struct sbx_sqlite_store *self = ctx;
    sbx_store_pool_free(self->pool);
    free(self->path);
    free(self);
}

static const struct sbx_store_ops sbx_sqlite_ops = {
    .size = sizeof(struct sbx_store_ops),
    .kind = "sqlite",
    .free = sbx_sqlite_free,
    .put_intent = sbx_sqlite_put_intent,
    .advance = sbx_sqlite_advance,
    .put_mapping = sbx_sqlite_put_mapping,
    .get = sbx_sqlite_get,
    .find = sbx_sqlite_find,
    .remove = sbx_sqlite_remove,
    .list_unfinished = sbx_sqlite_list_unfinished,
    .claim = sbx_sqlite_claim,
    .renew = sbx_sqlite_renew,
};

static enum sbx_status schema_once(struct sbx_sqlite_store *self, struct sbx_sqlite_link *link, void *ctx, int *rc,
                                   struct sbx_error *err) {
    (void)self;
    (void)ctx;
    return sbx_sqlite_schema(link, rc, err);
}

static enum sbx_status check_options(const struct sbx_store_sqlite_options *from, struct sbx_env *env,
                                     struct sbx_store **out, struct sbx_store_sqlite_options *opt,
                                     struct sbx_error *err) {
    if (!env || !out)
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s: expected one", env ? "out" : "env");
    if (sbx_options_take(opt, sizeof(*opt), from, sizeof(*opt)))
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "opt.size: expected sizeof the struct");
    /* What begins with ':' or is empty is no file to SQLite. */
    if (!opt->path || !opt->path[0] || opt->path[0] == ':' || strncmp(opt->path, "file:", 5) == 0)
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "path: expected the path of a file");
    if (!sqlite3_threadsafe())
        return sbx_fail(err, SBX_UNSUPPORTED, SBX_OUTCOME_NONE, "this SQLite was built without threads");
    return SBX_OK;
}

static enum sbx_status open_file(struct sbx_sqlite_store *self, const struct sbx_call *from, struct sbx_error *err) {
    struct sbx_call call = SBX_CALL_INIT;
    if (sbx_options_take(&call, sizeof(call), from, sizeof(call)))
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "call.size: expected sizeof the struct");
    if (!call.deadline_ms) {
        struct sbx_cancel *cancel = call.cancel;
        sbx_call_init_after(&call, sizeof(call), self->env, OPEN_MS);
        call.cancel = cancel;
    }
    enum sbx_status st = sbx_call_check(&call, self->env);
    if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    return sbx_sqlite_try(self, schema_once, NULL, &call, err);
}

enum sbx_status sbx_store_sqlite_create(const struct sbx_store_sqlite_options *from, struct sbx_env *env,
                                        const struct sbx_call *call, struct sbx_store **out, struct sbx_error *err) {
    struct sbx_store_sqlite_options opt = SBX_STORE_SQLITE_OPTIONS_INIT;
    struct sbx_sqlite_store *self = NULL;
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    enum sbx_status st = check_options(from, env, out, &opt, err);
    if (st) return st;
    self = calloc(1, sizeof(*self));
    if (!self) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    self->env = env;
    self->path = strdup(opt.path ? opt.path : "");
    self->pool = sbx_store_pool_create(env, sbx_sqlite_link_close);
    st = self->path && self->pool ? open_file(self, call, err) : sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    if (!st) return sbx_store_create(&sbx_sqlite_ops, self, env, out, err);
    sbx_sqlite_free(self);
    return st;
}
