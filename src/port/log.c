/* A piece of a run's output, opaque to callers: what an adapter learned, copied. Rows D10, P7. */
#include "src/port/port.h"

#include <stdlib.h>
#include <string.h>

struct piece {
    char *bytes; /* NULL until set */
    size_t len;
    uint64_t from;
};

struct sbx_log {
    struct piece out;
    struct piece err;
    struct sbx_run_status status;
};

struct sbx_log *sbx_port_log_new(void) {
    return calloc(1, sizeof(struct sbx_log));
}

enum sbx_status sbx_log_set(struct sbx_log *log, const struct sbx_log_draft *draft) {
    char *out = sbx_port_bytes_copy(draft->out, draft->out_len), *err = sbx_port_bytes_copy(draft->err, draft->err_len);
    if (!out || !err) {
        free(out);
        free(err);
        return SBX_NO_MEMORY;
    }
    free(log->out.bytes);
    free(log->err.bytes);
    log->out = (struct piece){out, draft->out_len, draft->out_from};
    log->err = (struct piece){err, draft->err_len, draft->err_from};
    log->status = draft->status;
    return SBX_OK;
}

static const struct piece *log_piece(const struct sbx_log *log, int32_t stream) {
    static const struct piece none = {NULL, 0, 0};
    return stream == SBX_STDOUT ? &log->out : stream == SBX_STDERR ? &log->err : &none;
}

const char *sbx_log_bytes(const struct sbx_log *log, int32_t stream, size_t *len) {
    const struct piece *piece = log_piece(log, stream);
    if (len) *len = piece->len;
    return piece->bytes ? piece->bytes : "";
}

uint64_t sbx_log_from(const struct sbx_log *log, int32_t stream) {
    return log_piece(log, stream)->from;
}

void sbx_log_status(const struct sbx_log *log, struct sbx_run_status *status) {
    sbx_port_give(status, &log->status, sizeof(log->status));
}

void sbx_log_free(struct sbx_log *log) {
    if (!log) return;
    free(log->out.bytes);
    free(log->err.bytes);
    free(log);
}
