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

struct stat_line {
    int64_t pid, parent, group, session;
    uint64_t start;
    int dead;
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
    for (int field = 7; field < 22; field++) (void)strtoll(at, &at, 10);
    out->start = strtoull(at, &at, 10);
    return *at == ' ';
}

static int stat_read(int64_t pid, struct stat_line *out) {
    struct sbx_buf text = SBX_BUF_INIT;
    char path[64];
    snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
    int ok = sbx_local_file_read(path, STAT_BYTES_MAX, &text) && stat_parse(text.data, pid, out);
    sbx_buf_finish(&text);
    return ok;
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

struct crowd {
    struct stat_line *who;
    unsigned char *ours;
    size_t count, room;
};

static void crowd_finish(struct crowd *crowd) {
    free(crowd->who);
    free(crowd->ours);
}

static int crowd_add(struct crowd *crowd, const struct stat_line *is) {
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

/* @return 0 when it could not be seen whole */
static int crowd_look(struct crowd *crowd) {
    DIR *all = opendir("/proc");
    int ok = all != NULL;
    for (struct dirent *e; ok && (e = readdir(all));) {
        struct stat_line is = {0};
        if (!isdigit((unsigned char)e->d_name[0])) continue;
        if (stat_read(strtoll(e->d_name, NULL, 10), &is) && !is.dead) ok = crowd_add(crowd, &is);
    }
    if (all) closedir(all);
    return ok;
}

int sbx_local_group_end(const struct local *l, pid_t group, const struct sbx_call *call) {
    for (;;) {
        struct crowd crowd = {0};
        int left = 0, seen = crowd_look(&crowd);
        for (size_t i = 0; i < crowd.count; i++) left |= crowd.who[i].group == group;
        crowd_finish(&crowd);
        if (seen && !left) return 1;
        if (kill(-group, SIGKILL) != 0 && errno != ESRCH && errno != EPERM) return 0;
        if (sbx_call_check(call, l->env)) return 0;
        wait_a_little();
    }
}

/* ---- a sandbox's ---- */

static int has_mark(int64_t pid, const char *mark) {
    struct sbx_buf text = SBX_BUF_INIT;
    char path[64];
    size_t len = strlen(mark);
    int found = 0;
    snprintf(path, sizeof(path), "/proc/%lld/environ", (long long)pid);
    if (sbx_local_file_read(path, ENVIRON_BYTES_MAX, &text))
        for (size_t at = 0; at < text.len && !found; at += strnlen(text.data + at, text.len - at) + 1)
            found = strcmp(text.data + at, mark) == 0 && text.len - at >= len;
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

/* Whose mark is gone, of its own will, still is somebody's child or of somebody's session. */
static size_t crowd_choose(struct crowd *crowd, const char *mark) {
    size_t count = 0, before = 0;
    for (size_t i = 0; i < crowd->count; i++)
        count += crowd->ours[i] = (unsigned char)has_mark(crowd->who[i].pid, mark);
    while (count != before) {
        before = count;
        for (size_t i = 0; i < crowd->count; i++)
            if (!crowd->ours[i] && belongs(crowd, &crowd->who[i])) count += crowd->ours[i] = 1;
    }
    return count;
}

/* One that was about to start another when it was looked at has a child by now: until nobody is left. */
enum sbx_status sbx_local_marked_end(const struct local *l, const char *mark, const struct sbx_call *call) {
    for (;;) {
        struct crowd crowd = {0};
        int seen = crowd_look(&crowd);
        size_t count = crowd_choose(&crowd, mark);
        for (size_t i = 0; i < crowd.count; i++)
            if (crowd.ours[i] && crowd.who[i].pid != getpid()) (void)!kill((pid_t)crowd.who[i].pid, SIGKILL);
        crowd_finish(&crowd);
        if (!seen) return SBX_NO_MEMORY;
        if (!count) return SBX_OK;
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
