/* Finding and decoding the answer of an exact script: a pure function of the text. Rows P7, P11.
 *
 *     sbx1 NONCE CODE OUT-BYTES ERR-BYTES b64|hex self|dead|killed|unproven
 *     <stdout in that coding, in lines of any length>
 *     sbx1 NONCE err
 *     <stderr>
 *     sbx1 NONCE end
 *
 * What is cut off, or has anything else mixed in, is no answer: the caller then asks again rather than believe it. */
#include "src/work/exact_answer.h"

#include <sandport/kit/text.h>
#include <string.h>

#define HEAD_MAX    160
#define HEAD_FIELDS 5

void sbx_exact_answer_finish(struct exact_answer *ans) {
    sbx_buf_finish(&ans->out);
    sbx_buf_finish(&ans->err);
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

static int read_head(const struct coded_line *line, const struct coded_mark *mark, struct exact_answer *ans, int *hex) {
    char room[HEAD_MAX], *fields[HEAD_FIELDS];
    return sbx_coded_head(line, mark, room, sizeof(room), fields, HEAD_FIELDS) &&
           sbx_coded_verdict(fields[0], &ans->code, &ans->exit_code, ans->tool) &&
           sbx_coded_total(fields[1], &ans->out_total) && sbx_coded_total(fields[2], &ans->err_total) &&
           sbx_coded_coding(fields[3], hex) && read_ended(fields[4], &ans->ended);
}

static int is_whole(const struct sbx_buf *stream, int64_t total, int64_t limit) {
    int64_t kept = total < 0 ? 0 : total < limit ? total : limit;
    return stream->len == (size_t)kept;
}

/* An answer that begins at `line`, with `in` behind it. */
static int read_at(const struct coded_line *line, struct coded_text in, const struct coded_mark *mark, int64_t limit,
                   struct sbx_buf *scratch, struct exact_answer *ans) {
    int hex = 0;
    sbx_buf_clear(&ans->out);
    sbx_buf_clear(&ans->err);
    return read_head(line, mark, ans, &hex) && sbx_coded_stream(&in, mark, "err", hex, scratch, &ans->out) &&
           is_whole(&ans->out, ans->out_total, limit) && sbx_coded_stream(&in, mark, "end", hex, scratch, &ans->err) &&
           is_whole(&ans->err, ans->err_total, limit);
}

enum sbx_status sbx_exact_answer_read(const char *text, size_t len, const char *nonce, int64_t limit,
                                      struct exact_answer *ans) {
    const struct coded_mark mark = {"sbx1", nonce};
    struct coded_text in = {text, text + len};
    struct sbx_buf scratch = SBX_BUF_INIT;
    struct coded_line line;
    enum sbx_status st = SBX_PROTOCOL;
    while (st == SBX_PROTOCOL && sbx_coded_next(&in, &line)) {
        if (read_at(&line, in, &mark, limit, &scratch, ans)) st = SBX_OK;
        if (scratch.failed || ans->out.failed || ans->err.failed) st = SBX_NO_MEMORY;
    }
    sbx_buf_finish(&scratch);
    return st;
}
