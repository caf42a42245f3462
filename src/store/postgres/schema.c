/* The tables, their version, and how they are made once by many who come at the same time. */
#include "src/store/postgres/room.h"

#include <sandport/kit/fail.h>
#include <string.h>

#define VERSION   1
#define TEXT(x)   #x
#define NUMBER(x) TEXT(x)
#define LOCK      "6001237231140061233" /* of all who make tables of this store, whatever their schema */

/* @ is the schema. `labels` is the whole truth about a record's labels; `label` only finds them. */
static const char tables[] =
    "CREATE SCHEMA IF NOT EXISTS @;"
    "CREATE TABLE @.record (acquisition text COLLATE \"C\" NOT NULL PRIMARY KEY, locator text COLLATE \"C\" NOT NULL, "
    "provider text NOT NULL, pool text NOT NULL, sandbox_id text NOT NULL, request text NOT NULL, owner text NOT NULL, "
    "labels text NOT NULL, attempt integer NOT NULL, state integer NOT NULL, generation bigint NOT NULL, "
    "lease bigint NOT NULL, stamp text NOT NULL);"
    "CREATE UNIQUE INDEX record_locator ON @.record (locator) WHERE locator <> '';"
    "CREATE INDEX record_unfinished ON @.record (acquisition) WHERE state IN (1, 2, 3, 6);"
    "CREATE TABLE @.label (key text COLLATE \"C\" NOT NULL, acquisition text COLLATE \"C\" NOT NULL, "
    "PRIMARY KEY (key, acquisition));"
    "CREATE INDEX label_acquisition ON @.label (acquisition);"
    "CREATE TABLE @.version (version integer NOT NULL);"
    "INSERT INTO @.version (version) VALUES (" NUMBER(VERSION) ")";

static enum sbx_status run_text(struct pg_round *round, struct sbx_buf *sql, PGresult **out) {
    enum sbx_status st = sbx_buf_status(sql);
    if (st)
        sbx_fail(round->err, st, SBX_OUTCOME_NOT_SENT, NULL);
    else
        st = sbx_pg_run(round, sql->data, 0, NULL, out);
    sbx_buf_finish(sql);
    return st;
}

/* Is there a table of versions? */
static enum sbx_status look(struct pg_round *round, int *is_there) {
    struct sbx_buf sql = SBX_BUF_INIT;
    PGresult *rows = NULL;
    /* From the tables of the catalogue: to_regclass() may answer what it saw before the wait for the lock. */
    sbx_buf_printf(
        &sql,
        "SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = '%.*s' AND c.relname = 'version'",
        (int)strlen(round->self->schema) - 2, round->self->schema + 1);
    enum sbx_status st = run_text(round, &sql, &rows);
    if (!st) *is_there = PQntuples(rows) == 1 && strcmp(PQgetvalue(rows, 0, 0), "1") == 0;
    PQclear(rows);
    return st;
}

static enum sbx_status check_version(struct pg_round *round) {
    struct sbx_buf sql = SBX_BUF_INIT;
    PGresult *rows = NULL;
    int64_t version = -1;
    sbx_buf_printf(&sql, "SELECT version FROM %s.version", round->self->schema);
    enum sbx_status st = run_text(round, &sql, &rows);
    if (!st && (PQntuples(rows) != 1 || !sbx_text_int(PQgetvalue(rows, 0, 0), 0, INT32_MAX, &version))) version = -1;
    PQclear(rows);
    if (st) return st;
    if (version == VERSION) return SBX_OK; /* guard: store_postgres_foreign_version */
    return sbx_fail(round->err, SBX_STORE_VERSION, SBX_OUTCOME_REFUSED, "schema version %lld, expected %d",
                    (long long)version, VERSION);
}

/* One makes them, and whoever waited for the lock finds them made. */
static enum sbx_status make_tables(struct pg_round *round) {
    struct sbx_buf sql = SBX_BUF_INIT;
    int is_there = 0;
    enum sbx_status st = sbx_pg_run(round, "SELECT pg_advisory_xact_lock(" LOCK ")", 0, NULL, NULL);
    if (!st) st = look(round, &is_there);
    if (st || is_there) return st;
    for (const char *at = tables; *at; at++) {
        if (*at == '@')
            sbx_buf_text_append(&sql, round->self->schema);
        else
            sbx_buf_char(&sql, *at);
    }
    return run_text(round, &sql, NULL);
}

enum sbx_status sbx_pg_schema(struct pg_round *round) {
    int is_there = 0;
    if (round->link->has_tables) return SBX_OK;
    /* Each statement must see what was committed while it waited for the lock, whatever the server's default is. */
    enum sbx_status st = sbx_pg_begin(round, " ISOLATION LEVEL READ COMMITTED");
    if (!st) st = look(round, &is_there);
    if (!st && !is_there) st = make_tables(round);
    if (!st) st = check_version(round);
    if (!st) st = sbx_pg_commit(round);
    if (st) {
        sbx_pg_rollback(round);
        /* Of the caller's own change nothing was sent yet, whatever became of the tables. */
        round->committing = 0;
        if (round->err) round->err->outcome = SBX_OUTCOME_NOT_SENT;
        return st;
    }
    round->link->has_tables = 1;
    return SBX_OK;
}
