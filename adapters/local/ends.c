/* The ends of processes, by what /proc says. A zombie is dead: whoever started it has not asked yet. Rows L1, P9.
 *
 * What is waited for here is real, so the waits are polls; the env says when they are over. */
#include "adapters/local/ends.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#define TICK_MS           2
#define ENVIRON_BYTES_MAX (4u * 1024 * 1024)
#define STAT_BYTES_MAX    1024
#define LOOKS_MAX         100 /* for the environment of one that is about to be another program */
#define KERNEL_THREAD     0x00200000

struct stat_line {
    int64_t pid, parent, group, session;
    uint64_t start;
    int dead;
    int between; /* it is being made another program: its environment cannot be read yet */
};

/* The name in the second field may hold anything; what follows its last ")" is plain. */
static int stat_parse(char *text, int64_t pid, struct stat_line *out) {
    char *at = text ? strrchr(text, ')') : NULL;
    if (!at || at[1] != ' ' || !at[2]) return 0;
    out->pid = pid;
    out->dead = at[2] == 'Z' || at[2] == 'X';
    at += 3;
    out->parent = strtoll(at, &at, 10);
    out->group = strtoll(at, &at, 10);
    out->session = strtoll(at, &at, 10);
    for (int field = 7; field < 9; field++) (void)strtoll(at, &at, 10);
    const uint64_t flags = strtoull(at, &at, 10);
    for (int field = 10; field < 22; field++) (void)strtoll(at, &at, 10);
    out->start = strtoull(at, &at, 10);
    if (*at != ' ') return 0;
    for (int field = 23; field < 51; field++) (void)strtoull(at, &at, 10);
    out->between = strtoull(at, &at, 10) == 0 && !(flags & KERNEL_THREAD);
    return 1;
}

static int stat_read(int64_t pid, struct stat_line *out) {
    char path[64], text[STAT_BYTES_MAX];
    snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
    return sbx_local_text_read(path, text, sizeof(text)) && stat_parse(text, pid, out);
}

int sbx_local_process_of(int64_t pid, struct local_process *out) {
    struct stat_line is = {0};
    if (pid <= 0 || !stat_read(pid, &is) || is.dead) return 0;
    *out = (struct local_process){is.pid, is.start};
    return 1;
}

int sbx_local_process_alive(const struct local_process *process) {
    struct local_process now = {0};
    return process->pid > 0 && sbx_local_process_of(process->pid, &now) && now.start == process->start;
}

static void wait_a_little(void) {
    (void)poll(NULL, 0, TICK_MS);
}

/* By a descriptor, which stays that process's: its number may be another's by now. */
int sbx_local_process_end(const struct local *l, const struct local_process *process, const struct sbx_call *call) {
    if (process->pid <= 0) return 1;
    int fd = pidfd_open((pid_t)process->pid, 0);
    if (fd < 0) return errno == ESRCH;
    int alive = sbx_local_process_alive(process);
    if (alive) (void)!pidfd_send_signal(fd, SIGKILL, NULL, 0);
    while (alive && sbx_call_check(call, l->env) == SBX_OK) {
        struct pollfd dead = {.fd = fd, .events = POLLIN};
        alive = poll(&dead, 1, TICK_MS) == 0;
    }
    close(fd);
    return !alive;
}

/* ---- everybody there is ---- */

/* @return 0 when they could not be seen whole, or `take` gave 0 */
static int each_process(int (*take)(void *ctx, const struct stat_line *is), void *ctx) {
    DIR *all = opendir("/proc");
    int ok = all != NULL;
    for (struct dirent *e; ok && (e = readdir(all));) {
        struct stat_line is = {0};
        if (!isdigit((unsigned char)e->d_name[0])) continue;
        if (stat_read(strtoll(e->d_name, NULL, 10), &is) && !is.dead) ok = take(ctx, &is);
    }
    if (all) closedir(all);
    return ok;
}

struct group_look {
    pid_t group;
    int left;
};

static int group_take(void *ctx, const struct stat_line *is) {
    struct group_look *look = ctx;
    look->left |= is->group == look->group;
    return 1;
}

/* Without a request for memory: a command must end even when there is none. */
int sbx_local_group_end(const struct local *l, pid_t group, const struct sbx_call *call) {
    for (;;) {
        struct group_look look = {.group = group};
        if (each_process(group_take, &look) && !look.left) return 1;
        if (kill(-group, SIGKILL) != 0 && errno != ESRCH && errno != EPERM) return 0;
        if (sbx_call_check(call, l->env)) return 0;
        wait_a_little();
    }
}

