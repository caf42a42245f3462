/* Downloads from the daemon: one file plainly, or several as a multipart answer with a verdict for each. Row P8. */
#include "sim/daytona/errors.h"
#include "sim/daytona/toolbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOWNLOAD_PIECE    (64 * 1024)
#define DOWNLOAD_BOUNDARY "DAYTONA-FILE-BOUNDARY"

static sim_errno download_open(struct sim_day_call *call, const char *path, struct sim_file **file) {
    struct sim_stat st = {0};
    sim_errno failed = *path ? sim_stat(call->sb->machine, path, 1, &st) : EINVAL;
    if (!failed && st.type == 'd') failed = EISDIR;
    return failed ? failed : sim_open_read(call->sb->machine, path, file);
}

/* @return 0, or -1 when the client is gone or the file could not be read on */
static int download_copy(struct sim_day_call *call, struct sim_file *file) {
    char *piece = malloc(DOWNLOAD_PIECE);
    ptrdiff_t got = -1;
    int gone = 0;
    while (piece && !gone && (got = sim_file_read(file, piece, DOWNLOAD_PIECE)) > 0)
        gone = sim_http_write(call->x, piece, (size_t)got);
    free(piece);
    return gone || got < 0 ? -1 : 0;
}

void sim_day_tb_download(struct sim_day_call *call) {
    const char *path = sim_http_query(call->x, "path", 0);
    struct sim_file *file = NULL;
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call)) return;
    if (sim_day_file_failed(call, download_open(call, path ? path : "", &file))) return;
    if (sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) goto done;
    sim_http_header_add(call->x, "Content-Disposition", "attachment");
    if (sim_http_begin(call->x, 200, "application/octet-stream", sim_file_size(file))) goto done;
    if (download_copy(call, file) == 0)
        (void)sim_http_end(call->x);
    else if (!sim_http_replied(call->x))
        sim_http_abort(call->x, SIM_ABORT_CLOSE);
done:
    sim_file_close(file);
}

/* Inside the quotes: backslash and quote escaped, line ends dropped, what is not Latin-1 text becomes "_". */
static void download_quoted(struct sbx_buf *out, const char *path) {
    for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
        if (*p == '\r' || *p == '\n') continue;
        if (*p == '"' || *p == '\\') sbx_buf_char(out, '\\');
        if (*p >= 0x80) {
            while ((p[1] & 0xc0) == 0x80) p++;
            sbx_buf_char(out, '_');
        } else {
            sbx_buf_char(out, *p < 0x20 || *p == 0x7f ? '_' : (char)*p);
        }
    }
}

static void download_part_head(struct sbx_buf *out, const char *name, const char *path, const char *type,
                               int64_t length) {
    sbx_buf_printf(out, "--" DOWNLOAD_BOUNDARY "\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"", name);
    download_quoted(out, path);
    sbx_buf_text_append(out, "\"; filename*=utf-8''");
    sbx_percent_encode(out, path);
    sbx_buf_text_append(out, "\r\n");
    if (length >= 0) sbx_buf_printf(out, "Content-Length: %lld\r\n", (long long)length);
    sbx_buf_printf(out, "Content-Type: %s\r\n\r\n", type);
}

static int download_send(struct sim_day_call *call, struct sbx_buf *out) {
    const int gone = out->failed || sim_http_write(call->x, out->data, out->len);
    sbx_buf_clear(out);
    return gone ? -1 : 0;
}

static int download_error_part(struct sim_day_call *call, const char *path, sim_errno failed) {
    const struct sim_day_file_error error = sim_day_file_error(failed);
    struct sbx_buf out = SBX_BUF_INIT, json = SBX_BUF_INIT;
    int gone = 0;
    sim_day_daemon_error_write(call, error.status, error.code, error.message, &json);
    download_part_head(&out, "error", path, "application/json; charset=utf-8", -1);
    sbx_buf_append(&out, json.data, json.len);
    sbx_buf_text_append(&out, "\r\n");
    gone = download_send(call, &out);
    sbx_buf_finish(&out);
    sbx_buf_finish(&json);
    return gone;
}

/* A failure in the middle of a file ends the whole answer, without the last boundary. */
static int download_part(struct sim_day_call *call, const char *path) {
    struct sim_file *file = NULL;
    struct sbx_buf out = SBX_BUF_INIT;
    const sim_errno failed = download_open(call, path, &file);
    int gone = 0;
    if (failed) return download_error_part(call, path, failed);
    download_part_head(&out, "file", path, "application/octet-stream", sim_file_size(file));
    gone = download_send(call, &out) || download_copy(call, file);
    sbx_buf_text_append(&out, "\r\n");
    if (!gone) gone = download_send(call, &out);
    sim_file_close(file);
    sbx_buf_finish(&out);
    return gone ? -1 : 0;
}

static const struct sbx_json_node *download_paths(struct sim_day_call *call, struct sbx_json **js) {
    const struct sbx_json_node *root = sim_day_toolbox_body(call, js);
    const struct sbx_json_node *paths = root ? sbx_json_opt_array(*js, root, "paths") : NULL;
    static const char refusal[] = "{\"error\":\"request body must be {paths: [string, ...]} and non-empty\"}";
    if (!root) return NULL;
    for (const struct sbx_json_node *it = paths ? sbx_json_first(paths) : NULL; it; it = sbx_json_next(it))
        (void)sbx_json_as_string(*js, it);
    if (paths && sbx_json_count(paths) > 0 && !sbx_json_status(*js)) return paths;
    sim_http_reply(call->x, 400, "application/json; charset=utf-8", refusal, sizeof(refusal) - 1);
    return NULL;
}

void sim_day_tb_bulk_download(struct sim_day_call *call) {
    static const char last[] = "--" DOWNLOAD_BOUNDARY "--\r\n";
    struct sbx_json *js = NULL;
    const struct sbx_json_node *paths = download_paths(call, &js);
    int gone = 0;
    if (!paths || sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call)) return;
    if (sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) return;
    gone = sim_http_begin(call->x, 200, "multipart/form-data; boundary=" DOWNLOAD_BOUNDARY, -1);
    for (const struct sbx_json_node *it = sbx_json_first(paths); it && !gone; it = sbx_json_next(it))
        gone = download_part(call, sbx_json_as_string(js, it));
    if (!gone && !sim_http_write(call->x, last, sizeof(last) - 1)) (void)sim_http_end(call->x);
}
