/* How much room an account has, by reading what it has in use. Rows R14, P1.
 *
 * No limit is ever inferred: a plan's published numbers, a refusal's words and an empty account say nothing. What
 * callers have verified they pass, and what was not measured is unknown, never zero. */
#ifndef SANDPORT_CAPACITY_H
#define SANDPORT_CAPACITY_H

#include <sandport/error.h>

struct sbx_call;
struct sbx_runtime;

/** What accounts are limited in: each with its unit. Stored as int32_t. */
enum sbx_resource {
    SBX_RESOURCE_CPU = 0,      /* vCPU */
    SBX_RESOURCE_MEMORY = 1,   /* MiB */
    SBX_RESOURCE_DISK = 2,     /* MiB */
    SBX_RESOURCE_SANDBOXES = 3 /* slots: sandboxes at once */
};
#define SBX_RESOURCE_COUNT 4

/** Why a capacity is unknown: number (never reused), name, text. Stored as int32_t. */
#define SBX_CAPACITY_REASON_LIST(X)                                                                                    \
    X(NONE, 0, "it is known")                                                                                          \
    X(LIMIT_NOT_CONFIGURED, 1, "no verified limit was given")                                                          \
    X(DEMAND_NOT_CONFIGURED, 2, "what one launch needs of a limited resource was not given")                           \
    X(NOT_MEASURED, 3, "the provider does not say how much of a limited resource is in use")                           \
    X(MALFORMED, 4, "what is in use is not said as the provider documents it")                                         \
    X(READ_FAILED, 5, "what is in use could not be read")                                                              \
    X(TIMED_OUT, 6, "the deadline passed first")                                                                       \
    X(CANCELLED, 7, "the caller cancelled the read")                                                                   \
    X(UNSUPPORTED, 8, "the runtime does not declare SBX_CAP_CAPACITY")

#define SBX_CAPACITY_REASON_ENUM(name, number, text) SBX_CAPACITY_##name = (number),
enum sbx_capacity_reason { SBX_CAPACITY_REASON_LIST(SBX_CAPACITY_REASON_ENUM) };
#undef SBX_CAPACITY_REASON_ENUM

/** What is known of one resource without asking: 0 = not configured. */
struct sbx_bound {
    double limit;    /* of the whole account, verified; without one it is not measured */
    double required; /* by one launch; of slots 1 if nothing is said */
};

struct sbx_capacity_options {
    size_t size;
    struct sbx_bound bound[SBX_RESOURCE_COUNT]; /* by enum sbx_resource */
};

/** One limited resource. */
struct sbx_room {
    int32_t measured; /* 0 = no limit was configured, and the rest says nothing */
    double used;
    double limit;
    double headroom; /* limit - used; 0 where more is used than allowed */
    double required; /* by one launch */
};

struct sbx_capacity {
    size_t size;
    int32_t known;   /* 0 = unknown: no room says anything */
    int32_t reason;  /* enum sbx_capacity_reason, NONE if it is known */
    int64_t read_ms; /* on the env's monotonic clock; 0 if it is unknown */
    struct sbx_room room[SBX_RESOURCE_COUNT];
};

#define SBX_CAPACITY_OPTIONS_INIT                                                                                      \
    { .size = sizeof(struct sbx_capacity_options) }
#define SBX_CAPACITY_INIT                                                                                              \
    { .size = sizeof(struct sbx_capacity) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_capacity_options_init(struct sbx_capacity_options *opt, size_t size);
SBX_API void sbx_capacity_init(struct sbx_capacity *capacity, size_t size);

/** Measures what the account uses of each resource that has a limit. Reads lists, and changes nothing. Needs
 *  SBX_CAP_CAPACITY.
 *
 *  Ends at the deadline (default 5 s) or a cancel. An answer is true of the moment at which the provider gave it: two
 *  callers may both read room for one, and the provider then refuses one of their launches. What counts:
 *    Daytona: cpu, memory and disk of every sandbox that its list shows, in whatever state (it says itself that stopped
 *             ones hold disk and archived ones nothing: the sum errs on the side of too much).
 *    E2B:     slots: every sandbox that is not paused. Cpu, memory and disk are not limited by account there. One that
 *             is being made shows in no list yet, and one that is being paused shows as paused.
 *  @param opt  NULL = nothing is configured, so that the answer is LIMIT_NOT_CONFIGURED and nothing is sent
 *  @param out  of a size that its caller has set; filled whatever is returned, except for SBX_INVALID_ARGUMENT: with
 *              what was measured, or with `known` 0 and the reason
 *  @return SBX_OK also when it is unknown because something is not configured or not measured */
SBX_API SBX_MUST_USE enum sbx_status sbx_runtime_capacity(struct sbx_runtime *rt,
                                                          const struct sbx_capacity_options *opt,
                                                          const struct sbx_call *call, struct sbx_capacity *out,
                                                          struct sbx_error *err);

/** "LIMIT_NOT_CONFIGURED" for SBX_CAPACITY_LIMIT_NOT_CONFIGURED; "UNKNOWN" for a number that is no reason. Static. */
SBX_API const char *sbx_capacity_reason_name(int32_t reason);
/** A sentence fragment for people, as in the list above. Static text. */
SBX_API const char *sbx_capacity_reason_text(int32_t reason);
/** "cpu", "memory", "disk", "sandboxes"; NULL for a number that is no resource. Static text. */
SBX_API const char *sbx_resource_name(int32_t resource);
/** "vCPU", "MiB", "slots"; NULL for a number that is no resource. Static text. */
SBX_API const char *sbx_resource_unit(int32_t resource);

#ifdef __cplusplus
}
#endif
#endif
