/* Files, up and down, in constant memory. Row P8. */
#include "adapters/daytona/inside.h"

#include <sandport/kit/multipart.h>
#include <stdlib.h>
#include <string.h>

#define ERROR_BYTES_MAX (64 * 1024)
#define LIST_BYTES_MAX  (16 * 1024 * 1024)

static struct sbx_request transfer_request(const struct sbx_transfer_options *opt, const struct sbx_call *call) {
    return (struct sbx_request){.size = sizeof(struct sbx_request),
                                .deadline_ms = call->deadline_ms,
                                .stall_ms = opt->stall_ms,
                                .cancel = sbx_cancel_event(call->cancel)};
}

/* ---- up ---- */

static enum sbx_status upload_meaning(struct daytona *d, const struct sbx_answer *ans, struct sbx_error *err) {
    struct daytona_evidence got;
    daytona_evidence_of(ans, &got);
    const struct daytona_meaning means = daytona_meaning_of(DAYTONA_UPLOAD, &got);
    enum sbx_status st = daytona_mean(&means, &got, err);
    if (st && ans->http_status)
        daytona_debug(d, DAYTONA_UPLOAD, ans->http_status, sbx_buf_text(&ans->body), ans->body.len);
    return st;
}

/* Many files, and where to say what became of each. */
struct upload_many {
    const struct sbx_upload_file *files;
    size_t count;
    int32_t *statuses;
};

/* "open PATH: why" or "PATH: why" */
static int upload_names(const char *text, const char *path) {
    const size_t len = strlen(path);
    for (const char *at = strstr(text, path); at; at = strstr(at + 1, path))
        if ((at == text || at[-1] == ' ') && at[len] == ':') return 1;
    return 0;
}

/* Whose path is in a line of errors; the longest, since one may be the end of another. */
static size_t upload_whose(const char *text, const struct sbx_upload_file *files, size_t count) {
    size_t whose = count, longest = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t len = strlen(files[i].path);
        if (len <= longest || !upload_names(text, files[i].path)) continue;
        whose = i;
        longest = len;
    }
    return whose;
}

/* An answer 400 that lists errors: what it says of each file. @return 0 if it is none */
static int upload_errors(const struct sbx_answer *ans, struct upload_many *many) {
    struct sbx_json *js = NULL;
    if (ans->evidence != SBX_EVIDENCE_DONE || ans->http_status != 400) return 0;
    if (sbx_json_parse(sbx_buf_text(&ans->body), ans->body.len, 0, &js)) {
        sbx_json_free(js);
        return 0;
    }
    const struct sbx_json_node *errors = sbx_json_opt_array(js, sbx_json_root(js), "errors");
    int told = 0;
    for (const struct sbx_json_node *it = errors ? sbx_json_first(errors) : NULL; it; it = sbx_json_next(it)) {
        if (sbx_json_type(it) != SBX_JSON_STRING) continue;
        const char *text = sbx_json_as_string(js, it);
        const size_t whose = upload_whose(text, many->files, many->count);
        if (whose < many->count) many->statuses[whose] = (int32_t)sbx_work_words(text);
        told += whose < many->count;
    }
    sbx_json_free(js);
    return told > 0;
}

/* @param many NULL for one file */
static enum sbx_status upload_send(struct daytona *d, const struct sbx_identity *who, struct sbx_multipart_upload *up,
                                   const struct sbx_transfer_options *opt, struct upload_many *many,
                                   const struct sbx_call *call, struct sbx_error *err) {
    struct sbx_header headers[DAYTONA_HEADERS_MAX];
    struct sbx_request req = transfer_request(opt, call);
    const struct sbx_reader reader = sbx_multipart_upload_reader(up);
    struct sbx_answer ans;
    struct sbx_buf url = SBX_BUF_INIT;
    sbx_answer_init(&ans, sizeof(ans));
    daytona_toolbox_url(&url, who, "/files/bulk-upload");
    req.method = "POST";
    req.url = sbx_buf_text(&url);
    req.headers = headers;
    req.header_count = daytona_headers(d, sbx_multipart_upload_content_type(up), "application/json", headers);
    req.reader = &reader;
    req.reader_len = -1;
    req.flags = SBX_REQUEST_CHUNKED;
    req.answer_bytes_max = many ? LIST_BYTES_MAX : ERROR_BYTES_MAX; /* it names every file */
    enum sbx_status st = sbx_buf_status(&url);
    if (st)
        sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    else {
        sbx_exchange_collect(d->env, &req, &ans);
        st = many && upload_errors(&ans, many) ? SBX_OK : upload_meaning(d, &ans, err);
    }
    sbx_answer_finish(&ans);
    sbx_buf_finish(&url);
    return st;
}

