/* The user's home directory. Rows E1, P3. */
#include "adapters/e2b/process.h"

#define LIFETIME_MS    10000
#define PATH_BYTES_MAX 4096

enum sbx_status e2b_home_dir(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                             struct sbx_buf *out, struct sbx_error *err) {
    static const char *const args[] = {"-c", "printf %s \"$HOME\""};
    struct e2b *e = self;
    const struct e2b_order order = {.args = args, .arg_count = 2, .lifetime_ms = LIFETIME_MS};
    struct e2b_heard heard = {0};
    struct sbx_buf text = SBX_BUF_INIT;
    enum sbx_status st = e2b_process_text(e, who, &order, PATH_BYTES_MAX, call, &text, &heard, err);
    if (!st && (!heard.exit_known || heard.exit_code || sbx_buf_text(&text)[0] != '/'))
        st = sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "HOME: expected an absolute path");
    if (!st) sbx_buf_text_append(out, sbx_buf_text(&text));
    if (!st && out->failed) st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL);
    sbx_buf_finish(&text);
    return st;
}
