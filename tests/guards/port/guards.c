/* The port's guards: each in pairs that differ in one fact. Rows P5, P10, D16. */
#include "toy_world.h"

#include <unistd.h>

static int toy_lives(const struct toy_world *w, const char *id) {
    char path[256];
    snprintf(path, sizeof(path), "%s/%s/state", w->root, id);
    return access(path, F_OK) == 0;
}

static void must_fire_undeclared_operation__detached(void) {
    struct toy_world *w = toy_world_new();
    T_STATUS(sbx_runtime_launch_detached(w->rt, NULL, NULL, &w->sb, &w->err), SBX_UNSUPPORTED);
    T_EQ(w->err.outcome, SBX_OUTCOME_NOT_SENT);
    T_STR(w->err.detail, "toy does not declare DETACHED_LAUNCH");
    T_EQ(w->opt.calls, 0);
    toy_world_finish(w);
}

static void must_not_fire_undeclared_operation__launch(void) {
    struct toy_world *w = toy_world_new();
    T_STATUS(sbx_runtime_launch(w->rt, NULL, NULL, &w->sb, &w->err), SBX_OK);
    T_EQ(w->opt.calls, 1);
    toy_world_finish(w);
}

static int nobody_hears(void *ctx, int32_t stream, const void *data, size_t len) {
    (void)ctx, (void)stream, (void)data, (void)len;
    return 0;
}

static struct sbx_exec_options heard_by_nobody(void) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    opt.output = nobody_hears;
    return opt;
}

static void must_fire_exec_output_undeclared__a_listener(void) {
    struct toy_world *w = toy_world_new();
    const struct sbx_exec_options opt = heard_by_nobody();
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_runtime_launch(w->rt, NULL, NULL, &w->sb, &w->err), SBX_OK);
    T_STATUS(sbx_sandbox_exec(w->sb, "true", &opt, NULL, &result, &w->err), SBX_UNSUPPORTED);
    T_EQ(w->err.outcome, SBX_OUTCOME_NOT_SENT);
    T_CONTAINS(w->err.detail, "STREAMING_OUTPUT");
    T_EQ(w->opt.calls, 1);
    toy_world_finish(w);
}

static void must_not_fire_exec_output_undeclared__none(void) {
    struct toy_world *w = toy_world_new();
    const struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_runtime_launch(w->rt, NULL, NULL, &w->sb, &w->err), SBX_OK);
    T_STATUS(sbx_sandbox_exec(w->sb, "true", &opt, NULL, &result, &w->err), SBX_OK);
    T_EQ(w->opt.calls, 2);
    sbx_exec_result_free(result);
    toy_world_finish(w);
}

static void must_fire_launch_undeclared_option__volumes(void) {
    struct toy_world *w = toy_world_new();
    const struct sbx_volume volume = {.size = sizeof(volume), .volume = "v", .mount_path = "/data"};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.volumes = &volume;
    opt.volume_count = 1;
    T_STATUS(sbx_runtime_launch(w->rt, &opt, NULL, &w->sb, &w->err), SBX_UNSUPPORTED);
    T_STR(w->err.detail, "volumes: toy does not declare LAUNCH_VOLUMES");
    T_EQ(w->opt.calls, 0);
    toy_world_finish(w);
}

static void must_not_fire_launch_undeclared_option__labels(void) {
    struct toy_world *w = toy_world_new();
    const struct sbx_pair label = {"a", "1"};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.labels = &label;
    opt.label_count = 1;
    T_STATUS(sbx_runtime_launch(w->rt, &opt, NULL, &w->sb, &w->err), SBX_OK);
    T_EQ(w->opt.calls, 1);
    toy_world_finish(w);
}

