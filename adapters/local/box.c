/* An isolated sandbox's first process: bubblewrap, whose namespaces each command enters. Row L1.
 *
 * One for each sandbox, and no command of it runs without: when it ends, the kernel ends everybody in there. It
 * outlives the program that started it, as durable runs do. Its files are the sandbox's home directory and /tmp; the
 * system's are there to be read. */
#include "adapters/local/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TICK_MS        20
#define INFO_BYTES_MAX 4096
#define PROBE_MS       10000
#define START_MS       20000
#define SLEEP_S_MAX    INT64_C(315360000)

static void put(struct local_texts *args, const char *a, const char *b, const char *c) {
    sbx_local_texts_add(args, a);
    if (b) sbx_local_texts_add(args, b);
    if (c) sbx_local_texts_add(args, c);
}

/* A link of the system's is the same link in there; what is not there is left out. */
static void put_system(struct local_texts *args, const char *path) {
    char to[256];
    ssize_t n = readlink(path, to, sizeof(to) - 1);
    if (n > 0) {
        to[n] = 0;
        put(args, "--symlink", to, path);
    } else {
        put(args, "--ro-bind-try", path, path);
    }
}

static void put_devices(struct local_texts *args) {
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
    put(args, "--dir", "/dev", NULL);
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) put(args, "--dev-bind", devices[i], devices[i]);
    put(args, "--symlink", "/proc/self/fd", "/dev/fd");
    put(args, "--symlink", "/proc/self/fd/0", "/dev/stdin");
    put(args, "--symlink", "/proc/self/fd/1", "/dev/stdout");
    put(args, "--symlink", "/proc/self/fd/2", "/dev/stderr");
    put(args, "--tmpfs", "/dev/shm", NULL);
}

/* `--dev`, and a user of another number, would need a second user namespace, which could not be entered. */
static void box_args(const struct local *l, const char *dir, int network, int64_t lifetime_ms,
                     struct local_texts *args) {
    static const char *const system[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
    static const char *const settings[] = {"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf",
                                           "/etc/ld.so.conf.d", "/etc/ssl",         "/etc/passwd",
                                           "/etc/group",        "/etc/localtime"};
    static const char *const names[] = {"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"};
    char home[LOCAL_PATH_SIZE + 8], tmp[LOCAL_PATH_SIZE + 8], seconds[32] = "infinity";
    int64_t s = lifetime_ms / 1000 + (lifetime_ms % 1000 != 0);
    snprintf(home, sizeof(home), "%s/home", dir);
    snprintf(tmp, sizeof(tmp), "%s/tmp", dir);
    if (lifetime_ms && s < SLEEP_S_MAX) snprintf(seconds, sizeof(seconds), "%lld", (long long)s);
    /* the shell starts it beside itself and ends, so that the box is nobody's child here */
    put(args, "/bin/sh", "-c", "\"$@\" </dev/null 2>/dev/null &");
    put(args, "sbx", l->bwrap, "--unshare-user");
    put(args, "--unshare-pid", "--unshare-ipc", "--unshare-uts");
    if (!network) put(args, "--unshare-net", NULL, NULL);
    put(args, "--hostname", "sandbox", NULL);
    put(args, "--ro-bind", "/usr", "/usr");
    for (size_t i = 0; i < sizeof(system) / sizeof(system[0]); i++) put_system(args, system[i]);
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        put(args, "--ro-bind-try", settings[i], settings[i]);
    for (size_t i = 0; network && i < sizeof(names) / sizeof(names[0]); i++)
        put(args, "--ro-bind-try", names[i], names[i]);
    put(args, "--proc", "/proc", NULL);
    put_devices(args);
    put(args, "--dir", "/home", NULL);
    put(args, "--bind", home, LOCAL_BOX_HOME);
    put(args, "--bind", tmp, "/tmp");
    put(args, "--remount-ro", "/", NULL);
    put(args, "--chdir", LOCAL_BOX_HOME, "--clearenv");
    put(args, "--info-fd", "3", "--");
    put(args, "/bin/sh", "-c", "echo ready; exec sleep \"$1\" >/dev/null");
    put(args, "sbx", seconds, NULL);
}

/* @param until what it ends with; NULL = the pipe's end @return 0 if that has not come */
static int read_until(const struct local *l, int fd, const char *until, const struct sbx_call *call,
                      struct sbx_buf *text) {
    ssize_t n = 1;
    while (n > 0 && text->len < INFO_BYTES_MAX && sbx_call_check(call, l->env) == SBX_OK) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        char *at = sbx_buf_reserve(text, 512);
        if (!at) return 0;
        if (poll(&ready, 1, TICK_MS) <= 0) continue;
        n = read(fd, at, 512);
        if (n > 0) text->len += (size_t)n;
        sbx_buf_append(text, "", 0);
        if (until && strstr(sbx_buf_text(text), until)) return 1;
    }
    return !until && n == 0;
}

/* {"child-pid": N, ...}, which bubblewrap tells before it has laid out anything; the box's own word comes when it has.
 */
