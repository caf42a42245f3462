/* What only the SQLite store has: its file, its locks, its disk, and what is wrong with them. Row R21. */
#include "scratch.h"
#include "shim.h"
#include "stores.h"

#include <fcntl.h>
#include <sandport/posix.h>
#include <sandport/store_sqlite.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct world {
    struct sbx_env *env;
    struct scratch *scratch;
    char path[SCRATCH_PATH_SIZE];
};

static struct world begin(void) {
    struct world w = {NULL, scratch_create(), ""};
    scratch_path(w.scratch, "store.db", w.path);
    T_STATUS(sbx_posix_env_create(&w.env), SBX_OK);
    return w;
}

static void end(struct world *w) {
    sbx_env_free(w->env);
    scratch_free(w->scratch);
}

static enum sbx_status open_it(const struct world *w, const struct sbx_call *call, struct sbx_store **out,
                               struct sbx_error *err) {
    struct sbx_store_sqlite_options opt = SBX_STORE_SQLITE_OPTIONS_INIT;
    opt.path = w->path;
    return sbx_store_sqlite_create(&opt, w->env, call, out, err);
}

static struct sbx_store *opened(const struct world *w) {
    struct sbx_store *store = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    if (open_it(w, NULL, &store, &err)) T_FAIL("%s", err.detail);
    return store;
}

/* What somebody else does to the file. */
static void run(const struct world *w, const char *sql) {
    sqlite3 *db = NULL;
    T_EQ(sqlite3_open(w->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) T_FAIL("%s: %s", sql, sqlite3_errmsg(db));
    T_EQ(sqlite3_close(db), SQLITE_OK);
}

/* ---- whose file it is ---- */

static void refused(const char *sql, enum sbx_status due, const char *detail) {
    struct world w = begin();
    struct sbx_store *store = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    if (detail) sbx_store_free(opened(&w));
    run(&w, sql);
    T_STATUS(open_it(&w, NULL, &store, &err), due);
    if (due) T_EQ(err.outcome, SBX_OUTCOME_REFUSED);
    if (detail) T_STR(err.detail, detail);
    sbx_store_free(store);
    end(&w);
}

static void must_fire_store_sqlite_foreign_version__newer(void) {
    refused("PRAGMA user_version = 2", SBX_STORE_VERSION, "schema version 2, expected 1");
}

static void must_not_fire_store_sqlite_foreign_version__ours(void) {
    refused("PRAGMA user_version = 1", SBX_OK, "");
}

static void another_programs_file(void) {
    refused("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')", SBX_STORE_VERSION, NULL);
}

static void no_database_at_all(void) {
    struct world w = begin();
    struct sbx_store *store = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    FILE *file = fopen(w.path, "w");
    T_TRUE(file != NULL);
    for (int i = 0; i < 1000; i++) fputs("this is a text file\n", file);
    fclose(file);
    T_STATUS(open_it(&w, NULL, &store, &err), SBX_STORE_CORRUPT);
    T_CONTAINS(err.detail, "no database");
    end(&w);
}

static void paths_that_are_no_file(void) {
    static const char *const paths[] = {NULL, "", ":memory:", "file:x?mode=memory"};
    struct world w = begin();
    struct sbx_store *store = NULL;
    struct sbx_store_sqlite_options opt = SBX_STORE_SQLITE_OPTIONS_INIT;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        opt.path = paths[i];
        T_STATUS(sbx_store_sqlite_create(&opt, w.env, NULL, &store, NULL), SBX_INVALID_ARGUMENT);
    }
    opt.path = "/nowhere/at/all/store.db";
    T_STATUS(sbx_store_sqlite_create(&opt, w.env, NULL, &store, NULL), SBX_FILE_DENIED);
    opt.size = 1;
    T_STATUS(sbx_store_sqlite_create(&opt, w.env, NULL, &store, NULL), SBX_INVALID_ARGUMENT);
    end(&w);
}

