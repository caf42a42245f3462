/* What the router does, one kind of call after the other, and what it does when that fails: no credential shows in
 * anything that it leaves. Rows R12, R24. */
#include "hidden.h"

#include "broken_store.h"
#include <stdio.h>

static const char *const pools[] = {"day-1", "e2b"};
static const char *const creates[] = {"daytona.sandbox.create", "e2b.sandbox.create"};
static const int accounts[] = {0, 2};

static enum sbx_status destroy(struct hidden *h) {
    return hidden_said(h, sbx_router_destroy(h->w->router, h->w->locator, NULL, &h->w->err));
}

/* ---- launches ---- */

static void a_launch_that_succeeds(void) {
    struct hidden *h = hidden_new(2, 1);
    hidden_open(h);
    for (size_t i = 0; i < 2; i++) {
        struct sbx_description where = SBX_DESCRIPTION_INIT;
        struct sbx_info *info = NULL;
        h->w->req.pool_id = pools[i];
        T_STATUS(hidden_provision(h), SBX_OK);
        T_STATUS(sbx_router_describe(h->w->router, h->w->locator, NULL, &where, &info, &h->w->err), SBX_OK);
        T_STR(where.pool_id, pools[i]);
        sbx_info_free(info);
    }
    T_EQ(hidden_tokens(), 1); /* E2B's sandbox has a credential of its own, which is looked for too */
    T_STATUS(destroy(h), SBX_OK);
    hidden_end(h);
}

static const struct {
    const char *phase;
    const char *effect;
} failures[] = {{"before", "{'kind':'reset'}"},
                {"before", "{'kind':'close'}"},
                {"before", "{'kind':'hang'}"},
                {"before", "{'kind':'status','status':400}"},
                {"before", "{'kind':'status','status':401}"},
                {"before", "{'kind':'status','status':403}"},
                {"before", "{'kind':'status','status':404}"},
                {"before", "{'kind':'status','status':429,'retry_after':'7'}"},
                {"before", "{'kind':'status','status':500}"},
                {"before", "{'kind':'html','status':502}"},
                {"before_commit", "{'kind':'reset'}"},
                {"after_commit", "{'kind':'reset'}"},
                {"after_commit", "{'kind':'hang'}"},
                {"after_commit", "{'kind':'late','delay_ms':30000}"},
                {"after_commit", "{'kind':'status','status':503}"},
                {"mid_reply", "{'kind':'cut','at_bytes':40}"},
                {"mid_reply", "{'kind':'mutate','path':'$','value':[]}"}};

static void launches_that_fail(void) {
    for (size_t i = 0; i < 2; i++) {
        struct hidden *h = hidden_new(9, 1);
        h->w->req.pool_id = pools[i];
        hidden_open(h);
        for (size_t k = 0; k < sizeof(failures) / sizeof(failures[0]); k++) {
            char json[300];
            snprintf(json, sizeof(json), "{'op':'%s','phase':'%s','effect':%s}", creates[i], failures[k].phase,
                     failures[k].effect);
            hidden_fault(h, json);
            if (hidden_provision(h) == SBX_OK) T_FAIL("%s: no failure", json);
            hidden_healthy(h);
            hidden_advance(h, 60000);
        }
        T_STATUS(sbx_router_reap(h->w->router, NULL, NULL, NULL, &h->w->err), SBX_OK);
        hidden_end(h);
    }
}

/* An answer that says the credential back, in whatever form. */
static void launches_whose_answer_says_the_credential(void) {
    static const int statuses[] = {400, 401, 403, 404, 409, 429, 500, 503};
    for (size_t i = 0; i < 2; i++) {
        struct hidden *h = hidden_new(9, 1);
        h->w->req.pool_id = pools[i];
        hidden_open(h);
        for (size_t k = 0; k < sizeof(statuses) / sizeof(statuses[0]); k++) {
            hidden_echo(h, creates[i], accounts[i], statuses[k]);
            T_TRUE(hidden_provision(h) != SBX_OK);
            hidden_healthy(h);
        }
        T_CONTAINS(sbx_buf_text(&h->w->told), "[redacted]"); /* the debugger was shown the answers */
        hidden_end(h);
    }
}

