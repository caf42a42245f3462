/* The head of an HTTP/1.1 request, line by line and in place. Row V1. */
#include "sim/serve/http_parse.h"

#include <sandport/kit/text.h>
#include <string.h>

static enum serve_parse head_refuse(struct serve_head *h, int status, const char *why) {
    h->bad_status = status;
    h->why = why;
    return SERVE_BAD;
}

static int head_is_token(unsigned char c) {
    if (c >= '0' && c <= '9') return 1;
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') return 1;
    return c && strchr("!#$%&'*+-.^_`|~", c) != NULL;
}

static size_t head_token_len(const char *text, size_t len) {
    size_t n = 0;
    while (n < len && head_is_token((unsigned char)text[n])) n++;
    return n;
}

/* "http://host/path" is what a client sends that takes the simulator for a proxy: from the path on it is as usual. */
static const char *head_skip_authority(const char *target) {
    if (strncmp(target, "http://", 7) != 0) return target;
    const char *path = strchr(target + 7, '/');
    return path ? path : target;
}

static int head_target_good(const char *target, const char *method) {
    if (strcmp(target, "*") == 0) return strcmp(method, "OPTIONS") == 0;
    if (target[0] != '/') return 0;
    for (const char *c = target; *c; c++)
        if (*c <= 0x20 || *c >= 0x7f || *c == '#') return 0;
    return 1;
}

/* The version is all that stands behind the second space; its length says where the line ended. */
static enum serve_parse head_version(struct serve_head *h, const char *text, size_t len) {
    if (len != 8 || memcmp(text, "HTTP/", 5) != 0 || text[6] != '.') return head_refuse(h, 400, "not an HTTP version");
    if (text[5] < '0' || text[5] > '9' || text[7] < '0' || text[7] > '9')
        return head_refuse(h, 400, "not an HTTP version");
    if (text[5] != '1' || text[7] > '1') return head_refuse(h, 505, "only HTTP/1.0 and HTTP/1.1 are served");
    h->minor = text[7] - '0';
    return SERVE_MORE;
}

static enum serve_parse head_start_line(struct serve_head *h, char *data, size_t at, size_t len) {
    char *line = data + at;
    size_t method_len = head_token_len(line, len);
    if (method_len == 0 || method_len > SERVE_METHOD_MAX || method_len == len || line[method_len] != ' ')
        return head_refuse(h, 400, "no method");
    char *target = line + method_len + 1;
    char *space = memchr(target, ' ', len - method_len - 1);
    if (!space || memchr(target, 0, len - method_len - 1)) return head_refuse(h, 400, "no request target");
    line[method_len] = 0;
    *space = 0;
    const char *path = head_skip_authority(target);
    if (!head_target_good(path, line)) return head_refuse(h, 400, "malformed request target");
    h->method_at = (uint32_t)at;
    h->target_at = (uint32_t)(path - data);
    return head_version(h, space + 1, (size_t)(line + len - space - 1));
}

/* The journal holds header values as JSON, hence UTF-8. */
static int head_value_good(const char *value, size_t len) {
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)value[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f) return 0;
    }
    return sbx_utf8_valid(value, len) == len;
}

static int head_space(char c) {
    return c == ' ' || c == '\t';
}

/* The next member of a comma-separated list, without white space around it. @return 0 at the end */
static int head_next_member(const char **list, const char **member, size_t *len) {
    const char *at = *list;
    while (head_space(*at) || *at == ',') at++;
    if (!*at) return 0;
    *member = at;
    *len = strcspn(at, ",");
    *list = at + *len;
    while (*len && head_space(at[*len - 1])) --*len;
    return 1;
}

static int head_member_is(const char *member, size_t len, const char *word) {
    char text[16];
    if (len != strlen(word) || len >= sizeof(text)) return 0;
    memcpy(text, member, len);
    text[len] = 0;
    return sbx_text_equal_nocase(text, word);
}

static void head_connection(struct serve_head *h, const char *value) {
    const char *member;
    size_t len;
    while (head_next_member(&value, &member, &len)) {
        if (head_member_is(member, len, "close")) h->keep_alive = 0;
        if (head_member_is(member, len, "keep-alive") && h->keep_alive < 0) h->keep_alive = 1;
    }
}

