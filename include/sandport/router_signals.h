/* What pools are compared by: expected cost, latency and reliability. Comparable inputs in units of the caller's
 * choice, never charges. Rows R5, R6. */
#ifndef SANDPORT_ROUTER_SIGNALS_H
#define SANDPORT_ROUTER_SIGNALS_H

#include <sandport/status.h>

struct sbx_signals {
    size_t size;
    double cost;            /* expected, of the relevant acquisition; 0 or more */
    double cold_start_ms;   /* until the provider answers; 0 or more */
    double ready_ms;        /* until the workload can run; 0 or more */
    double completion_rate; /* of workloads that end within their budget, 0 to 1: hangs count as failures */
    int32_t unavailable;    /* SBX_YES: the pool takes nothing at present */
};

/** Placeholders, the same for every pool: by themselves they decide nothing. */
#define SBX_SIGNALS_INIT                                                                                               \
    { .size = sizeof(struct sbx_signals), .cost = 1, .cold_start_ms = 1000, .ready_ms = 1000, .completion_rate = 1 }

#ifdef __cplusplus
extern "C" {
#endif

/** The same placeholders. @param size sizeof(struct sbx_signals) */
SBX_API void sbx_signals_init(struct sbx_signals *signals, size_t size);

/** Can pools be compared by them? NaN, infinities, negative numbers and a rate above 1 cannot.
 *  @return the name of the member that is wrong, NULL if none is. Static text. */
SBX_API const char *sbx_signals_wrong(const struct sbx_signals *signals);

#ifdef __cplusplus
}
#endif
#endif
