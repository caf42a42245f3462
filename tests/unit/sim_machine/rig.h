/* A machine in a world of its own, and programs run on it to their end. */
#ifndef TESTS_UNIT_SIM_MACHINE_RIG_H
#define TESTS_UNIT_SIM_MACHINE_RIG_H

#include "sim/kit/sim.h"
#include "sim/machine/machine.h"
#include "t.h"

struct rig {
    struct sim *sim;
    struct sim_machine *m;
};

struct rig_result {
    struct sbx_buf out, err;
    int code, signal;
    enum sbx_status waited;
    int64_t ms; /* virtual time that passed */
};

void rig_start(struct rig *rig, const struct sim_machine_options *opt); /* NULL = a usual one */
void rig_finish(struct rig *rig);
/** Runs argv with `text` as standard input until its output is closed. Finish the result. */
void rig_run(struct rig *rig, const char *const *argv, const char *text, struct rig_result *out);
/** sh -c script */
void rig_sh(struct rig *rig, const char *script, struct rig_result *out);
void rig_result_finish(struct rig_result *result);
void rig_put(struct rig *rig, const char *path, const char *text, size_t len, uint32_t mode);
int64_t rig_unsupported(struct rig *rig);

/** Scripts of a corpus file: each begins with a line "### name". Calls one(ctx, name, text) for each. @return how many
 */
size_t rig_corpus(const char *path, void (*one)(void *ctx, const char *name, const char *text), void *ctx);

#endif