/* Root may write everything, so the one who may not is another user. */
static void a_file_that_may_not_be_written(void) {
    struct world w = begin();
    int status = 0;
    struct sbx_store *store = opened(&w);
    sbx_record_free(stores_bring(store, 1, ANN, SBX_RECORD_SENT));
    sbx_store_free(store);
    T_EQ(chmod(w.path, 0444), 0);
    pid_t pid = fork();
    T_TRUE(pid >= 0);
    if (pid == 0) {
        struct sbx_error err = SBX_ERROR_INIT;
        if (getuid() == 0 && (setgid(65534) || setuid(65534))) _exit(2);
        _exit(open_it(&w, NULL, &store, &err) == SBX_FILE_DENIED ? 0 : 1);
    }
    T_EQ(waitpid(pid, &status, 0), pid);
    T_EQ(status, 0);
    end(&w);
}

/* ---- rows ---- */

/* One column of one row is what no release writes: reading it names the row, lists pass it over and say so. */
static void corrupt(const char *set, const char *column) {
    struct world w = begin();
    struct sbx_store *store = opened(&w);
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_record *record = NULL;
    struct sbx_records *list = NULL;
    struct sbx_store_query query = SBX_STORE_QUERY_INIT;
    char sql[256], row[64];
    for (int i = 1; i <= 3; i++) sbx_record_free(stores_bring(store, i, ANN, SBX_RECORD_SENT));
    snprintf(sql, sizeof(sql), "UPDATE record SET %s WHERE acquisition = '%s'", set, stores_id(2));
    run(&w, sql);
    snprintf(row, sizeof(row), "row %s: %s: expected", stores_id(2), column);
    T_STATUS(sbx_store_get(store, stores_id(2), NULL, &record, &err), SBX_STORE_CORRUPT);
    T_CONTAINS(err.detail, row);
    struct sbx_record seen = stores_draft(2, ANN);
    struct sbx_store_change change = stores_change(&seen, ANN);
    change.generation = 2;
    change.state = SBX_RECORD_DESTROYING;
    T_STATUS(sbx_store_advance(store, &change, NULL, &record, &err), SBX_STORE_CORRUPT);
    T_EQ(err.outcome, SBX_OUTCOME_REFUSED);
    T_STATUS(sbx_store_find(store, &query, NULL, &list, &err), SBX_STORE_CORRUPT);
    T_CONTAINS(err.detail, row);
    T_EQ(sbx_records_count(list), 2);
    T_EQ(sbx_records_broken(list), 1);
    sbx_records_free(list);
    sbx_store_free(store);
    end(&w);
}

static void corrupt_rows_are_named(void) {
    corrupt("state = 9", "state");
    corrupt("state = 'sent'", "state");
    corrupt("state = 4", "locator");
    corrupt("generation = 0", "generation");
    corrupt("generation = 9223372036854775807", "generation");
    corrupt("lease = -1", "lease");
    corrupt("attempt = 4294967297", "attempt");
    corrupt("owner = 'ann'", "owner");
    corrupt("provider = x'00ff'", "provider");
    corrupt("pool = ''", "pool");
    corrupt("pool = 'a' || char(0) || 'b'", "pool");
    corrupt("pool = 'a' || char(10)", "pool");
    corrupt("locator = 'sbx_1'", "locator");
    corrupt("sandbox_id = cast(x'ff' as text)", "sandbox_id");
    corrupt("labels = ''", "labels");
    corrupt("labels = '{}'", "labels");
    corrupt("labels = '[[\"a\"]]'", "labels");
    corrupt("labels = '[[\"a\",\"b\"],[\"a\",\"c\"]]'", "labels");
    corrupt("labels = '[[\"a\",1]]'", "labels");
}

static void a_row_without_a_key(void) {
    struct world w = begin();
    struct sbx_store *store = opened(&w);
    struct sbx_records *list = NULL;
    sbx_record_free(stores_bring(store, 1, ANN, SBX_RECORD_SENT));
    run(&w, "INSERT INTO record SELECT x'0102', locator, provider, pool, sandbox_id, request, owner, labels, attempt, "
            "state, generation, lease FROM record");
    T_STATUS(sbx_store_list_unfinished(store, NULL, NULL, &list, NULL), SBX_STORE_CORRUPT);
    T_EQ(sbx_records_count(list), 1);
    T_EQ(sbx_records_broken(list), 1);
    T_STR(sbx_records_next(list), "");
    sbx_records_free(list);
    sbx_store_free(store);
    end(&w);
}

