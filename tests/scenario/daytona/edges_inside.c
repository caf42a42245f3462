/* Edge cases of Daytona's toolbox, its lists and its answers, by their number in its facts (section 8): what the
 * adapter makes of each. Rows D3, P7, P8, P11, R12. */
#include "daytona_world.h"

#include <stdio.h>

static enum sbx_status upload(struct world *w, const char *path, const char *data) {
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, data, strlen(data));
    return sbx_sandbox_upload(w->sb, path, &from, NULL, NULL, NULL, &w->err);
}

static enum sbx_status download(struct world *w, const char *path, struct sbx_buf *got) {
    const struct sbx_sink to = sbx_buf_sink(got);
    sbx_buf_clear(got);
    return sbx_sandbox_download(w->sb, path, &to, NULL, NULL, NULL, &w->err);
}

static void exec_exits(struct world *w, const char *command, int32_t code, const char *out) {
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_sandbox_exec(w->sb, command, NULL, NULL, &result, &w->err), SBX_OK);
    T_EQ(sbx_exec_result_exit_known(result), 1);
    T_EQ(sbx_exec_result_exit_code(result), code);
    T_STR(sbx_exec_result_stdout(result, NULL), out);
    sbx_exec_result_free(result);
}

static enum sbx_status exec(struct world *w, const char *command) {
    struct sbx_exec_result *result = NULL;
    enum sbx_status st = sbx_sandbox_exec(w->sb, command, NULL, NULL, &result, &w->err);
    sbx_exec_result_free(result);
    return st;
}

static int64_t found(struct world *w, const struct sbx_pair *labels, size_t n, enum sbx_status want) {
    struct sbx_query query = SBX_QUERY_INIT;
    int64_t count = -1;
    query.labels = labels;
    query.label_count = n;
    T_STATUS(sbx_runtime_count(w->rt, &query, NULL, &count, &w->err), want);
    return count;
}

/* ---- commands ---- */

static void day8_18_every_exit_code(void) {
    struct world w = world_with_running_sandbox(SEED);
    exec_exits(&w, "echo a", 0, "a\n");
    exec_exits(&w, "exit 1", 1, "");
    exec_exits(&w, "no-such-program 2>/dev/null", 127, "");
    exec_exits(&w, "exit 255", 255, "");
    world_finish(&w);
}

static void day8_18_an_answer_in_pieces_is_asked_for_again(void) {
    static const char *const effects[] = {
        "'phase':'after_commit','times':1,'effect':{'kind':'html','status':502}",
        "'phase':'mid_reply','times':1,'effect':{'kind':'cut','at_bytes':20}",
        "'phase':'after_commit','times':1,'effect':{'kind':'reset'}",
    };
    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        char fault[256];
        snprintf(fault, sizeof(fault), "{'op':'daytona.toolbox.execute',%s}", effects[i]);
        world_fault(&w, fault);
        exec_exits(&w, "echo once >>ran; cat ran; exit 4", 4, "once\n");
        exec_exits(&w, "cat ran", 0, "once\n");
        world_finish(&w);
    }
}

static void day8_19_a_background_child_holds_nothing(void) {
    struct world w = world_with_running_sandbox(SEED);
    int64_t began = w.env->now_ms(w.env);
    exec_exits(&w, "sleep 100 & echo ok", 0, "ok\n");
    T_TRUE(w.env->now_ms(w.env) - began < 5000);
    world_finish(&w);
}

static void f035_words_that_nobody_knows(void) {
    static const char *const words[] = {"no IP address found. Is the Sandbox started?",
                                        "failed to resolve container address", "the moon is in the seventh house"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct world w = world_with_stopped_sandbox(SEED);
        char fault[256];
        snprintf(fault, sizeof(fault),
                 "{'op':'daytona.toolbox.execute','phase':'before','effect':{'kind':'status','status':400,"
                 "'body':'{\\\"message\\\":\\\"%s\\\"}'}}",
                 words[i]);
        world_fault(&w, fault);
        T_STATUS(exec(&w, "true"), SBX_NOT_READY);
        T_CONTAINS(w.err.detail, "STOPPED");
        T_TRUE(strstr(w.err.detail, "moon") == NULL);
        world_finish(&w);
    }
}

static void a_live_sandbox_explains_nothing(void) {
    struct world w = world_with_running_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.toolbox.execute','phase':'before','effect':{'kind':'status','status':500}}");
    T_STATUS(exec(&w, "true"), SBX_PROVIDER);
    T_EQ(w.err.outcome, SBX_OUTCOME_UNKNOWN);
    world_finish(&w);
}

