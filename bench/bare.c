/* The loop to compare with, and the requests that it repeats. */
#include "bare.h"
#include "rig.h"

#include <sandport/transfer.h>
#include <stdlib.h>
#include <string.h>

void bare_init(struct bare *bare) {
    BENCH_NEED(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK);
    *bare = (struct bare){.easy = curl_easy_init()};
    BENCH_NEED(bare->easy != NULL);
}

void bare_finish(struct bare *bare) {
    curl_easy_cleanup(bare->easy);
    sbx_buf_finish(&bare->answer);
}

static size_t body_read(char *buf, size_t size, size_t n, void *arg) {
    const struct sbx_reader *from = arg;
    return (size_t)from->read(from->ctx, buf, size * n);
}

static size_t answer_write(char *data, size_t size, size_t n, void *arg) {
    const struct sbx_sink *to = arg;
    return to->write(to->ctx, data, size * n) == 0 ? size * n : 0;
}

long bare_transfer(struct bare *bare, const struct bare_request *req, const struct sbx_reader *from,
                   const struct sbx_sink *to) {
    long status = 0;
    curl_easy_setopt(bare->easy, CURLOPT_URL, req->url);
    curl_easy_setopt(bare->easy, CURLOPT_HTTPHEADER, req->headers);
    curl_easy_setopt(bare->easy, CURLOPT_WRITEFUNCTION, answer_write);
    curl_easy_setopt(bare->easy, CURLOPT_WRITEDATA, to);
    if (from) {
        curl_easy_setopt(bare->easy, CURLOPT_POST, 1L);
        curl_easy_setopt(bare->easy, CURLOPT_READFUNCTION, body_read);
        curl_easy_setopt(bare->easy, CURLOPT_READDATA, from);
    } else {
        curl_easy_setopt(bare->easy, CURLOPT_HTTPGET, 1L);
    }
    BENCH_NEED(curl_easy_perform(bare->easy) == CURLE_OK);
    curl_easy_getinfo(bare->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

long bare_send(struct bare *bare, const struct bare_request *req) {
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, req->body.data, req->body.len);
    const struct sbx_sink to = sbx_buf_sink(&bare->answer);
    sbx_buf_clear(&bare->answer);
    return bare_transfer(bare, req, req->body.len ? &from : NULL, &to);
}

/* ---- requests to repeat ---- */

static void header_add(struct bare_request *out, const char *line) {
    out->headers = curl_slist_append(out->headers, line);
    BENCH_NEED(out->headers != NULL);
}

void bare_request_copy(const struct sbx_request *req, struct bare_request *out) {
    struct sbx_buf line = SBX_BUF_INIT;
    memset(out, 0, sizeof(*out));
    BENCH_NEED(strlen(req->method) < sizeof(out->method));
    memcpy(out->method, req->method, strlen(req->method) + 1);
    out->url = strdup(req->url);
    BENCH_NEED(out->url != NULL);
    header_add(out, "Expect:");
    if (req->body_len || req->reader) header_add(out, "Transfer-Encoding: chunked");
    for (size_t i = 0; i < req->header_count; i++) {
        sbx_buf_clear(&line);
        sbx_buf_printf(&line, "%s: %s", req->headers[i].name, req->headers[i].value);
        header_add(out, sbx_buf_text(&line));
    }
    if (!req->reader && req->body_len) sbx_buf_append(&out->body, req->body, req->body_len);
    BENCH_NEED(!out->body.failed);
    sbx_buf_finish(&line);
}

void bare_request_finish(struct bare_request *req) {
    free(req->url);
    curl_slist_free_all(req->headers);
    sbx_buf_finish(&req->body);
}

/* An env is a table in memory of its own: another exchange is put in front of its. */
static struct {
    enum sbx_evidence (*exchange)(struct sbx_env *env, const struct sbx_request *req, const struct sbx_receiver *to,
                                  struct sbx_exchange_info *info);
    struct bare_request *records;
    size_t count;
    size_t cap;
} recorder;

static enum sbx_evidence exchange_recorded(struct sbx_env *env, const struct sbx_request *req,
                                           const struct sbx_receiver *to, struct sbx_exchange_info *info) {
    if (recorder.count < recorder.cap) bare_request_copy(req, &recorder.records[recorder.count++]);
    return recorder.exchange(env, req, to, info);
}

const size_t *bare_record(struct sbx_env *env, struct bare_request *records, size_t cap) {
    recorder.exchange = env->exchange;
    recorder.records = records;
    recorder.count = 0;
    recorder.cap = cap;
    env->exchange = exchange_recorded;
    return &recorder.count;
}

void bare_record_end(struct sbx_env *env) {
    env->exchange = recorder.exchange;
}
