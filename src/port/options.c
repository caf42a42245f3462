/* Open structs of callers of any release: their beginnings, and how the port takes them. */
#include <sandport/kit/ops.h>

#include <string.h>

static void open_init(void *opt, size_t size) {
    if (!opt || size < sizeof(size_t)) return;
    memset(opt, 0, size);
    memcpy(opt, &size, sizeof(size));
}

void sbx_launch_options_init(struct sbx_launch_options *opt, size_t size) {
    open_init(opt, size);
}
void sbx_volume_init(struct sbx_volume *volume, size_t size) {
    open_init(volume, size);
}
void sbx_query_init(struct sbx_query *query, size_t size) {
    open_init(query, size);
}
void sbx_reconcile_options_init(struct sbx_reconcile_options *opt, size_t size) {
    open_init(opt, size);
}
void sbx_start_options_init(struct sbx_start_options *opt, size_t size) {
    open_init(opt, size);
}
void sbx_start_result_init(struct sbx_start_result *result, size_t size) {
    open_init(result, size);
}
void sbx_stop_options_init(struct sbx_stop_options *opt, size_t size) {
    open_init(opt, size);
}
void sbx_exec_options_init(struct sbx_exec_options *opt, size_t size) {
    open_init(opt, size);
}
void sbx_transfer_options_init(struct sbx_transfer_options *opt, size_t size) {
    open_init(opt, size);
}
void sbx_transfer_result_init(struct sbx_transfer_result *result, size_t size) {
    open_init(result, size);
}
void sbx_call_init(struct sbx_call *call, size_t size) {
    open_init(call, size);
}

enum sbx_status sbx_options_take(void *to, size_t size, const void *from, size_t size_first) {
    size_t given = 0;
    if (!from) return SBX_OK;
    memcpy(&given, from, sizeof(given));
    if (given < size_first) return SBX_INVALID_ARGUMENT;
    for (size_t i = size; i < given; i++)
        if (((const char *)from)[i]) return SBX_INVALID_ARGUMENT;
    memcpy(to, from, given < size ? given : size);
    memcpy(to, &size, sizeof(size));
    return SBX_OK;
}
