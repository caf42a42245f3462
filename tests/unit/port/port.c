/* The port over the toy runtime: a whole life, bad input, deadlines, cancels, turns. Rows P1, P3, P7-P10. */
#include "toy_world.h"

#include <pthread.h>

static void a_whole_life(void) {
    struct toy_world *w = toy_world_new();
    const struct sbx_pair label = {"job", "42"};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "hello\n", 6);
    struct sbx_buf got = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&got);
    struct sbx_transfer_options checked = SBX_TRANSFER_OPTIONS_INIT;
    struct sbx_transfer_result passed = SBX_TRANSFER_RESULT_INIT;
    struct sbx_info *info = NULL;
    char *home = NULL;
    opt.labels = &label;
    opt.label_count = 1;
    checked.checksum = SBX_YES;
    T_STATUS(sbx_runtime_launch(w->rt, &opt, NULL, &w->sb, &w->err), SBX_OK);
    T_STATUS(sbx_sandbox_upload(w->sb, "a.txt", &from, &checked, NULL, &passed, &w->err), SBX_OK);
    T_EQ(passed.bytes, 6);
    T_STR(passed.sha256, "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
    T_STATUS(sbx_sandbox_exec(w->sb, "cat a.txt; echo oops >&2; exit 3", NULL, NULL, &result, &w->err), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(result), 3);
    T_STR(sbx_exec_result_stdout(result, NULL), "hello\n");
    T_STR(sbx_exec_result_stderr(result, NULL), "oops\n");
    sbx_exec_result_free(result);
    T_STATUS(sbx_sandbox_stop(w->sb, NULL, NULL, &w->err), SBX_OK);
    T_EQ(sbx_sandbox_state(w->sb), SBX_STATE_STOPPED);
    T_STATUS(sbx_sandbox_start(w->sb, NULL, NULL, NULL, &w->err), SBX_OK);
    T_STATUS(sbx_sandbox_info(w->sb, NULL, &info, &w->err), SBX_OK);
    T_STR(sbx_info_label(info, "job"), "42");
    T_EQ(sbx_info_state(info), SBX_STATE_RUNNING);
    sbx_info_free(info);
    T_STATUS(sbx_sandbox_download(w->sb, "a.txt", &to, NULL, NULL, NULL, &w->err), SBX_OK);
    T_STR(sbx_buf_text(&got), "hello\n");
    sbx_buf_finish(&got);
    T_STATUS(sbx_sandbox_home_dir(w->sb, NULL, &home, &w->err), SBX_OK);
    T_CONTAINS(home, w->root);
    sbx_text_free(home);
    T_STATUS(sbx_sandbox_destroy(w->sb, NULL, &w->err), SBX_OK);
    toy_world_finish(w);
}

static void find_and_count(void) {
    struct toy_world *w = toy_world_launched();
    struct sbx_query query = SBX_QUERY_INIT;
    const struct sbx_pair other = {"job", "1"};
    struct sbx_list *list = NULL;
    int64_t n = -1;
    T_STATUS(sbx_runtime_find(w->rt, NULL, NULL, &list, &w->err), SBX_OK);
    T_EQ(sbx_list_count(list), 1);
    T_TRUE(sbx_list_at(list, 1) == NULL);
    sbx_list_free(list);
    query.labels = &other;
    query.label_count = 1;
    T_STATUS(sbx_runtime_count(w->rt, &query, NULL, &n, &w->err), SBX_OK);
    T_EQ(n, 0);
    toy_world_finish(w);
}

/* Each row is one wrong field of a launch and what the error says of it. */
struct bad_launch {
    const char *says;
    struct sbx_launch_options opt;
};

static const struct sbx_pair no_value[] = {{"a", NULL}};
static const struct sbx_pair twice[] = {{"a", "1"}, {"a", "2"}};
static const struct sbx_pair ours[] = {{"sandport-acq", "1"}};
static const struct sbx_pair newline[] = {{"a\nb", "1"}};
static const struct sbx_pair latin[] = {{"a", "\xe9"}};
static const struct sbx_pair digit[] = {{"1A", "1"}};
static const struct sbx_volume relative[] = {{.size = sizeof(struct sbx_volume), .volume = "v", .mount_path = "x"}};

