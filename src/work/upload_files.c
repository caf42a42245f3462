/* Many files, in one request or one after the other, and then what the sandbox has of them: size, SHA-256, mode. Rows
 * P8, P11, D14. */
#include "src/work/tool.h"

#include <stdlib.h>
#include <string.h>

#define SCRIPT_BYTES (64 * 1024) /* of one question; a path takes at most 16 KiB of it */

struct sent {
    struct tool_sum sum;
    struct sbx_reader summed;
    char sha256[SBX_SHA256_HEX];
    int verified;
    int *short_of_memory; /* of the manifest */
};

struct manifest {
    const struct sbx_work_host *host;
    const struct sbx_upload_file *files; /* as the caller gave them */
    size_t count;
    const struct sbx_call *call;
    struct sent *sent;
    struct sbx_upload_file *wire; /* the same with summed readers */
    int32_t *statuses;
    int short_of_memory; /* for a hash: then the upload was stopped here */
};

static ptrdiff_t sent_stop(struct sent *sent) {
    *sent->short_of_memory = 1;
    return -1;
}

/* A hash is begun when the file's turn comes, so that there is one at a time. */
static ptrdiff_t sent_read(void *ctx, void *buf, size_t cap) {
    struct sent *sent = ctx;
    if (sent->sha256[0]) return 0;
    if (!sent->sum.hash && sbx_tool_sum_begin(&sent->sum)) return sent_stop(sent);
    const struct sbx_reader summed = sbx_tool_sum_reader(&sent->sum);
    const ptrdiff_t n = summed.read(summed.ctx, buf, cap);
    return n == 0 && sbx_tool_sum_end(&sent->sum, sent->sha256) ? sent_stop(sent) : n;
}

static enum sbx_status manifest_new(struct manifest *m) {
    m->sent = calloc(m->count, sizeof(*m->sent));
    m->wire = calloc(m->count, sizeof(*m->wire));
    m->statuses = calloc(m->count, sizeof(*m->statuses));
    if (!m->sent || !m->wire || !m->statuses) return SBX_NO_MEMORY;
    for (size_t i = 0; i < m->count; i++) {
        m->sent[i].sum.from = m->files[i].from;
        m->sent[i].short_of_memory = &m->short_of_memory;
        m->sent[i].summed = (struct sbx_reader){&m->sent[i], sent_read};
        m->wire[i] = m->files[i];
        m->wire[i].from = &m->sent[i].summed;
    }
    return SBX_OK;
}

static void manifest_free(struct manifest *m) {
    for (size_t i = 0; m->sent && i < m->count; i++) sbx_sha256_free(m->sent[i].sum.hash);
    free(m->sent);
    free(m->wire);
    free(m->statuses);
}

/* ---- what the sandbox has ---- */

/* One line for each: number, size, SHA-256 or -, mode set (ok), not set (no) or not asked for (-). */
static void question_begin(struct sbx_buf *script) {
    sbx_buf_clear(script);
    sbx_buf_text_append(script, "h=; command -v sha256sum >/dev/null 2>&1 && h=1\n"
                                "v() {\n"
                                "[ -f \"$2\" ] || { echo \"$1 none - -\"; return; }\n"
                                "n=$(wc -c <\"$2\") || n=none; s=-; m=-\n"
                                "[ -z \"$h\" ] || { s=$(sha256sum <\"$2\") && s=${s%% *} || s=-; }\n"
                                "[ \"$3\" = - ] || { m=no; chmod \"$3\" \"$2\" && m=ok; }\n"
                                "echo \"$1\" $n \"$s\" \"$m\"\n"
                                "}\n");
}

static void question_add(struct sbx_buf *script, const struct manifest *m, size_t i) {
    const int32_t mode = m->files[i].mode;
    sbx_buf_printf(script, "v %zu ", i);
    sbx_tool_path(script, m->files[i].path);
    if (mode)
        sbx_buf_printf(script, " %03o\n", mode == SBX_MODE_NONE ? 0u : (unsigned)mode);
    else
        sbx_buf_text_append(script, " -\n");
}

/* The next word of a line, in place. */
static char *word(char **at) {
    char *begin = *at + strspn(*at, " ");
    char *end = begin + strcspn(begin, " \n");
    *at = *end == ' ' ? end + 1 : end;
    *end = 0;
    return begin;
}

/* What one line says of file `i`. A failure that the upload's answer told of stays. */
static void answer_take(struct manifest *m, size_t i, const char *size, const char *sha256, const char *mode) {
    struct sent *sent = &m->sent[i];
    int64_t bytes = -1;
    const int same_size = sbx_text_int(size, 0, INT64_MAX, &bytes) && (uint64_t)bytes == sent->sum.bytes;
    const int hashed = strcmp(sha256, "-") != 0;
    sent->verified = same_size && hashed && strcmp(sha256, sent->sha256) == 0;
    if (m->statuses[i]) return;
    if (!same_size || (hashed && !sent->verified)) /* guard: upload_files_verified */
        m->statuses[i] = SBX_CONNECTION_LOST;
    else if (strcmp(mode, "no") == 0)
        m->statuses[i] = SBX_FILE_DENIED;
}

