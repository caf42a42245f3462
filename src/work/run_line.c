/* The one line that a request about a run carries: a script and what it is about, quoted for whatever shell reads it
 * first. Row D10. */
#include "src/work/run_line.h"

#include "src/work/run_script.h"
#include "src/work/shell_pieces.h"

static void line_word(struct sbx_buf *line, const char *word) {
    sbx_buf_char(line, ' ');
    sbx_shell_quote(line, word);
}

static void line_begin(struct sbx_buf *line, const char *script) {
    sbx_buf_text_append(line, "exec /bin/sh -c");
    line_word(line, script);
    sbx_buf_text_append(line, " sbx");
}

static void line_place(struct sbx_buf *line, const struct run_place *place) {
    struct sbx_buf path = SBX_BUF_INIT;
    sbx_buf_printf(&path, "%s/%s%s", place->parent, place->prefix, place->key);
    if (path.failed) line->failed = 1;
    line_word(line, sbx_buf_text(&path));
    sbx_buf_finish(&path);
}

static void line_from(struct sbx_buf *line, int64_t from) {
    if (from < 0)
        sbx_buf_text_append(line, " -");
    else
        sbx_buf_printf(line, " %lld", (long long)from);
}

void sbx_run_line_submit(struct sbx_buf *line, const struct run_place *place, const struct run_order *order) {
    line_begin(line, sbx_run_script_submit);
    line_word(line, order->command);
    line_place(line, place);
    line_word(line, order->cwd ? order->cwd : "");
    sbx_buf_printf(line, " %lld %s %s", (long long)order->lifetime_s, order->hash, order->nonce);
    line_word(line, sbx_run_script_keeper);
    line_word(line, sbx_run_script_child);
    line_word(line, sbx_run_script_watch);
}

void sbx_run_line_read(struct sbx_buf *line, const struct run_place *place, const struct run_piece *piece) {
    line_begin(line, sbx_run_script_read);
    line_place(line, place);
    line_from(line, piece->out_from);
    line_from(line, piece->err_from);
    sbx_buf_printf(line, " %lld", (long long)piece->max);
}

void sbx_run_line_kill(struct sbx_buf *line, const struct run_place *place, int64_t grace_ms) {
    line_begin(line, sbx_run_script_kill);
    line_place(line, place);
    sbx_buf_printf(line, " %lld", (long long)(grace_ms / SHELL_NAP_MS));
}

void sbx_run_line_drop(struct sbx_buf *line, const struct run_place *place) {
    line_begin(line, sbx_run_script_drop);
    line_place(line, place);
}
