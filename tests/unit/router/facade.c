/* Sandboxes by their locators: each verb reaches the account that the sandbox was made in. Rows R9, R11, D6. */
#include "routed.h"

#include <sandport/router_sandbox.h>
#include <stdio.h>

static struct routed *one_in_b(void) {
    struct routed *r = routed_new();
    r->a.provider = "fake-a";
    r->b.provider = "fake-b";
    r->req.pool_id = "b";
    r->how.request = "job";
    routed_open(r, NULL);
    T_STATUS(routed_provision(r), SBX_OK);
    r->told[0] = 0;
    return r;
}

static void every_verb_goes_home(void) {
    struct routed *r = one_in_b();
    struct sbx_exec_result *result = NULL;
    struct sbx_memory_reader memory;
    struct sbx_buf buf = SBX_BUF_INIT;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "x", 1);
    const struct sbx_sink to = sbx_buf_sink(&buf);
    T_STATUS(sbx_router_exec(r->router, r->locator, "true", NULL, NULL, &result, &r->err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), "fake-b-sandbox-1: true");
    sbx_exec_result_free(result);
    T_STATUS(sbx_router_upload(r->router, r->locator, "f", &from, NULL, NULL, NULL, &r->err), SBX_OK);
    T_STATUS(sbx_router_download(r->router, r->locator, "f", &to, NULL, NULL, NULL, &r->err), SBX_OK);
    T_STR(sbx_buf_text(&buf), "fake-b-sandbox-1");
    sbx_buf_finish(&buf);
    T_STATUS(sbx_router_stop(r->router, r->locator, NULL, NULL, &r->err), SBX_OK);
    T_STATUS(sbx_router_start(r->router, r->locator, NULL, NULL, NULL, &r->err), SBX_OK);
    T_EQ(r->b.execs + r->b.uploads + r->b.downloads + r->b.stops + r->b.starts, 5);
    T_EQ(r->a.attaches + r->a.execs + r->a.launched, 0);
    T_STATUS(sbx_router_destroy(r->router, r->locator, NULL, &r->err), SBX_OK);
    T_EQ(fake_live(&r->b), 0);
    T_STR(r->told, "DESTROYED b\n");
    routed_free(r);
}

static void describing_sends_nothing(void) {
    struct routed *r = one_in_b();
    struct sbx_description d = SBX_DESCRIPTION_INIT;
    struct sbx_info *info = NULL;
    T_STATUS(sbx_router_describe(r->router, r->locator, NULL, &d, NULL, &r->err), SBX_OK);
    T_STR(d.pool_id, "b");
    T_STR(d.provider, "fake-b");
    T_STR(d.sandbox_id, "fake-b-sandbox-1");
    T_STR(d.request, "job");
    T_STR(d.acquisition, r->b.acquisition);
    T_EQ(r->b.attaches, 0);
    T_STATUS(sbx_router_describe(r->router, r->locator, NULL, NULL, &info, &r->err), SBX_OK);
    T_EQ(sbx_info_state(info), SBX_STATE_RUNNING);
    sbx_info_free(info);
    routed_free(r);
}

