/* Memory runs out while a command runs and while files pass. Rows P7, P8, P9, P11. */
#include "sweep.h"

#include <sandport/kit/text.h>
#include <stdlib.h>

/* ---- exec ---- */

static struct sbx_exec_result *result; /* of the run at hand */

static void exec_before(struct sweep *s) {
    result = NULL;
    sweep_launched(s);
    sweep_shell(s, "true"); /* so that the next line carries a receipt */
}

static enum sbx_status exec_run(struct sweep *s) {
    static const struct sbx_pair vars[] = {{"WORD", "said"}};
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    opt.env = vars;
    opt.env_count = 1;
    return sbx_sandbox_exec(s->w.sb, "echo ran >> runs; echo $WORD; echo oops >&2; exit 3", &opt, NULL, &result,
                            &s->w.err);
}

static void exec_after(struct sweep *s) {
    const int32_t outcome = s->w.err.outcome;
    const char *runs = sweep_shell(s, "cat runs 2>/dev/null");
    int ran = strcmp(runs, "ran\n") == 0;
    S_TRUE(s, ran || strcmp(runs, "") == 0); /* once, or not at all */
    S_TRUE(s, (s->st == SBX_OK) == (result != NULL));
    if (!s->st) {
        S_TRUE(s, ran && sbx_exec_result_exit_code(result) == 3);
        S_TRUE(s, strcmp(sbx_exec_result_stdout(result, NULL), "said\n") == 0);
        S_TRUE(s, strcmp(sbx_exec_result_stderr(result, NULL), "oops\n") == 0);
    }
    if (s->st) S_TRUE(s, outcome != SBX_OUTCOME_NONE);
    if (s->st && (outcome == SBX_OUTCOME_NOT_SENT || outcome == SBX_OUTCOME_REFUSED)) S_TRUE(s, !ran);
    if (s->st && outcome == SBX_OUTCOME_DONE) S_TRUE(s, ran);
    sbx_exec_result_free(result);
    sweep_destroy(s);
}

static void running_a_command(void) {
    static const struct operation op = {
        .name = "exec", .requests_min = 15, .before = exec_before, .run = exec_run, .after = exec_after};
    sweep(&op);
}

/* The reply is lost as well, so that the sandbox has to be asked what became of the command. */
static void exec_lost_before(struct sweep *s) {
    exec_before(s);
    world_fault(&s->w, "{'op':'daytona.toolbox.execute','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
}

static void running_a_command_whose_reply_is_lost(void) {
    static const struct operation op = {.name = "exec, reply lost",
                                        .requests_min = 20,
                                        .also = SBX_CONNECTION_LOST,
                                        .before = exec_lost_before,
                                        .run = exec_run,
                                        .after = exec_after};
    sweep(&op);
}

static enum sbx_status exec_nowhere_run(struct sweep *s) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    opt.cwd = "/no/such/place";
    return sbx_sandbox_exec(s->w.sb, "echo ran >> /home/daytona/runs", &opt, NULL, &result, &s->w.err);
}

static void running_a_command_in_no_directory(void) {
    static const struct operation op = {.name = "exec, no such cwd",
                                        .requests_min = 20,
                                        .due = SBX_INVALID_ARGUMENT,
                                        .before = exec_before,
                                        .run = exec_nowhere_run,
                                        .after = exec_after};
    sweep(&op);
}

/* A handle that was not told the toolbox's address asks for it first; a command that this kept from being sent has
 * provably not run. */
static void address_before(struct sweep *s) {
    char id[SBX_ID_SIZE];
    exec_before(s);
    sbx_sandbox_id(s->w.sb, id);
    sbx_sandbox_free(s->w.sb);
    world_fault(&s->w, "{'op':'daytona.sandbox.get','phase':'mid_reply','times':1,'effect':{'kind':'mutate','path':"
                       "'$.toolboxProxyUrl'}}");
    T_STATUS(sbx_runtime_attach(s->w.rt, id, NULL, &s->w.sb, &s->w.err), SBX_OK);
    sbx_sandbox_adopt(s->w.sb);
}

static void address_after(struct sweep *s) {
    if (s->st && !strstr(sbx_sim_timeline(s->w.sim), "/process/execute"))
        S_TRUE(s, s->w.err.outcome == SBX_OUTCOME_NOT_SENT);
    exec_after(s);
}

static void running_a_command_at_an_address_to_be_asked(void) {
    static const struct operation op = {.name = "exec, address asked",
                                        .requests_min = 25,
                                        .before = address_before,
                                        .run = exec_run,
                                        .after = address_after};
    sweep(&op);
}

/* ---- files ---- */

#define FILE_BYTES 40000

static char file[FILE_BYTES + 1], got[FILE_BYTES + 1];
static size_t got_len;

static void file_fill(void) {
    char hex[65];
    T_TRUE(sbx_sha256_of("", 0, hex)); /* what libcrypto sets up at its first hash is no part of a transfer */
    for (size_t i = 0; i < FILE_BYTES; i++) file[i] = (char)('a' + i % 26);
}

