/* Exact exec when something is lost, late, replayed, killed or over: what ran, how often, and what is said of it. Rows
 * P9, P11.
 *
 * The steps at which a process dies are put into the script's text; nothing waits for a while and hopes. */
#include "shell_host.h"
#include "t.h"

#include <stdio.h>

#define COUNT "echo x >>@/count; "
#define BEGIN COUNT "echo b >@/fifo; " /* and the host knows that it has begun */
#define DIE   "kill -KILL $$\n"

static void steps(struct shell_host *host, const struct shell_step *are, size_t count) {
    host->steps = are;
    host->step_count = count;
}
#define STEPS(host, ...)                                                                                               \
    steps(host, (const struct shell_step[]){__VA_ARGS__},                                                              \
          sizeof((const struct shell_step[]){__VA_ARGS__}) / sizeof(struct shell_step))

static void is_done(struct shell_host *host, enum sbx_status st, int exit_code, const char *out) {
    T_EQ(host->err.outcome, SBX_OUTCOME_DONE);
    T_EQ(host->err.status, st);
    T_EQ(sbx_exec_result_exit_code(host->result), exit_code);
    T_EQ(sbx_exec_result_exit_known(host->result), exit_code >= 0);
    T_STR(sbx_exec_result_stdout(host->result, NULL), out);
    T_EQ(shell_host_count(host), 1);
}

/* ---- replies lost, requests replayed ---- */

static void lost_on(struct shell_host *host) {
    STEPS(host, {SHELL_LOSE, SBX_CONNECTION_LOST, 0, 0});
    T_STATUS(shell_host_exec(host, COUNT "echo out; exit 3"), SBX_OK);
    is_done(host, SBX_OK, 3, "out\n");
    T_EQ(host->requests, 2);
    T_EQ(host->err.http_status, 0);
}
static void a_lost_reply_is_asked_for(void) {
    shell_host_each(lost_on);
}

static void running_on(struct shell_host *host) {
    STEPS(host, {SHELL_ABANDON, SBX_CONNECTION_LOST, 0, 0});
    T_STATUS(shell_host_exec(host, BEGIN "sleep 0.2; echo late; exit 4"), SBX_OK);
    is_done(host, SBX_OK, 4, "late\n");
}
static void a_command_that_still_runs_is_waited_for(void) {
    shell_host_each(running_on);
}

static void no_line_on(struct shell_host *host) {
    STEPS(host, {SHELL_REPEAT, 0, 0, 0}); /* an answer without a word of ours */
    host->after = "502 Bad Gateway";
    T_STATUS(shell_host_exec(host, COUNT "echo out"), SBX_PROTOCOL);
    T_EQ(host->err.outcome, SBX_OUTCOME_UNKNOWN);
    T_EQ(host->requests, 2); /* there is no trace of it, and that is an answer */
    T_EQ(shell_host_count(host), 0);
    T_TRUE(!shell_host_has(host, ""));
}
static void without_an_answer_line_it_is_unknown(void) {
    shell_host_each(no_line_on);
}

static void asks_on(struct shell_host *host) {
    STEPS(host, {SHELL_LOSE, SBX_CONNECTION_LOST, 0, 0}, {SHELL_DROP, SBX_CONNECT_FAILED, SBX_OUTCOME_NOT_SENT, 0},
          {SHELL_LOSE, SBX_PROVIDER, 0, 0});
    T_STATUS(shell_host_exec(host, COUNT "echo out"), SBX_OK);
    is_done(host, SBX_OK, 0, "out\n");
    T_EQ(host->requests, 4);
}
static void a_lost_question_is_put_again(void) {
    shell_host_each(asks_on);
}

