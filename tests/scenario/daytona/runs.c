/* Durable runs and streamed commands on Daytona, on virtual time. Rows D9, D10, P7, P11. */
#include "daytona_world.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- runs ---- */

static struct sbx_run_status waited(struct world *w, const char *id) {
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    struct sbx_call call = SBX_CALL_INIT;
    struct sbx_run *run = NULL;
    call.deadline_ms = SBX_NO_DEADLINE;
    T_STATUS(sbx_run_open(w->sb, id, &run, &w->err), SBX_OK);
    T_STATUS(sbx_run_wait(run, &call, &status, &w->err), SBX_OK);
    sbx_run_free(run);
    return status;
}

static void exec_prints(struct world *w, const char *command, const char *want) {
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_sandbox_exec(w->sb, command, NULL, NULL, &result, &w->err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), want);
    sbx_exec_result_free(result);
}

/* Another process, on another host: all it has is the sandbox's id. */
static struct sbx_sandbox *elsewhere(struct world *w, struct sbx_runtime **rt) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_sandbox *sb = NULL;
    char id[SBX_ID_SIZE];
    opt.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    opt.api_key = SBX_SIM_DAYTONA_KEY;
    sbx_sandbox_id(w->sb, id);
    T_STATUS(sbx_daytona_create(&opt, w->env, rt, &w->err), SBX_OK);
    T_STATUS(sbx_runtime_attach(*rt, id, NULL, &sb, &w->err), SBX_OK);
    return sb;
}

static void goes_on_while_nobody_waits(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_run_status status = world_submitted(&w, "job/1", "sleep 600; echo done; exit 3");
    T_EQ(status.state, SBX_RUN_RUNNING);
    T_EQ(status.submitted, 1);
    T_EQ(world_polled(&w, "job/1").state, SBX_RUN_RUNNING);
    sbx_sim_advance_ms(w.sim, 700 * 1000);
    status = world_polled(&w, "job/1");
    T_EQ(status.state, SBX_RUN_EXITED);
    T_EQ(status.exit_code, 3);
    T_EQ(status.stdout_bytes, 5);
    world_finish(&w);
}

static void another_process_goes_on_with_it(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_runtime *rt = NULL;
    struct sbx_log *log = NULL;
    world_submitted(&w, "shared", "echo begun; sleep 100; echo ended");
    struct sbx_sandbox *there = elsewhere(&w, &rt), *here = w.sb;
    w.sb = there;
    T_EQ(world_submitted(&w, "shared", "echo begun; sleep 100; echo ended").submitted, 0);
    T_EQ(waited(&w, "shared").exit_code, 0);
    T_STATUS(sbx_sandbox_read_logs(there, "shared", NULL, NULL, &log, &w.err), SBX_OK);
    T_STR(sbx_log_bytes(log, SBX_STDOUT, NULL), "begun\nended\n");
    sbx_log_free(log);
    sbx_sandbox_free(there);
    sbx_runtime_free(rt);
    w.sb = here;
    world_finish(&w);
}

/* What may befall a run, between its submit and its end. */
enum trouble { HEALTHY, RECORD_LOST, RESTARTED, REPLY_LOST, TROUBLES };
/* After which of its steps the caller dies. */
enum step { BEFORE_SUBMIT, IN_SUBMIT, AFTER_SUBMIT, AFTER_POLL, AFTER_END, STEPS };

static const char job[] = "echo x >>count; sleep 20; exit 7";

/* One caller's life up to its death; what it knew dies with it. */
static void live_until(struct world *w, enum step step) {
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    struct sbx_call brief = SBX_CALL_INIT;
    if (step == BEFORE_SUBMIT) return;
    if (step == IN_SUBMIT) { /* it has sent the request, and is gone before any answer */
        world_fault(w, "{'op':'daytona.toolbox.execute','phase':'after_commit','times':1,'effect':{'kind':'hang'}}");
        sbx_call_init_after(&brief, sizeof(brief), w->env, 1000);
        T_STATUS(sbx_sandbox_submit(w->sb, "crash", job, NULL, &brief, NULL, &w->err), SBX_DEADLINE);
        return;
    }
    T_STATUS(sbx_sandbox_submit(w->sb, "crash", job, NULL, NULL, NULL, &w->err), SBX_OK);
    if (step == AFTER_POLL) T_STATUS(sbx_sandbox_poll(w->sb, "crash", NULL, &status, &w->err), SBX_OK);
    if (step == AFTER_END) sbx_sim_advance_ms(w->sim, 30000);
}

