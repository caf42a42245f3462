/* Files, there and back. What was put there is compared with what the sandbox has. Rows P2, P8. */
#include "src/orchestrator/room.h"

#include <stdlib.h>
#include <string.h>

#define SCRIPT_BYTES_MAX (32u * 1024)
#define LINE_BYTES_MAX   128 /* of its answer, for each file */

static enum sbx_status put_one(struct course *c, size_t i) {
    const struct sbx_workload_file *file = &c->work->files[i];
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    struct sbx_transfer_result sent = SBX_TRANSFER_RESULT_INIT;
    struct file_result *into = &c->result->files[0][i];
    opt.bytes = file->bytes;
    opt.mode = file->mode;
    opt.checksum = SBX_YES;
    enum sbx_status st = sbx_sandbox_upload(c->sb, file->path, file->from, &opt, &c->call, &sent, c->err);
    if (!st) {
        into->bytes = sent.bytes;
        memcpy(into->sha256, sent.sha256, sizeof(into->sha256));
        if (file->sha256 && strcmp(file->sha256, sent.sha256) != 0) /* guard: upload_is_as_listed */
            st = sbx_fail(c->err, SBX_STREAM, SBX_OUTCOME_DONE, "files[%zu]: its reader gave another sha256", i);
    }
    into->status = (int32_t)st;
    return st;
}

/* ---- what is there: a line "<bytes> <sha256>" for each, the second "-" without a sha256sum ---- */

static void ask_for(struct sbx_buf *script, const char *path) {
    sbx_buf_text_append(script, "f=");
    if (*path != '/') sbx_buf_text_append(script, "./");
    sbx_shell_quote(script, path);
    sbx_buf_text_append(script, "; n=$(wc -c <\"$f\") || n=; h=$(sha256sum <\"$f\") || h=-; echo ${n:--} ${h%% *}\n");
}

static enum sbx_status compare_line(struct course *c, size_t i, char *line) {
    struct file_result *into = &c->result->files[0][i];
    char *hash = line ? strchr(line, ' ') : NULL;
    int64_t bytes = -1;
    if (hash) *hash++ = 0;
    if (!hash || !sbx_text_int(line, 0, INT64_MAX, &bytes) || (uint64_t)bytes != into->bytes ||
        (strcmp(hash, "-") != 0 && strcmp(hash, into->sha256) != 0)) { /* guard: upload_is_verified */
        into->status = SBX_CONNECTION_LOST;
        return sbx_fail(c->err, SBX_CONNECTION_LOST, SBX_OUTCOME_DONE, "files[%zu]: the sandbox has not what was sent",
                        i);
    }
    into->verified = hash[0] != '-';
    return SBX_OK;
}

static enum sbx_status compare(struct course *c, size_t first, size_t last, const struct sbx_exec_result *said) {
    size_t len = 0;
    const char *text = sbx_exec_result_stdout(said, &len);
    char *copy = strndup(text, len), *at = copy;
    enum sbx_status st = copy ? SBX_OK : sbx_fail(c->err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL);
    for (size_t i = first; i < last && !st; i++) {
        char *end = at ? strchr(at, '\n') : NULL;
        if (end) *end = 0;
        st = compare_line(c, i, end ? at : NULL);
        at = end ? end + 1 : NULL;
    }
    free(copy);
    return st;
}

/* As many as fit one command. @return the first that was not asked about */
static size_t script_of(const struct course *c, size_t first, struct sbx_buf *script) {
    size_t i = first;
    sbx_buf_text_append(script, "exec 2>/dev/null\n");
    while (i < c->work->is.file_count && script->len < SCRIPT_BYTES_MAX) ask_for(script, c->work->files[i++].path);
    return i;
}

static enum sbx_status verify(struct course *c) {
    enum sbx_status st = SBX_OK;
    for (size_t first = 0, last = 0; first < c->work->is.file_count && !st; first = last) {
        struct sbx_buf script = SBX_BUF_INIT;
        struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
        struct sbx_exec_result *said = NULL;
        last = script_of(c, first, &script);
        opt.output_bytes_max = (int64_t)((last - first + 1) * LINE_BYTES_MAX);
        st = script.failed ? sbx_fail(c->err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL)
                           : sbx_sandbox_exec(c->sb, sbx_buf_text(&script), &opt, &c->call, &said, c->err);
        if (!st) st = compare(c, first, last, said);
        sbx_exec_result_free(said);
        sbx_buf_finish(&script);
    }
    return st;
}

enum sbx_status sbx_work_upload(struct course *c) {
    enum sbx_status st = SBX_OK;
    for (size_t i = 0; i < c->work->is.file_count && !st; i++) st = put_one(c, i);
    return st ? st : verify(c);
}

/* ---- back ---- */

enum sbx_status sbx_work_collect(struct course *c) {
    enum sbx_status st = SBX_OK;
    for (size_t i = 0; i < c->work->is.collect_count && !st; i++) {
        const struct sbx_workload_collect *collect = &c->work->collects[i];
        struct file_result *into = &c->result->files[1][i];
        struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
        struct sbx_transfer_result got = SBX_TRANSFER_RESULT_INIT;
        opt.checksum = SBX_YES;
        st = sbx_sandbox_download(c->sb, collect->path, collect->to, &opt, &c->call, &got, c->err);
        into->status = (int32_t)st;
        if (!st) {
            into->bytes = got.bytes;
            memcpy(into->sha256, got.sha256, sizeof(into->sha256));
        }
        if (st == SBX_FILE_NOT_FOUND && collect->may_be_missing == SBX_YES) st = SBX_OK;
    }
    return st;
}