static void bad_launches(void) {
    const size_t size = sizeof(struct sbx_launch_options);
    const struct bad_launch rows[] = {
        {"opt.size", {.size = 3}},
        {"acquisition", {.size = size, .acquisition = "xyz"}},
        {"acquisition", {.size = size, .acquisition = "ABCDEF00000000000000000000000000"}},
        {"name", {.size = size, .name = ""}},
        {"name", {.size = size, .name = "a\r\nX-Evil: 1"}},
        {"snapshot", {.size = size, .snapshot = "\xff"}},
        {"target", {.size = size, .target = "\x01"}},
        {"labels", {.size = size, .label_count = 1}},
        {"labels", {.size = size, .labels = no_value, .label_count = 1}},
        {"labels", {.size = size, .labels = twice, .label_count = 2}},
        {"labels", {.size = size, .labels = ours, .label_count = 1}},
        {"labels", {.size = size, .labels = newline, .label_count = 1}},
        {"labels", {.size = size, .labels = latin, .label_count = 1}},
        {"env", {.size = size, .env = digit, .env_count = 1}},
        {"env", {.size = size, .env = latin, .env_count = 1}},
        {"volumes", {.size = size, .volumes = relative, .volume_count = 1}},
        {"create_ms", {.size = size, .create_ms = -1}},
        {"auto_stop_min", {.size = size, .auto_stop_min = -1}},
        {"auto_delete_min", {.size = size, .auto_delete_min = -2}},
        {"auto_pause_min", {.size = size, .auto_pause_min = 1, .auto_stop_min = 1}},
        {"ttl_min", {.size = size, .ttl_min = -5}},
        {"memory_mib", {.size = size, .memory_mib = INT64_MIN}},
        {"network_block_all", {.size = size, .network_block_all = 7}},
        {"provider_options", {.size = size, .provider_options = no_value, .provider_option_count = 1}},
    };
    struct toy_world *w = toy_world_new();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        T_STATUS(sbx_runtime_launch(w->rt, &rows[i].opt, NULL, &w->sb, &w->err), SBX_INVALID_ARGUMENT);
        T_CONTAINS(w->err.detail, rows[i].says);
        T_EQ(w->err.outcome, SBX_OUTCOME_NONE);
    }
    T_EQ(w->opt.calls, 0);
    toy_world_finish(w);
}

