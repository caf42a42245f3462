/* JSON, written in one pass into a buffer. A comma is due when what stands before is neither an opening nor a colon. */
#include <sandport/kit/json.h>

#include "src/base/bytes.h"

#include <string.h>

static void json_lead(struct sbx_buf *buf, const char *key);

static const char *json_escape(unsigned char c, char out[7]) {
    switch (c) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        break;
    }
    memcpy(out, "\\u00", 4);
    out[4] = "0123456789abcdef"[c >> 4];
    out[5] = "0123456789abcdef"[c & 15];
    out[6] = 0;
    return out;
}

/* How much of a text stands for itself. */
static size_t json_plain(const char *text, size_t len) {
    size_t n = bytes_plain(text, len);
    while (n < len && (unsigned char)text[n] >= 0x20 && text[n] != '"' && text[n] != '\\') n++;
    return n;
}

static void json_quote(struct sbx_buf *buf, const char *text, size_t len) {
    char escape[7];
    sbx_buf_char(buf, '"');
    for (;;) {
        size_t plain = json_plain(text, len);
        sbx_buf_append(buf, text, plain);
        if (plain == len) break;
        sbx_buf_text_append(buf, json_escape((unsigned char)text[plain], escape));
        text += plain + 1;
        len -= plain + 1;
    }
    sbx_buf_char(buf, '"');
}

static void json_lead(struct sbx_buf *buf, const char *key) {
    char before = buf->len ? buf->data[buf->len - 1] : '\n';
    if (before != '{' && before != '[' && before != ':' && before != '\n' && before) sbx_buf_char(buf, ',');
    if (!key) return;
    json_quote(buf, key, strlen(key));
    sbx_buf_char(buf, ':');
}

void sbx_json_begin_object(struct sbx_buf *buf, const char *key) {
    json_lead(buf, key);
    sbx_buf_char(buf, '{');
}

void sbx_json_end_object(struct sbx_buf *buf) {
    sbx_buf_char(buf, '}');
}

void sbx_json_begin_array(struct sbx_buf *buf, const char *key) {
    json_lead(buf, key);
    sbx_buf_char(buf, '[');
}

void sbx_json_end_array(struct sbx_buf *buf) {
    sbx_buf_char(buf, ']');
}

void sbx_json_put_text(struct sbx_buf *buf, const char *key, const char *value, size_t len) {
    json_lead(buf, key);
    json_quote(buf, value, len);
}

void sbx_json_put_string(struct sbx_buf *buf, const char *key, const char *value) {
    if (value)
        sbx_json_put_text(buf, key, value, strlen(value));
    else
        sbx_json_put_null(buf, key);
}

void sbx_json_put_int(struct sbx_buf *buf, const char *key, int64_t value) {
    char digits[24];
    size_t at = sizeof(digits);
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    json_lead(buf, key);
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0) digits[--at] = '-';
    sbx_buf_append(buf, digits + at, sizeof(digits) - at);
}

void sbx_json_put_bool(struct sbx_buf *buf, const char *key, int value) {
    json_lead(buf, key);
    sbx_buf_text_append(buf, value ? "true" : "false");
}

void sbx_json_put_null(struct sbx_buf *buf, const char *key) {
    json_lead(buf, key);
    sbx_buf_text_append(buf, "null");
}

void sbx_json_put_raw(struct sbx_buf *buf, const char *key, const char *json, size_t len) {
    json_lead(buf, key);
    sbx_buf_append(buf, json, len);
}
