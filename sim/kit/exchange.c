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

#define LATENCY_MS     5
#define WINDOW_BYTES   (64 * 1024) /* the cloud waits while so much has not been taken */
#define PIECE_BYTES    (16 * 1024) /* largest piece given to a receiver at once */
#define HEAD_BYTES_MAX (64 * 1024)

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
    struct sbx_buf in_flight; /* body bytes that a client had sent when it left */
    size_t in_flight_at;
    int in_flight_whole; /* nothing was to come after them */
    /* from the cloud */
    int status;
    struct sbx_header *answer_headers;
    size_t answer_header_count;
    int64_t answer_length;
    uint64_t answered; /* body bytes put on the wire */
    int head_too_large;
    int memory; /* there was none */
    struct sbx_buf body;
    enum wire_end end;
    int64_t moved_ns; /* when a byte last moved */
};

static void wire_drop(struct wire *wire) {
    if (--wire->refs) return;
    sbx_buf_finish(&wire->body);
    sbx_buf_finish(&wire->in_flight);
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

/* What a client that is gone had sent still arrives, and then the end of its connection. */
static ptrdiff_t read_in_flight(struct wire *wire, void *buf, size_t cap) {
    size_t left = wire->in_flight.len - wire->in_flight_at, n = left < cap ? left : cap;
    if (!left) return wire->in_flight_whole ? 0 : -1;
    memcpy(buf, wire->in_flight.data + wire->in_flight_at, n);
    wire->in_flight_at += n;
    return (ptrdiff_t)n;
}

static ptrdiff_t link_read(struct sim_link *link, void *buf, size_t cap) {
    struct wire *wire = wire_of(link);
    if (wire->upload_done) return 0;
    if (wire->client_gone) return read_in_flight(wire, buf, cap);
    wire->want = buf;
    wire->want_cap = cap;
    wire->got = -2;
    sim_wake_all(wire_world(wire), &wire->client);
    while (wire->got == -2 && !wire->client_gone)
        if (sim_wait(wire_world(wire), &wire->server, SIM_NEVER) == SIM_ENDING) break;
    wire->want = NULL;
    if (wire->got < 0) return wire->client_gone ? read_in_flight(wire, buf, cap) : -1;
    if (wire->got == 0) wire->upload_done = 1;
    return wire->got;
}

static size_t headers_bytes(const struct sbx_header *headers, size_t n) {
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) bytes += strlen(headers[i].name) + strlen(headers[i].value) + 4;
    return bytes;
}

static char *text_put(char **at, const char *text) {
    size_t len = strlen(text) + 1;
    char *copy = memcpy(*at, text, len);
    *at += len;
    return copy;
}

/* A copy of headers, their texts behind them in one block. */
static struct sbx_header *headers_copy(const struct sbx_header *headers, size_t n) {
    size_t bytes = headers_bytes(headers, n);
    struct sbx_header *copy = malloc((n ? n : 1) * sizeof(*copy) + bytes);
    char *at = (char *)(copy ? copy + n : NULL);
    for (size_t i = 0; copy && i < n; i++) {
        copy[i].name = text_put(&at, headers[i].name);
        copy[i].value = text_put(&at, headers[i].value);
    }
    return copy;
}

static int link_head(struct sim_link *link, int status, const struct sbx_header *headers, size_t n, int64_t length) {
    struct wire *wire = wire_of(link);
    if (wire->client_gone) return -1;
    wire->head_too_large = headers_bytes(headers, n) > HEAD_BYTES_MAX;
    wire->answer_headers = wire->head_too_large ? NULL : headers_copy(headers, n);
    if (!wire->answer_headers) {
        wire->memory = !wire->head_too_large;
        wire_moved(wire);
        return -1;
    }
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
            wire->answered += n;
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
    if (wire->end == WIRE_OPEN) wire->end = how == SIM_ABORT_RESET ? WIRE_RESET : WIRE_CLOSED;
    wire_moved(wire);
}

static int link_raw(struct sim_link *link, const void *data, size_t len) {
    struct wire *wire = wire_of(link);
    (void)data;
    if (len) wire->end = WIRE_GARBAGE;
    wire_moved(wire);
    return wire->client_gone ? -1 : 0;
}

