/* A sandbox's whole life on E2B, by both generations of its API. Rows E1, E2, P1, P8, P10, P12. */
#include "e2b_world.h"

static void exec_says(struct world *w, const char *command, int32_t code, const char *out, const char *err) {
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_sandbox_exec(w->sb, command, NULL, NULL, &result, &w->err), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(result), code);
    T_STR(sbx_exec_result_stdout(result, NULL), out);
    T_STR(sbx_exec_result_stderr(result, NULL), err);
    T_EQ(sbx_exec_result_bytes_exact(result), 1);
    sbx_exec_result_free(result);
}

static void lives(int32_t api) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "echo $1\nexit 3\n", 15);
    struct sbx_buf got = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&got);
    char *home = NULL;
    opt.api = api;
    struct world w = world_new_with(SEED, NULL, &opt);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_RUNNING);
    T_STATUS(sbx_sandbox_home_dir(w.sb, NULL, &home, &w.err), SBX_OK);
    T_STR(home, "/home/user");
    sbx_text_free(home);
    T_STATUS(sbx_sandbox_upload(w.sb, "project/run.sh", &from, NULL, NULL, NULL, &w.err), SBX_OK);
    exec_says(&w, "cd project && sh run.sh hello; code=$?; echo oops >&2; exit $code", 3, "hello\n", "oops\n");
    T_STATUS(sbx_sandbox_download(w.sb, "project/run.sh", &to, NULL, NULL, NULL, &w.err), SBX_OK);
    T_STR(sbx_buf_text(&got), "echo $1\nexit 3\n");
    sbx_buf_finish(&got);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_PAUSED);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK); /* paused already */
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_RUNNING);
    exec_says(&w, "cat project/run.sh", 0, "echo $1\nexit 3\n", "");
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    T_EQ(sbx_sim_unsupported(w.sim), 0);
    world_finish(&w);
}

static void healthy(void) {
    lives(SBX_E2B_API_V2);
}
static void healthy_by_the_older_generation(void) {
    lives(SBX_E2B_API_V1);
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

/* F079: bytes, whatever they are. */
static void f079_a_large_file_comes_back_as_it_went(void) {
    struct world w = world_with_running_sandbox(SEED);
    uint64_t at = 0;
    const struct sbx_reader from = {&at, large_read};
    const struct sbx_sink to = {NULL, drop};
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    struct sbx_transfer_result up = SBX_TRANSFER_RESULT_INIT, down = SBX_TRANSFER_RESULT_INIT;
    opt.checksum = SBX_YES;
    T_STATUS(sbx_sandbox_upload(w.sb, "large.bin", &from, &opt, NULL, &up, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_download(w.sb, "large.bin", &to, &opt, NULL, &down, &w.err), SBX_OK);
    T_EQ(down.bytes, LARGE_BYTES);
    T_STR(down.sha256, up.sha256);
    world_finish(&w);
}

/* Looked for, found, counted, attached to and adopted. */
static void found_by_its_labels(void) {
    const struct sbx_pair labels[] = {{"user", "a&b=c%+\xc3\xbc d"}, {"job", ""}};
    const int32_t paused = SBX_STATE_PAUSED;
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_query query = SBX_QUERY_INIT;
    struct sbx_list *list = NULL;
    struct sbx_sandbox *other = NULL;
    struct sbx_runtime *rt = NULL;
    struct world w = world_new(SEED);
    int64_t n = 0;
    opt.labels = query.labels = labels;
    opt.label_count = query.label_count = 2;
    opt.name = "mine";
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &other, &w.err), SBX_OK);
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    T_STATUS(sbx_runtime_find(w.rt, &query, NULL, &list, &w.err), SBX_OK);
    T_EQ(sbx_list_count(list), 1);
    T_STR(sbx_info_name(sbx_list_at(list, 0)), "mine");
    T_STR(sbx_info_label(sbx_list_at(list, 0), "user"), labels[0].value);
    sbx_list_free(list);
    query.states = &paused;
    query.state_count = 1;
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &n, &w.err), SBX_OK);
    T_EQ(n, 0);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &n, &w.err), SBX_OK);
    T_EQ(n, 1);
    struct sbx_sandbox *there = world_elsewhere(&w, &rt);
    T_EQ(sbx_sandbox_state(there), SBX_STATE_PAUSED); /* attaching woke nothing */
    T_STATUS(sbx_sandbox_destroy(there, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w.sim), 2); /* it was attached */
    sbx_sandbox_free(there);
    sbx_runtime_free(rt);
    there = world_elsewhere(&w, &rt);
    sbx_sandbox_adopt(there);
    T_STATUS(sbx_sandbox_destroy(there, NULL, &w.err), SBX_OK); /* a paused one goes with its snapshot */
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    sbx_sandbox_free(there);
    sbx_runtime_free(rt);
    sbx_sandbox_free(other);
    world_finish(&w);
}

/* More than a page of them, in both states. */
static void more_than_a_page(void) {
    enum { MANY = 23 };
    struct world w = world_new_with(
        SEED, "{\"e2b\":{\"accounts\":[{\"name\":\"a\",\"api_key\":\"" SBX_SIM_E2B_KEY "\",\"concurrency\":100}]}}",
        NULL);
    struct sbx_sandbox *sb[MANY] = {0};
    struct sbx_query query = SBX_QUERY_INIT;
    int64_t n = 0;
    for (int i = 0; i < MANY; i++) T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &sb[i], &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_stop(sb[3], NULL, NULL, &w.err), SBX_OK);
    query.page_size = 10;
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &n, &w.err), SBX_OK);
    T_EQ(n, MANY);
    query.max = 12;
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &n, &w.err), SBX_OK);
    T_EQ(n, 12);
    for (int i = 0; i < MANY; i++) sbx_sandbox_free(sb[i]);
    world_finish(&w);
}

T_CASES(T_CASE(healthy), T_CASE(healthy_by_the_older_generation), T_CASE(f079_a_large_file_comes_back_as_it_went),
        T_CASE(found_by_its_labels), T_CASE(more_than_a_page))
