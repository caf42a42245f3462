/* What went wrong for others inside a sandbox, by its number in the list of known failures, and edge cases of Daytona's
 * toolbox by theirs. Rows P7, P8, D3, D9, D10. */
#include "daytona_world.h"

#include <stdio.h>
#include <stdlib.h>

static void prints(struct world *w, struct sbx_sandbox *sb, const char *command, const struct sbx_exec_options *opt,
                   const char *want) {
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_sandbox_exec(sb, command, opt, NULL, &result, &w->err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), want);
    sbx_exec_result_free(result);
}

static void f052_values_and_folders_of_any_letters(void) {
    static const char *const values[] = {"a b", "\"", "'", "$HOME", "`id`", "a\nb", "\\", "*", "", "-n", "gr\xc3\xbc"};
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_session *session = NULL;
    T_STATUS(sbx_session_open(w.sb, NULL, &session, &w.err), SBX_OK);
    prints(&w, w.sb, "mkdir -p \"/tmp/a b'c\\\"d\"", NULL, "");
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        const struct sbx_pair env = {"VALUE", values[i]};
        struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
        struct sbx_exec_result *result = NULL;
        char want[64];
        opt.env = &env;
        opt.env_count = 1;
        opt.cwd = "/tmp/a b'c\"d";
        snprintf(want, sizeof(want), "/tmp/a b'c\"d\n%s\n", values[i]);
        prints(&w, w.sb, "pwd; printenv VALUE", &opt, want);
        T_STATUS(sbx_session_exec(session, "pwd; printenv VALUE", &opt, NULL, &result, &w.err), SBX_OK);
        T_STR(sbx_exec_result_stdout(result, NULL), want);
        sbx_exec_result_free(result);
        opt.mode = SBX_EXEC_WIRE;
        prints(&w, w.sb, "pwd; printenv VALUE", &opt, want);
    }
    sbx_session_free(session);
    world_finish(&w);
}

/* The provider's record stays without an exit code for ever: it is not what is asked. */
static void f059_a_record_without_an_exit_code(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    struct sbx_session *session = NULL;
    struct sbx_exec_result *result = NULL;
    world_fault(&w, "{'op':'daytona.toolbox.session.exec','phase':'after_commit','effect':{'kind':'exit_code_lost'}}");
    T_STATUS(sbx_session_open(w.sb, NULL, &session, &w.err), SBX_OK);
    T_STATUS(sbx_session_exec(session, "echo out; (exit 6)", NULL, NULL, &result, &w.err), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(result), 6);
    sbx_exec_result_free(result);
    T_STATUS(sbx_sandbox_submit(w.sb, "r", "exit 7", NULL, NULL, NULL, &w.err), SBX_OK);
    sbx_sim_advance_ms(w.sim, 1000);
    T_STATUS(sbx_sandbox_poll(w.sb, "r", NULL, &status, &w.err), SBX_OK);
    T_EQ(status.exit_code, 7);
    sbx_session_free(session);
    world_finish(&w);
}

static int hear(void *ctx, int32_t stream, const void *data, size_t len) {
    if (stream == SBX_STDOUT) sbx_buf_append(ctx, data, len);
    return 0;
}

#define TEXT "caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e \xf0\x9f\x98\x80"

/* Written byte by byte, with pauses in which it is read. */
static void f062_letters_cut_at_every_byte(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    struct sbx_buf heard = SBX_BUF_INIT, command = SBX_BUF_INIT;
    for (const char *at = TEXT; *at; at++)
        sbx_buf_printf(&command, "printf '\\%03o'; sleep 2\n", (unsigned)(unsigned char)*at);
    opt.output = hear;
    opt.output_ctx = &heard;
    T_STATUS(sbx_sandbox_exec(w.sb, sbx_buf_text(&command), &opt, NULL, &result, &w.err), SBX_OK);
    T_STR(sbx_buf_text(&heard), TEXT);
    T_STR(sbx_exec_result_stdout(result, NULL), TEXT);
    sbx_exec_result_free(result);
    sbx_buf_finish(&heard);
    sbx_buf_finish(&command);
    world_finish(&w);
}

