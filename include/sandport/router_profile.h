/* What a pool's owner declares of the sandboxes that it makes: the envelope that requests are held against. The router
 * trusts it and never probes. A member of zero claims nothing, and a request that needs the thing is then refused.
 * Row R1. */
#ifndef SANDPORT_ROUTER_PROFILE_H
#define SANDPORT_ROUTER_PROFILE_H

#include <sandport/capability.h>

/* Beside SBX_CAP_* in one vocabulary: what sandboxes of a pool are good for, by word of its owner alone. */
#define SBX_FEATURE_TAILNET               (UINT64_C(1) << 40) /* joins a private network of the caller's */
#define SBX_FEATURE_LONG_PROCESS          (UINT64_C(1) << 41) /* a process may run as long as the sandbox */
#define SBX_FEATURE_STABLE_PID            (UINT64_C(1) << 42) /* a process keeps its number between calls */
#define SBX_FEATURE_PROCESS_RESTART       (UINT64_C(1) << 43) /* processes come back after a restart */
#define SBX_FEATURE_UNATTENDED_ENROLMENT  (UINT64_C(1) << 44) /* an agent can enrol with nobody there */
#define SBX_FEATURE_NESTED_USER_NAMESPACE (UINT64_C(1) << 45) /* user namespaces can be made inside */

/** What may leave a sandbox. Stored as int32_t; a request accepts some as bits, 1 << value. */
enum sbx_egress { SBX_EGRESS_UNKNOWN = 0, SBX_EGRESS_NONE = 1, SBX_EGRESS_ALLOW_LIST = 2, SBX_EGRESS_OPEN = 3 };

/** What outlives a stop, from least to most. Stored as int32_t. */
enum sbx_durability {
    SBX_DURABILITY_NONE = 0,
    SBX_DURABILITY_DISK = 1,  /* files are there after a stop and start */
    SBX_DURABILITY_MEMORY = 2 /* processes too */
};

/* What a time that is given to the pool bounds. Bits. */
#define SBX_TIMEOUT_REQUEST          (UINT32_C(1) << 0) /* how long a caller waits */
#define SBX_TIMEOUT_COMMAND_LIFETIME (UINT32_C(1) << 1) /* how long a command may run */
#define SBX_TIMEOUT_SANDBOX_LIFETIME (UINT32_C(1) << 2) /* how long a sandbox may live */

#define SBX_UNBOUNDED        INT64_MAX /* in lifetime_ms_max, command_ms_max: no ceiling */
#define SBX_LIST_COUNT_MAX   64        /* entries of one list */
#define SBX_LIST_BYTES_MAX   256       /* of one entry */
#define SBX_RESOURCE_CPU_MAX 1e6       /* vCPU that a profile or a request may name */

struct sbx_profile {
    size_t size;
    uint64_t capabilities; /* SBX_CAP_*, none that the runtime does not declare, and SBX_FEATURE_* */
    double cpu;            /* of each sandbox: vCPU */
    int64_t memory_mib;
    int64_t disk_mib;
    int32_t gpu_count;
    const char *gpu_type; /* NULL = not said */
    const char *image;    /* its identity, e.g. "agent-v4"; NULL = not said */
    const char *const *binaries;
    size_t binary_count;
    const char *const *regions;
    size_t region_count;
    const char *const *restrictions; /* what its sandboxes are kept from, in words that the requests use too */
    size_t restriction_count;
    int32_t isolation;  /* enum sbx_isolation that is promised */
    int32_t durability; /* enum sbx_durability */
    int32_t egress;     /* enum sbx_egress */
    uint32_t timeout_semantics;
    int64_t timeout_granularity_ms; /* the smallest step of a time; 0 = unknown */
    int64_t lifetime_ms_max;        /* of a sandbox on this account: a ceiling, SBX_UNBOUNDED, 0 = unknown */
    int64_t command_ms_max;         /* of one command or run: a ceiling, SBX_UNBOUNDED, 0 = unknown */
};

#define SBX_PROFILE_INIT                                                                                               \
    { .size = sizeof(struct sbx_profile) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_profile_init(struct sbx_profile *profile, size_t size);

/** "TAILNET" for that bit, and as sbx_capability_name() for the bits of a runtime; NULL for a bit without meaning.
 *  Static text. */
SBX_API const char *sbx_feature_name(uint64_t bit);

/** "ALLOW_LIST" for SBX_EGRESS_ALLOW_LIST. Static text. */
SBX_API const char *sbx_egress_name(int32_t egress);

#ifdef __cplusplus
}
#endif
#endif