/* ---- the lock ---- */

static void with_a_lock(int held, enum sbx_status due) {
    struct world w = begin();
    struct sbx_store *store = opened(&w);
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_record draft = stores_draft(1, ANN), *record = NULL;
    struct sbx_call call = SBX_CALL_INIT;
    sqlite3 *db = NULL;
    T_EQ(sqlite3_open(w.path, &db), SQLITE_OK);
    if (held) T_EQ(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    sbx_call_init_after(&call, sizeof(call), w.env, 150);
    int64_t began = w.env->now_ms(w.env);
    T_STATUS(sbx_store_put_intent(store, &draft, &call, NULL, &err), due);
    if (due) {
        T_TRUE(w.env->now_ms(w.env) - began >= 100); /* it waited for the lock, and no longer than it may */
        T_EQ(err.outcome, SBX_OUTCOME_NOT_SENT);
        T_CONTAINS(err.detail, "lock");
        T_STATUS(sbx_store_get(store, stores_id(1), NULL, &record, NULL), SBX_NOT_FOUND);
    }
    sqlite3_close(db);
    sbx_store_free(store);
    end(&w);
}

static void must_fire_store_sqlite_busy_waits__held(void) {
    with_a_lock(1, SBX_DEADLINE);
}

static void must_not_fire_store_sqlite_busy_waits__free(void) {
    with_a_lock(0, SBX_OK);
}

/* ---- the disk ---- */

static void disk(enum shim_call call, int result, enum sbx_status due, int32_t outcome) {
    struct world w = begin();
    shim_fail(call, 1, 0);
    struct sbx_store *store = opened(&w);
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_record *before = stores_bring(store, 1, ANN, SBX_RECORD_SENT), *after = NULL;
    struct sbx_store_change change = stores_change(before, ANN);
    change.state = SBX_RECORD_DESTROYING;
    shim_fail(call, 1, result);
    T_STATUS(sbx_store_advance(store, &change, NULL, &after, &err), due);
    T_EQ(err.outcome, outcome);
    shim_fail(call, 1, 0);
    after = stores_read(store, before->acquisition);
    if (outcome == SBX_OUTCOME_REFUSED) stores_same(after, before);
    sbx_record_free(after);
    /* The store goes on where the disk does. */
    after = stores_bring(store, 2, ANN, SBX_RECORD_MAPPED);
    sbx_record_free(after);
    sbx_record_free(before);
    sbx_store_free(store);
    end(&w);
}

static void a_full_disk(void) {
    disk(SHIM_WRITE, SQLITE_FULL, SBX_NO_SPACE, SBX_OUTCOME_REFUSED);
}

static void a_disk_that_fails(void) {
    disk(SHIM_WRITE, SQLITE_IOERR_WRITE, SBX_STORE_FAILED, SBX_OUTCOME_UNKNOWN);
    disk(SHIM_SYNC, SQLITE_IOERR_FSYNC, SBX_STORE_FAILED, SBX_OUTCOME_UNKNOWN);
    disk(SHIM_WRITE, SQLITE_READONLY, SBX_FILE_DENIED, SBX_OUTCOME_REFUSED);
}

T_CASES(T_CASE(must_fire_store_sqlite_foreign_version__newer), T_CASE(must_not_fire_store_sqlite_foreign_version__ours),
        T_CASE(another_programs_file), T_CASE(no_database_at_all), T_CASE(paths_that_are_no_file),
        T_CASE(a_file_that_may_not_be_written), T_CASE(corrupt_rows_are_named), T_CASE(a_row_without_a_key),
        T_CASE(must_fire_store_sqlite_busy_waits__held), T_CASE(must_not_fire_store_sqlite_busy_waits__free),
        T_CASE(a_full_disk), T_CASE(a_disk_that_fails))