static int box_told(const struct local *l, int info, int ready, const struct sbx_call *call,
                    struct local_process *box) {
    struct sbx_buf text = SBX_BUF_INIT, word = SBX_BUF_INIT;
    struct sbx_json *js = NULL;
    int64_t pid = 0;
    if (read_until(l, info, NULL, call, &text) && text.len &&
        sbx_json_parse(text.data, text.len, INFO_BYTES_MAX, &js) == SBX_OK)
        pid = sbx_json_int(js, sbx_json_root(js), "child-pid");
    int known = sbx_local_process_of(pid, box);
    int told = known && read_until(l, ready, "ready\n", call, &word);
    if (known && !told) (void)sbx_local_process_end(l, box, call);
    sbx_json_free(js);
    sbx_buf_finish(&text);
    sbx_buf_finish(&word);
    return told;
}

static void fd_close(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

enum sbx_status sbx_local_box_start(const struct local *l, const char *dir, int network, int64_t lifetime_ms,
                                    const struct sbx_call *call, struct local_process *box, struct sbx_error *err) {
    struct local_texts args = {0}, vars = {0};
    const struct sbx_call bounded = sbx_call_within(call, l->env, START_MS);
    int info[2] = {-1, -1}, ready[2] = {-1, -1};
    pid_t starter = 0;
    enum sbx_status st = SBX_OK;
    box_args(l, dir, network, lifetime_ms, &args);
    sbx_local_texts_set(&vars, "PATH", "/usr/bin:/bin");
    sbx_local_texts_set(&vars, "SANDPORT_LOCAL", dir); /* so that one whose number was never learned is found */
    if (args.failed || vars.failed) st = SBX_NO_MEMORY;
    if (!st && (!sbx_local_pipe(info) || !sbx_local_pipe(ready))) st = SBX_NO_CAPACITY;
    if (!st) {
        const struct local_streams streams = {{-1, ready[1], -1, info[1]}};
        if (sbx_local_spawn(args.at, vars.at, &streams, &starter)) st = SBX_NO_CAPACITY;
        fd_close(&info[1]);
        fd_close(&ready[1]);
        if (!st) (void)sbx_local_reap(starter);
        if (!st && !box_told(l, info[0], ready[0], &bounded, box)) st = SBX_NOT_READY;
    }
    for (int i = 0; i < 2; i++) {
        fd_close(&info[i]);
        fd_close(&ready[i]);
    }
    if (st == SBX_NOT_READY && sbx_call_check(call, l->env)) st = sbx_call_check(call, l->env);
    sbx_local_texts_finish(&args);
    sbx_local_texts_finish(&vars);
    return st ? sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, "bubblewrap did not start") : SBX_OK;
}

/* ---- is there one? ---- */

static int can_enter(const struct local *l, const struct local_process *box, const struct sbx_call *call) {
    struct local_view view = {.isolated = 1, .is = {.box = *box}};
    const struct local_order order = {.args = {"/bin/sh", "-c", "exit 7"}};
    struct local_texts args = {0}, vars = {0};
    const struct local_streams streams = {{-1, -1, -1, -1}};
    pid_t pid = 0;
    (void)call;
    (void)snprintf(view.home, sizeof(view.home), LOCAL_BOX_HOME);
    sbx_local_args_of(l, &view, &order, &args);
    sbx_local_vars_of(l, &view, &order, &vars);
    int ok = !args.failed && !vars.failed && sbx_local_spawn(args.at, vars.at, &streams, &pid) == 0 &&
             sbx_local_reap(pid) == 7;
    sbx_local_texts_finish(&args);
    sbx_local_texts_finish(&vars);
    return ok;
}

int sbx_local_box_works(const struct local *l) {
    char dir[LOCAL_PATH_SIZE], path[LOCAL_PATH_SIZE + 8], mark[LOCAL_PATH_SIZE + 32];
    const struct sbx_call forever = {.size = sizeof(forever), .deadline_ms = SBX_NO_DEADLINE};
    const struct sbx_call call = sbx_call_within(&forever, l->env, PROBE_MS);
    struct sbx_error quiet = SBX_ERROR_INIT;
    struct local_process box = {0};
    unsigned char chance[8] = {0};
    int works = 0;
    if (geteuid() == 0) return 0; /* what root starts is root to the files of the machine */
    if (l->env->random(l->env, chance, sizeof(chance))) return 0;
    snprintf(dir, sizeof(dir), "%s/.probe-%02x%02x%02x%02x%02x%02x%02x%02x", l->root, chance[0], chance[1], chance[2],
             chance[3], chance[4], chance[5], chance[6], chance[7]);
    if (mkdir(dir, 0700) != 0) return 0;
    snprintf(path, sizeof(path), "%s/home", dir);
    int made = mkdir(path, 0700) == 0;
    snprintf(path, sizeof(path), "%s/tmp", dir);
    made = mkdir(path, 0700) == 0 && made;
    if (made && sbx_local_box_start(l, dir, l->network, PROBE_MS, &call, &box, &quiet) == SBX_OK) {
        works = can_enter(l, &box, &call);
        works = sbx_local_process_end(l, &box, &call) && works;
    }
    snprintf(mark, sizeof(mark), LOCAL_MARK "%s", dir);
    works = sbx_local_marked_end(l, mark, &call) == SBX_OK && works; /* bubblewrap outside of it too */
    return sbx_local_remove(dir) && works;
}