static void f065_what_was_cut_is_said(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_result *result = NULL;
    size_t len = 0;
    T_STATUS(sbx_sandbox_exec(w.sb, "head -c 20971520 /dev/zero; printf end", NULL, NULL, &result, &w.err), SBX_OK);
    sbx_exec_result_stdout(result, &len);
    T_EQ(len, 1024 * 1024); /* its beginning */
    T_EQ(sbx_exec_result_truncated(result), 1);
    T_EQ(sbx_exec_result_stdout_total(result), 20971523);
    sbx_exec_result_free(result);
    world_finish(&w);
}

/* The end is known while output is still to come: all of it is had. */
static void f067_the_last_output_of_a_short_command(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    struct sbx_buf heard = SBX_BUF_INIT;
    opt.output = hear;
    opt.output_ctx = &heard;
    T_STATUS(
        sbx_sandbox_exec(w.sb, "head -c 3000000 /dev/zero | tr '\\000' x; printf end", &opt, NULL, &result, &w.err),
        SBX_OK);
    T_EQ(heard.len, 3000003);
    T_STR(heard.data + 3000000, "end");
    sbx_exec_result_free(result);
    sbx_buf_finish(&heard);
    world_finish(&w);
}

static void f068_streams_stay_apart_or_it_is_said(void) {
    static const char command[] = "for i in 1 2 3; do echo o$i; echo e$i >&2; done";
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_sandbox_exec(w.sb, command, NULL, NULL, &result, &w.err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), "o1\no2\no3\n");
    T_STR(sbx_exec_result_stderr(result, NULL), "e1\ne2\ne3\n");
    T_EQ(sbx_exec_result_streams_merged(result), 0);
    sbx_exec_result_free(result);
    opt.mode = SBX_EXEC_WIRE;
    T_STATUS(sbx_sandbox_exec(w.sb, command, &opt, NULL, &result, &w.err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), "o1\ne1\no2\ne2\no3\ne3\n");
    T_EQ(sbx_exec_result_streams_merged(result), 1);
    sbx_exec_result_free(result);
    world_finish(&w);
}

/* The provider's snapshot of the log is empty: it is not what is read. */
static void f070_an_empty_snapshot_of_the_log(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_log *log = NULL;
    size_t len = 0;
    world_fault(&w, "{'op':'daytona.toolbox.session.logs','phase':'before_commit','effect':{'kind':'logs_empty'}}");
    T_STATUS(sbx_sandbox_submit(w.sb, "r", "head -c 10240 /dev/zero", NULL, NULL, NULL, &w.err), SBX_OK);
    sbx_sim_advance_ms(w.sim, 1000);
    T_STATUS(sbx_sandbox_read_logs(w.sb, "r", NULL, NULL, &log, &w.err), SBX_OK);
    sbx_log_bytes(log, SBX_STDOUT, &len);
    T_EQ(len, 10240);
    sbx_log_free(log);
    world_finish(&w);
}

struct pattern {
    size_t at, len;
};

static ptrdiff_t pattern_read(void *ctx, void *buf, size_t cap) {
    struct pattern *p = ctx;
    size_t n = p->len - p->at < cap ? p->len - p->at : cap;
    for (size_t i = 0; i < n; i++) ((unsigned char *)buf)[i] = (unsigned char)((p->at + i) * 7 >> 3);
    p->at += n;
    return (ptrdiff_t)n;
}

