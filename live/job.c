/* The job of a live run: launch, commands, files up and down, a command that takes too long. Row V6. */
#include "live/live.h"

#include <sandport/kit/text.h>
#include <string.h>

#define LAUNCH_MS   (120 * 1000)
#define STEP_MS     (60 * 1000)
#define COMMAND_MS  (30 * 1000)
#define TOO_LONG_MS 2000
#define FILE_TEXT   "live/text.txt"
#define FILE_BYTES  "live/bytes.bin"

/* ---- launch ---- */

static enum sbx_status launch_once(struct live *l, int32_t ttl_min) {
    const struct sbx_pair label = {"live-run", l->label};
    const struct sbx_call call = live_call(l, LAUNCH_MS);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.labels = &label;
    opt.label_count = 1;
    opt.auto_stop_min = LIVE_IDLE_MIN;
    opt.auto_delete_min = SBX_EPHEMERAL;
    opt.ttl_min = ttl_min;
    sbx_error_init(&l->err, sizeof(l->err));
    return sbx_runtime_launch(l->rt, &opt, &call, &l->sb, &l->err);
}

/* An account without time-to-live refuses the option, and then provably made nothing. */
static int refuses_options(const struct sbx_error *err) {
    return err->outcome == SBX_OUTCOME_REFUSED && (err->http_status == 400 || err->http_status == 422);
}

static int launch(struct live *l) {
    int32_t ttl_min = LIVE_TTL_MIN;
    live_step(l, "launch");
    enum sbx_status st = launch_once(l, ttl_min);
    if (st && refuses_options(&l->err)) st = launch_once(l, ttl_min = 0);
    if (st) return live_failed(l, "no sandbox");
    if (ttl_min)
        return live_told(l, 1, "ready, it has run a command; gone after %d idle minutes, %d in all", LIVE_IDLE_MIN,
                         LIVE_TTL_MIN);
    return live_told(l, 1, "ready, it has run a command; time-to-live refused, gone after %d idle minutes",
                     LIVE_IDLE_MIN);
}

/* ---- commands ---- */

static enum sbx_status run_command(struct live *l, const char *command, int64_t lifetime_ms,
                                   struct sbx_exec_result **result) {
    const struct sbx_pair env = {"LIVE_WORD", "caf\xc3\xa9 'quoted'"};
    const struct sbx_call call = live_call(l, STEP_MS);
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    opt.env = &env;
    opt.env_count = 1;
    opt.lifetime_ms = lifetime_ms;
    sbx_error_init(&l->err, sizeof(l->err));
    return sbx_sandbox_exec(l->sb, command, &opt, &call, result, &l->err);
}

static int result_is(const struct sbx_exec_result *result, int32_t code, const char *out, const char *err) {
    return sbx_exec_result_exit_known(result) && sbx_exec_result_exit_code(result) == code &&
           sbx_exec_result_bytes_exact(result) && strcmp(sbx_exec_result_stdout(result, NULL), out) == 0 &&
           strcmp(sbx_exec_result_stderr(result, NULL), err) == 0;
}

static int exec(struct live *l) {
    struct sbx_exec_result *result = NULL;
    live_step(l, "exec");
    if (run_command(l, "printf '%s\\n' \"$LIVE_WORD\"; echo aside >&2; exit 7", COMMAND_MS, &result))
        return live_failed(l, "the command is not known to have run");
    int holds = result_is(result, 7, "caf\xc3\xa9 'quoted'\n", "aside\n");
    live_told(l, holds, holds ? "exit code 7, stdout and stderr byte for byte" : "another exit code or other bytes");
    sbx_exec_result_free(result);
    return holds;
}

