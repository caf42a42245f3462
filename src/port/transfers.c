/* Uploads and downloads: counted, hashed and told of here, so that no adapter has to. Row P8. */
#include "src/port/port.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define STALL_MS 60000

/* What one call moves, be it of one file or of many. */
struct transfer_sum {
    struct sbx_transfer_options opt;
    struct sbx_sha256 *hash;
    uint64_t bytes;
    enum sbx_status stopped; /* why it was stopped on our side */
    const char *why;
};

struct transfer {
    struct transfer_sum *sum;
    const struct sbx_reader *from;
    const struct sbx_sink *to;
    int64_t expected; /* bytes of a reader, 0 = until it ends, SBX_EMPTY_FILE = none */
    uint64_t bytes;
};

static int transfer_stop(struct transfer *t, enum sbx_status st, const char *why) {
    t->sum->stopped = st;
    t->sum->why = why;
    return -1;
}

static int transfer_passed(struct transfer *t, const void *data, size_t len) {
    struct transfer_sum *sum = t->sum;
    if (sum->hash) sbx_sha256_add(sum->hash, data, len);
    t->bytes += len;
    sum->bytes += len;
    if (sum->opt.progress && sum->opt.progress(sum->opt.progress_ctx, sum->bytes) != 0)
        return transfer_stop(t, SBX_CANCELLED, "progress asked to stop");
    return 0;
}

static ptrdiff_t transfer_read(void *ctx, void *buf, size_t cap) {
    struct transfer *t = ctx;
    ptrdiff_t n = t->from->read(t->from->ctx, buf, cap);
    uint64_t expected = t->expected > 0 ? (uint64_t)t->expected : 0;
    if (n < 0 || (size_t)n > cap) return transfer_stop(t, SBX_STREAM, "the reader failed");
    if (n == 0 && expected && t->bytes < expected) return transfer_stop(t, SBX_STREAM, "the reader gave fewer bytes");
    if (n > 0 && ((expected && t->bytes + (uint64_t)n > expected) || t->expected == SBX_EMPTY_FILE))
        return transfer_stop(t, SBX_STREAM, "the reader gave more bytes");
    return n > 0 && transfer_passed(t, buf, (size_t)n) ? -1 : n;
}

static int transfer_write(void *ctx, const void *data, size_t len) {
    struct transfer *t = ctx;
    if (t->to->write(t->to->ctx, data, len) != 0) return transfer_stop(t, SBX_STREAM, "the sink stopped it");
    return transfer_passed(t, data, len);
}

static enum sbx_status transfer_options(struct port_entry *entry, const struct sbx_transfer_options *from,
                                        const struct sbx_transfer_result *result, struct sbx_transfer_options *opt) {
    sbx_transfer_options_init(opt, sizeof(*opt));
    if (sbx_options_take(opt, sizeof(*opt), from, sizeof(*opt))) return sbx_port_size_wrong(entry, "opt");
    if (result && result->size < sizeof(*result)) return sbx_port_size_wrong(entry, "result");
    enum sbx_status st = sbx_port_check_transfer(opt, &entry->err);
    if (!st && opt->stall_ms == 0) opt->stall_ms = STALL_MS;
    return st;
}

/* Where one file has a path, a tree has a directory, and no mode of its own. */
static enum sbx_status transfer_place(struct port_entry *entry, const struct transfer_sum *sum, int tree,
                                      const char *path) {
    if (!tree) return sbx_port_check_path(path, &entry->err);
    if (sum->opt.mode)
        return sbx_fail(&entry->err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "mode: expected 0 for a tree");
    return sbx_port_check_any_path(path, "dir", &entry->err);
}

