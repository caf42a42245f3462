/* Commands of the library's own in a sandbox, what tools say, and streams that are hashed on their way. Rows P8, D14.
 */
#include "src/work/tool.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define OUTPUT_BYTES_MAX (16 * 1024 * 1024)
#define NONCE_BYTES      8
#define HOST_HAS(host, member)                                                                                         \
    ((host)->size >= offsetof(struct sbx_work_host, member) + sizeof((host)->member) && (host)->member)

enum sbx_status sbx_tool_run(const struct sbx_work_host *host, const char *script, const struct sbx_call *call,
                             struct tool_end *end, struct sbx_error *err) {
    static const struct sbx_pair plain = {"LC_ALL", "C"}; /* their words are read */
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    opt.env = &plain;
    opt.env_count = 1;
    opt.output_bytes_max = OUTPUT_BYTES_MAX;
    sbx_tool_finish(end);
    end->result = sbx_exec_result_create();
    if (!end->result) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    enum sbx_status st = HOST_HAS(host, exec) ? host->exec(host->ctx, script, &opt, call, end->result, err)
                                              : sbx_exact_exec(host, script, &opt, call, end->result, err);
    if (st && err->outcome == SBX_OUTCOME_DONE) err->outcome = SBX_OUTCOME_UNKNOWN;
    if (st) return st;
    if (!sbx_exec_result_exit_known(end->result))
        return sbx_fail(err, SBX_PROCESS_LOST, SBX_OUTCOME_UNKNOWN, "a command of the library's own left no exit code");
    if (sbx_exec_result_truncated(end->result))
        return sbx_fail(err, SBX_TOO_LARGE, SBX_OUTCOME_UNKNOWN, "a command of the library's own said too much");
    end->code = sbx_exec_result_exit_code(end->result);
    end->out = sbx_exec_result_stdout(end->result, &end->out_len);
    end->err = sbx_exec_result_stderr(end->result, NULL);
    return SBX_OK;
}

void sbx_tool_finish(struct tool_end *end) {
    sbx_exec_result_free(end->result);
    *end = (struct tool_end){0};
}

void sbx_tool_path(struct sbx_buf *script, const char *path) {
    if (*path != '/') sbx_buf_text_append(script, "./");
    sbx_shell_quote(script, path);
}

static int has_words(const char *text, const char *words) {
    const size_t len = strlen(words);
    for (; *text; text++)
        if (strncasecmp(text, words, len) == 0) return 1;
    return 0;
}

enum sbx_status sbx_work_words(const char *text) {
    static const struct {
        const char *words;
        enum sbx_status status;
    } rows[] = {{"no space left", SBX_NO_SPACE},
                {"permission denied", SBX_FILE_DENIED},
                {"operation not permitted", SBX_FILE_DENIED},
                {"read-only file system", SBX_FILE_DENIED},
                {"is a directory", SBX_INVALID_ARGUMENT},
                {"not a directory", SBX_INVALID_ARGUMENT},
                {"file exists", SBX_INVALID_ARGUMENT},
                {"file name too long", SBX_INVALID_ARGUMENT},
                {"changed as we read it", SBX_CONFLICT},
                {"removed before we read it", SBX_CONFLICT},
                {"shrank by", SBX_CONFLICT},
                {"no such file", SBX_FILE_NOT_FOUND}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (has_words(text, rows[i].words)) return rows[i].status;
    return SBX_PROVIDER;
}

enum sbx_status sbx_work_mkdir(const struct sbx_work_host *host, const char *path, int32_t mode,
                               const struct sbx_call *call, struct sbx_error *err) {
    struct sbx_buf script = SBX_BUF_INIT;
    struct tool_end end = {0};
    sbx_buf_text_append(&script, "mkdir -p ");
    if (mode) sbx_buf_printf(&script, "-m %03o ", mode == SBX_MODE_NONE ? 0u : (unsigned)mode);
    sbx_tool_path(&script, path);
    enum sbx_status st = script.failed ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL)
                                       : sbx_tool_run(host, sbx_buf_text(&script), call, &end, err);
    if (!st && end.code)
        st = sbx_fail(err, sbx_work_words(end.err), SBX_OUTCOME_REFUSED, "path: it cannot be made, or is a file");
    sbx_tool_finish(&end);
    sbx_buf_finish(&script);
    return st;
}

