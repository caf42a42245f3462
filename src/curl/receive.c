/* The answer on its way in: the head in one piece, then the body, both within their limits. Row P4.
 *
 * libcurl hands over every line of every head: those of 1xx answers before the final one, and trailers behind the body.
 * Only the final head is given on; the bytes of all of them count. */
#include "room.h"

#include <stdlib.h>
#include <string.h>

static size_t receive_stop(struct sbx_curl_exchange *x, enum sbx_curl_stop why) {
    x->stop = why;
    return 0; /* not the length: libcurl ends the transfer */
}

static int is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void receive_line_add(struct sbx_curl_receive *receive, const char *line, size_t len) {
    const char *colon = memchr(line, ':', len);
    if (!colon) return;
    const char *value = colon + 1, *end = line + len;
    while (value < end && is_space(*value)) value++;
    sbx_buf_append(&receive->lines, line, (size_t)(colon - line));
    sbx_buf_char(&receive->lines, 0);
    sbx_buf_append(&receive->lines, value, (size_t)(end - value));
    sbx_buf_char(&receive->lines, 0);
    receive->line_count++;
}

/* The obsolete continuation of the line before: RFC 9112 has a client read it as one space. */
static void receive_line_continue(struct sbx_curl_receive *receive, const char *line, size_t len) {
    if (receive->line_count == 0 || receive->lines.failed) return; /* then there may be no NUL to take back */
    while (len && is_space(*line)) line++, len--;
    receive->lines.len--;
    sbx_buf_char(&receive->lines, ' ');
    sbx_buf_append(&receive->lines, line, len);
    sbx_buf_char(&receive->lines, 0);
}

static void receive_headers_point(const struct sbx_curl_receive *receive, struct sbx_header *headers) {
    const char *at = sbx_buf_text(&receive->lines);
    for (size_t i = 0; i < receive->line_count; i++) {
        headers[i].name = at;
        headers[i].value = at + strlen(at) + 1;
        at = headers[i].value + strlen(headers[i].value) + 1;
    }
}

/* @return 0, or why the exchange must stop */
static enum sbx_curl_stop receive_head_give(struct sbx_curl_receive *receive) {
    enum sbx_curl_stop stop = SBX_CURL_STOP_NONE;
    if (!receive->to || !receive->to->head) return stop;
    struct sbx_header *headers = calloc(receive->line_count + 1, sizeof(*headers));
    if (!headers || sbx_buf_status(&receive->lines) != SBX_OK) {
        stop = SBX_CURL_STOP_MEMORY;
        goto done;
    }
    receive_headers_point(receive, headers);
    if (receive->to->head(receive->to->ctx, receive->http_status, headers, receive->line_count))
        stop = SBX_CURL_STOP_RECEIVER;
done:
    free(headers);
    return stop;
}

static void receive_head_restart(struct sbx_curl_exchange *x) {
    long status = 0;
    curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
    sbx_buf_clear(&x->receive.lines);
    x->receive.line_count = 0;
    x->receive.http_status = status >= 200 || status == 101 ? (int32_t)status : 0;
}

static enum sbx_curl_stop receive_head_end(struct sbx_curl_receive *receive) {
    if (receive->http_status == 0) return SBX_CURL_STOP_NONE;
    enum sbx_curl_stop stop = receive_head_give(receive);
    receive->head_given = 1;
    sbx_buf_finish(&receive->lines);
    return stop;
}

static enum sbx_curl_stop receive_line(struct sbx_curl_exchange *x, const char *line, size_t len) {
    struct sbx_curl_receive *receive = &x->receive;
    size_t text = len;
    while (text && is_space(line[text - 1])) text--;
    if (receive->head_given) return SBX_CURL_STOP_NONE;
    if (text == 0) return receive_head_end(receive);
    if (len > 5 && memcmp(line, "HTTP/", 5) == 0)
        receive_head_restart(x);
    else if (is_space(line[0]))
        receive_line_continue(receive, line, text);
    else
        receive_line_add(receive, line, text);
    return SBX_CURL_STOP_NONE;
}

size_t sbx_curl_receive_head(char *line, size_t size, size_t n, void *arg) {
    struct sbx_curl_exchange *x = arg;
    size_t len = size * n;
    x->receive.head_bytes += len;
    if (x->receive.head_bytes > x->receive.head_bytes_max) return receive_stop(x, SBX_CURL_STOP_TOO_LARGE);
    enum sbx_curl_stop stop = receive_line(x, line, len);
    return stop ? receive_stop(x, stop) : len;
}

/* What still fits is given on, so that a caller who asked for n bytes has n. */
size_t sbx_curl_receive_body(char *data, size_t size, size_t n, void *arg) {
    struct sbx_curl_exchange *x = arg;
    struct sbx_curl_receive *receive = &x->receive;
    size_t len = size * n, piece = len;
    if (receive->body_bytes_max && len > receive->body_bytes_max - receive->got_bytes)
        piece = (size_t)(receive->body_bytes_max - receive->got_bytes);
    if (piece && receive->to && receive->to->body && receive->to->body(receive->to->ctx, data, piece))
        return receive_stop(x, SBX_CURL_STOP_RECEIVER);
    receive->got_bytes += piece;
    return piece < len ? receive_stop(x, SBX_CURL_STOP_TOO_LARGE) : len;
}

void sbx_curl_receive_finish(struct sbx_curl_receive *receive) {
    sbx_buf_finish(&receive->lines);
}
