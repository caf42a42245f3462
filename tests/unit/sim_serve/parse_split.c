/* Feeds the parser as a connection does, with pieces cut where a test wants them, and writes down what came out. */
#include "parse_split.h"

#include "sim/serve/http_parse.h"
#include "t.h"
#include <sandport/kit/buf.h>
#include <stdlib.h>

struct render {
    struct sbx_buf in;
    struct sbx_buf out;
    struct sbx_buf body;
    struct serve_head head;
    struct serve_body decode;
    int in_body;
    int stopped;
};

static void render_head(struct render *r) {
    const struct serve_head *h = &r->head;
    const char *data = r->in.data;
    sbx_buf_printf(&r->out, "%s %s 1.%d %s%s\n", data + h->method_at, data + h->target_at, h->minor,
                   h->keep_alive ? "keep" : "close", h->expects_100 ? " expects" : "");
    for (uint32_t i = 0; i < h->field_count; i++)
        sbx_buf_printf(&r->out, "  %s: %s\n", data + h->fields[i].name_at, data + h->fields[i].value_at);
}

static void render_drop(struct render *r, size_t n) {
    struct sbx_buf rest = SBX_BUF_INIT;
    sbx_buf_append(&rest, r->in.data + n, r->in.len - n);
    sbx_buf_finish(&r->in);
    r->in = rest;
}

static void render_bad(struct render *r, int status, const char *why) {
    sbx_buf_printf(&r->out, "bad %d: %s\n", status, why);
    r->stopped = 1;
}

static int render_step_head(struct render *r) {
    enum serve_parse got = serve_head_read(&r->head, r->in.data, r->in.len);
    if (got == SERVE_BAD) render_bad(r, r->head.bad_status, r->head.why);
    if (got != SERVE_DONE) return 0;
    render_head(r);
    serve_body_begin(&r->decode, r->head.length);
    render_drop(r, r->head.bytes);
    r->in_body = 1;
    return 1;
}

static int render_step_body(struct render *r) {
    size_t used = 0, piece_len = 0;
    const char *piece = NULL;
    enum serve_parse got = serve_body_read(&r->decode, sbx_buf_text(&r->in), r->in.len, &used, &piece, &piece_len);
    if (got == SERVE_DATA) sbx_buf_append(&r->body, piece, piece_len);
    render_drop(r, used);
    if (got == SERVE_BAD) render_bad(r, 400, "body");
    if (got == SERVE_DONE) {
        sbx_buf_printf(&r->out, "  body %zu: %s\n", r->body.len, sbx_buf_text(&r->body));
        sbx_buf_clear(&r->body);
        memset(&r->head, 0, sizeof(r->head));
        r->in_body = 0;
        return 1;
    }
    return got == SERVE_DATA;
}

static void render_feed(struct render *r, const char *bytes, size_t len) {
    if (r->stopped) return;
    sbx_buf_append(&r->in, bytes, len);
    int on = 1;
    while (on && !r->stopped) on = r->in_body ? render_step_body(r) : r->in.len ? render_step_head(r) : 0;
}

static char *render_end(struct render *r) {
    if (!r->stopped && (r->in_body || r->in.len)) sbx_buf_text_append(&r->out, "more\n");
    char *text = sbx_buf_take(&r->out, NULL);
    sbx_buf_finish(&r->in);
    sbx_buf_finish(&r->body);
    T_TRUE(text != NULL);
    return text;
}

char *parse_render(const char *bytes, size_t len, const size_t *cuts, size_t cut_count) {
    struct render r;
    memset(&r, 0, sizeof(r));
    size_t at = 0;
    for (size_t i = 0; i < cut_count; i++) {
        render_feed(&r, bytes + at, cuts[i] - at);
        at = cuts[i];
    }
    render_feed(&r, bytes + at, len - at);
    return render_end(&r);
}

char *parse_render_bytewise(const char *bytes, size_t len) {
    struct render r;
    memset(&r, 0, sizeof(r));
    for (size_t i = 0; i < len; i++) render_feed(&r, bytes + i, 1);
    return render_end(&r);
}
