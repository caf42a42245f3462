/* What is there: lists, single paths, names and texts found, by the toolbox's file routes. All are reads, which may be
 * asked again. Rows P8, D14. */
#include "adapters/daytona/inside.h"

struct look {
    struct daytona_inside in;
    struct daytona_reply reply;
    struct sbx_buf url;
};

static enum sbx_status look_begin(struct look *look, struct daytona *d, const struct sbx_identity *who,
                                  const char *route, const struct sbx_call *call, struct sbx_error *err) {
    look->reply = (struct daytona_reply){0};
    look->url = (struct sbx_buf)SBX_BUF_INIT;
    enum sbx_status st = daytona_inside_begin(&look->in, d, who, call, err);
    if (!st) daytona_toolbox_url(&look->url, &look->in.where, route);
    return st;
}

static enum sbx_status look_ask(struct look *look, enum daytona_op op, const struct sbx_call *call,
                                struct sbx_error *err) {
    enum sbx_status st = sbx_buf_status(&look->url);
    return st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL)
              : daytona_read(look->in.d, op, sbx_buf_text(&look->url), call, &look->reply, err);
}

static enum sbx_status look_end(struct look *look, enum sbx_status st, const struct sbx_call *call,
                                struct sbx_error *err) {
    daytona_reply_finish(&look->reply);
    sbx_buf_finish(&look->url);
    return st ? daytona_inside_end(&look->in, st, call, err) : SBX_OK;
}

/* @return NULL unless the answer is of that type: then it has been told */
static const struct sbx_json_node *look_root(struct look *look, enum sbx_json_type type, enum sbx_status *st,
                                             struct sbx_error *err) {
    const struct sbx_json_node *root = sbx_json_root(look->reply.js);
    if (sbx_json_type(root) == type) return root;
    *st = sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "answer: expected an %s",
                   type == SBX_JSON_ARRAY ? "array" : "object");
    return NULL;
}

enum sbx_status daytona_file_list(void *self, const struct sbx_identity *who, const char *dir,
                                  const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err) {
    struct look look;
    enum sbx_status st = look_begin(&look, self, who, "/files", call, err);
    if (st) return st;
    sbx_url_query(&look.url, "path", dir);
    st = look_ask(&look, DAYTONA_FILE_LIST, call, err);
    const struct sbx_json_node *root = st ? NULL : look_root(&look, SBX_JSON_ARRAY, &st, err);
    for (const struct sbx_json_node *it = root ? sbx_json_first(root) : NULL; it && !st; it = sbx_json_next(it))
        st = daytona_file_info(look.reply.js, it, 1, into, err);
    return look_end(&look, st, call, err);
}

enum sbx_status daytona_file_stat(void *self, const struct sbx_identity *who, const char *path,
                                  const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err) {
    struct look look;
    enum sbx_status st = look_begin(&look, self, who, "/files/info", call, err);
    if (st) return st;
    sbx_url_query(&look.url, "path", path);
    st = look_ask(&look, DAYTONA_FILE_STAT, call, err);
    const struct sbx_json_node *root = st ? NULL : look_root(&look, SBX_JSON_OBJECT, &st, err);
    if (root) st = daytona_file_info(look.reply.js, root, 0, into, err);
    return look_end(&look, st, call, err);
}

static enum sbx_status found_add(struct look *look, const struct sbx_file_draft *draft, struct sbx_files *into,
                                 struct sbx_error *err) {
    if (sbx_json_status(look->reply.js))
        return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "answer: %s", sbx_json_error(look->reply.js));
    return sbx_files_add(into, draft) ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL) : SBX_OK;
}

enum sbx_status daytona_file_search(void *self, const struct sbx_identity *who, const char *dir, const char *pattern,
                                    const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err) {
    struct look look;
    enum sbx_status st = look_begin(&look, self, who, "/files/search", call, err);
    if (st) return st;
    sbx_url_query(&look.url, "path", dir);
    sbx_url_query(&look.url, "pattern", pattern);
    st = look_ask(&look, DAYTONA_FILE_SEARCH, call, err);
    const struct sbx_json_node *root = st ? NULL : look_root(&look, SBX_JSON_OBJECT, &st, err);
    const struct sbx_json_node *member = root ? sbx_json_member(root, "files") : NULL;
    const int none = member && sbx_json_type(member) == SBX_JSON_NULL; /* how Go writes a list that was never made */
    const struct sbx_json_node *files = root && !none ? sbx_json_array(look.reply.js, root, "files") : NULL;
    if (root && sbx_json_status(look.reply.js))
        st = sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "answer: %s", sbx_json_error(look.reply.js));
    for (const struct sbx_json_node *it = files ? sbx_json_first(files) : NULL; it && !st; it = sbx_json_next(it)) {
        struct sbx_file_draft draft = SBX_FILE_DRAFT_INIT;
        draft.path = sbx_json_as_string(look.reply.js, it);
        st = found_add(&look, &draft, into, err);
    }
    return look_end(&look, st, call, err);
}

enum sbx_status daytona_file_find(void *self, const struct sbx_identity *who, const char *dir, const char *text,
                                  const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err) {
    struct look look;
    enum sbx_status st = look_begin(&look, self, who, "/files/find", call, err);
    if (st) return st;
    sbx_url_query(&look.url, "path", dir);
    sbx_url_query(&look.url, "pattern", text);
    st = look_ask(&look, DAYTONA_FILE_SEARCH, call, err);
    const int none = !st && sbx_json_type(sbx_json_root(look.reply.js)) == SBX_JSON_NULL;
    const struct sbx_json_node *root = st || none ? NULL : look_root(&look, SBX_JSON_ARRAY, &st, err);
    for (const struct sbx_json_node *it = root ? sbx_json_first(root) : NULL; it && !st; it = sbx_json_next(it)) {
        struct sbx_file_draft draft = SBX_FILE_DRAFT_INIT;
        draft.path = sbx_json_string(look.reply.js, it, "file");
        draft.line = sbx_json_int(look.reply.js, it, "line");
        draft.text = sbx_json_string(look.reply.js, it, "content");
        st = found_add(&look, &draft, into, err);
    }
    return look_end(&look, st, call, err);
}
