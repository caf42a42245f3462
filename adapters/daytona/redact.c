/* Texts of a provider's without our credential in them. Row R12. */
#include "adapters/daytona/redact.h"

#include "adapters/daytona/client.h"

#include <sandport/kit/json.h>
#include <sandport/kit/text.h>
#include <string.h>

#define FORMS 7

/* Base64 of a secret inside a longer text has three faces by where it begins; what is cut off here is what the
 * neighbours decide. */
static void form_base64(struct sbx_buf *form, const char *secret, size_t skip) {
    struct sbx_buf plain = SBX_BUF_INIT, coded = SBX_BUF_INIT;
    for (size_t i = 0; i < skip; i++) sbx_buf_char(&plain, 'x');
    sbx_buf_text_append(&plain, secret);
    sbx_base64_encode(&coded, sbx_buf_text(&plain), plain.len);
    size_t from = skip == 0 ? 0 : skip + 1, whole = plain.len / 3 * 4;
    if (!coded.failed && whole > from) sbx_buf_append(form, coded.data + from, whole - from);
    sbx_buf_finish(&plain);
    sbx_buf_finish(&coded);
}

/* Every byte as \u00XX would be another; what encoders really do is escape quotes and backslashes, and some slashes. */
static void form_json(struct sbx_buf *form, const char *secret, int slashes) {
    struct sbx_buf quoted = SBX_BUF_INIT;
    sbx_json_put_string(&quoted, NULL, secret);
    for (size_t i = 1; i + 1 < quoted.len; i++) {
        if (slashes && quoted.data[i] == '/') sbx_buf_char(form, '\\');
        sbx_buf_char(form, quoted.data[i]);
    }
    sbx_buf_finish(&quoted);
}

static size_t form_at(const struct sbx_buf *forms, const char *text, size_t left) {
    for (size_t i = 0; i < FORMS; i++)
        if (forms[i].len >= 4 && forms[i].len <= left && memcmp(text, forms[i].data, forms[i].len) == 0)
            return forms[i].len;
    return 0;
}

void daytona_redact(struct sbx_buf *out, const char *text, size_t len, const char *secret) {
    struct sbx_buf forms[FORMS] = {SBX_BUF_INIT, SBX_BUF_INIT, SBX_BUF_INIT, SBX_BUF_INIT,
                                   SBX_BUF_INIT, SBX_BUF_INIT, SBX_BUF_INIT};
    sbx_buf_text_append(&forms[0], secret);
    sbx_percent_encode(&forms[1], secret);
    form_json(&forms[2], secret, 0);
    form_json(&forms[3], secret, 1);
    for (size_t skip = 0; skip < 3; skip++) form_base64(&forms[4 + skip], secret, skip);
    for (size_t i = 0; i < len;) {
        size_t hit = form_at(forms, text + i, len - i);
        if (hit)
            sbx_buf_text_append(out, "[redacted]");
        else
            sbx_buf_char(out, text[i]);
        i += hit ? hit : 1;
    }
    for (size_t i = 0; i < FORMS; i++) {
        if (forms[i].failed) out->failed = 1; /* what could not be looked for must not be shown */
        sbx_buf_finish(&forms[i]);
    }
}

void daytona_debug(const struct daytona *d, enum daytona_op op, int32_t http_status, const char *text, size_t len) {
    struct sbx_buf shown = SBX_BUF_INIT;
    if (!d->debug) return;
    daytona_redact(&shown, text, len, d->key); /* guard: debug_redacts */
    if (!shown.failed) d->debug(d->debug_ctx, daytona_op_name(op), http_status, sbx_buf_text(&shown), shown.len);
    sbx_buf_finish(&shown);
}
