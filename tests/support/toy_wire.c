/* The toy's requests: counted, and lost, refused or held on demand. */
#include "toy_parts.h"

#include <string.h>

#define TRIES 3

static int mishap_is(struct toy *toy, const char *op, enum toy_mishap which) {
    struct toy_options *opt = toy->opt;
    if (opt->mishap != which || !opt->mishap_of || strcmp(opt->mishap_of, op) != 0 || !opt->mishap_times) return 0;
    if (opt->mishap_times > 0) opt->mishap_times--;
    opt->mishaps++;
    return 1;
}

/* From who runs the sandboxes, or from what stands before one of them. */
static enum sbx_status bad_gateway(const char *op, enum sbx_outcome outcome, struct sbx_error *err) {
    static const char *const outside[] = {"launch", "attach", "find", "count", "info", "start", "stop", "destroy"};
    enum sbx_status st = SBX_NOT_READY;
    for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++)
        if (strcmp(outside[i], op) == 0) st = SBX_PROVIDER;
    err->http_status = 502;
    return sbx_fail(err, st, outcome, NULL);
}

enum sbx_status toy_request(struct toy *toy, const char *op, struct sbx_error *err) {
    toy->opt->calls++;
    return mishap_is(toy, op, TOY_BAD_GATEWAY) ? bad_gateway(op, SBX_OUTCOME_UNKNOWN, err) : SBX_OK;
}

static enum sbx_status wait_in_vain(struct toy *toy, const struct sbx_call *call, struct sbx_error *err) {
    struct sbx_env *env = toy->env;
    struct sbx_event *never = env->event_new(env);
    if (!never) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_UNKNOWN, NULL);
    atomic_store(&toy->opt->waiting, 1);
    enum sbx_status st = env->event_wait(env, never, call->deadline_ms, sbx_cancel_event(call->cancel));
    env->event_free(env, never);
    return sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, NULL);
}

enum sbx_status toy_answer(struct toy *toy, const char *op, const struct sbx_call *call, struct sbx_error *err) {
    if (mishap_is(toy, op, TOY_RESET)) return sbx_fail(err, SBX_CONNECTION_LOST, SBX_OUTCOME_UNKNOWN, NULL);
    if (mishap_is(toy, op, TOY_OVERSIZE)) return sbx_fail(err, SBX_TOO_LARGE, SBX_OUTCOME_UNKNOWN, NULL);
    return mishap_is(toy, op, TOY_SILENT) ? wait_in_vain(toy, call, err) : SBX_OK;
}

int toy_again(enum sbx_status st, int *tries) {
    return st == SBX_CONNECTION_LOST && ++*tries < TRIES;
}

enum sbx_status toy_read(struct toy *toy, const char *op, const struct sbx_call *call, struct sbx_error *err) {
    enum sbx_status st = SBX_OK;
    int tries = 0;
    do {
        toy->opt->calls++;
        if (mishap_is(toy, op, TOY_BAD_GATEWAY)) return bad_gateway(op, SBX_OUTCOME_REFUSED, err);
        st = toy_answer(toy, op, call, err);
    } while (toy_again(st, &tries));
    return st;
}
