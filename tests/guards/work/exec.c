/* Exact exec's guards on real shells, in pairs that differ in one fact. Rows P9, P11. */
#include "shell_host.h"
#include "t.h"

#define COUNT "echo x >>@/count; "

static void step(struct shell_host *host, enum shell_step_kind kind, enum sbx_status status, int count) {
    static struct shell_step one;
    one = (struct shell_step){kind, status, SBX_OUTCOME_UNKNOWN, count};
    host->steps = &one;
    host->step_count = 1;
}

/* ---- exec_once: who makes the directory runs the command ---- */

static void at_once_on(struct shell_host *host) {
    step(host, SHELL_AT_ONCE, 0, 4);
    T_STATUS(shell_host_exec(host, COUNT "sleep 0.1; echo out; exit 3"), SBX_OK);
    T_EQ(shell_host_count(host), 1);
    T_STR(sbx_exec_result_stdout(host->result, NULL), "out\n");
    T_EQ(sbx_exec_result_exit_code(host->result), 3);
}
static void must_fire_exec_once__four_copies_at_once(void) {
    shell_host_each(at_once_on);
}

static void replayed_on(struct shell_host *host) {
    step(host, SHELL_REPEAT, 0, 3);
    T_STATUS(shell_host_exec(host, COUNT "echo out; exit 3"), SBX_OK);
    T_EQ(shell_host_count(host), 1);
    T_STR(sbx_exec_result_stdout(host->result, NULL), "out\n");
    T_EQ(sbx_exec_result_exit_code(host->result), 3);
}
static void must_fire_exec_once__replayed_after_the_end(void) {
    shell_host_each(replayed_on);
}

static void twice_on(struct shell_host *host) {
    T_STATUS(shell_host_exec(host, COUNT), SBX_OK);
    T_STATUS(shell_host_exec(host, COUNT), SBX_OK); /* the same text, but a command of its own */
    T_EQ(shell_host_count(host), 2);
}
static void must_not_fire_exec_once__two_commands(void) {
    shell_host_each(twice_on);
}

/* ---- exec_tombstone: what was received loses its output, never its directory ---- */

static void tombstone_on(struct shell_host *host) {
    static char first[sizeof(host->last_line)];
    host->work.receipts = sbx_exact_receipts_create(host->env);
    T_TRUE(host->work.receipts != NULL);
    T_STATUS(shell_host_exec(host, COUNT "echo out"), SBX_OK);
    T_TRUE(shell_host_has(host, "out"));
    memcpy(first, host->last_line, sizeof(first));
    T_STATUS(shell_host_exec(host, "true"), SBX_OK);
    T_CONTAINS(host->last_line, host->nonces[0]);
    host->nonce_count = 1; /* look at the first */
    T_TRUE(!shell_host_has(host, "out") && !shell_host_has(host, "err"));
    shell_host_replay(host, first);
    T_EQ(shell_host_count(host), 1);
    T_TRUE(shell_host_has(host, "exit"));
    host->nonce_count = 2;
}
static void must_fire_exec_tombstone__replayed_after_it_was_received(void) {
    shell_host_each(tombstone_on);
}

static void elsewhere_on(struct shell_host *host) {
    host->work.receipts = sbx_exact_receipts_create(host->env);
    T_TRUE(host->work.receipts != NULL);
    T_STATUS(shell_host_exec(host, "echo out"), SBX_OK);
    host->work.sandbox = "sb-2";
    T_STATUS(shell_host_exec(host, "true"), SBX_OK); /* another sandbox: what sb-1 has is none of its business */
    T_TRUE(strstr(host->last_line, host->nonces[0]) == NULL);
    host->nonce_count = 1;
    T_TRUE(shell_host_has(host, "out"));
    host->nonce_count = 2;
}
static void must_not_fire_exec_tombstone__another_sandbox(void) {
    shell_host_each(elsewhere_on);
}

/* ---- exec_stop_before_start: a question that comes before the start forbids it ---- */