struct crowd {
    struct stat_line *who;
    unsigned char *ours;
    size_t count, room;
};

static void crowd_finish(struct crowd *crowd) {
    free(crowd->who);
    free(crowd->ours);
}

static int crowd_add(void *ctx, const struct stat_line *is) {
    struct crowd *crowd = ctx;
    if (crowd->count == crowd->room) {
        size_t room = crowd->room ? crowd->room * 2 : 256;
        struct stat_line *who = realloc(crowd->who, room * sizeof(*who));
        if (who) crowd->who = who;
        unsigned char *ours = realloc(crowd->ours, room);
        if (ours) crowd->ours = ours;
        if (!who || !ours) return 0;
        crowd->room = room;
    }
    crowd->ours[crowd->count] = 0;
    crowd->who[crowd->count++] = *is;
    return 1;
}

/* ---- a sandbox's ---- */

enum mark { MARK_NONE, MARK_IS, MARK_LATER, MARK_NO_MEMORY };

/* LATER: its environment reads as empty since it is not there yet. Who must not read it is not told so, nor anything.
 */
static enum mark mark_look(const struct stat_line *is, const char *mark) {
    struct sbx_buf text = SBX_BUF_INIT;
    struct stat_line now = {0};
    char path[64];
    size_t len = strlen(mark);
    enum mark found = MARK_NONE;
    snprintf(path, sizeof(path), "/proc/%lld/environ", (long long)is->pid);
    const int read = sbx_local_file_read(path, ENVIRON_BYTES_MAX, &text);
    for (size_t at = 0; read && at < text.len && !found; at += strnlen(text.data + at, text.len - at) + 1)
        if (strcmp(text.data + at, mark) == 0 && text.len - at >= len) found = MARK_IS;
    if (text.failed)
        found = MARK_NO_MEMORY;
    else if (read && !text.len && (is->between || (stat_read(is->pid, &now) && now.between)))
        found = MARK_LATER;
    sbx_buf_finish(&text);
    return found;
}

static int belongs(const struct crowd *crowd, const struct stat_line *is) {
    for (size_t i = 0; i < crowd->count; i++) {
        const struct stat_line *one = &crowd->who[i];
        if (crowd->ours[i] && (is->parent == one->pid || is->session == one->session)) return 1;
    }
    return 0;
}

/* Whose mark is gone, of its own will, still is somebody's child or of somebody's session.
 * @param later set if there may be more @return 0 when memory ran out: then there may be, too */
static int crowd_choose(struct crowd *crowd, const char *mark, size_t *count, int *later) {
    size_t before = 0;
    for (size_t i = 0; i < crowd->count; i++) {
        const enum mark look = mark_look(&crowd->who[i], mark);
        if (look == MARK_NO_MEMORY) return 0;
        *later |= look == MARK_LATER;
        *count += crowd->ours[i] = look == MARK_IS;
    }
    while (*count != before) {
        before = *count;
        for (size_t i = 0; i < crowd->count; i++)
            if (!crowd->ours[i] && belongs(crowd, &crowd->who[i])) *count += crowd->ours[i] = 1;
    }
    return 1;
}

/* One that was about to start another when it was looked at has a child by now: until nobody is left. */
enum sbx_status sbx_local_marked_end(const struct local *l, const char *mark, const struct sbx_call *call) {
    for (int looks = 0;;) {
        struct crowd crowd = {0};
        size_t count = 0;
        int later = 0, seen = each_process(crowd_add, &crowd) && crowd_choose(&crowd, mark, &count, &later);
        for (size_t i = 0; i < crowd.count; i++)
            if (crowd.ours[i] && crowd.who[i].pid != getpid()) (void)!kill((pid_t)crowd.who[i].pid, SIGKILL);
        crowd_finish(&crowd);
        if (!seen) return SBX_NO_MEMORY;
        if (!count && (!later || ++looks == LOOKS_MAX)) return SBX_OK;
        enum sbx_status st = sbx_call_check(call, l->env);
        if (st) return st;
        wait_a_little();
    }
}

enum sbx_status sbx_local_sandbox_end(const struct local *l, const char *id, const struct local_process *box,
                                      const struct sbx_call *call) {
    char mark[LOCAL_PATH_SIZE + 32];
    if (!sbx_local_process_end(l, box, call)) {
        enum sbx_status st = sbx_call_check(call, l->env);
        return st ? st : SBX_FORBIDDEN;
    }
    snprintf(mark, sizeof(mark), LOCAL_MARK "%s/%s", l->root, id);
    return sbx_local_marked_end(l, mark, call); /* guard: local_stop_ends_all */
}
