/* Texts of a provider's without our credential in them, however it was written. Row R12. */
#ifndef ADAPTERS_DAYTONA_REDACT_H
#define ADAPTERS_DAYTONA_REDACT_H

#include <sandport/kit/buf.h>

/** Appends `text` with every occurrence of `secret` - as it is, percent-encoded, in base64, JSON-escaped - replaced. */
void daytona_redact(struct sbx_buf *out, const char *text, size_t len, const char *secret);

#endif
