/* Small questions about texts: hex, base64, UTF-8, shell quoting, percent-encoding, ids. No memory of its own. */
#ifndef SANDPORT_KIT_TEXT_H
#define SANDPORT_KIT_TEXT_H

#include <sandport/error.h>
#include <sandport/kit/buf.h>

#define SBX_UUID_SIZE   37
#define SBX_SHA256_SIZE 32
#define SBX_SHA256_HEX  65

struct sbx_sha256; /* a running hash */

#ifdef __cplusplus
extern "C" {
#endif

/** Lower-case hex of `len` bytes and a NUL: `out` holds 2 * len + 1. */
SBX_API void sbx_hex(const void *data, size_t len, char *out);

/** Is it exactly `digits` lower-case hex digits? */
SBX_API int sbx_is_hex(const char *text, size_t digits);

/** "0123...": 32 hex digits in the 8-4-4-4-12 form. @param out SBX_UUID_SIZE bytes */
SBX_API void sbx_uuid_from_hex(const char *hex32, char *out);

/** The 32 hex digits of a UUID text. @return 0 if it is no UUID */
SBX_API int sbx_hex_from_uuid(const char *uuid, char *out);

/** Copies with a NUL; @return 0 if it did not fit (then `out` is empty). */
SBX_API int sbx_copy(char *out, size_t cap, const char *text);

/** Length of the valid UTF-8 prefix; equal to `len` if all of it is. */
SBX_API size_t sbx_utf8_valid(const void *data, size_t len);

/** Appends text whose bytes that are no UTF-8 are shown as U+FFFD. */
SBX_API void sbx_utf8_append(struct sbx_buf *out, const void *data, size_t len);

/** An environment name: a letter or _, then letters, digits, _. */
SBX_API int sbx_is_env_name(const char *name);

/** Lower-cases ASCII and compares; locale plays no part. */
SBX_API int sbx_text_equal_nocase(const char *a, const char *b);

/** Does `text` have the pieces of `pattern`, which '*' keeps apart, in their order? ASCII case plays no part. */
SBX_API int sbx_text_has(const char *text, const char *pattern);

/** May it stand in a header as a credential: 1 to 8,192 bytes of printable ASCII without spaces? */
SBX_API int sbx_is_credential(const char *text);

/** Appends 'text' quoted for a POSIX shell: always in single quotes. */
SBX_API void sbx_shell_quote(struct sbx_buf *buf, const char *text);

/** Appends percent-encoded: all but the unreserved characters of RFC 3986. */
SBX_API void sbx_percent_encode(struct sbx_buf *buf, const char *text);

/** Decodes %XX, and + to a space if `plus`. @return 0 on a malformed escape or an encoded NUL */
SBX_API int sbx_percent_decode(struct sbx_buf *buf, const char *text, size_t len, int plus);

/** Base64 without line breaks. */
SBX_API void sbx_base64_encode(struct sbx_buf *buf, const void *data, size_t len);

/** Strict: refuses line breaks, missing padding, stray bits. @return 0 if malformed */
SBX_API int sbx_base64_decode(struct sbx_buf *buf, const char *text, size_t len);

/** Appends `text` with every occurrence of either secret - as it is, percent-encoded, in base64 of both alphabets, in
 * hex, JSON-escaped - replaced by "[redacted]". A form of fewer than 4 bytes is not looked for. NULL = no secret. The
 * buffer fails if one could not be looked for. */
SBX_API void sbx_redact(struct sbx_buf *buf, const char *text, size_t len, const char *first, const char *second);

/** A number in decimal, all of `text`, within [min, max]; no sign but '-', no spaces. @return 0 if it is none */
SBX_API int sbx_text_int(const char *text, int64_t min, int64_t max, int64_t *out);

/** Milliseconds since 1970 of a time as RFC 3339 has it, or as Go prints one ("2026-01-01 00:00:00 +0000 UTC").
 *  @return INT64_MIN if it is neither */
SBX_API int64_t sbx_stamp_ms(const char *text);

/** Is it the name of something in a directory: not empty, no slash, neither . nor ..? What a caller joins to a
 * directory must not lead out of it. */
SBX_API int sbx_is_one_name(const char *name);

/** SHA-256 by libcrypto. @return NULL when memory runs out */
SBX_API struct sbx_sha256 *sbx_sha256_create(void);
SBX_API void sbx_sha256_add(struct sbx_sha256 *hash, const void *data, size_t len);
/** The digest so far in hex, SBX_SHA256_HEX bytes; the hash goes on. */
SBX_API void sbx_sha256_hex(struct sbx_sha256 *hash, char *out);
SBX_API void sbx_sha256_free(struct sbx_sha256 *hash);
/** One call. @return 0 when memory runs out */
SBX_API int sbx_sha256_of(const void *data, size_t len, char *out_hex);

#ifdef __cplusplus
}
#endif
#endif
