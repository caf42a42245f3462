/* Files, up and down, in constant memory. Row P8.
 *
 * The path of an upload is in the query. Its body is the file's bytes as they are; to daemons before 0.5.7, which take
 * nothing else, and to those that do not say their version it is a form with the file as its only part. The daemon
 * truncates and writes, so one that is cut off leaves a short file behind. */
#include "adapters/e2b/file.h"

#include <sandport/kit/multipart.h>
#include <string.h>

#define ERROR_BYTES_MAX (64 * 1024)

struct transfer {
    struct sbx_request req;
    struct sbx_header headers[E2B_HEADERS_MAX];
    struct sbx_buf url;
};

static enum sbx_status transfer_begin(struct transfer *t, const struct e2b *e, const struct sbx_identity *who,
                                      const char *path, const char *type, const struct sbx_transfer_options *opt,
                                      const struct sbx_call *call, struct sbx_error *err) {
    struct sbx_buf name = SBX_BUF_INIT;
    memset(t, 0, sizeof(*t));
    e2b_put_path(&name, path);
    sbx_buf_text_append(&t->url, who->address);
    sbx_buf_text_append(&t->url, "/files");
    sbx_url_query(&t->url, "path", sbx_buf_text(&name));
    if (name.failed) t->url.failed = 1;
    sbx_buf_finish(&name);
    t->req = (struct sbx_request){.size = sizeof(t->req),
                                  .url = sbx_buf_text(&t->url),
                                  .headers = t->headers,
                                  .deadline_ms = call->deadline_ms,
                                  .stall_ms = opt->stall_ms,
                                  .cancel = sbx_cancel_event(call->cancel)};
    t->req.header_count = e2b_headers(e, who, type, type ? "application/json" : "*/*", t->headers);
    enum sbx_status st = sbx_buf_status(&t->url);
    return st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL) : SBX_OK;
}

static enum sbx_status transfer_meaning(const struct e2b *e, const struct sbx_identity *who, enum e2b_op op,
                                        const struct sbx_answer *ans, struct sbx_error *err) {
    struct e2b_evidence got;
    e2b_evidence_of(ans, &got);
    const struct e2b_meaning means = e2b_meaning_of(op, &got);
    enum sbx_status st = e2b_mean(&means, &got, err);
    if (!st && ans->http_status != 200)
        return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, "answer: expected status 200");
    if (st && ans->http_status) e2b_debug(e, who, op, ans->http_status, sbx_buf_text(&ans->body), ans->body.len);
    return st;
}

/* ---- up ---- */

/* The answer names each file that was written: one that names none has written none. */
static enum sbx_status upload_written(const struct sbx_answer *ans, struct sbx_error *err) {
    struct sbx_json *js = NULL;
    enum sbx_status st = sbx_json_parse(sbx_buf_text(&ans->body), ans->body.len, 0, &js);
    if (!st && (sbx_json_type(sbx_json_root(js)) != SBX_JSON_ARRAY || !sbx_json_count(sbx_json_root(js))))
        st = SBX_PROTOCOL;
    sbx_json_free(js);
    return st ? sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, "answer: expected an array with the file") : SBX_OK;
}

/* The body, and what it is. @param form set if it is one: sbx_multipart_upload_free() it */
static enum sbx_status upload_body(struct e2b *e, const struct sbx_identity *who, const char *path,
                                   const struct sbx_reader *from, struct sbx_multipart_upload **form,
                                   struct sbx_reader *body, const char **type, struct sbx_error *err) {
    *body = *from;
    *type = "application/octet-stream";
    if (e2b_software_since(who->software, 0, 5, 7)) return SBX_OK; /* guard: e2b_upload_form */
    const enum sbx_status st = sbx_multipart_upload_create_part(e->env, "file", path, from, form);
    if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    *body = sbx_multipart_upload_reader(*form);
    *type = sbx_multipart_upload_content_type(*form);
    return SBX_OK;
}

/* @param read does the answer have to name the file? */
static enum sbx_status upload_send(struct e2b *e, const struct sbx_identity *who, const char *path,
                                   const struct sbx_reader *from, const struct sbx_transfer_options *opt, int read,
                                   const struct sbx_call *call, struct sbx_error *err) {
    struct transfer t = {0};
    struct sbx_multipart_upload *form = NULL;
    struct sbx_reader body;
    const char *type = NULL;
    struct sbx_answer ans;
    sbx_answer_init(&ans, sizeof(ans));
    enum sbx_status st = upload_body(e, who, path, from, &form, &body, &type, err);
    if (!st) st = transfer_begin(&t, e, who, path, type, opt, call, err);
    if (!st) {
        t.req.method = "POST";
        t.req.reader = &body;
        t.req.reader_len = -1;
        t.req.flags = SBX_REQUEST_CHUNKED;
        t.req.answer_bytes_max = ERROR_BYTES_MAX;
        sbx_exchange_collect(e->env, &t.req, &ans);
        st = transfer_meaning(e, who, E2B_UPLOAD, &ans, err);
        if (!st && read) st = upload_written(&ans, err);
    }
    sbx_answer_finish(&ans);
    sbx_buf_finish(&t.url);
    sbx_multipart_upload_free(form);
    return st;
}

enum sbx_status e2b_upload_unread(struct e2b *e, const struct sbx_identity *who, const char *path,
                                  const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                  const struct sbx_call *call, struct sbx_error *err) {
    return upload_send(e, who, path, from, opt, 0, call, err);
}

enum sbx_status e2b_upload(void *self, const struct sbx_identity *who, const char *path, const struct sbx_reader *from,
                           const struct sbx_transfer_options *opt, const struct sbx_call *call, struct sbx_error *err) {
    enum sbx_status st = upload_send(self, who, path, from, opt, 1, call, err);
    if (st || !opt->mode) return e2b_explain(self, who, st, call, err);
    st = e2b_file_permissions(self, who, path, opt->mode, NULL, NULL, call, err);
    return st ? sbx_fail(err, st, SBX_OUTCOME_DONE, "mode: the file is written, its mode may not be set") : SBX_OK;
}

/* ---- down ---- */

enum sbx_status e2b_download(void *self, const struct sbx_identity *who, const char *path, const struct sbx_sink *to,
                             const struct sbx_transfer_options *opt, const struct sbx_call *call,
                             struct sbx_error *err) {
    struct e2b *e = self;
    struct transfer t;
    struct sbx_answer ans;
    sbx_answer_init(&ans, sizeof(ans));
    enum sbx_status st = transfer_begin(&t, e, who, path, NULL, opt, call, err);
    if (!st) {
        t.req.method = "GET";
        t.req.flags = SBX_REQUEST_IDEMPOTENT;
        sbx_exchange_to_sink(e->env, &t.req, to, &ans);
        st = transfer_meaning(e, who, E2B_DOWNLOAD, &ans, err);
    }
    sbx_answer_finish(&ans);
    sbx_buf_finish(&t.url);
    return st ? e2b_explain(e, who, st, call, err) : SBX_OK;
}
