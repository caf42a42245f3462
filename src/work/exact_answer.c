/* Finding and decoding the answer of an exact script: a pure function of the text. Rows P7, P11.
 *
 *     sbx1 NONCE CODE OUT-BYTES ERR-BYTES b64|hex self|dead|killed|unproven
 *     <stdout in that coding, in lines of any length>
 *     sbx1 NONCE err
 *     <stderr>
 *     sbx1 NONCE end
 *
 * A provider may put a banner before it, a goodbye after it, and \r\n for \n. What is cut off, or has anything else
 * mixed in, is no answer: the caller then asks again rather than believe it. */
#include "src/work/exact_answer.h"

#include <sandport/kit/text.h>
#include <string.h>

#define HEAD_MAX    160
#define HEAD_FIELDS 5

struct cursor {
    const char *at;
    const char *end;
};

struct line {
    const char *text;
    size_t len;
};

void sbx_exact_answer_finish(struct exact_answer *ans) {
    sbx_buf_finish(&ans->out);
    sbx_buf_finish(&ans->err);
}

static int next_line(struct cursor *in, struct line *out) {
    if (in->at == in->end) return 0;
    const char *newline = memchr(in->at, '\n', (size_t)(in->end - in->at));
    const char *stop = newline ? newline : in->end;
    out->text = in->at;
    out->len = (size_t)(stop - in->at);
    if (out->len && out->text[out->len - 1] == '\r') out->len--;
    in->at = newline ? newline + 1 : in->end;
    return 1;
}

/* The rest of a line that begins with our mark, NULL if it does not. */
static const char *after_mark(const struct line *line, const char *nonce) {
    const size_t nonce_len = strlen(nonce), mark_len = 5 + nonce_len + 1;
    if (line->len < mark_len || memcmp(line->text, "sbx1 ", 5) != 0) return NULL;
    if (memcmp(line->text + 5, nonce, nonce_len) != 0 || line->text[mark_len - 1] != ' ') return NULL;
    return line->text + mark_len;
}

static int is_mark(const struct line *line, const char *nonce, const char *word) {
    const char *rest = after_mark(line, nonce);
    size_t len = strlen(word);
    return rest && (size_t)(line->text + line->len - rest) == len && memcmp(rest, word, len) == 0;
}

/* Cuts `text` at its single spaces into exactly HEAD_FIELDS. */
static int split_fields(char *text, char *fields[HEAD_FIELDS]) {
    size_t n = 0;
    for (char *at = text; at; n++) {
        char *space = strchr(at, ' ');
        if (space) *space = 0;
        if (n == HEAD_FIELDS || !*at) return 0;
        fields[n] = at;
        at = space ? space + 1 : NULL;
    }
    return n == HEAD_FIELDS;
}

static int read_code(const char *text, struct exact_answer *ans) {
    static const struct {
        const char *word;
        enum exact_code code;
    } words[] = {{"lost", EXACT_LOST},     {"running", EXACT_RUNNING}, {"never", EXACT_NEVER},    {"cwd", EXACT_NO_CWD},
                 {"space", EXACT_NO_ROOM}, {"absent", EXACT_ABSENT},   {"unknown", EXACT_UNKNOWN}};
    int64_t number = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(text, words[i].word) != 0) continue;
        ans->code = words[i].code;
        return 1;
    }
    if (strncmp(text, "tool:", 5) == 0) {
        ans->code = EXACT_NO_TOOL;
        return text[5] && sbx_copy(ans->tool, sizeof(ans->tool), text + 5);
    }
    ans->code = EXACT_EXIT;
    if (!sbx_text_int(text, 0, 255, &number)) return 0;
    ans->exit_code = (int32_t)number;
    return 1;
}

static int read_total(const char *text, int64_t *out) {
    *out = -1;
    return strcmp(text, "-") == 0 || sbx_text_int(text, 0, INT64_MAX, out);
}

static int read_ended(const char *text, enum exact_ended *out) {
    static const char *const words[] = {"self", "dead", "killed", "unproven"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(text, words[i]) != 0) continue;
        *out = (enum exact_ended)i;
        return 1;
    }
    return 0;
}

static int read_head(const struct line *line, const char *nonce, struct exact_answer *ans, int *hex) {
    const char *rest = after_mark(line, nonce);
    char text[HEAD_MAX], *fields[HEAD_FIELDS];
    size_t len = rest ? (size_t)(line->text + line->len - rest) : 0;
    if (!rest || len >= sizeof(text) || memchr(rest, 0, len)) return 0;
    memcpy(text, rest, len);
    text[len] = 0;
    if (!split_fields(text, fields)) return 0;
    *hex = strcmp(fields[3], "hex") == 0;
    if (!*hex && strcmp(fields[3], "b64") != 0) return 0;
    return read_code(fields[0], ans) && read_total(fields[1], &ans->out_total) &&
           read_total(fields[2], &ans->err_total) && read_ended(fields[4], &ans->ended);
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int decode_hex(struct sbx_buf *out, const char *text, size_t len) {
    if (len % 2) return 0;
    for (size_t i = 0; i < len; i += 2) {
        int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0) return 0;
        sbx_buf_char(out, (char)(high << 4 | low));
    }
    return 1;
}

/* One stream: all lines up to the mark `until`, decoded. The coding's own spaces and line breaks mean nothing. */
static int read_stream(struct cursor *in, const char *nonce, const char *until, int hex, struct sbx_buf *coded,
                       struct sbx_buf *out) {
    struct line line;
    sbx_buf_clear(coded);
    for (;;) {
        if (!next_line(in, &line)) return 0;
        if (is_mark(&line, nonce, until)) break;
        for (size_t i = 0; i < line.len; i++)
            if (line.text[i] != ' ') sbx_buf_char(coded, line.text[i]);
    }
    const char *text = sbx_buf_text(coded);
    return hex ? decode_hex(out, text, coded->len) : sbx_base64_decode(out, text, coded->len);
}

static int is_whole(const struct sbx_buf *stream, int64_t total, int64_t limit) {
    int64_t kept = total < 0 ? 0 : total < limit ? total : limit;
    return stream->len == (size_t)kept;
}

/* An answer that begins at `line`, with `in` behind it. */
static int read_at(const struct line *line, struct cursor in, const char *nonce, int64_t limit, struct sbx_buf *coded,
                   struct exact_answer *ans) {
    int hex = 0;
    sbx_buf_clear(&ans->out);
    sbx_buf_clear(&ans->err);
    return read_head(line, nonce, ans, &hex) && read_stream(&in, nonce, "err", hex, coded, &ans->out) &&
           is_whole(&ans->out, ans->out_total, limit) && read_stream(&in, nonce, "end", hex, coded, &ans->err) &&
           is_whole(&ans->err, ans->err_total, limit);
}

enum sbx_status sbx_exact_answer_read(const char *text, size_t len, const char *nonce, int64_t limit,
                                      struct exact_answer *ans) {
    struct cursor in = {text, text + len};
    struct sbx_buf coded = SBX_BUF_INIT;
    struct line line;
    enum sbx_status st = SBX_PROTOCOL;
    while (st == SBX_PROTOCOL && next_line(&in, &line)) {
        if (read_at(&line, in, nonce, limit, &coded, ans)) st = SBX_OK;
        if (coded.failed || ans->out.failed || ans->err.failed) st = SBX_NO_MEMORY;
    }
    sbx_buf_finish(&coded);
    return st;
}
