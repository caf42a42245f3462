/* process.Start and process.Connect: a process made or found, and the stream of its events. Rows P7, P9, E3, V1. */
#include "sim/e2b/select.h"

#include <errno.h>
#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define START_KEEPALIVE "{\"event\":{\"keepalive\":{}}}"

/* What a start says, in the forms in which it is needed. */
struct start {
    struct sbx_buf config, cwd;
    char **env; /* ours, NULL at the end */
    size_t env_count;
    const char **argv;
    const char *tag;
    int has_stdin;
    int64_t timeout_ms;
};

static void start_finish(struct start *s) {
    for (size_t i = 0; i < s->env_count; i++) free(s->env[i]);
    free(s->env);
    free(s->argv);
    sbx_buf_finish(&s->config);
    sbx_buf_finish(&s->cwd);
}

/* ---- the environment ---- */

/* @return 0 when memory runs out */
static int start_env_add(struct start *s, const char *name, const char *value) {
    struct sbx_buf text = SBX_BUF_INIT;
    sbx_buf_printf(&text, "%s=%s", name, value);
    if (sbx_buf_status(&text)) {
        sbx_buf_finish(&text);
        return 0;
    }
    s->env[s->env_count++] = sbx_buf_take(&text, NULL);
    return 1;
}

/* The user's, then the create's, then envd's own, then the command's: the last holds. @return 0 when memory runs out */
static int start_env(const struct sim_e2b_call *call, struct start *s, struct sbx_json *js,
                     const struct sbx_json_node *envs) {
    const struct sim_e2b_sandbox *sb = call->sb;
    const size_t own = sb->env ? sb->env->count : 0;
    const char *const users[][2] = {
        {"HOME", sim_e2b_home(call, call->user)}, {"USER", call->user}, {"LOGNAME", call->user}};
    const char *const fixed[][2] = {{"E2B_SANDBOX", "true"},
                                    {"E2B_SANDBOX_ID", sb->id},
                                    {"E2B_TEMPLATE_ID", sb->template_id},
                                    {"E2B_EVENTS_ADDRESS", "http://192.0.2.1"}};
    int good = 1;
    s->env = calloc(own + 7 + (envs ? sbx_json_count(envs) : 0) + 1, sizeof(*s->env));
    if (!s->env) return 0;
    for (size_t i = 0; i < 3 && good; i++) good = start_env_add(s, users[i][0], users[i][1]);
    for (size_t i = 0; i < own && good; i++) good = start_env_add(s, sb->env->pair[i].name, sb->env->pair[i].value);
    for (size_t i = 0; i < 4 && good; i++) good = start_env_add(s, fixed[i][0], fixed[i][1]);
    for (const struct sbx_json_node *it = envs ? sbx_json_first(envs) : NULL; it && good; it = sbx_json_next(it)) {
        const char *value = sbx_json_as_string(js, it);
        if (value) good = start_env_add(s, sbx_json_key(it), value);
    }
    return good;
}

/* ---- what is asked for ---- */

/* The command in the place of a shell that is told to become it, as envd does: a program that is not there is then an
 * exit code, not an error of the call. @return 0 when memory runs out */
static int start_argv(struct start *s, struct sbx_json *js, const char *cmd, const struct sbx_json_node *args) {
    size_t n = 0;
    s->argv = calloc((args ? sbx_json_count(args) : 0) + 6, sizeof(*s->argv));
    if (!s->argv) return 0;
    s->argv[n++] = "/bin/sh";
    s->argv[n++] = "-c";
    s->argv[n++] = "exec \"$@\"";
    s->argv[n++] = "--";
    s->argv[n++] = cmd;
    for (const struct sbx_json_node *it = args ? sbx_json_first(args) : NULL; it; it = sbx_json_next(it)) {
        const char *arg = sbx_json_as_string(js, it);
        if (arg) s->argv[n++] = arg;
    }
    return 1;
}

