/* What is there: lists and single paths, by the daemon's calls. All are reads, which may be asked again. Rows P8, D14.
 */
#include "adapters/e2b/file.h"

static const char *call_of(enum e2b_op op) {
    return op == E2B_FILE_STAT    ? "/filesystem.Filesystem/Stat"
           : op == E2B_FILE_LIST  ? "/filesystem.Filesystem/ListDir"
           : op == E2B_FILE_MKDIR ? "/filesystem.Filesystem/MakeDir"
           : op == E2B_FILE_MOVE  ? "/filesystem.Filesystem/Move"
                                  : "/filesystem.Filesystem/Remove";
}

void e2b_put_path(struct sbx_buf *out, const char *path) {
    if (*path == '~') sbx_buf_text_append(out, "./");
    sbx_buf_text_append(out, path);
}

enum sbx_status e2b_file_call(struct e2b *e, const struct sbx_identity *who, enum e2b_op op, struct sbx_buf *body,
                              const struct sbx_call *call, struct e2b_reply *reply, struct sbx_error *err) {
    const int reads = op == E2B_FILE_STAT || op == E2B_FILE_LIST;
    struct sbx_buf url = SBX_BUF_INIT;
    sbx_buf_text_append(&url, who->address);
    sbx_buf_text_append(&url, call_of(op));
    const struct e2b_request req = {.op = op,
                                    .method = "POST",
                                    .url = sbx_buf_text(&url),
                                    .body = body,
                                    .who = who,
                                    .flags = reads ? SBX_REQUEST_IDEMPOTENT : SBX_REQUEST_CHUNKED};
    enum sbx_status st = url.failed || body->failed ? SBX_NO_MEMORY : SBX_OK;
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL)
            : (reads ? e2b_read_by : e2b_send)(e, &req, call, reply, err);
    sbx_buf_finish(&url);
    sbx_buf_finish(body);
    return st;
}

static enum sbx_status look_ask(struct e2b *e, const struct sbx_identity *who, enum e2b_op op, const char *path,
                                const struct sbx_call *call, struct e2b_reply *reply, struct sbx_error *err) {
    struct sbx_buf body = SBX_BUF_INIT, name = SBX_BUF_INIT;
    e2b_put_path(&name, path);
    sbx_json_begin_object(&body, NULL);
    sbx_json_put_string(&body, "path", sbx_buf_text(&name));
    if (op == E2B_FILE_LIST) sbx_json_put_int(&body, "depth", 1);
    sbx_json_end_object(&body);
    if (name.failed) body.failed = 1;
    sbx_buf_finish(&name);
    return e2b_file_call(e, who, op, &body, call, reply, err);
}

static enum sbx_status look_read(struct e2b_reply *reply, struct sbx_error *err) {
    if (!sbx_json_status(reply->js)) return SBX_OK;
    return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, "answer: %s", sbx_json_error(reply->js));
}

enum sbx_status e2b_file_look(struct e2b *e, const struct sbx_identity *who, const char *path,
                              const struct sbx_call *call, struct e2b_reply *reply, struct e2b_file *out,
                              struct sbx_error *err) {
    enum sbx_status st = look_ask(e, who, E2B_FILE_STAT, path, call, reply, err);
    if (st) return st;
    const struct sbx_json_node *root = sbx_json_as_object(reply->js, sbx_json_root(reply->js));
    e2b_file_info(reply->js, sbx_json_object(reply->js, root, "entry"), 0, out);
    st = look_read(reply, err);
    if (!st && out->leads_nowhere) st = sbx_fail(err, SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL);
    return st;
}

enum sbx_status e2b_file_stat(void *self, const struct sbx_identity *who, const char *path, const struct sbx_call *call,
                              struct sbx_files *into, struct sbx_error *err) {
    struct e2b_reply reply = {0};
    struct e2b_file file;
    enum sbx_status st = e2b_file_look(self, who, path, call, &reply, &file, err);
    if (!st && sbx_files_add(into, &file.draft)) st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_UNKNOWN, NULL);
    e2b_reply_finish(&reply);
    return e2b_explain(self, who, st, call, err);
}

/* A directory with nothing in it has no member `entries`. */
enum sbx_status e2b_file_list(void *self, const struct sbx_identity *who, const char *dir, const struct sbx_call *call,
                              struct sbx_files *into, struct sbx_error *err) {
    struct e2b_reply reply = {0};
    enum sbx_status st = look_ask(self, who, E2B_FILE_LIST, dir, call, &reply, err);
    const struct sbx_json_node *entries = NULL;
    if (!st) {
        const struct sbx_json_node *root = sbx_json_as_object(reply.js, sbx_json_root(reply.js));
        entries = sbx_json_opt_array(reply.js, root, "entries");
        st = look_read(&reply, err);
    }
    for (const struct sbx_json_node *it = entries ? sbx_json_first(entries) : NULL; it && !st; it = sbx_json_next(it)) {
        struct e2b_file file;
        e2b_file_info(reply.js, it, 1, &file);
        st = look_read(&reply, err);
        if (!st && !file.leads_nowhere && sbx_files_add(into, &file.draft))
            st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_UNKNOWN, NULL);
    }
    e2b_reply_finish(&reply);
    return e2b_explain(self, who, st, call, err);
}
