/* The toy's sessions: a shell that reads its commands from a pipe. */
#include "toy_parts.h"

#include <fcntl.h>
#include <sandport/kit/text.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct toy_shell *shell_of(struct toy *toy, const char *id) {
    for (size_t i = 0; i < TOY_SHELLS; i++)
        if (toy->shells[i].pid && strcmp(toy->shells[i].id, id) == 0) return &toy->shells[i];
    return NULL;
}

static struct toy_shell *shell_room(struct toy *toy) {
    for (size_t i = 0; i < TOY_SHELLS; i++)
        if (!toy->shells[i].pid) return &toy->shells[i];
    return NULL;
}

static void shell_end(struct toy_shell *shell) {
    kill(-shell->pid, SIGKILL);
    waitpid(shell->pid, NULL, 0);
    close(shell->in);
    shell->pid = 0;
}

void toy_shells_end(struct toy *toy) {
    for (size_t i = 0; i < TOY_SHELLS; i++)
        if (toy->shells[i].pid) shell_end(&toy->shells[i]);
}

/* A shell of that name that is there already is the one that was asked for. */
static int shell_start(struct toy *toy, const char *sandbox, const char *id) {
    struct toy_shell *shell = shell_of(toy, id) ? NULL : shell_room(toy);
    int in[2];
    if (shell_of(toy, id)) return 1;
    if (!shell || pipe2(in, O_CLOEXEC)) return 0;
    const struct toy_command command = {.id = sandbox, .in_fd = in[0]};
    shell->pid = toy_spawn(toy, &command);
    close(in[0]);
    shell->in = in[1];
    (void)!sbx_copy(shell->id, sizeof(shell->id), id);
    if (!shell->pid) close(in[1]);
    return shell->pid != 0;
}

enum sbx_status toy_session_open(void *self, const struct sbx_identity *who, const char *id,
                                 const struct sbx_call *call, struct sbx_error *err) {
    struct toy *toy = self;
    int tries = 0;
    enum sbx_status st = SBX_OK;
    do {
        st = toy_request(toy, "session_open", err);
        if (!st && !toy_exists(toy, who->id)) return toy_gone(err);
        if (!st && !shell_start(toy, who->id, id))
            return sbx_fail(err, SBX_NO_CAPACITY, SBX_OUTCOME_REFUSED, "no shell could be started");
        if (!st) st = toy_answer(toy, "session_open", call, err);
    } while (toy_again(st == SBX_TOO_LARGE ? SBX_CONNECTION_LOST : st, &tries));
    return st;
}

/* ---- what src/work needs of it ---- */

struct session {
    struct toy_inside in;
    const char *id;
    char dir[1024];
};

static enum sbx_status session_ended(struct sbx_error *err) {
    return sbx_fail(err, SBX_GONE, SBX_OUTCOME_REFUSED, "the shell has ended");
}

static int shell_is_alive(struct toy_shell *shell) {
    siginfo_t is = {0};
    return shell && waitid(P_PID, (id_t)shell->pid, &is, WEXITED | WNOHANG | WNOWAIT) == 0 && is.si_pid == 0;
}

static enum sbx_status session_post(void *ctx, const char *line, const struct sbx_call *call, struct sbx_error *err) {
    struct session *s = ctx;
    struct toy *toy = s->in.toy;
    enum sbx_status st = toy_request(toy, "session_post", err);
    if (st) return st;
    struct toy_shell *shell = shell_of(toy, s->id);
    if (!shell_is_alive(shell)) return session_ended(err);
    size_t len = strlen(line);
    if (write(shell->in, line, len) != (ssize_t)len || write(shell->in, "\n", 1) != 1)
        return sbx_fail(err, SBX_CONNECTION_LOST, SBX_OUTCOME_UNKNOWN, NULL);
    return toy_answer(toy, "session_post", call, err);
}

static enum sbx_status session_put(void *ctx, const char *path, const char *text, size_t len,
                                   const struct sbx_call *call, struct sbx_error *err) {
    struct session *s = ctx;
    enum sbx_status st = toy_request(s->in.toy, "session_put", err);
    if (!st && !toy_file_write(path, text, len)) st = sbx_fail(err, SBX_NO_SPACE, SBX_OUTCOME_REFUSED, NULL);
    return st ? st : toy_answer(s->in.toy, "session_put", call, err);
}

static enum sbx_status session_alive(void *ctx, const struct sbx_call *call, struct sbx_error *err) {
    struct session *s = ctx;
    enum sbx_status st = toy_read(s->in.toy, "session_alive", call, err);
    if (st) return st;
    return shell_is_alive(shell_of(s->in.toy, s->id)) ? SBX_OK : session_ended(err);
}

enum sbx_status toy_session_exec(void *self, const struct sbx_identity *who, const char *id, const char *command,
                                 const struct sbx_exec_options *opt, const struct sbx_call *call,
                                 struct sbx_exec_result *result, struct sbx_error *err) {
    struct session s = {.id = id};
    toy_inside_begin(&s.in, self, who);
    if (!toy_path(self, who->id, ".private", s.dir)) return SBX_INVALID_ARGUMENT;
    const struct sbx_work_shell shell = {.size = sizeof(shell),
                                         .ctx = &s,
                                         .private_dir = s.dir,
                                         .post = session_post,
                                         .put = session_put,
                                         .alive = session_alive};
    return sbx_shell_exec(&s.in.host, &shell, command, opt, call, result, err);
}

enum sbx_status toy_session_close(void *self, const struct sbx_identity *who, const char *id,
                                  const struct sbx_call *call, struct sbx_error *err) {
    struct toy *toy = self;
    (void)who;
    enum sbx_status st = toy_request(toy, "session_close", err);
    struct toy_shell *shell = st ? NULL : shell_of(toy, id);
    if (shell) shell_end(shell);
    return st ? st : toy_answer(toy, "session_close", call, err);
}
