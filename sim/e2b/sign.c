/* Who may read and write files: the token in a header, or a signature in the URL. Row P8. */
#include "sim/e2b/envd.h"

#include <sandport/kit/text.h>
#include <string.h>

static int sign_nibble(char c) {
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

enum sbx_status sim_e2b_sign(const char *path, const char *operation, const char *user, const char *token,
                             const char *expiry, struct sbx_buf *out) {
    struct sbx_buf plain = SBX_BUF_INIT;
    char hex[SBX_SHA256_HEX];
    unsigned char digest[SBX_SHA256_SIZE];
    sbx_buf_printf(&plain, "%s:%s:%s:%s%s%s", path, operation, user, token, expiry ? ":" : "", expiry ? expiry : "");
    if (sbx_buf_status(&plain) || !sbx_sha256_of(plain.data, plain.len, hex)) {
        sbx_buf_finish(&plain);
        return SBX_NO_MEMORY;
    }
    for (size_t i = 0; i < sizeof(digest); i++)
        digest[i] = (unsigned char)(sign_nibble(hex[2 * i]) << 4 | sign_nibble(hex[2 * i + 1]));
    sbx_buf_text_append(out, "v1_");
    sbx_base64_encode(out, digest, sizeof(digest));
    sbx_buf_finish(&plain);
    if (sbx_buf_status(out)) return SBX_NO_MEMORY;
    while (out->data[out->len - 1] == '=') out->data[--out->len] = 0;
    return SBX_OK;
}

/* @return what is wrong with the signature; NULL = nothing */
static const char *sign_wrong(struct sim_e2b_call *call, const char *operation) {
    const char *given = sim_http_query(call->x, "signature", 0), *expiry = NULL, *why = NULL;
    const char *path = sim_http_query(call->x, "path", 0), *user = sim_http_query(call->x, "username", 0);
    struct sbx_buf want = SBX_BUF_INIT;
    int64_t until_s = 0;
    if (!given) return "missing signature query parameter";
    expiry = sim_http_query(call->x, "signature_expiration", 0);
    if (sim_e2b_sign(path ? path : "", operation, user ? user : "", call->sb->token, expiry, &want) ||
        strcmp(sbx_buf_text(&want), given) != 0)
        why = "invalid signature";
    else if (expiry && (!sbx_text_int(expiry, 0, INT64_MAX, &until_s) ||
                        until_s < (SIM_EPOCH_MS + sim_e2b_now(call->e2b) / SIM_MS) / 1000))
        why = "signature is already expired";
    if (!why) sim_http_secret(call->x, given);
    sbx_buf_finish(&want);
    return why;
}

/* @return 1 if it has been refused */
static int sign_user_refused(struct sim_e2b_call *call) {
    const char *user = sim_http_query(call->x, "username", 0);
    call->user = user && *user ? user : "user";
    if (strcmp(call->user, "user") == 0 || strcmp(call->user, "root") == 0) return 0;
    sim_e2b_envd_refuse(call, 401, "error looking up user '%s': user: unknown user %s", call->user, call->user);
    return 1;
}

int sim_e2b_files_refused(struct sim_e2b_call *call, const char *operation) {
    const char *token = sim_http_header(call->x, "X-Access-Token"), *why = NULL;
    if (!call->sb->token[0]) return sign_user_refused(call);
    if (token)
        why = strcmp(token, call->sb->token) == 0 ? NULL : "access token present in header but does not match";
    else
        why = sign_wrong(call, operation);
    if (!why) return sign_user_refused(call);
    sim_e2b_envd_refuse(call, 401, "%s", why);
    return 1;
}
