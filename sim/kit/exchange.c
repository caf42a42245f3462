/* An exchange without sockets: the cloud serves it in a fiber of its own, the caller plays the client on its own stack.
 *
 * Between them lies a wire: what the client has said and heard so far. It outlives whoever leaves first. The client's
 * body and callbacks are only touched on the client's side, as with a real connection. A request takes LATENCY_MS to
 * arrive. */
#include "sim/kit/env.h"
#include "sim/kit/http.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define LATENCY_MS   5
#define WINDOW_BYTES (64 * 1024) /* the cloud waits while so much has not been taken */
#define PIECE_BYTES  (16 * 1024) /* largest piece given to a receiver at once */

enum wire_end { WIRE_OPEN, WIRE_WHOLE, WIRE_CLOSED, WIRE_RESET, WIRE_GARBAGE };

struct wire {
    struct sim_link link; /* first */
    int refs;
    struct sim *sim;
    struct sim_cloud *cloud;
    struct sim_request req;
    char *target;
    struct sbx_header *headers; /* their texts lie behind them */
    struct sim_waitq client;    /* the client waits here */
    struct sim_waitq server;
    int client_gone;
    /* to the cloud */
    char *want; /* the cloud waits for body bytes to be put here */
    size_t want_cap;
    ptrdiff_t got;
    int upload_done;
    /* from the cloud */
    int status;
    struct sbx_header *answer_headers;
    size_t answer_header_count;
    int64_t answer_length;
    struct sbx_buf body;
    enum wire_end end;
    int64_t moved_ns; /* when a byte last moved */
};

static void wire_drop(struct wire *wire) {
    if (--wire->refs) return;
    sbx_buf_finish(&wire->body);
    free(wire->answer_headers);
    free(wire->headers);
    free(wire->target);
    free(wire);
}

static struct wire *wire_of(struct sim_link *link) {
    return (struct wire *)(void *)link;
}

static struct sim_world *wire_world(const struct wire *wire) {
    return sim_world(wire->sim);
}

static void wire_moved(struct wire *wire) {
    wire->moved_ns = sim_now(wire_world(wire));
    sim_wake_all(wire_world(wire), &wire->client);
}

/* ---- the cloud's side ---- */

static ptrdiff_t link_read(struct sim_link *link, void *buf, size_t cap) {
    struct wire *wire = wire_of(link);
    if (wire->upload_done) return 0;
    wire->want = buf;
    wire->want_cap = cap;
    wire->got = -2;
    sim_wake_all(wire_world(wire), &wire->client);
    while (wire->got == -2 && !wire->client_gone)
        if (sim_wait(wire_world(wire), &wire->server, SIM_NEVER) == SIM_ENDING) break;
    wire->want = NULL;
    if (wire->got < 0) return -1;
    if (wire->got == 0) wire->upload_done = 1;
    return wire->got;
}

/* A copy of headers, their texts behind them in one block. */
static struct sbx_header *headers_copy(const struct sbx_header *headers, size_t n) {
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) bytes += strlen(headers[i].name) + strlen(headers[i].value) + 2;
    struct sbx_header *copy = malloc((n ? n : 1) * sizeof(*copy) + bytes);
    char *at = (char *)(copy ? copy + n : NULL);
    for (size_t i = 0; copy && i < n; i++) {
        copy[i].name = strcpy(at, headers[i].name);
        at += strlen(at) + 1;
        copy[i].value = strcpy(at, headers[i].value);
        at += strlen(at) + 1;
    }
    return copy;
}

static int link_head(struct sim_link *link, int status, const struct sbx_header *headers, size_t n, int64_t length) {
    struct wire *wire = wire_of(link);
    if (wire->client_gone) return -1;
    wire->answer_headers = headers_copy(headers, n);
    if (!wire->answer_headers) return -1;
    wire->answer_header_count = n;
    wire->answer_length = length;
    wire->status = status;
    wire_moved(wire);
    return 0;
}

static int link_body(struct sim_link *link, const void *data, size_t len) {
    struct wire *wire = wire_of(link);
    const char *bytes = data;
    while (len && !wire->client_gone) {
        size_t room = wire->body.len < WINDOW_BYTES ? WINDOW_BYTES - wire->body.len : 0;
        size_t n = len < room ? len : room;
        if (n) {
            sbx_buf_append(&wire->body, bytes, n);
            bytes += n;
            len -= n;
            wire_moved(wire);
        } else if (sim_wait(wire_world(wire), &wire->server, SIM_NEVER) == SIM_ENDING) {
            return -1;
        }
    }
    return wire->client_gone || wire->body.failed ? -1 : 0;
}

static int link_end(struct sim_link *link) {
    struct wire *wire = wire_of(link);
    wire->end = WIRE_WHOLE;
    wire_moved(wire);
    return wire->client_gone ? -1 : 0;
}