static void what_is_unknown(void) {
    struct routed *r = one_in_b();
    static const char *const bad[] = {
        NULL, "", "sbx_", "sbx_0123456789abcdef0123456789abcdeF", "sbx_0123456789abcdef0123456789abcdef0", "nope"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        T_STATUS(sbx_router_stop(r->router, bad[i], NULL, NULL, &r->err), SBX_UNKNOWN_LOCATOR);
    T_STATUS(sbx_router_stop(r->router, r->b.acquisition, NULL, NULL, &r->err), SBX_UNKNOWN_LOCATOR);
    T_STATUS(sbx_router_stop(r->router, "sbx_0123456789abcdef0123456789abcdef", NULL, NULL, &r->err),
             SBX_UNKNOWN_LOCATOR);
    T_EQ(r->err.outcome, SBX_OUTCOME_NOT_SENT);
    T_STATUS(sbx_router_destroy(r->router, "sbx_0123456789abcdef0123456789abcdef", NULL, &r->err), SBX_UNKNOWN_LOCATOR);
    T_EQ(r->b.attaches + r->a.attaches, 0);
    routed_free(r);
}

static void the_providers_failures_keep_their_facts(void) {
    struct routed *r = one_in_b();
    struct sbx_exec_result *result = NULL;
    r->b.exec_status = SBX_CONNECTION_LOST;
    T_STATUS(sbx_router_exec(r->router, r->locator, "true", NULL, NULL, &result, &r->err), SBX_PROVIDER_RUNTIME);
    T_EQ(r->err.cause, SBX_CONNECTION_LOST);
    T_EQ(r->err.outcome, SBX_OUTCOME_UNKNOWN);
    T_STR(r->err.operation, "exec");
    T_STR(r->err.provider, "fake-b");
    T_STR(r->err.detail, "pool b: CONNECTION_LOST");
    T_STR(r->err.sandbox_id, "fake-b-sandbox-1");
    T_STATUS(sbx_router_exec(r->router, r->locator, " ", NULL, NULL, &result, &r->err), SBX_INVALID_ARGUMENT);
    T_STR(r->err.detail, "command: expected a command");
    T_STATUS(sbx_router_submit(r->router, r->locator, "run", "true", NULL, NULL, NULL, &r->err), SBX_UNSUPPORTED);
    T_STATUS(sbx_router_poll(r->router, r->locator, "run", NULL, NULL, &r->err), SBX_UNSUPPORTED);
    routed_free(r);
}

static void a_pool_that_is_not_registered(void) {
    struct routed *r = one_in_b();
    struct sbx_pool *const only_a[] = {fake_pool(&r->a, r->env, "a", NULL, NULL)};
    struct sbx_router_options opt = r->opt;
    struct sbx_router *other = NULL;
    struct sbx_registry *registry = NULL;
    T_STATUS(sbx_registry_memory_create(only_a, 1, &registry, &r->err), SBX_OK);
    opt.registry = registry;
    T_STATUS(sbx_router_create(&opt, r->env, &other, &r->err), SBX_OK);
    T_STATUS(sbx_router_destroy(other, r->locator, NULL, &r->err), SBX_PROVIDER_RUNTIME);
    T_EQ(r->err.cause, SBX_NOT_FOUND);
    T_STR(r->err.detail, "pool b: is not registered");
    T_EQ(routed_state(r, r->locator), SBX_RECORD_MAPPED);
    T_EQ(fake_live(&r->b), 1);
    sbx_router_free(other);
    sbx_registry_free(registry);
    routed_free(r);
}

static void destroying_again_is_success(void) {
    struct routed *r = one_in_b();
    r->b.fail_destroy = 1;
    T_STATUS(sbx_router_destroy(r->router, r->locator, NULL, &r->err), SBX_PROVIDER_RUNTIME);
    T_EQ(r->err.cause, SBX_PROVIDER);
    T_EQ(routed_state(r, r->locator), SBX_RECORD_DESTROYING);
    T_STATUS(sbx_router_stop(r->router, r->locator, NULL, NULL, &r->err), SBX_UNKNOWN_LOCATOR);
    T_STATUS(sbx_router_destroy(r->router, r->locator, NULL, &r->err), SBX_OK);
    T_EQ(routed_state(r, r->locator), SBX_RECORD_DONE);
    T_STATUS(sbx_router_destroy(r->router, r->locator, NULL, &r->err), SBX_OK);
    T_EQ(r->b.destroys, 2);
    routed_free(r);
}

/* ---- a start that replaces ---- */

static void a_replacement_is_behind_the_same_locator(void) {
    struct routed *r = one_in_b();
    struct sbx_start_options opt = SBX_START_OPTIONS_INIT;
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    struct sbx_description d = SBX_DESCRIPTION_INIT;
    char first[SBX_ACQUISITION_SIZE];
    memcpy(first, r->b.acquisition, sizeof(first));
    r->b.start_replaces = 1;
    opt.replace = SBX_YES;
    T_STATUS(sbx_router_start(r->router, r->locator, &opt, NULL, &result, &r->err), SBX_OK);
    T_EQ(result.replaced, 1);
    T_STR(result.old_id, "fake-b-sandbox-1");
    T_STATUS(sbx_router_describe(r->router, r->locator, NULL, &d, NULL, &r->err), SBX_OK);
    T_STR(d.sandbox_id, "fake-b-sandbox-2");
    T_EQ(routed_state(r, d.acquisition), SBX_RECORD_MAPPED);
    T_EQ(routed_state(r, first), SBX_RECORD_DONE);
    T_CONTAINS(r->told, "REPLACED b\n");
    routed_free(r);
}

static int refuse(void *ctx, const char *acquisition) {
    snprintf(ctx, SBX_ACQUISITION_SIZE, "%s", acquisition);
    return 1;
}

static void a_caller_may_refuse_the_replacement(void) {
    struct routed *r = one_in_b();
    struct sbx_start_options opt = SBX_START_OPTIONS_INIT;
    char acquisition[SBX_ACQUISITION_SIZE] = "";
    r->b.start_replaces = 1;
    opt.replace = SBX_YES;
    opt.on_replacing = refuse;
    opt.on_replacing_ctx = acquisition;
    T_STATUS(sbx_router_start(r->router, r->locator, &opt, NULL, NULL, &r->err), SBX_PROVIDER_RUNTIME);
    T_EQ(r->err.cause, SBX_CANCELLED);
    T_EQ(routed_state(r, acquisition), SBX_RECORD_DONE);
    T_EQ(routed_state(r, r->locator), SBX_RECORD_MAPPED);
    T_EQ(fake_live(&r->b), 1);
    routed_free(r);
}

T_CASES(T_CASE(every_verb_goes_home), T_CASE(describing_sends_nothing), T_CASE(what_is_unknown),
        T_CASE(the_providers_failures_keep_their_facts), T_CASE(a_pool_that_is_not_registered),
        T_CASE(destroying_again_is_success), T_CASE(a_replacement_is_behind_the_same_locator),
        T_CASE(a_caller_may_refuse_the_replacement))
