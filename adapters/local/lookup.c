/* What is there: a look at directories, which waits for nobody. Rows L1, P12. */
#include "adapters/local/verbs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sbx_info *info_of(const struct local *l, const struct local_view *view) {
    const struct sbx_pair extra = {"isolation", view->isolated ? "bubblewrap" : "none"};
    struct sbx_info_draft draft = {.size = sizeof(draft),
                                   .id = view->id,
                                   .name = view->name,
                                   .work_dir = view->home,
                                   .acquisition = view->id,
                                   .state = sbx_local_state_of(view),
                                   .extras = &extra,
                                   .extra_count = 1};
    struct sbx_pair *labels = calloc(sbx_json_count(view->labels) + 1, sizeof(*labels));
    if (!labels) return NULL;
    for (const struct sbx_json_node *one = sbx_json_first(view->labels); one; one = sbx_json_next(one))
        labels[draft.label_count++] = (struct sbx_pair){sbx_json_key(one), sbx_json_as_string(view->record, one)};
    draft.labels = labels;
    draft.state_text = sbx_state_name(draft.state);
    draft.read_ms = l->env->now_ms(l->env);
    struct sbx_info *info = sbx_info_create(&draft);
    free(labels);
    return info;
}

enum sbx_status sbx_local_attach(void *self, const char *id, const struct sbx_call *call, struct sbx_identity *out,
                                 struct sbx_error *err) {
    struct local_view view = {0};
    (void)call;
    enum sbx_status st = sbx_local_view_read(self, id, &view, err);
    if (!st) {
        (void)!sbx_copy(out->id, sizeof(out->id), id);
        (void)!sbx_copy(out->acquisition, sizeof(out->acquisition), id);
        out->state = sbx_local_state_of(&view);
    }
    sbx_local_view_finish(&view);
    return st;
}

enum sbx_status sbx_local_info(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                               struct sbx_info **out, struct sbx_error *err) {
    struct local_view view = {0};
    (void)call;
    enum sbx_status st = sbx_local_view_read(self, who->id, &view, err);
    struct sbx_info *info = st ? NULL : info_of(self, &view);
    if (!st && !info) st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    if (info) *out = info;
    sbx_local_view_finish(&view);
    return st;
}

enum sbx_status sbx_local_home_dir(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                   struct sbx_buf *out, struct sbx_error *err) {
    struct local_view view = {0};
    (void)call;
    enum sbx_status st = sbx_local_view_read(self, who->id, &view, err);
    if (!st) sbx_buf_text_append(out, view.home);
    if (!st && out->failed) st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    sbx_local_view_finish(&view);
    return st;
}

/* ---- lists ---- */

static int matches(const struct sbx_query *query, const struct sbx_info *info) {
    int state = query->state_count == 0;
    for (size_t i = 0; i < query->state_count; i++) state |= query->states[i] == sbx_info_state(info);
    for (size_t i = 0; i < query->exclude_count; i++)
        if (strcmp(query->exclude_ids[i], sbx_info_id(info)) == 0) return 0;
    for (size_t i = 0; i < query->label_count; i++) {
        const char *value = sbx_info_label(info, query->labels[i].name);
        if (!value || strcmp(value, query->labels[i].value) != 0) return 0;
    }
    return state;
}

/* One that goes while it is looked at is not there. @param into may be NULL */
static enum sbx_status take_one(const struct local *l, const char *id, const struct sbx_query *query,
                                struct sbx_list *into, int64_t *count, struct sbx_error *err) {
    const struct sbx_error before = *err;
    struct local_view view = {0};
    struct sbx_info *info = NULL;
    enum sbx_status st = sbx_local_view_read(l, id, &view, err);
    if (!st) {
        info = info_of(l, &view);
        if (!info) st = SBX_NO_MEMORY;
    }
    if (!st && matches(query, info)) {
        ++*count;
        if (into) st = sbx_list_take(into, &info);
    }
    if (st == SBX_NO_MEMORY) st = sbx_fail(err, st, SBX_OUTCOME_NONE, NULL);
    sbx_info_free(info);
    sbx_local_view_finish(&view);
    if (st != SBX_NOT_FOUND) return st;
    *err = before;
    return SBX_OK;
}

