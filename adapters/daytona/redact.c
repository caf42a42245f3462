/* Texts of Daytona's for the caller's observer, without our credential in them. Row R12. */
#include "adapters/daytona/client.h"

#include <sandport/kit/text.h>

void daytona_debug(const struct daytona *d, enum daytona_op op, int32_t http_status, const char *text, size_t len) {
    struct sbx_buf shown = SBX_BUF_INIT;
    if (!d->debug) return;
    sbx_redact(&shown, text, len, d->key, NULL); /* guard: debug_redacts */
    if (!shown.failed) d->debug(d->debug_ctx, daytona_op_name(op), http_status, sbx_buf_text(&shown), shown.len);
    sbx_buf_finish(&shown);
}
