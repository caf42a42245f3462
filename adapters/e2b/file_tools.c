/* Files where the daemon has no call of its own: src/work's ways, over processes and its file routes. Rows P8, D14. */
#include "adapters/e2b/inside.h"

/* ---- by tools in the sandbox ---- */

enum sbx_status e2b_file_search(void *self, const struct sbx_identity *who, const char *dir, const char *pattern,
                                const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err) {
    struct e2b_inside in;
    e2b_inside_begin(&in, self, who);
    return e2b_explain(self, who, sbx_work_search(&in.work, dir, pattern, call, into, err), call, err);
}

enum sbx_status e2b_file_find(void *self, const struct sbx_identity *who, const char *dir, const char *text,
                              const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err) {
    struct e2b_inside in;
    e2b_inside_begin(&in, self, who);
    return e2b_explain(self, who, sbx_work_find_text(&in.work, dir, text, call, into, err), call, err);
}

enum sbx_status e2b_file_permissions(void *self, const struct sbx_identity *who, const char *path, int32_t mode,
                                     const char *owner, const char *group, const struct sbx_call *call,
                                     struct sbx_error *err) {
    struct e2b_inside in;
    e2b_inside_begin(&in, self, who);
    return e2b_explain(self, who, sbx_work_permissions(&in.work, path, mode, owner, group, call, err), call, err);
}

enum sbx_status e2b_file_replace(void *self, const struct sbx_identity *who, const char *const *paths, size_t count,
                                 const char *text, const char *with, const struct sbx_call *call,
                                 struct sbx_files *into, struct sbx_error *err) {
    struct e2b_inside in;
    e2b_inside_begin(&in, self, who);
    return e2b_explain(self, who, sbx_work_replace(&in.work, paths, count, text, with, call, into, err), call, err);
}

/* ---- many files and trees: what arrives is compared in the sandbox, whatever the route's answer says ---- */

static enum sbx_status tools_upload(void *ctx, const char *path, const struct sbx_reader *from,
                                    const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                    struct sbx_error *err) {
    const struct e2b_inside *in = ctx;
    return e2b_upload_unread(in->e, in->who, path, from, opt, call, err);
}

static enum sbx_status tools_download(void *ctx, const char *path, const struct sbx_sink *to,
                                      const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                      struct sbx_error *err) {
    const struct e2b_inside *in = ctx;
    return e2b_download(in->e, in->who, path, to, opt, call, err);
}

/* No upload of many: a request with several ends at the first that is not taken. */
static struct sbx_work_files tools_by(struct e2b_inside *in) {
    return (struct sbx_work_files){
        .size = sizeof(struct sbx_work_files), .ctx = in, .upload = tools_upload, .download = tools_download};
}

enum sbx_status e2b_upload_files(void *self, const struct sbx_identity *who, const struct sbx_upload_file *files,
                                 size_t count, const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                 struct sbx_files *into, struct sbx_error *err) {
    struct e2b_inside in;
    e2b_inside_begin(&in, self, who);
    const struct sbx_work_files by = tools_by(&in);
    return e2b_explain(self, who, sbx_work_upload_files(&in.work, &by, files, count, opt, call, into, err), call, err);
}

enum sbx_status e2b_upload_tree(void *self, const struct sbx_identity *who, const char *dir,
                                const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                const struct sbx_call *call, struct sbx_error *err) {
    struct e2b_inside in;
    e2b_inside_begin(&in, self, who);
    const struct sbx_work_files by = tools_by(&in);
    return e2b_explain(self, who, sbx_work_upload_tree(&in.work, &by, dir, from, opt, call, err), call, err);
}

enum sbx_status e2b_download_tree(void *self, const struct sbx_identity *who, const char *dir,
                                  const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                  const struct sbx_call *call, struct sbx_error *err) {
    struct e2b_inside in;
    e2b_inside_begin(&in, self, who);
    const struct sbx_work_files by = tools_by(&in);
    return e2b_explain(self, who, sbx_work_download_tree(&in.work, &by, dir, to, opt, call, err), call, err);
}