static void stopped_on(struct shell_host *host) {
    host->edit_find = "        launch";
    host->edit_with = "        true >/tmp/.sbx-$3/stop\n        launch";
    T_STATUS(shell_host_exec(host, COUNT), SBX_PROCESS_LOST);
    T_EQ(host->err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(shell_host_count(host), 0);
    T_TRUE(shell_host_has(host, "exit"));
}
static void must_fire_exec_stop_before_start__asked_before_the_start(void) {
    shell_host_each(stopped_on);
}

static void started_on(struct shell_host *host) {
    host->edit_find = "        launch";
    host->edit_with = "        true >/tmp/.sbx-$3/other\n        launch";
    T_STATUS(shell_host_exec(host, COUNT), SBX_OK);
    T_EQ(shell_host_count(host), 1);
}
static void must_not_fire_exec_stop_before_start__not_asked(void) {
    shell_host_each(started_on);
}

/* ---- exec_ask_starts_nothing: a question leaves no trace, so that a late request still runs, once ---- */

static void absent_on(struct shell_host *host) {
    step(host, SHELL_DROP, SBX_CONNECTION_LOST, 0);
    T_STATUS(shell_host_exec(host, COUNT), SBX_CONNECTION_LOST);
    T_EQ(host->err.outcome, SBX_OUTCOME_UNKNOWN);
    T_EQ(host->requests, 2);
    T_TRUE(!shell_host_has(host, ""));
}
static void must_fire_exec_ask_starts_nothing__no_directory(void) {
    shell_host_each(absent_on);
}

static void present_on(struct shell_host *host) {
    step(host, SHELL_LOSE, SBX_CONNECTION_LOST, 0);
    T_STATUS(shell_host_exec(host, COUNT), SBX_OK);
    T_EQ(host->requests, 2);
    T_TRUE(shell_host_has(host, ""));
}
static void must_not_fire_exec_ask_starts_nothing__a_directory(void) {
    shell_host_each(present_on);
}

/* ---- exec_lost_reply_recovered ---- */

static void recovered_on(struct shell_host *host) {
    step(host, SHELL_LOSE, SBX_CONNECTION_LOST, 0);
    T_STATUS(shell_host_exec(host, COUNT "echo out; exit 3"), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(host->result), 3);
    T_STR(sbx_exec_result_stdout(host->result, NULL), "out\n");
    T_EQ(shell_host_count(host), 1);
}
static void must_fire_exec_lost_reply_recovered__connection_lost(void) {
    shell_host_each(recovered_on);
}

static void never_left_on(struct shell_host *host) {
    step(host, SHELL_DROP, SBX_CONNECT_FAILED, 0);
    struct shell_step refused = *host->steps;
    refused.outcome = SBX_OUTCOME_NOT_SENT;
    host->steps = &refused;
    T_STATUS(shell_host_exec(host, COUNT), SBX_CONNECT_FAILED);
    T_EQ(host->err.outcome, SBX_OUTCOME_NOT_SENT);
    T_EQ(host->requests, 1);
}
static void must_not_fire_exec_lost_reply_recovered__not_sent(void) {
    shell_host_each(never_left_on);
}

/* ---- exec_late_kill: a kill that only hit what the command had left behind is not its end ---- */

static void left_behind(struct shell_host *host, const char *command) {
    host->edit_find = "        code=$?\n"; /* a keeper slow to note the code: until the question has come */
    host->edit_with = "        code=$?\n        until [ -f /tmp/.sbx-$3/stop ]; do sleep 0.01; done\n";
    step(host, SHELL_ABANDON, SBX_DEADLINE, 0);
    shell_host_exec(host, command);
    T_EQ(host->requests, 2);
    T_EQ(shell_host_count(host), 1);
}
static void late_kill_on(struct shell_host *host) {
    left_behind(host, COUNT "(echo b >@/fifo; sleep 600) & exit 0");
    T_STATUS(host->err.status, SBX_OK);
    T_EQ(sbx_exec_result_exit_code(host->result), 0);
}
static void must_fire_exec_late_kill__a_child_left_behind(void) {
    shell_host_each(late_kill_on);
}
static void in_time_on(struct shell_host *host) {
    left_behind(host, COUNT "(echo b >@/fifo; sleep 600) & wait");
    T_STATUS(host->err.status, SBX_DEADLINE);
    T_EQ(sbx_exec_result_exit_code(host->result), 137);
}
static void must_not_fire_exec_late_kill__the_command_itself(void) {
    shell_host_each(in_time_on);
}

/* ---- exec_kill_confirmed: a kill is only proven by a group seen dead ---- */

static void killed(struct shell_host *host) {
    step(host, SHELL_ABANDON, SBX_CANCELLED, 0);
    host->call.cleanup_ms = 400; /* so that it gives up soon */
    T_STATUS(shell_host_exec(host, COUNT "echo b >@/fifo; sleep 600"), SBX_CANCELLED);
    T_EQ(host->err.outcome, SBX_OUTCOME_DONE);
}
static void unproven_on(struct shell_host *host) {
    host->ask_find = "alive() {\n"; /* somebody of the group lives on, as a child of another user would */
    host->ask_with = "alive() {\n    return 0\n";
    killed(host);
    T_TRUE(!sbx_exec_result_killed_confirmed(host->result));
}
static void must_fire_exec_kill_confirmed__somebody_lives(void) {
    shell_host_each(unproven_on);
}
static void proven_on(struct shell_host *host) {
    killed(host);
    T_TRUE(sbx_exec_result_killed_confirmed(host->result));
}
static void must_not_fire_exec_kill_confirmed__all_dead(void) {
    shell_host_each(proven_on);
}

T_CASES(T_CASE(must_fire_exec_once__four_copies_at_once), T_CASE(must_fire_exec_once__replayed_after_the_end),
        T_CASE(must_not_fire_exec_once__two_commands), T_CASE(must_fire_exec_tombstone__replayed_after_it_was_received),
        T_CASE(must_not_fire_exec_tombstone__another_sandbox),
        T_CASE(must_fire_exec_stop_before_start__asked_before_the_start),
        T_CASE(must_not_fire_exec_stop_before_start__not_asked),
        T_CASE(must_fire_exec_ask_starts_nothing__no_directory),
        T_CASE(must_not_fire_exec_ask_starts_nothing__a_directory),
        T_CASE(must_fire_exec_lost_reply_recovered__connection_lost),
        T_CASE(must_not_fire_exec_lost_reply_recovered__not_sent),
        T_CASE(must_fire_exec_late_kill__a_child_left_behind), T_CASE(must_not_fire_exec_late_kill__the_command_itself),
        T_CASE(must_fire_exec_kill_confirmed__somebody_lives), T_CASE(must_not_fire_exec_kill_confirmed__all_dead))
