/* Talks HTTP to a simulated cloud in tests: what one exchange brought lies there to be asserted on. What is a cloud's
 * own
 * - who asks, where, for what - is in the ask.h beside its tests. */
#ifndef TESTS_SUPPORT_SIM_ASK_H
#define TESTS_SUPPORT_SIM_ASK_H

#include "t.h"

#include <sandport/kit/buf.h>
#include <sandport/kit/json.h>
#include <sandport/kit/text.h>
#include <sandport/sim.h>

struct ask {
    struct sbx_sim *sim;
    const char *key;           /* the credential; NULL = none */
    const char *host;          /* "http://e2b.sim" */
    int chunked;               /* send bodies without a length */
    int no_headers;            /* E2B: requests to envd do not name the sandbox */
    struct sbx_header more[8]; /* sent besides, until more_count is set back */
    size_t more_count;
    int64_t deadline_ms;        /* of an exchange, from its beginning; 0 = ten minutes */
    enum sbx_evidence evidence; /* of the last exchange, as are the following */
    int status;
    struct sbx_buf body;
    struct sbx_buf headers; /* "name: value\n" */
    struct sbx_buf events;  /* E2B, of a stream: "0 {...}\n2 {}\n", a line an envelope; "cut\n" for half of one */
    struct sbx_json *js;    /* of the body, NULL if it is no JSON */
    char id[64];            /* of the last sandbox made */
    char token[80];         /* E2B: and its token; "" = none is sent */
};

/** @param scenario a whole one, NULL = all healthy */
void ask_begin(struct ask *a, const char *scenario, const char *key, const char *host);
void ask_finish(struct ask *a);

/** One exchange with these headers and `more`. Paths that hold %s get the id of the last sandbox made. @param headers
 * has room for 8 more @return the status, 0 = none */
int ask_exchange(struct ask *a, const char *method, const char *path, struct sbx_header *headers, size_t count,
                 const void *body, size_t len);

/** A header for all that follows; texts are lent. */
void ask_header(struct ask *a, const char *name, const char *value);
/** Members of the answer's object. */
const char *ask_text(struct ask *a, const char *member);
int64_t ask_int(struct ask *a, const char *member);

void ask_pass_ms(struct ask *a, int64_t ms);
int64_t ask_now_ms(struct ask *a);
int64_t ask_fault(struct ask *a, const struct sbx_fault *fault);

#endif
