/* Guards of how commands and sandboxes of this machine end. Rows L1, P7, P9. */
#include "local_world.h"

/* ---- local_stop_ends_all: the process has left its group, its parent and its mark ---- */

#define LEAVES                                                                                                         \
    "setsid sh -c 'echo $$ >left; exec sleep 1000' </dev/null >/dev/null 2>&1 & while [ ! -s left ]; do :; done"

static const char *is_left(struct local_world *w) {
    return local_world_says(
        w, "kill -0 $(cat left) 2>/dev/null && ! grep -q ') Z ' /proc/$(cat left)/stat && echo alive || true");
}

static void must_fire_local_stop_ends_all__left_its_group(void) {
    struct local_world *w = local_world_launched(0);
    local_world_says(w, LEAVES);
    T_STR(is_left(w), "alive\n");
    T_STATUS(sbx_sandbox_stop(w->sb, NULL, NULL, &w->err), SBX_OK);
    T_EQ(local_world_processes(w), 0);
    T_STATUS(sbx_sandbox_start(w->sb, NULL, NULL, NULL, &w->err), SBX_OK);
    T_STR(is_left(w), "");
    local_world_finish(w);
}

static void must_not_fire_local_stop_ends_all__no_stop(void) {
    struct local_world *w = local_world_launched(0);
    local_world_says(w, LEAVES);
    T_STR(is_left(w), "alive\n");
    T_TRUE(local_world_processes(w) > 0);
    local_world_finish(w);
}

/* ---- local_end_is_its_own ---- */

#define MUCH "head -c 50000 /dev/zero | tr '\\000' x"

static void is_whole_at_its_end(const char *command) {
    struct local_world *w = local_world_launched(0);
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    size_t len = 0;
    opt.lifetime_ms = 10000;
    T_STATUS(sbx_sandbox_exec(w->sb, command, &opt, NULL, &w->result, &w->err), SBX_OK);
    (void)sbx_exec_result_stdout(w->result, &len);
    T_EQ(len, 50000);
    T_EQ(sbx_exec_result_exit_code(w->result), 0);
    local_world_finish(w);
}

static void must_fire_local_end_is_its_own__a_child_holds_the_pipe(void) {
    is_whole_at_its_end(MUCH "; sleep 1000 &");
}

static void must_not_fire_local_end_is_its_own__nobody_does(void) {
    is_whole_at_its_end(MUCH);
}

/* ---- local_lifetime_ends ---- */

static enum sbx_status an_hour_in(struct local_world *w, int64_t lifetime_ms, const char *command) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_call call = SBX_CALL_INIT;
    opt.lifetime_ms = lifetime_ms;
    call.deadline_ms = SBX_NO_DEADLINE;
    local_world_when_begun(w, local_world_an_hour_later);
    enum sbx_status st = sbx_sandbox_exec(w->sb, command, &opt, &call, &w->result, &w->err);
    local_world_join(w);
    return st;
}

static void must_fire_local_lifetime_ends__half_an_hour(void) {
    struct local_world *w = local_world_launched(0);
    T_STATUS(an_hour_in(w, 1800000, "echo first; echo >begun; sleep 1000"), SBX_COMMAND_TIMEOUT);
    T_EQ(w->err.outcome, SBX_OUTCOME_DONE);
    T_STR(sbx_exec_result_stdout(w->result, NULL), "first\n");
    T_EQ(local_world_processes(w), 0);
    local_world_finish(w);
}

static void must_not_fire_local_lifetime_ends__two_hours(void) {
    struct local_world *w = local_world_launched(0);
    T_STATUS(an_hour_in(w, 7200000, "echo first; echo >begun; sleep 1"), SBX_OK);
    T_STR(sbx_exec_result_stdout(w->result, NULL), "first\n");
    local_world_finish(w);
}

/* ---- local_group_is_ended ---- */

static enum sbx_status cancelled_in(struct local_world *w, int64_t cleanup_ms) {
    struct sbx_call call = SBX_CALL_INIT;
    call.cancel = w->cancel;
    call.cleanup_ms = cleanup_ms;
    local_world_when_begun(w, local_world_fire);
    enum sbx_status st =
        sbx_sandbox_exec(w->sb, "sh -c 'sleep 1000' & echo >begun; wait", NULL, &call, &w->result, &w->err);
    local_world_join(w);
    return st;
}

static void must_fire_local_group_is_ended__with_its_children(void) {
    struct local_world *w = local_world_launched(0);
    T_STATUS(cancelled_in(w, 0), SBX_CANCELLED);
    T_EQ(sbx_exec_result_killed_confirmed(w->result), 1);
    T_EQ(local_world_processes(w), 0);
    local_world_finish(w);
}

static void must_not_fire_local_group_is_ended__no_cleanup_wanted(void) {
    struct local_world *w = local_world_launched(0);
    T_STATUS(cancelled_in(w, SBX_NO_CLEANUP), SBX_CANCELLED);
    T_EQ(sbx_exec_result_killed_confirmed(w->result), 0);
    T_TRUE(local_world_processes(w) > 0);
    local_world_finish(w);
}

T_CASES(T_CASE(must_fire_local_stop_ends_all__left_its_group), T_CASE(must_not_fire_local_stop_ends_all__no_stop),
        T_CASE(must_fire_local_end_is_its_own__a_child_holds_the_pipe),
        T_CASE(must_not_fire_local_end_is_its_own__nobody_does), T_CASE(must_fire_local_lifetime_ends__half_an_hour),
        T_CASE(must_not_fire_local_lifetime_ends__two_hours), T_CASE(must_fire_local_group_is_ended__with_its_children),
        T_CASE(must_not_fire_local_group_is_ended__no_cleanup_wanted))