static void link_abort(struct sim_link *link, int how) {
    struct wire *wire = wire_of(link);
    if (how == SIM_ABORT_HANG) return; /* the client waits for what never comes */
    wire->end = how == SIM_ABORT_RESET ? WIRE_RESET : WIRE_CLOSED;
    wire_moved(wire);
}

static int link_raw(struct sim_link *link, const void *data, size_t len) {
    struct wire *wire = wire_of(link);
    (void)data;
    if (len) wire->end = WIRE_GARBAGE;
    wire_moved(wire);
    return wire->client_gone ? -1 : 0;
}

static void serve_main(void *arg) {
    struct wire *wire = arg;
    struct sim_world *w = wire_world(wire);
    if (sim_sleep_until(w, sim_now(w) + LATENCY_MS * SIM_MS) != SIM_ENDING)
        sim_http_serve(wire->sim, wire->cloud, &wire->req, &wire->link);
    wire_drop(wire);
}

/* ---- the client's side ---- */

struct client {
    struct sim_env *env;
    struct wire *wire;
    const struct sbx_request *req;
    const struct sbx_receiver *to;
    struct sbx_exchange_info *info;
    size_t body_at; /* of a body in memory */
    int head_given;
};

static struct sim_cloud *cloud_for(struct sim *sim, const char *url, const char **target) {
    for (size_t i = 0; i < sim_cloud_count(sim); i++) {
        struct sim_cloud *cloud = sim_cloud_at(sim, i);
        size_t len = strlen("http://") + strlen(cloud->provider) + strlen(".sim");
        const char *host = url + strlen("http://");
        if (strncmp(url, "http://", 7) != 0 || strncmp(host, cloud->provider, strlen(cloud->provider)) != 0) continue;
        if (strncmp(host + strlen(cloud->provider), ".sim", 4) != 0 || (url[len] && !strchr("/?", url[len]))) continue;
        *target = url[len] == '/' ? url + len : NULL;
        return cloud;
    }
    return NULL;
}

static uint64_t head_bytes(const struct sbx_request *req, const char *target) {
    uint64_t bytes = strlen(req->method) + strlen(target) + 13;
    for (size_t i = 0; i < req->header_count; i++)
        bytes += strlen(req->headers[i].name) + strlen(req->headers[i].value) + 4;
    return bytes;
}

static struct wire *wire_new(struct sim_env *env, const struct sbx_request *req, struct sim_cloud *cloud,
                             const char *target) {
    struct wire *wire = calloc(1, sizeof(*wire));
    if (!wire) return NULL;
    size_t len = strlen(target);
    wire->refs = 1;
    wire->sim = env->sim;
    wire->cloud = cloud;
    wire->link = (struct sim_link){link_read, link_head, link_body, link_end, link_abort, link_raw};
    wire->target = malloc(len + strlen(req->method) + 3);
    wire->headers = headers_copy(req->headers, req->header_count);
    if (!wire->target || !wire->headers) {
        wire_drop(wire);
        return NULL;
    }
    memcpy(wire->target, target, len + 1);
    char *method = wire->target + len + 1;
    memcpy(method, req->method, strlen(req->method) + 1);
    int64_t length = req->reader ? req->reader_len : (int64_t)req->body_len;
    if (req->flags & SBX_REQUEST_CHUNKED && (req->reader || req->body_len)) length = -1;
    wire->req =
        (struct sim_request){method, wire->target, wire->headers, req->header_count, length, ++env->connections, 1};
    wire->moved_ns = sim_now(wire_world(wire));
    return wire;
}

/* Gives the cloud the body bytes that it waits for. @return 0 when the reader aborted */
static int client_feed(struct client *c) {
    struct wire *wire = c->wire;
    size_t n = 0;
    if (c->req->reader) {
        ptrdiff_t got = c->req->reader->read(c->req->reader->ctx, wire->want, wire->want_cap);
        if (got < 0 || (size_t)got > wire->want_cap) {
            c->info->stopped = 2;
            return 0;
        }
        n = (size_t)got;
    } else {
        size_t left = c->req->body_len - c->body_at;
        n = left < wire->want_cap ? left : wire->want_cap;
        if (n) memcpy(wire->want, (const char *)c->req->body + c->body_at, n);
        c->body_at += n;
    }
    wire->got = (ptrdiff_t)n;
    wire->want = NULL;
    wire->moved_ns = sim_now(wire_world(wire));
    c->info->sent_bytes += n;
    sim_wake_all(wire_world(wire), &wire->server);
    return 1;
}

static int client_head(struct client *c) {
    c->head_given = 1;
    c->info->http_status = c->wire->status;
    if (!c->to || !c->to->head) return 1;
    if (c->to->head(c->to->ctx, c->wire->status, c->wire->answer_headers, c->wire->answer_header_count) == 0) return 1;
    c->info->stopped = 1;
    return 0;
}

