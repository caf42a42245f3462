/* What no manifest may have: cycles, and readiness that somebody waits for and that cannot come. Pure. Row R19. */
#include "src/orchestrator/manifest.h"

#include <stdio.h>
#include <string.h>

/* A walk along what is needed: the way from its first process to where it is. */
struct walk {
    const struct sbx_plan *plan;
    size_t way[SBX_PROCESSES_MAX + 1];
    size_t next[SBX_PROCESSES_MAX + 1]; /* which need of each is looked at next */
    size_t len;
    unsigned char seen[SBX_PROCESSES_MAX]; /* 1: on the way, 2: done */
};

/* "a -> b -> c", from a place of the way to its end; what does not fit is left out in front of the last. */
static void path_text(const struct walk *walk, size_t from, size_t to, char *out, size_t cap) {
    size_t at = 0;
    for (size_t i = from; i <= to; i++) {
        const char *id = walk->plan->processes[walk->way[i]].id;
        const size_t room = i == to ? 0 : 72; /* for the last, and its arrow */
        if (i > from && i < to && at + strlen(id) + room > cap) {
            if (at + 8 < cap) memcpy(out + at, " -> ...", 8), at += 7;
            i = to - 1;
            continue;
        }
        int n = snprintf(out + at, cap - at, "%s%.64s", i > from ? " -> " : "", id);
        if (n > 0) at += (size_t)n < cap - at ? (size_t)n : cap - at - 1;
    }
}

static enum sbx_status complain(const struct walk *walk, size_t from, const char *what, const char *how,
                                struct sbx_error *err) {
    char path[140];
    path_text(walk, from, walk->len - 1, path, sizeof(path));
    (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "%s: %s %s", what, path, how);
    return SBX_INVALID_ARGUMENT;
}

/* One that ends is ready, one that is always started again never ends. */
static int can_be_ready(const struct plan_process *p) {
    return p->ready != SBX_READY_NEVER && !(p->ready == SBX_READY_EXITED && p->restart == SBX_RESTART_ALWAYS);
}

static void enter(struct walk *walk, size_t i) {
    walk->way[walk->len] = i;
    walk->next[walk->len] = 0;
    walk->len++;
}

static enum sbx_status need_check(struct walk *walk, size_t i, struct sbx_error *err) {
    if (walk->seen[i] == 1) { /* guard: manifest_cycle */
        size_t from = 0;
        while (walk->way[from] != i) from++;
        enter(walk, i);
        return complain(walk, from, "needs", "is a cycle", err);
    }
    if (!can_be_ready(&walk->plan->processes[i])) { /* guard: manifest_unreachable */
        enter(walk, i);
        return complain(walk, 0, "ready", "can never be ready", err);
    }
    return SBX_OK;
}

/* Depth first, without recursion: a manifest's depth is its caller's choice. */
static enum sbx_status walk_from(struct walk *walk, size_t first, struct sbx_error *err) {
    enum sbx_status st = SBX_OK;
    enter(walk, first);
    walk->seen[first] = 1;
    while (walk->len && !st) {
        const size_t here = walk->way[walk->len - 1];
        const struct plan_process *p = &walk->plan->processes[here];
        if (walk->next[walk->len - 1] == p->need_count) {
            walk->seen[here] = 2;
            walk->len--;
            continue;
        }
        const size_t need = p->needs[walk->next[walk->len - 1]++];
        st = need_check(walk, need, err);
        if (!st && !walk->seen[need]) {
            walk->seen[need] = 1;
            enter(walk, need);
        }
    }
    return st;
}

/* The start-up ends when the useful ones are ready, so they are waited for too. */
enum sbx_status sbx_plan_check(const struct sbx_plan *plan, struct sbx_error *err) {
    struct walk walk = {.plan = plan};
    enum sbx_status st = SBX_OK;
    for (size_t i = 0; i < plan->count && !st; i++) {
        walk.len = 0;
        if (!walk.seen[i]) st = walk_from(&walk, i, err);
    }
    for (size_t i = 0; i < plan->count && !st; i++)
        if (plan->processes[i].useful && !can_be_ready(&plan->processes[i])) {
            walk.len = 0;
            enter(&walk, i);
            st = complain(&walk, 0, "ready", "is useful and can never be ready", err);
        }
    return st;
}
