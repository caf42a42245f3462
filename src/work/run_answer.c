/* Finding and decoding the answer of a script of durable runs: a pure function of the text. Rows D10, P7.
 *
 *     sbxr1 KEY CODE VERSION HASH NONCE HOW OUT-BYTES ERR-BYTES b64|hex
 *     <a piece of stdout in that coding, in lines of any length>
 *     sbxr1 KEY err
 *     <a piece of stderr>
 *     sbxr1 KEY end
 *
 * What is not told is `-`; HOW is `-` and the words that hold, each behind a comma. */
#include "src/work/run_answer.h"

#include <string.h>

#define HEAD_MAX    256
#define HEAD_FIELDS 8

void sbx_run_answer_finish(struct run_answer *ans) {
    sbx_buf_finish(&ans->out);
    sbx_buf_finish(&ans->err);
}

static int read_version(const char *text, int *out) {
    int64_t number = 0;
    *out = 0;
    if (strcmp(text, "-") == 0) return 1;
    if (!sbx_text_int(text, 1, INT32_MAX, &number)) return 0;
    *out = (int)number;
    return 1;
}

static int read_hex(const char *text, size_t digits, char *out) {
    out[0] = 0;
    return strcmp(text, "-") == 0 || (sbx_is_hex(text, digits) && sbx_copy(out, digits + 1, text));
}

static int read_how(const char *text, struct run_answer *ans) {
    static const char *const words[] = {"late", "killed", "unproven"};
    int *const flags[] = {&ans->late, &ans->kill_asked, &ans->unproven};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) *flags[i] = 0;
    if (*text++ != '-') return 0;
    while (*text == ',') {
        const char *word = text + 1;
        size_t len = strcspn(word, ","), i = 0;
        while (i < sizeof(words) / sizeof(words[0]) && !(strlen(words[i]) == len && memcmp(words[i], word, len) == 0))
            i++;
        if (i == sizeof(words) / sizeof(words[0])) return 0;
        *flags[i] = 1;
        text = word + len;
    }
    return *text == 0;
}

/* A release that writes more into admission than this one knows is told apart by its version. */
static int read_head(const struct coded_line *line, const struct coded_mark *mark, struct run_answer *ans, int *hex) {
    char room[HEAD_MAX], *fields[HEAD_FIELDS];
    return sbx_coded_head(line, mark, room, sizeof(room), fields, HEAD_FIELDS) &&
           sbx_coded_verdict(fields[0], &ans->code, &ans->exit_code, ans->tool) &&
           read_version(fields[1], &ans->version) && read_hex(fields[2], SBX_SHA256_HEX - 1, ans->hash) &&
           read_hex(fields[3], RUN_NONCE_SIZE - 1, ans->nonce) && read_how(fields[4], ans) &&
           sbx_coded_total(fields[5], &ans->out_total) && sbx_coded_total(fields[6], &ans->err_total) &&
           sbx_coded_coding(fields[7], hex);
}

int64_t sbx_run_piece_from(int64_t from, int64_t total, int64_t max) {
    if (from >= 0) return from;
    return total > max ? total - max : 0;
}

static int is_whole(const struct sbx_buf *stream, int64_t from, int64_t total, int64_t max) {
    int64_t left = total - sbx_run_piece_from(from, total, max);
    int64_t kept = left < 0 ? 0 : left < max ? left : max;
    return stream->len == (size_t)kept;
}

static int read_at(const struct coded_line *line, struct coded_text in, const struct coded_mark *mark,
                   const struct run_piece *piece, struct sbx_buf *scratch, struct run_answer *ans) {
    int hex = 0;
    sbx_buf_clear(&ans->out);
    sbx_buf_clear(&ans->err);
    return read_head(line, mark, ans, &hex) && sbx_coded_stream(&in, mark, "err", hex, scratch, &ans->out) &&
           is_whole(&ans->out, piece->out_from, ans->out_total, piece->max) &&
           sbx_coded_stream(&in, mark, "end", hex, scratch, &ans->err) &&
           is_whole(&ans->err, piece->err_from, ans->err_total, piece->max);
}

enum sbx_status sbx_run_answer_read(const char *text, size_t len, const char *key, const struct run_piece *piece,
                                    struct run_answer *ans) {
    const struct coded_mark mark = {"sbxr1", key};
    struct coded_text in = {text, text + len};
    struct sbx_buf scratch = SBX_BUF_INIT;
    struct coded_line line;
    enum sbx_status st = SBX_PROTOCOL;
    while (st == SBX_PROTOCOL && sbx_coded_next(&in, &line)) {
        if (read_at(&line, in, &mark, piece, &scratch, ans)) st = SBX_OK;
        if (scratch.failed || ans->out.failed || ans->err.failed) st = SBX_NO_MEMORY;
    }
    sbx_buf_finish(&scratch);
    return st;
}