/* ---- lists ---- */

static void day8_29_labels_of_any_letters(void) {
    struct world w = world_new(SEED);
    const struct sbx_pair labels[] = {{"q", "a\"b&c+d%25=e"}, {"u", "gr\xc3\xbc\xc3\x9f"}}, other = {"q", "a\"b&c"};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.labels = labels;
    opt.label_count = 2;
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    sbx_sim_advance_ms(w.sim, 1000);
    T_EQ(found(&w, labels, 2, SBX_OK), 1);
    T_EQ(found(&w, &other, 1, SBX_OK), 0);
    world_finish(&w);
}

static void list_says(const char *effect, enum sbx_status want, int64_t count) {
    struct world w = world_with_running_sandbox(SEED);
    char fault[256];
    snprintf(fault, sizeof(fault), "{'op':'daytona.sandbox.list','phase':'before','effect':{%s}}", effect);
    sbx_sim_advance_ms(w.sim, 1000);
    world_fault(&w, fault);
    T_EQ(found(&w, NULL, 0, want), count);
    world_finish(&w);
}

static void day8_30_lists_of_every_shape(void) {
    list_says("'kind':'list_shape','value':'array'", SBX_OK, 1);
    list_says("'kind':'list_shape','value':'page'", SBX_OK, 1);
    list_says("'kind':'list_shape','value':'cursor'", SBX_OK, 1);
    list_says("'kind':'list_duplicate'", SBX_OK, 1);
    list_says("'kind':'list_loop'", SBX_PROTOCOL, -1);
    list_says("'kind':'html','status':200", SBX_PROTOCOL, -1);
}

static void day8_30_an_empty_page_is_not_the_end(void) {
    struct world w = world_with_running_sandbox(SEED);
    sbx_sim_advance_ms(w.sim, 1000);
    world_fault(&w, "{'op':'daytona.sandbox.list','phase':'before','times':1,'effect':{'kind':'list_empty_page'}}");
    T_EQ(found(&w, NULL, 0, SBX_OK), 1);
    world_finish(&w);
}

static void day8_30_deleted_before_it_is_read(void) {
    struct world w = world_with_running_sandbox(SEED);
    sbx_sim_advance_ms(w.sim, 1000);
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','times':1,'effect':{'kind':'lost'}}");
    T_EQ(found(&w, NULL, 0, SBX_OK), 0);
    world_finish(&w);
}

static void day8_31_the_list_lags_and_the_name_does_not(void) {
    struct world w = world_new_with(SEED, "{\"daytona\":{\"list_lag_ms\":60000}}", NULL);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_sandbox *by_name = NULL;
    opt.name = "fresh";
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    T_EQ(found(&w, NULL, 0, SBX_OK), 0);
    T_STATUS(sbx_runtime_attach(w.rt, "fresh", NULL, &by_name, &w.err), SBX_OK);
    sbx_sandbox_free(by_name);
    world_finish(&w);
}

/* ---- files ---- */

static void day8_35_uploads(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_buf got = SBX_BUF_INIT;
    T_STATUS(upload(&w, "a/b/c/empty", ""), SBX_OK);
    T_STATUS(download(&w, "a/b/c/empty", &got), SBX_OK);
    T_EQ(got.len, 0);
    T_STATUS(upload(&w, "a/b", "x"), SBX_INVALID_ARGUMENT); /* a directory */
    T_STATUS(upload(&w, " spaced ", "x"), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "path");
    sbx_buf_finish(&got);
    world_finish(&w);
}

static void day8_35_what_an_upload_was_refused_for(void) {
    static const struct {
        const char *error;
        int32_t status;
    } rows[] = {
        {"open /etc/x: permission denied", SBX_FILE_DENIED},
        {"write /home/daytona/x: no space left on device", SBX_NO_SPACE},
        {"open /tmp: is a directory", SBX_INVALID_ARGUMENT},
        {"something else", SBX_PROVIDER},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        char fault[256];
        snprintf(fault, sizeof(fault),
                 "{'op':'daytona.toolbox.upload','phase':'before','effect':{'kind':'status','status':400,"
                 "'body':'{\\\"errors\\\":[\\\"%s\\\"],\\\"files\\\":null}'}}",
                 rows[i].error);
        world_fault(&w, fault);
        T_STATUS(upload(&w, "x", "data"), rows[i].status);
        world_finish(&w);
    }
}