/* What the client hears is the answer's body; it has no way to say more than its request. */
static int link_upgrade(struct sim_link *link, const struct sbx_header *headers, size_t n) {
    return link_head(link, 101, headers, n, -1);
}

static ptrdiff_t link_read_now(struct sim_link *link, void *buf, size_t cap) {
    (void)buf;
    (void)cap;
    return wire_of(link)->client_gone ? -1 : 0;
}

static struct sim_waitq *link_input(struct sim_link *link) {
    return &wire_of(link)->server;
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
    uint64_t body_at; /* how much of the body has been given */
    int head_given;
};

/* Does `host` end in the cloud's own name? @return the bytes of it, 0 if it is none of the cloud's */
static size_t cloud_host(const struct sim_cloud *cloud, const char *host) {
    const size_t len = strcspn(host, ":/?"), name = strlen(cloud->provider), own = name + strlen(".sim");
    if (len < own || (len > own && (!cloud->owns_hosts || host[len - own - 1] != '.'))) return 0;
    const char *at = host + len - own;
    return strncmp(at, cloud->provider, name) == 0 && strncmp(at + name, ".sim", 4) == 0 ? len : 0;
}

/* Hosts are known by name, and listen on the port of http alone. @param host_len the host's, without a port
 * @param how RESOLVE or CONNECT when NULL is returned */
static struct sim_cloud *cloud_for(struct sim *sim, const char *url, const char **target, size_t *host_len,
                                   enum sbx_evidence *how) {
    *how = SBX_EVIDENCE_RESOLVE;
    for (size_t i = 0; i < sim_cloud_count(sim); i++) {
        struct sim_cloud *cloud = sim_cloud_at(sim, i);
        const char *host = url + strlen("http://");
        const size_t len = strncmp(url, "http://", 7) == 0 ? cloud_host(cloud, host) : 0;
        if (!len) continue;
        size_t port = host[len] == ':' ? 1 + strspn(host + len + 1, "0123456789") : 0;
        if (host[len + port] && !strchr("/?", host[len + port])) continue;
        *how = SBX_EVIDENCE_CONNECT;
        if (port && strncmp(host + len, ":80", port) != 0) return NULL;
        *target = host[len + port] == '/' ? host + len + port : NULL;
        *host_len = len;
        return cloud;
    }
    return NULL;
}

static uint64_t head_bytes(const struct sbx_request *req, const char *target) {
    return strlen(req->method) + strlen(target) + 13 + headers_bytes(req->headers, req->header_count);
}

static struct wire *wire_new(struct sim_env *env, const struct sbx_request *req, struct sim_cloud *cloud,
                             const char *target, size_t host_len) {
    struct wire *wire = calloc(1, sizeof(*wire));
    if (!wire) return NULL;
    size_t len = strlen(target);
    wire->refs = 1;
    wire->sim = env->sim;
    wire->cloud = cloud;
    wire->link = (struct sim_link){link_read, link_head,    link_body,     link_end,  link_abort,
                                   link_raw,  link_upgrade, link_read_now, link_input};
    wire->target = malloc(len + strlen(req->method) + host_len + 4);
    wire->headers = headers_copy(req->headers, req->header_count);
    if (!wire->target || !wire->headers) {
        wire_drop(wire);
        return NULL;
    }
    memcpy(wire->target, target, len + 1);
    char *method = wire->target + len + 1;
    memcpy(method, req->method, strlen(req->method) + 1);
    char *host = method + strlen(method) + 1;
    memcpy(host, req->url + strlen("http://"), host_len);
    host[host_len] = 0;
    int64_t length = req->reader ? req->reader_len : (int64_t)req->body_len;
    if (req->flags & SBX_REQUEST_CHUNKED && (req->reader || req->body_len)) length = -1;
    wire->req = (struct sim_request){method, wire->target, wire->headers, req->header_count, length, ++env->connections,
                                     1,      host};
    wire->moved_ns = sim_now(wire_world(wire));
    return wire;
}

static void client_moved(struct client *c) {
    c->wire->moved_ns = sim_now(wire_world(c->wire));
}

