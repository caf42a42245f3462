/* Sessions: the shell, its commands one after the other, and their end. */
#include "sim/daytona/session.h"
#include "sim/daytona/cloud.h"

#include <errno.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SESSION_GRACE_NS (5 * SIM_SEC)
#define SESSION_LOOK_NS  (50 * SIM_MS)
#define SESSION_OPENS_NS (2 * SIM_SEC)
#define SESSION_TERM     15
#define SESSION_KILL     9

static void session_wake(struct sim_day_command *cmd) {
    for (struct sim_day_watch *watch = cmd->watches; watch; watch = watch->next)
        sim_wake_all(cmd->session->world, watch->queue);
}

void sim_day_command_watch(struct sim_day_command *cmd, struct sim_day_watch *watch, struct sim_waitq *queue) {
    *watch = (struct sim_day_watch){cmd->watches, queue};
    cmd->watches = watch;
}

void sim_day_command_unwatch(struct sim_day_command *cmd, struct sim_day_watch *watch) {
    struct sim_day_watch **at = &cmd->watches;
    while (*at && *at != watch) at = &(*at)->next;
    if (*at) *at = watch->next;
}

/* ---- commands ---- */

static void command_free(struct sim_day_command *cmd) {
    sim_outlet_free(cmd->outlet);
    sim_feed_free(cmd->input);
    sim_file_close(cmd->log);
    for (int i = 0; i < 2; i++) sbx_buf_finish(&cmd->line[i]);
    sbx_buf_finish(&cmd->status);
    free(cmd->folder);
    free(cmd->log_path);
    free(cmd->text);
    free(cmd);
}

/* One line for the shell: the text is sourced, so that what it changes stays, and its status told. */
static void command_line(const struct sim_day_command *cmd, struct sbx_buf *out) {
    const char *in = cmd->is_async ? "/stdin" : "";
    sbx_buf_printf(out, "{ . '%s/command'; } <'%s%s' >'%s/stdout' 2>'%s/stderr'; echo \"$?\" >'%s/status'\n",
                   cmd->folder, cmd->is_async ? cmd->folder : "/dev/null", in, cmd->folder, cmd->folder, cmd->folder);
}

/* Tells an idle shell of the next command. A shell that has ended takes none. */
static sim_errno session_next(struct sim_day_session *session) {
    struct sim_day_command *cmd = session->commands;
    struct sbx_buf line = SBX_BUF_INIT;
    while (cmd && cmd->started) cmd = cmd->next;
    if (session->running || !cmd) return 0;
    command_line(cmd, &line);
    sim_errno failed = sbx_buf_status(&line) ? ENOMEM : sim_run_feed(session->shell, line.data, line.len);
    sbx_buf_finish(&line);
    if (failed) return failed;
    cmd->started = 1;
    session->running = cmd;
    return 0;
}

static void command_record(struct sim_day_command *cmd, int64_t code) {
    struct sim_day_session *session = cmd->session;
    if (!cmd->loses_code) {
        cmd->recorded = 1;
        cmd->recorded_ns = sim_now(session->world);
        cmd->code = (int)code;
    }
    sim_feed_free(cmd->input);
    cmd->input = NULL;
    session->running = NULL;
    (void)session_next(session);
}

static void command_output(void *ctx, int stream, const void *data, size_t len) {
    struct sim_day_command *cmd = ctx;
    if (stream == 3)
        sbx_buf_append(&cmd->status, data, len);
    else
        sim_day_log_take(cmd, stream, data, len);
    session_wake(cmd);
}

/* Nobody holds the output: with a status it is over, without one the shell may have ended, or is about to tell it. */
static void command_closed(void *ctx) {
    struct sim_day_command *cmd = ctx;
    int64_t code = 0;
    sim_day_log_finish(cmd);
    char *text = cmd->status.len ? cmd->status.data : NULL;
    if (text && text[cmd->status.len - 1] == '\n') {
        char digits[8];
        snprintf(digits, sizeof(digits), "%.*s", (int)cmd->status.len - 1, text);
        if (cmd->session->running == cmd && sbx_text_int(digits, 0, 255, &code)) command_record(cmd, code);
    }
    session_wake(cmd);
}

static sim_errno command_file(struct sim_machine *m, const char *path, const char *text, struct sim_file **keep) {
    struct sim_file *file = NULL;
    sim_errno failed = sim_open_write(m, path, 0600, 1, &file);
    if (!failed) failed = sim_file_write(file, text, strlen(text));
    if (!failed && keep)
        *keep = file;
    else
        sim_file_close(file);
    return failed;
}

static char *command_path(const struct sim_day_command *cmd, const char *name) {
    struct sbx_buf text = SBX_BUF_INIT;
    sbx_buf_printf(&text, "%s/%s", cmd->folder, name);
    if (!sbx_buf_status(&text)) return sbx_buf_take(&text, NULL);
    sbx_buf_finish(&text);
    return NULL;
}