/* Hands on what has come. @return SBX_EVIDENCE_DONE to go on */
static enum sbx_evidence client_body(struct client *c) {
    struct sbx_buf taken = c->wire->body;
    enum sbx_evidence how = SBX_EVIDENCE_DONE;
    c->wire->body = (struct sbx_buf)SBX_BUF_INIT;
    sim_wake_all(wire_world(c->wire), &c->wire->server);
    for (size_t at = 0; at < taken.len && how == SBX_EVIDENCE_DONE; at += PIECE_BYTES) {
        size_t n = taken.len - at < PIECE_BYTES ? taken.len - at : PIECE_BYTES;
        if (c->req->answer_bytes_max && c->info->got_bytes + n > c->req->answer_bytes_max) {
            how = SBX_EVIDENCE_TOO_LARGE;
        } else if (c->to && c->to->body && c->to->body(c->to->ctx, taken.data + at, n) != 0) {
            c->info->stopped = 1;
            how = SBX_EVIDENCE_PARTIAL;
        } else {
            c->info->got_bytes += n;
        }
    }
    sbx_buf_finish(&taken);
    return how;
}

static enum sbx_evidence client_ended(const struct client *c) {
    switch (c->wire->end) {
    case WIRE_WHOLE:
        return SBX_EVIDENCE_DONE;
    case WIRE_GARBAGE:
        return SBX_EVIDENCE_PROTOCOL;
    case WIRE_OPEN:
    case WIRE_CLOSED:
    case WIRE_RESET:
        break;
    }
    return c->head_given ? SBX_EVIDENCE_PARTIAL : SBX_EVIDENCE_SENT_NO_ANSWER;
}

static int64_t client_until(const struct client *c) {
    int64_t deadline = c->req->deadline_ms >= SIM_NEVER / SIM_MS ? SIM_NEVER : c->req->deadline_ms * SIM_MS;
    int64_t stall = c->req->stall_ms ? c->wire->moved_ns + c->req->stall_ms * SIM_MS : SIM_NEVER;
    return deadline < stall ? deadline : stall;
}

static enum sbx_evidence client_run(struct client *c) {
    struct wire *wire = c->wire;
    for (;;) {
        if (c->req->cancel && c->req->cancel->set) return SBX_EVIDENCE_CANCELLED;
        if (wire->want && !client_feed(c)) return c->head_given ? SBX_EVIDENCE_PARTIAL : SBX_EVIDENCE_SENT_NO_ANSWER;
        if (wire->status && !c->head_given && !client_head(c)) return SBX_EVIDENCE_PARTIAL;
        if (wire->body.failed) return SBX_EVIDENCE_MEMORY;
        if (wire->body.len) {
            enum sbx_evidence how = client_body(c);
            if (how != SBX_EVIDENCE_DONE) return how;
            continue; /* callbacks may have waited: look at everything again */
        }
        if (wire->end != WIRE_OPEN) return client_ended(c);
        if (wire->want) continue;
        enum sim_woken how = sim_wait(wire_world(wire), &wire->client, client_until(c));
        if (how == SIM_ENDING) return SBX_EVIDENCE_CANCELLED;
        if (how == SIM_TIMEOUT && !wire->want && !wire->body.len && wire->end == WIRE_OPEN)
            return SBX_EVIDENCE_DEADLINE;
    }
}

enum sbx_evidence exchange_in_process(struct sbx_env *base, const struct sbx_request *req,
                                      const struct sbx_receiver *to, struct sbx_exchange_info *info) {
    struct sim_env *env = (struct sim_env *)(void *)base;
    struct sim_world *w = sim_world(env->sim);
    struct sbx_exchange_info unasked;
    struct event_listener listener = {0};
    const char *target = NULL;
    if (!info) info = &unasked;
    *info = (struct sbx_exchange_info){.size = sizeof(*info)};
    env_may_wait(env, "exchange");
    if (sbx_request_check(req, NULL)) return SBX_EVIDENCE_PROTOCOL;
    if (req->cancel && req->cancel->set) return SBX_EVIDENCE_CANCELLED;
    if (req->deadline_ms <= sim_now(w) / SIM_MS) return SBX_EVIDENCE_DEADLINE;
    struct sim_cloud *cloud = cloud_for(env->sim, req->url, &target);
    if (!cloud) return SBX_EVIDENCE_RESOLVE;
    struct client client = {.env = env, .req = req, .to = to, .info = info};
    client.wire = wire_new(env, req, cloud, target ? target : "/");
    if (!client.wire) return SBX_EVIDENCE_MEMORY;
    client.wire->refs++;
    if (sim_spawn(w, serve_main, client.wire)) {
        wire_drop(client.wire);
        wire_drop(client.wire);
        return SBX_EVIDENCE_MEMORY;
    }
    info->sent_bytes = head_bytes(req, client.wire->target);
    event_listen(req->cancel, &listener, &client.wire->client);
    enum sbx_evidence how = client_run(&client);
    event_unlisten(req->cancel, &listener);
    client.wire->client_gone = 1;
    sim_wake_all(w, &client.wire->server);
    wire_drop(client.wire);
    return how;
}
