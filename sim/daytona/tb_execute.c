/* POST /process/execute: the command goes to a shell's standard input; the answer waits for every holder of the output.
 */
#include "sim/daytona/errors.h"
#include "sim/daytona/execute.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A real flood would take all memory; who says more than this is not heard to the end. */
#define EXECUTE_BYTES_MAX  ((size_t)256 * 1024 * 1024)
#define EXECUTE_FOR_EVER_S (INT64_C(10) * 365 * 24 * 3600)

void sim_day_put_text(struct sbx_buf *json, const char *key, const char *text) {
    struct sbx_buf utf8 = SBX_BUF_INIT;
    sbx_utf8_append(&utf8, text, strlen(text));
    sbx_json_put_text(json, key, sbx_buf_text(&utf8), utf8.len);
    if (utf8.failed) json->failed = 1;
    sbx_buf_finish(&utf8);
}

static void execute_output(void *ctx, int stream, const void *data, size_t len) {
    struct sim_day_execute_run *run = ctx;
    (void)stream;
    if (run->output.len > EXECUTE_BYTES_MAX) return;
    sbx_buf_append(&run->output, data, len);
}

void sim_day_execute_finish(struct sim_day_execute *e) {
    for (int i = 0; i < e->run_count; i++) {
        sim_run_free(e->runs[i].run);
        sbx_buf_finish(&e->runs[i].output);
    }
    for (size_t i = 0; i < e->env_count; i++) free(e->env[i]);
    free(e->env);
}

static int execute_is_blank(const char *text) {
    return text[strspn(text, " \t\r\n")] == 0;
}

/* @return 1 if refused, as below */
static int execute_env_add(struct sim_day_call *call, struct sim_day_execute *e, const char *name, const char *value) {
    struct sbx_buf text = SBX_BUF_INIT;
    sbx_buf_printf(&text, "%s=%s", name, value);
    if (sbx_buf_status(&text)) {
        sbx_buf_finish(&text);
        sim_day_daemon_refuse(call, 500, NULL, "out of memory");
        return 1;
    }
    e->env[e->env_count++] = sbx_buf_take(&text, NULL);
    return 0;
}

/* @return 1 if refused: the daemon takes names from a request that a shell takes, and no others */
static int execute_env_name_refused(struct sim_day_call *call, const char *name) {
    char message[160];
    if (sbx_is_env_name(name)) return 0;
    snprintf(message, sizeof(message), "invalid environment variable name: '%.64s'", name);
    sim_day_daemon_refuse(call, 400, NULL, message);
    return 1;
}

/* The sandbox's own environment, and the request's over it: of two values for a name the later holds. */
int sim_day_execute_read_env(struct sim_day_call *call, struct sim_day_execute *e, struct sbx_json *js,
                             const struct sbx_json_node *root) {
    const struct sbx_json_node *envs = sbx_json_opt_object(js, root, "envs");
    const struct sim_day_map *own = call->sb->env;
    e->env = calloc((own ? own->count : 0) + (envs ? sbx_json_count(envs) : 0) + 1, sizeof(*e->env));
    if (!e->env) {
        sim_day_daemon_refuse(call, 500, NULL, "out of memory");
        return 1;
    }
    for (size_t i = 0; own && i < own->count; i++)
        if (execute_env_add(call, e, own->pair[i].name, own->pair[i].value)) return 1;
    for (const struct sbx_json_node *it = envs ? sbx_json_first(envs) : NULL; it; it = sbx_json_next(it)) {
        const char *value = sbx_json_as_string(js, it);
        if (!value) continue;
        if (execute_env_name_refused(call, sbx_json_key(it)) || execute_env_add(call, e, sbx_json_key(it), value))
            return 1;
    }
    return 0;
}

static int execute_read(struct sim_day_call *call, struct sim_day_execute *e) {
    struct sbx_json *js = NULL;
    const struct sbx_json_node *root = sim_day_toolbox_body(call, &js);
    if (!root) return 1;
    e->input = sbx_json_opt_string(js, root, "command", "");
    e->cwd = sbx_json_opt_string(js, root, "cwd", NULL);
    e->timeout_s = sbx_json_opt_int(js, root, "timeout", 0);
    if (sim_day_execute_read_env(call, e, js, root)) return 1;
    if (sbx_json_status(js) || e->timeout_s < 0) {
        sim_day_daemon_refuse(call, 400, "INVALID_REQUEST_BODY", "cannot unmarshal the request");
        return 1;
    }
    if (execute_is_blank(e->input)) {
        sim_day_daemon_refuse(call, 400, NULL, "command cannot be empty or whitespace-only");
        return 1;
    }
    if (e->cwd && !*e->cwd) e->cwd = NULL;
    return 0;
}

