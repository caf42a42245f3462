/* The one line that a request carries: a script and what it is about, quoted for whatever shell reads it first. `exec`,
 * so that nothing of that shell stays between the provider and the script. Row P11. */
#include "src/work/exact_line.h"

#include "src/work/exact_script.h"
#include "src/work/shell_pieces.h"

#include <sandport/kit/text.h>

static void line_begin(struct sbx_buf *line, const char *script) {
    sbx_buf_text_append(line, "exec /bin/sh -c ");
    sbx_shell_quote(line, script);
    sbx_buf_text_append(line, " sbx ");
}

void sbx_exact_line_run(struct sbx_buf *line, const char *command, const char *nonce, const char *cwd, int64_t limit,
                        char received[EXACT_RECEIPTS_A_LINE][EXACT_NONCE_SIZE], size_t received_count) {
    line_begin(line, sbx_exact_script_run);
    sbx_shell_quote(line, command);
    sbx_buf_printf(line, " %s ", nonce);
    sbx_shell_quote(line, cwd ? cwd : "");
    sbx_buf_printf(line, " %lld", (long long)limit);
    for (size_t i = 0; i < received_count; i++) sbx_buf_printf(line, " %s", received[i]);
}

void sbx_exact_line_ask(struct sbx_buf *line, const char *nonce, int64_t limit, int64_t patience_ms, int64_t grace_ms) {
    line_begin(line, sbx_exact_script_ask);
    sbx_buf_printf(line, "%s %lld %lld %lld", nonce, (long long)limit,
                   (long long)((patience_ms + SHELL_NAP_MS - 1) / SHELL_NAP_MS), (long long)(grace_ms / SHELL_NAP_MS));
}