static void befall(struct world *w, enum trouble trouble) {
    if (trouble == RECORD_LOST) {
        world_fault(w, "{'op':'daytona.toolbox.execute','phase':'before','times':1,'effect':{'kind':'lost_process'}}");
        exec_prints(w, "true", "");
    }
    if (trouble == RESTARTED) {
        T_STATUS(sbx_sandbox_stop(w->sb, NULL, NULL, &w->err), SBX_OK);
        T_STATUS(sbx_sandbox_start(w->sb, NULL, NULL, NULL, &w->err), SBX_OK);
    }
    if (trouble == REPLY_LOST)
        world_fault(w, "{'op':'daytona.toolbox.execute','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
}

/* Never two executions, never a wrong exit code, whenever the caller dies and whatever happens then. */
static void crash_matrix(void) {
    for (int trouble = HEALTHY; trouble < TROUBLES; trouble++)
        for (int step = BEFORE_SUBMIT; step < STEPS; step++) {
            struct world w = world_with_running_sandbox(SEED);
            struct sbx_runtime *rt = NULL;
            exec_prints(&w, ": >count", "");
            char *home = NULL;
            T_STATUS(sbx_sandbox_home_dir(w.sb, NULL, &home, &w.err), SBX_OK); /* as a caller of some age has */
            sbx_text_free(home);
            live_until(&w, (enum step)step);
            befall(&w, (enum trouble)trouble);
            struct sbx_sandbox *dead = w.sb;
            w.sb = elsewhere(&w, &rt);
            world_submitted(&w, "crash", job); /* who does not know submits again */
            struct sbx_run_status status = waited(&w, "crash");
            exec_prints(&w, "cat count", "x\n");
            int may_be_lost = (trouble == RECORD_LOST || trouble == RESTARTED) && step != BEFORE_SUBMIT;
            if (may_be_lost && step != AFTER_END) {
                T_EQ(status.state, SBX_RUN_LOST);
                T_EQ(status.exit_code, 255);
            } else {
                T_EQ(status.state, SBX_RUN_EXITED);
                T_EQ(status.exit_code, 7);
            }
            sbx_sandbox_free(w.sb);
            sbx_runtime_free(rt);
            w.sb = dead;
            world_finish(&w);
        }
}

static void f071_a_lost_question_is_put_again(void) {
    static const char *const effects[] = {"'phase':'before','effect':{'kind':'html','status':502}",
                                          "'phase':'before','effect':{'kind':'reset'}",
                                          "'phase':'mid_reply','effect':{'kind':'cut','at_bytes':20}",
                                          "'phase':'after_commit','effect':{'kind':'html','status':502}"};
    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        char fault[256];
        world_submitted(&w, "r", "exit 4");
        snprintf(fault, sizeof(fault), "{'op':'daytona.toolbox.execute','times':2,%s}", effects[i]);
        world_fault(&w, fault);
        T_EQ(world_polled(&w, "r").exit_code, 4);
        world_finish(&w);
    }
}

static void a_run_is_killed_with_its_children(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    world_submitted(&w, "r", "sleep 5000 & echo $! >child; sleep 5000");
    T_STATUS(sbx_sandbox_kill_run(w.sb, "r", NULL, &status, &w.err), SBX_OK);
    T_EQ(status.exit_code, 143);
    T_EQ(status.killed_confirmed, 1);
    exec_prints(&w, "kill -0 $(cat child) 2>/dev/null || echo dead", "dead\n");
    world_finish(&w);
}

static void a_lifetime_ends_a_run(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_run_options opt = SBX_RUN_OPTIONS_INIT;
    opt.lifetime_ms = 60000;
    T_STATUS(sbx_sandbox_submit(w.sb, "r", "sleep 5000", &opt, NULL, NULL, &w.err), SBX_OK);
    int64_t began = w.env->now_ms(w.env);
    struct sbx_run_status status = waited(&w, "r");
    T_EQ(status.exit_code, 137);
    T_EQ(status.timed_out, 1);
    T_TRUE(w.env->now_ms(w.env) - began < 62000);
    world_finish(&w);
}

