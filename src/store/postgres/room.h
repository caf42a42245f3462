/* What the files of the PostgreSQL store share: a connection, and one attempt at the work of a call. */
#ifndef SRC_STORE_POSTGRES_ROOM_H
#define SRC_STORE_POSTGRES_ROOM_H

#include <libpq-fe.h>
#include <sandport/kit/ops.h>
#include <sandport/kit/store_rules.h>

#define PG_SCHEMA_SIZE 51 /* 48 bytes in double quotes, with NUL */

struct pg_store {
    struct sbx_env *env;
    struct sbx_store_pool *pool; /* of struct pg_link */
    char *connection;
    char schema[PG_SCHEMA_SIZE]; /* in double quotes, to be written into statements */
    int64_t reconnect_ms;
};

/** One connection, used by one thread at a time. */
struct pg_link {
    PGconn *conn;
    int has_tables; /* the schema was looked at on this connection */
};

/** One attempt, and how it ended when it did not end well. */
struct pg_round {
    struct pg_store *self;
    struct pg_link *link;
    const struct sbx_call *call;
    struct sbx_error *err;
    int committing; /* COMMIT was given to the wire: what fails from here on may have been done */
    int again;      /* the server undid it for the sake of another transaction: to be tried again */
    int lost;       /* the connection is gone: to be tried on another one */
    int broken;     /* the connection is not to be used again */
};

/* The columns of a record, in this order; "stamp" is of the write that was last. */
#define PG_COLUMNS                                                                                                     \
    "acquisition, locator, provider, pool, sandbox_id, request, owner, labels, attempt, state, generation, lease, "    \
    "stamp"
enum { PG_COLUMN_LABELS = 7, PG_COLUMN_ATTEMPT = 8, PG_COLUMN_STAMP = 12 };

/** What an SQLSTATE means, with it in the detail; sets again or lost as it says. */
enum sbx_status sbx_pg_state(struct pg_round *round, const char *sqlstate);

/** Connects, until the call's deadline. @return SBX_CONNECT_FAILED with round->lost if no server answers */
enum sbx_status sbx_pg_connect(struct pg_round *round);
void sbx_pg_close(void *link);

/** Sends one statement, or several without parameters, and waits for the end of all of them.
 *  @param values all of them text @param out the last result, PQclear() it; NULL on failure. May be NULL */
enum sbx_status sbx_pg_run(struct pg_round *round, const char *sql, int count, const char *const *values,
                           PGresult **out);

/** Begins a transaction whose statements end with the call's deadline. @param how "" or more words for BEGIN */
enum sbx_status sbx_pg_begin(struct pg_round *round, const char *how);
enum sbx_status sbx_pg_commit(struct pg_round *round);
/** Undoes what was begun; where that is not possible the connection is not used again. */
void sbx_pg_rollback(struct pg_round *round);

/** Looks once on each connection whether the tables are there and this release's, and makes them if there are none. */
enum sbx_status sbx_pg_schema(struct pg_round *round);

/** The record that a row is. @return also SBX_STORE_CORRUPT */
enum sbx_status sbx_pg_row(const PGresult *rows, int row, struct sbx_record **out, struct sbx_error *err);
enum sbx_status sbx_pg_row_into(const PGresult *rows, int row, struct sbx_records *into, struct sbx_error *err);
/** A column as text; NULL where it is null. */
const char *sbx_pg_text(const PGresult *rows, int row, int column);

/** One attempt at the work of a call, on a connection whose tables are there. */
typedef enum sbx_status (*pg_work_fn)(struct pg_round *round, void *ctx);

/** Tries until it is done, or will not be. */
enum sbx_status sbx_pg_try(struct pg_store *self, pg_work_fn work, void *ctx, const struct sbx_call *call,
                           struct sbx_error *err);

enum sbx_status sbx_pg_get(void *ctx, const char *key, const struct sbx_call *call, struct sbx_record **out,
                           struct sbx_error *err);
enum sbx_status sbx_pg_find(void *ctx, const struct sbx_store_query *query, const struct sbx_call *call,
                            struct sbx_records *into, struct sbx_error *err);
enum sbx_status sbx_pg_list_unfinished(void *ctx, const struct sbx_store_query *query, const struct sbx_call *call,
                                       struct sbx_records *into, struct sbx_error *err);

#endif
