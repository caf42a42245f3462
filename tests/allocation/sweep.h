/* One operation of the port again and again, each time with the next request for memory refused, until it runs through
 * without one: first that request alone, then every one from it on. */
#ifndef TESTS_ALLOCATION_SWEEP_H
#define TESTS_ALLOCATION_SWEEP_H

#ifdef SWEEP_OF_E2B
#include "e2b_world.h"
#define SWEEP_KEY SBX_SIM_E2B_KEY
#else
#include "daytona_world.h"
#define SWEEP_KEY SBX_SIM_DAYTONA_KEY
#endif
#include "short_memory.h"

struct sweep {
    struct world w; /* its env counts */
    const struct operation *op;
    int64_t nth;
    enum short_memory how;
    enum sbx_status st; /* of this run */
};

struct operation {
    const char *name;
    int64_t requests_min; /* fewer, and the sweep was not of what it says */
    enum sbx_status due;  /* how it ends with memory enough; SBX_OK unless it is of a failure */
    enum sbx_status also; /* what else it may truly say when short of it; SBX_OK = only SBX_NO_MEMORY */
    int whole_trees;      /* every request of cJSON's counts, not only the first of each tree */
    int only_reads;       /* one world serves all runs: before() is called at its beginning, after() at its end */
    void (*before)(struct sweep *s);
    enum sbx_status (*run)(struct sweep *s); /* the only part that is short of memory */
    /** Is all that it said true? What was made and is left must be gone behind it. */
    void (*after)(struct sweep *s);
};

/** Both ways. Each run has a world of its own, unless it only reads. A failure says which request was refused. */
void sweep(const struct operation *op);

/* For before(): */
void sweep_launched(struct sweep *s);
void sweep_stopped(struct sweep *s);

_Noreturn void sweep_fail(struct sweep *s, const char *expected, const char *file, int line);
#define S_TRUE(s, cond)                                                                                                \
    do {                                                                                                               \
        if (!(cond)) sweep_fail((s), #cond, __FILE__, __LINE__);                                                       \
    } while (0)

/** What the provider says of the handle's sandbox: enum sbx_state. */
int32_t sweep_state(struct sweep *s);

/** The launch of that acquisition as reconcile sees it. @param id of the first found @return how many were found */
size_t sweep_found(struct sweep *s, const char *acquisition, char *id);

/** Deletes a sandbox that no handle is left for. */
void sweep_remove(struct sweep *s, const char *id);

/** Deletes the handle's own: it must still be possible. */
void sweep_destroy(struct sweep *s);

/** Runs a command with all the memory there is. @return its stdout, until the next call */
const char *sweep_shell(struct sweep *s, const char *command);

#endif
