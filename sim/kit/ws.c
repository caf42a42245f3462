/* The server's side of a WebSocket: the handshake, frames by wslay over the exchange's bytes, the goodbye. */
#include "sim/kit/ws.h"

#include <openssl/evp.h>
#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>
#include <wslay/wslay.h>

#define WS_GOODBYE_NS    (5 * SIM_SEC)
#define WS_MESSAGE_BYTES (64 * 1024) /* a longer message of the client's is refused by its length alone */

struct sim_ws {
    struct sim_http *x;
    wslay_event_context_ptr wslay;
    int gone;   /* the client, or its connection */
    int failed; /* it broke the protocol: what is queued is the last */
};

/* Is `word` one of the header's comma-separated values? */
static int ws_names(const char *value, const char *word) {
    const size_t len = strlen(word);
    while (value && *value) {
        value += strspn(value, " \t,");
        const size_t have = strcspn(value, " \t,");
        if (have == len && strncasecmp(value, word, len) == 0) return 1;
        value += have;
    }
    return 0;
}

int sim_ws_asked(const struct sim_http *x) {
    return ws_names(sim_http_header(x, "Upgrade"), "websocket");
}

/* @return 0 if the key is none: the base64 of 16 bytes */
static int ws_accept_key(const char *key, struct sbx_buf *out) {
    static const char salt[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    unsigned char digest[EVP_MAX_MD_SIZE];
    struct sbx_buf text = SBX_BUF_INIT;
    unsigned len = 0;
    int ok = key && sbx_base64_decode(&text, key, strlen(key)) && text.len == 16;
    sbx_buf_clear(&text);
    if (ok) sbx_buf_printf(&text, "%s%s", key, salt);
    ok = ok && !sbx_buf_status(&text) && EVP_Digest(text.data, text.len, digest, &len, EVP_sha1(), NULL) == 1;
    if (ok) sbx_base64_encode(out, digest, len);
    sbx_buf_finish(&text);
    return ok && !sbx_buf_status(out);
}

static ssize_t ws_recv(wslay_event_context_ptr wslay, uint8_t *buf, size_t len, int flags, void *user_data) {
    struct sim_ws *ws = user_data;
    const ptrdiff_t n = sim_http_read_now(ws->x, buf, len);
    (void)flags;
    if (n > 0) return n;
    if (n < 0) ws->gone = 1;
    wslay_event_set_error(wslay, n < 0 ? WSLAY_ERR_CALLBACK_FAILURE : WSLAY_ERR_WOULDBLOCK);
    return -1;
}

static ssize_t ws_send(wslay_event_context_ptr wslay, const uint8_t *data, size_t len, int flags, void *user_data) {
    struct sim_ws *ws = user_data;
    (void)flags;
    if (!ws->gone && sim_http_write(ws->x, data, len) == 0) return (ssize_t)len;
    ws->gone = 1;
    wslay_event_set_error(wslay, WSLAY_ERR_CALLBACK_FAILURE);
    return -1;
}

static struct sim_ws *ws_new(struct sim_http *x) {
    const struct wslay_event_callbacks callbacks = {.recv_callback = ws_recv, .send_callback = ws_send};
    struct sim_ws *ws = calloc(1, sizeof(*ws));
    if (!ws) return NULL;
    ws->x = x;
    if (wslay_event_context_server_init(&ws->wslay, &callbacks, ws)) {
        free(ws);
        return NULL;
    }
    wslay_event_config_set_no_buffering(ws->wslay, 1);
    wslay_event_config_set_max_recv_msg_length(ws->wslay, WS_MESSAGE_BYTES);
    return ws;
}

void sim_ws_free(struct sim_ws *ws) {
    if (!ws) return;
    wslay_event_context_free(ws->wslay);
    free(ws);
}

static struct sim_ws *ws_refuse(struct sim_http *x, const char *why) {
    sim_http_reply(x, 400, "text/plain; charset=utf-8", why, strlen(why));
    return NULL;
}

struct sim_ws *sim_ws_accept(struct sim_http *x) {
    const char *version = sim_http_header(x, "Sec-WebSocket-Version");
    struct sbx_buf accept = SBX_BUF_INIT;
    struct sim_ws *ws = NULL;
    /* In-process the connection is the env's own affair. */
    if (!sim_http_in_process(x) && !ws_names(sim_http_header(x, "Connection"), "upgrade"))
        return ws_refuse(x, "Bad Request: expected Connection: Upgrade\n");
    if (!version || strcmp(version, "13") != 0) return ws_refuse(x, "Bad Request: expected WebSocket version 13\n");
    if (!ws_accept_key(sim_http_header(x, "Sec-WebSocket-Key"), &accept)) {
        ws_refuse(x, "Bad Request: expected Sec-WebSocket-Key of 16 bytes in base64\n");
        goto done;
    }
    ws = ws_new(x);
    if (!ws) {
        sim_http_abort(x, SIM_ABORT_RESET);
        goto done;
    }
    sim_http_header_add(x, "Upgrade", "websocket");
    sim_http_header_add(x, "Connection", "Upgrade");
    sim_http_header_add(x, "Sec-WebSocket-Accept", sbx_buf_text(&accept));
    if (sim_http_upgrade(x)) {
        sim_ws_free(ws);
        ws = NULL;
    }
done:
    sbx_buf_finish(&accept);
    return ws;
}

/* Whatever wslay has queued goes out whole: the exchange's writes wait. */
static int ws_flush(struct sim_ws *ws) {
    while (!ws->gone && wslay_event_want_write(ws->wslay))
        if (wslay_event_send(ws->wslay)) ws->gone = 1;
    return ws->gone ? -1 : 0;
}

int sim_ws_send(struct sim_ws *ws, const void *data, size_t len) {
    const struct wslay_event_msg msg = {WSLAY_BINARY_FRAME, data, len};
    if (wslay_event_queue_msg(ws->wslay, &msg)) return -1;
    return ws_flush(ws);
}

/* wslay queues a goodbye of its own for what it refuses, and reads no more then. */
int sim_ws_heed(struct sim_ws *ws) {
    if (!ws->gone && wslay_event_want_read(ws->wslay) && wslay_event_recv(ws->wslay)) ws->failed = 1;
    if (ws_flush(ws)) return -1;
    if (!wslay_event_get_read_enabled(ws->wslay)) ws->failed = 1;
    return ws->failed || wslay_event_get_close_received(ws->wslay) ? -1 : 0;
}

struct sim_waitq *sim_ws_input(struct sim_ws *ws) {
    return sim_http_input(ws->x);
}

/* In-process there is no way for the client to answer. */
void sim_ws_close(struct sim_ws *ws, uint16_t code, const char *reason) {
    struct sim_world *world = sim_http_world(ws->x);
    const int64_t until_ns = sim_now(world) + WS_GOODBYE_NS;
    if (!wslay_event_get_close_sent(ws->wslay))
        (void)wslay_event_queue_close(ws->wslay, code, (const uint8_t *)reason, strlen(reason));
    (void)sim_ws_heed(ws);
    while (!ws->gone && !ws->failed && !wslay_event_get_close_received(ws->wslay) && !sim_http_in_process(ws->x)) {
        if (sim_wait(world, sim_ws_input(ws), until_ns) != SIM_WOKEN) break;
        (void)sim_ws_heed(ws);
    }
    (void)sim_http_end(ws->x);
}
