/* Requests to Daytona's two planes, and what their answers mean. Rows P4, P9, P11, R12. */
#ifndef ADAPTERS_DAYTONA_CLIENT_H
#define ADAPTERS_DAYTONA_CLIENT_H

#include "adapters/daytona/errors.h"

#include <sandport/daytona.h>
#include <sandport/kit/json.h>
#include <sandport/kit/wire.h>
#include <sandport/kit/work.h>

/** One account. Texts are ours. */
struct daytona {
    struct sbx_env *env;
    char *endpoint; /* without a slash at its end */
    char *key;
    char *bearer;       /* "Bearer <key>" */
    char *organization; /* NULL = none is sent */
    char *snapshot;
    char *target;
    int32_t recreate; /* SBX_YES or SBX_NO */
    int64_t probe_window_ms;
    int64_t create_horizon_ms;
    void (*debug)(void *ctx, const char *operation, int32_t http_status, const char *text, size_t len);
    void *debug_ctx;
    struct sbx_exact_receipts *receipts;
};

/** A request. `body` NULL = none. */
struct daytona_request {
    enum daytona_op op;
    const char *method;
    const char *url;
    const struct sbx_buf *body; /* JSON */
    uint32_t flags;             /* SBX_REQUEST_* */
    size_t answer_max;          /* 0 = 16 MiB */
};

/** Its answer: zeroed before, daytona_reply_finish() after, whatever happened. */
struct daytona_reply {
    struct sbx_answer ans;
    struct sbx_json *js; /* of a 2xx answer that is JSON */
    struct daytona_evidence got;
};

void daytona_reply_finish(struct daytona_reply *reply);

/** One exchange. @return SBX_OK for a 2xx; else what it means, with err set (status, outcome, HTTP status, retry-after)
 */
enum sbx_status daytona_send(struct daytona *d, const struct daytona_request *req, const struct sbx_call *call,
                             struct daytona_reply *reply, struct sbx_error *err);

/** daytona_send() to "/sandbox/{id}" + rest, without a body. */
enum sbx_status daytona_send_to(struct daytona *d, enum daytona_op op, const char *method, const char *id,
                                const char *rest, uint32_t flags, const struct sbx_call *call,
                                struct daytona_reply *reply, struct sbx_error *err);

/** A read, put again a few times when it failed in passing: each try has its own bound, so that one that hangs does not
 * use up the call. The answer must be JSON. */
enum sbx_status daytona_read(struct daytona *d, enum daytona_op op, const char *url, const struct sbx_call *call,
                             struct daytona_reply *reply, struct sbx_error *err);

/** Makes a 2xx answer's JSON available, or complains. */
enum sbx_status daytona_reply_json(struct daytona_reply *reply, struct sbx_error *err);

/** Fills evidence from an answer; reads code and message of a JSON error body. */
void daytona_evidence_of(const struct sbx_answer *ans, struct daytona_evidence *got);
/** Sets err from a meaning. @return its status */
enum sbx_status daytona_mean(const struct daytona_meaning *means, const struct daytona_evidence *got,
                             struct sbx_error *err);

/** Headers of every request: at most DAYTONA_HEADERS_MAX. @param type content type, NULL = none */
#define DAYTONA_HEADERS_MAX 6
size_t daytona_headers(const struct daytona *d, const char *type, const char *accept,
                       struct sbx_header headers[DAYTONA_HEADERS_MAX]);

/** Shows an error answer to the caller's observer, without credentials. */
void daytona_debug(const struct daytona *d, enum daytona_op op, int32_t http_status, const char *text, size_t len);

/** endpoint + "/sandbox/" + id + rest, the id percent-encoded. */
void daytona_url(const struct daytona *d, struct sbx_buf *url, const char *id, const char *rest);
/** toolbox address + "/" + id + rest. */
void daytona_toolbox_url(struct sbx_buf *url, const struct sbx_identity *who, const char *rest);

#endif
