/* How a provisioning went, for whoever asks afterwards: it outlives the pools. Row R24. */
#include "src/router/report.h"

#include <stdlib.h>
#include <string.h>

enum sbx_status sbx_report_route(struct sbx_provision *report, const struct sbx_route *route) {
    const size_t count = sbx_route_rejected_count(route), all = count + sbx_route_count(route);
    report->rejected = calloc(all ? all : 1, sizeof(*report->rejected));
    report->rejected_cap = all;
    if (!report->rejected || sbx_route_explain(route, &report->explanation)) return SBX_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        sbx_report_reject(report, sbx_pool_id(sbx_route_rejected(route, i)), sbx_route_reasons(route, i));
    return SBX_OK;
}

void sbx_report_reject(struct sbx_provision *report, const char *pool_id, uint64_t reasons) {
    if (report->rejected_count >= report->rejected_cap) return;
    struct report_rejection *rejection = &report->rejected[report->rejected_count++];
    sbx_copy(rejection->pool_id, sizeof(rejection->pool_id), pool_id);
    rejection->reasons = reasons;
}

void sbx_provision_free(struct sbx_provision *report) {
    if (!report) return;
    free(report->rejected);
    sbx_text_free(report->explanation);
    free(report);
}

size_t sbx_provision_attempt_count(const struct sbx_provision *report) {
    return report ? report->attempt_count : 0;
}

int sbx_provision_attempt(const struct sbx_provision *report, size_t index, struct sbx_attempt *out) {
    if (!report || index >= report->attempt_count || !out || out->size < sizeof(out->size)) return 0;
    const struct report_attempt *from = &report->attempts[index];
    const struct sbx_attempt told = {.size = out->size,
                                     .pool_id = from->pool_id,
                                     .provider = from->provider,
                                     .acquisition = from->acquisition,
                                     .code = from->code,
                                     .retryable = from->retryable,
                                     .status = from->err.status,
                                     .outcome = from->err.outcome,
                                     .cleanup = from->err.cleanup,
                                     .http_status = from->err.http_status,
                                     .retry_after_ms = from->err.retry_after_ms};
    memcpy(out, &told, out->size < sizeof(told) ? out->size : sizeof(told));
    return 1;
}

size_t sbx_provision_rejected_count(const struct sbx_provision *report) {
    return report ? report->rejected_count : 0;
}

const char *sbx_provision_rejected(const struct sbx_provision *report, size_t index, uint64_t *reasons) {
    if (!report || index >= report->rejected_count) return NULL;
    if (reasons) *reasons = report->rejected[index].reasons;
    return report->rejected[index].pool_id;
}

const char *sbx_provision_explanation(const struct sbx_provision *report) {
    return report && report->explanation ? report->explanation : "";
}
