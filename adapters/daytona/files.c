/* Files, up and down, in constant memory. Row P8. */
#include "adapters/daytona/verbs.h"

#include <sandport/kit/multipart.h>
#include <string.h>

#define ERROR_BYTES_MAX (64 * 1024)

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

static enum sbx_status upload_send(struct daytona *d, const struct sbx_identity *who, struct sbx_multipart_upload *up,
                                   const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                   struct sbx_error *err) {
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
    req.answer_bytes_max = ERROR_BYTES_MAX;
    enum sbx_status st = sbx_buf_status(&url);
    if (st)
        sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    else {
        sbx_exchange_collect(d->env, &req, &ans);
        st = upload_meaning(d, &ans, err);
    }
    sbx_answer_finish(&ans);
    sbx_buf_finish(&url);
    return st;
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
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL) : upload_send(d, &where, up, opt, call, err);
    sbx_multipart_upload_free(up);
    return st;
}

/* ---- down ---- */

struct download {
    const struct sbx_sink *to;
    struct sbx_answer ans; /* of an answer that is no file */
};

static int download_head(void *ctx, int http_status, const struct sbx_header *headers, size_t header_count) {
    struct download *down = ctx;
    (void)headers;
    (void)header_count;
    down->ans.http_status = http_status;
    return 0;
}

static int download_body(void *ctx, const void *data, size_t len) {
    struct download *down = ctx;
    if (down->ans.http_status == 200) return down->to->write(down->to->ctx, data, len);
    if (down->ans.body.len < ERROR_BYTES_MAX) sbx_buf_append(&down->ans.body, data, len);
    return down->ans.body.failed;
}

static enum sbx_status download_meaning(struct daytona *d, struct download *down, const struct sbx_exchange_info *info,
                                        struct sbx_error *err) {
    struct daytona_evidence got;
    down->ans.sent_bytes = info->sent_bytes;
    daytona_evidence_of(&down->ans, &got);
    const struct daytona_meaning means = daytona_meaning_of(DAYTONA_DOWNLOAD, &got);
    enum sbx_status st = daytona_mean(&means, &got, err);
    if (!st && down->ans.http_status != 200)
        return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "answer: expected status 200");
    if (st && down->ans.http_status)
        daytona_debug(d, DAYTONA_DOWNLOAD, down->ans.http_status, sbx_buf_text(&down->ans.body), down->ans.body.len);
    return st;
}

enum sbx_status daytona_download(void *self, const struct sbx_identity *who, const char *path,
                                 const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                 const struct sbx_call *call, struct sbx_error *err) {
    struct daytona *d = self;
    struct sbx_header headers[DAYTONA_HEADERS_MAX];
    struct sbx_request req = transfer_request(opt, call);
    struct sbx_exchange_info info = {.size = sizeof(info)};
    struct download down = {.to = to};
    const struct sbx_receiver receiver = {&down, download_head, download_body};
    struct sbx_buf url = SBX_BUF_INIT;
    struct sbx_identity where = *who;
    enum sbx_status st = daytona_address(d, &where, call, err);
    if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    sbx_answer_init(&down.ans, sizeof(down.ans));
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
        down.ans.evidence = (int32_t)d->env->exchange(d->env, &req, &receiver, &info);
        st = download_meaning(d, &down, &info, err);
    }
    sbx_answer_finish(&down.ans);
    sbx_buf_finish(&url);
    return st;
}