/* @return 0 unless there is a line for each of [from, to), in that order */
static int answers_read(struct manifest *m, const char *text, size_t from, size_t to) {
    char line[160];
    for (size_t i = from; i < to; i++) {
        const char *end = strchr(text, '\n');
        const size_t len = end ? (size_t)(end - text) : sizeof(line);
        int64_t number = -1;
        if (len >= sizeof(line)) return 0;
        memcpy(line, text, len);
        line[len] = 0;
        text = end + 1;
        char *at = line, *first = word(&at), *size = word(&at), *sha256 = word(&at), *mode = word(&at);
        if (!sbx_text_int(first, 0, INT32_MAX, &number) || (size_t)number != i || !*mode) return 0;
        answer_take(m, i, size, sha256, mode);
    }
    return 1;
}

static enum sbx_status question_ask(struct manifest *m, struct sbx_buf *script, size_t from, size_t to,
                                    struct sbx_error *err) {
    struct tool_end end = {0};
    if (script->failed) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_UNKNOWN, NULL);
    enum sbx_status st = sbx_tool_run(m->host, sbx_buf_text(script), m->call, &end, err);
    if (st) /* the files are sent, whatever became of the question */
        sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, NULL);
    else if (!answers_read(m, end.out, from, to))
        st = sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, "expected a line for each file");
    sbx_tool_finish(&end);
    return st;
}

static enum sbx_status manifest_verify(struct manifest *m, struct sbx_error *err) {
    struct sbx_buf script = SBX_BUF_INIT;
    enum sbx_status st = SBX_OK;
    size_t from = 0;
    question_begin(&script);
    for (size_t i = 0; i < m->count && !st; i++) {
        question_add(&script, m, i);
        if (i + 1 < m->count && script.len < SCRIPT_BYTES) continue;
        st = question_ask(m, &script, from, i + 1, err);
        from = i + 1;
        question_begin(&script);
    }
    sbx_buf_finish(&script);
    return st;
}

/* ---- the result ---- */

static enum sbx_status manifest_tell(const struct manifest *m, struct sbx_files *into, struct sbx_error *err) {
    size_t failed = 0, first = 0;
    for (size_t i = 0; i < m->count; i++) {
        struct sbx_file_draft draft = SBX_FILE_DRAFT_INIT;
        draft.path = m->files[i].path;
        draft.bytes = (int64_t)m->sent[i].sum.bytes;
        draft.sha256 = m->sent[i].sha256;
        draft.verified = m->sent[i].verified;
        draft.status = m->statuses[i];
        if (sbx_files_add(into, &draft)) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_UNKNOWN, NULL);
        if (draft.status && failed++ == 0) first = i;
    }
    if (!failed) return SBX_OK;
    return sbx_fail(err, (enum sbx_status)m->statuses[first], SBX_OUTCOME_DONE,
                    "files[%zu]: the first of %zu that failed, of %zu", first, failed, m->count);
}

/* ---- sending ---- */

/* May the next file still be sent, although this one was not taken? */
static int is_about_one(enum sbx_status st, const struct sbx_error *err) {
    return err->outcome != SBX_OUTCOME_NOT_SENT &&
           (st == SBX_INVALID_ARGUMENT || st == SBX_FILE_DENIED || st == SBX_FILE_NOT_FOUND);
}

static enum sbx_status send_one_by_one(struct manifest *m, const struct sbx_work_files *by,
                                       const struct sbx_transfer_options *opt, struct sbx_error *err) {
    const struct sbx_error before = *err;
    for (size_t i = 0; i < m->count; i++) {
        enum sbx_status st = by->upload(by->ctx, m->wire[i].path, m->wire[i].from, opt, m->call, err);
        if (st && !is_about_one(st, err)) {
            if (i) err->outcome = SBX_OUTCOME_UNKNOWN; /* those before it are written */
            return st;
        }
        m->statuses[i] = (int32_t)st;
        *err = before;
    }
    return SBX_OK;
}

static enum sbx_status manifest_send(struct manifest *m, const struct sbx_work_files *by,
                                     const struct sbx_transfer_options *opt, struct sbx_error *err) {
    if (!by->upload_many) return send_one_by_one(m, by, opt, err);
    return by->upload_many(by->ctx, m->wire, m->count, opt, m->statuses, m->call, err);
}

enum sbx_status sbx_work_upload_files(const struct sbx_work_host *host, const struct sbx_work_files *by,
                                      const struct sbx_upload_file *files, size_t count,
                                      const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                      struct sbx_files *into, struct sbx_error *err) {
    struct manifest m = {.host = host, .files = files, .count = count, .call = call};
    enum sbx_status st = manifest_new(&m);
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL) : manifest_send(&m, by, opt, err);
    if (st && m.short_of_memory) st = sbx_fail(err, SBX_NO_MEMORY, (enum sbx_outcome)err->outcome, NULL);
    if (!st) st = manifest_verify(&m, err);
    if (!st) st = manifest_tell(&m, into, err);
    manifest_free(&m);
    return st;
}
