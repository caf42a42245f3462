/* A walk without recursion: what is to be visited is a list, and a folder's names go to its front. */
#include "sim/daytona/walk.h"

#include <errno.h>
#include <sandport/kit/buf.h>
#include <stdlib.h>
#include <string.h>

struct walk_place {
    struct walk_place *next;
    int64_t level;
    char *path;
};

struct walk_names {
    struct walk_place **end;
    const char *folder;
    int64_t level;
    int failed;
};

static void walk_name(void *ctx, const char *name) {
    struct walk_names *names = ctx;
    struct sbx_buf path = SBX_BUF_INIT;
    struct walk_place *place = calloc(1, sizeof(*place));
    const size_t len = strlen(names->folder);
    sbx_buf_printf(&path, "%s%s%s", names->folder, len && names->folder[len - 1] == '/' ? "" : "/", name);
    if (place && !sbx_buf_status(&path)) place->path = sbx_buf_take(&path, NULL);
    sbx_buf_finish(&path);
    if (!place || !place->path) {
        free(place);
        names->failed = 1;
        return;
    }
    place->level = names->level;
    *names->end = place;
    names->end = &place->next;
}

/* The names of a folder before what is left. @return an errno */
static sim_errno walk_enter(const struct sim_day_walk *walk, const struct walk_place *at, struct walk_place **rest) {
    struct walk_place *first = NULL;
    struct walk_names names = {&first, at->path, at->level + 1, 0};
    sim_errno failed = sim_list(walk->machine, at->path, walk_name, &names);
    *names.end = *rest;
    *rest = first;
    return names.failed ? ENOMEM : failed;
}

static sim_errno walk_visit(const struct sim_day_walk *walk, const struct walk_place *at, struct walk_place **rest,
                            int *stop) {
    struct sim_stat st = {0}, target = {0};
    sim_errno failed = sim_stat(walk->machine, at->path, 0, &st);
    const int begins = at->level == 0;
    if (failed) return begins ? failed : 0; /* gone meanwhile */
    const int enters =
        st.type == 'd' || (begins && sim_stat(walk->machine, at->path, 1, &target) == 0 && target.type == 'd');
    *stop = walk->each(walk->ctx, at->path, &st);
    if (*stop || !enters || (walk->depth && at->level >= walk->depth)) return 0;
    failed = walk_enter(walk, at, rest);
    return begins || failed == ENOMEM ? failed : 0;
}

sim_errno sim_day_walk(const struct sim_day_walk *walk, const char *path) {
    struct walk_place *rest = calloc(1, sizeof(*rest));
    sim_errno failed = 0;
    int stop = 0;
    if (rest) rest->path = strdup(path);
    if (!rest || !rest->path) failed = ENOMEM;
    while (rest) {
        struct walk_place *at = rest;
        rest = at->next;
        if (!failed && !stop) failed = walk_visit(walk, at, &rest, &stop);
        free(at->path);
        free(at);
    }
    return failed;
}
