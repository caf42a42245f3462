/* Durable runs on E2B, on virtual time. Rows E4-E7, D10, P11; F058, F076; digest 8, 23, 26-29, 32, 33. */
#include "e2b_world.h"

#include <stdio.h>

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

/* F076: what was printed while nobody was attached is there, from another process on another host. */
static void f076_another_process_reads_all_of_it(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_runtime *rt = NULL;
    struct sbx_log *log = NULL;
    world_submitted(&w, "shared", "echo begun; sleep 100; echo ended");
    sbx_sim_advance_ms(w.sim, 50000);
    struct sbx_sandbox *there = world_elsewhere(&w, &rt), *here = w.sb;
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

/* E7: a submit's deadline of a second, and a command of ten minutes. */
static void e7_a_submits_deadline_is_the_requests(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_call call = SBX_CALL_INIT;
    char *home = NULL;
    T_STATUS(sbx_sandbox_home_dir(w.sb, NULL, &home, &w.err), SBX_OK);
    sbx_text_free(home);
    sbx_call_init_after(&call, sizeof(call), w.env, 2000);
    T_STATUS(sbx_sandbox_submit(w.sb, "long", "sleep 600; exit 4", NULL, &call, NULL, &w.err), SBX_OK);
    sbx_sim_advance_ms(w.sim, 610000);
    T_EQ(world_polled(&w, "long").exit_code, 4);
    world_finish(&w);
}

/* E2: longer than the life that is left extends it, and says so; an implicit budget only up to its own lifetime. */
static void e2_a_run_that_needs_more_says_so(void) {
    struct sbx_run_options opt = SBX_RUN_OPTIONS_INIT;
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    struct world w = world_with_running_sandbox(SEED);
    opt.lifetime_ms = 60000;
    T_STATUS(sbx_sandbox_submit(w.sb, "short", "true", &opt, NULL, &status, &w.err), SBX_OK);
    T_EQ(status.extended, 0);
    opt.lifetime_ms = 7200000 / 2;
    T_STATUS(sbx_sandbox_submit(w.sb, "long", "sleep 3500; exit 6", &opt, NULL, &status, &w.err), SBX_OK);
    T_EQ(status.extended, 1);
    T_EQ(world_sent(&w, "/timeout"), 1);
    sbx_sim_advance_ms(w.sim, 3510000);
    T_EQ(world_polled(&w, "long").exit_code, 6); /* and it lived so long */
    world_finish(&w);
}

/* ---- E5, E6 ---- */

static const char job[] = "echo x >>count; sleep 200; exit 7";

/* Digest 8, 28: resubmitted while it runs, after its end, after its loss. */
static void e2b8_28_an_id_is_submitted_once(void) {
    struct world w = world_with_running_sandbox(SEED);
    T_EQ(world_submitted(&w, "id", job).submitted, 1);
    T_EQ(world_submitted(&w, "id", job).submitted, 0);
    T_STATUS(sbx_sandbox_submit(w.sb, "id", "echo other", NULL, NULL, NULL, &w.err), SBX_ALREADY_EXISTS);
    T_EQ(waited(&w, "id").exit_code, 7);
    T_EQ(world_submitted(&w, "id", job).exit_code, 7);
    world_prints(&w, "cat count", "x\n");
    world_finish(&w);
}

static void a_reply_that_is_lost_starts_nothing_twice(void) {
    struct world w = world_with_running_sandbox(SEED);
    char *home = NULL;
    T_STATUS(sbx_sandbox_home_dir(w.sb, NULL, &home, &w.err), SBX_OK);
    sbx_text_free(home);
    world_fault(&w, "{'op':'e2b.process.start','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
    T_EQ(world_submitted(&w, "id", job).state, SBX_RUN_RUNNING);
    T_EQ(waited(&w, "id").exit_code, 7);
    world_prints(&w, "cat count", "x\n");
    world_finish(&w);
}

/* F058; digest 8, 32: paused in mid-run. It goes on where it was, whatever the daemon's list says. */
static void f058_a_pause_keeps_a_run(void) {
    struct world w = world_with_running_sandbox(SEED);
    world_submitted(&w, "id", job);
    sbx_sim_advance_ms(w.sim, 10000);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    sbx_sim_advance_ms(w.sim, 600000);
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    world_fault(&w, "{'op':'e2b.process.list','phase':'before','effect':{'kind':'list_empty'}}");
    T_EQ(world_submitted(&w, "id", job).submitted, 0);
    T_EQ(waited(&w, "id").exit_code, 7);
    world_prints(&w, "cat count", "x\n");
    world_finish(&w);
}

/* Killed from outside, keeper and all: 255, and lost; its own 255 is told apart. */
static void e6_lost_is_255_and_says_so(void) {
    struct world w = world_with_running_sandbox(SEED);
    world_submitted(&w, "lost", job);
    world_prints(
        &w,
        "for p in /proc/[0-9]*; do read -r line <$p/stat || continue; set -- $line; [ $1 = $$ ] || [ $1 = 1 ] || "
        "kill -9 $1; done 2>/dev/null; echo",
        "\n");
    struct sbx_run_status status = world_polled(&w, "lost");
    T_EQ(status.state, SBX_RUN_LOST);
    T_EQ(status.exit_code, 255);
    T_EQ(world_submitted(&w, "lost", job).state, SBX_RUN_LOST);
    world_submitted(&w, "own", "exit 255");
    status = waited(&w, "own");
    T_EQ(status.state, SBX_RUN_EXITED);
    T_EQ(status.exit_code, 255);
    world_prints(&w, "cat count", "x\n");
    world_finish(&w);
}

static void a_run_is_ended_with_its_children(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    world_submitted(&w, "id", "(sleep 100; echo child >/tmp/child) & sleep 1000");
    T_STATUS(sbx_sandbox_kill_run(w.sb, "id", NULL, &status, &w.err), SBX_OK);
    T_EQ(status.state, SBX_RUN_EXITED);
    T_EQ(status.killed_confirmed, 1);
    sbx_sim_advance_ms(w.sim, 200000);
    world_prints(&w, "cat /tmp/child 2>/dev/null; echo", "\n");
    world_finish(&w);
}

/* The sandbox ends before the run: that is what is told (F019). */
static void a_run_in_a_sandbox_that_ended(void) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    opt.sandbox_lifetime_ms = 300000;
    opt.run_budget_ms = 3600000;
    struct world w = world_new_with(SEED, NULL, &opt);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    world_submitted(&w, "id", job); /* an implicit budget extends nothing */
    sbx_sim_advance_ms(w.sim, 310000);
    T_STATUS(sbx_sandbox_poll(w.sb, "id", NULL, &status, &w.err), SBX_NOT_FOUND);
    T_STR(w.err.detail, "the sandbox is gone");
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    world_finish(&w);
}

T_CASES(T_CASE(goes_on_while_nobody_waits), T_CASE(f076_another_process_reads_all_of_it),
        T_CASE(e7_a_submits_deadline_is_the_requests), T_CASE(e2_a_run_that_needs_more_says_so),
        T_CASE(e2b8_28_an_id_is_submitted_once), T_CASE(a_reply_that_is_lost_starts_nothing_twice),
        T_CASE(f058_a_pause_keeps_a_run), T_CASE(e6_lost_is_255_and_says_so), T_CASE(a_run_is_ended_with_its_children),
        T_CASE(a_run_in_a_sandbox_that_ended))