static int exec_too_long(struct live *l) {
    struct sbx_exec_result *result = NULL;
    live_step(l, "too long");
    enum sbx_status st = run_command(l, "echo begun; sleep 20", TOO_LONG_MS, &result);
    int holds = st == SBX_COMMAND_TIMEOUT;
    if (!st || holds)
        live_told(l, holds, holds ? "ended at its lifetime of %d ms%s" : "it outlived %d ms%s", TOO_LONG_MS,
                  result && sbx_exec_result_killed_confirmed(result) ? ", proven dead" : "");
    else
        live_failed(l, "expected COMMAND_TIMEOUT");
    sbx_exec_result_free(result);
    return holds;
}

/* ---- files ---- */

struct content {
    const char *path;
    const void *data;
    size_t len;
};

static enum sbx_status upload_one(struct live *l, const struct content *file) {
    const struct sbx_call call = live_call(l, STEP_MS);
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, file->data, file->len);
    sbx_error_init(&l->err, sizeof(l->err));
    return sbx_sandbox_upload(l->sb, file->path, &from, NULL, &call, NULL, &l->err);
}

static int upload(struct live *l, const struct content files[2]) {
    live_step(l, "upload");
    for (size_t i = 0; i < 2; i++)
        if (upload_one(l, &files[i])) return live_failed(l, files[i].path);
    return live_told(l, 1, "%zu bytes of text and %zu of every value are there", files[0].len, files[1].len);
}

static int use(struct live *l, const struct content files[2]) {
    struct sbx_exec_result *result = NULL;
    struct sbx_buf want = SBX_BUF_INIT;
    live_step(l, "use");
    if (run_command(l, "cat " FILE_TEXT " && wc -c <" FILE_BYTES " | tr -d ' '", COMMAND_MS, &result))
        return live_failed(l, "the command is not known to have run");
    sbx_buf_append(&want, files[0].data, files[0].len);
    sbx_buf_printf(&want, "%zu\n", files[1].len);
    int holds = !want.failed && result_is(result, 0, sbx_buf_text(&want), "");
    live_told(l, holds, holds ? "a command sees what was uploaded" : "a command sees something else");
    sbx_buf_finish(&want);
    sbx_exec_result_free(result);
    return holds;
}

static int download_is(struct live *l, const struct content *file) {
    const struct sbx_call call = live_call(l, STEP_MS);
    struct sbx_buf got = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&got);
    sbx_error_init(&l->err, sizeof(l->err));
    enum sbx_status st = sbx_sandbox_download(l->sb, file->path, &to, NULL, &call, NULL, &l->err);
    int same = got.len == file->len && (!got.len || memcmp(got.data, file->data, got.len) == 0);
    sbx_buf_finish(&got);
    if (st) return live_failed(l, file->path);
    return same ? 1 : live_told(l, 0, "%s: other bytes than were uploaded", file->path);
}

static int download(struct live *l, const struct content files[2]) {
    const struct sbx_call call = live_call(l, STEP_MS);
    struct sbx_buf none = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&none);
    live_step(l, "download");
    for (size_t i = 0; i < 2; i++)
        if (!download_is(l, &files[i])) return 0;
    sbx_error_init(&l->err, sizeof(l->err));
    enum sbx_status st = sbx_sandbox_download(l->sb, "live/none", &to, NULL, &call, NULL, &l->err);
    sbx_buf_finish(&none);
    if (st == SBX_FILE_NOT_FOUND)
        return live_told(l, 1, "both came back byte for byte, and one that is not there is told");
    return st ? live_failed(l, "expected FILE_NOT_FOUND") : live_told(l, 0, "a file that is not there was there");
}

int live_job(struct live *l) {
    static const char text[] = "first line\nZ\xc3\xbcrich, \xe6\x97\xa5\xe6\x9c\xac\n";
    unsigned char bytes[256];
    for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (unsigned char)i;
    const struct content files[2] = {{FILE_TEXT, text, sizeof(text) - 1}, {FILE_BYTES, bytes, sizeof(bytes)}};
    return launch(l) && exec(l) && upload(l, files) && use(l, files) && download(l, files) && exec_too_long(l);
}
