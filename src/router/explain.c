/* A decision in words that people can read. Row R25. */
#include "src/router/route.h"

#include <inttypes.h>
#include <sandport/kit/buf.h>

/* Three decimals, whatever the host's locale thinks of a point. */
static void number_append(struct sbx_buf *buf, double value) {
    if (!(value < 1e15)) {
        sbx_buf_text_append(buf, "1e15 or more");
        return;
    }
    const int64_t thousandths = (int64_t)(value * 1000 + 0.5);
    sbx_buf_printf(buf, "%" PRId64, thousandths / 1000);
    if (thousandths % 1000) sbx_buf_printf(buf, ".%03d", (int)(thousandths % 1000));
}

static void features_append(struct sbx_buf *buf, uint64_t bits) {
    for (uint64_t bit = 1; bit; bit <<= 1)
        if (bits & bit) sbx_buf_printf(buf, " %s", sbx_feature_name(bit));
}

static void chosen_append(struct sbx_buf *buf, const struct sbx_route *route, size_t place) {
    const struct route_entry *e = &route->entries[place];
    sbx_buf_printf(buf, "%zu. %s: ", place + 1, e->id);
    if (route->has_order) {
        sbx_buf_printf(buf, "place %d of the capacity order", (int)e->key);
    } else {
        sbx_buf_text_append(buf, "score ");
        number_append(buf, e->score);
    }
    sbx_buf_text_append(buf, " (cost ");
    number_append(buf, e->signals.cost);
    sbx_buf_text_append(buf, ", cold start ");
    number_append(buf, e->signals.cold_start_ms);
    sbx_buf_text_append(buf, " ms, ready ");
    number_append(buf, e->signals.ready_ms);
    sbx_buf_text_append(buf, " ms, completion ");
    number_append(buf, e->signals.completion_rate);
    sbx_buf_text_append(buf, ")\n");
}

static void rejected_append(struct sbx_buf *buf, const struct sbx_route *route, const struct route_entry *e) {
    const uint64_t has = sbx_pool_profile(e->pool)->capabilities;
    const char *between = "";
    sbx_buf_printf(buf, "-  %s: ", e->id);
    for (int32_t r = sbx_reason_next(e->reasons, 0); r; r = sbx_reason_next(e->reasons, r)) {
        sbx_buf_printf(buf, "%s%s", between, sbx_reason_name(r));
        if (r == SBX_REASON_CAPABILITY_REQUIRED) features_append(buf, route->required & ~has);
        if (r == SBX_REASON_CAPABILITY_FORBIDDEN) features_append(buf, route->forbidden & has);
        sbx_buf_printf(buf, " (%s)", sbx_reason_text(r));
        between = "; ";
    }
    sbx_buf_char(buf, '\n');
}

enum sbx_status sbx_route_explain(const struct sbx_route *route, char **out) {
    struct sbx_buf buf = SBX_BUF_INIT;
    if (!route || !out) return SBX_INVALID_ARGUMENT;
    if (!route->count) sbx_buf_text_append(&buf, "there is no pool\n");
    for (size_t i = 0; i < route->eligible; i++) chosen_append(&buf, route, i);
    for (size_t i = route->eligible; i < route->count; i++) rejected_append(&buf, route, &route->entries[i]);
    if (sbx_buf_status(&buf)) {
        sbx_buf_finish(&buf);
        return SBX_NO_MEMORY;
    }
    *out = sbx_buf_take(&buf, NULL);
    return SBX_OK;
}
