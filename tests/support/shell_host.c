/* A host for src/work over real shells. */
#include "shell_host.h"

#include "real_env.h"
#include "src/port/port.h"
#include "t.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sandport/kit/text.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"

extern char **environ;

static char *replaced(const char *text, const char *find, const char *with, int must) {
    struct sbx_buf buf = SBX_BUF_INIT;
    int found = 0;
    for (const char *hit = strstr(text, find); hit; hit = strstr(text, find)) {
        sbx_buf_append(&buf, text, (size_t)(hit - text));
        sbx_buf_text_append(&buf, with);
        text = hit + strlen(find);
        found = 1;
    }
    sbx_buf_text_append(&buf, text);
    if (must && !found) T_FAIL("the line has no '%s'", find);
    if (buf.failed) T_FAIL("out of memory");
    return sbx_buf_take(&buf, NULL);
}

static void run_and_wait(const char *const argv[]) {
    pid_t pid = 0;
    int state = 0;
    if (posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)(uintptr_t)argv, environ)) T_FAIL("no %s", argv[0]);
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR) continue;
}

/* environ and the request's own, as NAME=value; free() the array and the texts from *own on. */
static char **with_vars(const struct sbx_pair *vars, size_t var_count, size_t *own) {
    size_t n = 0;
    while (environ[n]) n++;
    char **all = calloc(n + var_count + 1, sizeof(*all));
    if (!all) T_FAIL("out of memory");
    *own = 0;
    for (size_t i = 0; i < n; i++) {
        int given = 0;
        for (size_t v = 0; v < var_count; v++) {
            size_t len = strlen(vars[v].name);
            given |= strncmp(environ[i], vars[v].name, len) == 0 && environ[i][len] == '=';
        }
        if (!given) all[(*own)++] = environ[i];
    }
    for (size_t v = 0; v < var_count; v++)
        if (asprintf(&all[*own + v], "%s=%s", vars[v].name, vars[v].value) < 0) T_FAIL("out of memory");
    return all;
}

struct started {
    pid_t pid;
    int output;
};

static struct started start(struct shell_host *host, const char *line, const struct sbx_pair *vars, size_t var_count) {
    struct started got = {0};
    int in[2], out[2];
    size_t own = 0;
    char **all = with_vars(vars, var_count, &own);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    char *const argv[] = {host->outer, NULL};
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) T_FAIL("no pipe");
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], 0);
    posix_spawn_file_actions_adddup2(&files, out[1], 1);
    posix_spawn_file_actions_adddup2(&files, out[1], 2);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
    if (posix_spawnp(&got.pid, argv[0], &files, &attr, argv, all)) T_FAIL("no %s", host->outer);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    for (size_t i = own; all[i]; i++) free(all[i]);
    free(all);
    close(in[0]);
    close(out[1]);
    for (size_t at = 0, len = strlen(line); at < len;) {
        ssize_t n = write(in[1], line + at, len - at);
        if (n <= 0) T_FAIL("the shell stopped reading");
        at += (size_t)n;
    }
    close(in[1]);
    got.output = out[0];
    host->starts++;
    return got;
}

static void drain(struct started *run, struct sbx_buf *text) {
    char piece[4096];
    int state = 0;
    for (ssize_t n = 1; n > 0;) {
        n = read(run->output, piece, sizeof(piece));
        if (n > 0 && text) sbx_buf_append(text, piece, (size_t)n);
    }
    close(run->output);
    while (waitpid(run->pid, &state, 0) < 0 && errno == EINTR) continue;
}

static void leave(struct shell_host *host, struct started *run) {
    close(run->output);
    if (host->left_count == SHELL_LEFT) T_FAIL("too many left behind");
    host->left[host->left_count++] = run->pid;
}

/* Until the command has written to the fifo. */
static void await_begin(const struct shell_host *host) {
    char path[96], byte = 0;
    snprintf(path, sizeof(path), "%s/fifo", host->dir);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, &byte, 1) != 1) T_FAIL("the command did not begin");
    close(fd);
}

static void run_at_once(struct shell_host *host, const char *line, const struct sbx_pair *vars, size_t var_count,
                        int count, struct sbx_buf *text) {
    struct started runs[SHELL_LEFT];
    for (int i = 0; i < count; i++) runs[i] = start(host, line, vars, var_count);
    for (int i = 0; i < count; i++) {
        sbx_buf_clear(text);
        drain(&runs[i], text);
    }
}

