/* What is written of a sandbox: a record that never changes, and its state. Rows L1, P12.
 *
 *     record   JSON: name, labels, environment, isolation, end of its lifetime
 *     state    "<state> <generation> <pid of the box> <its start>"
 *     lock     held by whoever starts, stops or destroys it */
#include "adapters/local/ends.h"
#include "adapters/local/place.h"

#include <errno.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_BYTES_MAX (16u * 1024 * 1024)
#define STATE_BYTES_MAX  128

static enum sbx_status not_written(struct sbx_error *err) {
    enum sbx_status st = errno == ENOSPC || errno == EDQUOT ? SBX_NO_SPACE : SBX_PROVIDER;
    return sbx_fail(err, st, SBX_OUTCOME_REFUSED, "root: a file could not be written");
}

static void put_pairs(struct sbx_buf *text, const char *key, const struct sbx_pair *pairs, size_t n) {
    sbx_json_begin_object(text, key);
    for (size_t i = 0; i < n; i++) sbx_json_put_string(text, pairs[i].name, pairs[i].value);
    sbx_json_end_object(text);
}

enum sbx_status sbx_local_record_write(const struct local *l, const char *dir, const struct sbx_launch_options *opt,
                                       const char *name, int64_t lifetime_ms, struct sbx_error *err) {
    struct sbx_buf text = SBX_BUF_INIT;
    char path[LOCAL_PATH_SIZE];
    int64_t now_ms = l->env->wall_ms(l->env);
    sbx_json_begin_object(&text, NULL);
    sbx_json_put_int(&text, "version", 1);
    sbx_json_put_string(&text, "name", name);
    put_pairs(&text, "labels", opt->labels, opt->label_count);
    put_pairs(&text, "env", opt->env, opt->env_count);
    sbx_json_put_bool(&text, "isolated", l->isolated);
    sbx_json_put_bool(&text, "network", l->network);
    sbx_json_put_int(&text, "expires_ms", lifetime_ms ? now_ms + lifetime_ms : 0);
    sbx_json_end_object(&text);
    int n = snprintf(path, sizeof(path), "%s/record", dir);
    enum sbx_status st = SBX_OK;
    if (text.failed || n >= (int)sizeof(path))
        st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    else if (!sbx_local_file_write(path, text.data, text.len))
        st = not_written(err);
    if (text.data) explicit_bzero(text.data, text.cap); /* the environment is in it */
    sbx_buf_finish(&text);
    return st;
}

enum sbx_status sbx_local_state_write(const char *dir, const struct local_state *is, struct sbx_error *err) {
    char path[LOCAL_PATH_SIZE], text[STATE_BYTES_MAX];
    int n = snprintf(path, sizeof(path), "%s/state", dir);
    int len = snprintf(text, sizeof(text), "%d %lld %lld %llu\n", is->state, (long long)is->generation,
                       (long long)is->box.pid, (unsigned long long)is->box.start);
    if (n < 0 || n >= (int)sizeof(path) || len < 0)
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "root: expected a shorter path");
    return sbx_local_file_write(path, text, (size_t)len) ? SBX_OK : not_written(err);
}

/* ---- reading ---- */

/* Only what is not there is said not to be: a launch that reconcile found absent is given up for good. */
static enum sbx_status not_read(int error) {
    if (error == ENOENT || error == ENOTDIR) return SBX_NOT_FOUND; /* guard: local_unread_is_not_absent */
    return error == ENOMEM ? SBX_NO_MEMORY : error == EMFILE || error == ENFILE ? SBX_NO_CAPACITY : SBX_PROVIDER;
}

static enum sbx_status read_failed(enum sbx_status st, struct sbx_error *err) {
    return sbx_fail(err, st, SBX_OUTCOME_REFUSED, "%s",
                    st == SBX_NOT_FOUND ? "id: no such sandbox" : "record: expected one of this release");
}

