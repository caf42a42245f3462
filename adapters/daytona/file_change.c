/* Changes of files by the toolbox's routes. Each is sent once. The POSTs have a body that is chunked, though the routes
 * want none, since Daytona's hops send again what they hold whole: a move done twice says that there is nothing to
 * move, a replacement done twice may replace what it has put there. The DELETE has no body; a hop that sent it again
 * would at worst make a removed file one that is not there. Rows P8, P11, D14. */
#include "adapters/daytona/inside.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

struct change {
    struct daytona_inside in;
    struct daytona_reply reply;
    struct sbx_buf url;
    struct sbx_buf body;
};

static enum sbx_status change_begin(struct change *change, struct daytona *d, const struct sbx_identity *who,
                                    const char *route, const struct sbx_call *call, struct sbx_error *err) {
    change->reply = (struct daytona_reply){0};
    change->url = change->body = (struct sbx_buf)SBX_BUF_INIT;
    enum sbx_status st = daytona_inside_begin(&change->in, d, who, call, err);
    if (!st) daytona_toolbox_url(&change->url, &change->in.where, route);
    return st;
}

static enum sbx_status change_send(struct change *change, enum daytona_op op, const char *method,
                                   const struct sbx_call *call, struct sbx_error *err) {
    const int post = strcmp(method, "POST") == 0;
    if (post && !change->body.len) sbx_buf_text_append(&change->body, "{}");
    const struct daytona_request req = {.op = op,
                                        .method = method,
                                        .url = sbx_buf_text(&change->url),
                                        .body = post ? &change->body : NULL,
                                        .flags = post ? SBX_REQUEST_CHUNKED : 0}; /* guard: file_change_is_chunked */
    enum sbx_status st = change->url.failed || change->body.failed ? SBX_NO_MEMORY : SBX_OK;
    return st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL)
              : daytona_send(change->in.d, &req, call, &change->reply, err);
}

static enum sbx_status change_end(struct change *change, enum sbx_status st, const struct sbx_call *call,
                                  struct sbx_error *err) {
    daytona_reply_finish(&change->reply);
    sbx_buf_finish(&change->url);
    sbx_buf_finish(&change->body);
    return st ? daytona_inside_end(&change->in, st, call, err) : SBX_OK;
}

/* As the public structs have modes: 0 is left out. */
static void change_mode(struct change *change, int32_t mode) {
    char octal[] = "0000";
    const int32_t bits = mode == SBX_MODE_NONE ? 0 : mode;
    if (!mode) return;
    for (int i = 0; i < 3; i++) octal[3 - i] = (char)('0' + (bits >> (3 * i) & 7));
    sbx_url_query(&change->url, "mode", octal);
}

enum sbx_status daytona_file_mkdir(void *self, const struct sbx_identity *who, const char *path, int32_t mode,
                                   const struct sbx_call *call, struct sbx_error *err) {
    struct change change;
    enum sbx_status st = change_begin(&change, self, who, "/files/folder", call, err);
    if (st) return st;
    sbx_url_query(&change.url, "path", path);
    change_mode(&change, mode);
    st = change_send(&change, DAYTONA_FILE_MKDIR, "POST", call, err);
    if (st == SBX_PROVIDER && err->outcome == SBX_OUTCOME_REFUSED) /* 400 and no word why; mkdir has one */
        st = sbx_work_mkdir(&change.in.work, path, mode, call, err);
    return change_end(&change, st, call, err);
}

enum sbx_status daytona_file_remove(void *self, const struct sbx_identity *who, const char *path, int32_t recursive,
                                    const struct sbx_call *call, struct sbx_error *err) {
    struct change change;
    enum sbx_status st = change_begin(&change, self, who, "/files", call, err);
    if (st) return st;
    sbx_url_query(&change.url, "path", path);
    if (recursive) sbx_url_query(&change.url, "recursive", "true"); /* guard: remove_asked_for_all */
    st = change_send(&change, DAYTONA_FILE_REMOVE, "DELETE", call, err);
    if (st == SBX_INVALID_ARGUMENT && recursive) sbx_fail(err, st, SBX_OUTCOME_REFUSED, "path: refused by the daemon");
    return change_end(&change, st, call, err);
}