/* ---- choices ---- */

static void a_full_account_spills_until_none_is_left(void) {
    struct hidden *h = hidden_new(1, 1);
    hidden_open(h);
    for (int i = 0; i < 3; i++) T_STATUS(hidden_provision(h), SBX_OK);
    T_STATUS(hidden_provision(h), SBX_ACQUISITION_EXHAUSTED);
    T_EQ(sbx_provision_attempt_count(h->w->report), 3);
    hidden_end(h);
}

static void capacity_that_is_used_up(void) {
    struct hidden *h = hidden_new(1, 0);
    h->w->opt.capacity_order = pools;
    h->w->opt.capacity_order_count = 2;
    hidden_open(h);
    for (int i = 0; i < 2; i++) T_STATUS(hidden_provision(h), SBX_OK);
    T_STATUS(hidden_provision(h), SBX_PROVIDER_CAPACITY_EXHAUSTED);
    T_EQ(sbx_provision_rejected_count(h->w->report), 3);
    hidden_echo(h, "daytona.sandbox.list", 0, 401);
    hidden_echo(h, "e2b.sandbox.list", 2, 500);
    T_STATUS(hidden_provision(h), SBX_PROVIDER_CAPACITY_EXHAUSTED);
    hidden_end(h);
}

static int32_t ready_is(void *ctx, const char *pool_id) {
    (void)pool_id;
    return *(const int32_t *)ctx;
}

static void requests_that_are_refused(void) {
    struct hidden *h = hidden_new(1, 1);
    int32_t ready = 1;
    h->w->opt.ready = ready_is;
    h->w->opt.ready_ctx = &ready;
    hidden_open(h);
    h->w->req.cpu = 64;
    T_STATUS(hidden_provision(h), SBX_NO_ELIGIBLE_POOL);
    h->w->req.cpu = -1;
    T_STATUS(hidden_provision(h), SBX_INVALID_REQUEST);
    h->w->req.cpu = 0;
    h->w->req.placement = SBX_PLACEMENT_FLEET;
    T_STATUS(hidden_provision(h), SBX_ROUTING_NOT_APPLICABLE);
    h->w->req.placement = SBX_PLACEMENT_POOL;
    T_STATUS(hidden_said(h, sbx_router_provision_detached(h->w->router, &h->w->req, &h->w->how, NULL, h->w->locator,
                                                          NULL, &h->w->err)),
             SBX_NO_ELIGIBLE_POOL);
    ready = 0;
    T_STATUS(hidden_provision(h), SBX_NO_ELIGIBLE_POOL);
    ready = 7;
    T_STATUS(hidden_provision(h), SBX_PROVISIONING_AVAILABILITY);
    hidden_end(h);
}

/* ---- what is left ---- */

static void lost_answers_that_are_reconciled(void) {
    for (size_t i = 0; i < 2; i++) {
        struct hidden *h = hidden_new(3, 1);
        char json[200];
        snprintf(json, sizeof(json), "{'op':'%s','phase':'mid_reply','times':2,'effect':{'kind':'reset'}}", creates[i]);
        h->w->req.pool_id = pools[i];
        hidden_open(h);
        hidden_fault(h, json);
        struct sbx_call call = SBX_CALL_INIT;
        sbx_call_init_after(&call, sizeof(call), h->env, 300000);
        call.cleanup_ms = SBX_NO_CLEANUP; /* what was made is the router's to look up */
        for (int adopt = 0; adopt < 2; adopt++) {
            h->w->how.adopt = adopt ? SBX_YES : SBX_NO;
            const enum sbx_status st =
                sbx_router_provision(h->w->router, &h->w->req, &h->w->how, &call, h->w->locator, NULL, &h->w->err);
            T_STATUS(hidden_said(h, st), adopt ? SBX_OK : SBX_PROVIDER_PROVISIONING);
        }
        T_CONTAINS(sbx_buf_text(&h->w->told), "RECONCILED");
        T_STATUS(destroy(h), SBX_OK);
        hidden_end(h);
    }
}

