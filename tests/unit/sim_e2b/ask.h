/* Talks HTTP to a simulated E2B in tests: one line a request, what came back lying there to be asserted on. */
#ifndef TESTS_SIM_E2B_ASK_H
#define TESTS_SIM_E2B_ASK_H

#include "t.h"

#include <sandport/kit/buf.h>
#include <sandport/kit/json.h>
#include <sandport/kit/text.h>
#include <sandport/sim.h>

struct ask {
    struct sbx_sim *sim;
    const char *key;           /* of the control plane; NULL = none */
    const char *host;          /* "http://e2b.sim" unless set */
    int no_headers;            /* requests to envd do not name the sandbox */
    struct sbx_header more[8]; /* sent besides, until more_count is set back */
    size_t more_count;
    int64_t deadline_ms;        /* of an exchange, from its beginning; 0 = ten minutes */
    enum sbx_evidence evidence; /* of the last exchange, as are the following */
    int status;
    struct sbx_buf body;
    struct sbx_buf headers; /* "name: value\n" */
    struct sbx_buf events;  /* of a stream: "0 {...}\n2 {}\n", a line an envelope; "cut\n" for half of one */
    struct sbx_json *js;    /* of the body, NULL if it is no JSON */
    char id[64];            /* of the last sandbox made */
    char token[80];         /* and its token; "" = none is sent */
};

/** @param scenario E2B's part of one, NULL = none */
void ask_init(struct ask *a, const char *scenario);
void ask_finish(struct ask *a);

/** One exchange with the control plane. Paths that hold %s get the id of the last sandbox made. @return the status, 0 =
 * none */
int ask(struct ask *a, const char *method, const char *path, const char *body);
/** One exchange with envd of the last sandbox. */
int ask_envd(struct ask *a, const char *method, const char *path, const char *type, const void *body, size_t len);
/** A unary call, "process.Process/List". */
int ask_rpc(struct ask *a, const char *method, const char *json);
/** A streaming call: the request enveloped, the answer taken apart into `events`. */
int ask_stream(struct ask *a, const char *method, const char *json);
/** Starts a command by bash -l -c and takes its stream. `rest` is more of the message, as ",\"stdin\":true"; may be
 *  NULL */
int ask_run(struct ask *a, const char *command, const char *rest);
/** POST /v2/sandboxes, which must answer 201. @param body NULL = the template alone */
void ask_create(struct ask *a, const char *body);

void ask_header(struct ask *a, const char *name, const char *value);
const char *ask_text(struct ask *a, const char *member);
int64_t ask_int(struct ask *a, const char *member);
/** GET of the last sandbox: its state, or "404". */
const char *ask_state(struct ask *a);
void ask_pass_ms(struct ask *a, int64_t ms);
int64_t ask_fault(struct ask *a, const struct sbx_fault *fault);
int64_t ask_now_ms(struct ask *a);
/** What the events say was written to standard output ("stdout") or error. Lent until the next call. */
const char *ask_output(struct ask *a, const char *stream);

/** A caller of its own that listens to a stream until it ends. Zeroed; run by ask_listen(). */
struct listener {
    struct ask *a; /* whose sandbox */
    const char *method, *json, *timeout_ms;
    struct sbx_buf events;
    enum sbx_evidence evidence;
    int64_t ended_ms; /* 0 = it goes on */
    struct sbx_event *stop;
    struct sbx_buf raw;
};
void ask_listen(struct listener *l);
void ask_listener_finish(struct listener *l);

#endif
