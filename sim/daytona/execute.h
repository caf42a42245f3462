/* A request to run something and answer with what it said: what execute and code-run have in common. */
#ifndef SIM_DAYTONA_EXECUTE_H
#define SIM_DAYTONA_EXECUTE_H

#include "sim/daytona/toolbox.h"

/** One run of it; a replayed request has two. */
struct sim_day_execute_run {
    struct sim_run *run;
    sim_errno why; /* when run is NULL */
    struct sbx_buf output;
};

struct sim_day_execute {
    const char *const *argv;
    const char *input; /* for its standard input; NULL = none */
    const char *cwd;   /* NULL = the home directory */
    int64_t timeout_s; /* 0 = none */
    char **env;        /* NAME=value, NULL at the end */
    size_t env_count;
    struct sim_day_execute_run runs[2];
    int run_count;
};

/** The sandbox's environment, and the request's `envs` over it. @return 1 if it has been answered */
int sim_day_execute_read_env(struct sim_day_call *call, struct sim_day_execute *e, struct sbx_json *js,
                             const struct sbx_json_node *root);
/** Runs it between the phases of a commit, and answers. */
void sim_day_execute_serve(struct sim_day_call *call, struct sim_day_execute *e);
/** Answers with an exit code and an output. */
void sim_day_execute_reply(struct sim_day_call *call, int code, const void *output, size_t len);
void sim_day_execute_finish(struct sim_day_execute *e);

#endif
