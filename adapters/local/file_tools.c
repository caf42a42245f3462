/* Files by the sandbox's own tools: src/work's ways, over commands and single transfers. Rows L1, P8, P11, D14. */
#include "adapters/local/inside.h"

/* ---- by tools in the sandbox ---- */

enum sbx_status sbx_local_file_search(void *self, const struct sbx_identity *who, const char *dir, const char *pattern,
                                      const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err) {
    struct local_inside in;
    sbx_local_inside_begin(&in, self, who);
    return sbx_work_search(&in.work, dir, pattern, call, into, err);
}

enum sbx_status sbx_local_file_find(void *self, const struct sbx_identity *who, const char *dir, const char *text,
                                    const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err) {
    struct local_inside in;
    sbx_local_inside_begin(&in, self, who);
    return sbx_work_find_text(&in.work, dir, text, call, into, err);
}

enum sbx_status sbx_local_file_permissions(void *self, const struct sbx_identity *who, const char *path, int32_t mode,
                                           const char *owner, const char *group, const struct sbx_call *call,
                                           struct sbx_error *err) {
    struct local_inside in;
    sbx_local_inside_begin(&in, self, who);
    return sbx_work_permissions(&in.work, path, mode, owner, group, call, err);
}

enum sbx_status sbx_local_file_replace(void *self, const struct sbx_identity *who, const char *const *paths,
                                       size_t count, const char *text, const char *with, const struct sbx_call *call,
                                       struct sbx_files *into, struct sbx_error *err) {
    struct local_inside in;
    sbx_local_inside_begin(&in, self, who);
    return sbx_work_replace(&in.work, paths, count, text, with, call, into, err);
}

/* ---- many files and trees: one transfer after the other, and then what arrived is compared ---- */

static enum sbx_status tools_upload(void *ctx, const char *path, const struct sbx_reader *from,
                                    const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                    struct sbx_error *err) {
    const struct local_inside *in = ctx;
    return sbx_local_upload(in->self, in->who, path, from, opt, call, err);
}

static enum sbx_status tools_download(void *ctx, const char *path, const struct sbx_sink *to,
                                      const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                      struct sbx_error *err) {
    const struct local_inside *in = ctx;
    return sbx_local_download(in->self, in->who, path, to, opt, call, err);
}

static struct sbx_work_files tools_by(struct local_inside *in) {
    return (struct sbx_work_files){
        .size = sizeof(struct sbx_work_files), .ctx = in, .upload = tools_upload, .download = tools_download};
}

enum sbx_status sbx_local_upload_files(void *self, const struct sbx_identity *who, const struct sbx_upload_file *files,
                                       size_t count, const struct sbx_transfer_options *opt,
                                       const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err) {
    struct local_inside in;
    sbx_local_inside_begin(&in, self, who);
    const struct sbx_work_files by = tools_by(&in);
    return sbx_work_upload_files(&in.work, &by, files, count, opt, call, into, err);
}

enum sbx_status sbx_local_upload_tree(void *self, const struct sbx_identity *who, const char *dir,
                                      const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                      const struct sbx_call *call, struct sbx_error *err) {
    struct local_inside in;
    sbx_local_inside_begin(&in, self, who);
    const struct sbx_work_files by = tools_by(&in);
    return sbx_work_upload_tree(&in.work, &by, dir, from, opt, call, err);
}

enum sbx_status sbx_local_download_tree(void *self, const struct sbx_identity *who, const char *dir,
                                        const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                        const struct sbx_call *call, struct sbx_error *err) {
    struct local_inside in;
    sbx_local_inside_begin(&in, self, who);
    const struct sbx_work_files by = tools_by(&in);
    return sbx_work_download_tree(&in.work, &by, dir, to, opt, call, err);
}
