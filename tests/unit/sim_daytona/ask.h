/* Talks HTTP to a simulated Daytona in tests: one line a request, what came back lying there to be asserted on. */
#ifndef TESTS_SIM_DAYTONA_ASK_H
#define TESTS_SIM_DAYTONA_ASK_H

#include "t.h"

#include <sandport/kit/buf.h>
#include <sandport/kit/json.h>
#include <sandport/kit/text.h>
#include <sandport/sim.h>

struct ask {
    struct sbx_sim *sim;
    const char *key;           /* sent as the credential; NULL = none */
    int chunked;               /* send bodies without a length */
    struct sbx_header more[8]; /* sent besides, until more_count is set back */
    size_t more_count;
    int64_t deadline_ms;        /* of an exchange, from its beginning; 0 = ten minutes */
    enum sbx_evidence evidence; /* of the last exchange, as are the following */
    int status;
    struct sbx_buf body;
    struct sbx_buf headers; /* "name: value\n" */
    struct sbx_json *js;    /* of the body, NULL if it is no JSON */
    char id[64];            /* of the last sandbox made */
};

/** @param scenario Daytona's part of one, NULL = none */
void ask_init(struct ask *a, const char *scenario);
/** The same with a whole scenario. */
void ask_init_whole(struct ask *a, const char *scenario);
void ask_finish(struct ask *a);

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

/** A header for all that follows; texts are lent. */
void ask_header(struct ask *a, const char *name, const char *value);

/** Members of the answer's object. */
const char *ask_text(struct ask *a, const char *member);
int64_t ask_int(struct ask *a, const char *member);
/** GET of the last sandbox: its state, or "404". */
const char *ask_state(struct ask *a);
void ask_pass_ms(struct ask *a, int64_t ms);
int64_t ask_fault(struct ask *a, const struct sbx_fault *fault);
int64_t ask_now_ms(struct ask *a);

#endif
