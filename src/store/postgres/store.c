/* The mapping store over PostgreSQL: making one, and how often a call is tried. Row R21. */
#include "src/store/postgres/room.h"
#include "src/store/postgres/write.h"

#include <sandport/kit/fail.h>
#include <sandport/store_postgres.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECONNECT_MS     5000
#define AGAIN_FIRST_MS   1
#define AGAIN_LARGEST_MS 200

void sbx_store_postgres_options_init(struct sbx_store_postgres_options *opt, size_t size) {
    sbx_options_init(opt, size);
}

/* ---- trying ---- */

static enum sbx_status try_once(struct pg_round *round, pg_work_fn work, void *ctx) {
    struct pg_store *self = round->self;
    round->link = sbx_store_pool_take(self->pool);
    enum sbx_status st = round->link ? SBX_OK : sbx_pg_connect(round);
    int connected = !st;
    if (!st) st = sbx_pg_schema(round);
    if (!st) st = work(round, ctx);
    if (!connected || round->broken)
        sbx_pg_close(round->link);
    else
        sbx_store_pool_give(self->pool, round->link);
    return st;
}

enum sbx_status sbx_pg_try(struct pg_store *self, pg_work_fn work, void *ctx, const struct sbx_call *call,
                           struct sbx_error *err) {
    struct sbx_backoff backoff;
    int64_t until_ms = SBX_NO_DEADLINE;
    sbx_backoff_init(&backoff, AGAIN_FIRST_MS, AGAIN_LARGEST_MS);
    for (;;) {
        struct pg_round round = {.self = self, .call = call, .err = err};
        enum sbx_status st = try_once(&round, work, ctx);
        if (!st || !(round.again || round.lost)) return st;
        int64_t now_ms = self->env->now_ms(self->env);
        if (round.lost && until_ms == SBX_NO_DEADLINE) until_ms = now_ms + self->reconnect_ms;
        if (round.lost && now_ms >= until_ms) return st;
        enum sbx_status paused = sbx_call_pause(call, self->env, &backoff, 0);
        if (paused == SBX_DEADLINE && round.lost) return st; /* which says more */
        if (paused) return sbx_fail(err, paused, SBX_OUTCOME_NOT_SENT, "PostgreSQL is busy with other changes");
    }
}

/* ---- making one ---- */

static void pg_free(void *ctx) {
    struct pg_store *self = ctx;
    sbx_store_pool_free(self->pool);
    /* It may hold a password; the compiler must not leave this out. */
    if (self->connection) explicit_bzero(self->connection, strlen(self->connection));
    free(self->connection);
    free(self);
}

static const struct sbx_store_ops pg_ops = {
    .size = sizeof(struct sbx_store_ops),
    .kind = "postgres",
    .free = pg_free,
    .put_intent = sbx_pg_put_intent,
    .advance = sbx_pg_advance,
    .put_mapping = sbx_pg_put_mapping,
    .get = sbx_pg_get,
    .find = sbx_pg_find,
    .remove = sbx_pg_remove,
    .list_unfinished = sbx_pg_list_unfinished,
    .claim = sbx_pg_claim,
    .renew = sbx_pg_renew,
};

static enum sbx_status wrong(struct sbx_error *err, const char *what) {
    return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s", what);
}

/* Does libpq take it? Its own words about it may repeat a password. */
static enum sbx_status check_connection(const char *connection, struct sbx_error *err) {
    char *why = NULL;
    PQconninfoOption *parsed = PQconninfoParse(connection, &why);
    int fits = parsed != NULL;
    int out_of_memory = !parsed && !why;
    if (why) explicit_bzero(why, strlen(why));
    PQfreemem(why);
    PQconninfoFree(parsed);
    if (out_of_memory) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    return fits ? SBX_OK : wrong(err, "connection: expected a connection string that libpq takes");
}

static int is_schema(const char *name) {
    size_t len = strlen(name);
    return len >= 1 && len <= PG_SCHEMA_SIZE - 3 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == len &&
           !(name[0] >= '0' && name[0] <= '9');
}

static enum sbx_status check_options(const struct sbx_store_postgres_options *from, const struct sbx_env *env,
                                     struct sbx_store **out, struct sbx_store_postgres_options *opt,
                                     struct sbx_error *err) {
    if (!env || !out) return wrong(err, env ? "out: expected one" : "env: expected one");
    if (sbx_options_take(opt, sizeof(*opt), from, sizeof(*opt)))
        return wrong(err, "opt.size: expected sizeof the struct");
    if (!opt->schema) opt->schema = "sandport";
    if (!is_schema(opt->schema)) return wrong(err, "schema: expected [a-z_][a-z0-9_]*, at most 48 bytes");
    if (opt->reconnect_ms < 0) return wrong(err, "reconnect_ms: expected 0 or more");
    if (!opt->reconnect_ms) opt->reconnect_ms = RECONNECT_MS;
    if (!opt->connection || !opt->connection[0]) return wrong(err, "connection: expected a connection string");
    if (!PQisthreadsafe())
        return sbx_fail(err, SBX_UNSUPPORTED, SBX_OUTCOME_NONE, "this libpq was built without threads");
    return check_connection(opt->connection, err);
}

enum sbx_status sbx_store_postgres_create(const struct sbx_store_postgres_options *from, struct sbx_env *env,
                                          struct sbx_store **out, struct sbx_error *err) {
    struct sbx_store_postgres_options opt = SBX_STORE_POSTGRES_OPTIONS_INIT;
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    enum sbx_status st = check_options(from, env, out, &opt, err);
    if (st) return st;
    struct pg_store *self = calloc(1, sizeof(*self));
    if (!self) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    self->env = env;
    self->reconnect_ms = opt.reconnect_ms;
    snprintf(self->schema, sizeof(self->schema), "\"%s\"", opt.schema);
    self->connection = strdup(opt.connection ? opt.connection : "");
    self->pool = sbx_store_pool_create(env, sbx_pg_close);
    if (self->connection && self->pool) return sbx_store_create(&pg_ops, self, env, out, err);
    pg_free(self);
    return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
}
