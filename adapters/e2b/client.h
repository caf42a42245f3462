/* Requests to E2B's two planes - the API, and the daemon in each sandbox - and what their answers mean. Rows P4, P9,
 * R12. */
#ifndef ADAPTERS_E2B_CLIENT_H
#define ADAPTERS_E2B_CLIENT_H

#include "adapters/e2b/errors.h"

#include <sandport/e2b.h>
#include <sandport/kit/json.h>
#include <sandport/kit/wire.h>
#include <sandport/kit/work.h>

#define E2B_PORT "49983" /* of the daemon */

struct e2b_lives;

/** One account. Texts are ours. */
struct e2b {
    struct sbx_env *env;
    char *endpoint; /* without a slash at its end */
    char *key;
    char *sandbox_url; /* NULL = by the sandbox's domain */
    char *template_id;
    int32_t api; /* SBX_E2B_API_V1 or _V2 */
    int64_t run_budget_ms;
    int64_t sync_run_budget_ms;
    int64_t sandbox_lifetime_ms;
    int64_t probe_window_ms;
    int64_t create_horizon_ms;
    void (*debug)(void *ctx, const char *operation, int32_t http_status, const char *text, size_t len);
    void *debug_ctx;
    struct sbx_exact_receipts *receipts;
    struct e2b_lives *lives;
};

/** A request. `body` NULL = none. */
struct e2b_request {
    enum e2b_op op;
    const char *method;
    const char *url;
    const struct sbx_buf *body;     /* JSON */
    const struct sbx_identity *who; /* whose daemon it goes to; NULL = the API */
    uint32_t flags;                 /* SBX_REQUEST_* */
};

/** Its answer: zeroed before, e2b_reply_finish() after, whatever happened. */
struct e2b_reply {
    struct sbx_answer ans;
    struct sbx_json *js; /* of a 2xx answer that is JSON */
    struct e2b_evidence got;
};

void e2b_reply_finish(struct e2b_reply *reply);

/** One exchange. @return SBX_OK for a 2xx; else what it means, with err set (status, outcome, HTTP status, retry-after)
 */
enum sbx_status e2b_send(struct e2b *e, const struct e2b_request *req, const struct sbx_call *call,
                         struct e2b_reply *reply, struct sbx_error *err);

/** e2b_send() to the API's "/sandboxes/{id}" + rest; of the operations only connect has a newer place. */
enum sbx_status e2b_send_to(struct e2b *e, enum e2b_op op, const char *method, const char *id, const char *rest,
                            const struct sbx_buf *body, const struct sbx_call *call, struct e2b_reply *reply,
                            struct sbx_error *err);

/** A read of the API, put again a few times when it failed in passing: each try has its own bound, so that one that
 * hangs does not use up the call. The answer must be JSON. */
enum sbx_status e2b_read(struct e2b *e, enum e2b_op op, const char *url, const struct sbx_call *call,
                         struct e2b_reply *reply, struct sbx_error *err);

/** The same for any request that only reads. */
enum sbx_status e2b_read_by(struct e2b *e, const struct e2b_request *req, const struct sbx_call *call,
                            struct e2b_reply *reply, struct sbx_error *err);

/** Makes a 2xx answer's JSON available, or complains. */
enum sbx_status e2b_reply_json(struct e2b_reply *reply, struct sbx_error *err);

/** Fills evidence from an answer; reads code and message of a JSON error body. */
void e2b_evidence_of(const struct sbx_answer *ans, struct e2b_evidence *got);
/** Sets err from a meaning. @return its status */
enum sbx_status e2b_mean(const struct e2b_meaning *means, const struct e2b_evidence *got, struct sbx_error *err);

/** Headers of every request: at most E2B_HEADERS_MAX, with room for two more.
 *  @param who  whose daemon it goes to; NULL = the API
 *  @param type content type, NULL = none */
#define E2B_HEADERS_MAX 10
size_t e2b_headers(const struct e2b *e, const struct sbx_identity *who, const char *type, const char *accept,
                   struct sbx_header headers[E2B_HEADERS_MAX]);

/** Shows an error answer to the caller's observer, without credentials. @param who may be NULL */
void e2b_debug(const struct e2b *e, const struct sbx_identity *who, enum e2b_op op, int32_t http_status,
               const char *text, size_t len);

/** endpoint + "/sandboxes/" + id + rest, the id percent-encoded. @param newer "/v2/sandboxes/" by that generation */
void e2b_url(const struct e2b *e, int newer, struct sbx_buf *url, const char *id, const char *rest);

/** {"timeout":<whole seconds, rounded up>}. */
void e2b_timeout_body(struct sbx_buf *body, int64_t lifetime_ms);
int64_t e2b_seconds(int64_t ms);

#endif
