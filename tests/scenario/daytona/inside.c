/* What happens inside a sandbox while the caller waits or asks: processes that are lost, and the idle timer. Rows D1,
 * P7, P11. */
#include "daytona_world.h"
#include "kept_env.h"

/* ---- PROCESS_LOST ---- */

static void lost(struct world *w, const char *command, const char *out) {
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_sandbox_exec(w->sb, command, NULL, NULL, &result, &w->err), SBX_PROCESS_LOST);
    T_EQ(w->err.outcome, SBX_OUTCOME_DONE); /* it ran */
    T_TRUE(result != NULL);
    T_EQ(sbx_exec_result_exit_known(result), 0);
    T_STR(sbx_exec_result_stdout(result, NULL), out);
    T_EQ(sbx_exec_result_killed_confirmed(result), 0);
    sbx_exec_result_free(result);
}

/* A command that kills the shell which was to write its exit code down. */
static void a_command_that_kills_its_keeper(void) {
    struct world w = world_with_running_sandbox(SEED);
    lost(&w, "echo out; kill -KILL $PPID; exit 3", "out\n");
    world_finish(&w);
}

/* Another caller of the same sandbox, who comes 2 s later. */
struct other {
    struct world *w;
    struct sbx_error err;
    enum sbx_status st;
};

static void other_waits(struct other *other) {
    struct sbx_env *env = other->w->env;
    sbx_error_init(&other->err, sizeof(other->err));
    (void)!env->sleep_until(env, env->now_ms(env) + 2000, NULL);
}

/* Kills the keeper of every command but its own. */
static void kill_all(void *arg) {
    struct other *other = arg;
    struct sbx_exec_result *result = NULL;
    other_waits(other);
    other->st = sbx_sandbox_exec(
        other->w->sb, "for d in /tmp/.sbx-*; do pid=$(cat $d/pid); test $pid = $PPID || kill -KILL $pid; done", NULL,
        NULL, &result, &other->err);
    sbx_exec_result_free(result);
}

static void a_keeper_that_another_command_kills(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct other other = {.w = &w};
    T_STATUS(sbx_sim_spawn(w.sim, kill_all, &other), SBX_OK);
    lost(&w, "echo begun; sleep 20; echo ended", "begun\nended\n"); /* it was let run to its end */
    T_STATUS(sbx_sim_run(w.sim), SBX_OK);
    T_STATUS(other.st, SBX_OK);
    world_finish(&w);
}

/* A read at which every process of the sandbox dies. */
static void read_later(void *arg) {
    struct other *other = arg;
    struct sbx_info *info = NULL;
    other_waits(other);
    other->st = sbx_sandbox_info(other->w->sb, NULL, &info, &other->err);
    sbx_info_free(info);
}

static void every_process_dies(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct other other = {.w = &w};
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','times':1,'effect':{'kind':'lost_process'}}");
    T_STATUS(sbx_sim_spawn(w.sim, read_later, &other), SBX_OK);
    lost(&w, "echo begun; sleep 20; echo ended", "begun\n");
    T_STATUS(sbx_sim_run(w.sim), SBX_OK);
    T_STATUS(other.st, SBX_OK);
    world_finish(&w);
}

/* ---- the idle timer ---- */

/* After 45 s the sandbox is asked for something, after 90 s it has been idle for a minute - or not. */
static int64_t state_after(enum sbx_status (*ask)(struct world *w)) {
    struct world w = world_new(SEED);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.auto_stop_min = 1;
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    sbx_sim_advance_ms(w.sim, 45000);
    T_STATUS(ask(&w), SBX_OK);
    sbx_sim_advance_ms(w.sim, 45000);
    struct sbx_sandbox *again = NULL;
    char id[SBX_ID_SIZE];
    sbx_sandbox_id(w.sb, id);
    T_STATUS(sbx_runtime_attach(w.rt, id, NULL, &again, &w.err), SBX_OK);
    int64_t state = sbx_sandbox_state(again);
    sbx_sandbox_free(again);
    world_finish(&w);
    return state;
}

static enum sbx_status ask_nothing(struct world *w) {
    (void)w;
    return SBX_OK;
}

static enum sbx_status ask_home_dir(struct world *w) {
    char *dir = NULL;
    enum sbx_status st = sbx_sandbox_home_dir(w->sb, NULL, &dir, &w->err);
    size_t len = 0;
    T_CONTAINS(sbx_sim_journal(w->sim, &len), "x-daytona-skip-last-activity-update");
    sbx_text_free(dir);
    return st;
}

static enum sbx_status ask_info(struct world *w) {
    struct sbx_info *info = NULL;
    enum sbx_status st = sbx_sandbox_info(w->sb, NULL, &info, &w->err);
    if (!st) T_STR(sbx_info_work_dir(info), "/home/daytona");
    sbx_info_free(info);
    return st;
}

static enum sbx_status ask_exec(struct world *w) {
    struct sbx_exec_result *result = NULL;
    enum sbx_status st = sbx_sandbox_exec(w->sb, "true", NULL, NULL, &result, &w->err);
    size_t len = 0;
    T_TRUE(strstr(sbx_sim_journal(w->sim, &len), "x-daytona-skip-last-activity-update") == NULL);
    sbx_exec_result_free(result);
    return st;
}

static void asking_where_things_are_is_no_use(void) {
    T_EQ(state_after(ask_nothing), SBX_STATE_STOPPED);
    T_EQ(state_after(ask_home_dir), SBX_STATE_STOPPED);
    T_EQ(state_after(ask_info), SBX_STATE_STOPPED);
}

static void a_command_is_use(void) {
    T_EQ(state_after(ask_exec), SBX_STATE_RUNNING);
}

static void the_environment_is_the_callers(void) {
    struct world w = world_with_running_sandbox(SEED);
    kept_env_check(w.sb, w.rt);
    world_finish(&w);
}

T_CASES(T_CASE(the_environment_is_the_callers), T_CASE(a_command_that_kills_its_keeper),
        T_CASE(a_keeper_that_another_command_kills), T_CASE(every_process_dies),
        T_CASE(asking_where_things_are_is_no_use), T_CASE(a_command_is_use))