enum sbx_status daytona_file_move(void *self, const struct sbx_identity *who, const char *from, const char *to,
                                  const struct sbx_call *call, struct sbx_error *err) {
    struct change change;
    enum sbx_status st = change_begin(&change, self, who, "/files/move", call, err);
    if (st) return st;
    sbx_url_query(&change.url, "source", from);
    sbx_url_query(&change.url, "destination", to);
    return change_end(&change, change_send(&change, DAYTONA_FILE_MOVE, "POST", call, err), call, err);
}

enum sbx_status daytona_file_permissions(void *self, const struct sbx_identity *who, const char *path, int32_t mode,
                                         const char *owner, const char *group, const struct sbx_call *call,
                                         struct sbx_error *err) {
    struct change change;
    enum sbx_status st = change_begin(&change, self, who, "/files/permissions", call, err);
    if (st) return st;
    sbx_url_query(&change.url, "path", path);
    if (owner) sbx_url_query(&change.url, "owner", owner);
    if (group) sbx_url_query(&change.url, "group", group);
    change_mode(&change, mode);
    return change_end(&change, change_send(&change, DAYTONA_FILE_PERMISSIONS, "POST", call, err), call, err);
}

/* ---- texts ---- */

static void replace_body(struct sbx_buf *body, const char *const *paths, size_t count, const char *text,
                         const char *with) {
    sbx_json_begin_object(body, NULL);
    sbx_json_begin_array(body, "files");
    for (size_t i = 0; i < count; i++) sbx_json_put_string(body, NULL, paths[i]);
    sbx_json_end_array(body);
    sbx_json_put_string(body, "pattern", text);
    sbx_json_put_string(body, "newValue", with);
    sbx_json_end_object(body);
}

/* The answer's entry about a path: the daemon is not trusted to keep the order. */
static const struct sbx_json_node *replaced_find(struct sbx_json *js, const char *path) {
    for (const struct sbx_json_node *it = sbx_json_first(sbx_json_root(js)); it; it = sbx_json_next(it))
        if (strcmp(sbx_json_opt_string(js, it, "file", ""), path) == 0) return it;
    return NULL;
}

/* Success is what says so, and nothing else. */
static enum sbx_status replaced_status(struct sbx_json *js, const struct sbx_json_node *node) {
    if (!node) return SBX_PROTOCOL;
    if (sbx_json_opt_bool(js, node, "success", 0)) return SBX_OK; /* guard: replace_success_not_made_up */
    return sbx_work_words(sbx_json_opt_string(js, node, "error", ""));
}

static enum sbx_status replaced_read(struct change *change, const char *const *paths, size_t count,
                                     struct sbx_files *into, struct sbx_error *err) {
    struct sbx_json *js = change->reply.js;
    enum sbx_status first = SBX_OK;
    if (sbx_json_type(sbx_json_root(js)) != SBX_JSON_ARRAY)
        return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, "answer: expected an array");
    for (size_t i = 0; i < count; i++) {
        struct sbx_file_draft draft = SBX_FILE_DRAFT_INIT;
        draft.path = paths[i];
        draft.status = (int32_t)replaced_status(js, replaced_find(js, paths[i]));
        if (sbx_json_status(js))
            return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, "answer: %s", sbx_json_error(js));
        if (sbx_files_add(into, &draft)) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_UNKNOWN, NULL);
        if (first || !draft.status) continue;
        first = sbx_fail(err, (enum sbx_status)draft.status, SBX_OUTCOME_DONE, "paths[%zu]: not replaced", i);
    }
    return first;
}

enum sbx_status daytona_file_replace(void *self, const struct sbx_identity *who, const char *const *paths, size_t count,
                                     const char *text, const char *with, const struct sbx_call *call,
                                     struct sbx_files *into, struct sbx_error *err) {
    struct change change;
    enum sbx_status st = change_begin(&change, self, who, "/files/replace", call, err);
    if (st) return st;
    replace_body(&change.body, paths, count, text, with);
    st = change_send(&change, DAYTONA_FILE_REPLACE, "POST", call, err);
    if (!st) st = daytona_reply_json(&change.reply, err);
    if (!st) st = replaced_read(&change, paths, count, into, err);
    return change_end(&change, st, call, err);
}
