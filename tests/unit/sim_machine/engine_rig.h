/* A machine of either engine in a world of its own, and a case's body in a fiber of it: on virtual time for the virtual
 * engine, on real time, with real processes, for the host engine. Which it is the build decides (ENGINE_HOST). */
#ifndef TESTS_UNIT_SIM_MACHINE_ENGINE_RIG_H
#define TESTS_UNIT_SIM_MACHINE_ENGINE_RIG_H

#include "sim/kit/sim.h"
#include "sim/machine/host/host.h"
#include "sim/machine/machine.h"
#include "t.h"

struct engine {
    struct sim *sim;
    struct sim_host *host; /* NULL for the virtual engine */
    struct sim_machine *m;
    char temporary[64]; /* where scratch folders are made */
    void (*body)(struct engine *e);
    int done;
};

/** What a run said and how it ended. */
struct ran {
    struct sbx_buf stream[4];
    int closed;
    int code, signal;
    enum sbx_status waited;
};

/** Runs the body on a machine; it must end within 40 s. */
void engine_case(void (*body)(struct engine *e));

/** The options of a script's run. @param ran zeroed */
struct sim_run *engine_start(struct engine *e, const char *script, struct ran *ran);
/** Runs a script of sh to its end. Finish the result. */
void engine_sh(struct engine *e, const char *script, struct ran *ran);
/** The same, with its output, of both streams in order, and code checked. */
void engine_expect(struct engine *e, const char *script, const char *output, int code);
void engine_pass(struct engine *e, int64_t ms);
/** Waits until `there` is true. Fails after 10 s. */
void engine_until(struct engine *e, int (*there)(void *ctx), void *ctx);
void engine_put(struct engine *e, const char *path, const char *text);
/** A file's bytes; free() them. */
char *engine_get(struct engine *e, const char *path, sim_errno *why);

void ran_take(void *ctx, int stream, const void *data, size_t len);
void ran_closed(void *ctx);
void ran_finish(struct ran *ran);

#endif
