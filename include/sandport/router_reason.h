/* Why a pool was not chosen: one code for each rejection, all of a pool told, in the order of this list. The texts are
 * in docs/router.md too. Rows R3, R4, R6, R13, R15, R17. */
#ifndef SANDPORT_ROUTER_REASON_H
#define SANDPORT_ROUTER_REASON_H

#include <sandport/api.h>

/* Number (never reused, below 64), name, text. */
#define SBX_REASON_LIST(X)                                                                                             \
    X(POOL_ID, 1, "another pool was demanded by its id")                                                               \
    X(CAPABILITY_REQUIRED, 2, "it does not declare a required ability")                                                \
    X(CAPABILITY_FORBIDDEN, 3, "it declares a forbidden ability")                                                      \
    X(RESOURCES, 4, "its sandboxes have less cpu, memory or disk than needed")                                         \
    X(GPU, 5, "its sandboxes have fewer GPUs than needed, or others")                                                  \
    X(IMAGE, 6, "its image is another, or not said")                                                                   \
    X(BINARIES, 7, "its image is not said to have a needed binary")                                                    \
    X(ISOLATION, 8, "its isolation is weaker than needed")                                                             \
    X(DURABILITY, 9, "less outlives a stop than needed")                                                               \
    X(EGRESS, 10, "what may leave its sandboxes is not what is accepted")                                              \
    X(REGION, 11, "it is in none of the required regions")                                                             \
    X(TIMEOUT_SEMANTICS, 12, "its times do not bound what is needed")                                                  \
    X(TIMEOUT_GRANULARITY, 13, "its times are coarser than needed, or not said")                                       \
    X(SANDBOX_LIFETIME, 14, "its sandboxes live shorter than needed, or not said how long")                            \
    X(COMPLETION_BUDGET, 15, "its commands may run shorter than needed, or not said how long")                         \
    X(RESTRICTIONS, 16, "it does not impose a needed restriction")                                                     \
    X(DETACHED_LAUNCH, 17, "it does not declare launches that do not wait")                                            \
    X(REATTACH, 18, "its runtime cannot find a sandbox again by its id")                                               \
    X(CREDENTIALS, 20, "its credential is not ready")                                                                  \
    X(SIGNALS_FAILED, 24, "its signals could not be resolved")                                                         \
    X(SIGNALS_INVALID, 25, "its signals are no comparable numbers")                                                    \
    X(UNAVAILABLE, 26, "it takes nothing at present")                                                                  \
    X(READY_LATENCY, 27, "it is not expected to be ready within the budget, or nothing is expected")                   \
    X(NOT_IN_ORDER, 30, "the capacity order does not name it")                                                         \
    X(CAPACITY_UNKNOWN, 31, "how much room its account has is not known")                                              \
    X(CAPACITY_EXHAUSTED, 32, "its account has no room for one more")

#define SBX_REASON_ENUM(name, number, text) SBX_REASON_##name = (number),
enum sbx_reason { SBX_REASON_LIST(SBX_REASON_ENUM) };
#undef SBX_REASON_ENUM

/** The bit of a reason in a set of them. */
#define SBX_REASON_BIT(reason) (UINT64_C(1) << (reason))

#ifdef __cplusplus
extern "C" {
#endif

/** "SANDBOX_LIFETIME" for SBX_REASON_SANDBOX_LIFETIME; "UNKNOWN" for a number that is no reason. Static text. */
SBX_API const char *sbx_reason_name(int32_t reason);

/** A sentence fragment for people, as in the list above. Static text. */
SBX_API const char *sbx_reason_text(int32_t reason);

/** The first reason in a set, and those after it: for (r = sbx_reason_next(set, 0); r; r = sbx_reason_next(set, r)).
 *  @return 0 behind the last */
SBX_API int32_t sbx_reason_next(uint64_t set, int32_t after);

#ifdef __cplusplus
}
#endif
#endif
