/* A sandbox's whole life on Daytona, healthy and with the restart that comes back dead. Rows D1, D4, D6, P1, P8. */
#include "daytona_world.h"

static void exec_says(struct world *w, const char *command, int32_t code, const char *out, const char *err) {
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_sandbox_exec(w->sb, command, NULL, NULL, &result, &w->err), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(result), code);
    T_STR(sbx_exec_result_stdout(result, NULL), out);
    T_STR(sbx_exec_result_stderr(result, NULL), err);
    sbx_exec_result_free(result);
}

static void healthy(void) {
    struct world w = world_new(SEED);
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "echo $1\nexit 3\n", 15);
    struct sbx_buf got = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&got);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_RUNNING);
    T_STATUS(sbx_sandbox_upload(w.sb, "project/run.sh", &from, NULL, NULL, NULL, &w.err), SBX_OK);
    exec_says(&w, "cd project && sh run.sh hello; code=$?; echo oops >&2; exit $code", 3, "hello\n", "oops\n");
    T_STATUS(sbx_sandbox_download(w.sb, "project/run.sh", &to, NULL, NULL, NULL, &w.err), SBX_OK);
    T_STR(sbx_buf_text(&got), "echo $1\nexit 3\n");
    sbx_buf_finish(&got);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    exec_says(&w, "cat project/run.sh", 0, "echo $1\nexit 3\n", "");
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    T_EQ(sbx_sim_unsupported(w.sim), 0);
    world_finish(&w);
}

#define LARGE_BYTES 20000000

static ptrdiff_t large_read(void *ctx, void *buf, size_t cap) {
    uint64_t *at = ctx;
    size_t n = LARGE_BYTES - *at < cap ? (size_t)(LARGE_BYTES - *at) : cap;
    for (size_t i = 0; i < n; i++) ((char *)buf)[i] = (char)(((*at + i) * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
    *at += n;
    return (ptrdiff_t)n;
}

static int drop(void *ctx, const void *data, size_t len) {
    (void)ctx, (void)data, (void)len;
    return 0;
}

/* More than the machine keeps of a file in memory, and than any buffer on the way. */
static void a_large_file_comes_back_as_it_went(void) {
    struct world w = world_new(SEED);
    uint64_t at = 0;
    const struct sbx_reader from = {&at, large_read};
    const struct sbx_sink to = {NULL, drop};
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    struct sbx_transfer_result up = SBX_TRANSFER_RESULT_INIT, down = SBX_TRANSFER_RESULT_INIT;
    opt.checksum = SBX_YES;
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_upload(w.sb, "large", &from, &opt, NULL, &up, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_download(w.sb, "large", &to, &opt, NULL, &down, &w.err), SBX_OK);
    T_EQ(up.bytes, LARGE_BYTES);
    T_EQ(down.bytes, LARGE_BYTES);
    T_STR(down.sha256, up.sha256);
    exec_says(&w, "wc -c < large", 0, "20000000\n", "");
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    world_finish(&w);
}

static void comes_back_dead(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    char old[SBX_ID_SIZE], now[SBX_ID_SIZE];
    sbx_sandbox_id(w.sb, old);
    world_fault(&w, "{'op':'daytona.sandbox.start','phase':'after_commit','times':1,'effect':{'kind':'dead_toolbox','"
                    "dialect':'502'}}");
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, &result, &w.err), SBX_OK);
    sbx_sandbox_id(w.sb, now);
    T_EQ(result.replaced, 1);
    T_EQ(result.old_deleted, 1);
    T_STR(result.old_id, old);
    T_TRUE(strcmp(old, now) != 0);
    exec_says(&w, "echo alive", 0, "alive\n", "");
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_made(w.sim), 2);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void what_only_daytona_says(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    struct sbx_info *info = NULL;
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    T_STR(sbx_info_work_dir(info), "/home/daytona");
    T_STR(sbx_info_extra(info, "sandboxClass"), "container");
    T_STR(sbx_info_extra(info, "spot"), "false");
    T_TRUE(sbx_info_extra(info, "warmPoolId") == NULL);
    T_STR(sbx_info_extra(info, "autoStopInterval"), "0");
    T_EQ(sbx_info_state(info), SBX_STATE_RUNNING);
    sbx_info_free(info);
    exec_says(&w, "pwd && mkdir -p a/b", 0, "/home/daytona\n", "");
    opt.cwd = "a/b";
    T_STATUS(sbx_sandbox_exec(w.sb, "pwd", &opt, NULL, &result, &w.err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), "/home/daytona/a/b\n");
    sbx_exec_result_free(result);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    world_finish(&w);
}

T_CASES(T_CASE(healthy), T_CASE(a_large_file_comes_back_as_it_went), T_CASE(what_only_daytona_says),
        T_CASE(comes_back_dead))
