/* The toy's commands: by its own wire, which is exact, or by what src/work makes of a line of shell. */
#include "toy_parts.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* A file of this request's own in the sandbox, out of its commands' sight. */
static int request_file(struct toy *toy, const char *id, const char *what, char out[1024]) {
    char name[64];
    snprintf(name, sizeof(name), ".%s-%lld", what, (long long)toy->files);
    return toy_path(toy, id, name, out);
}

/* ---- a line of shell ---- */

static enum sbx_status inside_run(void *ctx, const char *line, const struct sbx_pair *vars, size_t var_count,
                                  int64_t lifetime_ms, const struct sbx_call *call, size_t text_max,
                                  struct sbx_buf *text, struct sbx_error *err) {
    struct toy_inside *in = ctx;
    struct toy *toy = in->toy;
    char from[1024], to[1024];
    struct sbx_buf said = SBX_BUF_INIT;
    int status = 0;
    enum sbx_status st = toy_request(toy, "run", err);
    if (st) return st;
    toy->files++;
    if (!toy_exists(toy, in->who->id)) return toy_gone(err);
    sbx_buf_printf(&said, "%s\n", line);
    int ok = !said.failed && request_file(toy, in->who->id, "line", from) &&
             request_file(toy, in->who->id, "text", to) && toy_file_write(from, said.data, said.len);
    sbx_buf_finish(&said);
    const struct toy_command command = {
        .id = in->who->id, .in = from, .out = to, .err = to, .vars = vars, .var_count = var_count};
    pid_t pid = ok ? toy_spawn(toy, &command) : 0;
    if (!pid) return sbx_fail(err, SBX_PROVIDER, SBX_OUTCOME_NOT_SENT, "no shell could be started");
    st = toy_await(toy, in->who->id, pid, lifetime_ms, call, &status);
    unlink(from);
    if (!st) st = toy_answer(toy, "run", call, err);
    if (st) return sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, NULL);
    toy_file_read(to, text);
    unlink(to);
    return text->len > text_max ? sbx_fail(err, SBX_TOO_LARGE, SBX_OUTCOME_UNKNOWN, NULL) : SBX_OK;
}

void toy_inside_begin(struct toy_inside *in, struct toy *toy, const struct sbx_identity *who) {
    in->toy = toy;
    in->who = who;
    in->host = (struct sbx_work_host){
        .size = sizeof(in->host), .ctx = in, .env = toy->env, .run = inside_run, .sandbox = who->id};
}

/* ---- the toy's own wire ---- */

static enum sbx_status wire_result(enum sbx_status st, int status, const struct sbx_exec_options *opt, const char *out,
                                   const char *bad, struct sbx_exec_result *result, struct sbx_error *err) {
    struct sbx_buf both[2] = {SBX_BUF_INIT, SBX_BUF_INIT};
    size_t max = (size_t)opt->output_bytes_max;
    toy_file_read(out, &both[0]);
    toy_file_read(bad, &both[1]);
    struct sbx_exec_draft draft = {.size = sizeof(draft),
                                   .exit_known = !st,
                                   .exit_code = st                    ? -1
                                                : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                                                      : WEXITSTATUS(status),
                                   .out = sbx_buf_text(&both[0]),
                                   .out_len = both[0].len < max ? both[0].len : max,
                                   .out_total = both[0].len,
                                   .err = sbx_buf_text(&both[1]),
                                   .err_len = both[1].len < max ? both[1].len : max,
                                   .err_total = both[1].len,
                                   .bytes_exact = 1,
                                   .killed_confirmed = st != SBX_OK};
    if (sbx_exec_result_set(result, &draft)) st = SBX_NO_MEMORY;
    sbx_buf_finish(&both[0]);
    sbx_buf_finish(&both[1]);
    return sbx_fail(err, st, SBX_OUTCOME_DONE, NULL);
}

static enum sbx_status wire_exec(struct toy *toy, const char *id, const char *text, const struct sbx_exec_options *opt,
                                 const struct sbx_call *call, struct sbx_exec_result *result, struct sbx_error *err) {
    char out[1024], bad[1024];
    int status = 0;
    enum sbx_status st = toy_request(toy, "exec", err);
    if (st) return st;
    toy->files++;
    if (!toy_exists(toy, id)) return toy_gone(err);
    if (!request_file(toy, id, "out", out) || !request_file(toy, id, "err", bad)) return SBX_INVALID_ARGUMENT;
    const struct toy_command command = {
        .id = id, .text = text, .out = out, .err = bad, .vars = opt->env, .var_count = opt->env_count, .cwd = opt->cwd};
    pid_t pid = toy_spawn(toy, &command);
    if (!pid) return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "cwd: no shell could be started there");
    st = toy_await(toy, id, pid, opt->lifetime_ms ? opt->lifetime_ms : SBX_LIFETIME_MS, call, &status);
    if (st) {
        kill(-pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    enum sbx_status lost = st ? SBX_OK : toy_answer(toy, "exec", call, err);
    if (!lost) st = wire_result(st, status, opt, out, bad, result, err);
    unlink(out);
    unlink(bad);
    return lost ? lost : st;
}

enum sbx_status toy_exec(void *self, const struct sbx_identity *who, const char *command,
                         const struct sbx_exec_options *opt, const struct sbx_call *call,
                         struct sbx_exec_result *result, struct sbx_error *err) {
    struct toy_inside in;
    toy_inside_begin(&in, self, who);
    if (opt->output) return sbx_stream_exec(&in.host, command, opt, call, result, err);
    if (opt->mode == SBX_EXEC_EXACT) return sbx_exact_exec(&in.host, command, opt, call, result, err);
    return wire_exec(self, who->id, command, opt, call, result, err);
}

/* ---- durable runs ---- */

enum sbx_status toy_submit(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                           const char *command, const struct sbx_run_options *opt, const struct sbx_call *call,
                           struct sbx_run_status *status, struct sbx_error *err) {
    struct toy_inside in;
    toy_inside_begin(&in, self, who);
    return sbx_durable_submit(&in.host, home, run_id, command, opt, call, status, err);
}

enum sbx_status toy_read_logs(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                              const struct sbx_log_options *opt, const struct sbx_call *call, struct sbx_log *into,
                              struct sbx_error *err) {
    struct toy_inside in;
    toy_inside_begin(&in, self, who);
    return sbx_durable_read(&in.host, home, run_id, opt, call, into, err);
}

enum sbx_status toy_kill_run(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                             const struct sbx_call *call, struct sbx_run_status *status, struct sbx_error *err) {
    struct toy_inside in;
    toy_inside_begin(&in, self, who);
    return sbx_durable_kill(&in.host, home, run_id, call, status, err);
}
