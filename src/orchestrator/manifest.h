/* A plan, and the pure parts of making one. Row R19. */
#ifndef SRC_ORCHESTRATOR_MANIFEST_H
#define SRC_ORCHESTRATOR_MANIFEST_H

#include "src/orchestrator/room.h"

#include <sandport/manifest.h>

#define NOBODY SIZE_MAX

/** A process as the plan keeps it. Texts are ours. */
struct plan_process {
    char *id;
    char *command;
    char *probe;
    char *flush;
    char *cwd;
    struct sbx_pair *env;
    size_t env_count;
    size_t *needs; /* places in the manifest */
    size_t need_count;
    int useful;
    int32_t ready;
    int64_t ready_ms;
    int32_t restart;
    int32_t restart_max;
    int32_t stop_order;
    int64_t flush_ms;
};

struct plan_step {
    int32_t action;
    size_t process;
};

struct sbx_plan {
    struct plan_process *processes;
    size_t count;
    size_t room;                /* zeroed beyond count */
    struct plan_step *steps[2]; /* of the start-up, of the teardown */
    size_t step_count[2];
    int64_t idle_ms;
};

/* ---- manifest_take.c ---- */

/** Copies and checks each process for itself, and finds whom it needs. */
enum sbx_status sbx_plan_take(const struct sbx_manifest *from, struct sbx_plan *plan, struct sbx_error *err);

/* ---- manifest_check.c: pure ---- */

/** No cycle, and nobody waits for what can never be ready. */
enum sbx_status sbx_plan_check(const struct sbx_plan *plan, struct sbx_error *err);

/* ---- manifest.c: pure, but for memory ---- */

enum sbx_status sbx_plan_order(struct sbx_plan *plan, struct sbx_error *err);

#endif