/* The length that the request has, -1 if only its reader knows. */
static int64_t client_length(const struct client *c) {
    return c->req->reader ? c->req->reader_len : (int64_t)c->req->body_len;
}

/* @return bytes put, 0 at the body's end, -1 if the reader aborted or broke its word */
static ptrdiff_t client_body_read(struct client *c, char *buf, size_t cap) {
    int64_t length = client_length(c);
    uint64_t left = length < 0 ? UINT64_MAX : (uint64_t)length - c->body_at;
    ptrdiff_t n = (ptrdiff_t)(left < cap ? left : cap);
    if (n == 0) return 0;
    if (!c->req->reader) {
        memcpy(buf, (const char *)c->req->body + c->body_at, (size_t)n);
        return n;
    }
    ptrdiff_t got = c->req->reader->read(c->req->reader->ctx, buf, (size_t)n);
    return got < 0 || got > n || (got == 0 && length >= 0) ? -1 : got;
}

/* Gives the cloud the body bytes that it waits for. @return 0 when the reader aborted */
static int client_feed(struct client *c) {
    struct wire *wire = c->wire;
    ptrdiff_t n = client_body_read(c, wire->want, wire->want_cap);
    if (n < 0) {
        c->info->stopped = 2;
        return 0;
    }
    wire->got = n;
    wire->want = NULL;
    c->body_at += (uint64_t)n;
    c->info->sent_bytes += (uint64_t)n;
    client_moved(c);
    sim_wake_all(wire_world(wire), &wire->server);
    return 1;
}

/* A body in memory was all given to the wire at once, as far as that holds: leaving does not take it back. */
static void client_leave(struct client *c) {
    struct wire *wire = c->wire;
    uint64_t left = c->req->reader ? 0 : c->req->body_len - c->body_at;
    if (left > WINDOW_BYTES) left = WINDOW_BYTES;
    if (left && wire->refs > 1) sbx_buf_append(&wire->in_flight, (const char *)c->req->body + c->body_at, (size_t)left);
    wire->in_flight_whole = !c->req->reader && !wire->in_flight.failed && c->body_at + left == c->req->body_len;
    wire->client_gone = 1;
    sim_wake_all(wire_world(wire), &wire->server);
    wire_drop(wire);
}

static int client_head(struct client *c) {
    c->head_given = 1;
    c->info->http_status = c->wire->status;
    if (!c->to || !c->to->head) return 1;
    if (c->to->head(c->to->ctx, c->wire->status, c->wire->answer_headers, c->wire->answer_header_count) == 0) return 1;
    c->info->stopped = 1;
    return 0;
}

static int64_t client_deadline_ns(const struct client *c) {
    return c->req->deadline_ms >= SIM_NEVER / SIM_MS ? SIM_NEVER : c->req->deadline_ms * SIM_MS;
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
    client_moved(c); /* what the receiver took its time for is no stall of the cloud's */
    return how;
}

static enum sbx_evidence client_ended(const struct client *c) {
    const struct wire *wire = c->wire;
    int all_there =
        wire->answer_length == -2 || (wire->answer_length >= 0 && wire->answered == (uint64_t)wire->answer_length);
    if (wire->end == WIRE_GARBAGE) return SBX_EVIDENCE_PROTOCOL;
    if (!c->head_given) return SBX_EVIDENCE_SENT_NO_ANSWER;
    if (all_there || (wire->end == WIRE_WHOLE && wire->answer_length == -1)) return SBX_EVIDENCE_DONE;
    return SBX_EVIDENCE_PARTIAL;
}

static int64_t client_until(const struct client *c) {
    int64_t deadline = client_deadline_ns(c), moved = c->wire->moved_ns;
    if (c->req->stall_ms <= 0 || c->req->stall_ms >= (SIM_NEVER - moved) / SIM_MS) return deadline;
    int64_t stall = moved + c->req->stall_ms * SIM_MS;
    return deadline < stall ? deadline : stall;
}

/* What is there to do: hands on what has come, gives what is wanted. @return 1 if there was something, with *how other
 * than DONE if it ends the exchange */
