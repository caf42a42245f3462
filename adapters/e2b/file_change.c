/* Changes of files by the daemon's calls. Each is sent once, chunked, so that no hop sends it again. Rows P8, P11, D14.
 *
 * The daemon does more than it is asked for: it removes directories with all that is in them, calls what is not there
 * removed, replaces what a move meets and makes the directories on its way. So a look comes first, and what it finds
 * may have changed by the time of the change. The daemon is root: what a user may not change, these do. */
#include "adapters/e2b/file.h"

#include <string.h>

/* One or two paths. */
static enum sbx_status change_send(struct e2b *e, const struct sbx_identity *who, enum e2b_op op, const char *key,
                                   const char *path, const char *to, const struct sbx_call *call,
                                   struct sbx_error *err) {
    struct e2b_reply reply = {0};
    struct sbx_buf body = SBX_BUF_INIT, name = SBX_BUF_INIT, other = SBX_BUF_INIT;
    e2b_put_path(&name, path);
    if (to) e2b_put_path(&other, to);
    sbx_json_begin_object(&body, NULL);
    sbx_json_put_string(&body, key, sbx_buf_text(&name));
    if (to) sbx_json_put_string(&body, "destination", sbx_buf_text(&other));
    sbx_json_end_object(&body);
    if (name.failed || other.failed) body.failed = 1;
    sbx_buf_finish(&name);
    sbx_buf_finish(&other);
    const enum sbx_status st = e2b_file_call(e, who, op, &body, call, &reply, err);
    e2b_reply_finish(&reply);
    return st;
}

/* What is there before a change. Nothing has been changed by it. @param type enum sbx_file_type, set on success */
static enum sbx_status change_look(struct e2b *e, const struct sbx_identity *who, const char *path,
                                   const struct sbx_call *call, int32_t *type, struct sbx_error *err) {
    struct e2b_reply reply = {0};
    struct e2b_file file;
    enum sbx_status st = e2b_file_look(e, who, path, call, &reply, &file, err);
    if (!st) *type = file.draft.type;
    if (st && err->outcome != SBX_OUTCOME_NOT_SENT) err->outcome = SBX_OUTCOME_REFUSED;
    e2b_reply_finish(&reply);
    return st;
}

enum sbx_status e2b_file_mkdir(void *self, const struct sbx_identity *who, const char *path, int32_t mode,
                               const struct sbx_call *call, struct sbx_error *err) {
    const struct sbx_error before = *err;
    enum sbx_status st = SBX_OK;
    if (mode) { /* which the daemon does not take, and for which nothing shall be open meanwhile */
        struct e2b_inside in;
        e2b_inside_begin(&in, self, who);
        st = sbx_work_mkdir(&in.work, path, mode, call, err);
    } else {
        st = change_send(self, who, E2B_FILE_MKDIR, "path", path, NULL, call, err);
    }
    if (st == SBX_ALREADY_EXISTS) { /* it says so of a directory alone */
        *err = before;
        st = SBX_OK;
    }
    return e2b_explain(self, who, st, call, err);
}

enum sbx_status e2b_file_remove(void *self, const struct sbx_identity *who, const char *path, int32_t recursive,
                                const struct sbx_call *call, struct sbx_error *err) {
    int32_t type = SBX_FILE_TYPE_UNKNOWN;
    enum sbx_status st = change_look(self, who, path, call, &type, err);
    if (!st && type == SBX_FILE_DIRECTORY && !recursive) /* guard: e2b_remove_asked_for_all */
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "recursive: expected SBX_YES for a directory");
    if (!st) st = change_send(self, who, E2B_FILE_REMOVE, "path", path, NULL, call, err);
    return e2b_explain(self, who, st, call, err);
}

/* Is there a directory for it, and nothing of that name? */
static enum sbx_status move_target(struct e2b *e, const struct sbx_identity *who, const char *to,
                                   const struct sbx_call *call, struct sbx_error *err) {
    const struct sbx_error before = *err;
    int32_t type = SBX_FILE_TYPE_UNKNOWN;
    struct sbx_buf dir = SBX_BUF_INIT;
    enum sbx_status st = change_look(e, who, to, call, &type, err);
    if (!st) /* guard: e2b_move_replaces_nothing */
        return sbx_fail(err, SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED, "to: there is something of that name");
    if (st != SBX_FILE_NOT_FOUND) return st;
    *err = before;
    sbx_buf_text_append(&dir, to);
    size_t len = dir.failed ? 0 : dir.len;
    while (len > 1 && dir.data[len - 1] == '/') len--;
    while (len > 0 && dir.data[len - 1] != '/') len--;
    if (!dir.failed) dir.data[len] = 0;
    st = dir.failed ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL)
         : len      ? change_look(e, who, dir.data, call, &type, err)
                    : SBX_OK;
    if (st == SBX_FILE_NOT_FOUND) sbx_fail(err, st, SBX_OUTCOME_REFUSED, "from, or the directory of to");
    if (!st && len && type != SBX_FILE_DIRECTORY)
        st = sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "to: a part of it is a file");
    sbx_buf_finish(&dir);
    return st;
}

enum sbx_status e2b_file_move(void *self, const struct sbx_identity *who, const char *from, const char *to,
                              const struct sbx_call *call, struct sbx_error *err) {
    enum sbx_status st = move_target(self, who, to, call, err);
    if (!st) st = change_send(self, who, E2B_FILE_MOVE, "source", from, to, call, err);
    return e2b_explain(self, who, st, call, err);
}
