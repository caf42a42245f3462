/* This machine: a sandbox is a directory with its processes. No account, no network. Rows L1, L2; docs/local.md says
 * how, and what it does not keep apart. */
#ifndef SANDPORT_LOCAL_H
#define SANDPORT_LOCAL_H

#include <sandport/kit/env.h>
#include <sandport/sandbox.h>

/** Whether sandboxes that are launched are kept apart by bubblewrap. Stored as int32_t. */
enum sbx_local_isolation {
    SBX_LOCAL_ISOLATION_DEFAULT = 0,  /* where it works, else not: sbx_runtime_isolation() says which */
    SBX_LOCAL_ISOLATION_REQUIRED = 1, /* or nothing is done */
    SBX_LOCAL_ISOLATION_NONE = 2
};

struct sbx_local_options {
    size_t size;
    const char *root;            /* required: an absolute path; made, if its parent is there. One for each user */
    const char *shell;           /* a POSIX sh that runs commands; NULL = "/bin/sh" */
    int32_t isolation;           /* enum sbx_local_isolation */
    int32_t network;             /* SBX_YES: isolated sandboxes have this machine's network; default: none */
    int64_t run_budget_ms;       /* lifetime of a command or durable run whose caller says none; 0 = 30 min */
    int64_t sandbox_lifetime_ms; /* of a sandbox from its launch on; 0 = without end */
    const char *bwrap;           /* NULL = "/usr/bin/bwrap" */
    const char *nsenter;         /* NULL = "/usr/bin/nsenter" */
};

#define SBX_LOCAL_OPTIONS_INIT                                                                                         \
    { .size = sizeof(struct sbx_local_options) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_local_options_init(struct sbx_local_options *opt, size_t size);

/** Makes a runtime over a directory. Unless isolation is SBX_LOCAL_ISOLATION_NONE, bubblewrap is started once to see
 *  whether it works.
 *  @param env lent for the runtime's life; its clock is the real one, e.g. sbx_posix_env_create()
 *  @param out yours: sbx_runtime_free(), which ends nothing
 *  @return SBX_INVALID_ARGUMENT with err->detail naming the member that is missing or malformed; SBX_UNSUPPORTED if
 *          isolation is required and does not work */
SBX_API SBX_MUST_USE enum sbx_status sbx_local_create(const struct sbx_local_options *opt, struct sbx_env *env,
                                                      struct sbx_runtime **out, struct sbx_error *err);

#ifdef __cplusplus
}
#endif
#endif
