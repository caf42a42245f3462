/* What is done inside a sandbox: commands and files. Rows P7, P8, P11. */
#include "src/port/port.h"

#include <sandport/kit/text.h>
#include <string.h>

#define EXEC_MORE_MS 30000
#define STALL_MS     60000

/* ---- exec ---- */

/* Output of a command that ran is worth having, whatever ended the call; one that could not be held is not there. */
static int exec_result_counts(const struct sbx_exec_result *result, enum sbx_status st, const struct sbx_error *err) {
    if (st == SBX_OK) return 1;
    return err->outcome == SBX_OUTCOME_DONE && st != SBX_NO_MEMORY && sbx_port_exec_result_is_set(result);
}

void sbx_port_exec_result_give(struct sbx_exec_result *result, enum sbx_status st, const struct sbx_error *err,
                               struct sbx_exec_result **out) {
    if (exec_result_counts(result, st, err))
        *out = result;
    else
        sbx_exec_result_free(result);
}

static enum sbx_status exec_in(struct port_entry *entry, struct sbx_sandbox *sb, const struct sbx_identity *who,
                               const char *command, const struct sbx_exec_options *opt, struct sbx_exec_result **out) {
    struct sbx_exec_result *result = sbx_port_exec_result_new();
    if (!result) return sbx_fail(&entry->err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    enum sbx_status st = sb->rt->ops.exec(sb->rt->self, who, command, opt, &entry->call, result, &entry->err);
    sbx_port_exec_result_give(result, st, &entry->err, out);
    return st;
}

/* The options come first, since the default deadline follows from the command's lifetime. */
enum sbx_status sbx_port_exec_options(const struct sbx_exec_options *from, struct sbx_exec_options *opt) {
    if (sbx_options_take(opt, sizeof(*opt), from, sizeof(*opt))) return SBX_INVALID_ARGUMENT;
    if (opt->output_bytes_max == 0) opt->output_bytes_max = SBX_OUTPUT_BYTES_DEFAULT;
    return SBX_OK;
}

int64_t sbx_port_exec_default_ms(const struct sbx_runtime *rt, const struct sbx_exec_options *opt) {
    int64_t lifetime_ms = opt->lifetime_ms;
    if (lifetime_ms == 0) lifetime_ms = rt && rt->ops.exec_lifetime_ms ? rt->ops.exec_lifetime_ms : SBX_LIFETIME_MS;
    return lifetime_ms > 0 && lifetime_ms < INT64_MAX / 2 ? lifetime_ms + EXEC_MORE_MS : SBX_NO_DEADLINE;
}

enum sbx_status sbx_sandbox_exec(struct sbx_sandbox *sb, const char *command, const struct sbx_exec_options *from,
                                 const struct sbx_call *call, struct sbx_exec_result **out, struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_identity who;
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    enum sbx_status options = sbx_port_exec_options(from, &opt);
    int64_t default_ms = sbx_port_exec_default_ms(sb ? sb->rt : NULL, &opt);
    enum sbx_status st = sbx_port_sandbox_enter(&entry, sb, "exec", SBX_CAP_EXEC, call, default_ms, err, &who);
    if (!st && options) st = sbx_port_size_wrong(&entry, "opt");
    if (!st && !out) st = sbx_port_missing(&entry, "out");
    if (!st) st = sbx_port_check_exec(command, &opt, &entry.err);
    if (!st && opt.output && !(sb->rt->ops.caps & SBX_CAP_STREAMING_OUTPUT)) /* guard: exec_output_undeclared */
        st = sbx_fail(&entry.err, SBX_UNSUPPORTED, SBX_OUTCOME_NOT_SENT, "output: STREAMING_OUTPUT is not declared");
    if (!st) st = exec_in(&entry, sb, &who, command, &opt, out);
    return sbx_port_leave(&entry, st);
}

/* ---- transfers: counted, hashed and told of here, so that no adapter has to ---- */

struct transfer {
    const struct sbx_reader *from;
    const struct sbx_sink *to;
    const struct sbx_transfer_options *opt;
    struct sbx_sha256 *hash;
    uint64_t bytes;
    enum sbx_status stopped; /* why it was stopped on our side */
    const char *why;
};

static int transfer_stop(struct transfer *t, enum sbx_status st, const char *why) {
    t->stopped = st;
    t->why = why;
    return -1;
}

static int transfer_passed(struct transfer *t, const void *data, size_t len) {
    if (t->hash) sbx_sha256_add(t->hash, data, len);
    t->bytes += len;
    if (t->opt->progress && t->opt->progress(t->opt->progress_ctx, t->bytes) != 0)
        return transfer_stop(t, SBX_CANCELLED, "progress asked to stop");
    return 0;
}

static ptrdiff_t transfer_read(void *ctx, void *buf, size_t cap) {
    struct transfer *t = ctx;
    ptrdiff_t n = t->from->read(t->from->ctx, buf, cap);
    uint64_t expected = t->opt->bytes > 0 ? (uint64_t)t->opt->bytes : 0;
    if (n < 0 || (size_t)n > cap) return transfer_stop(t, SBX_STREAM, "the reader failed");
    if (n == 0 && expected && t->bytes < expected) return transfer_stop(t, SBX_STREAM, "the reader gave fewer bytes");
    if (n > 0 && ((expected && t->bytes + (uint64_t)n > expected) || t->opt->bytes == SBX_EMPTY_FILE))
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
    if (sbx_options_take(opt, sizeof(*opt), from, sizeof(*opt))) return sbx_port_size_wrong(entry, "opt");
    if (result && result->size < sizeof(*result)) return sbx_port_size_wrong(entry, "result");
    enum sbx_status st = sbx_port_check_transfer(opt, &entry->err);
    if (!st && opt->stall_ms == 0) opt->stall_ms = STALL_MS;
    return st;
}

/* Readies the counting. @param t its `hash` is the caller's to free */
static enum sbx_status transfer_begin(struct port_entry *entry, struct transfer *t, const char *path,
                                      const struct sbx_transfer_options *opt) {
    enum sbx_status st = sbx_port_check_path(path, &entry->err);
    if (st) return st;
    t->opt = opt;
    if (opt->checksum == SBX_YES) t->hash = sbx_sha256_create();
    if (opt->checksum == SBX_YES && !t->hash) return sbx_fail(&entry->err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    return SBX_OK;
}

static enum sbx_status transfer_end(struct port_entry *entry, struct transfer *t, enum sbx_status st,
                                    struct sbx_transfer_result *result) {
    char sha256[SBX_SHA256_HEX] = "";
    if (t->stopped) {
        entry->err.detail[0] = 0;
        st = sbx_fail(&entry->err, t->stopped, (enum sbx_outcome)entry->err.outcome, "%s", t->why);
    }
    if (!st && t->hash) {
        sbx_sha256_hex(t->hash, sha256);
        if (!sha256[0])
            st = sbx_fail(&entry->err, SBX_NO_MEMORY, SBX_OUTCOME_DONE,
                          "checksum: all bytes passed, but not through it");
    }
    if (!st && result) {
        result->bytes = t->bytes;
        memcpy(result->sha256, sha256, sizeof(sha256));
    }
    sbx_sha256_free(t->hash);
    return st;
}

enum sbx_status sbx_sandbox_upload(struct sbx_sandbox *sb, const char *path, const struct sbx_reader *from,
                                   const struct sbx_transfer_options *options, const struct sbx_call *call,
                                   struct sbx_transfer_result *result, struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_identity who;
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    struct transfer t = {.from = from};
    const struct sbx_reader counted = {&t, transfer_read};
    enum sbx_status st =
        sbx_port_sandbox_enter(&entry, sb, "upload", SBX_CAP_FILE_TRANSFER, call, SBX_NO_DEADLINE, err, &who);
    if (!st && (!from || !from->read))
        st = sbx_fail(&entry.err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "from: expected a reader");
    if (!st) st = transfer_options(&entry, options, result, &opt);
    if (!st) st = transfer_begin(&entry, &t, path, &opt);
    if (!st) st = sb->rt->ops.upload(sb->rt->self, &who, path, &counted, &opt, &entry.call, &entry.err);
    return sbx_port_leave(&entry, transfer_end(&entry, &t, st, result));
}

enum sbx_status sbx_sandbox_download(struct sbx_sandbox *sb, const char *path, const struct sbx_sink *to,
                                     const struct sbx_transfer_options *options, const struct sbx_call *call,
                                     struct sbx_transfer_result *result, struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_identity who;
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    struct transfer t = {.to = to};
    const struct sbx_sink counted = {&t, transfer_write};
    enum sbx_status st =
        sbx_port_sandbox_enter(&entry, sb, "download", SBX_CAP_FILE_TRANSFER, call, SBX_NO_DEADLINE, err, &who);
    if (!st && (!to || !to->write))
        st = sbx_fail(&entry.err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "to: expected a sink");
    if (!st) st = transfer_options(&entry, options, result, &opt);
    if (!st) st = transfer_begin(&entry, &t, path, &opt);
    if (!st) st = sb->rt->ops.download(sb->rt->self, &who, path, &counted, &opt, &entry.call, &entry.err);
    return sbx_port_leave(&entry, transfer_end(&entry, &t, st, result));
}
