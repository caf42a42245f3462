/* Telling what happens, and asking the simulator what it saw. */
#include "demo.h"

#include <sandport/kit/wire.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

SBX_PRINTF(1, 2) void demo_say(const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    fflush(stdout);
}

void demo_want(struct demo *d, int holds, const char *what) {
    demo_say("   %s %s\n", holds ? "[ok]" : "[NOT SO]", what);
    if (!holds) d->failed = 1;
}

int demo_went_well(struct demo *d, enum sbx_status st, const struct sbx_error *err) {
    char line[512];
    if (st == SBX_OK) return 1;
    sbx_error_describe(err, line, sizeof(line));
    demo_say("   [NOT SO] %s\n", line);
    d->failed = 1;
    return 0;
}

/* ---- the simulator's admin API ---- */

int demo_admin(struct demo *d, const char *method, const char *path, const char *body, struct sbx_json **out) {
    struct sbx_answer ans = {0};
    char url[256];
    int ok = 0;
    sbx_answer_init(&ans, sizeof(ans));
    snprintf(url, sizeof(url), "%s%s", d->admin, path);
    const struct sbx_header type = {"Content-Type", "application/json"};
    const struct sbx_request req = {.size = sizeof(req),
                                    .method = method,
                                    .url = url,
                                    .headers = &type,
                                    .header_count = body ? 1 : 0,
                                    .body = body,
                                    .body_len = body ? strlen(body) : 0,
                                    .deadline_ms = d->env->now_ms(d->env) + 10000};
    sbx_exchange_collect(d->env, &req, &ans);
    ok = ans.evidence == SBX_EVIDENCE_DONE && ans.http_status / 100 == 2;
    if (ok && out) ok = sbx_json_parse(sbx_buf_text(&ans.body), ans.body.len, 0, out) == SBX_OK;
    if (!ok) {
        demo_say("   [NOT SO] %s %s answered %d\n", method, path, (int)ans.http_status);
        d->failed = 1;
    }
    sbx_answer_finish(&ans);
    return ok;
}

/* What the cloud saw since the last step. */
void demo_tell_requests(struct demo *d) {
    struct sbx_json *js = NULL;
    if (!demo_admin(d, "GET", "/journal?kind=exchange", NULL, &js)) return;
    const struct sbx_json_node *lines = sbx_json_array(js, sbx_json_root(js), "lines");
    for (const struct sbx_json_node *l = lines ? sbx_json_first(lines) : NULL; l; l = sbx_json_next(l)) {
        int64_t n = sbx_json_int(js, l, "n");
        if (n <= d->seen) continue;
        d->seen = n;
        demo_say("      %-6s %-58.58s -> %lld\n", sbx_json_opt_string(js, l, "method", "?"),
                 sbx_json_opt_string(js, l, "target", "?"), (long long)sbx_json_opt_int(js, l, "status", 0));
    }
    sbx_json_free(js);
}

/* ---- the end ---- */

void demo_audit(struct demo *d, int64_t made_due) {
    struct sbx_json *js = NULL;
    char what[64];
    if (!demo_admin(d, "GET", "/ledger", NULL, &js)) return;
    const struct sbx_json_node *root = sbx_json_root(js);
    int64_t made = sbx_json_int(js, root, "made"), live = sbx_json_int(js, root, "live");
    double cents = (double)sbx_json_int(js, root, "cost_microcents") / 1e6;
    snprintf(what, sizeof(what), "sandboxes that were made: %lld", (long long)made_due);
    demo_want(d, sbx_json_status(js) == SBX_OK && made == made_due, what);
    demo_want(d, sbx_json_status(js) == SBX_OK && live == 0, "none is left");
    demo_say("   it all cost %.4f cents\n", cents);
    sbx_json_free(js);
}

void demo_destroy(struct demo *d, int64_t made) {
    struct sbx_error err = SBX_ERROR_INIT;
    enum sbx_status st = sbx_sandbox_destroy(d->sb, NULL, &err);
    demo_tell_requests(d);
    demo_went_well(d, st, &err);
    demo_audit(d, made);
}
