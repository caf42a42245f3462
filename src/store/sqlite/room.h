/* What the files of the SQLite store share: a connection with its statements, and how one of them ends. */
#ifndef SRC_STORE_SQLITE_ROOM_H
#define SRC_STORE_SQLITE_ROOM_H

#include <sandport/kit/ops.h>
#include <sandport/kit/store_rules.h>
#include <sqlite3.h>

enum statement {
    STATEMENT_BEGIN,
    STATEMENT_COMMIT,
    STATEMENT_ROLLBACK,
    STATEMENT_BY_ACQUISITION,
    STATEMENT_BY_LOCATOR,
    STATEMENT_PUT,
    STATEMENT_PUT_LABEL,
    STATEMENT_REMOVE,
    STATEMENT_REMOVE_LABELS,
    STATEMENT_COUNT
};

/** One connection, used by one thread at a time. */
struct sbx_sqlite_link {
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENT_COUNT]; /* prepared at their first use */
};

struct sbx_sqlite_store {
    struct sbx_env *env;
    struct sbx_store_pool *pool; /* of struct sbx_sqlite_link */
    char *path;
};

/* The columns of a record, in this order. */
#define RECORD_COLUMNS                                                                                                 \
    "acquisition, locator, provider, pool, sandbox_id, request, owner, labels, attempt, state, generation, lease"

/** What SQLite's result means, with its extended number in the detail. SQLITE_BUSY and SQLITE_LOCKED are asked before:
 *  sbx_sqlite_is_busy(). */
enum sbx_status sbx_sqlite_status(sqlite3 *db, int rc, enum sbx_outcome outcome, struct sbx_error *err);
int sbx_sqlite_is_busy(int rc);

/** Opens the file. @return a result of SQLite's; anything but SQLITE_OK leaves no connection */
int sbx_sqlite_link_open(const char *path, struct sbx_sqlite_link **out);
void sbx_sqlite_link_close(void *link);

/** A statement, reset and with nothing bound. @return SQLITE_OK or why it cannot be prepared */
int sbx_sqlite_statement(struct sbx_sqlite_link *link, enum statement text, sqlite3_stmt **out);
/** Runs one that has no rows and nothing to bind. */
int sbx_sqlite_run(struct sbx_sqlite_link *link, enum statement text);

/** Makes the tables of a new file, or refuses one that is not ours. In a transaction of its own. `rc` is busy when
 *  it is to be tried again. */
enum sbx_status sbx_sqlite_schema(struct sbx_sqlite_link *link, int *rc, struct sbx_error *err);

/** The record that a row is. The statement stands on the row. @return also SBX_STORE_CORRUPT */
enum sbx_status sbx_sqlite_row(sqlite3_stmt *row, struct sbx_record **out, struct sbx_error *err);
/** The same into a list. */
enum sbx_status sbx_sqlite_row_into(sqlite3_stmt *row, struct sbx_records *into, struct sbx_error *err);

/** One attempt at the work of a call. @param rc what SQLite said last; busy means that all was undone, to be tried
 * again
 */
typedef enum sbx_status (*sbx_sqlite_work_fn)(struct sbx_sqlite_store *self, struct sbx_sqlite_link *link, void *ctx,
                                              int *rc, struct sbx_error *err);

/** Tries until it is not busy, the deadline or a cancel. */
enum sbx_status sbx_sqlite_try(struct sbx_sqlite_store *self, sbx_sqlite_work_fn work, void *ctx,
                               const struct sbx_call *call, struct sbx_error *err);

enum sbx_status sbx_sqlite_find(void *ctx, const struct sbx_store_query *query, const struct sbx_call *call,
                                struct sbx_records *into, struct sbx_error *err);
enum sbx_status sbx_sqlite_list_unfinished(void *ctx, const struct sbx_store_query *query, const struct sbx_call *call,
                                           struct sbx_records *into, struct sbx_error *err);

#endif
