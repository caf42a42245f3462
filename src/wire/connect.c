/* Connect's streams, decoded piece by piece. Row E8.
 *
 * Only lengths say where an envelope ends: the transport cuts and joins as it likes. What a length announces is not
 * believed before it is there; memory grows with what has come. */
#include <sandport/kit/connect.h>
#include <sandport/kit/json.h>
#include <sandport/kit/text.h>

#include <stdlib.h>
#include <string.h>

#define HEAD_SIZE 5
#define FLAG_END  0x02u

struct sbx_connect_decoder {
    struct sbx_connect_sink sink;
    size_t message_max;
    unsigned char head[HEAD_SIZE];
    size_t head_len;
    size_t payload_len; /* announced */
    struct sbx_buf payload;
    enum sbx_status failed;
    int ended;
    int has_error;
    struct sbx_connect_error error;
};

void sbx_connect_envelope(struct sbx_buf *buf, const void *payload, size_t len) {
    const unsigned char head[HEAD_SIZE] = {0, (unsigned char)(len >> 24 & 0xff), (unsigned char)(len >> 16 & 0xff),
                                           (unsigned char)(len >> 8 & 0xff), (unsigned char)(len & 0xff)};
    if (len > UINT32_MAX) {
        buf->failed = 1;
        return;
    }
    sbx_buf_append(buf, head, sizeof(head));
    sbx_buf_append(buf, payload, len);
}

struct sbx_connect_decoder *sbx_connect_decoder_create(const struct sbx_connect_sink *sink, size_t message_max) {
    struct sbx_connect_decoder *decoder = calloc(1, sizeof(*decoder));
    if (!decoder) return NULL;
    decoder->sink = *sink;
    decoder->message_max = message_max ? message_max : SBX_CONNECT_MESSAGE_MAX;
    decoder->error.size = sizeof(decoder->error);
    return decoder;
}

void sbx_connect_decoder_free(struct sbx_connect_decoder *decoder) {
    if (!decoder) return;
    sbx_buf_finish(&decoder->payload);
    free(decoder);
}

/* ---- errors in JSON ---- */

static void text_cut(char *out, size_t cap, const char *text) {
    size_t len = strlen(text);
    if (len >= cap) len = cap - 1;
    memcpy(out, text, len);
    out[len] = 0;
}

/* `code` is a word where Connect speaks, a number where a proxy in front of it does. */
static void error_read(struct sbx_json *js, const struct sbx_json_node *obj, struct sbx_connect_error *out) {
    const struct sbx_json_node *code = sbx_json_member(obj, "code");
    if (code && sbx_json_type(code) == SBX_JSON_NUMBER)
        out->number = sbx_json_as_int(js, code);
    else if (code && sbx_json_type(code) == SBX_JSON_STRING)
        text_cut(out->code, sizeof(out->code), sbx_json_as_string(js, code));
    const struct sbx_json_node *message = sbx_json_member(obj, "message");
    if (message && sbx_json_type(message) == SBX_JSON_STRING)
        text_cut(out->message, sizeof(out->message), sbx_json_as_string(js, message));
}

enum sbx_status sbx_connect_error_read(const char *text, size_t len, struct sbx_connect_error *out) {
    struct sbx_json *js = NULL;
    enum sbx_status st = sbx_json_parse(text, len, 0, &js);
    out->code[0] = out->message[0] = 0;
    out->number = 0;
    if (!st && sbx_json_type(sbx_json_root(js)) != SBX_JSON_OBJECT) st = SBX_PROTOCOL;
    if (!st) error_read(js, sbx_json_root(js), out);
    sbx_json_free(js);
    return st;
}