static sim_errno command_outlet(struct sim_day_command *cmd) {
    static const char *const names[SIM_OUTLET_STREAMS] = {"stdout", "stderr", "status"};
    struct sim_outlet_options opt = {.output = command_output, .closed = command_closed, .ctx = cmd};
    char *path[SIM_OUTLET_STREAMS] = {0};
    sim_errno failed = 0;
    for (int i = 0; i < SIM_OUTLET_STREAMS && !failed; i++) {
        path[i] = command_path(cmd, names[i]);
        opt.path[i] = path[i];
        failed = path[i] ? 0 : ENOMEM;
    }
    if (!failed) cmd->outlet = sim_outlet_new(cmd->session->machine, &opt, &failed);
    for (int i = 0; i < SIM_OUTLET_STREAMS; i++) free(path[i]);
    return failed;
}

/* The folder of a command and all that is in it. */
static sim_errno command_prepare(struct sim_day_command *cmd) {
    struct sim_machine *m = cmd->session->machine;
    struct sbx_buf folder = SBX_BUF_INIT;
    sbx_buf_printf(&folder, "%s/%s", cmd->session->folder, cmd->id);
    if (sbx_buf_status(&folder)) return ENOMEM;
    cmd->folder = sbx_buf_take(&folder, NULL);
    char *text = command_path(cmd, "command"), *input = command_path(cmd, "stdin");
    cmd->log_path = command_path(cmd, "output.log");
    sim_errno failed = text && input && cmd->log_path ? sim_mkdir(m, cmd->folder, 0700, 1) : ENOMEM;
    if (!failed) failed = command_file(m, text, cmd->text, NULL);
    if (!failed) failed = command_file(m, cmd->log_path, "", &cmd->log);
    if (!failed) failed = command_outlet(cmd);
    if (!failed && cmd->is_async) cmd->input = sim_feed_new(m, input, &failed);
    free(text);
    free(input);
    return failed;
}

sim_errno sim_day_command_submit(struct sim_day_session *session, const char *text, int is_async, int echoes,
                                 struct sim_day_command **out) {
    struct sim_day_command *cmd = NULL;
    sim_errno failed = 0;
    if (sim_day_session_ended(session)) return EPIPE;
    cmd = calloc(1, sizeof(*cmd));
    if (!cmd) return ENOMEM;
    cmd->session = session;
    cmd->is_async = is_async;
    cmd->echoes = echoes;
    sim_draw_uuid(session->world, "daytona.command", cmd->id);
    cmd->text = strdup(text);
    failed = cmd->text ? command_prepare(cmd) : ENOMEM;
    if (failed) {
        if (cmd->folder) (void)sim_unlink(session->machine, cmd->folder, 1);
        command_free(cmd);
        return failed;
    }
    if (session->last)
        session->last->next = cmd;
    else
        session->commands = cmd;
    session->last = cmd;
    *out = cmd;
    return session_next(session);
}

struct sim_day_command *sim_day_command_find(const struct sim_day_session *session, const char *id) {
    struct sim_day_command *cmd = session->commands;
    while (cmd && strcmp(cmd->id, id) != 0) cmd = cmd->next;
    return cmd;
}

/* A real shell takes a moment until it has opened the input of a command that it was told of. */
static sim_errno command_feed(struct sim_day_command *cmd, const struct sbx_buf *text) {
    struct sim_day_session *session = cmd->session;
    const int64_t until_ns = sim_now(session->world) + SESSION_OPENS_NS;
    sim_errno failed = EPIPE;
    while (cmd->input && !session->gone) {
        failed = sim_feed_write(cmd->input, text->data, text->len);
        if (failed != EPIPE || !sim_machine_is_real(session->machine) || sim_now(session->world) >= until_ns) break;
        if (sim_sleep_until(session->world, sim_now(session->world) + SESSION_LOOK_NS / 10) == SIM_ENDING) break;
    }
    return failed;
}

sim_errno sim_day_command_input(struct sim_day_command *cmd, const char *data, size_t len) {
    const int ended = len > 0 && data[len - 1] == '\n';
    struct sbx_buf text = SBX_BUF_INIT;
    sbx_buf_append(&text, data, len);
    if (!ended) sbx_buf_char(&text, '\n');
    sim_errno failed = sbx_buf_status(&text) ? ENOMEM : command_feed(cmd, &text);
    if (!failed && cmd->echoes) {
        sim_day_log_take(cmd, 1, text.data, text.len);
        session_wake(cmd);
    }
    sbx_buf_finish(&text);
    return failed;
}

/* ---- sessions ---- */

struct sim_day_session *sim_day_session_find(const struct sim_day_sandbox *sb, const char *id) {
    struct sim_day_session *session = sb->sessions;
    while (session && strcmp(session->id, id) != 0) session = session->next;
    return session;
}

struct sim_day_session *sim_day_session_hold(struct sim_day_session *session) {
    session->refs++;
    return session;
}

