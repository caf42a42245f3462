/* What only the PostgreSQL store has: a server that is away, refuses, is locked, restarts or cuts off. Row R21. */
#include "postgres.h"
#include "proxy.h"
#include "stores.h"

#include <libpq-fe.h>
#include <sandport/posix.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct world {
    struct sbx_env *env;
    struct sbx_store *store;
    char schema[POSTGRES_TEXT_SIZE];
};

static struct world begin(const char *more) {
    struct world w = {NULL, NULL, ""};
    postgres_folder();
    postgres_schema(w.schema);
    T_STATUS(sbx_posix_env_create(&w.env), SBX_OK);
    w.store = postgres_open(w.env, w.schema, more);
    return w;
}

static void end(struct world *w) {
    sbx_store_free(w->store);
    postgres_drop(w->schema);
    sbx_env_free(w->env);
}

static struct sbx_call within(struct sbx_env *env, int64_t ms) {
    struct sbx_call call = SBX_CALL_INIT;
    sbx_call_init_after(&call, sizeof(call), env, ms);
    return call;
}

/* ---- a commit whose answer is lost ---- */

static void lost_commit(enum proxy_cut how) {
    char more[POSTGRES_TEXT_SIZE];
    postgres_folder();
    struct proxy *proxy = proxy_create(postgres_folder());
    snprintf(more, sizeof(more), "host=%s", proxy_folder(proxy));
    struct world w = begin(more);
    struct sbx_record *before = stores_bring(w.store, 1, ANN, SBX_RECORD_ALLOCATED), *after = NULL;
    struct sbx_store_change change = stores_change(before, ANN);
    struct sbx_error err = SBX_ERROR_INIT;
    change.locator = stores_locator(1);
    proxy_arm(proxy, how);
    enum sbx_status st = sbx_store_put_mapping(w.store, &change, NULL, &after, &err);
    if (st) T_FAIL("got %s, expected OK: %s", sbx_status_name((int32_t)st), err.detail);
    T_EQ(proxy_has_cut(proxy), how != PROXY_CUTS_NOTHING);
    T_EQ(after->generation, before->generation + 1);
    struct sbx_record *read = stores_read(w.store, stores_locator(1));
    stores_same(read, after);
    sbx_record_free(read);
    sbx_record_free(after);
    sbx_record_free(before);
    sbx_store_free(w.store);
    w.store = NULL;
    proxy_free(proxy);
    end(&w);
}

static void must_fire_store_postgres_lost_commit__done(void) {
    lost_commit(PROXY_CUTS_AFTER_COMMIT);
}

static void must_not_fire_store_postgres_lost_commit__not_done(void) {
    lost_commit(PROXY_CUTS_BEFORE_COMMIT);
}

static void an_intent_and_a_removal_whose_commit_is_lost(void) {
    char more[POSTGRES_TEXT_SIZE];
    postgres_folder();
    struct proxy *proxy = proxy_create(postgres_folder());
    snprintf(more, sizeof(more), "host=%s", proxy_folder(proxy));
    struct world w = begin(more);
    struct sbx_record draft = stores_draft(1, ANN), *record = NULL;
    sbx_record_free(stores_bring(w.store, 9, ANN, SBX_RECORD_INTENT));
    proxy_arm(proxy, PROXY_CUTS_AFTER_COMMIT);
    T_STATUS(sbx_store_put_intent(w.store, &draft, NULL, &record, NULL), SBX_OK);
    T_EQ(record->generation, 1);
    T_TRUE(proxy_has_cut(proxy));
    record = stores_to(w.store, record, SBX_RECORD_ABSENT);
    struct sbx_store_change change = stores_change(record, ANN);
    proxy_arm(proxy, PROXY_CUTS_AFTER_COMMIT);
    T_STATUS(sbx_store_remove(w.store, &change, NULL, NULL), SBX_OK);
    T_TRUE(proxy_has_cut(proxy));
    sbx_record_free(record);
    sbx_store_free(w.store);
    w.store = NULL;
    proxy_free(proxy);
    end(&w);
}

/* ---- connections ---- */