static void execute_start(struct sim_day_call *call, struct sim_day_execute *e) {
    struct sim_day_execute_run *run = &e->runs[e->run_count++];
    const struct sim_run_options opt = {.argv = e->argv,
                                        .cwd = e->cwd,
                                        .env = (const char *const *)e->env,
                                        .stdin_text = e->input,
                                        .stdin_len = e->input ? strlen(e->input) : 0,
                                        .one_stream = 1, /* to the daemon */
                                        .output = execute_output,
                                        .ctx = run};
    run->run = sim_run_start(call->sb->machine, &opt, &run->why);
}

void sim_day_execute_reply(struct sim_day_call *call, int code, const void *output, size_t len) {
    struct sbx_buf json = SBX_BUF_INIT, text = SBX_BUF_INIT;
    sbx_utf8_append(&text, output, len);
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_int(&json, "exitCode", code);
    sbx_json_put_text(&json, "result", sbx_buf_text(&text), text.len);
    sbx_json_end_object(&json);
    if (text.failed) json.failed = 1;
    sbx_buf_finish(&text);
    sim_http_reply_json(call->x, 200, &json);
}

static void execute_not_started(struct sim_day_call *call, const struct sim_day_execute *e, sim_errno why) {
    char text[300];
    if (e->cwd && (why == ENOENT || why == ENOTDIR || why == EACCES))
        snprintf(text, sizeof(text), "chdir %.200s: %s", e->cwd,
                 why == EACCES    ? "permission denied"
                 : why == ENOTDIR ? "not a directory"
                                  : "no such file or directory");
    else if (why == ENOENT && strcmp(e->argv[0], "bash") != 0) {
        snprintf(text, sizeof(text), "bash: line 1: %.200s: command not found\n", e->argv[0]);
        sim_day_execute_reply(call, 127, text, strlen(text));
        return;
    } else
        snprintf(text, sizeof(text), "fork/exec /usr/bin/bash: %s",
                 why == EAGAIN ? "resource temporarily unavailable" : "no such file or directory");
    sim_day_execute_reply(call, -1, text, strlen(text));
}

static void execute_answer(struct sim_day_call *call, const struct sim_day_execute *e) {
    const struct sim_day_execute_run *run = &e->runs[e->run_count - 1];
    const int limited = e->timeout_s > 0 && e->timeout_s < EXECUTE_FOR_EVER_S;
    const int64_t deadline_ns = limited ? sim_day_now(call->day) + e->timeout_s * SIM_SEC : SIM_NEVER;
    int code = 0, signal = 0;
    if (!run->run) {
        execute_not_started(call, e, run->why);
        return;
    }
    const enum sbx_status st = sim_run_wait(run->run, 1, deadline_ns);
    if (sim_ending(sim_world(call->day->sim))) return;
    if (sim_day_toolbox_lost(call)) return;
    if (st == SBX_DEADLINE) {
        sim_run_kill(run->run, 9);
        sim_day_daemon_refuse(call, 408, "PROCESS_EXECUTION_TIMEOUT", "command execution timeout");
        return;
    }
    const int exited = sim_run_exited(run->run, &code, &signal);
    sim_day_execute_reply(call, exited && signal == 0 ? code : -1, run->output.data, run->output.len);
}

void sim_day_execute_serve(struct sim_day_call *call, struct sim_day_execute *e) {
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call)) return;
    for (int times = sim_day_toolbox_times(call); times > 0; times--) execute_start(call, e);
    if (!sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) execute_answer(call, e);
}

void sim_day_tb_execute(struct sim_day_call *call) {
    static const char *const argv[] = {"bash", NULL};
    struct sim_day_execute e = {.argv = argv};
    if (!execute_read(call, &e)) sim_day_execute_serve(call, &e);
    sim_day_execute_finish(&e);
}
