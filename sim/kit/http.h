/* One HTTP exchange as a cloud sees it, over whichever face it came by: in-process or a socket.
 *
 * A face makes a sim_http for each request and calls sim_http_serve() in a fiber of its own; a cloud then reads,
 * decides and answers, sleeping on virtual time where it likes. When the client goes away the cloud runs on, as real
 * ones do; its writes say so. The journal line of the exchange is written when it has been served. */
#ifndef SIM_KIT_HTTP_H
#define SIM_KIT_HTTP_H

#include "sim/kit/sim.h"
#include <sandport/kit/buf.h>
#include <sandport/kit/env.h>
#include <sandport/kit/json.h>

struct sim_http;

/** What a face does for an exchange. Calls may wait in the fiber. All return 0, or -1 once the client is gone. */
struct sim_link {
    /** Request body: bytes put, 0 at its end, -1 if it was cut short. */
    ptrdiff_t (*read)(struct sim_link *link, void *buf, size_t cap);
    /** @param length of the body; -1 = not known, chunked; -2 = an answer that has none, as 204 */
    int (*head)(struct sim_link *link, int status, const struct sbx_header *headers, size_t n, int64_t length);
    int (*body)(struct sim_link *link, const void *data, size_t len);
    int (*end)(struct sim_link *link);
    /** Ends the exchange without a proper answer. */
    void (*abort)(struct sim_link *link, int how);
    /** Writes bytes that are no HTTP answer. */
    int (*raw)(struct sim_link *link, const void *data, size_t len);
    /** Answers 101: from then on `body` writes bytes as they are, and `end` ends the connection. */
    int (*upgrade)(struct sim_link *link, const struct sbx_header *headers, size_t n);
    /** After an upgrade: bytes that are there, 0 if none are, -1 when none will come. Never waits. */
    ptrdiff_t (*read_now)(struct sim_link *link, void *buf, size_t cap);
    /** What is woken when read_now has something new to say. */
    struct sim_waitq *(*input)(struct sim_link *link);
};

enum sim_abort {
    SIM_ABORT_CLOSE, /* a clean end of the connection */
    SIM_ABORT_RESET,
    SIM_ABORT_HANG /* nothing more is ever sent; returns at once */
};

/** The request as a face hands it over; texts are lent until served. */
struct sim_request {
    const char *method;
    const char *target; /* path and query as sent */
    const struct sbx_header *headers;
    size_t header_count;
    int64_t length;     /* of the body; -1 = chunked */
    int64_t connection; /* its number, for the journal */
    int in_process;
    const char *host; /* that the client asked for; NULL = its Host header says it */
};

/** For faces: serves one request on a cloud, in the calling fiber, and writes its journal line. */
void sim_http_serve(struct sim *sim, struct sim_cloud *cloud, const struct sim_request *req, struct sim_link *link);

/* ---- for clouds: the request ---- */
const char *sim_http_method(const struct sim_http *x);
const char *sim_http_path(const struct sim_http *x); /* as sent, without the query */
/** The `nth` (from 0) value of a query member, decoded; NULL if there are not so many. */
const char *sim_http_query(struct sim_http *x, const char *name, size_t nth);
/** The value of a request header, any case; NULL if absent. */
const char *sim_http_header(const struct sim_http *x, const char *name);
/** The host that was asked, with its port if one was given; "" if nobody said. */
const char *sim_http_host(const struct sim_http *x);
/** Bytes of the body as announced; -1 = chunked. */
int64_t sim_http_length(const struct sim_http *x);
/** Its number, from 1, as in the journal. */
int64_t sim_http_number(const struct sim_http *x);
ptrdiff_t sim_http_read(struct sim_http *x, void *buf, size_t cap);
/** The whole body. @return SBX_OK, SBX_TOO_LARGE, SBX_CONNECTION_LOST (cut short), SBX_NO_MEMORY */
enum sbx_status sim_http_body(struct sim_http *x, size_t max, const char **data, size_t *len);
/** The whole body as JSON, its unread members going to the journal. Freed with the exchange.
 *  @return SBX_OK, SBX_PROTOCOL (then *out may be NULL), SBX_TOO_LARGE, SBX_CONNECTION_LOST */
enum sbx_status sim_http_json(struct sim_http *x, size_t max, struct sbx_json **out);

/** A part of the body as JSON, in place of all of it: `skip` bytes are framing. As sim_http_json(). */
enum sbx_status sim_http_json_part(struct sim_http *x, size_t skip, size_t len, struct sbx_json **out);

/* ---- for clouds: what it is, for faults and the journal ---- */
/** Names the operation, e.g. "daytona.sandbox.create": a literal from the cloud's list. Call it before anything is
 * decided. */
void sim_http_op(struct sim_http *x, const char *op);
/** Names the sandbox concerned as soon as it is known; `labels` in the form "a=1\nb=2\n". Texts are copied. */
void sim_http_subject(struct sim_http *x, const char *sandbox, const char *name, const char *state, const char *labels);
/** Asks the fault rules for this point. @return 1 if the exchange has been dealt with: return at once.
 *  Effects that are the cloud's own (state, dead_toolbox, lost_process, ...) go to cloud->effect and return 0. */
int sim_http_fault(struct sim_http *x, enum sim_phase phase);
/** A text that must not show in this exchange's journal line; copied. What is secret for all is the journal's. */
void sim_http_secret(struct sim_http *x, const char *secret);
/** A decision that a person reading the journal wants to know. */
void sim_http_note(struct sim_http *x, const char *fmt, ...) SBX_PRINTF(2, 3);
/** Marks the request as asking for what is not simulated; `harmless` ones do not fail a run. */
void sim_http_unsupported(struct sim_http *x, const char *what, int harmless);
/** Replaces the value of the body in the journal: file bodies go in as length and hash. Called by clouds for routes
 * whose body is a file. */
void sim_http_body_is_file(struct sim_http *x);

/* ---- for clouds: the answer ---- */
/** @param name a literal; the value is copied */
void sim_http_header_add(struct sim_http *x, const char *name, const char *value);
/** A whole answer. The phases mid_reply and after are asked for inside. */
void sim_http_reply(struct sim_http *x, int status, const char *content_type, const void *body, size_t len);
/** The same from a buffer, which is finished. "application/json; charset=utf-8" */
void sim_http_reply_json(struct sim_http *x, int status, struct sbx_buf *body);
/** An answer in pieces. @param length -1 = chunked. Each gives 0, or -1 when the client is gone or a fault cut it: stop
 */
int sim_http_begin(struct sim_http *x, int status, const char *content_type, int64_t length);
int sim_http_write(struct sim_http *x, const void *data, size_t len);
int sim_http_end(struct sim_http *x);
void sim_http_abort(struct sim_http *x, enum sim_abort how);
/** Writes bytes that are no HTTP answer, and ends the connection. */
void sim_http_raw(struct sim_http *x, const void *data, size_t len);
/** Answers 101 with the headers added; then sim_http_write() and sim_http_read_now() pass bytes as they are, and
 * sim_http_end() ends the connection. In-process the client cannot say anything more. @return -1 when it is gone */
int sim_http_upgrade(struct sim_http *x);
/** Bytes that are there, 0 if none are, -1 when none will come; sim_http_input() is woken when that changes. */
ptrdiff_t sim_http_read_now(struct sim_http *x, void *buf, size_t cap);
struct sim_waitq *sim_http_input(struct sim_http *x);
int sim_http_in_process(const struct sim_http *x);
struct sim_world *sim_http_world(const struct sim_http *x);
int sim_http_replied(const struct sim_http *x);

#endif