/* ---- for the time being ---- */

enum sbx_status sbx_tool_tmp_begin(struct tool_tmp *tmp, const char *what, struct sbx_error *err) {
    unsigned char random[NONCE_BYTES];
    char nonce[2 * NONCE_BYTES + 1];
    const enum sbx_status st = tmp->host->env->random(tmp->host->env, random, sizeof(random));
    if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, "no random bytes for a temporary name");
    sbx_hex(random, sizeof(random), nonce);
    snprintf(tmp->dir, sizeof(tmp->dir), "%s/.sbx-%s-%s", HOST_HAS(tmp->host, tmp) ? tmp->host->tmp : "/tmp", what,
             nonce);
    return SBX_OK;
}

void sbx_tool_tmp_made(struct tool_tmp *tmp, enum sbx_status st, const struct sbx_error *err) {
    tmp->made = !st || (err->outcome != SBX_OUTCOME_NOT_SENT && st != SBX_TOOL_MISSING);
}

enum sbx_status sbx_tool_tmp_end(struct tool_tmp *tmp, enum sbx_status st, struct sbx_error *err) {
    struct sbx_buf script = SBX_BUF_INIT;
    struct tool_end end = {0};
    struct sbx_call cleanup;
    struct sbx_error quiet;
    if (!tmp->made) return st;
    int gone = 0;
    sbx_error_init(&quiet, sizeof(quiet));
    sbx_buf_printf(&script, "rm -rf %s", tmp->dir);
    const int may = sbx_call_for_cleanup(tmp->call, tmp->host->env, &cleanup);
    if ((may || !st) && !script.failed)
        gone =
            !sbx_tool_run(tmp->host, sbx_buf_text(&script), may ? &cleanup : tmp->call, &end, &quiet) && end.code == 0;
    err->cleanup = gone ? SBX_CLEANUP_CONFIRMED : SBX_CLEANUP_UNCONFIRMED;
    sbx_tool_finish(&end);
    sbx_buf_finish(&script);
    return st;
}

/* ---- sums ---- */

enum sbx_status sbx_tool_sum_begin(struct tool_sum *sum) {
    sum->bytes = 0;
    sum->hash = sbx_sha256_create();
    return sum->hash ? SBX_OK : SBX_NO_MEMORY;
}

static ptrdiff_t sum_read(void *ctx, void *buf, size_t cap) {
    struct tool_sum *sum = ctx;
    const ptrdiff_t n = sum->from->read(sum->from->ctx, buf, cap);
    if (n > 0) {
        sbx_sha256_add(sum->hash, buf, (size_t)n);
        sum->bytes += (uint64_t)n;
    }
    return n;
}

struct sbx_reader sbx_tool_sum_reader(struct tool_sum *sum) {
    return (struct sbx_reader){sum, sum_read};
}

static int sum_write(void *ctx, const void *data, size_t len) {
    struct tool_sum *sum = ctx;
    sbx_sha256_add(sum->hash, data, len);
    sum->bytes += len;
    return sum->to->write(sum->to->ctx, data, len);
}

struct sbx_sink sbx_tool_sum_sink(struct tool_sum *sum) {
    return (struct sbx_sink){sum, sum_write};
}

enum sbx_status sbx_tool_sum_end(struct tool_sum *sum, char *sha256) {
    *sha256 = 0;
    if (sum->hash) sbx_sha256_hex(sum->hash, sha256);
    sbx_sha256_free(sum->hash);
    sum->hash = NULL;
    return *sha256 ? SBX_OK : SBX_NO_MEMORY;
}
