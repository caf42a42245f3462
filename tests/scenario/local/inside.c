/* What commands on this machine see, and files. Rows L1, P3, P7, P8. */
#include "local_world.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static enum sbx_status exec_with(struct local_world *w, const char *command, const struct sbx_exec_options *opt) {
    sbx_exec_result_free(w->result);
    w->result = NULL;
    return sbx_sandbox_exec(w->sb, command, opt, NULL, &w->result, &w->err);
}

static void nothing_of_the_callers_gets_in(void) {
    struct local_world *w = local_world_new(0);
    const struct sbx_pair own[] = {{"TOKEN", "of-the-sandbox"}, {"BOTH", "launch"}};
    const struct sbx_pair more[] = {{"BOTH", "exec"}};
    struct sbx_launch_options launch = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    T_EQ(setenv("SANDPORT_CANARY", "canary", 1), 0);
    int leak = open("/dev/null", O_RDONLY); /* not closed on exec */
    T_TRUE(leak >= 0);
    (void)signal(SIGUSR1, SIG_IGN);
    launch.env = own;
    launch.env_count = 2;
    opt.env = more;
    opt.env_count = 1;
    T_STATUS(sbx_runtime_launch(w->rt, &launch, NULL, &w->sb, &w->err), SBX_OK);
    T_STATUS(exec_with(w, "echo \"$SANDPORT_CANARY-$TOKEN-$BOTH\"", &opt), SBX_OK);
    T_STR(sbx_exec_result_stdout(w->result, NULL), "-of-the-sandbox-exec\n");
    T_STR(local_world_says(w, "ls /proc/$$/fd; true"), "0\n1\n2\n"); /* a pipe of the shell's would be one more */
    T_STATUS(exec_with(w, "kill -USR1 $$; echo not ended", NULL), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(w->result), 128 + SIGUSR1);
    T_STR(local_world_says(w, "cat; echo end"), "end\n"); /* its input is closed */
    close(leak);
    local_world_finish(w);
}

static void a_working_directory(void) {
    struct local_world *w = local_world_launched(0);
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    char home[256];
    local_world_says(w, "mkdir -p 'a b/-c'");
    snprintf(home, sizeof(home), "%s", local_world_says(w, "pwd"));
    opt.cwd = "a b/-c";
    T_STATUS(exec_with(w, "pwd", &opt), SBX_OK);
    T_CONTAINS(sbx_exec_result_stdout(w->result, NULL), "/home/a b/-c\n");
    opt.cwd = "/";
    T_STATUS(exec_with(w, "pwd", &opt), SBX_OK);
    T_STR(sbx_exec_result_stdout(w->result, NULL), "/\n");
    opt.cwd = "nowhere";
    T_STATUS(exec_with(w, "echo ran >>ran", &opt), SBX_INVALID_ARGUMENT);
    T_EQ(w->err.outcome, SBX_OUTCOME_REFUSED);
    T_STR(w->err.detail, "cwd: expected a directory");
    T_STR(local_world_says(w, "cat ran 2>/dev/null || true"), "");
    local_world_finish(w);
}

/* Whoever takes a child's end from us: its output is there, its code is not, and none is made up. */
static void a_host_that_ignores_its_children(void) {
    struct local_world *w = local_world_launched(0);
    (void)signal(SIGCHLD, SIG_IGN);
    T_STATUS(exec_with(w, "echo out; exit 3", NULL), SBX_PROCESS_LOST);
    T_EQ(w->err.outcome, SBX_OUTCOME_DONE);
    T_EQ(sbx_exec_result_exit_known(w->result), 0);
    T_STR(sbx_exec_result_stdout(w->result, NULL), "out\n");
    (void)signal(SIGCHLD, SIG_DFL);
    local_world_finish(w);
}

/* ---- files ---- */

static enum sbx_status put(struct local_world *w, const char *path, const char *text, int32_t mode) {
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, text, strlen(text));
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    opt.mode = mode;
    return sbx_sandbox_upload(w->sb, path, &from, &opt, NULL, NULL, &w->err);
}

static void files_go_where_they_are_told(void) {
    struct local_world *w = local_world_launched(0);
    T_STATUS(put(w, "a/b c/-d", "text", 0600), SBX_OK);
    T_STR(local_world_says(w, "cat 'a/b c/-d'; stat -c %a 'a/b c/-d'"), "text600\n");
    T_STATUS(put(w, "plain", "", 0), SBX_OK);
    T_STR(local_world_says(w, "stat -c '%a %s' plain; chmod 0755 plain"), "644 0\n");
    T_STATUS(put(w, "plain", "new", 0), SBX_OK);
    T_STR(local_world_says(w, "stat -c '%a %s' plain"), "755 3\n");
    T_STATUS(put(w, "a", "text", 0), SBX_INVALID_ARGUMENT);
    T_STATUS(put(w, "plain/x", "text", 0), SBX_INVALID_ARGUMENT);
    local_world_finish(w);
}

static void what_is_not_there_is_told(void) {
    struct local_world *w = local_world_launched(0);
    struct sbx_buf got = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&got);
    T_STATUS(sbx_sandbox_download(w->sb, "nothing", &to, NULL, NULL, NULL, &w->err), SBX_FILE_NOT_FOUND);
    T_STATUS(sbx_sandbox_download(w->sb, ".", &to, NULL, NULL, NULL, &w->err), SBX_INVALID_ARGUMENT);
    T_EQ(got.len, 0);
    sbx_buf_finish(&got);
    local_world_finish(w);
}

struct flow {
    uint64_t left, wrong, at;
};

static ptrdiff_t flow_read(void *ctx, void *buf, size_t cap) {
    struct flow *f = ctx;
    size_t n = cap < f->left ? cap : (size_t)f->left;
    memset(buf, 'x', n);
    f->left -= n;
    return (ptrdiff_t)n;
}

static int flow_write(void *ctx, const void *data, size_t len) {
    struct flow *f = ctx;
    const char *at = data;
    for (size_t i = 0; i < len; i++) f->wrong += at[i] != 'x';
    f->at += len;
    return 0;
}

static void a_large_file_up_and_down(void) {
    struct local_world *w = local_world_launched(0);
    struct flow up = {.left = 20000000}, down = {0};
    const struct sbx_reader from = {&up, flow_read};
    const struct sbx_sink to = {&down, flow_write};
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    struct sbx_transfer_result result[2] = {SBX_TRANSFER_RESULT_INIT, SBX_TRANSFER_RESULT_INIT};
    opt.checksum = SBX_YES;
    T_STATUS(sbx_sandbox_upload(w->sb, "large", &from, &opt, NULL, &result[0], &w->err), SBX_OK);
    T_STATUS(sbx_sandbox_download(w->sb, "large", &to, &opt, NULL, &result[1], &w->err), SBX_OK);
    T_EQ(down.at, 20000000);
    T_EQ(down.wrong, 0);
    T_STR(result[0].sha256, result[1].sha256);
    local_world_finish(w);
}

T_CASES(T_CASE(nothing_of_the_callers_gets_in), T_CASE(a_working_directory), T_CASE(a_host_that_ignores_its_children),
        T_CASE(files_go_where_they_are_told), T_CASE(what_is_not_there_is_told), T_CASE(a_large_file_up_and_down))
