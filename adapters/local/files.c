/* Files, up and down, in constant memory, by the sandbox's own tools: so a path is what the sandbox has there, and its
 * rights are the sandbox's. One that is cut off leaves a short file behind. Rows L1, P8. */
#include "adapters/local/verbs.h"

#include <stdio.h>
#include <string.h>

#define NO_LIFETIME     INT64_MAX
#define WORDS_BYTES_MAX 4096

static const char up_script[] = "umask 022\n"
                                "case $1 in */*) d=${1%/*}; [ -z \"$d\" ] || mkdir -p -- \"$d\" || exit 1 ;; esac\n"
                                "tee -- \"$1\" >/dev/null || exit 1\n"
                                "[ -z \"$2\" ] || chmod -- \"$2\" \"$1\"\n";
static const char down_script[] = "exec cat -- \"$1\"\n";

struct transfer {
    const struct sbx_sink *to; /* NULL = up */
    struct sbx_buf words;
};

static int transfer_data(void *ctx, int32_t stream, const void *data, size_t len) {
    struct transfer *t = ctx;
    if (stream == SBX_STDOUT) return t->to ? t->to->write(t->to->ctx, data, len) : 0;
    if (t->words.len + len < WORDS_BYTES_MAX) sbx_buf_append(&t->words, data, len);
    return t->words.failed;
}

static enum sbx_status transfer_run(const struct local *l, const struct sbx_identity *who, struct local_order *order,
                                    struct transfer *t, const struct sbx_call *call, struct sbx_error *err) {
    struct local_view view = {0};
    struct local_end end = {0};
    order->data = transfer_data;
    order->ctx = t;
    order->lifetime_ms = NO_LIFETIME;
    enum sbx_status st = sbx_local_view_running(l, who->id, &view, err);
    if (!st) {
        st = sbx_local_process_run(l, &view, order, call, &end, err);
        if (st && err->outcome == SBX_OUTCOME_DONE) err->outcome = SBX_OUTCOME_UNKNOWN; /* some of it */
        if (!st && end.exit_known && end.exit_code)
            st = sbx_fail(err, sbx_work_words(sbx_buf_text(&t->words)), SBX_OUTCOME_UNKNOWN, "path: not a file to use");
        if (!st && !end.exit_known)
            st = sbx_fail(err, SBX_PROCESS_LOST, SBX_OUTCOME_UNKNOWN, "this program's own waits took its exit code");
    }
    sbx_local_view_finish(&view);
    sbx_buf_finish(&t->words);
    return st;
}

/* Never an option of a tool's, and never "-". */
static const char *plain_path(struct sbx_buf *room, const char *path) {
    sbx_buf_printf(room, "%s%s", *path == '/' ? "" : "./", path);
    return sbx_buf_text(room);
}

enum sbx_status sbx_local_upload(void *self, const struct sbx_identity *who, const char *path,
                                 const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                 const struct sbx_call *call, struct sbx_error *err) {
    struct transfer t = {0};
    struct sbx_buf room = SBX_BUF_INIT;
    char mode[8] = "";
    if (opt->mode) snprintf(mode, sizeof(mode), "%03o", opt->mode == SBX_MODE_NONE ? 0u : (unsigned)opt->mode & 0777u);
    struct local_order order = {.args = {"/bin/sh", "-c", up_script, "sbx", plain_path(&room, path), mode},
                                .from = from,
                                .stall_ms = opt->stall_ms};
    enum sbx_status st = room.failed ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL)
                                     : transfer_run(self, who, &order, &t, call, err);
    sbx_buf_finish(&room);
    return st;
}

enum sbx_status sbx_local_download(void *self, const struct sbx_identity *who, const char *path,
                                   const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                   const struct sbx_call *call, struct sbx_error *err) {
    struct transfer t = {.to = to};
    struct sbx_buf room = SBX_BUF_INIT;
    struct local_order order = {.args = {"/bin/sh", "-c", down_script, "sbx", plain_path(&room, path)},
                                .stall_ms = opt->stall_ms};
    enum sbx_status st = room.failed ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL)
                                     : transfer_run(self, who, &order, &t, call, err);
    sbx_buf_finish(&room);
    return st;
}
