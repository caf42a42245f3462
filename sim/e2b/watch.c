/* Watches of directories: two looks and what differs. Row P8. */
#include "sim/e2b/watch.h"

#include <stdlib.h>
#include <string.h>

#define WATCH_DEPTH_MAX 100

static void look_finish(struct sim_e2b_look *look) {
    for (size_t i = 0; i < look->count; i++) free(look->item[i].name);
    free(look->item);
    *look = (struct sim_e2b_look){0};
}

static void look_add(struct sim_e2b_look *look, const char *name, const struct sim_stat *st) {
    if (look->count == look->cap) {
        const size_t cap = look->cap ? look->cap * 2 : 16;
        struct sim_e2b_watch_item *grown = realloc(look->item, cap * sizeof(*grown));
        if (!grown) {
            look->failed = 1;
            return;
        }
        look->item = grown;
        look->cap = cap;
    }
    char *copy = strdup(name);
    if (!copy) {
        look->failed = 1;
        return;
    }
    look->item[look->count++] = (struct sim_e2b_watch_item){copy, *st};
}

static void look_name(void *ctx, const char *name) {
    struct sbx_buf *names = ctx;
    sbx_buf_append(names, name, strlen(name) + 1);
}

/* `under` is the part of the names that leads here, "" or with a slash at its end. */
static void look_below(struct sim_machine *m, const struct sim_e2b_watch *watch, const char *under, int level,
                       struct sim_e2b_look *look) {
    struct sbx_buf names = SBX_BUF_INIT, name = SBX_BUF_INIT, path = SBX_BUF_INIT;
    struct sim_stat st;
    sbx_buf_printf(&path, "%s/%s", watch->root, under);
    if (!path.failed) (void)sim_list(m, path.data, look_name, &names);
    for (size_t at = 0; at < names.len; at += strlen(names.data + at) + 1) {
        sbx_buf_clear(&name);
        sbx_buf_clear(&path);
        sbx_buf_printf(&name, "%s%s", under, names.data + at);
        sbx_buf_printf(&path, "%s/%s", watch->root, sbx_buf_text(&name));
        if (name.failed || path.failed) break;
        if (sim_stat(m, path.data, 0, &st)) continue;
        look_add(look, name.data, &st);
        if (!watch->recursive || st.type != 'd' || level >= WATCH_DEPTH_MAX) continue;
        sbx_buf_char(&name, '/');
        if (!name.failed) look_below(m, watch, name.data, level + 1, look);
    }
    if (names.failed || name.failed || path.failed) look->failed = 1;
    sbx_buf_finish(&names);
    sbx_buf_finish(&name);
    sbx_buf_finish(&path);
}

static int look_by_name(const void *a, const void *b) {
    const struct sim_e2b_watch_item *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static enum sbx_status look_take(struct sim_machine *m, const struct sim_e2b_watch *watch, struct sim_e2b_look *look) {
    const int64_t was = sim_machine_become(m, 0);
    look_below(m, watch, "", 0, look);
    (void)sim_machine_become(m, was);
    if (look->count) qsort(look->item, look->count, sizeof(*look->item), look_by_name);
    return look->failed ? SBX_NO_MEMORY : SBX_OK;
}

static const struct sim_e2b_watch_item *look_find(const struct sim_e2b_look *look, const char *name) {
    const struct sim_e2b_watch_item key = {.name = (char *)(uintptr_t)name};
    return look->count ? bsearch(&key, look->item, look->count, sizeof(*look->item), look_by_name) : NULL;
}

static const struct sim_e2b_watch_item *look_node(const struct sim_e2b_look *look, uint64_t ino) {
    for (size_t i = 0; i < look->count; i++)
        if (look->item[i].st.ino == ino) return &look->item[i];
    return NULL;
}

enum sbx_status sim_e2b_watch_init(struct sim_machine *m, struct sim_e2b_watch *watch, const char *root) {
    watch->root = strdup(root);
    return watch->root ? look_take(m, watch, &watch->seen) : SBX_NO_MEMORY;
}

void sim_e2b_watch_finish(struct sim_e2b_watch *watch) {
    look_finish(&watch->seen);
    free(watch->root);
    watch->root = NULL;
}

enum watch_event { WATCH_CREATE, WATCH_RENAME, WATCH_CHMOD, WATCH_WRITE, WATCH_REMOVE, WATCH_EVENTS };

/* What has happened to a name, as a bit for each event. */
static unsigned watch_events(const struct sim_e2b_watch_item *before, const struct sim_e2b_watch_item *now,
                             const struct sim_e2b_look *looks[2]) {
    unsigned events = 0;
    if (before && (!now || now->st.ino != before->st.ino)) {
        const struct sim_e2b_watch_item *elsewhere = look_node(looks[1], before->st.ino);
        events |= now ? 0 : elsewhere ? 1u << WATCH_RENAME : 1u << WATCH_REMOVE;
    }
    if (now && (!before || now->st.ino != before->st.ino)) {
        events |= 1u << WATCH_CREATE;
        if (now->st.type == 'f' && now->st.bytes > 0 && !look_node(looks[0], now->st.ino)) events |= 1u << WATCH_WRITE;
    } else if (now && before) {
        if (now->st.mode != before->st.mode) events |= 1u << WATCH_CHMOD;
        if (now->st.type == 'f' && (now->st.mtime_ns != before->st.mtime_ns || now->st.bytes != before->st.bytes))
            events |= 1u << WATCH_WRITE;
    }
    return events;
}

enum sbx_status sim_e2b_watch_look(struct sim_machine *m, struct sim_e2b_watch *watch,
                                   void (*each)(void *ctx, const char *name, const char *type), void *ctx) {
    static const char *const types[WATCH_EVENTS] = {"EVENT_TYPE_CREATE", "EVENT_TYPE_RENAME", "EVENT_TYPE_CHMOD",
                                                    "EVENT_TYPE_WRITE", "EVENT_TYPE_REMOVE"};
    struct sim_e2b_look now = {0};
    const struct sim_e2b_look *looks[2] = {&watch->seen, &now};
    if (look_take(m, watch, &now)) {
        look_finish(&now);
        return SBX_NO_MEMORY;
    }
    for (int event = 0; event < WATCH_EVENTS; event++) {
        for (size_t i = 0; i < now.count; i++)
            if (watch_events(look_find(&watch->seen, now.item[i].name), &now.item[i], looks) & 1u << event)
                each(ctx, now.item[i].name, types[event]);
        for (size_t i = 0; i < watch->seen.count; i++)
            if (!look_find(&now, watch->seen.item[i].name) &&
                watch_events(&watch->seen.item[i], NULL, looks) & 1u << event)
                each(ctx, watch->seen.item[i].name, types[event]);
    }
    look_finish(&watch->seen);
    watch->seen = now;
    return SBX_OK;
}

void sim_e2b_watchers_free(struct sim_e2b_sandbox *sb) {
    while (sb->watchers) {
        struct sim_e2b_watcher *next = sb->watchers->next;
        sim_e2b_watch_finish(&sb->watchers->watch);
        free(sb->watchers);
        sb->watchers = next;
    }
}