static void what_is_reaped(void) {
    for (size_t i = 0; i < 2; i++) {
        struct hidden *h = hidden_new(3, 1);
        struct sbx_reap_result result = SBX_REAP_RESULT_INIT;
        struct sbx_call call = SBX_CALL_INIT;
        char json[200];
        snprintf(json, sizeof(json), "{'op':'%s','phase':'after_commit','times':1,'effect':{'kind':'hang'}}",
                 creates[i]);
        h->w->req.pool_id = pools[i];
        hidden_open(h);
        hidden_fault(h, json);
        sbx_call_init_after(&call, sizeof(call), h->env, 1000);
        call.cleanup_ms = SBX_NO_CLEANUP;
        T_STATUS(hidden_said(h, sbx_router_provision(h->w->router, &h->w->req, &h->w->how, &call, h->w->locator, NULL,
                                                     &h->w->err)),
                 SBX_PROVIDER_PROVISIONING);
        hidden_advance(h, 60000);
        T_STATUS(hidden_said(h, sbx_router_reap(h->w->router, NULL, NULL, &result, &h->w->err)), SBX_OK);
        T_EQ(result.finished, 1);
        hidden_end(h);
    }
}

static void stores_that_fail(void) {
    struct hidden *h = hidden_new(3, 1);
    struct broken_store broken = {0};
    struct sbx_store *outer = NULL;
    broken_store_new(&broken, h->env, &outer);
    sbx_store_free(broken.inner);
    broken.inner = h->keep.store;
    h->w->opt.store = outer;
    hidden_open(h);
    broken.fail_intent = 1;
    T_STATUS(hidden_provision(h), SBX_MAPPING_STORE);
    broken.fail_intent = 0;
    broken.fail_mapping = 1;
    T_STATUS(hidden_provision(h), SBX_MAPPING_STORE);
    broken.fail_mapping = 0;
    broken.fail_advance = 1;
    T_STATUS(hidden_provision(h), SBX_MAPPING_STORE);
    hidden_end(h);
    sbx_store_free(outer);
}

/* ---- by locator ---- */

static void use(struct hidden *h, int works) {
    struct routed_world *w = h->w;
    struct sbx_exec_result *result = NULL;
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    struct sbx_log *log = NULL;
    struct sbx_buf got = SBX_BUF_INIT;
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "text\n", 5);
    const struct sbx_sink to = sbx_buf_sink(&got);
    struct sbx_call call = SBX_CALL_INIT;
    sbx_call_init_after(&call, sizeof(call), h->env, 60000);
    const enum sbx_status said[] = {
        hidden_said(h, sbx_router_exec(w->router, w->locator, "echo hello", NULL, &call, &result, &w->err)),
        hidden_said(h, sbx_router_submit(w->router, w->locator, "run-1", "sleep 9", NULL, &call, &status, &w->err)),
        hidden_said(h, sbx_router_poll(w->router, w->locator, "run-1", &call, &status, &w->err)),
        hidden_said(h, sbx_router_read_logs(w->router, w->locator, "run-1", NULL, &call, &log, &w->err)),
        hidden_said(h, sbx_router_kill_run(w->router, w->locator, "run-1", &call, &status, &w->err)),
        hidden_said(h, sbx_router_upload(w->router, w->locator, "a.txt", &from, NULL, &call, NULL, &w->err)),
        hidden_said(h, sbx_router_download(w->router, w->locator, "a.txt", &to, NULL, &call, NULL, &w->err)),
        hidden_said(h, sbx_router_stop(w->router, w->locator, NULL, &call, &w->err)),
        hidden_said(h, sbx_router_start(w->router, w->locator, NULL, &call, NULL, &w->err))};
    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
        if ((said[i] == SBX_OK) != works) T_FAIL("call %d: %s", (int)i, sbx_status_name((int32_t)said[i]));
    sbx_exec_result_free(result);
    sbx_log_free(log);
    sbx_buf_finish(&got);
}

