/* What pools are compared by, checked: a number that is none must never decide an order. Rows R5, R6. */
#include <sandport/kit/options.h>
#include <sandport/router_signals.h>

#include <float.h>
#include <string.h>

void sbx_signals_init(struct sbx_signals *signals, size_t size) {
    const struct sbx_signals placeholders = SBX_SIGNALS_INIT;
    sbx_options_init(signals, size);
    if (!signals || size <= sizeof(size)) return;
    size_t known = size < sizeof(placeholders) ? size : sizeof(placeholders);
    memcpy((char *)signals + sizeof(size), (const char *)&placeholders + sizeof(size), known - sizeof(size));
}

/* False for NaN too, which compares with nothing. */
static int is_amount(double value, double max) {
    return value >= 0 && value <= max; /* guard: signals_are_numbers */
}

const char *sbx_signals_wrong(const struct sbx_signals *signals) {
    if (!is_amount(signals->cost, DBL_MAX)) return "cost";
    if (!is_amount(signals->cold_start_ms, DBL_MAX)) return "cold_start_ms";
    if (!is_amount(signals->ready_ms, DBL_MAX)) return "ready_ms";
    if (!is_amount(signals->completion_rate, 1)) return "completion_rate";
    if (signals->unavailable < SBX_DEFAULT || signals->unavailable > SBX_NO) return "unavailable";
    return NULL;
}
