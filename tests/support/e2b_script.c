/* An E2B runtime over a script of exchanges. */
#include "e2b_script.h"

struct scripted scripted_new(const struct sbx_e2b_options *opt) {
    struct scripted w = {0};
    struct sbx_e2b_options full = SBX_E2B_OPTIONS_INIT;
    if (opt) full = *opt;
    if (!full.endpoint) full.endpoint = API;
    if (!full.api_key) full.api_key = KEY;
    if (!full.sandbox_url) full.sandbox_url = BOX;
    w.script = script_new(NULL, 0);
    w.env = script_env(w.script);
    sbx_error_init(&w.err, sizeof(w.err));
    T_STATUS(sbx_e2b_create(&full, w.env, &w.rt, &w.err), SBX_OK);
    return w;
}

struct scripted scripted_launched(const struct sbx_e2b_options *opt) {
    struct scripted w = scripted_new(opt);
    SCRIPT(w.script, {.request = "POST " API "/v2/sandboxes", CREATED}, PROBED);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    script_done(w.script);
    return w;
}

void scripted_finish(struct scripted *w) {
    sbx_sandbox_free(w->sb);
    sbx_runtime_free(w->rt);
    script_free(w->script);
}

struct ran ran_with(const struct script_step *steps, size_t n) {
    struct ran r = {.w = scripted_launched(NULL)};
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    opt.lifetime_ms = 60000;
    script_play(r.w.script, steps, n);
    r.st = sbx_sandbox_exec(r.w.sb, "echo hi", &opt, NULL, &r.result, &r.w.err);
    script_done(r.w.script);
    return r;
}

void ran_finish(struct ran *r) {
    sbx_exec_result_free(r->result);
    scripted_finish(&r->w);
}
