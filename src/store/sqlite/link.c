/* A connection to the file: how it is opened, its statements, and what SQLite's results mean. */
#include "src/store/sqlite/room.h"

#include <sandport/kit/fail.h>
#include <stdlib.h>

/* Every change is synced before it is acknowledged: synchronous=FULL, also in WAL mode. Nothing waits inside SQLite,
 * whose clock is not the env's. */
#define SETTINGS "PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"

static const char *const texts[STATEMENT_COUNT] = {
    [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
    [STATEMENT_COMMIT] = "COMMIT",
    [STATEMENT_ROLLBACK] = "ROLLBACK",
    [STATEMENT_BY_ACQUISITION] = "SELECT " RECORD_COLUMNS " FROM record WHERE acquisition = ?1",
    [STATEMENT_BY_LOCATOR] = "SELECT " RECORD_COLUMNS " FROM record WHERE locator = ?1 AND locator <> ''",
    [STATEMENT_PUT] = "INSERT INTO record (" RECORD_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
                      "?12) ON CONFLICT (acquisition) DO UPDATE SET locator = ?2, sandbox_id = ?5, owner = ?7, "
                      "state = ?10, generation = ?11, lease = ?12",
    [STATEMENT_PUT_LABEL] = "INSERT INTO label (key, acquisition) VALUES (?1, ?2)",
    [STATEMENT_REMOVE] = "DELETE FROM record WHERE acquisition = ?1",
    [STATEMENT_REMOVE_LABELS] = "DELETE FROM label WHERE acquisition = ?1",
};

int sbx_sqlite_is_busy(int rc) {
    return (rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED;
}

enum sbx_status sbx_sqlite_status(sqlite3 *db, int rc, enum sbx_outcome outcome, struct sbx_error *err) {
    int extended = db ? sqlite3_extended_errcode(db) : rc;
    if ((extended & 0xff) != (rc & 0xff)) extended = rc;
    switch (rc & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return SBX_OK;
    case SQLITE_NOMEM:
        return sbx_fail(err, SBX_NO_MEMORY, outcome, NULL);
    case SQLITE_FULL:
        return sbx_fail(err, SBX_NO_SPACE, outcome, "the store's disk is full (SQLite %d)", extended);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
        return sbx_fail(err, SBX_FILE_DENIED, outcome, "the store's file cannot be opened or written (SQLite %d)",
                        extended);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return sbx_fail(err, SBX_STORE_CORRUPT, outcome, "the store's file is no database or a damaged one (SQLite %d)",
                        extended);
    default:
        return sbx_fail(err, SBX_STORE_FAILED, outcome, "SQLite %d", extended);
    }
}

int sbx_sqlite_link_open(const char *path, struct sbx_sqlite_link **out) {
    int rc = SQLITE_NOMEM;
    struct sbx_sqlite_link *link = calloc(1, sizeof(*link));
    if (!link) return rc;
    rc = sqlite3_open_v2(path, &link->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK && sqlite3_db_readonly(link->db, "main") == 1) rc = SQLITE_READONLY;
    if (rc == SQLITE_OK) rc = sqlite3_exec(link->db, SETTINGS, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        *out = link;
    else
        sbx_sqlite_link_close(link);
    return rc;
}

void sbx_sqlite_link_close(void *ctx) {
    struct sbx_sqlite_link *link = ctx;
    if (!link) return;
    for (int i = 0; i < STATEMENT_COUNT; i++) sqlite3_finalize(link->statements[i]);
    sqlite3_close(link->db);
    free(link);
}

int sbx_sqlite_statement(struct sbx_sqlite_link *link, enum statement text, sqlite3_stmt **out) {
    sqlite3_stmt **kept = &link->statements[text];
    if (!*kept) {
        int rc = sqlite3_prepare_v3(link->db, texts[text], -1, SQLITE_PREPARE_PERSISTENT, kept, NULL);
        if (rc != SQLITE_OK) return rc;
    }
    sqlite3_reset(*kept);
    sqlite3_clear_bindings(*kept);
    *out = *kept;
    return SQLITE_OK;
}

int sbx_sqlite_run(struct sbx_sqlite_link *link, enum statement text) {
    sqlite3_stmt *statement = NULL;
    int rc = sbx_sqlite_statement(link, text, &statement);
    if (rc != SQLITE_OK) return rc;
    rc = sqlite3_step(statement);
    sqlite3_reset(statement);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}