static enum sbx_status transfer_begin(struct port_entry *entry, struct transfer_sum *sum) {
    if (sum->opt.checksum == SBX_YES) sum->hash = sbx_sha256_create();
    if (sum->opt.checksum == SBX_YES && !sum->hash)
        return sbx_fail(&entry->err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    return SBX_OK;
}

static enum sbx_status transfer_end(struct port_entry *entry, struct transfer_sum *sum, enum sbx_status st,
                                    struct sbx_transfer_result *result) {
    char sha256[SBX_SHA256_HEX] = "";
    if (sum->stopped) {
        entry->err.detail[0] = 0;
        st = sbx_fail(&entry->err, sum->stopped, (enum sbx_outcome)entry->err.outcome, "%s", sum->why);
    }
    if (!st && sum->hash) {
        sbx_sha256_hex(sum->hash, sha256);
        if (!sha256[0])
            st = sbx_fail(&entry->err, SBX_NO_MEMORY, SBX_OUTCOME_DONE,
                          "checksum: all bytes passed, but not through it");
    }
    if (!st && result) {
        result->bytes = sum->bytes;
        memcpy(result->sha256, sha256, sizeof(sha256));
    }
    sbx_sha256_free(sum->hash);
    return st;
}

/* ---- one stream up or down: a file, or a tree ---- */

static enum sbx_status stream_up(struct sbx_sandbox *sb, int tree, const char *path, const struct sbx_reader *from,
                                 const struct sbx_transfer_options *options, const struct sbx_call *call,
                                 struct sbx_transfer_result *result, struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_identity who;
    struct transfer_sum sum = {0};
    struct transfer t = {.sum = &sum, .from = from};
    const struct sbx_reader counted = {&t, transfer_read};
    enum sbx_status st =
        sbx_port_sandbox_enter(&entry, sb, tree ? "upload_tree" : "upload",
                               tree ? SBX_CAP_FILES : SBX_CAP_FILE_TRANSFER, call, SBX_NO_DEADLINE, err, &who);
    if (!st && (!from || !from->read))
        st = sbx_fail(&entry.err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "from: expected a reader");
    if (!st) st = transfer_options(&entry, options, result, &sum.opt);
    if (!st) st = transfer_place(&entry, &sum, tree, path);
    if (!st) st = transfer_begin(&entry, &sum);
    if (!st) {
        const struct sbx_runtime *rt = sb->rt;
        t.expected = sum.opt.bytes;
        st = (tree ? rt->ops.upload_tree : rt->ops.upload)(rt->self, &who, path, &counted, &sum.opt, &entry.call,
                                                           &entry.err);
    }
    return sbx_port_leave(&entry, transfer_end(&entry, &sum, st, result));
}

static enum sbx_status stream_down(struct sbx_sandbox *sb, int tree, const char *path, const struct sbx_sink *to,
                                   const struct sbx_transfer_options *options, const struct sbx_call *call,
                                   struct sbx_transfer_result *result, struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_identity who;
    struct transfer_sum sum = {0};
    struct transfer t = {.sum = &sum, .to = to};
    const struct sbx_sink counted = {&t, transfer_write};
    enum sbx_status st =
        sbx_port_sandbox_enter(&entry, sb, tree ? "download_tree" : "download",
                               tree ? SBX_CAP_FILES : SBX_CAP_FILE_TRANSFER, call, SBX_NO_DEADLINE, err, &who);
    if (!st && (!to || !to->write))
        st = sbx_fail(&entry.err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "to: expected a sink");
    if (!st) st = transfer_options(&entry, options, result, &sum.opt);
    if (!st) st = transfer_place(&entry, &sum, tree, path);
    if (!st) st = transfer_begin(&entry, &sum);
    if (!st) {
        const struct sbx_runtime *rt = sb->rt;
        st = (tree ? rt->ops.download_tree : rt->ops.download)(rt->self, &who, path, &counted, &sum.opt, &entry.call,
                                                               &entry.err);
    }
    return sbx_port_leave(&entry, transfer_end(&entry, &sum, st, result));
}

enum sbx_status sbx_sandbox_upload(struct sbx_sandbox *sb, const char *path, const struct sbx_reader *from,
                                   const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                   struct sbx_transfer_result *result, struct sbx_error *err) {
    return stream_up(sb, 0, path, from, opt, call, result, err);
}

enum sbx_status sbx_sandbox_upload_tree(struct sbx_sandbox *sb, const char *dir, const struct sbx_reader *from,
                                        const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                        struct sbx_transfer_result *result, struct sbx_error *err) {
    return stream_up(sb, 1, dir, from, opt, call, result, err);
}

enum sbx_status sbx_sandbox_download(struct sbx_sandbox *sb, const char *path, const struct sbx_sink *to,
                                     const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                     struct sbx_transfer_result *result, struct sbx_error *err) {
    return stream_down(sb, 0, path, to, opt, call, result, err);
}

enum sbx_status sbx_sandbox_download_tree(struct sbx_sandbox *sb, const char *dir, const struct sbx_sink *to,
                                          const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                          struct sbx_transfer_result *result, struct sbx_error *err) {
    return stream_down(sb, 1, dir, to, opt, call, result, err);
}

/* ---- many files up ---- */

struct many {
    struct transfer t;
    struct sbx_reader counted;
};

static enum sbx_status many_wrong(struct port_entry *entry, size_t i, const char *what) {
    return sbx_fail(&entry->err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "files[%zu].%s", i, what);
}

static enum sbx_status many_check_one(struct port_entry *entry, const struct sbx_upload_file *files, size_t i) {
    const struct sbx_upload_file *file = &files[i];
    char words[sizeof(entry->err.detail)];
    if (file->size != sizeof(*file)) return many_wrong(entry, i, "size: expected sizeof the struct");
    if (!file->from || !file->from->read) return many_wrong(entry, i, "from: expected a reader");
    if (file->bytes < 0 && file->bytes != SBX_EMPTY_FILE)
        return many_wrong(entry, i, "bytes: expected 0 or more, or SBX_EMPTY_FILE");
    if (sbx_port_check_path(file->path, &entry->err)) {
        sbx_copy(words, sizeof(words), entry->err.detail);
        return many_wrong(entry, i, words);
    }
    if (sbx_port_check_mode(file->mode, "mode", &entry->err))
        return many_wrong(entry, i, "mode: expected 0 to 0777, or SBX_MODE_NONE");
    for (size_t k = 0; k < i; k++)
        if (strcmp(files[k].path, file->path) == 0) return many_wrong(entry, i, "path: expected no other file's");
    return SBX_OK;
}

static enum sbx_status many_check(struct port_entry *entry, const struct sbx_upload_file *files, size_t count,
                                  const struct sbx_transfer_options *opt) {
    if (!files || count == 0 || count > SBX_UPLOAD_FILES_MAX)
        return sbx_fail(&entry->err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "files: expected 1 to %d",
                        SBX_UPLOAD_FILES_MAX);
    if (opt->bytes || opt->mode)
        return sbx_fail(&entry->err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "opt.%s: expected 0, a file has its own",
                        opt->bytes ? "bytes" : "mode");
    enum sbx_status st = SBX_OK;
    for (size_t i = 0; i < count && !st; i++) st = many_check_one(entry, files, i);
    return st;
}

/* @param into its entries are the op's */
static enum sbx_status many_send(struct port_entry *entry, struct sbx_sandbox *sb, const struct sbx_identity *who,
                                 const struct sbx_upload_file *files, size_t count, struct transfer_sum *sum,
                                 struct sbx_files *into) {
    struct many *many = calloc(count, sizeof(*many));
    struct sbx_upload_file *ours = calloc(count, sizeof(*ours));
    enum sbx_status st = many && ours ? SBX_OK : SBX_NO_MEMORY;
    if (st) sbx_fail(&entry->err, st, SBX_OUTCOME_NOT_SENT, NULL);
    for (size_t i = 0; i < count && !st; i++) {
        many[i].t = (struct transfer){.sum = sum, .from = files[i].from, .expected = files[i].bytes};
        many[i].counted = (struct sbx_reader){&many[i].t, transfer_read};
        ours[i] = files[i];
        ours[i].from = &many[i].counted;
    }
    if (!st) st = sb->rt->ops.upload_files(sb->rt->self, who, ours, count, &sum->opt, &entry->call, into, &entry->err);
    free(many);
    free(ours);
    return st;
}

enum sbx_status sbx_sandbox_upload_files(struct sbx_sandbox *sb, const struct sbx_upload_file *files, size_t count,
                                         const struct sbx_transfer_options *options, const struct sbx_call *call,
                                         struct sbx_files **out, struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_identity who;
    struct transfer_sum sum = {0};
    struct sbx_files *into = NULL;
    enum sbx_status st =
        sbx_port_sandbox_enter(&entry, sb, "upload_files", SBX_CAP_FILES, call, SBX_NO_DEADLINE, err, &who);
    if (!st && !out) st = sbx_port_missing(&entry, "out");
    if (!st) st = transfer_options(&entry, options, NULL, &sum.opt);
    if (!st) st = many_check(&entry, files, count, &sum.opt);
    if (!st && !(into = sbx_port_files_new())) st = sbx_fail(&entry.err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    if (!st) st = many_send(&entry, sb, &who, files, count, &sum, into);
    sum.hash = NULL; /* each file has its own hash */
    st = transfer_end(&entry, &sum, st, NULL);
    if (into) sbx_port_files_give(into, st, &entry.err, out);
    return sbx_port_leave(&entry, st);
}
