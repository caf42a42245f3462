/* A connection: libpq without blocking, so that the env's clock and a cancel end every wait. */
#include "src/store/postgres/room.h"

#include <errno.h>
#include <poll.h>
#include <sandport/kit/fail.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_MS       50    /* the longest wait without a look at the clock and the cancel */
#define IDLE_MS        10000 /* the server ends a transaction of one that fell asleep in it, so that others get on */
#define TIMEOUT_MS_MAX 86400000

/* ---- waiting ---- */

static enum sbx_status over(struct pg_round *round, enum sbx_status st) {
    round->broken = 1;
    return sbx_fail(round->err, st, round->committing ? SBX_OUTCOME_UNKNOWN : SBX_OUTCOME_NOT_SENT,
                    "waiting for PostgreSQL");
}

static enum sbx_status lost(struct pg_round *round, enum sbx_status st) {
    round->lost = round->broken = 1;
    return sbx_fail(round->err, st, round->committing ? SBX_OUTCOME_UNKNOWN : SBX_OUTCOME_NOT_SENT,
                    "no connection to PostgreSQL");
}

static enum sbx_status no_memory(struct pg_round *round) {
    round->broken = 1;
    return sbx_fail(round->err, SBX_NO_MEMORY, round->committing ? SBX_OUTCOME_UNKNOWN : SBX_OUTCOME_NOT_SENT, NULL);
}

static enum sbx_status wait_for(struct pg_round *round, short events) {
    struct sbx_env *env = round->self->env;
    struct pollfd socket = {.fd = PQsocket(round->link->conn), .events = events};
    for (;;) {
        enum sbx_status st = sbx_call_check(round->call, env);
        if (st) return over(round, st);
        int64_t left_ms = round->call->deadline_ms - env->now_ms(env);
        int n = poll(&socket, 1, left_ms < SLICE_MS ? (int)(left_ms < 0 ? 0 : left_ms) : SLICE_MS);
        if (n > 0) return SBX_OK;
        if (n < 0 && errno != EINTR) return lost(round, SBX_CONNECTION_LOST);
    }
}

/* ---- connecting ---- */

/* libpq prints notices unless it is told not to. */
static void no_notice(void *ctx, const char *message) {
    (void)ctx;
    (void)message;
}

/* An SQLSTATE is all that the server says, last, with the verbosity that was asked for; it is 5 characters. */
static int message_state(PGconn *conn, char *sqlstate) {
    const char *message = PQerrorMessage(conn);
    size_t len = strlen(message);
    while (len && (message[len - 1] == '\n' || message[len - 1] == ' ')) len--;
    if (len < 6 || message[len - 6] != ' ') return 0;
    memcpy(sqlstate, message + len - 5, 5);
    sqlstate[5] = 0;
    return strspn(sqlstate, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5;
}

static enum sbx_status refused(struct pg_round *round) {
    char sqlstate[6];
    PGconn *conn = round->link->conn;
    if (message_state(conn, sqlstate)) return sbx_pg_state(round, sqlstate);
    if (PQconnectionNeedsPassword(conn))
        return sbx_fail(round->err, SBX_UNAUTHORISED, SBX_OUTCOME_NOT_SENT, "PostgreSQL asks for a password");
    return lost(round, SBX_CONNECT_FAILED);
}

enum sbx_status sbx_pg_connect(struct pg_round *round) {
    static const char *const names[] = {"dbname", "client_encoding", "fallback_application_name", NULL};
    const char *const values[] = {round->self->connection, "UTF8", "sandport", NULL};
    struct pg_link *link = calloc(1, sizeof(*link));
    if (!link) return no_memory(round);
    round->link = link;
    link->conn = PQconnectStartParams(names, values, 1);
    if (!link->conn) return no_memory(round);
    if (PQstatus(link->conn) == CONNECTION_BAD) return refused(round);
    PQsetNoticeProcessor(link->conn, no_notice, NULL);
    PQsetErrorVerbosity(link->conn, PQERRORS_SQLSTATE);
    for (PostgresPollingStatusType next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK;) {
        enum sbx_status st = wait_for(round, next == PGRES_POLLING_READING ? POLLIN : POLLOUT);
        if (st) return st;
        next = PQconnectPoll(link->conn);
        if (next == PGRES_POLLING_FAILED) return refused(round);
    }
    return PQsetnonblocking(link->conn, 1) ? no_memory(round) : SBX_OK;
}

void sbx_pg_close(void *ctx) {
    struct pg_link *link = ctx;
    if (!link) return;
    PQfinish(link->conn);
    free(link);
}

/* ---- statements ---- */

static enum sbx_status flush(struct pg_round *round) {
    int left = 0;
    while ((left = PQflush(round->link->conn)) > 0) {
        enum sbx_status st = wait_for(round, POLLIN | POLLOUT);
        if (st) return st;
        if (!PQconsumeInput(round->link->conn)) return lost(round, SBX_CONNECTION_LOST);
    }
    return left < 0 ? lost(round, SBX_CONNECTION_LOST) : SBX_OK;
}

/* The next result when it is whole; NULL after the last. */
static enum sbx_status next_result(struct pg_round *round, PGresult **out) {
    while (PQisBusy(round->link->conn)) {
        enum sbx_status st = wait_for(round, POLLIN);
        if (st) return st;
        if (!PQconsumeInput(round->link->conn)) return lost(round, SBX_CONNECTION_LOST);
    }
    *out = PQgetResult(round->link->conn);
    return SBX_OK;
}

/* What one result means; anything but an answer of a statement is an error of its own or the end of the connection. */
static enum sbx_status judge(struct pg_round *round, const PGresult *result) {
    ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY) return SBX_OK;
    const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (sqlstate) return sbx_pg_state(round, sqlstate);
    if (PQstatus(round->link->conn) == CONNECTION_BAD) return lost(round, SBX_CONNECTION_LOST);
    return no_memory(round); /* libpq's own failures that leave the connection as it is */
}