/* As List will tell it: what is empty is left out. */
static void start_config(struct start *s, const char *cmd, const struct sbx_json_node *args,
                         const struct sbx_json_node *envs, const char *cwd) {
    struct sbx_buf one = SBX_BUF_INIT;
    sbx_json_begin_object(&s->config, NULL);
    if (*cmd) sbx_json_put_string(&s->config, "cmd", cmd);
    if (args && sbx_json_count(args)) {
        sbx_json_write_node(&one, args);
        sbx_json_put_raw(&s->config, "args", sbx_buf_text(&one), one.len);
    }
    sbx_buf_clear(&one);
    if (envs && sbx_json_count(envs)) {
        sbx_json_write_node(&one, envs);
        sbx_json_put_raw(&s->config, "envs", sbx_buf_text(&one), one.len);
    }
    if (cwd) sbx_json_put_string(&s->config, "cwd", cwd);
    sbx_json_end_object(&s->config);
    if (one.failed) s->config.failed = 1;
    sbx_buf_finish(&one);
}

/* @return 1 if it has been refused */
static int start_cwd_refused(struct sim_e2b_call *call, struct start *s, const char *cwd) {
    const char *why = NULL;
    struct sim_stat st;
    if (!cwd || !*cwd) {
        sbx_buf_text_append(&s->cwd, sim_e2b_home(call, "user"));
        return 0;
    }
    if (sim_e2b_path(call, cwd, &s->cwd, &why)) {
        sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "%s", why);
        return 1;
    }
    const int64_t was = sim_e2b_as_root(call);
    const sim_errno failed = sim_stat(call->sb->machine, sbx_buf_text(&s->cwd), 1, &st);
    sim_e2b_as_was(call, was);
    if (!failed && st.type == 'd') return 0;
    sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, failed ? "cwd '%s' does not exist" : "cwd '%s' is not a directory",
                       sbx_buf_text(&s->cwd));
    return 1;
}

/* @return 0 once it has been refused */
static int start_read(struct sim_e2b_call *call, struct start *s) {
    struct sbx_json *js = NULL;
    const struct sbx_json_node *message = sim_e2b_rpc_message(call, &js);
    if (!message) return 0;
    const struct sbx_json_node *config = sbx_json_opt_object(js, message, "process");
    const struct sbx_json_node *args = sbx_json_opt_array(js, config, "args");
    const struct sbx_json_node *envs = sbx_json_opt_object(js, config, "envs");
    const char *cmd = sbx_json_opt_string(js, config, "cmd", ""), *cwd = sbx_json_opt_string(js, config, "cwd", NULL);
    s->tag = sbx_json_opt_string(js, message, "tag", NULL);
    s->has_stdin = sbx_json_opt_bool(js, message, "stdin", 1);
    if (sbx_json_opt_object(js, message, "pty")) {
        sim_http_unsupported(call->x, "a pty", 0);
        sim_e2b_rpc_refuse(call, E2B_UNIMPLEMENTED, "a pty is not simulated");
        return 0;
    }
    start_config(s, cmd, args, envs, cwd);
    if (!start_argv(s, js, cmd, args) || !start_env(call, s, js, envs) || s->config.failed) {
        sim_e2b_rpc_refuse(call, E2B_RESOURCE_EXHAUSTED, "error starting process: out of memory");
        return 0;
    }
    if (sim_e2b_rpc_message_refused(call, js) || sim_e2b_rpc_timeout(call, &s->timeout_ms)) return 0;
    return !start_cwd_refused(call, s, cwd);
}

/* ---- the stream ---- */

static void start_event(struct sim_e2b_call *call, struct sim_e2b_stream *stream, const struct sim_e2b_process *p) {
    struct sbx_buf json = SBX_BUF_INIT;
    sbx_json_begin_object(&json, NULL);
    sbx_json_begin_object(&json, "event");
    sbx_json_begin_object(&json, "start");
    sbx_json_put_int(&json, "pid", p->pid);
    sbx_json_end_object(&json);
    sbx_json_end_object(&json);
    sbx_json_end_object(&json);
    if (json.failed) stream->out.failed = 1;
    sim_e2b_stream_put(call, stream, sbx_buf_text(&json), json.len);
    sbx_buf_finish(&json);
}