/* Neither a file's bytes nor a command travel in one argument that Linux would refuse. */
static void f077_sizes_around_the_longest_argument(void) {
    static const size_t sizes[] = {95 * 1024, 97 * 1024, 131 * 1024, 10 * 1024 * 1024};
    struct world w = world_with_running_sandbox(SEED);
    char *command = malloc(SBX_COMMAND_BYTES_MAX + 1);
    T_TRUE(command != NULL);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct pattern pattern = {0, sizes[i]};
        const struct sbx_reader from = {&pattern, pattern_read};
        struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
        struct sbx_transfer_result up = SBX_TRANSFER_RESULT_INIT;
        char want[80];
        opt.checksum = SBX_YES;
        T_STATUS(sbx_sandbox_upload(w.sb, "file", &from, &opt, NULL, &up, &w.err), SBX_OK);
        snprintf(want, sizeof(want), "%s  file\n", up.sha256);
        prints(&w, w.sb, "sha256sum file", NULL, want);
    }
    memset(command, '#', SBX_COMMAND_BYTES_MAX);
    memcpy(command, "echo long\n", 10);
    command[SBX_COMMAND_BYTES_MAX] = 0;
    prints(&w, w.sb, command, NULL, "long\n");
    T_STATUS(sbx_sandbox_submit(w.sb, "long", command, NULL, NULL, NULL, &w.err), SBX_OK);
    free(command);
    world_finish(&w);
}

/* Three handles of one runtime, used in turn: each does its work where it belongs. */
static void f088_handles_share_nothing(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_sandbox *boxes[3] = {0};
    for (int i = 0; i < 3; i++) T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &boxes[i], &w.err), SBX_OK);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 3; i++) {
            struct sbx_memory_reader memory;
            char text[16];
            snprintf(text, sizeof(text), "%d-%d", i, round);
            const struct sbx_reader from = sbx_memory_reader_init(&memory, text, strlen(text));
            T_STATUS(sbx_sandbox_upload(boxes[i], "mine", &from, NULL, NULL, NULL, &w.err), SBX_OK);
        }
    for (int i = 2; i >= 0; i--) {
        char want[16];
        snprintf(want, sizeof(want), "%d-1", i);
        prints(&w, boxes[i], "cat mine", NULL, want);
        T_STATUS(sbx_sandbox_destroy(boxes[i], NULL, &w.err), SBX_OK);
        sbx_sandbox_free(boxes[i]);
    }
    world_finish(&w);
}

/* ---- edge cases ---- */

static void day8_24_lines_without_end_and_markers(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_session *session = NULL;
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_session_open(w.sb, NULL, &session, &w.err), SBX_OK);
    T_STATUS(sbx_session_exec(session, "printf 'a\\001\\001\\001b\\002\\002\\002'", NULL, NULL, &result, &w.err),
             SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), "a\1\1\1b\2\2\2");
    T_EQ(sbx_exec_result_bytes_exact(result), 1);
    sbx_exec_result_free(result);
    sbx_session_free(session);
    world_finish(&w);
}

/* An end that is half written is none; evidence of an earlier run is never removed. */
static void day8_26_half_written_ends_and_earlier_runs(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    T_STATUS(sbx_sandbox_submit(w.sb, "r", "sleep 100; exit 5", NULL, NULL, NULL, &w.err), SBX_OK);
    prints(&w, w.sb, "cd ~/.sandport/v1/runs/*; ls exit exit.tmp 2>/dev/null", NULL, "exit.tmp\n");
    T_STATUS(sbx_sandbox_poll(w.sb, "r", NULL, &status, &w.err), SBX_OK);
    T_EQ(status.state, SBX_RUN_RUNNING);
    sbx_sim_advance_ms(w.sim, 101000);
    T_STATUS(sbx_sandbox_submit(w.sb, "r", "sleep 100; exit 5", NULL, NULL, &status, &w.err), SBX_OK);
    T_EQ(status.state, SBX_RUN_EXITED);
    T_EQ(status.exit_code, 5);
    T_EQ(status.submitted, 0);
    world_finish(&w);
}

T_CASES(T_CASE(f052_values_and_folders_of_any_letters), T_CASE(f059_a_record_without_an_exit_code),
        T_CASE(f062_letters_cut_at_every_byte), T_CASE(f065_what_was_cut_is_said),
        T_CASE(f067_the_last_output_of_a_short_command), T_CASE(f068_streams_stay_apart_or_it_is_said),
        T_CASE(f070_an_empty_snapshot_of_the_log), T_CASE(f077_sizes_around_the_longest_argument),
        T_CASE(f088_handles_share_nothing), T_CASE(day8_24_lines_without_end_and_markers),
        T_CASE(day8_26_half_written_ends_and_earlier_runs))
