/* Many files and whole trees: src/work's way over one-shot execute and the toolbox's file routes. Rows P8, D14. */
#include "adapters/daytona/inside.h"

static enum sbx_status trees_upload(void *ctx, const char *path, const struct sbx_reader *from,
                                    const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                    struct sbx_error *err) {
    const struct daytona_inside *in = ctx;
    return daytona_upload(in->d, &in->where, path, from, opt, call, err);
}

static enum sbx_status trees_download(void *ctx, const char *path, const struct sbx_sink *to,
                                      const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                      struct sbx_error *err) {
    const struct daytona_inside *in = ctx;
    return daytona_download(in->d, &in->where, path, to, opt, call, err);
}

static struct sbx_work_files trees_by(struct daytona_inside *in) {
    return (struct sbx_work_files){.size = sizeof(struct sbx_work_files),
                                   .ctx = in,
                                   .upload = trees_upload,
                                   .download = trees_download,
                                   .upload_many = daytona_upload_many};
}

enum sbx_status daytona_upload_files(void *self, const struct sbx_identity *who, const struct sbx_upload_file *files,
                                     size_t count, const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                     struct sbx_files *into, struct sbx_error *err) {
    struct daytona_inside in;
    enum sbx_status st = daytona_inside_begin(&in, self, who, call, err);
    if (st) return st;
    const struct sbx_work_files by = trees_by(&in);
    st = sbx_work_upload_files(&in.work, &by, files, count, opt, call, into, err);
    return st ? daytona_inside_end(&in, st, call, err) : SBX_OK;
}

enum sbx_status daytona_upload_tree(void *self, const struct sbx_identity *who, const char *dir,
                                    const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                    const struct sbx_call *call, struct sbx_error *err) {
    struct daytona_inside in;
    enum sbx_status st = daytona_inside_begin(&in, self, who, call, err);
    if (st) return st;
    const struct sbx_work_files by = trees_by(&in);
    st = sbx_work_upload_tree(&in.work, &by, dir, from, opt, call, err);
    return st ? daytona_inside_end(&in, st, call, err) : SBX_OK;
}

enum sbx_status daytona_download_tree(void *self, const struct sbx_identity *who, const char *dir,
                                      const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                      const struct sbx_call *call, struct sbx_error *err) {
    struct daytona_inside in;
    enum sbx_status st = daytona_inside_begin(&in, self, who, call, err);
    if (st) return st;
    const struct sbx_work_files by = trees_by(&in);
    st = sbx_work_download_tree(&in.work, &by, dir, to, opt, call, err);
    return st ? daytona_inside_end(&in, st, call, err) : SBX_OK;
}