static void bad_paths_and_ids(void) {
    static const char *const paths[] = {"", "a/", "../a", "a/../b", "a\nb", "\xff", NULL};
    static const char *const ids[] = {"", ".", "..", "a/b", "a b", "a?b", "a#b", "a%2f", "a\n", NULL};
    struct toy_world *w = toy_world_launched();
    struct sbx_buf got = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&got);
    struct sbx_sandbox *sb = NULL;
    for (size_t i = 0; paths[i]; i++)
        T_STATUS(sbx_sandbox_download(w->sb, paths[i], &to, NULL, NULL, NULL, &w->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_download(w->sb, NULL, &to, NULL, NULL, NULL, &w->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_download(w->sb, "a", NULL, NULL, NULL, NULL, &w->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_upload(w->sb, "a", NULL, NULL, NULL, NULL, &w->err), SBX_INVALID_ARGUMENT);
    for (size_t i = 0; ids[i]; i++)
        T_STATUS(sbx_runtime_attach(w->rt, ids[i], NULL, &sb, &w->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_runtime_attach(w->rt, NULL, NULL, &sb, &w->err), SBX_INVALID_ARGUMENT);
    T_EQ(w->opt.calls, 0);
    toy_world_finish(w);
}

static void bad_commands(void) {
    struct toy_world *w = toy_world_launched();
    struct sbx_exec_result *result = NULL;
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    char *long_one = malloc(SBX_COMMAND_BYTES_MAX + 2);
    T_TRUE(long_one != NULL);
    memset(long_one, 'x', SBX_COMMAND_BYTES_MAX + 1);
    long_one[SBX_COMMAND_BYTES_MAX + 1] = 0;
    T_STATUS(sbx_sandbox_exec(w->sb, long_one, NULL, NULL, &result, &w->err), SBX_INVALID_ARGUMENT);
    free(long_one);
    T_STATUS(sbx_sandbox_exec(w->sb, NULL, NULL, NULL, &result, &w->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_exec(w->sb, " \n\t", NULL, NULL, &result, &w->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_exec(w->sb, "true", NULL, NULL, NULL, &w->err), SBX_INVALID_ARGUMENT);
    opt.lifetime_ms = -1;
    T_STATUS(sbx_sandbox_exec(w->sb, "true", &opt, NULL, &result, &w->err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w->err.detail, "lifetime_ms");
    T_STATUS(sbx_sandbox_exec(NULL, "true", NULL, NULL, &result, &w->err), SBX_INVALID_ARGUMENT);
    T_EQ(w->opt.calls, 0);
    T_TRUE(result == NULL);
    toy_world_finish(w);
}

static void options_of_other_releases(void) {
    struct {
        struct sbx_exec_options opt;
        int32_t newer;
    } larger = {.opt = {.size = sizeof(larger)}};
    struct toy_world *w = toy_world_launched();
    struct sbx_exec_result *result = NULL;
    struct sbx_error small = {.size = 8};
    T_STATUS(sbx_sandbox_exec(w->sb, "true", &larger.opt, NULL, &result, &w->err), SBX_OK);
    sbx_exec_result_free(result);
    result = NULL;
    larger.newer = 1; /* something that this release does not know must not be dropped silently */
    T_STATUS(sbx_sandbox_exec(w->sb, "true", &larger.opt, NULL, &result, &w->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_exec(w->sb, "true", NULL, NULL, &result, &small), SBX_INVALID_ARGUMENT);
    T_EQ(small.status, 0);
    toy_world_finish(w);
}

static void deadlines_and_cancels_before_sending(void) {
    struct toy_world *w = toy_world_launched();
    struct sbx_call call = SBX_CALL_INIT;
    struct sbx_cancel *cancel = sbx_cancel_create(w->env);
    call.deadline_ms = -5;
    T_STATUS(sbx_sandbox_stop(w->sb, NULL, &call, &w->err), SBX_DEADLINE);
    T_EQ(w->err.outcome, SBX_OUTCOME_NOT_SENT);
    sbx_call_init_after(&call, sizeof(call), w->env, 60000);
    call.cancel = cancel;
    T_STATUS(sbx_sandbox_stop(w->sb, NULL, &call, &w->err), SBX_OK);
    sbx_cancel_fire(cancel);
    sbx_cancel_fire(cancel);
    T_STATUS(sbx_sandbox_stop(w->sb, NULL, &call, &w->err), SBX_CANCELLED);
    T_EQ(w->opt.calls, 1);
    call.cleanup_ms = -7;
    T_STATUS(sbx_sandbox_stop(w->sb, NULL, &call, &w->err), SBX_INVALID_ARGUMENT);
    sbx_cancel_free(cancel);
    toy_world_finish(w);
}

static void a_reader_that_lies(void) {
    struct toy_world *w = toy_world_launched();
    struct sbx_memory_reader memory;
    struct sbx_reader from = sbx_memory_reader_init(&memory, "12345", 5);
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    opt.bytes = 4;
    T_STATUS(sbx_sandbox_upload(w->sb, "a", &from, &opt, NULL, NULL, &w->err), SBX_STREAM);
    T_CONTAINS(w->err.detail, "more bytes");
    from = sbx_memory_reader_init(&memory, "12345", 5);
    opt.bytes = 6;
    T_STATUS(sbx_sandbox_upload(w->sb, "a", &from, &opt, NULL, NULL, &w->err), SBX_STREAM);
    T_CONTAINS(w->err.detail, "fewer bytes");
    opt.bytes = INT64_MIN + 1;
    T_STATUS(sbx_sandbox_upload(w->sb, "a", &from, &opt, NULL, NULL, &w->err), SBX_INVALID_ARGUMENT);
    toy_world_finish(w);
}

static void *stop_again(void *arg) {
    struct toy_world *w = arg;
    for (int i = 0; i < 50; i++)
        if (sbx_sandbox_stop(w->sb, NULL, NULL, NULL) != SBX_OK) return w;
    return NULL;
}

static void changes_take_turns(void) {
    struct toy_world *w = toy_world_launched();
    pthread_t threads[4];
    void *failed = NULL;
    for (size_t i = 0; i < 4; i++) T_EQ(pthread_create(&threads[i], NULL, stop_again, w), 0);
    for (size_t i = 0; i < 4; i++) {
        T_EQ(pthread_join(threads[i], &failed), 0);
        T_TRUE(failed == NULL);
    }
    T_EQ(w->opt.calls, 200); /* counted without a lock: right only if one at a time */
    toy_world_finish(w);
}

static void errors_for_people(void) {
    struct sbx_error err = SBX_ERROR_INIT;
    char line[256];
    T_STATUS(sbx_fail(&err, SBX_QUOTA, SBX_OUTCOME_REFUSED, "cpu: %d", 4), SBX_QUOTA);
    err.http_status = 400;
    strcpy(err.provider, "toy");
    strcpy(err.operation, "launch");
    sbx_error_describe(&err, line, sizeof(line));
    T_STR(line, "toy launch: the account's quota does not allow this (QUOTA; outcome REFUSED, HTTP 400): cpu: 4");
    T_EQ(sbx_error_describe(&err, line, 8), 7);
    T_STR(sbx_status_name(9999), "UNKNOWN");
    T_STR(sbx_version(), "0.1.0");
}

T_CASES(T_CASE(a_whole_life), T_CASE(find_and_count), T_CASE(bad_launches), T_CASE(bad_paths_and_ids),
        T_CASE(bad_commands), T_CASE(options_of_other_releases), T_CASE(deadlines_and_cancels_before_sending),
        T_CASE(a_reader_that_lies), T_CASE(changes_take_turns), T_CASE(errors_for_people))
