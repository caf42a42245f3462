/* The toy's processes: each carries its sandbox in its environment, by which all of them can be found. */
#include "toy_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MARK     "SANDPORT_TOY="
#define VARS_MAX 64

/* NAME=value of each, and NULL; free with free_vars(). @return 0 when memory runs out */
static int make_vars(const struct toy *toy, const struct toy_command *command, char *vars[VARS_MAX]) {
    size_t n = 0;
    if (command->var_count > VARS_MAX - 3) return 0;
    if (asprintf(&vars[n++], MARK "%s/%s/", toy->opt->root, command->id) < 0) return 0;
    if (asprintf(&vars[n++], "PATH=/usr/local/bin:/usr/bin:/bin") < 0) return 0;
    for (size_t i = 0; i < command->var_count; i++)
        if (asprintf(&vars[n++], "%s=%s", command->vars[i].name, command->vars[i].value) < 0) return 0;
    return 1;
}

static void free_vars(char *vars[VARS_MAX]) {
    for (size_t i = 0; i < VARS_MAX; i++) free(vars[i]);
}

static void open_streams(posix_spawn_file_actions_t *files, const struct toy_command *command) {
    const int flags = O_WRONLY | O_CREAT | O_APPEND;
    if (command->in || !command->in_fd)
        posix_spawn_file_actions_addopen(files, 0, command->in ? command->in : "/dev/null", O_RDONLY, 0);
    else
        posix_spawn_file_actions_adddup2(files, command->in_fd, 0);
    posix_spawn_file_actions_addopen(files, 1, command->out ? command->out : "/dev/null", flags, 0600);
    posix_spawn_file_actions_addopen(files, 2, command->err ? command->err : "/dev/null", flags, 0600);
}

pid_t toy_spawn(const struct toy *toy, const struct toy_command *command) {
    char dir[1024], sh[] = "sh", dash_c[] = "-c";
    char *vars[VARS_MAX + 1] = {0};
    char *text = command->text ? strdup(command->text) : NULL;
    char *argv[] = {sh, text ? dash_c : NULL, text, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    pid_t pid = 0;
    if (!make_vars(toy, command, vars) || !toy_path(toy, command->id, "", dir)) goto done;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addchdir_np(&files, dir);
    if (command->cwd) posix_spawn_file_actions_addchdir_np(&files, command->cwd);
    open_streams(&files, command);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
    if (posix_spawn(&pid, "/bin/sh", &files, &attr, argv, vars) != 0) pid = 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
done:
    free_vars(vars);
    free(text);
    return pid;
}

enum sbx_status toy_await(const struct toy *toy, const char *id, pid_t pid, int64_t lifetime_ms,
                          const struct sbx_call *call, int *status) {
    const struct timespec nap = {.tv_nsec = 2000000};
    struct sbx_env *env = toy->env;
    int64_t begun_ms = env->now_ms(env);
    char begun[1024];
    if (!toy_path(toy, id, "begun", begun)) return SBX_INVALID_ARGUMENT;
    while (waitpid(pid, status, WNOHANG) == 0) {
        enum sbx_status st = sbx_call_check(call, env);
        if (toy->opt->begun_counts && access(begun, F_OK) == 0) atomic_store(&toy->opt->waiting, 1);
        if (!st && env->now_ms(env) - begun_ms >= lifetime_ms) st = SBX_COMMAND_TIMEOUT;
        if (st) return st;
        nanosleep(&nap, NULL);
    }
    return SBX_OK;
}

/* ---- finding them ---- */

static int has_mark(const char *pid, const char *mark) {
    char path[64], *text = NULL;
    size_t len = strlen(mark), got = 0;
    int found = 0;
    snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    text = malloc(1 << 20);
    if (text) got = fread(text, 1, 1 << 20, f);
    fclose(f);
    for (size_t at = 0; at < got && !found; at += strnlen(text + at, got - at) + 1)
        found = got - at >= len && memcmp(text + at, mark, len) == 0;
    free(text);
    return found;
}

int toy_marked(const char *mark, int sig) {
    DIR *d = opendir("/proc");
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] < '1' || e->d_name[0] > '9' || !has_mark(e->d_name, mark)) continue;
        n++;
        if (sig) kill((pid_t)strtol(e->d_name, NULL, 10), sig);
    }
    if (d) closedir(d);
    return n;
}

/* One that was about to fork when it was looked at has a child by now: until nobody is left. */
void toy_kill(const struct toy *toy, const char *id) {
    char mark[1100];
    snprintf(mark, sizeof(mark), MARK "%s/%s/", toy->opt->root, id);
    while (toy_marked(mark, SIGKILL)) continue;
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
}

void toy_processes_end(const char *root) {
    char mark[1100];
    snprintf(mark, sizeof(mark), MARK "%s/", root);
    while (toy_marked(mark, SIGKILL)) continue;
}

int toy_processes(const char *root) {
    char mark[1100];
    snprintf(mark, sizeof(mark), MARK "%s/", root);
    return toy_marked(mark, 0);
}