static enum sbx_status upload_mode(struct daytona *d, const struct sbx_identity *who, const char *path, int32_t mode,
                                   const struct sbx_call *call, struct sbx_error *err) {
    enum sbx_status st = daytona_file_permissions(d, who, path, mode, NULL, NULL, call, err);
    return st ? sbx_fail(err, st, SBX_OUTCOME_DONE, "mode: the file is written, its mode may not be set") : SBX_OK;
}

enum sbx_status daytona_upload(void *self, const struct sbx_identity *who, const char *path,
                               const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                               const struct sbx_call *call, struct sbx_error *err) {
    struct daytona *d = self;
    struct sbx_multipart_upload *up = NULL;
    struct sbx_identity where = *who;
    enum sbx_status st = sbx_multipart_upload_create(d->env, path, from, &up);
    if (st == SBX_INVALID_ARGUMENT)
        return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, "path: expected no space at either end");
    if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    st = daytona_address(d, &where, call, err);
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL) : upload_send(d, &where, up, opt, NULL, call, err);
    sbx_multipart_upload_free(up);
    if (!st && opt->mode) st = upload_mode(d, &where, path, opt->mode, call, err);
    return st;
}

enum sbx_status daytona_upload_many(void *ctx, const struct sbx_upload_file *files, size_t count,
                                    const struct sbx_transfer_options *opt, int32_t *statuses,
                                    const struct sbx_call *call, struct sbx_error *err) {
    const struct daytona_inside *in = ctx;
    struct upload_many many = {files, count, statuses};
    struct sbx_multipart_upload *up = NULL;
    struct sbx_multipart_file *parts = calloc(count, sizeof(*parts));
    if (!parts) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    for (size_t i = 0; i < count; i++) parts[i] = (struct sbx_multipart_file){files[i].path, files[i].from};
    enum sbx_status st = sbx_multipart_upload_create_many(in->d->env, parts, count, &up);
    free(parts);
    if (st == SBX_INVALID_ARGUMENT)
        return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, "files: expected no path with a space at either end");
    if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    st = upload_send(in->d, &in->where, up, opt, &many, call, err);
    if (st == SBX_FILE_DENIED || st == SBX_INVALID_ARGUMENT) /* of one that is not named; others may be written */
        sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, "files: one of them was refused");
    sbx_multipart_upload_free(up);
    return st;
}

/* ---- down ---- */

static enum sbx_status download_meaning(struct daytona *d, const struct sbx_answer *ans, struct sbx_error *err) {
    struct daytona_evidence got;
    daytona_evidence_of(ans, &got);
    const struct daytona_meaning means = daytona_meaning_of(DAYTONA_DOWNLOAD, &got);
    enum sbx_status st = daytona_mean(&means, &got, err);
    if (!st && ans->http_status != 200)
        return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "answer: expected status 200");
    if (st && ans->http_status)
        daytona_debug(d, DAYTONA_DOWNLOAD, ans->http_status, sbx_buf_text(&ans->body), ans->body.len);
    return st;
}

enum sbx_status daytona_download(void *self, const struct sbx_identity *who, const char *path,
                                 const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                 const struct sbx_call *call, struct sbx_error *err) {
    struct daytona *d = self;
    struct sbx_header headers[DAYTONA_HEADERS_MAX];
    struct sbx_request req = transfer_request(opt, call);
    struct sbx_answer ans;
    struct sbx_buf url = SBX_BUF_INIT;
    struct sbx_identity where = *who;
    enum sbx_status st = daytona_address(d, &where, call, err);
    if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    sbx_answer_init(&ans, sizeof(ans));
    daytona_toolbox_url(&url, &where, "/files/download");
    sbx_url_query(&url, "path", path);
    req.method = "GET";
    req.url = sbx_buf_text(&url);
    req.headers = headers;
    req.header_count = daytona_headers(d, NULL, "*/*", headers);
    req.flags = SBX_REQUEST_IDEMPOTENT;
    st = sbx_buf_status(&url);
    if (st) {
        sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    } else {
        sbx_exchange_to_sink(d->env, &req, to, &ans);
        st = download_meaning(d, &ans, err);
    }
    sbx_answer_finish(&ans);
    sbx_buf_finish(&url);
    return st;
}
