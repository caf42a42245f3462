/* Finding secrets in one pass: a table of pairs says how far none can begin, one of beginnings where to look closer.
 * Row V2. */
#include "sim/kit/secrets.h"

#include <sandport/kit/json.h>
#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

static unsigned pair_at(const char *text) {
    return (unsigned)(unsigned char)text[0] << 8 | (unsigned char)text[1];
}

static int pair_in(const unsigned char *table, unsigned pair) {
    return table[pair / 8] >> pair % 8 & 1;
}

static void pair_put(unsigned char *table, unsigned pair) {
    table[pair / 8] = (unsigned char)(table[pair / 8] | 1u << pair % 8);
}

static int form_known(const struct sim_secrets *secrets, const char *text, size_t len) {
    for (size_t i = 0; i < secrets->count; i++)
        if (secrets->forms[i].len == len && memcmp(secrets->forms[i].text, text, len) == 0) return 1;
    return 0;
}

static enum sbx_status form_add(struct sim_secrets *secrets, const char *text, size_t len) {
    if (len < SECRET_BYTES_MIN || form_known(secrets, text, len)) return SBX_OK;
    if (secrets->count == secrets->cap) {
        size_t cap = secrets->cap ? secrets->cap * 2 : 16;
        struct secret_form *forms = realloc(secrets->forms, cap * sizeof(*forms));
        if (!forms) return SBX_NO_MEMORY;
        secrets->forms = forms;
        secrets->cap = cap;
    }
    char *copy = malloc(len);
    if (!copy) return SBX_NO_MEMORY;
    memcpy(copy, text, len);
    secrets->forms[secrets->count++] = (struct secret_form){copy, len};
    pair_put(secrets->begins, pair_at(copy));
    for (size_t i = 0; i + 2 <= SECRET_BYTES_MIN; i++) pair_put(secrets->early, pair_at(copy + i));
    return SBX_OK;
}

static enum sbx_status form_take(struct sim_secrets *secrets, struct sbx_buf *form, size_t skip, size_t len) {
    enum sbx_status st = sbx_buf_status(form);
    if (!st) st = form_add(secrets, form->data + skip, len);
    sbx_buf_finish(form);
    return st;
}

static enum sbx_status add_percent(struct sim_secrets *secrets, const char *secret, int lower) {
    struct sbx_buf form = SBX_BUF_INIT;
    sbx_percent_encode(&form, secret);
    for (size_t i = 0; lower && i < form.len; i++) {
        const int digit = (i >= 1 && form.data[i - 1] == '%') || (i >= 2 && form.data[i - 2] == '%');
        if (digit && form.data[i] >= 'A' && form.data[i] <= 'F') form.data[i] = (char)(form.data[i] - 'A' + 'a');
    }
    return form_take(secrets, &form, 0, form.len);
}

/* Some encoders escape slashes too. */
static enum sbx_status add_json(struct sim_secrets *secrets, const char *secret, int slashes) {
    struct sbx_buf quoted = SBX_BUF_INIT, form = SBX_BUF_INIT;
    if (sbx_utf8_valid(secret, strlen(secret)) != strlen(secret)) return SBX_OK;
    sbx_json_put_string(&quoted, NULL, secret);
    for (size_t i = 1; i + 1 < quoted.len; i++) {
        if (slashes && quoted.data[i] == '/') sbx_buf_char(&form, '\\');
        sbx_buf_char(&form, quoted.data[i]);
    }
    form.failed |= quoted.failed;
    sbx_buf_finish(&quoted);
    return form_take(secrets, &form, 0, form.len);
}

static enum sbx_status add_hex(struct sim_secrets *secrets, const char *secret, int upper) {
    struct sbx_buf form = SBX_BUF_INIT;
    size_t len = strlen(secret);
    char *hex = sbx_buf_reserve(&form, 2 * len + 1);
    if (!hex) return form_take(secrets, &form, 0, 0);
    sbx_hex(secret, len, hex);
    form.len = 2 * len;
    for (size_t i = 0; upper && i < form.len; i++)
        if (hex[i] >= 'a') hex[i] = (char)(hex[i] - 'a' + 'A');
    return form_take(secrets, &form, 0, form.len);
}

/* A secret inside a longer text is coded at one of three offsets; only the characters that it decides alone are kept.
 */
static enum sbx_status add_base64(struct sim_secrets *secrets, const char *secret, size_t offset, int url) {
    struct sbx_buf plain = SBX_BUF_INIT, form = SBX_BUF_INIT;
    size_t skip = (offset * 8 + 5) / 6, end = (offset + strlen(secret)) * 8 / 6;
    sbx_buf_append(&plain, "\0\0", offset);
    sbx_buf_text_append(&plain, secret);
    if (plain.failed) return form_take(secrets, &plain, 0, 0);
    sbx_base64_encode(&form, plain.data, plain.len);
    sbx_buf_finish(&plain);
    for (size_t i = 0; url && i < form.len; i++)
        form.data[i] = form.data[i] == '+' ? '-' : form.data[i] == '/' ? '_' : form.data[i];
    return form_take(secrets, &form, skip, end - skip);
}

enum sbx_status sim_secrets_add(struct sim_secrets *secrets, const char *secret) {
    enum sbx_status st = SBX_OK;
    if (!secret || strlen(secret) < SECRET_BYTES_MIN) return SBX_OK;
    st = form_add(secrets, secret, strlen(secret));
    for (int i = 0; !st && i < 2; i++) st = add_percent(secrets, secret, i);
    for (int i = 0; !st && i < 2; i++) st = add_json(secrets, secret, i);
    for (int i = 0; !st && i < 2; i++) st = add_hex(secrets, secret, i);
    for (size_t i = 0; !st && i < 6; i++) st = add_base64(secrets, secret, i % 3, i >= 3);
    return st;
}

/* The longest form that stands here, so that the tail of a longer secret does not stay when one begins like another. */
static size_t hit_at(const struct sim_secrets *secrets, const char *text, size_t len) {
    size_t longest = 0;
    for (size_t i = 0; i < secrets->count; i++) {
        const struct secret_form *form = &secrets->forms[i];
        if (form->len <= len && form->len > longest && memcmp(form->text, text, form->len) == 0) longest = form->len;
    }
    return longest;
}

void sim_secrets_scrub(const struct sim_secrets *secrets, const char *text, size_t len, struct sbx_buf *out) {
    const size_t stride = SECRET_BYTES_MIN - 1;
    size_t from = 0, at = 0;
    while (secrets->count && at + SECRET_BYTES_MIN <= len) {
        /* A form that begins at any of the next `stride` bytes covers the pair at the last of them, early on. */
        if (!pair_in(secrets->early, pair_at(text + at + stride - 1))) {
            at += stride;
            continue;
        }
        size_t hit = pair_in(secrets->begins, pair_at(text + at)) ? hit_at(secrets, text + at, len - at) : 0;
        if (hit) {
            sbx_buf_append(out, text + from, at - from);
            sbx_buf_text_append(out, "redacted");
            from = at + hit;
        }
        at += hit ? hit : 1;
    }
    sbx_buf_append(out, text + from, len - from);
}

void sim_secrets_finish(struct sim_secrets *secrets) {
    for (size_t i = 0; i < secrets->count; i++) free(secrets->forms[i].text);
    free(secrets->forms);
    secrets->forms = NULL;
    secrets->count = 0;
}