static void sandboxes_by_their_locators(void) {
    struct hidden *h = hidden_new(2, 0);
    hidden_open(h);
    for (size_t i = 0; i < 2; i++) {
        h->w->req.pool_id = pools[i];
        T_STATUS(hidden_provision(h), SBX_OK);
        use(h, 1);
        T_STATUS(destroy(h), SBX_OK);
        T_STATUS(hidden_said(h, sbx_router_stop(h->w->router, h->w->locator, NULL, NULL, &h->w->err)),
                 SBX_UNKNOWN_LOCATOR);
    }
    hidden_end(h);
}

/* Its own part of the cloud refuses everything, and says the credential back. */
static void calls_whose_answer_says_the_credential(void) {
    static const char *const ops[2][8] = {
        {"daytona.toolbox.execute", "daytona.toolbox.upload", "daytona.toolbox.download", "daytona.sandbox.stop",
         "daytona.sandbox.start", "daytona.sandbox.delete", "daytona.toolbox.home_dir", "daytona.sandbox.get"},
        {"e2b.process.start", "e2b.files.write", "e2b.files.read", "e2b.sandbox.pause", "e2b.sandbox.connect",
         "e2b.sandbox.kill", "e2b.sandbox.timeout", "e2b.sandbox.get"}};
    for (size_t i = 0; i < 2; i++) {
        struct hidden *h = hidden_new(2, 0);
        h->w->req.pool_id = pools[i];
        hidden_open(h);
        T_STATUS(hidden_provision(h), SBX_OK);
        for (int http_status = 400; http_status <= 500; http_status += 100) {
            for (size_t k = 0; k < 7; k++) hidden_echo(h, ops[i][k], accounts[i], http_status);
            use(h, 0);
            T_TRUE(destroy(h) != SBX_OK);
            hidden_healthy(h);
            hidden_echo(h, ops[i][7], accounts[i], http_status);
            T_TRUE(destroy(h) != SBX_OK);
            hidden_healthy(h);
        }
        T_STATUS(destroy(h), SBX_OK);
        hidden_end(h);
    }
}

static void a_sandbox_that_is_replaced(void) {
    struct hidden *h = hidden_new(2, 0);
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    h->w->req.pool_id = "day-1";
    hidden_open(h);
    T_STATUS(hidden_provision(h), SBX_OK);
    T_STATUS(sbx_router_stop(h->w->router, h->w->locator, NULL, NULL, &h->w->err), SBX_OK);
    hidden_fault(h, "{'op':'daytona.sandbox.start','phase':'after_commit','times':1,'effect':{'kind':'dead_toolbox'}}");
    T_STATUS(hidden_said(h, sbx_router_start(h->w->router, h->w->locator, NULL, NULL, &result, &h->w->err)), SBX_OK);
    T_EQ(result.replaced, 1);
    T_STATUS(destroy(h), SBX_OK);
    hidden_end(h);
}

T_CASES(T_CASE(a_launch_that_succeeds), T_CASE(launches_that_fail), T_CASE(launches_whose_answer_says_the_credential),
        T_CASE(a_full_account_spills_until_none_is_left), T_CASE(capacity_that_is_used_up),
        T_CASE(requests_that_are_refused), T_CASE(lost_answers_that_are_reconciled), T_CASE(what_is_reaped),
        T_CASE(stores_that_fail), T_CASE(sandboxes_by_their_locators), T_CASE(calls_whose_answer_says_the_credential),
        T_CASE(a_sandbox_that_is_replaced))