static void connections_that_died_are_made_anew(void) {
    struct world w = begin("application_name=dies");
    sbx_record_free(stores_bring(w.store, 1, ANN, SBX_RECORD_SENT));
    postgres_run(w.schema, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dies'");
    struct sbx_record *record = stores_read(w.store, stores_id(1));
    postgres_run(w.schema, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dies'");
    record = stores_to(w.store, record, SBX_RECORD_ALLOCATED);
    T_EQ(record->generation, 3);
    sbx_record_free(record);
    end(&w);
}

static void away(const char *more, int64_t reconnect_ms, enum sbx_status due) {
    struct world w = begin(NULL);
    struct sbx_store_postgres_options opt = SBX_STORE_POSTGRES_OPTIONS_INIT;
    struct sbx_store *store = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_record draft = stores_draft(1, ANN);
    opt.connection = postgres_connection(more);
    opt.schema = w.schema;
    opt.reconnect_ms = reconnect_ms;
    T_STATUS(sbx_store_postgres_create(&opt, w.env, &store, NULL), SBX_OK);
    T_STATUS(sbx_store_put_intent(store, &draft, NULL, NULL, &err), due);
    T_EQ(err.outcome == SBX_OUTCOME_NOT_SENT || err.outcome == SBX_OUTCOME_REFUSED, 1);
    T_TRUE(!strstr(err.detail, "nobody") && !strstr(err.detail, "canary"));
    sbx_store_free(store);
    end(&w);
}

static void servers_that_refuse(void) {
    away("host=/nowhere", 60, SBX_CONNECT_FAILED);
    away("user=nobody_canary", 60000, SBX_UNAUTHORISED);
    away("dbname=canary", 60000, SBX_STORE_FAILED);
    away("options='-c default_transaction_read_only=on'", 60000, SBX_FILE_DENIED);
}

static void connection_strings_that_are_none(void) {
    struct world w = begin(NULL);
    struct sbx_store *store = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    static const char *const connections[] = {NULL, "", "password=canary 1", "postgres://u:canary@[::1", "colour=red"};
    static const char *const schemas[] = {"",     "a b",      "1a",
                                          "a\"b", "Sandport", "a23456789012345678901234567890123456789012345678x"};
    struct sbx_store_postgres_options opt = SBX_STORE_POSTGRES_OPTIONS_INIT;
    for (size_t i = 0; i < sizeof(connections) / sizeof(connections[0]); i++) {
        opt.connection = connections[i];
        T_STATUS(sbx_store_postgres_create(&opt, w.env, &store, &err), SBX_INVALID_ARGUMENT);
        T_TRUE(!strstr(err.detail, "canary"));
    }
    opt.connection = "host=/tmp";
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        opt.schema = schemas[i];
        T_STATUS(sbx_store_postgres_create(&opt, w.env, &store, &err), SBX_INVALID_ARGUMENT);
    }
    opt.schema = NULL;
    opt.reconnect_ms = -1;
    T_STATUS(sbx_store_postgres_create(&opt, w.env, &store, &err), SBX_INVALID_ARGUMENT);
    T_TRUE(!store);
    end(&w);
}

/* ---- locks ---- */

/* Another client holds the row: the call ends by its deadline, on the server too, or by a cancel. */
static void a_row_that_is_locked(void) {
    struct world w = begin(NULL);
    struct sbx_record *record = stores_bring(w.store, 1, ANN, SBX_RECORD_SENT);
    struct sbx_store_change change = stores_change(record, ANN);
    struct sbx_error err = SBX_ERROR_INIT;
    char sql[2 * POSTGRES_TEXT_SIZE];
    PGconn *other = PQconnectdb(postgres_connection(NULL));
    snprintf(sql, sizeof(sql), "BEGIN; SELECT 1 FROM %s.record FOR UPDATE", w.schema);
    PQclear(PQexec(other, sql));
    change.state = SBX_RECORD_DESTROYING;
    struct sbx_call call = within(w.env, 200);
    T_STATUS(sbx_store_advance(w.store, &change, &call, NULL, &err), SBX_DEADLINE);
    T_TRUE(err.outcome != SBX_OUTCOME_UNKNOWN);
    call = within(w.env, 60000);
    call.cancel = sbx_cancel_create(w.env);
    sbx_cancel_fire(call.cancel);
    T_STATUS(sbx_store_advance(w.store, &change, &call, NULL, &err), SBX_CANCELLED);
    sbx_cancel_free(call.cancel);
    PQclear(PQexec(other, "ROLLBACK"));
    PQfinish(other);
    T_STATUS(sbx_store_advance(w.store, &change, NULL, NULL, &err), SBX_OK);
    sbx_record_free(record);
    end(&w);
}

/* ---- what is in it ---- */

static void version_is(const char *sql, enum sbx_status due, const char *detail) {
    struct world w = begin(NULL);
    struct sbx_record draft = stores_draft(1, ANN);
    struct sbx_error err = SBX_ERROR_INIT;
    sbx_record_free(stores_bring(w.store, 2, ANN, SBX_RECORD_SENT));
    postgres_run(w.schema, sql);
    struct sbx_store *later = postgres_open(w.env, w.schema, NULL);
    T_STATUS(sbx_store_put_intent(later, &draft, NULL, NULL, &err), due);
    T_STR(err.detail, detail);
    sbx_store_free(later);
    end(&w);
}

static void must_fire_store_postgres_foreign_version__newer(void) {
    version_is("UPDATE @.version SET version = 2", SBX_STORE_VERSION, "schema version 2, expected 1");
}

static void must_not_fire_store_postgres_foreign_version__ours(void) {
    version_is("UPDATE @.version SET version = 1", SBX_OK, "");
}

static void corrupt(const char *set, const char *column) {
    struct world w = begin(NULL);
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_record *record = NULL;
    struct sbx_records *list = NULL;
    struct sbx_store_query query = SBX_STORE_QUERY_INIT;
    char sql[256], row[64];
    for (int i = 1; i <= 3; i++) sbx_record_free(stores_bring(w.store, i, ANN, SBX_RECORD_SENT));
    snprintf(sql, sizeof(sql), "UPDATE @.record SET %s WHERE acquisition = '%s'", set, stores_id(2));
    postgres_run(w.schema, sql);
    snprintf(row, sizeof(row), "row %s: %s: expected", stores_id(2), column);
    T_STATUS(sbx_store_get(w.store, stores_id(2), NULL, &record, &err), SBX_STORE_CORRUPT);
    T_CONTAINS(err.detail, row);
    T_STATUS(sbx_store_find(w.store, &query, NULL, &list, &err), SBX_STORE_CORRUPT);
    T_CONTAINS(err.detail, row);
    T_EQ(sbx_records_count(list), 2);
    T_EQ(sbx_records_broken(list), 1);
    sbx_records_free(list);
    end(&w);
}

static void corrupt_rows_are_named(void) {
    corrupt("state = 9", "state");
    corrupt("generation = -1", "generation");
    corrupt("owner = 'ann'", "owner");
    corrupt("labels = '[1]'", "labels");
    corrupt("pool = E'a\\nb'", "pool");
}

/* A server that is restarted as by a crash, in the middle: the next call finds it again, and nothing is lost. */
static void a_server_that_restarts(void) {
    char command[1024], more[POSTGRES_TEXT_SIZE];
    const char *source = getenv("SANDPORT_SOURCE_DIR"), *build = getenv("SANDPORT_BINARY_DIR");
    char file[512];
    postgres_folder();
    snprintf(file, sizeof(file), "%s/tests/stores/postgres.own", build ? build : ".");
    snprintf(command, sizeof(command), "%s/tests/stores/postgres.sh start %s %ld", source ? source : ".", file,
             (long)getpid());
    T_EQ(system(command), 0);
    char folder[128] = "";
    FILE *in = fopen(file, "r");
    T_TRUE(in != NULL);
    T_TRUE(fgets(folder, sizeof(folder), in) != NULL);
    fclose(in);
    folder[strcspn(folder, "\n")] = 0;
    snprintf(more, sizeof(more), "host=%s", folder);
    struct world w = begin(more);
    struct sbx_record *record = stores_bring(w.store, 1, ANN, SBX_RECORD_SENT);
    snprintf(command, sizeof(command), "%s/tests/stores/postgres.sh restart %s", source ? source : ".", file);
    T_EQ(system(command), 0);
    record = stores_to(w.store, record, SBX_RECORD_ALLOCATED);
    T_EQ(record->generation, 3);
    sbx_record_free(record);
    end(&w);
    snprintf(command, sizeof(command), "%s/tests/stores/postgres.sh stop %s", source ? source : ".", file);
    T_EQ(system(command), 0);
}

T_CASES(T_CASE(must_fire_store_postgres_lost_commit__done), T_CASE(must_not_fire_store_postgres_lost_commit__not_done),
        T_CASE(an_intent_and_a_removal_whose_commit_is_lost), T_CASE(connections_that_died_are_made_anew),
        T_CASE(servers_that_refuse), T_CASE(connection_strings_that_are_none), T_CASE(a_row_that_is_locked),
        T_CASE(must_fire_store_postgres_foreign_version__newer),
        T_CASE(must_not_fire_store_postgres_foreign_version__ours), T_CASE(corrupt_rows_are_named),
        T_CASE(a_server_that_restarts))
