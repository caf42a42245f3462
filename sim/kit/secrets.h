/* Texts that must never show, found in any of the forms in which they travel: raw, percent, hex, base64, JSON. */
#ifndef SIM_KIT_SECRETS_H
#define SIM_KIT_SECRETS_H

#include <sandport/kit/buf.h>

#define SECRET_BYTES_MIN 8 /* shorter ones would blank out ordinary words */

struct secret_form {
    char *text;
    size_t len;
};

/** Zeroed is empty. */
struct sim_secrets {
    struct secret_form *forms;
    size_t count;
    size_t cap;
    unsigned char begins[65536 / 8]; /* a bit for each pair of bytes that a form begins with */
    unsigned char early[65536 / 8];  /* and for each pair in a form's first SECRET_BYTES_MIN bytes */
};

/** @return SBX_NO_MEMORY; then some forms may be missing */
enum sbx_status sim_secrets_add(struct sim_secrets *secrets, const char *secret);
/** Appends `text` with every hit replaced by "redacted". */
void sim_secrets_scrub(const struct sim_secrets *secrets, const char *text, size_t len, struct sbx_buf *out);
void sim_secrets_finish(struct sim_secrets *secrets);

#endif
