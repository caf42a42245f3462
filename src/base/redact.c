/* Texts of a provider's without our credentials in them, however they were written. Row R12. */
#include <sandport/kit/json.h>
#include <sandport/kit/text.h>

#include <string.h>

#define FORMS 13

/* Room for a form before it is written: what grows is moved, and leaves a copy behind that nobody wipes. */
static void form_begin(struct sbx_buf *form, const char *secret) {
    (void)sbx_buf_reserve(form, 6 * strlen(secret) + 8); /* as the longest is, with every byte as \u00XX */
}

static void form_wipe(struct sbx_buf *form) {
    if (form->data) explicit_bzero(form->data, form->cap);
    sbx_buf_finish(form);
}

/* Base64 of a secret inside a longer text has three faces by where it begins; what is cut off here is what the
 * neighbours decide. */
static void form_base64(struct sbx_buf *form, const char *secret, size_t skip) {
    struct sbx_buf plain = SBX_BUF_INIT, coded = SBX_BUF_INIT;
    form_begin(&plain, secret);
    form_begin(&coded, secret);
    for (size_t i = 0; i < skip; i++) sbx_buf_char(&plain, 'x');
    sbx_buf_text_append(&plain, secret);
    sbx_base64_encode(&coded, sbx_buf_text(&plain), plain.len);
    size_t from = skip == 0 ? 0 : skip + 1, whole = plain.len / 3 * 4;
    if (!coded.failed && whole > from) sbx_buf_append(form, coded.data + from, whole - from);
    form->failed |= plain.failed | coded.failed;
    form_wipe(&plain);
    form_wipe(&coded);
}

/* Every byte as \u00XX would be another; what encoders really do is escape quotes and backslashes, and some slashes. */
static void form_json(struct sbx_buf *form, const char *secret, int slashes) {
    struct sbx_buf quoted = SBX_BUF_INIT;
    form_begin(&quoted, secret);
    sbx_json_put_string(&quoted, NULL, secret);
    for (size_t i = 1; i + 1 < quoted.len; i++) {
        if (slashes && quoted.data[i] == '/') sbx_buf_char(form, '\\');
        sbx_buf_char(form, quoted.data[i]);
    }
    form->failed |= quoted.failed;
    form_wipe(&quoted);
}

static void form_hex(struct sbx_buf *form, const char *secret) {
    const size_t len = strlen(secret);
    char *to = sbx_buf_reserve(form, 2 * len + 1);
    if (!to) return;
    sbx_hex(secret, len, to);
    form->len += 2 * len;
}

/* Of `from`, with each byte of `these` as the one of `those` at its place. */
static void form_with(struct sbx_buf *form, const struct sbx_buf *from, const char *these, const char *those) {
    for (size_t i = 0; i < from->len; i++) {
        const char *at = strchr(these, from->data[i]);
        sbx_buf_char(form, at ? those[at - these] : from->data[i]);
    }
    form->failed |= from->failed;
}

/* The hex digits behind each percent sign in lower case. */
static void form_percent_lower(struct sbx_buf *form, const struct sbx_buf *percent) {
    for (size_t i = 0; i < percent->len; i++) {
        const int digit = (i >= 1 && percent->data[i - 1] == '%') || (i >= 2 && percent->data[i - 2] == '%');
        const char c = percent->data[i];
        sbx_buf_char(form, digit && c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c);
    }
    form->failed |= percent->failed;
}

/* The forms of one secret. */
struct forms {
    struct sbx_buf form[FORMS];
};

static void forms_begin(struct forms *f, const char *secret) {
    memset(f, 0, sizeof(*f));
    if (!secret) return;
    for (size_t i = 0; i < FORMS; i++) form_begin(&f->form[i], secret);
    sbx_buf_text_append(&f->form[0], secret);
    sbx_percent_encode(&f->form[1], secret);
    form_percent_lower(&f->form[2], &f->form[1]);
    form_json(&f->form[3], secret, 0);
    form_json(&f->form[4], secret, 1);
    form_hex(&f->form[5], secret);
    form_with(&f->form[6], &f->form[5], "abcdef", "ABCDEF");
    for (size_t skip = 0; skip < 3; skip++) {
        form_base64(&f->form[7 + skip], secret, skip);
        form_with(&f->form[10 + skip], &f->form[7 + skip], "+/", "-_");
    }
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
        form_wipe(&f->form[i]);
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
