/* Talks HTTP to a simulated Daytona in tests: one line a request. */
#ifndef TESTS_SIM_DAYTONA_ASK_H
#define TESTS_SIM_DAYTONA_ASK_H

#include "sim_ask.h"

/** @param scenario Daytona's part of one, NULL = none */
void ask_init(struct ask *a, const char *scenario);
/** The same with a whole scenario. */
void ask_init_whole(struct ask *a, const char *scenario);

/** One exchange. Paths begin with /; those that hold %s get the id of the last sandbox made. @return the status, 0 =
 * none */
int ask(struct ask *a, const char *method, const char *path, const char *body);
/** The same with a content type and a body of any bytes. */
int ask_raw(struct ask *a, const char *method, const char *path, const char *type, const void *body, size_t len);
/** POST /api/sandbox, which must answer 200. @param body NULL = {} */
void ask_create(struct ask *a, const char *body);
/** The same, and waits until it runs. */
void ask_create_started(struct ask *a, const char *body);
/** POST process/execute with this command as JSON text; returns the status. */
int ask_execute(struct ask *a, const char *body);
/** GET of the last sandbox: its state, or "404". */
const char *ask_state(struct ask *a);

#endif