void sim_day_session_release(struct sim_day_session *session) {
    if (!session || --session->refs > 0) return;
    for (struct sim_day_command *cmd = session->commands, *next; cmd; cmd = next) {
        next = cmd->next;
        command_free(cmd);
    }
    sim_run_free(session->shell);
    free(session->id);
    free(session);
}

int sim_day_session_ended(const struct sim_day_session *session) {
    int code = 0, signal = 0;
    return session->gone || sim_run_exited(session->shell, &code, &signal);
}

static void session_no_output(void *ctx, int stream, const void *data, size_t len) {
    (void)ctx;
    (void)stream;
    (void)data;
    (void)len;
}

/* The sandbox's environment as NAME=value. @return NULL when memory runs out */
static char **session_env(const struct sim_day_sandbox *sb) {
    const size_t count = sb->env ? sb->env->count : 0;
    char **env = calloc(count + 1, sizeof(*env));
    for (size_t i = 0; env && i < count; i++) {
        struct sbx_buf text = SBX_BUF_INIT;
        sbx_buf_printf(&text, "%s=%s", sb->env->pair[i].name, sb->env->pair[i].value);
        env[i] = sbx_buf_status(&text) ? NULL : sbx_buf_take(&text, NULL);
        if (env[i]) continue;
        sbx_buf_finish(&text);
        while (i > 0) free(env[--i]);
        free(env);
        env = NULL;
    }
    return env;
}

static sim_errno session_shell(struct sim_day_session *session, const struct sim_day_sandbox *sb) {
    static const char *const argv[] = {"bash", NULL};
    char **env = session_env(sb);
    const struct sim_run_options opt = {
        .argv = argv, .env = (const char *const *)env, .stdin_stays = 1, .output = session_no_output};
    sim_errno failed = ENOMEM;
    if (env) session->shell = sim_run_start(sb->machine, &opt, &failed);
    for (char **at = env; at && *at; at++) free(*at);
    free(env);
    return session->shell ? 0 : failed;
}

sim_errno sim_day_session_open(struct sim_day_sandbox *sb, const char *id, struct sim_day_session **out) {
    struct sim_day_session *session = calloc(1, sizeof(*session)), **end = &sb->sessions;
    char uuid[SBX_UUID_SIZE];
    sim_errno failed = ENOMEM;
    if (!session) return ENOMEM;
    session->refs = 1;
    session->machine = sb->machine;
    session->world = sim_world(sb->day->sim);
    session->created_ns = sim_now(session->world);
    session->id = strdup(id);
    sim_draw_uuid(session->world, "daytona.session", uuid);
    const int n = snprintf(session->folder, sizeof(session->folder), "%s/.daytona/sessions/%s",
                           sim_machine_home(sb->machine), uuid);
    if (n < 0 || n >= (int)sizeof(session->folder))
        failed = ENAMETOOLONG;
    else if (session->id)
        failed = sim_mkdir(sb->machine, session->folder, 0700, 1);
    if (!failed) failed = session_shell(session, sb);
    if (failed) {
        sim_day_session_release(session);
        return failed;
    }
    while (*end) end = &(*end)->next;
    *end = *out = session;
    return 0;
}

/* Nobody finds it any more, and whoever waits for it is told. */
static void session_unlink(struct sim_day_sandbox *sb, struct sim_day_session *session) {
    struct sim_day_session **at = &sb->sessions;
    while (*at != session) at = &(*at)->next;
    *at = session->next;
    session->next = NULL;
    session->gone = 1;
    for (struct sim_day_command *cmd = session->commands; cmd; cmd = cmd->next) session_wake(cmd);
}

void sim_day_session_close(struct sim_day_sandbox *sb, struct sim_day_session *session) {
    struct sim_world *world = session->world;
    const int64_t until_ns = sim_now(world) + SESSION_GRACE_NS;
    session_unlink(sb, session);
    sim_run_kill_tree(session->shell, SESSION_TERM);
    while (sim_run_alive(session->shell) && sim_now(world) < until_ns)
        if (sim_sleep_until(world, sim_now(world) + SESSION_LOOK_NS) == SIM_ENDING) break;
    sim_run_kill_tree(session->shell, SESSION_KILL);
    (void)sim_unlink(session->machine, session->folder, 1);
    sim_day_session_release(session);
}

void sim_day_sessions_lose(struct sim_day_sandbox *sb) {
    while (sb->sessions) {
        struct sim_day_session *session = sb->sessions;
        session_unlink(sb, session);
        sim_day_session_release(session);
    }
}

void sim_day_sessions_check(struct sim_day_sandbox *sb) {
    for (struct sim_day_session *session = sb->sessions, *next; session; session = next) {
        next = session->next;
        if (session->created_ns >= sb->dead_until_ns) continue;
        session_unlink(sb, session);
        sim_day_session_release(session);
    }
}