static void must_fire_promise_broken__more_than_there_is(void) {
    struct toy_world *w = toy_world_new();
    struct sbx_runtime *rt = NULL;
    struct toy_options opt = {.root = w->root, .caps_more = SBX_CAP_DETACHED_LAUNCH};
    T_STATUS(toy_create(&opt, w->env, &rt, &w->err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w->err.detail, "ops.launch_detached");
    T_TRUE(rt == NULL);
    toy_world_finish(w);
}

static void must_not_fire_promise_broken__as_it_is(void) {
    struct toy_world *w = toy_world_new();
    T_TRUE((sbx_runtime_capabilities(w->rt) & SBX_CAP_EXEC) != 0);
    T_TRUE((sbx_runtime_capabilities(w->rt) & SBX_CAP_DETACHED_LAUNCH) == 0);
    toy_world_finish(w);
}

static void must_fire_attached_never_deletes__destroy(void) {
    struct toy_world *w = toy_world_launched();
    struct sbx_sandbox *attached = NULL;
    char id[SBX_ID_SIZE];
    sbx_sandbox_id(w->sb, id);
    T_STATUS(sbx_runtime_attach(w->rt, id, NULL, &attached, &w->err), SBX_OK);
    T_EQ(sbx_sandbox_owned(attached), 0);
    w->opt.calls = 0;
    T_STATUS(sbx_sandbox_destroy(attached, NULL, &w->err), SBX_OK);
    T_EQ(w->opt.calls, 0);
    T_TRUE(toy_lives(w, id));
    T_STATUS(sbx_sandbox_stop(attached, NULL, NULL, &w->err), SBX_GONE);
    sbx_sandbox_free(attached);
    toy_world_finish(w);
}

static void must_not_fire_attached_never_deletes__adopted(void) {
    struct toy_world *w = toy_world_launched();
    struct sbx_sandbox *attached = NULL;
    char id[SBX_ID_SIZE];
    sbx_sandbox_id(w->sb, id);
    T_STATUS(sbx_runtime_attach(w->rt, id, NULL, &attached, &w->err), SBX_OK);
    sbx_sandbox_adopt(attached);
    T_STATUS(sbx_sandbox_destroy(attached, NULL, &w->err), SBX_OK);
    T_TRUE(!toy_lives(w, id));
    sbx_sandbox_free(attached);
    toy_world_finish(w);
}

static void must_fire_failed_destroy_keeps_handle__second_try(void) {
    struct toy_world *w = toy_world_launched();
    char id[SBX_ID_SIZE];
    sbx_sandbox_id(w->sb, id);
    w->opt.fail_destroy = 1;
    T_STATUS(sbx_sandbox_destroy(w->sb, NULL, &w->err), SBX_PROVIDER);
    T_STR(w->err.sandbox_id, id);
    T_TRUE(toy_lives(w, id));
    T_STATUS(sbx_sandbox_destroy(w->sb, NULL, &w->err), SBX_OK);
    T_TRUE(!toy_lives(w, id));
    T_EQ(w->opt.calls, 2);
    toy_world_finish(w);
}

static void must_not_fire_failed_destroy_keeps_handle__healthy(void) {
    struct toy_world *w = toy_world_launched();
    T_STATUS(sbx_sandbox_destroy(w->sb, NULL, &w->err), SBX_OK);
    T_EQ(sbx_sandbox_state(w->sb), SBX_STATE_DESTROYED);
    T_STATUS(sbx_sandbox_destroy(w->sb, NULL, &w->err), SBX_OK);
    T_EQ(w->opt.calls, 1);
    toy_world_finish(w);
}

static void must_fire_attached_start_replaces__default(void) {
    struct toy_world *w = toy_world_launched();
    struct sbx_sandbox *attached = NULL;
    char id[SBX_ID_SIZE];
    sbx_sandbox_id(w->sb, id);
    T_STATUS(sbx_runtime_attach(w->rt, id, NULL, &attached, &w->err), SBX_OK);
    w->opt.dead_at_start = 1;
    T_STATUS(sbx_sandbox_start(attached, NULL, NULL, NULL, &w->err), SBX_NOT_READY);
    T_TRUE(toy_lives(w, id));
    sbx_sandbox_free(attached);
    toy_world_finish(w);
}

static void must_not_fire_attached_start_replaces__owned(void) {
    struct toy_world *w = toy_world_launched();
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    char old[SBX_ID_SIZE], now[SBX_ID_SIZE];
    sbx_sandbox_id(w->sb, old);
    w->opt.dead_at_start = 1;
    T_STATUS(sbx_sandbox_start(w->sb, NULL, NULL, &result, &w->err), SBX_OK);
    sbx_sandbox_id(w->sb, now);
    T_EQ(result.replaced, 1);
    T_STR(result.old_id, old);
    T_STR(now, "ffffffffffffffffffffffffffffffff");
    T_EQ(sbx_sandbox_owned(w->sb), 1);
    toy_world_finish(w);
}

T_CASES(T_CASE(must_fire_exec_output_undeclared__a_listener), T_CASE(must_not_fire_exec_output_undeclared__none),
        T_CASE(must_fire_undeclared_operation__detached), T_CASE(must_not_fire_undeclared_operation__launch),
        T_CASE(must_fire_launch_undeclared_option__volumes), T_CASE(must_not_fire_launch_undeclared_option__labels),
        T_CASE(must_fire_promise_broken__more_than_there_is), T_CASE(must_not_fire_promise_broken__as_it_is),
        T_CASE(must_fire_attached_never_deletes__destroy), T_CASE(must_not_fire_attached_never_deletes__adopted),
        T_CASE(must_fire_failed_destroy_keeps_handle__second_try),
        T_CASE(must_not_fire_failed_destroy_keeps_handle__healthy), T_CASE(must_fire_attached_start_replaces__default),
        T_CASE(must_not_fire_attached_start_replaces__owned))
