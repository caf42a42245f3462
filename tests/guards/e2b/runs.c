/* Guards of durable runs on E2B: an id is submitted once, and only its own process makes it pending. Rows E5, E6. */
#include "e2b_world.h"

static const char job[] = "echo x >>count; sleep 1000";

static struct sbx_run_status submitted(struct world *w, const char *id) {
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    T_STATUS(sbx_sandbox_submit(w->sb, id, job, NULL, NULL, &status, &w->err), SBX_OK);
    return status;
}

static struct sbx_run_status polled(struct world *w) {
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    T_STATUS(sbx_sandbox_poll(w->sb, "id", NULL, &status, &w->err), SBX_OK);
    return status;
}

/* A home that is known, so that each submit is one request. */
static struct world world_at_home(void) {
    struct world w = world_with_running_sandbox(SEED);
    char *home = NULL;
    T_STATUS(sbx_sandbox_home_dir(w.sb, NULL, &home, &w.err), SBX_OK);
    sbx_text_free(home);
    sbx_sim_timeline_reset(w.sim);
    return w;
}

/* ---- run_once: the guard of E5; the request arrives twice, and the command runs once ---- */

static void must_fire_run_once__e2b_lost_reply(void) {
    struct world w = world_at_home();
    world_fault(&w, "{'op':'e2b.process.start','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
    T_EQ(submitted(&w, "id").state, SBX_RUN_RUNNING);
    T_EQ(world_sent(&w, "POST /process.Process/Start"), 2);
    T_EQ(submitted(&w, "id").submitted, 0);
    T_EQ(world_sent(&w, "POST /process.Process/Start"), 3);
    world_prints(&w, "cat count; ls -d ~/.sandport/v1/runs/* | wc -l", "x\n1\n");
    world_finish(&w);
}

static void must_not_fire_run_once__e2b_another_id(void) {
    struct world w = world_at_home();
    T_EQ(submitted(&w, "id").submitted, 1);
    T_EQ(submitted(&w, "other").submitted, 1);
    T_EQ(world_sent(&w, "POST /process.Process/Start"), 2);
    world_prints(&w, "sleep 1; cat count; ls -d ~/.sandport/v1/runs/* | wc -l", "x\nx\n2\n");
    world_finish(&w);
}

/* ---- run_pid_reused: the guard of E6; the keeper's number belongs to another process ---- */

#define OTHERS_END                                                                                                     \
    "for p in /proc/[0-9]*; do read -r line <$p/stat || continue; set -- $line; [ $1 = $$ ] || [ $1 = 1 ] || "         \
    "kill -9 $1; done 2>/dev/null; "

static void must_fire_run_pid_reused__another_process(void) {
    struct world w = world_at_home();
    submitted(&w, "id");
    world_prints(&w, OTHERS_END "cd ~/.sandport/v1/runs/*; read -r pid birth <keeper; echo 1 $birth >keeper; echo",
                 "\n");
    T_EQ(polled(&w).state, SBX_RUN_LOST);
    T_EQ(polled(&w).exit_code, 255);
    T_EQ(submitted(&w, "id").state, SBX_RUN_LOST); /* and it is not started again */
    world_prints(&w, "cat count", "x\n");
    world_finish(&w);
}

static void must_not_fire_run_pid_reused__its_own(void) {
    struct world w = world_at_home();
    submitted(&w, "id");
    world_prints(&w, "cd ~/.sandport/v1/runs/*; read -r pid birth <keeper; echo $pid $birth >keeper; echo", "\n");
    T_EQ(polled(&w).state, SBX_RUN_RUNNING);
    T_EQ(polled(&w).exit_code, -1);
    T_EQ(submitted(&w, "id").submitted, 0);
    world_finish(&w);
}

T_CASES(T_CASE(must_fire_run_once__e2b_lost_reply), T_CASE(must_not_fire_run_once__e2b_another_id),
        T_CASE(must_fire_run_pid_reused__another_process), T_CASE(must_not_fire_run_pid_reused__its_own))
