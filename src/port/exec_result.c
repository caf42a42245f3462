/* A command's result, opaque to callers: what an adapter learned, copied. Row P7. */
#include "src/port/port.h"

#include <stdlib.h>
#include <string.h>

struct sbx_exec_result {
    struct sbx_exec_draft is; /* out and err are ours */
    char *out;
    char *err;
};

struct sbx_exec_result *sbx_exec_result_create(void) {
    return calloc(1, sizeof(struct sbx_exec_result));
}

int sbx_port_exec_result_is_set(const struct sbx_exec_result *result) {
    return result->out != NULL;
}

enum sbx_status sbx_exec_result_set(struct sbx_exec_result *result, const struct sbx_exec_draft *draft) {
    char *out = sbx_port_bytes_copy(draft->out, draft->out_len), *err = sbx_port_bytes_copy(draft->err, draft->err_len);
    if (!out || !err) {
        free(out);
        free(err);
        return SBX_NO_MEMORY;
    }
    free(result->out);
    free(result->err);
    result->is = *draft;
    result->out = out;
    result->err = err;
    return SBX_OK;
}

int sbx_exec_result_exit_known(const struct sbx_exec_result *result) {
    return result->is.exit_known;
}

int32_t sbx_exec_result_exit_code(const struct sbx_exec_result *result) {
    return result->is.exit_known ? result->is.exit_code : -1;
}

static const char *stream_of(const char *data, size_t held, size_t *len) {
    if (len) *len = data ? held : 0;
    return data ? data : "";
}

const char *sbx_exec_result_stdout(const struct sbx_exec_result *result, size_t *len) {
    return stream_of(result->out, result->is.out_len, len);
}

const char *sbx_exec_result_stderr(const struct sbx_exec_result *result, size_t *len) {
    return stream_of(result->err, result->is.err_len, len);
}

uint64_t sbx_exec_result_stdout_total(const struct sbx_exec_result *result) {
    return result->is.out_total;
}
uint64_t sbx_exec_result_stderr_total(const struct sbx_exec_result *result) {
    return result->is.err_total;
}

int sbx_exec_result_truncated(const struct sbx_exec_result *result) {
    return result->is.out_total > result->is.out_len || result->is.err_total > result->is.err_len;
}

int sbx_exec_result_bytes_exact(const struct sbx_exec_result *result) {
    return result->is.bytes_exact;
}
int sbx_exec_result_streams_merged(const struct sbx_exec_result *result) {
    return result->is.streams_merged;
}
int sbx_exec_result_killed_confirmed(const struct sbx_exec_result *result) {
    return result->is.killed_confirmed;
}

void sbx_exec_result_free(struct sbx_exec_result *result) {
    if (!result) return;
    free(result->out);
    free(result->err);
    free(result);
}