static void asks_end_on(struct shell_host *host) {
    const struct shell_step lost = {SHELL_DROP, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, 0};
    STEPS(host, {SHELL_LOSE, SBX_CONNECTION_LOST, 0, 0}, lost, lost, lost, lost);
    T_STATUS(shell_host_exec(host, COUNT "echo out"), SBX_CONNECTION_LOST); /* the first failure, not the last */
    T_EQ(host->err.outcome, SBX_OUTCOME_UNKNOWN);
    T_EQ(host->requests, 4);
    STEPS(host, {SHELL_LOSE, SBX_CONNECTION_LOST, 0, 0}, {SHELL_DROP, SBX_UNAUTHORISED, SBX_OUTCOME_REFUSED, 0});
    T_STATUS(shell_host_exec(host, "true"), SBX_CONNECTION_LOST);
    T_EQ(host->err.outcome, SBX_OUTCOME_UNKNOWN);
    T_EQ(host->requests, 2);
}
static void questions_end(void) {
    shell_host_each(asks_end_on);
}

static void not_sent_on(struct shell_host *host) {
    STEPS(host, {SHELL_DROP, SBX_CANCELLED, SBX_OUTCOME_NOT_SENT, 0});
    T_STATUS(shell_host_exec(host, COUNT), SBX_CANCELLED);
    T_EQ(host->err.outcome, SBX_OUTCOME_NOT_SENT);
    T_EQ(host->requests, 1);
}
static void what_was_not_sent_is_not_asked_for(void) {
    shell_host_each(not_sent_on);
}

