/* The tables, their version, and whose file it is. docs/stores.md has them for people. */
#include "src/store/sqlite/room.h"

#include <sandport/kit/fail.h>

#define OURS      0x53425831 /* "SBX1", the file's application id */
#define VERSION   1
#define TEXT(x)   #x
#define NUMBER(x) TEXT(x)

/* `labels` is the whole truth about a record's labels; `label` only finds them, by a hash of name and value. */
static const char tables[] =
    "CREATE TABLE record ("
    "acquisition TEXT NOT NULL PRIMARY KEY, locator TEXT NOT NULL, provider TEXT NOT NULL, "
    "pool TEXT NOT NULL, sandbox_id TEXT NOT NULL, request TEXT NOT NULL, owner TEXT NOT NULL, "
    "labels TEXT NOT NULL, attempt INTEGER NOT NULL, state INTEGER NOT NULL, "
    "generation INTEGER NOT NULL, lease INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE UNIQUE INDEX record_locator ON record (locator) WHERE locator <> '';"
    "CREATE INDEX record_unfinished ON record (acquisition) WHERE state IN (1, 2, 3, 6);"
    "CREATE TABLE label (key TEXT NOT NULL, acquisition TEXT NOT NULL, "
    "PRIMARY KEY (key, acquisition)) WITHOUT ROWID;"
    "CREATE INDEX label_acquisition ON label (acquisition);"
    "PRAGMA application_id = " NUMBER(OURS) ";"
                                            "PRAGMA user_version = " NUMBER(VERSION) ";";

/* The one number that a statement answers. */
static int number_of(sqlite3 *db, const char *sql, int64_t *out) {
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW) {
        *out = sqlite3_column_int64(statement, 0);
        rc = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return rc;
}

static enum sbx_status refuse_foreign(int64_t application, int64_t version, struct sbx_error *err) {
    if (application != OURS)
        return sbx_fail(err, SBX_STORE_VERSION, SBX_OUTCOME_REFUSED, "the file is a database of another program");
    return sbx_fail(err, SBX_STORE_VERSION, SBX_OUTCOME_REFUSED, "schema version %lld, expected %d", (long long)version,
                    VERSION);
}

/* In a transaction that keeps others from making the tables too. */
static enum sbx_status make_tables(struct sbx_sqlite_link *link, int *rc, struct sbx_error *err) {
    int64_t application = 0, version = 0, things = 0;
    *rc = number_of(link->db, "PRAGMA application_id", &application);
    if (*rc == SQLITE_OK) *rc = number_of(link->db, "PRAGMA user_version", &version);
    if (*rc == SQLITE_OK) *rc = number_of(link->db, "SELECT count(*) FROM sqlite_master", &things);
    if (*rc != SQLITE_OK) return sbx_sqlite_status(link->db, *rc, SBX_OUTCOME_REFUSED, err);
    if (application == OURS && version == VERSION) return SBX_OK;
    if (application || version || things) /* guard: store_sqlite_foreign_version */
        return refuse_foreign(application, version, err);
    *rc = sqlite3_exec(link->db, tables, NULL, NULL, NULL);
    return sbx_sqlite_status(link->db, *rc, SBX_OUTCOME_REFUSED, err);
}

/* Readers and the writer do not wait for each other in this mode, which the file remembers. */
static enum sbx_status use_wal(struct sbx_sqlite_link *link, int *rc, struct sbx_error *err) {
    sqlite3_stmt *statement = NULL;
    int is_wal = 0;
    *rc = sqlite3_prepare_v2(link->db, "PRAGMA journal_mode = WAL", -1, &statement, NULL);
    if (*rc == SQLITE_OK) *rc = sqlite3_step(statement);
    if (*rc == SQLITE_ROW) is_wal = sqlite3_stricmp((const char *)sqlite3_column_text(statement, 0), "wal") == 0;
    if (*rc == SQLITE_ROW) *rc = SQLITE_OK;
    sqlite3_finalize(statement);
    if (*rc != SQLITE_OK) return sbx_sqlite_status(link->db, *rc, SBX_OUTCOME_REFUSED, err);
    if (is_wal) return SBX_OK;
    return sbx_fail(err, SBX_STORE_FAILED, SBX_OUTCOME_REFUSED,
                    "the file system does not take SQLite's WAL mode: expected a local disk");
}

enum sbx_status sbx_sqlite_schema(struct sbx_sqlite_link *link, int *rc, struct sbx_error *err) {
    int64_t things = 0, application = 0;
    /* Before anything is written, lest another program's file be changed. Whoever makes our tables makes the id with
     * them, so that it is there when they are. */
    *rc = number_of(link->db, "SELECT count(*) FROM sqlite_master", &things);
    if (*rc == SQLITE_OK) *rc = number_of(link->db, "PRAGMA application_id", &application);
    if (*rc != SQLITE_OK) return sbx_sqlite_status(link->db, *rc, SBX_OUTCOME_REFUSED, err);
    if (things && application != OURS) return refuse_foreign(application, 0, err);
    enum sbx_status st = use_wal(link, rc, err);
    if (st) return st;
    *rc = sbx_sqlite_run(link, STATEMENT_BEGIN);
    if (*rc != SQLITE_OK) return sbx_sqlite_status(link->db, *rc, SBX_OUTCOME_REFUSED, err);
    st = make_tables(link, rc, err);
    if (!st) {
        *rc = sbx_sqlite_run(link, STATEMENT_COMMIT);
        st = sbx_sqlite_status(link->db, *rc, SBX_OUTCOME_REFUSED, err);
    }
    if (!sqlite3_get_autocommit(link->db)) sbx_sqlite_run(link, STATEMENT_ROLLBACK);
    return st;
}