enum sbx_status sbx_pg_run(struct pg_round *round, const char *sql, int count, const char *const *values,
                           PGresult **out) {
    PGconn *conn = round->link->conn;
    PGresult *last = NULL, *result = NULL;
    int sent = count ? PQsendQueryParams(conn, sql, count, NULL, values, NULL, NULL, 0) : PQsendQuery(conn, sql);
    if (!sent && PQstatus(conn) != CONNECTION_BAD) return no_memory(round);
    enum sbx_status st = sent ? flush(round) : lost(round, SBX_CONNECTION_LOST);
    while (!round->broken) {
        enum sbx_status waited = next_result(round, &result);
        if (!st) st = waited;
        if (waited || !result) break;
        if (!st) st = judge(round, result);
        PQclear(last);
        last = result;
    }
    if (st || !out) {
        PQclear(last);
        return st;
    }
    *out = last;
    return SBX_OK;
}

/* ---- transactions ---- */

enum sbx_status sbx_pg_begin(struct pg_round *round, const char *how) {
    struct sbx_env *env = round->self->env;
    struct sbx_buf sql = SBX_BUF_INIT;
    int64_t left_ms =
        round->call->deadline_ms == SBX_NO_DEADLINE ? TIMEOUT_MS_MAX : round->call->deadline_ms - env->now_ms(env);
    if (left_ms > TIMEOUT_MS_MAX) left_ms = TIMEOUT_MS_MAX;
    if (left_ms < 1) left_ms = 1;
    /* What is acknowledged is flushed, also where the server is told not to by default. */
    sbx_buf_printf(&sql,
                   "BEGIN%s; SET LOCAL statement_timeout = %d; SET LOCAL lock_timeout = %d; "
                   "SET LOCAL idle_in_transaction_session_timeout = %d; "
                   "SELECT set_config('synchronous_commit', 'on', true) "
                   "WHERE current_setting('synchronous_commit') = 'off'",
                   how, (int)left_ms, (int)left_ms, IDLE_MS);
    enum sbx_status st = sbx_buf_status(&sql) ? no_memory(round) : sbx_pg_run(round, sql.data, 0, NULL, NULL);
    sbx_buf_finish(&sql);
    return st;
}

enum sbx_status sbx_pg_commit(struct pg_round *round) {
    PGresult *result = NULL;
    round->committing = 1;
    enum sbx_status st = sbx_pg_run(round, "COMMIT", 0, NULL, &result);
    if (!st && strcmp(PQcmdStatus(result), "COMMIT") != 0)
        st = sbx_fail(round->err, SBX_STORE_FAILED, SBX_OUTCOME_REFUSED, "PostgreSQL rolled the transaction back");
    PQclear(result);
    if (!round->broken) round->committing = 0;
    return st;
}

void sbx_pg_rollback(struct pg_round *round) {
    if (round->broken || PQtransactionStatus(round->link->conn) == PQTRANS_IDLE) return;
    struct sbx_error *err = round->err;
    int again = round->again;
    round->err = NULL; /* the first failure stays */
    if (sbx_pg_run(round, "ROLLBACK", 0, NULL, NULL)) round->broken = 1;
    round->err = err;
    round->again = again;
    round->lost = 0;
}
