/* A growing byte buffer with a sticky failure: append at will, ask once. Always NUL-terminated behind `len`. */
#ifndef SANDPORT_KIT_BUF_H
#define SANDPORT_KIT_BUF_H

#include <sandport/status.h>
#include <stdarg.h>

struct sbx_buf {
    char *data; /* NULL while empty: sbx_buf_text() gives "" then */
    size_t len;
    size_t cap;
    int32_t failed; /* an allocation failed; what was appended since is lost */
};

#define SBX_BUF_INIT                                                                                                   \
    { NULL, 0, 0, 0 }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_buf_append(struct sbx_buf *buf, const void *data, size_t len);
SBX_API void sbx_buf_text_append(struct sbx_buf *buf, const char *text);
SBX_API void sbx_buf_char(struct sbx_buf *buf, char c);
SBX_API void sbx_buf_printf(struct sbx_buf *buf, const char *fmt, ...) SBX_PRINTF(2, 3);
SBX_API void sbx_buf_vprintf(struct sbx_buf *buf, const char *fmt, va_list args) SBX_PRINTF(2, 0);

/** Room for `len` more bytes, to be written at data + len by the caller, who then adds to len.
 *  @return where they go, NULL when memory runs out */
SBX_API char *sbx_buf_reserve(struct sbx_buf *buf, size_t len);

/** The bytes as text: never NULL. */
SBX_API const char *sbx_buf_text(const struct sbx_buf *buf);

/** @return SBX_NO_MEMORY if an append failed, else SBX_OK */
SBX_API SBX_MUST_USE enum sbx_status sbx_buf_status(const struct sbx_buf *buf);

/** Gives the memory to the caller (free()) and empties the buffer. Never NULL unless the buffer failed. */
SBX_API char *sbx_buf_take(struct sbx_buf *buf, size_t *len);

/** Empty, keeping the memory. */
SBX_API void sbx_buf_clear(struct sbx_buf *buf);
SBX_API void sbx_buf_finish(struct sbx_buf *buf);

#ifdef __cplusplus
}
#endif
#endif
