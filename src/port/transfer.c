/* Readers and sinks over memory. */
#include <sandport/transfer.h>

#include <string.h>

static ptrdiff_t memory_read(void *ctx, void *buf, size_t cap) {
    struct sbx_memory_reader *memory = ctx;
    size_t left = memory->len - memory->at, n = left < cap ? left : cap;
    if (n) memcpy(buf, memory->data + memory->at, n);
    memory->at += n;
    return (ptrdiff_t)n;
}

struct sbx_reader sbx_memory_reader_init(struct sbx_memory_reader *memory, const void *data, size_t len) {
    memory->data = data;
    memory->len = len;
    memory->at = 0;
    return (struct sbx_reader){memory, memory_read};
}

static int buf_write(void *ctx, const void *data, size_t len) {
    struct sbx_buf *buf = ctx;
    sbx_buf_append(buf, data, len);
    return buf->failed ? -1 : 0;
}

struct sbx_sink sbx_buf_sink(struct sbx_buf *buf) {
    return (struct sbx_sink){buf, buf_write};
}
