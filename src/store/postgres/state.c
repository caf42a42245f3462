/* What the server's SQLSTATE means for a call. Never its words, which may repeat what it was sent. */
#include "src/store/postgres/room.h"

#include <sandport/kit/fail.h>
#include <string.h>

enum meaning { FINAL, AGAIN, LOST };

/* The first whose beginning fits. */
static const struct state {
    const char *begins;
    enum sbx_status status;
    enum meaning meaning;
} states[] = {
    {"40", SBX_CONFLICT, AGAIN},         /* serialisation failure, deadlock */
    {"23505", SBX_CONFLICT, AGAIN},      /* another wrote that key a moment ago: the next look finds it */
    {"28", SBX_UNAUTHORISED, FINAL},     /* authentication */
    {"42501", SBX_FILE_DENIED, FINAL},   /* no privilege */
    {"25006", SBX_FILE_DENIED, FINAL},   /* read-only: a standby, or so configured */
    {"53100", SBX_NO_SPACE, FINAL},      /* disk full */
    {"53300", SBX_CONNECT_FAILED, LOST}, /* too many connections */
    {"57014", SBX_DEADLINE, FINAL},      /* our statement_timeout */
    {"55P03", SBX_DEADLINE, FINAL},      /* our lock_timeout */
    {"57P", SBX_CONNECTION_LOST, LOST},  /* shutting down, starting up */
    {"25P03", SBX_CONNECTION_LOST, LOST}, {"08", SBX_CONNECTION_LOST, LOST}, {"XX001", SBX_STORE_CORRUPT, FINAL},
    {"XX002", SBX_STORE_CORRUPT, FINAL},  {"", SBX_STORE_FAILED, FINAL},
};

enum sbx_status sbx_pg_state(struct pg_round *round, const char *sqlstate) {
    const struct state *state = states;
    while (strncmp(sqlstate, state->begins, strlen(state->begins)) != 0) state++;
    if (state->meaning == AGAIN) round->again = 1;
    if (state->meaning == LOST) round->lost = round->broken = 1;
    /* An error that the server answers to COMMIT undid it; one that ended the connection says nothing. */
    int unknown = round->committing && state->meaning == LOST;
    return sbx_fail(round->err, state->status, unknown ? SBX_OUTCOME_UNKNOWN : SBX_OUTCOME_REFUSED, "PostgreSQL %.5s",
                    sqlstate);
}