/* What a field says about the message itself. */
static enum serve_parse head_framing_field(struct serve_head *h, const char *name, const char *value) {
    if (sbx_text_equal_nocase(name, "host")) {
        h->host_count++;
    } else if (sbx_text_equal_nocase(name, "connection")) {
        head_connection(h, value);
    } else if (sbx_text_equal_nocase(name, "content-length")) {
        h->length_count++;
        if (value[0] == '-' || !sbx_text_int(value, 0, INT64_MAX, &h->length))
            return head_refuse(h, 400, "malformed Content-Length");
    } else if (sbx_text_equal_nocase(name, "transfer-encoding")) {
        h->coding_count++;
        if (!sbx_text_equal_nocase(value, "chunked")) return head_refuse(h, 501, "unknown transfer coding");
    } else if (sbx_text_equal_nocase(name, "expect")) {
        h->expects_100 = 1;
        if (!sbx_text_equal_nocase(value, "100-continue")) return head_refuse(h, 417, "unknown expectation");
    }
    return SERVE_MORE;
}

static enum serve_parse head_field_line(struct serve_head *h, char *data, size_t at, size_t len) {
    char *line = data + at;
    if (head_space(line[0])) return head_refuse(h, 400, "folded header");
    size_t name_len = head_token_len(line, len);
    if (name_len == 0 || name_len == len || line[name_len] != ':') return head_refuse(h, 400, "malformed header name");
    size_t from = name_len + 1, to = len;
    while (from < to && head_space(line[from])) from++;
    while (to > from && head_space(line[to - 1])) to--;
    if (!head_value_good(line + from, to - from)) return head_refuse(h, 400, "malformed header value");
    if (h->field_count == SERVE_FIELDS_MAX) return head_refuse(h, 431, "too many headers");
    line[name_len] = 0;
    line[to] = 0;
    h->fields[h->field_count++] = (struct serve_field){(uint32_t)at, (uint32_t)(at + from)};
    return head_framing_field(h, line, line + from);
}

/* The empty line: what the head as a whole means. */
static enum serve_parse head_finish(struct serve_head *h) {
    if (h->host_count > 1 || (h->minor == 1 && h->host_count == 0)) return head_refuse(h, 400, "not exactly one Host");
    if (h->length_count > 1) return head_refuse(h, 400, "more than one Content-Length");
    if (h->coding_count > 1) return head_refuse(h, 400, "more than one Transfer-Encoding");
    if (h->coding_count && h->length_count) return head_refuse(h, 400, "both Content-Length and Transfer-Encoding");
    if (h->coding_count && h->minor == 0) return head_refuse(h, 400, "Transfer-Encoding in HTTP/1.0");
    if (h->coding_count) h->length = -1;
    if (h->minor == 0 || h->length == 0) h->expects_100 = 0;
    if (h->keep_alive < 0) h->keep_alive = h->minor == 1;
    h->bytes = h->scan_at;
    return SERVE_DONE;
}

static enum serve_parse head_line(struct serve_head *h, char *data, size_t at, size_t len) {
    if (h->target_at == 0) {
        if (len == 0 && at == 0) return SERVE_MORE; /* RFC 9112, 2.2: one empty line before a request is forgiven */
        h->keep_alive = -1;
        return head_start_line(h, data, at, len);
    }
    return len ? head_field_line(h, data, at, len) : head_finish(h);
}

/* What a line that has no end yet says already. A first byte that starts no method is some other protocol, TLS mostly,
 * whose next bytes would be long in coming. */
static enum serve_parse head_unfinished(struct serve_head *h, const char *data, size_t len) {
    size_t have = len - h->line_at;
    int starting = h->target_at == 0;
    if (starting && have && !head_is_token((unsigned char)data[h->line_at]) && data[h->line_at] != '\r')
        return head_refuse(h, 400, "no method");
    if (starting && have > SERVE_LINE_MAX + 1) return head_refuse(h, 414, "request line too long");
    if (have > SERVE_LINE_MAX + 1 || len > SERVE_HEAD_MAX) return head_refuse(h, 431, "headers too long");
    return SERVE_MORE;
}

enum serve_parse serve_head_read(struct serve_head *h, char *data, size_t len) {
    enum serve_parse got = SERVE_MORE;
    while (got == SERVE_MORE) {
        char *end = memchr(data + h->scan_at, '\n', len - h->scan_at);
        size_t at = h->line_at, past = end ? (size_t)(end - data) + 1 : len;
        h->scan_at = (uint32_t)past;
        got = head_unfinished(h, data, end ? past - 1 : len);
        if (got != SERVE_MORE || !end) return got;
        if (past - at < 2 || end[-1] != '\r') return head_refuse(h, 400, "a line not ended by CRLF");
        h->line_at = (uint32_t)past;
        got = head_line(h, data, at, past - at - 2);
    }
    return got;
}

const char *serve_head_field(const struct serve_head *h, const char *data, const char *name) {
    for (uint32_t i = 0; i < h->field_count; i++)
        if (sbx_text_equal_nocase(data + h->fields[i].name_at, name)) return data + h->fields[i].value_at;
    return NULL;
}
