/* Streams of envelopes: written as they come, kept alive, ended. Rows P7, V1. */
#include "sim/e2b/stream.h"
#include "sim/e2b/envd.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>

#define STREAM_PING_S   90
#define STREAM_PIECE_NS 1000 /* between the pieces of an envelope that an effect splits */

void sim_e2b_stream_init(struct sim_e2b_call *call, struct sim_e2b_stream *stream) {
    stream->wake = sim_http_input(call->x);
}

void sim_e2b_stream_finish(struct sim_e2b_stream *stream) {
    sbx_buf_finish(&stream->out);
    sbx_buf_finish(&stream->held);
}

void sim_e2b_stream_wake(struct sim_world *world, struct sim_e2b_stream *stream) {
    sim_wake_all(world, stream->wake);
}

void sim_e2b_stream_put(struct sim_e2b_call *call, struct sim_e2b_stream *stream, const char *json, size_t len) {
    (void)call;
    sim_e2b_envelope(&stream->out, 0, json, len);
}

/* @return 0 once the client is gone or a fault has ended it */
static int stream_write(struct sim_e2b_call *call, const char *data, size_t len) {
    struct sim_world *world = sim_world(call->e2b->sim);
    const size_t piece = call->twist.piece_bytes > 0 ? (size_t)call->twist.piece_bytes : len;
    for (size_t at = 0; at < len; at += piece) {
        const size_t n = len - at < piece ? len - at : piece;
        if (at && sim_sleep_until(world, sim_now(world) + STREAM_PIECE_NS) == SIM_ENDING) return 0;
        if (sim_http_write(call->x, data + at, n)) return 0;
    }
    return 1;
}

static int stream_flush(struct sim_e2b_call *call, struct sim_e2b_stream *stream, struct sim_waitq *room) {
    struct sbx_buf taken = stream->out;
    stream->out = (struct sbx_buf)SBX_BUF_INIT;
    const int goes = !taken.failed && stream_write(call, sbx_buf_text(&taken), taken.len);
    sbx_buf_finish(&taken);
    if (room) sim_wake_all(sim_world(call->e2b->sim), room);
    return goes;
}

static void stream_end(struct sim_e2b_call *call, enum sim_e2b_code code, const char *message) {
    struct sbx_buf json = SBX_BUF_INIT, error = SBX_BUF_INIT, envelope = SBX_BUF_INIT;
    sbx_json_begin_object(&json, NULL);
    if (message) {
        sim_e2b_rpc_error_write(code, message, &error);
        sbx_json_put_raw(&json, "error", sbx_buf_text(&error), error.len);
    }
    sbx_json_end_object(&json);
    sim_e2b_envelope(&envelope, E2B_END_OF_STREAM, sbx_buf_text(&json), json.len);
    if (call->twist.no_eos || json.failed || envelope.failed)
        sim_http_abort(call->x, SIM_ABORT_CLOSE);
    else if (stream_write(call, envelope.data, envelope.len))
        sim_http_end(call->x);
    sbx_buf_finish(&json);
    sbx_buf_finish(&error);
    sbx_buf_finish(&envelope);
}

/* Older daemons just close; newer ones say something. */
static void stream_cut(struct sim_e2b_call *call) {
    char message[96];
    if (!call->e2b->config.cut_says_unavailable) {
        sim_http_abort(call->x, SIM_ABORT_CLOSE);
        return;
    }
    snprintf(message, sizeof(message), "the connection to sandbox %s ended before the stream completed", call->sb->id);
    stream_end(call, E2B_UNAVAILABLE, message);
}

/* The header in seconds. @return 0 for one that the daemon cannot bear */
static int64_t stream_ping_ns(struct sim_e2b_call *call) {
    const char *text = sim_http_header(call->x, "Keepalive-Ping-Interval");
    int64_t seconds = STREAM_PING_S;
    if (text && sbx_text_int(text, INT32_MIN, 86400, &seconds) && seconds <= 0) return 0;
    return seconds * SIM_SEC;
}

static int64_t stream_least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* What there is to do but for waiting. @return 1 to go on, -1 for nothing to do, 0 when it has ended */
static int stream_act(struct sim_e2b_call *call, struct sim_e2b_stream *stream, const struct sim_e2b_stream_way *way,
                      int64_t now_ns) {
    if (stream->out.len || stream->out.failed) return stream_flush(call, stream, way->room);
    if (stream->cut) {
        stream_cut(call);
        return 0;
    }
    if (stream->late || now_ns >= way->deadline_ns) {
        stream_end(call, E2B_DEADLINE_EXCEEDED, "context deadline exceeded");
        return 0;
    }
    if (stream->done) {
        stream_end(call, E2B_UNKNOWN, NULL);
        return 0;
    }
    return -1;
}

void sim_e2b_stream_run(struct sim_e2b_call *call, struct sim_e2b_stream *stream,
                        const struct sim_e2b_stream_way *way) {
    struct sim_world *world = sim_world(call->e2b->sim);
    const int64_t ping_ns = stream_ping_ns(call);
    int64_t quiet_ns = sim_now(world), poll_ns = way->poll_ns ? quiet_ns + way->poll_ns : SIM_NEVER;
    if (sim_http_begin(call->x, 200, "application/connect+json", -1)) return;
    if (!ping_ns) sim_http_abort(call->x, SIM_ABORT_CLOSE);
    while (ping_ns) {
        const int64_t now_ns = sim_now(world);
        const int how = stream_act(call, stream, way, now_ns);
        if (how == 0) return;
        if (how > 0) {
            quiet_ns = sim_now(world);
            continue;
        }
        if (sim_http_read_now(call->x, NULL, 0) < 0) {
            sim_http_abort(call->x, SIM_ABORT_CLOSE);
            return;
        }
        if (now_ns >= poll_ns) {
            if (!way->poll(way->ctx, stream)) stream->done = 1;
            poll_ns = now_ns + way->poll_ns;
            continue;
        }
        if (now_ns - quiet_ns >= ping_ns) {
            sim_e2b_stream_put(call, stream, way->keepalive, strlen(way->keepalive));
            continue;
        }
        const int64_t until_ns = stream_least(stream_least(quiet_ns + ping_ns, poll_ns), way->deadline_ns);
        if (sim_wait(world, stream->wake, until_ns) == SIM_ENDING) return;
    }
}
