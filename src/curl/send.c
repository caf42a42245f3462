/* The request on its way out: its body, and the guard against a second copy of it. Rows P4, P11.
 *
 * When a reused connection dies before the first byte of the answer, libcurl sends the request again by itself, a POST
 * too, though the server may have acted on the first. It asks here before it looks for another connection, and once
 * more before it begins to send on one. */
#include "room.h"

#include <string.h>

static int64_t send_length(const struct sbx_request *req) {
    if (req->flags & SBX_REQUEST_CHUNKED) return -1;
    if (!req->reader) return (int64_t)req->body_len;
    return req->reader_len < 0 ? -1 : req->reader_len;
}

void sbx_curl_send_init(struct sbx_curl_send *send, const struct sbx_request *req) {
    send->reader = req->reader;
    send->body = req->reader ? NULL : req->body;
    send->body_len = req->reader ? 0 : req->body_len;
    send->length = send_length(req);
    send->idempotent = (req->flags & SBX_REQUEST_IDEMPOTENT) != 0;
}

static uint64_t send_counted(CURL *easy) {
    long heads = 0;
    curl_off_t body = 0;
    curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &heads);
    curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &body);
    return (uint64_t)heads + (uint64_t)body;
}

uint64_t sbx_curl_send_count(const struct sbx_curl_exchange *x) {
    if (x->send.attempts == 0) return 0;
    uint64_t counted = send_counted(x->easy), last = counted > x->send.base ? counted - x->send.base : 0;
    return last > x->send.sent_max ? last : x->send.sent_max;
}

static int send_may_begin(const struct sbx_curl_send *send, uint64_t sent) {
    if (send->attempts == 0) return 1;
    if (sent == 0 && send->taken == 0) return 1;
    return send->idempotent && (!send->reader || send->taken == 0); /* guard: no_silent_replay */
}

int sbx_curl_send_refused(struct sbx_curl_exchange *x) {
    if (send_may_begin(&x->send, sbx_curl_send_count(x))) return 0;
    x->stop = SBX_CURL_STOP_REPLAY;
    return 1;
}

int sbx_curl_send_resolve(void *resolver, void *reserved, void *arg) {
    (void)resolver, (void)reserved;
    return sbx_curl_send_refused(arg);
}

int sbx_curl_send_begin(void *arg, char *peer, char *local, int peer_port, int local_port) {
    struct sbx_curl_exchange *x = arg;
    (void)peer, (void)local, (void)peer_port, (void)local_port;
    if (sbx_curl_send_refused(x)) return CURL_PREREQFUNC_ABORT;
    if (x->send.attempts == 0) x->send.base = send_counted(x->easy);
    x->send.sent_max = sbx_curl_send_count(x);
    x->send.taken = 0;
    x->send.attempts++;
    return CURL_PREREQFUNC_OK;
}

/* Never more than the length that the head announced: what follows would be read as another request. */
static size_t send_room(const struct sbx_curl_send *send, size_t cap) {
    if (send->length < 0) return cap;
    uint64_t left = (uint64_t)send->length - send->taken;
    return left < cap ? (size_t)left : cap;
}

static ptrdiff_t send_from_body(const struct sbx_curl_send *send, void *buf, size_t cap) {
    size_t left = send->body_len - (size_t)send->taken, piece = left < cap ? left : cap;
    if (piece) memcpy(buf, (const char *)send->body + send->taken, piece);
    return (ptrdiff_t)piece;
}

/* A reader that ends early cannot keep the length that the head announced: it stopped the request. */
static int send_broken(const struct sbx_curl_send *send, ptrdiff_t got, size_t room) {
    return got < 0 || (size_t)got > room || (got == 0 && room > 0 && send->length >= 0);
}

size_t sbx_curl_send_read(char *buf, size_t size, size_t n, void *arg) {
    struct sbx_curl_exchange *x = arg;
    struct sbx_curl_send *send = &x->send;
    size_t room = send_room(send, size * n);
    if (room == 0) return 0;
    ptrdiff_t got = send->reader ? send->reader->read(send->reader->ctx, buf, room) : send_from_body(send, buf, room);
    if (send_broken(send, got, room)) {
        x->stop = SBX_CURL_STOP_READER;
        return CURL_READFUNC_ABORT;
    }
    send->taken += (uint64_t)got;
    return (size_t)got;
}

int sbx_curl_send_seek(void *arg, curl_off_t offset, int origin) {
    struct sbx_curl_exchange *x = arg;
    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > x->send.body_len) return CURL_SEEKFUNC_FAIL;
    x->send.taken = (uint64_t)offset;
    return CURL_SEEKFUNC_OK;
}