static void a_reader_pulls_what_comes(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_run *run = NULL;
    struct sbx_buf got = SBX_BUF_INIT;
    char piece[7];
    size_t len = 1;
    world_submitted(&w, "r", "for i in 1 2 3; do echo line $i; sleep 2; done; printf end; echo late >&2");
    T_STATUS(sbx_run_open(w.sb, "r", &run, &w.err), SBX_OK);
    while (len) {
        T_STATUS(sbx_run_read(run, SBX_STDOUT, piece, sizeof(piece), NULL, &len, &w.err), SBX_OK);
        sbx_buf_append(&got, piece, len);
    }
    T_STR(sbx_buf_text(&got), "line 1\nline 2\nline 3\nend");
    T_STATUS(sbx_run_read(run, SBX_STDERR, piece, sizeof(piece), NULL, &len, &w.err), SBX_OK);
    T_MEM(piece, len, "late\n", 5);
    T_STATUS(sbx_run_read(run, 9, piece, sizeof(piece), NULL, &len, &w.err), SBX_INVALID_ARGUMENT);
    sbx_buf_finish(&got);
    sbx_run_free(run);
    world_finish(&w);
}

static void d10_a_tail_has_256_kib(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_log_options opt = SBX_LOG_OPTIONS_INIT;
    struct sbx_log *log = NULL;
    size_t len = 0;
    world_submitted(&w, "r", "head -c 400000 /dev/zero; printf the-end");
    waited(&w, "r");
    opt.stdout_from = SBX_LOG_TAIL;
    T_STATUS(sbx_sandbox_read_logs(w.sb, "r", &opt, NULL, &log, &w.err), SBX_OK);
    const char *bytes = sbx_log_bytes(log, SBX_STDOUT, &len);
    T_EQ(len, 256 * 1024);
    T_STR(bytes + len - 7, "the-end");
    T_EQ(sbx_log_from(log, SBX_STDOUT), 400007 - 256 * 1024);
    sbx_log_free(log);
    world_finish(&w);
}

static void f112_the_environment_is_in_no_record(void) {
    struct world w = world_with_running_sandbox(SEED);
    const struct sbx_pair env = {"CANARY_TOKEN", "canary-5b1f90aa"};
    struct sbx_run_options opt = SBX_RUN_OPTIONS_INIT;
    struct sbx_exec_options exec = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    size_t len = 0;
    opt.env = exec.env = &env;
    opt.env_count = exec.env_count = 1;
    T_STATUS(sbx_sandbox_submit(w.sb, "r", "echo ${#CANARY_TOKEN}", &opt, NULL, NULL, &w.err), SBX_OK);
    waited(&w, "r");
    T_STATUS(sbx_sandbox_exec(w.sb, "echo ${#CANARY_TOKEN}", &exec, NULL, &result, &w.err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), "15\n");
    sbx_exec_result_free(result);
    T_TRUE(strstr(sbx_sim_journal(w.sim, &len), "canary-5b1f90aa") == NULL);
    exec_prints(&w, "grep -rl canary-5b1f9 /tmp /home 2>/dev/null | grep -v ^/tmp/.sbx-.*/pid; true", "");
    world_finish(&w);
}

