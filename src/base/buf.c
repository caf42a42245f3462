/* A growing byte buffer with a sticky failure. */
#include <sandport/kit/buf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int buf_grow(struct sbx_buf *buf, size_t more) {
    if (buf->failed) return 0;
    if (more < buf->cap - buf->len && buf->data) return 1;
    if (more > SIZE_MAX / 4 || buf->len > SIZE_MAX / 4) goto failed;
    size_t want = buf->len + more + 1, cap = buf->cap ? buf->cap : 64;
    while (cap < want) cap *= 2;
    char *data = realloc(buf->data, cap);
    if (!data) goto failed;
    buf->data = data;
    buf->cap = cap;
    return 1;
failed:
    buf->failed = 1;
    return 0;
}

void sbx_buf_append(struct sbx_buf *buf, const void *data, size_t len) {
    if (!buf_grow(buf, len)) return;
    if (len) memcpy(buf->data + buf->len, data, len);
    buf->len += len;
    buf->data[buf->len] = 0;
}

void sbx_buf_text_append(struct sbx_buf *buf, const char *text) {
    sbx_buf_append(buf, text, strlen(text));
}

void sbx_buf_char(struct sbx_buf *buf, char c) {
    if (!buf_grow(buf, 1)) return;
    buf->data[buf->len++] = c;
    buf->data[buf->len] = 0;
}

void sbx_buf_vprintf(struct sbx_buf *buf, const char *fmt, va_list args) {
    va_list again;
    va_copy(again, args);
    size_t room = buf->data ? buf->cap - buf->len : 0; /* most fit where there is room already */
    int n = vsnprintf(room ? buf->data + buf->len : NULL, room, fmt, args);
    if (n < 0) {
        buf->failed = 1;
    } else if (buf_grow(buf, (size_t)n)) {
        if ((size_t)n >= room) vsnprintf(buf->data + buf->len, (size_t)n + 1, fmt, again);
        buf->len += (size_t)n;
    }
    if (buf->data) buf->data[buf->len] = 0;
    va_end(again);
}

void sbx_buf_printf(struct sbx_buf *buf, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    sbx_buf_vprintf(buf, fmt, args);
    va_end(args);
}

char *sbx_buf_reserve(struct sbx_buf *buf, size_t len) {
    if (!buf_grow(buf, len)) return NULL;
    buf->data[buf->len] = 0;
    return buf->data + buf->len;
}

const char *sbx_buf_text(const struct sbx_buf *buf) {
    if (!buf->data) return "";
    buf->data[buf->len] = 0;
    return buf->data;
}

enum sbx_status sbx_buf_status(const struct sbx_buf *buf) {
    return buf->failed ? SBX_NO_MEMORY : SBX_OK;
}

char *sbx_buf_take(struct sbx_buf *buf, size_t *len) {
    if (!buf_grow(buf, 0)) return NULL;
    char *data = buf->data;
    data[buf->len] = 0;
    if (len) *len = buf->len;
    *buf = (struct sbx_buf)SBX_BUF_INIT;
    return data;
}

void sbx_buf_clear(struct sbx_buf *buf) {
    buf->len = 0;
    buf->failed = 0;
    if (buf->data) buf->data[0] = 0;
}

void sbx_buf_finish(struct sbx_buf *buf) {
    if (!buf) return;
    free(buf->data);
    *buf = (struct sbx_buf)SBX_BUF_INIT;
}