static enum sbx_status upload(struct sweep *s, struct sbx_transfer_result *said, struct sbx_error *err) {
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, file, FILE_BYTES);
    opt.checksum = SBX_YES;
    return sbx_sandbox_upload(s->w.sb, "project/file.txt", &from, &opt, NULL, said, err);
}

static enum sbx_status upload_run(struct sweep *s) {
    struct sbx_transfer_result said = SBX_TRANSFER_RESULT_INIT;
    enum sbx_status st = upload(s, &said, &s->w.err);
    if (!st) S_TRUE(s, said.bytes == FILE_BYTES && strlen(said.sha256) == 64);
    return st;
}

static void upload_before(struct sweep *s) {
    file_fill();
    sweep_launched(s);
}

static void upload_after(struct sweep *s) {
    const char *size = sweep_shell(s, "wc -c < project/file.txt 2>/dev/null || echo none");
    if (!s->st) S_TRUE(s, atoi(size) == FILE_BYTES);
    if (s->st && s->w.err.outcome == SBX_OUTCOME_NOT_SENT) S_TRUE(s, strstr(size, "none") != NULL);
    if (s->st && s->w.err.outcome == SBX_OUTCOME_DONE) S_TRUE(s, atoi(size) == FILE_BYTES);
    if (upload(s, NULL, NULL)) sweep_fail(s, "an upload can be repeated", __FILE__, __LINE__);
    S_TRUE(s, atoi(sweep_shell(s, "wc -c < project/file.txt")) == FILE_BYTES);
    sweep_destroy(s);
}

static void uploading(void) {
    static const struct operation op = {
        .name = "upload", .requests_min = 18, .before = upload_before, .run = upload_run, .after = upload_after};
    sweep(&op);
}

static int got_write(void *ctx, const void *data, size_t len) {
    (void)ctx;
    if (len > FILE_BYTES - got_len) return -1;
    memcpy(got + got_len, data, len);
    got_len += len;
    return 0;
}

static enum sbx_status download(struct sweep *s, struct sbx_error *err) {
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    const struct sbx_sink to = {NULL, got_write};
    got_len = 0;
    opt.checksum = SBX_YES;
    return sbx_sandbox_download(s->w.sb, "project/file.txt", &to, &opt, NULL, NULL, err);
}

static enum sbx_status download_run(struct sweep *s) {
    return download(s, &s->w.err);
}

static void download_before(struct sweep *s) {
    upload_before(s);
    T_STATUS(upload(s, NULL, &s->w.err), SBX_OK);
}

static void download_after(struct sweep *s) {
    S_TRUE(s, memcmp(got, file, got_len) == 0);
    if (!s->st) S_TRUE(s, got_len == FILE_BYTES);
    if (download(s, NULL)) sweep_fail(s, "a download can be repeated", __FILE__, __LINE__);
    S_TRUE(s, got_len == FILE_BYTES && memcmp(got, file, FILE_BYTES) == 0);
    sweep_destroy(s);
}

static void downloading(void) {
    static const struct operation op = {.name = "download",
                                        .requests_min = 10,
                                        .before = download_before,
                                        .run = download_run,
                                        .after = download_after};
    sweep(&op);
}

static enum sbx_status missing_run(struct sweep *s) {
    const struct sbx_sink to = {NULL, got_write};
    got_len = 0;
    return sbx_sandbox_download(s->w.sb, "no/such/file", &to, NULL, NULL, NULL, &s->w.err);
}

static void missing_after(struct sweep *s) {
    S_TRUE(s, got_len == 0);
    download_after(s);
}

static void downloading_what_is_not_there(void) {
    static const struct operation op = {.name = "download, no such file",
                                        .requests_min = 5,
                                        .due = SBX_FILE_NOT_FOUND,
                                        .before = download_before,
                                        .run = missing_run,
                                        .after = missing_after};
    sweep(&op);
}

/* A sink of the library's own that has no room left stops the transfer like any other. */
static enum sbx_status download_buf_run(struct sweep *s) {
    struct sbx_buf buf = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&buf);
    enum sbx_status st = sbx_sandbox_download(s->w.sb, "project/file.txt", &to, NULL, NULL, NULL, &s->w.err);
    if (!st) S_TRUE(s, buf.len == FILE_BYTES && memcmp(buf.data, file, FILE_BYTES) == 0);
    if (st == SBX_STREAM && buf.failed) st = SBX_NO_MEMORY;
    s->w.err.status = (int32_t)st;
    sbx_buf_finish(&buf);
    return st;
}

static void downloading_into_a_buffer(void) {
    static const struct operation op = {.name = "download into a buffer",
                                        .requests_min = 6,
                                        .before = download_before,
                                        .run = download_buf_run,
                                        .after = download_after};
    sweep(&op);
}

T_CASES(T_CASE(running_a_command), T_CASE(running_a_command_whose_reply_is_lost),
        T_CASE(running_a_command_in_no_directory), T_CASE(running_a_command_at_an_address_to_be_asked),
        T_CASE(uploading), T_CASE(downloading), T_CASE(downloading_what_is_not_there),
        T_CASE(downloading_into_a_buffer))
