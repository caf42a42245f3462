/* Start, stop, destroy: one after the other for each sandbox, whichever process asks. Rows L1, P9, P10. */
#include "adapters/local/verbs.h"

#include <dirent.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROBE_MS 10000
#define REAP_MS  5000

/* Its lock, and then how it is: whoever had the lock before may have removed it. */
static enum sbx_status hold(const struct local *l, const char *id, const struct sbx_call *call, int *lock,
                            struct sbx_error *err) {
    char path[LOCAL_PATH_SIZE];
    enum sbx_status st = sbx_local_path(l, id, "lock", path) ? sbx_local_lock(l, path, call, lock) : SBX_NOT_FOUND;
    if (!st) return SBX_OK;
    return sbx_fail(err, st, st == SBX_NOT_FOUND ? SBX_OUTCOME_REFUSED : SBX_OUTCOME_NOT_SENT, "id: %s",
                    st == SBX_NOT_FOUND ? "no such sandbox" : "its lock was not to be had");
}

static enum sbx_status become(const struct local *l, const struct local_view *view, int32_t state,
                              const struct local_process *box, struct sbx_error *err) {
    const struct local_state is = {.state = state, .generation = view->is.generation + 1, .box = *box};
    char dir[LOCAL_PATH_SIZE];
    (void)!sbx_local_path(l, view->id, "", dir);
    return sbx_local_state_write(dir, &is, err);
}

static enum sbx_status end_all(const struct local *l, const char *id, const struct local_process *box,
                               const struct sbx_call *call, struct sbx_error *err) {
    enum sbx_status st = sbx_local_sandbox_end(l, id, box, call);
    return st ? sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, "some of its processes may be alive") : SBX_OK;
}

/* ---- start ---- */

static enum sbx_status make_run(const struct local *l, const char *id, const struct sbx_call *call,
                                struct sbx_error *err) {
    struct local_view view = {0};
    struct local_process box = {0};
    char dir[LOCAL_PATH_SIZE];
    enum sbx_status st = sbx_local_view_read(l, id, &view, err);
    if (!st && view.is.state == SBX_STATE_DESTROYING)
        st = sbx_fail(err, SBX_CONFLICT, SBX_OUTCOME_REFUSED, "the sandbox is being destroyed");
    if (!st && sbx_local_state_of(&view) != SBX_STATE_RUNNING) {
        int64_t left_ms = view.expires_ms ? view.expires_ms - l->env->wall_ms(l->env) : 0;
        (void)!sbx_local_path(l, id, "", dir);
        if (view.isolated) st = sbx_local_box_start(l, dir, view.network, left_ms, call, &box, err);
        if (!st) st = become(l, &view, SBX_STATE_RUNNING, &box, err);
        if (st) (void)sbx_local_process_end(l, &box, call);
    }
    sbx_local_view_finish(&view);
    return st;
}

/* Nothing is said to run before it has. */
static enum sbx_status prove(const struct local *l, const char *id, const struct sbx_call *call,
                             struct sbx_error *err) {
    const struct local_order order = {.args = {l->shell, "-c", "true"}, .lifetime_ms = PROBE_MS};
    const struct sbx_error before = *err;
    struct local_view view = {0};
    struct local_end end = {0};
    enum sbx_status st = sbx_local_view_running(l, id, &view, err);
    if (!st) st = sbx_local_process_run(l, &view, &order, call, &end, err);
    if (st == SBX_COMMAND_TIMEOUT || (!st && (!end.exit_known || end.exit_code != 0)))
        st = sbx_fail(err, SBX_NOT_READY, SBX_OUTCOME_DONE, "it does not run `true`");
    sbx_local_view_finish(&view);
    if (!st) *err = before;
    return st;
}

enum sbx_status sbx_local_begin(const struct local *l, const char *id, const struct sbx_call *call,
                                struct sbx_error *err) {
    int lock = -1;
    enum sbx_status st = hold(l, id, call, &lock, err);
    if (!st) st = make_run(l, id, call, err);
    sbx_local_unlock(lock);
    return st ? st : prove(l, id, call, err);
}

enum sbx_status sbx_local_start(void *self, struct sbx_identity *who, const struct sbx_start_options *opt,
                                const struct sbx_call *call, struct sbx_start_result *result, struct sbx_error *err) {
    (void)opt, (void)result; /* nothing is ever replaced */
    enum sbx_status st = sbx_local_begin(self, who->id, call, err);
    if (!st) who->state = SBX_STATE_RUNNING;
    if (st && err->outcome == SBX_OUTCOME_DONE) err->outcome = SBX_OUTCOME_UNKNOWN; /* the probe ran, not the start */
    return st;
}

/* ---- stop ---- */

