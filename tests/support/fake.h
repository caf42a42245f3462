/* An account of a provider whose every answer a test writes down beforehand: what the router is tested with. */
#ifndef TESTS_SUPPORT_FAKE_H
#define TESTS_SUPPORT_FAKE_H

#include "t.h"

#include <sandport/kit/ops.h>
#include <sandport/router_pool.h>

#define FAKE_LAUNCHES_MAX  16
#define FAKE_SANDBOXES_MAX 64

/** How one launch ends. All zero: well. */
struct fake_launch {
    int32_t status;
    int32_t outcome;
    int32_t cleanup;
    int32_t http_status;
    int leaves; /* a failed one has made a sandbox that lives on */
};

struct fake_sandbox {
    char id[SBX_ID_SIZE];
    char acquisition[SBX_ACQUISITION_SIZE];
    int lives;
    int runs;
};

struct fake {
    const char *provider; /* NULL = "fake" */
    uint64_t caps;        /* 0 = all that the fake can do */
    struct fake_launch launches[FAKE_LAUNCHES_MAX];
    int fail_destroy;    /* so many destroys fail first */
    int hidden_attaches; /* so many attaches find nothing first, though it is there */
    int fail_reconcile;  /* so many reconciles are UNDECIDED first */
    int start_replaces;  /* the next start gives the sandbox a new id */
    int32_t exec_status; /* of commands */

    /* what came */
    int launched; /* launches, of both kinds */
    int detached;
    int destroys, reconciles, attaches, execs, uploads, downloads, stops, starts;
    char name[SBX_ID_SIZE]; /* of the last launch */
    char label[64];         /* its label "team" */
    char env_value[64];     /* its variable "LANG" */
    double cpu;
    int64_t create_ms, deadline_ms;
    char acquisition[SBX_ACQUISITION_SIZE];
    char command[512]; /* the last */
    struct fake_sandbox sandboxes[FAKE_SANDBOXES_MAX];
    int made;
    struct sbx_env *env;
    /** Called at the beginning of a launch, if not NULL. */
    void (*on_launch)(void *ctx, struct fake *fake);
    void *on_launch_ctx;
};

/** @param out yours: sbx_runtime_free() */
void fake_runtime(struct fake *fake, struct sbx_env *env, struct sbx_runtime **out);

/** A pool over it that owns the runtime. @param profile, signals may be NULL */
struct sbx_pool *fake_pool(struct fake *fake, struct sbx_env *env, const char *id, const struct sbx_profile *profile,
                           const struct sbx_signals *signals);

/** Sandboxes that live. */
int fake_live(const struct fake *fake);

#endif