static enum sbx_status perform(struct shell_host *host, const struct shell_step *step, const char *line,
                               const struct sbx_pair *vars, size_t var_count, struct sbx_buf *text,
                               struct sbx_error *err) {
    struct started run;
    switch (step->kind) {
    case SHELL_DROP:
        return sbx_fail(err, step->status, step->outcome, NULL);
    case SHELL_ABANDON:
    case SHELL_KILL:
        run = start(host, line, vars, var_count);
        await_begin(host);
        if (step->kind == SHELL_KILL) kill(-run.pid, SIGKILL);
        leave(host, &run);
        return sbx_fail(err, step->status, SBX_OUTCOME_UNKNOWN, NULL);
    case SHELL_REPEAT:
        for (int i = 0; i < step->count; i++) run_at_once(host, line, vars, var_count, 1, text);
        return SBX_OK;
    case SHELL_AT_ONCE:
        run_at_once(host, line, vars, var_count, step->count, text);
        return SBX_OK;
    case SHELL_PASS:
    case SHELL_LOSE:
        break;
    }
    run_at_once(host, line, vars, var_count, 1, text);
    if (step->kind == SHELL_PASS) return SBX_OK;
    sbx_buf_clear(text);
    return sbx_fail(err, step->status, SBX_OUTCOME_UNKNOWN, NULL);
}

static enum sbx_status host_run(void *ctx, const char *line, const struct sbx_pair *vars, size_t var_count,
                                int64_t lifetime_ms, const struct sbx_call *call, size_t text_max, struct sbx_buf *text,
                                struct sbx_error *err) {
    static const struct shell_step pass = {.kind = SHELL_PASS};
    struct shell_host *host = ctx;
    const struct shell_step *step = host->requests < host->step_count ? &host->steps[host->requests] : &pass;
    const char *find = host->requests ? host->ask_find : host->edit_find;
    const char *with = host->requests ? host->ask_with : host->edit_with;
    struct sbx_buf got = SBX_BUF_INIT;
    const int is_script = strncmp(line, "exec ", 5) == 0;
    char *edited = replaced(line, "/bin/sh", host->sh, is_script), *more = NULL;
    T_TRUE(lifetime_ms > 0 && call && text_max > 0);
    if (find) {
        more = replaced(edited, find, with, 1);
        free(edited);
        edited = more;
    }
    snprintf(host->last_line, sizeof(host->last_line), "%s\n", edited);
    free(edited);
    host->requests++;
    if (host->before) sbx_buf_text_append(text, host->before);
    struct sbx_pair all[8] = {{"PATH", host->path}};
    T_TRUE(!*host->path || var_count < 8);
    if (*host->path && var_count) memcpy(all + 1, vars, var_count * sizeof(*vars));
    enum sbx_status st = *host->path ? perform(host, step, host->last_line, all, var_count + 1, &got, err)
                                     : perform(host, step, host->last_line, vars, var_count, &got, err);
    sbx_buf_append(text, got.data, got.len);
    if (host->after) sbx_buf_text_append(text, host->after);
    sbx_buf_finish(&got);
    if (!st && text->len > text_max) st = sbx_fail(err, SBX_TOO_LARGE, SBX_OUTCOME_UNKNOWN, NULL);
    return st;
}

static void note_nonce(void *ctx, const void *bytes, size_t len) {
    struct shell_host *host = ctx;
    if (len != 16 || host->nonce_count == SHELL_NONCES) return;
    sbx_hex(bytes, len, host->nonces[host->nonce_count++]);
}