enum sbx_status sbx_local_stop(void *self, struct sbx_identity *who, const struct sbx_stop_options *opt,
                               const struct sbx_call *call, struct sbx_error *err) {
    const struct local *l = self;
    static const struct local_process nobody = {0};
    struct local_view view = {0};
    int lock = -1;
    (void)opt; /* there is nobody to ask: it is always by force */
    enum sbx_status st = hold(l, who->id, call, &lock, err);
    if (!st) st = sbx_local_view_read(l, who->id, &view, err);
    if (!st) {
        /* first the word, which keeps others from starting, then the deed; the box is forgotten when it is dead */
        st = become(l, &view, SBX_STATE_STOPPED, &view.is.box, err);
        view.is.generation++;
        if (!st) st = end_all(l, view.id, &view.is.box, call, err);
        if (!st) st = become(l, &view, SBX_STATE_STOPPED, &nobody, err);
    }
    if (!st) who->state = SBX_STATE_STOPPED;
    sbx_local_view_finish(&view);
    sbx_local_unlock(lock);
    return st;
}

/* ---- destroy ---- */

/* Its name is free, and it is gone, before its files are: what is left of them is .old-<id>. */
static enum sbx_status disappear(const struct local *l, const char *id, const char *name, const char *old,
                                 const struct sbx_call *call, struct sbx_error *err) {
    char dir[LOCAL_PATH_SIZE], link[LOCAL_PATH_SIZE], of[SBX_ACQUISITION_SIZE] = "";
    int lock = -1;
    enum sbx_status st = sbx_local_lock_root(l, call, &lock, err);
    if (st) return sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, NULL);
    (void)!sbx_local_path(l, id, "", dir);
    (void)sbx_local_remove(old); /* of another one of that id, that a crash has left */
    if (rename(dir, old) != 0)
        st = sbx_fail(err, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, "root: a directory could not be moved away");
    if (!st && name && sbx_local_name_path(l, name, link)) {
        ssize_t n = readlink(link, of, sizeof(of) - 1);
        if (n >= 0) of[n] = 0;
        if (strcmp(of, id) == 0) (void)unlink(link);
    }
    sbx_local_unlock(lock);
    return st;
}

/* Of one whose record cannot be read, all that carry its mark are ended all the same. */
static enum sbx_status take_down(const struct local *l, const char *id, const char *old, const struct sbx_call *call,
                                 struct sbx_error *err) {
    struct local_view view = {0};
    struct sbx_error quiet = SBX_ERROR_INIT;
    (void)!sbx_local_view_read(l, id, &view, &quiet);
    (void)!sbx_copy(view.id, sizeof(view.id), id);
    enum sbx_status st = become(l, &view, SBX_STATE_DESTROYING, &view.is.box, err);
    if (!st) st = end_all(l, id, &view.is.box, call, err);
    if (!st) st = disappear(l, id, view.name, old, call, err);
    sbx_local_view_finish(&view);
    return st;
}

enum sbx_status sbx_local_delete(const struct local *l, const char *id, const struct sbx_call *call,
                                 struct sbx_error *err) {
    const struct sbx_error before = *err;
    char old[LOCAL_PATH_SIZE + 8];
    int lock = -1;
    if (!sbx_is_hex(id, SBX_ACQUISITION_SIZE - 1)) return SBX_OK; /* nothing of ours */
    snprintf(old, sizeof(old), "%s/.old-%s", l->root, id);
    enum sbx_status st = hold(l, id, call, &lock, err);
    if (!st) {
        char dir[LOCAL_PATH_SIZE];
        st = sbx_local_path(l, id, "", dir) && access(dir, F_OK) == 0 ? take_down(l, id, old, call, err) : SBX_OK;
    } else if (st == SBX_NOT_FOUND) {
        st = SBX_OK;
        *err = before;
    }
    if (!st && !sbx_local_remove(old))
        st = sbx_fail(err, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, "root: some of its files could not be removed");
    sbx_local_unlock(lock);
    return st;
}

enum sbx_status sbx_local_destroy(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                  struct sbx_error *err) {
    return sbx_local_delete(self, who->id, call, err);
}

/* ---- lifetimes ---- */

static int is_over(const struct local *l, const char *id) {
    struct local_view view = {0};
    struct sbx_error quiet = SBX_ERROR_INIT;
    int over = sbx_local_view_read(l, id, &view, &quiet) == SBX_NOT_FOUND && view.expires_ms;
    sbx_local_view_finish(&view);
    return over;
}

void sbx_local_reap_over(const struct local *l, const struct sbx_call *call) {
    const struct sbx_call bounded = sbx_call_within(call, l->env, REAP_MS);
    struct sbx_error quiet = SBX_ERROR_INIT;
    DIR *all = opendir(l->root);
    for (const struct dirent *e; all && (e = readdir(all)) && sbx_call_check(&bounded, l->env) == SBX_OK;)
        if (sbx_is_hex(e->d_name, SBX_ACQUISITION_SIZE - 1) && is_over(l, e->d_name))
            (void)!sbx_local_delete(l, e->d_name, &bounded, &quiet);
    if (all) closedir(all);
}