static int client_act(struct client *c, enum sbx_evidence *how) {
    struct wire *wire = c->wire;
    *how = SBX_EVIDENCE_DONE;
    if (wire->want) {
        if (!client_feed(c)) *how = SBX_EVIDENCE_PARTIAL;
    } else if (wire->status && !c->head_given) {
        if (!client_head(c)) *how = SBX_EVIDENCE_PARTIAL;
        client_moved(c);
    } else if (wire->body.len) {
        *how = client_body(c);
    } else {
        return 0;
    }
    return 1;
}

/* Callbacks may have waited, so everything is looked at again after each. */
static enum sbx_evidence client_run(struct client *c) {
    struct wire *wire = c->wire;
    struct sim_world *w = wire_world(wire);
    for (;;) {
        enum sbx_evidence how = SBX_EVIDENCE_DONE;
        if (wire->end == WIRE_OPEN && sim_now(w) >= client_deadline_ns(c)) return SBX_EVIDENCE_DEADLINE;
        if (c->req->cancel && c->req->cancel->set) return SBX_EVIDENCE_CANCELLED;
        if (wire->memory || wire->body.failed) return SBX_EVIDENCE_MEMORY;
        if (wire->head_too_large) return SBX_EVIDENCE_TOO_LARGE;
        if (client_act(c, &how)) {
            if (how != SBX_EVIDENCE_DONE) return how;
            continue;
        }
        if (wire->end != WIRE_OPEN) return client_ended(c);
        enum sim_woken woken = sim_wait(w, &wire->client, client_until(c));
        if (woken == SIM_ENDING) return SBX_EVIDENCE_CANCELLED;
        if (woken == SIM_TIMEOUT && !wire->want && !wire->body.len && wire->end == WIRE_OPEN)
            return SBX_EVIDENCE_DEADLINE;
    }
}

/* Before anything is sent: malformed, then too late, then cancelled, then nowhere to send it. */
static enum sbx_evidence exchange_may_begin(struct sim_env *env, const struct sbx_request *req) {
    struct sim_world *w = sim_world(env->sim);
    if (sbx_request_check(req, NULL)) return SBX_EVIDENCE_PROTOCOL;
    if (env->env.now_ms(&env->env) >= req->deadline_ms) return SBX_EVIDENCE_DEADLINE;
    if ((req->cancel && req->cancel->set) || sim_ending(w)) return SBX_EVIDENCE_CANCELLED;
    return SBX_EVIDENCE_DONE;
}

static enum sbx_evidence exchange_go(struct sim_env *env, struct client *client) {
    struct event_listener listener = {0};
    const char *target = NULL;
    enum sbx_evidence how = exchange_may_begin(env, client->req);
    if (how != SBX_EVIDENCE_DONE) return how;
    size_t host_len = 0;
    struct sim_cloud *cloud = cloud_for(env->sim, client->req->url, &target, &host_len, &how);
    if (!cloud) return how;
    client->wire = wire_new(env, client->req, cloud, target ? target : "/", host_len);
    if (!client->wire) return SBX_EVIDENCE_MEMORY;
    client->wire->refs++;
    if (sim_spawn(sim_world(env->sim), serve_main, client->wire)) {
        client->wire->refs--;
        wire_drop(client->wire);
        return SBX_EVIDENCE_MEMORY;
    }
    client->info->sent_bytes = head_bytes(client->req, client->wire->target);
    sim_event_listen(client->req->cancel, &listener, &client->wire->client);
    how = client_run(client);
    sim_event_unlisten(client->req->cancel, &listener);
    client_leave(client);
    return how;
}

enum sbx_evidence sim_exchange_in_process(struct sbx_env *base, const struct sbx_request *req,
                                          const struct sbx_receiver *to, struct sbx_exchange_info *info) {
    struct sim_env *env = (struct sim_env *)(void *)base;
    struct sbx_exchange_info full = {0};
    struct client client = {.env = env, .req = req, .to = to, .info = &full};
    sim_env_may_wait(env, "exchange");
    enum sbx_evidence how = exchange_go(env, &client);
    if (!info) return how;
    full.size = info->size;
    memcpy(info, &full, info->size < sizeof(full) ? info->size : sizeof(full));
    return how;
}
