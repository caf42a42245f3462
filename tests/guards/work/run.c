/* Guards of durable runs, on real shells: each pair differs in one fact. Row D10. */
#include "run_host.h"
#include "src/work/run_verdict.h"
#include "t.h"

#include <string.h>

#define COUNT "echo x >>@/count; "

/* ---- run_once ---- */

static void at_once_on(struct shell_host *host) {
    static const struct shell_step step = {.kind = SHELL_AT_ONCE, .count = 4};
    host->steps = &step;
    host->step_count = 1;
    T_STATUS(run_submit(host, "r", COUNT "true"), SBX_OK);
    host->step_count = 0;
    T_STATUS(run_submit(host, "r", COUNT "true"), SBX_OK);
    run_await(host, "r");
    T_EQ(shell_host_count(host), 1);
}
static void must_fire_run_once__copies_at_once_and_again(void) {
    shell_host_each(at_once_on);
}

static void two_ids_on(struct shell_host *host) {
    T_STATUS(run_submit(host, "r", COUNT "true"), SBX_OK);
    T_STATUS(run_submit(host, "s", COUNT "true"), SBX_OK);
    run_await(host, "r");
    run_await(host, "s");
    T_EQ(shell_host_count(host), 2);
}
static void must_not_fire_run_once__two_ids(void) {
    shell_host_each(two_ids_on);
}

/* ---- run_stop_before_start: somebody has said that it will never run ---- */

static void stopped_on(struct shell_host *host) {
    host->edit_find = "elif [ -f \"$3/stop\" ]";
    host->edit_with = "elif true >\"$3/stop\"; [ -f \"$3/stop\" ]";
    enum sbx_status st = run_submit(host, "r", COUNT "true"); /* it may come to know before it answers */
    T_TRUE(st == SBX_OK || (st == SBX_PROCESS_LOST && host->err.outcome == SBX_OUTCOME_REFUSED));
    host->edit_find = NULL;
    run_await(host, "r");
    T_EQ(run_status.state, SBX_RUN_REFUSED);
    T_EQ(shell_host_count(host), 0);
}
static void must_fire_run_stop_before_start__said_before_the_start(void) {
    shell_host_each(stopped_on);
}

static void not_stopped_on(struct shell_host *host) {
    T_STATUS(run_submit(host, "r", COUNT "true"), SBX_OK);
    run_await(host, "r");
    T_EQ(run_status.state, SBX_RUN_EXITED);
    T_EQ(shell_host_count(host), 1);
}
static void must_not_fire_run_stop_before_start__not_said(void) {
    shell_host_each(not_stopped_on);
}

/* ---- run_lost_after_restart: the numbers of its processes belong to others now ---- */

static void restart_on(struct shell_host *host, const char *edit, int32_t state) {
    T_STATUS(run_submit(host, "r", "while [ -d @ ] && [ ! -f @/go ]; do sleep 0.02; done"), SBX_OK);
    run_outside(host, edit);
    T_STATUS(run_poll(host, "r"), SBX_OK);
    run_outside(host, "touch @/go");
    T_EQ(run_status.state, state);
}
static void other_era_on(struct shell_host *host) {
    restart_on(host, "sed -i 's, [^ ]*/[0-9]* , other/1 ,' " RUNS "/*/admission", SBX_RUN_LOST);
}
static void must_fire_run_lost_after_restart__another_era(void) {
    shell_host_each(other_era_on);
}
static void same_era_on(struct shell_host *host) {
    restart_on(host, "sed -i 's, other/1 , other/2 ,' " RUNS "/*/admission", SBX_RUN_RUNNING);
}
static void must_not_fire_run_lost_after_restart__the_same_era(void) {
    shell_host_each(same_era_on);
}

/* ---- run_kill_spares_the_ended: what it left behind is not ours to end ---- */

static void spared_on(struct shell_host *host) {
    T_STATUS(run_submit(host, "r", "sleep 600 & echo $! >@/child"), SBX_OK);
    run_await(host, "r");
    T_STATUS(run_kill(host, "r"), SBX_OK);
    run_outside(host, "kill -KILL $(cat @/child)"); /* it is there to be killed */
    T_EQ(run_status.exit_code, 0);
    T_EQ(run_status.kill_asked, 0);
}
static void must_fire_run_kill_spares_the_ended__a_child_left_behind(void) {
    shell_host_each(spared_on);
}

