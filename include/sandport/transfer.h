/* Options and results of uploads and downloads, and readers and sinks over memory. Row P8. */
#ifndef SANDPORT_TRANSFER_H
#define SANDPORT_TRANSFER_H

#include <sandport/kit/buf.h>
#include <sandport/kit/env.h>

struct sbx_transfer_options {
    size_t size;
    int64_t bytes;    /* upload: how many the reader will give, 0 = until it ends, SBX_EMPTY_FILE = none */
    int64_t stall_ms; /* no progress for so long ends it; 0 = 60,000 */
    int32_t checksum; /* SBX_YES: the result carries the SHA-256 of what passed */
    /** Called now and then on the caller's thread with the bytes so far. Non-zero cancels. May be NULL. */
    int (*progress)(void *ctx, uint64_t bytes);
    void *progress_ctx;
    /** upload: up to 0777, or SBX_MODE_NONE; 0 = 0644, or what an older file there had. Set once the file
     *  is whole: until then others in the sandbox may read it. */
    int32_t mode;
};
#define SBX_EMPTY_FILE INT64_MIN
#define SBX_MODE_NONE  (-1) /* in a mode: no permission at all, since 0 stands for the default */

/** The caller gives its size; the rest is set on success. */
struct sbx_transfer_result {
    size_t size;
    uint64_t bytes;
    char sha256[65]; /* "" unless asked for */
};

/** A reader over memory. */
struct sbx_memory_reader {
    const char *data;
    size_t len;
    size_t at;
};

#define SBX_TRANSFER_OPTIONS_INIT                                                                                      \
    { .size = sizeof(struct sbx_transfer_options) }
#define SBX_TRANSFER_RESULT_INIT                                                                                       \
    { .size = sizeof(struct sbx_transfer_result) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_transfer_options_init(struct sbx_transfer_options *opt, size_t size);
SBX_API void sbx_transfer_result_init(struct sbx_transfer_result *result, size_t size);

/** A reader of `memory`, which must outlive it. */
SBX_API struct sbx_reader sbx_memory_reader_init(struct sbx_memory_reader *memory, const void *data, size_t len);

/** A sink that appends to a buffer; stops when memory runs out. */
SBX_API struct sbx_sink sbx_buf_sink(struct sbx_buf *buf);

#ifdef __cplusplus
}
#endif
#endif
