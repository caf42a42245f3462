/* Texts of a provider's without our credentials in them, however they were written. Row R12. */
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

/* The forms of one secret. */
struct forms {
    struct sbx_buf form[FORMS];
};

static void forms_begin(struct forms *f, const char *secret) {
    memset(f, 0, sizeof(*f));
    if (!secret) return;
    sbx_buf_text_append(&f->form[0], secret);
    sbx_percent_encode(&f->form[1], secret);
    form_json(&f->form[2], secret, 0);
    form_json(&f->form[3], secret, 1);
    for (size_t skip = 0; skip < 3; skip++) form_base64(&f->form[4 + skip], secret, skip);
}

static size_t forms_at(const struct forms *f, const char *text, size_t left) {
    for (size_t i = 0; i < FORMS; i++)
        if (f->form[i].len >= 4 && f->form[i].len <= left && memcmp(text, f->form[i].data, f->form[i].len) == 0)
            return f->form[i].len;
    return 0;
}

/* @return did memory suffice? What could not be looked for must not be shown. */
static int forms_end(struct forms *f) {
    int whole = 1;
    for (size_t i = 0; i < FORMS; i++) {
        whole &= !f->form[i].failed;
        if (f->form[i].data) explicit_bzero(f->form[i].data, f->form[i].cap);
        sbx_buf_finish(&f->form[i]);
    }
    return whole;
}

void sbx_redact(struct sbx_buf *out, const char *text, size_t len, const char *first, const char *second) {
    struct forms one, two;
    forms_begin(&one, first);
    forms_begin(&two, second);
    for (size_t i = 0; i < len;) {
        size_t hit = forms_at(&one, text + i, len - i);
        if (!hit) hit = forms_at(&two, text + i, len - i);
        if (hit)
            sbx_buf_text_append(out, "[redacted]");
        else
            sbx_buf_char(out, text[i]);
        i += hit ? hit : 1;
    }
    const int whole = forms_end(&one) & forms_end(&two);
    if (!whole) out->failed = 1;
}