static void refusal_on(struct shell_host *host) {
    host->opt.cwd = "/no/such/place";
    STEPS(host, {SHELL_LOSE, SBX_CONNECTION_LOST, 0, 0});
    T_STATUS(shell_host_exec(host, COUNT), SBX_INVALID_ARGUMENT);
    T_EQ(host->err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(host->requests, 2);
}
static void a_lost_refusal_is_asked_for(void) {
    shell_host_each(refusal_on);
}

/* A copy that comes while its working directory is gone, or a tool, must not say that nothing ran. */
static void vanished_on(struct shell_host *host) {
    char cwd[128];
    snprintf(cwd, sizeof(cwd), "%s/work", host->dir);
    T_STATUS(shell_host_exec(host, "mkdir @/work"), SBX_OK);
    host->opt.cwd = cwd;
    STEPS(host, {SHELL_REPEAT, 0, 0, 2});
    T_STATUS(shell_host_exec(host, COUNT "rmdir @/work; echo out; exit 8"), SBX_OK);
    is_done(host, SBX_OK, 8, "out\n");
}
static void a_copy_whose_cwd_is_gone_tells_the_truth(void) {
    shell_host_each(vanished_on);
}

/* ---- time over ---- */

static void over(struct shell_host *host, enum shell_step_kind kind, enum sbx_status st) {
    STEPS(host, {kind, st, 0, 0});
    T_STATUS(shell_host_exec(host, "echo part; sleep 600 & echo $! >@/child; " BEGIN "sleep 600; echo never"), st);
    is_done(host, st, kind == SHELL_KILL ? -1 : 137, "part\n");
    T_TRUE(sbx_exec_result_killed_confirmed(host->result));
    T_EQ(host->requests, 2);
    host->step_count = 0;
    T_STATUS(shell_host_exec(host, "read pid <@/child; read p c state rest </proc/$pid/stat; echo ${state:-gone}"),
             SBX_OK);
    const char *state = sbx_exec_result_stdout(host->result, NULL); /* its children too; perhaps nobody reaps them */
    T_TRUE(strcmp(state, "gone\n") == 0 || strcmp(state, "Z\n") == 0);
}
static void deadline_on(struct shell_host *host) {
    over(host, SHELL_ABANDON, SBX_DEADLINE);
}
static void at_the_deadline_it_is_killed(void) {
    shell_host_each(deadline_on);
}
static void cancel_on(struct shell_host *host) {
    over(host, SHELL_ABANDON, SBX_CANCELLED);
}
static void at_a_cancel_it_is_killed(void) {
    shell_host_each(cancel_on);
}
static void timeout_on(struct shell_host *host) {
    over(host, SHELL_KILL, SBX_COMMAND_TIMEOUT);
}
static void after_the_providers_timeout_it_is_killed(void) {
    shell_host_each(timeout_on);
}

static void too_late_on(struct shell_host *host) {
    STEPS(host, {SHELL_LOSE, SBX_DEADLINE, 0, 0});
    T_STATUS(shell_host_exec(host, COUNT "echo out; exit 5"), SBX_OK);
    is_done(host, SBX_OK, 5, "out\n");
    T_TRUE(!sbx_exec_result_killed_confirmed(host->result));
}
static void a_result_that_was_there_in_time_is_the_result(void) {
    shell_host_each(too_late_on);
}

static void patience_on(struct shell_host *host) {
    host->opt.lifetime_ms = 100;
    STEPS(host, {SHELL_ABANDON, SBX_CONNECTION_LOST, 0, 0});
    T_STATUS(shell_host_exec(host, BEGIN "sleep 600"), SBX_COMMAND_TIMEOUT);
    is_done(host, SBX_COMMAND_TIMEOUT, 137, "");
    T_TRUE(sbx_exec_result_killed_confirmed(host->result));
}
static void a_question_ends_it_after_its_lifetime(void) {
    shell_host_each(patience_on);
}

static void second_cancel_on(struct shell_host *host) {
    STEPS(host, {SHELL_ABANDON, SBX_CONNECTION_LOST, 0, 0}, {SHELL_DROP, SBX_CANCELLED, SBX_OUTCOME_UNKNOWN, 0});
    T_STATUS(shell_host_exec(host, BEGIN "sleep 600"), SBX_CANCELLED); /* while it is being asked about */
    is_done(host, SBX_CANCELLED, 137, "");
    T_EQ(host->requests, 3);
}
static void a_cancel_while_asking_kills(void) {
    shell_host_each(second_cancel_on);
}

static void no_cleanup_on(struct shell_host *host) {
    host->call.cleanup_ms = 0; /* what the port makes of SBX_NO_CLEANUP */
    STEPS(host, {SHELL_LOSE, SBX_DEADLINE, 0, 0});
    T_STATUS(shell_host_exec(host, COUNT), SBX_DEADLINE);
    T_EQ(host->err.outcome, SBX_OUTCOME_UNKNOWN);
    T_EQ(host->requests, 1);
}
static void without_time_for_cleanup_nothing_is_asked(void) {
    shell_host_each(no_cleanup_on);
}

/* ---- deaths at chosen steps ---- */

static void dies_at(struct shell_host *host, const char *find, const char *with, const char *command, int count) {
    host->edit_find = find;
    host->edit_with = with;
    STEPS(host, {SHELL_LOSE, SBX_CONNECTION_LOST, 0, 0});
    shell_host_exec(host, command);
    T_EQ(shell_host_count(host), count);
    shell_host_replay(host, NULL);
    host->edit_find = NULL;
}

static void after_mkdir_on(struct shell_host *host) {
    host->ask_find = "exec 2>/dev/null\n"; /* naps that take no time */
    host->ask_with = "exec 2>/dev/null\nsleep() { true; }\n";
    dies_at(host, "    if ready", DIE "    if ready", COUNT, 0);
    T_STATUS(host->err.status, SBX_CONNECTION_LOST);
    T_EQ(host->err.outcome, SBX_OUTCOME_UNKNOWN); /* an empty directory proves nothing */
    T_TRUE(shell_host_has(host, ""));
}
static void dead_after_mkdir_is_unknown(void) {
    shell_host_each(after_mkdir_on);
}

static void before_launch_on(struct shell_host *host) {
    dies_at(host, "        launch", DIE "        launch", COUNT, 0);
    T_STATUS(host->err.status, SBX_PROCESS_LOST);
    T_EQ(host->err.outcome, SBX_OUTCOME_REFUSED); /* and never will run */
    T_TRUE(shell_host_has(host, "stop"));
}
static void dead_before_the_start_is_never(void) {
    shell_host_each(before_launch_on);
}

static void before_note_on(struct shell_host *host) {
    dies_at(host, "        code=$?\n", DIE, COUNT "echo out; exit 3", 1);
    is_done(host, SBX_PROCESS_LOST, -1, "out\n"); /* what it wrote is there, its code is not */
}
static void dead_before_the_note_is_lost(void) {
    shell_host_each(before_note_on);
}

static void half_note_on(struct shell_host *host) {
    dies_at(host, "1<>$d/exit.tmp && mv", "1<>$d/exit.tmp && " DIE "mv", COUNT "echo out; exit 3", 1);
    is_done(host, SBX_PROCESS_LOST, -1, "out\n");
}
static void dead_between_note_and_rename_is_lost(void) {
    shell_host_each(half_note_on);
}

static void before_tell_on(struct shell_host *host) {
    dies_at(host, "fi\ntell\n", "fi\n" DIE, COUNT "echo out; exit 3", 1);
    is_done(host, SBX_OK, 3, "out\n");
}
static void dead_before_the_answer_is_the_result(void) {
    shell_host_each(before_tell_on);
}

static void parent_on(struct shell_host *host) {
    T_STATUS(shell_host_exec(host, COUNT "echo out; kill -KILL $PPID; exit 3"), SBX_PROCESS_LOST);
    is_done(host, SBX_PROCESS_LOST, -1, "out\n");
    shell_host_replay(host, NULL);
    T_EQ(shell_host_count(host), 1);
}
static void a_command_that_kills_its_keeper_is_lost(void) {
    shell_host_each(parent_on);
}

static void keeper_dead_on(struct shell_host *host) {
    STEPS(host, {SHELL_KILL, SBX_CONNECTION_LOST, 0, 0}); /* a provider that ends the request with its connection */
    T_STATUS(shell_host_exec(host, BEGIN "sleep 0.2; echo late"), SBX_PROCESS_LOST);
    is_done(host, SBX_PROCESS_LOST, -1, "late\n"); /* it was let run, and its output is whole */
}
static void a_command_without_keeper_is_let_run(void) {
    shell_host_each(keeper_dead_on);
}

/* ---- without tools that help ---- */

static void no_setsid_on(struct shell_host *host) {
    int own_group = strstr(host->sh, "bash") != NULL; /* dash has no `set -m` without a terminal */
    shell_host_tools(host, "mkdir head wc mv base64 sleep");
    STEPS(host, {SHELL_ABANDON, SBX_DEADLINE, 0, 0});
    T_STATUS(shell_host_exec(host, "PATH=/bin:/usr/bin; " BEGIN "exec sleep 600"), SBX_DEADLINE);
    is_done(host, SBX_DEADLINE, 137, "");
    T_EQ(sbx_exec_result_killed_confirmed(host->result), own_group);
}
static void without_setsid_a_proof_needs_a_group(void) {
    shell_host_each(no_setsid_on);
}

static void no_base64_on(struct shell_host *host) {
    shell_host_tools(host, "mkdir head wc mv od setsid sleep");
    STEPS(host, {SHELL_LOSE, SBX_CONNECTION_LOST, 0, 0});
    T_STATUS(shell_host_exec(host, COUNT "echo out"), SBX_OK);
    is_done(host, SBX_OK, 0, "out\n");
}
static void a_question_is_answered_in_hex_too(void) {
    shell_host_each(no_base64_on);
}

T_CASES(T_CASE(a_lost_reply_is_asked_for), T_CASE(a_command_that_still_runs_is_waited_for),
        T_CASE(without_an_answer_line_it_is_unknown), T_CASE(a_lost_question_is_put_again), T_CASE(questions_end),
        T_CASE(what_was_not_sent_is_not_asked_for), T_CASE(a_lost_refusal_is_asked_for),
        T_CASE(a_copy_whose_cwd_is_gone_tells_the_truth), T_CASE(at_the_deadline_it_is_killed),
        T_CASE(at_a_cancel_it_is_killed), T_CASE(after_the_providers_timeout_it_is_killed),
        T_CASE(a_result_that_was_there_in_time_is_the_result), T_CASE(a_question_ends_it_after_its_lifetime),
        T_CASE(a_cancel_while_asking_kills), T_CASE(without_time_for_cleanup_nothing_is_asked),
        T_CASE(dead_after_mkdir_is_unknown), T_CASE(dead_before_the_start_is_never),
        T_CASE(dead_before_the_note_is_lost), T_CASE(dead_between_note_and_rename_is_lost),
        T_CASE(dead_before_the_answer_is_the_result), T_CASE(a_command_that_kills_its_keeper_is_lost),
        T_CASE(a_command_without_keeper_is_let_run), T_CASE(without_setsid_a_proof_needs_a_group),
        T_CASE(a_question_is_answered_in_hex_too))