/* @param timeout_ms -1 = none; 0 is over already */
static void start_stream(struct sim_e2b_call *call, struct sim_e2b_process *p, struct sim_e2b_stream *stream,
                         int64_t began_ns, int64_t timeout_ms) {
    const struct sim_e2b_stream_way way = {.deadline_ns = timeout_ms < 0 ? SIM_NEVER : began_ns + timeout_ms * SIM_MS,
                                           .keepalive = START_KEEPALIVE,
                                           .room = &p->room};
    sim_e2b_stream_run(call, stream, &way);
}

static void start_twist(const struct sim_e2b_call *call, struct sim_e2b_stream *stream) {
    stream->holds = call->twist.end_early;
    stream->no_end = call->twist.no_end;
}

static void start_refuse(struct sim_e2b_call *call, sim_errno why) {
    if (why == EAGAIN || why == ENOMEM)
        sim_e2b_rpc_refuse(call, E2B_RESOURCE_EXHAUSTED,
                           "error starting process: fork/exec /bin/sh: resource "
                           "temporarily unavailable");
    else
        sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "error starting process: fork/exec /bin/sh: %s",
                           why == EACCES ? "permission denied" : "no such file or directory");
}

static void start_commit(struct sim_e2b_call *call, struct start *s) {
    struct sim_e2b_stream stream = {0};
    sim_errno why = 0;
    const int64_t began_ns = sim_e2b_now(call->e2b), standard_ms = call->e2b->config.default_timeout_ms;
    const int64_t timeout_ms = s->timeout_ms < 0 && standard_ms ? standard_ms : s->timeout_ms;
    const struct sim_e2b_start start = {
        s->argv, (const char *const *)s->env, sbx_buf_text(&s->cwd), s->config.data, s->tag, s->has_stdin, timeout_ms};
    struct sim_e2b_process *p = sim_e2b_process_new(call->sb, &start, &why);
    if (!p) {
        start_refuse(call, why);
        return;
    }
    if (strcmp(call->user, "user") != 0) sim_http_note(call->x, "%s: with the rights of user", call->user);
    sim_e2b_stream_init(call, &stream);
    start_event(call, &stream, p);
    sim_e2b_process_attach(p, &stream);
    p->first = &stream;
    if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) {
        start_twist(call, &stream);
        start_stream(call, p, &stream, began_ns, timeout_ms);
    }
    sim_e2b_process_detach(p, &stream);
    sim_e2b_stream_finish(&stream);
    sim_e2b_process_release(p);
}

void sim_e2b_process_rpc_start(struct sim_e2b_call *call) {
    struct start s = {.timeout_ms = -1};
    if (start_read(call, &s) && !sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) start_commit(call, &s);
    start_finish(&s);
}

/* Only what comes from now on; of one that has ended its end, while it is kept. */
static void connect_listen(struct sim_e2b_call *call, struct sim_e2b_process *p, int64_t timeout_ms) {
    struct sim_e2b_stream stream = {0};
    struct sbx_buf end = SBX_BUF_INIT;
    sim_e2b_stream_init(call, &stream);
    start_event(call, &stream, p);
    if (p->ended) {
        sim_e2b_process_end_event(p, &end);
        if (!call->twist.no_end) sim_e2b_stream_put(call, &stream, sbx_buf_text(&end), end.len);
        stream.done = 1;
    }
    sim_e2b_process_attach(p, &stream);
    if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) {
        start_twist(call, &stream);
        start_stream(call, p, &stream, sim_e2b_now(call->e2b), timeout_ms);
    }
    sim_e2b_process_detach(p, &stream);
    sim_e2b_stream_finish(&stream);
    sbx_buf_finish(&end);
}

void sim_e2b_process_rpc_connect(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    int64_t timeout_ms = -1;
    const struct sbx_json_node *message = sim_e2b_rpc_message(call, &js);
    if (!message || sim_e2b_rpc_timeout(call, &timeout_ms)) return;
    if (sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    struct sim_e2b_process *p = sim_e2b_select(call, js, message, 1);
    if (p) connect_listen(call, p, timeout_ms);
}
