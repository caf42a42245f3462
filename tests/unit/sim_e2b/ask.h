/* Talks HTTP to a simulated E2B in tests: one line a request. */
#ifndef TESTS_SIM_E2B_ASK_H
#define TESTS_SIM_E2B_ASK_H

#include "sim_ask.h"

/** @param scenario E2B's part of one, NULL = none */
void ask_init(struct ask *a, const char *scenario);

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

/** GET of the last sandbox: its state, or "404". */
const char *ask_state(struct ask *a);
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
