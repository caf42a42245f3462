/* How the port's open structs begin. */
#include <sandport/kit/ops.h>

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
void sbx_transfer_options_init(struct sbx_transfer_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_transfer_result_init(struct sbx_transfer_result *result, size_t size) {
    sbx_options_init(result, size);
}
void sbx_call_init(struct sbx_call *call, size_t size) {
    sbx_options_init(call, size);
}