static void host_begin(struct shell_host *host, const char *shell) {
    char path[192], target[64];
    memset(host, 0, sizeof(*host));
    snprintf(host->dir, sizeof(host->dir), "/tmp/sbx-test-XXXXXX");
    if (!mkdtemp(host->dir)) T_FAIL("no folder");
    snprintf(path, sizeof(path), "%s/fifo", host->dir);
    if (mkfifo(path, 0600)) T_FAIL("no fifo");
    snprintf(host->sh, sizeof(host->sh), "%s/%s/sh", host->dir, shell);
    snprintf(path, sizeof(path), "%s/%s", host->dir, shell);
    snprintf(target, sizeof(target), "/bin/%s", shell);
    if (mkdir(path, 0700) || symlink(target, host->sh)) T_FAIL("no shell");
    snprintf(host->outer, sizeof(host->outer), "bash");
    host->env = real_env_create();
    real_env_watch_random(host->env, note_nonce, host);
    host->work = (struct sbx_work_host){
        .size = sizeof(host->work), .ctx = host, .env = host->env, .run = host_run, .sandbox = "sb-1"};
    sbx_exec_options_init(&host->opt, sizeof(host->opt));
    sbx_call_init(&host->call, sizeof(host->call));
    host->call.deadline_ms = SBX_NO_DEADLINE;
    host->call.cleanup_ms = 30000;
    sbx_error_init(&host->err, sizeof(host->err));
}

static void host_end(struct shell_host *host) {
    const char *const remove[] = {"rm", "-rf", host->dir, NULL};
    int state = 0;
    for (size_t i = 0; i < host->left_count; i++)
        while (waitpid(host->left[i], &state, 0) < 0 && errno == EINTR) continue;
    for (size_t i = 0; i < host->nonce_count; i++) {
        char path[64];
        snprintf(path, sizeof(path), "/tmp/.sbx-%s", host->nonces[i]);
        const char *const tombstone[] = {"rm", "-rf", path, NULL};
        run_and_wait(tombstone);
    }
    run_and_wait(remove);
    sbx_exec_result_free(host->result);
    sbx_exact_receipts_free(host->work.receipts);
    sbx_env_free(host->env);
}

void shell_host_each(void (*test)(struct shell_host *host)) {
    static const char *const shells[] = {"dash", "bash"};
    struct shell_host *host = malloc(sizeof(*host));
    if (!host) T_FAIL("out of memory");
    for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
        host_begin(host, shells[i]);
        test(host);
        host_end(host);
    }
    free(host);
}

enum sbx_status shell_host_exec(struct shell_host *host, const char *command) {
    char *whole = replaced(command, "@", host->dir, 0);
    sbx_exec_result_free(host->result);
    host->result = sbx_exec_result_create();
    if (!host->result) T_FAIL("out of memory");
    host->requests = 0;
    enum sbx_status st = sbx_exact_exec(&host->work, whole, &host->opt, &host->call, host->result, &host->err);
    T_EQ(host->err.status, st);
    free(whole);
    return st;
}

void shell_host_replay(struct shell_host *host, const char *line) {
    struct sbx_buf text = SBX_BUF_INIT;
    run_at_once(host, line ? line : host->last_line, NULL, 0, 1, &text);
    sbx_buf_finish(&text);
}

int shell_host_count(const struct shell_host *host) {
    char path[96];
    struct stat st;
    snprintf(path, sizeof(path), "%s/count", host->dir);
    return stat(path, &st) ? 0 : (int)st.st_size / 2;
}

int shell_host_has(const struct shell_host *host, const char *name) {
    char path[96];
    struct stat st;
    snprintf(path, sizeof(path), "/tmp/.sbx-%s/%s", host->nonces[host->nonce_count - 1], name);
    return stat(path, &st) == 0;
}

static void folder_of_tools(const char *folder, const char *tools) {
    char link[256], target[128], name[32];
    if (mkdir(folder, 0700)) T_FAIL("no folder");
    for (int len = 0; sscanf(tools, "%31s%n", name, &len) == 1; tools += len) {
        snprintf(target, sizeof(target), "/usr/bin/%s", name);
        if (access(target, X_OK)) snprintf(target, sizeof(target), "/bin/%s", name);
        snprintf(link, sizeof(link), "%s/%s", folder, name);
        if (symlink(target, link)) T_FAIL("no link");
    }
}

void shell_host_commands(struct shell_host *host, const char *tools) {
    snprintf(host->path, sizeof(host->path), "%s/few", host->dir);
    folder_of_tools(host->path, tools);
}

void shell_host_tools(struct shell_host *host, const char *tools) {
    static char with[160];
    char folder[128];
    snprintf(folder, sizeof(folder), "%s/tools", host->dir);
    folder_of_tools(folder, tools);
    snprintf(with, sizeof(with), "PATH=%s\n", folder);
    host->edit_find = host->ask_find = OWN_PATH;
    host->edit_with = host->ask_with = with;
}