/* The end: {} or {"error":{...}}, with trailers beside it that nobody needs. */
static enum sbx_status end_read(struct sbx_connect_decoder *decoder) {
    struct sbx_json *js = NULL;
    enum sbx_status st = sbx_json_parse(sbx_buf_text(&decoder->payload), decoder->payload.len, 0, &js);
    const struct sbx_json_node *root = st ? NULL : sbx_json_root(js);
    if (!st && sbx_json_type(root) != SBX_JSON_OBJECT) st = SBX_PROTOCOL;
    if (!st) {
        const struct sbx_json_node *error = sbx_json_opt_object(js, root, "error");
        st = sbx_json_status(js);
        decoder->has_error = error != NULL;
        if (error) error_read(js, error, &decoder->error);
        decoder->ended = !st; /* guard: end_is_explicit */
    }
    sbx_json_free(js);
    return st;
}

/* ---- envelopes ---- */

static enum sbx_status envelope_begin(struct sbx_connect_decoder *decoder) {
    const unsigned char *h = decoder->head;
    const uint32_t len = (uint32_t)h[1] << 24 | (uint32_t)h[2] << 16 | (uint32_t)h[3] << 8 | h[4];
    if (h[0] & ~FLAG_END) return SBX_PROTOCOL; /* compressed, which was not asked for, or not known */
    if (len > decoder->message_max) return SBX_TOO_LARGE;
    decoder->payload_len = len;
    sbx_buf_clear(&decoder->payload);
    return SBX_OK;
}

static enum sbx_status envelope_end(struct sbx_connect_decoder *decoder) {
    decoder->head_len = 0;
    if (decoder->head[0] & FLAG_END) return end_read(decoder);
    return decoder->sink.message(decoder->sink.ctx, sbx_buf_text(&decoder->payload), decoder->payload.len) ? SBX_STREAM
                                                                                                           : SBX_OK;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Takes some of it. @return how much */
static size_t feed_some(struct sbx_connect_decoder *decoder, const unsigned char *data, size_t len) {
    size_t n = 0;
    if (decoder->ended) {
        decoder->failed = SBX_PROTOCOL;
        return 0;
    }
    if (decoder->head_len < HEAD_SIZE) {
        n = least(HEAD_SIZE - decoder->head_len, len);
        memcpy(decoder->head + decoder->head_len, data, n);
        decoder->head_len += n;
        if (decoder->head_len < HEAD_SIZE) return n;
        decoder->failed = envelope_begin(decoder);
    } else {
        n = least(decoder->payload_len - decoder->payload.len, len);
        sbx_buf_append(&decoder->payload, data, n);
        decoder->failed = sbx_buf_status(&decoder->payload);
    }
    if (!decoder->failed && decoder->payload.len == decoder->payload_len) decoder->failed = envelope_end(decoder);
    return n;
}

enum sbx_status sbx_connect_feed(struct sbx_connect_decoder *decoder, const void *data, size_t len) {
    const unsigned char *at = data;
    while (len && !decoder->failed) {
        size_t n = feed_some(decoder, at, len);
        at += n;
        len -= n;
    }
    return decoder->failed;
}

int32_t sbx_connect_ending(const struct sbx_connect_decoder *decoder, int32_t evidence) {
    if (decoder->failed == SBX_PROTOCOL) return SBX_CONNECT_BROKEN;
    if (decoder->failed) return SBX_CONNECT_STOPPED;
    if (decoder->ended) return decoder->has_error ? SBX_CONNECT_ERROR : SBX_CONNECT_WELL;
    return evidence == SBX_EVIDENCE_DONE ? SBX_CONNECT_SHORT : SBX_CONNECT_RESET;
}

const struct sbx_connect_error *sbx_connect_error(const struct sbx_connect_decoder *decoder) {
    return &decoder->error;
}

int sbx_connect_is_stream(const char *content_type) {
    static const char wanted[] = "application/connect+json";
    char type[sizeof(wanted)];
    size_t len = strcspn(content_type, "; \t");
    if (len >= sizeof(type)) return 0;
    memcpy(type, content_type, len);
    type[len] = 0;
    return sbx_text_equal_nocase(type, wanted);
}