static enum sbx_status state_read(const char *path, struct local_state *is, struct sbx_error *err) {
    char text[STATE_BYTES_MAX], *at = text;
    if (!sbx_local_text_read(path, text, sizeof(text))) return read_failed(not_read(errno), err);
    is->state = (int32_t)strtol(at, &at, 10);
    is->generation = strtoll(at, &at, 10);
    is->box.pid = strtoll(at, &at, 10);
    is->box.start = strtoull(at, &at, 10);
    return *at == '\n' ? SBX_OK : read_failed(SBX_PROTOCOL, err);
}

static enum sbx_status record_read(const char *path, struct local_view *view, struct sbx_error *err) {
    struct sbx_buf text = SBX_BUF_INIT;
    enum sbx_status st = sbx_local_file_read(path, RECORD_BYTES_MAX, &text) ? SBX_OK : not_read(errno);
    if (text.failed) st = SBX_NO_MEMORY;
    if (!st) st = sbx_json_parse(sbx_buf_text(&text), text.len, RECORD_BYTES_MAX, &view->record);
    if (!st) {
        const struct sbx_json_node *root = sbx_json_root(view->record);
        view->name = sbx_json_string(view->record, root, "name");
        view->labels = sbx_json_object(view->record, root, "labels");
        view->env = sbx_json_object(view->record, root, "env");
        view->isolated = sbx_json_bool(view->record, root, "isolated");
        view->network = sbx_json_bool(view->record, root, "network");
        view->expires_ms = sbx_json_int(view->record, root, "expires_ms");
        st = sbx_json_status(view->record);
    }
    if (text.data) explicit_bzero(text.data, text.cap);
    sbx_buf_finish(&text);
    return st ? read_failed(st, err) : SBX_OK;
}

void sbx_local_view_finish(struct local_view *view) {
    sbx_json_free(view->record);
    memset(view, 0, sizeof(*view));
}

enum sbx_status sbx_local_view_read(const struct local *l, const char *id, struct local_view *view,
                                    struct sbx_error *err) {
    char path[LOCAL_PATH_SIZE];
    sbx_local_view_finish(view);
    if (!sbx_local_path(l, id, "record", path)) return read_failed(SBX_NOT_FOUND, err);
    enum sbx_status st = record_read(path, view, err);
    (void)!sbx_copy(view->id, sizeof(view->id), id);
    if (!st)
        st = sbx_local_path(l, id, "state", path) ? state_read(path, &view->is, err) : read_failed(SBX_PROVIDER, err);
    if (st) return st;
    if (view->isolated)
        (void)!sbx_copy(view->home, sizeof(view->home), LOCAL_BOX_HOME);
    else
        (void)!sbx_local_path(l, id, "home", view->home);
    if (view->expires_ms && l->env->wall_ms(l->env) >= view->expires_ms) /* guard: local_lifetime_over */
        return sbx_fail(err, SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, "the sandbox's lifetime is over");
    return SBX_OK;
}

int32_t sbx_local_state_of(const struct local_view *view) {
    if (view->is.state != SBX_STATE_RUNNING || !view->isolated) return view->is.state;
    return sbx_local_process_alive(&view->is.box) ? SBX_STATE_RUNNING : SBX_STATE_STOPPED;
}

enum sbx_status sbx_local_view_running(const struct local *l, const char *id, struct local_view *view,
                                       struct sbx_error *err) {
    enum sbx_status st = sbx_local_view_read(l, id, view, err);
    if (st) return st;
    if (l->required && !view->isolated) /* guard: local_isolation_required */
        return sbx_fail(err, SBX_FORBIDDEN, SBX_OUTCOME_REFUSED, "the sandbox was launched without isolation");
    int32_t state = sbx_local_state_of(view);
    if (state == SBX_STATE_RUNNING) return SBX_OK;
    return sbx_fail(err, SBX_NOT_READY, SBX_OUTCOME_REFUSED, "the sandbox's state is %s", sbx_state_name(state));
}