static enum sbx_status each(const struct local *l, const struct sbx_query *query, const struct sbx_call *call,
                            struct sbx_list *into, int64_t *count, struct sbx_error *err) {
    DIR *all = opendir(l->root);
    enum sbx_status st = SBX_OK;
    if (!all) return sbx_fail(err, SBX_PROVIDER, SBX_OUTCOME_REFUSED, "root: it cannot be read");
    while (!st && (!query->max || *count < query->max)) {
        const struct dirent *e = readdir(all);
        if (!e) break;
        if (!sbx_is_hex(e->d_name, SBX_ACQUISITION_SIZE - 1)) continue;
        st = sbx_call_check(call, l->env);
        if (st) sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, NULL);
        if (!st) st = take_one(l, e->d_name, query, into, count, err);
    }
    closedir(all);
    return st;
}

enum sbx_status sbx_local_find(void *self, const struct sbx_query *query, const struct sbx_call *call,
                               struct sbx_list *into, struct sbx_error *err) {
    int64_t count = 0;
    return each(self, query, call, into, &count, err);
}

enum sbx_status sbx_local_count(void *self, const struct sbx_query *query, const struct sbx_call *call, int64_t *out,
                                struct sbx_error *err) {
    int64_t count = 0;
    enum sbx_status st = each(self, query, call, NULL, &count, err);
    if (!st) *out = count;
    return st;
}

/* Slots: those that run. This machine has no limit of its own; the caller's stands beside what is told here. */
enum sbx_status sbx_local_capacity(void *self, uint32_t wanted, const struct sbx_call *call, struct sbx_usage *usage,
                                   struct sbx_error *err) {
    static const int32_t running[] = {SBX_STATE_RUNNING};
    const uint32_t slots = UINT32_C(1) << SBX_RESOURCE_SANDBOXES;
    struct sbx_query query = SBX_QUERY_INIT;
    int64_t count = 0;
    if (!(wanted & slots)) return SBX_OK;
    query.states = running;
    query.state_count = 1; /* guard: local_stopped_holds_no_slot */
    enum sbx_status st = each(self, &query, call, NULL, &count, err);
    if (st) return st;
    usage->used[SBX_RESOURCE_SANDBOXES] = (double)count;
    usage->measured = slots;
    return SBX_OK;
}

/* ---- reconcile ---- */

/* Under the root's lock no launch is under way. One that is still to come, from a program that sleeps, is kept from it:
 * so ABSENT is for good. */
static enum sbx_status give_up(const struct local *l, const char *acquisition, struct sbx_error *err) {
    char path[LOCAL_PATH_SIZE + 64];
    snprintf(path, sizeof(path), "%s/.never/%s", l->root, acquisition);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return sbx_fail(err, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, "root: an id could not be given up");
    close(fd);
    return SBX_OK;
}

enum sbx_status sbx_local_reconcile(void *self, const struct sbx_reconcile_options *opt, const struct sbx_call *call,
                                    int32_t *verdict, struct sbx_list *into, struct sbx_error *err) {
    const struct local *l = self;
    const struct sbx_query any = SBX_QUERY_INIT;
    const struct sbx_error before = *err;
    int64_t count = 0;
    int lock = -1;
    *verdict = SBX_RECONCILE_UNDECIDED;
    enum sbx_status st = sbx_local_lock_root(l, call, &lock, err);
    if (st == SBX_DEADLINE) {
        *err = before;
        return SBX_OK;
    }
    if (!st) st = take_one(l, opt->acquisition, &any, into, &count, err);
    if (!st && !count) st = give_up(l, opt->acquisition, err);
    if (!st) *verdict = count ? SBX_RECONCILE_FOUND : SBX_RECONCILE_ABSENT;
    sbx_local_unlock(lock);
    return st;
}
