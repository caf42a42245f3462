/* Durable runs over real shells. */
#include "run_host.h"

#include "src/port/port.h"
#include "t.h"

#include <stdlib.h>
#include <string.h>

struct sbx_run_status run_status;

static char *with_folder(const struct shell_host *host, const char *text) {
    struct sbx_buf whole = SBX_BUF_INIT;
    for (; *text; text++) {
        if (*text == '@')
            sbx_buf_text_append(&whole, host->dir);
        else
            sbx_buf_char(&whole, *text);
    }
    T_TRUE(!whole.failed);
    return sbx_buf_take(&whole, NULL);
}

enum sbx_status run_submit(struct shell_host *host, const char *id, const char *command) {
    struct sbx_run_options opt = SBX_RUN_OPTIONS_INIT;
    char *whole = with_folder(host, command);
    opt.cwd = host->opt.cwd;
    opt.env = host->opt.env;
    opt.env_count = host->opt.env_count;
    opt.lifetime_ms = host->opt.lifetime_ms ? host->opt.lifetime_ms : 60000;
    host->requests = 0;
    sbx_run_status_init(&run_status, sizeof(run_status));
    enum sbx_status st =
        sbx_durable_submit(&host->work, host->dir, id, whole, &opt, &host->call, &run_status, &host->err);
    T_EQ(host->err.status, st);
    free(whole);
    return st;
}

enum sbx_status run_read(struct shell_host *host, const char *id, int64_t out_from, int64_t err_from, int64_t max,
                         struct sbx_log **log) {
    const struct sbx_log_options opt = {
        .size = sizeof(opt), .stdout_from = out_from, .stderr_from = err_from, .bytes_max = max};
    *log = sbx_port_log_new();
    T_TRUE(*log != NULL);
    enum sbx_status st = sbx_durable_read(&host->work, host->dir, id, &opt, &host->call, *log, &host->err);
    if (!st) sbx_log_status(*log, &run_status);
    return st;
}

enum sbx_status run_poll(struct shell_host *host, const char *id) {
    struct sbx_log *log = NULL;
    enum sbx_status st = run_read(host, id, SBX_LOG_NONE, SBX_LOG_NONE, 1, &log);
    sbx_log_free(log);
    return st;
}

enum sbx_status run_kill(struct shell_host *host, const char *id) {
    sbx_run_status_init(&run_status, sizeof(run_status));
    return sbx_durable_kill(&host->work, host->dir, id, &host->call, &run_status, &host->err);
}

void run_await(struct shell_host *host, const char *id) {
    do {
        T_STATUS(run_poll(host, id), SBX_OK);
    } while (run_status.state == SBX_RUN_RUNNING);
}

void run_outside(const struct shell_host *host, const char *command) {
    char *whole = with_folder(host, command);
    T_EQ(system(whole), 0);
    free(whole);
}
