/* How the port's open structs begin. */
#include "src/port/port.h"

#include <string.h>

void sbx_launch_options_init(struct sbx_launch_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_volume_init(struct sbx_volume *volume, size_t size) {
    sbx_options_init(volume, size);
}
void sbx_query_init(struct sbx_query *query, size_t size) {
    sbx_options_init(query, size);
}
void sbx_reconcile_options_init(struct sbx_reconcile_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_start_options_init(struct sbx_start_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_start_result_init(struct sbx_start_result *result, size_t size) {
    sbx_options_init(result, size);
}
void sbx_stop_options_init(struct sbx_stop_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_exec_options_init(struct sbx_exec_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_run_options_init(struct sbx_run_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_run_status_init(struct sbx_run_status *status, size_t size) {
    sbx_options_init(status, size);
}
void sbx_log_options_init(struct sbx_log_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_mkdir_options_init(struct sbx_mkdir_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_remove_options_init(struct sbx_remove_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_permission_options_init(struct sbx_permission_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_upload_file_init(struct sbx_upload_file *file, size_t size) {
    sbx_options_init(file, size);
}
void sbx_transfer_options_init(struct sbx_transfer_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_transfer_result_init(struct sbx_transfer_result *result, size_t size) {
    sbx_options_init(result, size);
}
void sbx_capacity_options_init(struct sbx_capacity_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_capacity_init(struct sbx_capacity *capacity, size_t size) {
    sbx_options_init(capacity, size);
}
void sbx_call_init(struct sbx_call *call, size_t size) {
    sbx_options_init(call, size);
}

void sbx_port_give(void *callers, const void *ours, size_t ours_size) {
    size_t size = callers ? *(const size_t *)callers : 0;
    if (size > ours_size) size = ours_size;
    if (size > sizeof(size))
        memcpy((char *)callers + sizeof(size), (const char *)ours + sizeof(size), size - sizeof(size));
}
