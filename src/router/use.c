/* What is done in a sandbox, by its locator: found, done, told. Row R11. */
#include "src/router/locate.h"

#include <sandport/router_sandbox.h>

#define READ_MS     30000
#define TRANSFER_MS (INT64_C(365) * 24 * 3600 * 1000) /* no total: a transfer ends when nothing moves */

/* The deadline of a command follows from its lifetime. */
static int64_t exec_ms(const struct sbx_exec_options *opt) {
    const int64_t lifetime_ms =
        opt && opt->size >= sizeof(*opt) && opt->lifetime_ms > 0 ? opt->lifetime_ms : (int64_t)SBX_LIFETIME_MS;
    return lifetime_ms < TRANSFER_MS ? lifetime_ms + 2 * READ_MS : TRANSFER_MS;
}

enum sbx_status sbx_router_exec(struct sbx_router *router, const char *locator, const char *command,
                                const struct sbx_exec_options *opt, const struct sbx_call *call,
                                struct sbx_exec_result **out, struct sbx_error *err) {
    struct located at;
    struct sbx_error said = SBX_ERROR_INIT;
    enum sbx_status st = sbx_locate(&at, router, "exec", locator, call, exec_ms(opt), err);
    if (!st) {
        const struct sbx_call inner = sbx_router_inner_call(&at.entry, INT64_MAX);
        st = sbx_locate_answer(&at, sbx_sandbox_exec(at.sb, command, opt, &inner, out, &said), &said);
    }
    return sbx_locate_end(&at, st);
}

enum sbx_status sbx_router_submit(struct sbx_router *router, const char *locator, const char *run_id,
                                  const char *command, const struct sbx_run_options *opt, const struct sbx_call *call,
                                  struct sbx_run_status *status, struct sbx_error *err) {
    struct located at;
    struct sbx_error said = SBX_ERROR_INIT;
    enum sbx_status st = sbx_locate(&at, router, "submit", locator, call, READ_MS, err);
    if (!st) {
        const struct sbx_call inner = sbx_router_inner_call(&at.entry, INT64_MAX);
        st = sbx_sandbox_submit(at.sb, run_id, command, opt, &inner, status, &said);
        st = sbx_locate_answer(&at, st, &said);
    }
    return sbx_locate_end(&at, st);
}

enum sbx_status sbx_router_poll(struct sbx_router *router, const char *locator, const char *run_id,
                                const struct sbx_call *call, struct sbx_run_status *status, struct sbx_error *err) {
    struct located at;
    struct sbx_error said = SBX_ERROR_INIT;
    enum sbx_status st = sbx_locate(&at, router, "poll", locator, call, READ_MS, err);
    if (!st) {
        const struct sbx_call inner = sbx_router_inner_call(&at.entry, INT64_MAX);
        st = sbx_locate_answer(&at, sbx_sandbox_poll(at.sb, run_id, &inner, status, &said), &said);
    }
    return sbx_locate_end(&at, st);
}

enum sbx_status sbx_router_read_logs(struct sbx_router *router, const char *locator, const char *run_id,
                                     const struct sbx_log_options *opt, const struct sbx_call *call,
                                     struct sbx_log **out, struct sbx_error *err) {
    struct located at;
    struct sbx_error said = SBX_ERROR_INIT;
    enum sbx_status st = sbx_locate(&at, router, "read_logs", locator, call, READ_MS, err);
    if (!st) {
        const struct sbx_call inner = sbx_router_inner_call(&at.entry, INT64_MAX);
        st = sbx_locate_answer(&at, sbx_sandbox_read_logs(at.sb, run_id, opt, &inner, out, &said), &said);
    }
    return sbx_locate_end(&at, st);
}

enum sbx_status sbx_router_kill_run(struct sbx_router *router, const char *locator, const char *run_id,
                                    const struct sbx_call *call, struct sbx_run_status *status, struct sbx_error *err) {
    struct located at;
    struct sbx_error said = SBX_ERROR_INIT;
    enum sbx_status st = sbx_locate(&at, router, "kill_run", locator, call, READ_MS, err);
    if (!st) {
        const struct sbx_call inner = sbx_router_inner_call(&at.entry, INT64_MAX);
        st = sbx_locate_answer(&at, sbx_sandbox_kill_run(at.sb, run_id, &inner, status, &said), &said);
    }
    return sbx_locate_end(&at, st);
}

enum sbx_status sbx_router_upload(struct sbx_router *router, const char *locator, const char *path,
                                  const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                  const struct sbx_call *call, struct sbx_transfer_result *result,
                                  struct sbx_error *err) {
    struct located at;
    struct sbx_error said = SBX_ERROR_INIT;
    enum sbx_status st = sbx_locate(&at, router, "upload", locator, call, TRANSFER_MS, err);
    if (!st) {
        const struct sbx_call inner = sbx_router_inner_call(&at.entry, INT64_MAX);
        st = sbx_locate_answer(&at, sbx_sandbox_upload(at.sb, path, from, opt, &inner, result, &said), &said);
    }
    return sbx_locate_end(&at, st);
}

enum sbx_status sbx_router_download(struct sbx_router *router, const char *locator, const char *path,
                                    const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                    const struct sbx_call *call, struct sbx_transfer_result *result,
                                    struct sbx_error *err) {
    struct located at;
    struct sbx_error said = SBX_ERROR_INIT;
    enum sbx_status st = sbx_locate(&at, router, "download", locator, call, TRANSFER_MS, err);
    if (!st) {
        const struct sbx_call inner = sbx_router_inner_call(&at.entry, INT64_MAX);
        st = sbx_locate_answer(&at, sbx_sandbox_download(at.sb, path, to, opt, &inner, result, &said), &said);
    }
    return sbx_locate_end(&at, st);
}