static void ended_on(struct shell_host *host) {
    T_STATUS(run_submit(host, "r", "sleep 600 & echo $! >@/child; sleep 600"), SBX_OK);
    run_outside(host, "until [ -s @/child ]; do sleep 0.01; done");
    T_STATUS(run_kill(host, "r"), SBX_OK);
    T_EQ(run_status.kill_asked, 1);
    run_outside(host, "p=$(cat @/child); ! kill -0 $p 2>/dev/null || grep -q ') Z' /proc/$p/stat");
}
static void must_not_fire_run_kill_spares_the_ended__it_runs(void) {
    shell_host_each(ended_on);
}

/* ---- run_same_command ---- */

static void other_command_on(struct shell_host *host) {
    T_STATUS(run_submit(host, "r", "true"), SBX_OK);
    T_STATUS(run_submit(host, "r", "true #"), SBX_ALREADY_EXISTS);
}
static void must_fire_run_same_command__another_command(void) {
    shell_host_each(other_command_on);
}
static void same_command_on(struct shell_host *host) {
    T_STATUS(run_submit(host, "r", "true"), SBX_OK);
    T_STATUS(run_submit(host, "r", "true"), SBX_OK);
}
static void must_not_fire_run_same_command__the_same(void) {
    shell_host_each(same_command_on);
}

/* ---- the decisions on an answer ---- */

static struct run_answer answer(enum coded_code code, int32_t exit_code, int version) {
    struct run_answer ans = {.code = code, .exit_code = exit_code, .version = version};
    return ans;
}

static void must_fire_run_other_version__made_by_a_later_release(void) {
    const struct run_answer ans = answer(CODED_EXIT, 0, 2);
    T_EQ(sbx_run_state_of(&ans), SBX_RUN_UNDECIDED);
}
static void must_not_fire_run_other_version__made_by_this_one(void) {
    const struct run_answer ans = answer(CODED_EXIT, 0, 1);
    T_EQ(sbx_run_state_of(&ans), SBX_RUN_EXITED);
}

static void must_fire_run_code_not_made_up__no_code(void) {
    static const enum coded_code codes[] = {CODED_RUNNING, CODED_NEVER, CODED_NO_CWD, CODED_UNKNOWN};
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        const struct run_answer ans = answer(codes[i], 0, 1);
        sbx_run_status_fill(&status, &ans, NULL);
        T_EQ(status.exit_code, -1);
    }
}
static void must_not_fire_run_code_not_made_up__a_code(void) {
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    const struct run_answer ans = answer(CODED_EXIT, 0, 1), lost = answer(CODED_LOST, 0, 1);
    sbx_run_status_fill(&status, &ans, NULL);
    T_EQ(status.exit_code, 0);
    sbx_run_status_fill(&status, &lost, NULL);
    T_EQ(status.exit_code, 255);
}

T_CASES(T_CASE(must_fire_run_once__copies_at_once_and_again), T_CASE(must_not_fire_run_once__two_ids),
        T_CASE(must_fire_run_stop_before_start__said_before_the_start),
        T_CASE(must_not_fire_run_stop_before_start__not_said), T_CASE(must_fire_run_lost_after_restart__another_era),
        T_CASE(must_not_fire_run_lost_after_restart__the_same_era),
        T_CASE(must_fire_run_kill_spares_the_ended__a_child_left_behind),
        T_CASE(must_not_fire_run_kill_spares_the_ended__it_runs), T_CASE(must_fire_run_same_command__another_command),
        T_CASE(must_not_fire_run_same_command__the_same), T_CASE(must_fire_run_other_version__made_by_a_later_release),
        T_CASE(must_not_fire_run_other_version__made_by_this_one), T_CASE(must_fire_run_code_not_made_up__no_code),
        T_CASE(must_not_fire_run_code_not_made_up__a_code))