static void day8_36_downloads(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_buf got = SBX_BUF_INIT;
    T_STATUS(upload(&w, "od\"d \xe2\x82\xac + & name", "--DAYTONA-FILE-BOUNDARY--\r\nstill the file"), SBX_OK);
    T_STATUS(download(&w, "od\"d \xe2\x82\xac + & name", &got), SBX_OK);
    T_STR(sbx_buf_text(&got), "--DAYTONA-FILE-BOUNDARY--\r\nstill the file");
    T_STATUS(download(&w, "no-such-file", &got), SBX_FILE_NOT_FOUND);
    T_STATUS(exec(&w, "mkdir folder"), SBX_OK);
    T_STATUS(download(&w, "folder", &got), SBX_INVALID_ARGUMENT);
    world_fault(&w, "{'op':'daytona.toolbox.download','phase':'mid_reply','effect':{'kind':'cut','at_bytes':9}}");
    T_STATUS(download(&w, "od\"d \xe2\x82\xac + & name", &got), SBX_CONNECTION_LOST);
    sbx_buf_finish(&got);
    world_finish(&w);
}

/* ---- answers ---- */

static void day8_38_how_long_to_wait(void) {
    struct world w =
        world_new_with(SEED,
                       "{\"daytona\":{\"accounts\":[{\"name\":\"small\",\"api_key\":\"" SBX_SIM_DAYTONA_KEY "\","
                       "\"rate\":{\"create\":1}}]}}",
                       NULL);
    struct sbx_sandbox *second = NULL;
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &second, &w.err), SBX_RATE_LIMITED);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_TRUE(w.err.retry_after_ms > 0 && w.err.retry_after_ms <= 60000); /* Retry-After-sandbox-create alone */
    world_fault(&w, "{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'status','status':429}}");
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &second, &w.err), SBX_RATE_LIMITED);
    world_finish(&w);
}

static void day8_41_the_dashboard_is_no_list(void) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    opt.endpoint = "http://daytona.sim";
    struct world w = world_new_with(SEED, NULL, &opt);
    T_EQ(found(&w, NULL, 0, SBX_PROTOCOL), -1);
    T_TRUE(sbx_runtime_attach(w.rt, "x", NULL, &w.sb, &w.err) == SBX_PROTOCOL);
    world_finish(&w);
}

static void day8_42_members_of_other_types(void) {
    static const struct {
        const char *path, *value;
        int32_t status;
    } rows[] = {
        {"$.cpu", "1.5", SBX_OK},         {"$.memory", "null", SBX_OK}, {"$.labels", "null", SBX_OK},
        {"$.errorReason", "{}", SBX_OK},  {"$.id", "5", SBX_PROTOCOL},  {"$.state", "null", SBX_PROTOCOL},
        {"$.labels", "[]", SBX_PROTOCOL}, {"$.id", "''", SBX_PROTOCOL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        char fault[256], id[SBX_ID_SIZE];
        struct sbx_sandbox *sb = NULL;
        snprintf(fault, sizeof(fault),
                 "{'op':'daytona.sandbox.get','phase':'mid_reply','effect':{'kind':'mutate','path':'%s','value':%s}}",
                 rows[i].path, rows[i].value);
        world_fault(&w, fault);
        sbx_sandbox_id(w.sb, id);
        enum sbx_status st = sbx_runtime_attach(w.rt, id, NULL, &sb, &w.err);
        if ((int32_t)st != rows[i].status)
            T_FAIL("%s = %s: %s", rows[i].path, rows[i].value, sbx_status_name((int32_t)st));
        sbx_sandbox_free(sb);
        world_finish(&w);
    }
}

T_CASES(T_CASE(day8_18_every_exit_code), T_CASE(day8_18_an_answer_in_pieces_is_asked_for_again),
        T_CASE(day8_19_a_background_child_holds_nothing), T_CASE(f035_words_that_nobody_knows),
        T_CASE(a_live_sandbox_explains_nothing), T_CASE(day8_29_labels_of_any_letters),
        T_CASE(day8_30_lists_of_every_shape), T_CASE(day8_30_an_empty_page_is_not_the_end),
        T_CASE(day8_30_deleted_before_it_is_read), T_CASE(day8_31_the_list_lags_and_the_name_does_not),
        T_CASE(day8_35_uploads), T_CASE(day8_35_what_an_upload_was_refused_for), T_CASE(day8_36_downloads),
        T_CASE(day8_38_how_long_to_wait), T_CASE(day8_41_the_dashboard_is_no_list),
        T_CASE(day8_42_members_of_other_types))