static void run_arguments_are_checked(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    struct sbx_run_options opt = SBX_RUN_OPTIONS_INIT;
    struct sbx_log_options log_opt = SBX_LOG_OPTIONS_INIT;
    struct sbx_log *log = NULL;
    char id[SBX_RUN_ID_BYTES_MAX + 2];
    memset(id, 'a', sizeof(id));
    id[sizeof(id) - 1] = 0;
    sbx_sim_timeline_reset(w.sim);
    T_STATUS(sbx_sandbox_submit(w.sb, NULL, "true", NULL, NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "run_id");
    T_STATUS(sbx_sandbox_submit(w.sb, "", "true", NULL, NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_submit(w.sb, id, "true", NULL, NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_submit(w.sb, "r", " ", NULL, NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "command");
    opt.lifetime_ms = -1;
    T_STATUS(sbx_sandbox_submit(w.sb, "r", "true", &opt, NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "lifetime_ms");
    status.size = 4;
    T_STATUS(sbx_sandbox_poll(w.sb, "r", NULL, &status, &w.err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_poll(w.sb, "r", NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    log_opt.bytes_max = SBX_LOG_BYTES_MAX + 1;
    T_STATUS(sbx_sandbox_read_logs(w.sb, "r", &log_opt, NULL, &log, &w.err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "bytes_max");
    log_opt.bytes_max = 0;
    log_opt.stderr_from = -2;
    T_STATUS(sbx_sandbox_read_logs(w.sb, "r", &log_opt, NULL, &log, &w.err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_read_logs(w.sb, "r", NULL, NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    T_TIMELINE(w.sim, "");
    world_finish(&w);
}

/* ---- streamed ---- */

struct heard {
    struct world *w;
    struct sbx_buf out, err;
    size_t most;      /* bytes in one piece */
    int64_t first_ms; /* when the first piece came */
    size_t stop_at;   /* bytes of stdout after which to stop; 0 = never */
};

static int hear(void *ctx, int32_t stream, const void *data, size_t len) {
    struct heard *heard = ctx;
    if (!heard->first_ms) heard->first_ms = heard->w->env->now_ms(heard->w->env);
    sbx_buf_append(stream == SBX_STDOUT ? &heard->out : &heard->err, data, len);
    if (len > heard->most) heard->most = len;
    return heard->stop_at && heard->out.len >= heard->stop_at;
}

static enum sbx_status streamed(struct world *w, struct heard *heard, const char *command, int64_t lifetime_ms,
                                const struct sbx_call *call, struct sbx_exec_result **result) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    opt.output = hear;
    opt.output_ctx = heard;
    opt.lifetime_ms = lifetime_ms;
    heard->w = w;
    *result = NULL;
    return sbx_sandbox_exec(w->sb, command, &opt, call, result, &w->err);
}

static void heard_finish(struct heard *heard, struct sbx_exec_result *result) {
    sbx_buf_finish(&heard->out);
    sbx_buf_finish(&heard->err);
    sbx_exec_result_free(result);
}

static void output_comes_while_it_runs(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct heard heard = {0};
    struct sbx_exec_result *result = NULL;
    int64_t began = w.env->now_ms(w.env);
    T_STATUS(
        streamed(&w, &heard, "printf 'caf\\303'; sleep 10; printf '\\251\\000x'; echo e >&2; exit 5", 0, NULL, &result),
        SBX_OK);
    T_MEM(heard.out.data, heard.out.len, "caf\xc3\xa9\0x", 7);
    T_STR(sbx_buf_text(&heard.err), "e\n");
    T_TRUE(heard.first_ms - began < 1000);
    T_EQ(sbx_exec_result_exit_code(result), 5);
    T_EQ(sbx_exec_result_bytes_exact(result), 1);
    T_EQ(sbx_exec_result_stdout_total(result), 7);
    heard_finish(&heard, result);
    exec_prints(&w, "ls /tmp/.sbx-*/out | wc -l | tr -d ' '",
                "1\n"); /* its files are gone, but for this command's own */
    world_finish(&w);
}

static void a_flood_comes_in_pieces(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct heard heard = {0};
    struct sbx_exec_result *result = NULL;
    size_t kept = 0;
    T_STATUS(streamed(&w, &heard, "head -c 5000000 /dev/zero", 0, NULL, &result), SBX_OK);
    T_EQ(heard.out.len, 5000000);
    T_EQ(heard.most, 1024 * 1024);
    sbx_exec_result_stdout(result, &kept);
    T_EQ(kept, 1024 * 1024);
    T_EQ(sbx_exec_result_stdout_total(result), 5000000);
    T_EQ(sbx_exec_result_truncated(result), 1);
    heard_finish(&heard, result);
    world_finish(&w);
}

static void a_listener_ends_it(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct heard heard = {.stop_at = 2};
    struct sbx_exec_result *result = NULL;
    T_STATUS(streamed(&w, &heard, "echo $$ >pid; while echo y; do sleep 1; done", 0, NULL, &result), SBX_CANCELLED);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(sbx_exec_result_killed_confirmed(result), 1);
    heard_finish(&heard, result);
    exec_prints(&w, "kill -0 $(cat pid) 2>/dev/null || echo dead", "dead\n");
    world_finish(&w);
}

static void a_deadline_ends_it_with_what_it_wrote(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct heard heard = {0};
    struct sbx_exec_result *result = NULL;
    struct sbx_call call = SBX_CALL_INIT;
    sbx_call_init_after(&call, sizeof(call), w.env, 20000);
    T_STATUS(streamed(&w, &heard, "echo begun; sleep 500", 0, &call, &result), SBX_DEADLINE);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_STR(sbx_exec_result_stdout(result, NULL), "begun\n");
    T_EQ(sbx_exec_result_killed_confirmed(result), 1);
    heard_finish(&heard, result);
    heard = (struct heard){0};
    T_STATUS(streamed(&w, &heard, "echo begun; sleep 500", 30000, NULL, &result), SBX_COMMAND_TIMEOUT);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_STR(sbx_buf_text(&heard.out), "begun\n");
    heard_finish(&heard, result);
    world_finish(&w);
}

static void lost_replies_lose_and_double_nothing(void) {
    static const char *const effects[] = {"'phase':'after_commit','effect':{'kind':'reset'}",
                                          "'phase':'mid_reply','effect':{'kind':'cut','at_bytes':30}",
                                          "'phase':'after_commit','effect':{'kind':'html','status':502}"};
    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
        for (int nth = 1; nth <= 3; nth++) {
            struct world w = world_with_running_sandbox(SEED);
            struct heard heard = {0};
            struct sbx_exec_result *result = NULL;
            char fault[256];
            snprintf(fault, sizeof(fault), "{'op':'daytona.toolbox.execute','nth':%d,'times':1,%s}", nth, effects[i]);
            world_fault(&w, fault);
            T_STATUS(streamed(&w, &heard, "echo x >>count; echo one; sleep 3; echo two", 0, NULL, &result), SBX_OK);
            T_STR(sbx_buf_text(&heard.out), "one\ntwo\n");
            heard_finish(&heard, result);
            exec_prints(&w, "cat count", "x\n");
            world_finish(&w);
        }
}

static void a_lost_process_is_told(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct heard heard = {0};
    struct sbx_exec_result *result = NULL;
    world_fault(&w,
                "{'op':'daytona.toolbox.execute','nth':4,'times':1,'phase':'before','effect':{'kind':'lost_process'}}");
    T_STATUS(streamed(&w, &heard, "echo some; sleep 100", 0, NULL, &result), SBX_PROCESS_LOST);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(sbx_exec_result_exit_known(result), 0);
    T_STR(sbx_exec_result_stdout(result, NULL), "some\n");
    heard_finish(&heard, result);
    world_finish(&w);
}

/* ---- the wire's own ---- */

static enum sbx_status wired(struct world *w, const char *command, struct sbx_exec_result **result) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    opt.mode = SBX_EXEC_WIRE;
    *result = NULL;
    return sbx_sandbox_exec(w->sb, command, &opt, NULL, result, &w->err);
}

static void f064_the_wire_gives_what_it_can_and_says_so(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_result *result = NULL;
    T_STATUS(wired(&w, "printf 'a\\000b\\377c'; echo e >&2; exit 9", &result), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(result), 9);
    T_EQ(sbx_exec_result_bytes_exact(result), 0);
    T_EQ(sbx_exec_result_streams_merged(result), 1);
    T_STR(sbx_exec_result_stdout(result, NULL), "a\xef\xbf\xbd"
                                                "b\xef\xbf\xbd"
                                                "ce\n");
    sbx_exec_result_free(result);
    world_finish(&w);
}

T_CASES(T_CASE(goes_on_while_nobody_waits), T_CASE(another_process_goes_on_with_it), T_CASE(crash_matrix),
        T_CASE(f071_a_lost_question_is_put_again), T_CASE(a_run_is_killed_with_its_children),
        T_CASE(a_lifetime_ends_a_run), T_CASE(a_reader_pulls_what_comes), T_CASE(d10_a_tail_has_256_kib),
        T_CASE(f112_the_environment_is_in_no_record), T_CASE(run_arguments_are_checked),
        T_CASE(output_comes_while_it_runs), T_CASE(a_flood_comes_in_pieces), T_CASE(a_listener_ends_it),
        T_CASE(a_deadline_ends_it_with_what_it_wrote), T_CASE(lost_replies_lose_and_double_nothing),
        T_CASE(a_lost_process_is_told), T_CASE(f064_the_wire_gives_what_it_can_and_says_so))
