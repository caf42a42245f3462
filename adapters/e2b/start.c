/* Starting is resuming, and not believing it: a probe proves that commands run. Rows E1, E2.
 *
 * A resume gives the sandbox a new token; the old one is worth nothing from then on. Nothing is ever replaced: a
 * sandbox of E2B's keeps its id and files, and one that does not run commands is told. */
#include "adapters/e2b/life.h"

enum sbx_status e2b_start(void *self, struct sbx_identity *who, const struct sbx_start_options *opt,
                          const struct sbx_call *call, struct sbx_start_result *result, struct sbx_error *err) {
    struct e2b *e = self;
    struct e2b_reply reply = {0};
    struct e2b_dto dto = {0};
    struct sbx_buf body = SBX_BUF_INIT;
    (void)result;
    int64_t sent_ms = e->env->now_ms(e->env);
    e2b_timeout_body(&body, e->sandbox_lifetime_ms); /* guard: start_lifetime_sent */
    enum sbx_status st = e2b_change(e, E2B_CONNECT, "POST", who->id, "/connect", &body, call, &reply, err);
    if (!st) st = e2b_reply_dto(&reply, 1, &dto, err);
    if (!st) st = e2b_dto_identity(e, reply.js, &dto, who, err);
    if (!st) e2b_lives_put(e->lives, who->id, sent_ms + e2b_seconds(e->sandbox_lifetime_ms) * 1000);
    e2b_reply_finish(&reply);
    sbx_buf_finish(&body);
    if (!st) st = e2b_probe(e, who, opt->probe_window_ms ? opt->probe_window_ms : e->probe_window_ms, call, err);
    return st;
}
