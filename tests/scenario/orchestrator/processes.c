/* A manifest's plan carried out in a sandbox, the same through every runtime. Row R19. */
#include "stage.h"

#include <sandport/manifest.h>

static struct sbx_process process(const char *id, const char *command) {
    struct sbx_process p = SBX_PROCESS_INIT;
    p.id = id;
    p.command = command;
    return p;
}

static void says(struct sbx_sandbox *sb, const char *command, const char *want) {
    struct sbx_exec_result *result = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    T_STATUS(sbx_sandbox_exec(sb, command, NULL, NULL, &result, &err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), want);
    sbx_exec_result_free(result);
}

/* A store, a migration that needs it and ends, and a service that needs both; the service crashes once. */
static void a_start_up_a_crash_and_a_teardown(void) {
    static const char *const of_migrate[] = {"store"}, *const of_web[] = {"migrate", "store"};
    struct stage *stage = stage_open();
    struct sbx_sandbox *sb = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_plan *plan = NULL;
    struct sbx_manifest manifest = SBX_MANIFEST_INIT;
    size_t restarted = 0;
    struct sbx_process all[] = {
        process("web", "echo web >>log; if [ ! -f crashed ]; then echo >crashed; exit 1; fi; echo >web.up; sleep 1000"),
        process("migrate", "test -f store.up && echo migrate >>log"),
        process("store", "echo store >>log; echo >store.up; sleep 1000"),
    };
    all[0].needs = of_web;
    all[0].need_count = 2;
    all[0].ready = SBX_READY_PROBE;
    all[0].probe = "test -f web.up";
    all[0].restart = SBX_RESTART_ON_FAILURE;
    all[0].flush = "echo flush web >>log";
    all[1].needs = of_migrate;
    all[1].need_count = 1;
    all[1].ready = SBX_READY_EXITED;
    all[1].auxiliary = SBX_YES;
    all[2].ready = SBX_READY_PROBE;
    all[2].probe = "test -f store.up";
    all[2].flush = "echo flush store >>log";
    manifest.processes = all;
    manifest.count = 3;
    T_STATUS(sbx_plan_create(&manifest, &plan, &err), SBX_OK);
    T_STATUS(sbx_runtime_launch(stage->rt, NULL, NULL, &sb, &err), SBX_OK);
    T_STATUS(sbx_plan_start(plan, sb, NULL, &err), SBX_OK);
    says(sb, "cat log", "store\nmigrate\nweb\nweb\n");
    T_STATUS(sbx_plan_keep(plan, sb, NULL, &restarted, &err), SBX_OK);
    T_EQ(restarted, 0);
    T_STATUS(sbx_plan_stop(plan, sb, SBX_DEFAULT, NULL, &err), SBX_OK);
    says(sb, "cat log", "store\nmigrate\nweb\nweb\nflush web\nflush store\n");
    T_STATUS(sbx_plan_keep(plan, sb, NULL, &restarted, &err), SBX_OK);
    T_EQ(restarted, 0); /* what was stopped stays so */
    T_STATUS(sbx_sandbox_destroy(sb, NULL, &err), SBX_OK);
    sbx_sandbox_free(sb);
    sbx_plan_free(plan);
    T_EQ(stage->left(stage), 0);
    stage->close(stage);
}

static void what_never_gets_ready_is_named(void) {
    struct stage *stage = stage_open();
    struct sbx_sandbox *sb = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_plan *plan = NULL;
    struct sbx_manifest manifest = SBX_MANIFEST_INIT;
    struct sbx_process one = process("slow", "sleep 1000");
    one.ready = SBX_READY_PROBE;
    one.probe = "false";
    one.ready_ms = 3000;
    manifest.processes = &one;
    manifest.count = 1;
    T_STATUS(sbx_plan_create(&manifest, &plan, &err), SBX_OK);
    T_STATUS(sbx_runtime_launch(stage->rt, NULL, NULL, &sb, &err), SBX_OK);
    T_STATUS(sbx_plan_start(plan, sb, NULL, &err), SBX_DEADLINE);
    T_STR(err.detail, "slow: it is not ready in time");
    T_STATUS(sbx_sandbox_destroy(sb, NULL, &err), SBX_OK);
    sbx_sandbox_free(sb);
    sbx_plan_free(plan);
    T_EQ(stage->left(stage), 0);
    stage->close(stage);
}

T_CASES(T_CASE(a_start_up_a_crash_and_a_teardown), T_CASE(what_never_gets_ready_is_named))
