/* GET /files: a file's bytes, plainly or compressed, whole or a range of them. Row P8. */
#include "sim/e2b/envd.h"
#include "sim/kit/gzip.h"

#include <errno.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_PIECE (64 * 1024)

static void read_refuse(struct sim_e2b_call *call, const char *path, sim_errno why) {
    if (why == ENOENT || why == ENOTDIR)
        sim_e2b_envd_refuse(call, 404, "path '%s' does not exist", path);
    else if (why == EISDIR)
        sim_e2b_envd_refuse(call, 400, "path '%s' is a directory", path);
    else
        sim_e2b_envd_refuse(call, 500, "error opening file '%s'", path);
}

static const char *read_type(const char *path) {
    static const char *const types[][2] = {{".txt", "text/plain; charset=utf-8"},
                                           {".html", "text/html; charset=utf-8"},
                                           {".json", "application/json"},
                                           {".png", "image/png"},
                                           {".js", "text/javascript; charset=utf-8"}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(types[i][0], dot) == 0) return types[i][1];
    return "application/octet-stream";
}

struct range {
    int64_t from, to; /* the first byte and behind the last */
};

/* "bytes=1-4", "bytes=1-", "bytes=-4". @return 206, 416, or 200 where there is none that is known */
static int read_range(const char *text, int64_t size, struct range *out) {
    char first[24], last[24];
    const char *dash = text ? strchr(text, '-') : NULL;
    *out = (struct range){0, size};
    if (!dash || strncmp(text, "bytes=", 6) != 0 || strchr(text, ',')) return 200;
    snprintf(first, sizeof(first), "%.*s", (int)(dash - text - 6), text + 6);
    snprintf(last, sizeof(last), "%s", dash + 1);
    int64_t from = 0, to = size - 1;
    if ((*first && !sbx_text_int(first, 0, INT64_MAX - 1, &from)) ||
        (*last && !sbx_text_int(last, 0, INT64_MAX - 1, &to)))
        return 200;
    if (!*first) {
        from = to < size ? size - to : 0;
        to = size - 1;
    }
    if (to >= size) to = size - 1;
    if (from > to) return 416;
    *out = (struct range){from, to + 1};
    return 206;
}

/* Bytes go out as they are read; the file may have become shorter meanwhile. */
static int read_plain(struct sim_e2b_call *call, struct sim_file *file, const struct range *range, char *piece) {
    int64_t at = 0;
    while (at < range->to) {
        const ptrdiff_t n = sim_file_read(file, piece, READ_PIECE);
        if (n <= 0) return 0;
        const int64_t from = range->from > at ? range->from - at : 0;
        const int64_t to = at + n > range->to ? range->to - at : n;
        at += n;
        if (from < to && sim_http_write(call->x, piece + from, (size_t)(to - from))) return 0;
    }
    return 1;
}

static int read_packed(struct sim_e2b_call *call, struct sim_file *file, char *piece) {
    struct sim_gzip *z = sim_gzip_new(SIM_GZIP_PACK);
    struct sbx_buf out = SBX_BUF_INIT;
    ptrdiff_t n = z ? 1 : -1;
    while (n > 0) {
        n = sim_file_read(file, piece, READ_PIECE);
        if (n < 0 || sim_gzip_put(z, piece, (size_t)n, n == 0, &out)) n = -1;
        if (n >= 0 && out.len && sim_http_write(call->x, out.data, out.len)) n = -1;
        sbx_buf_clear(&out);
    }
    sbx_buf_finish(&out);
    sim_gzip_free(z);
    return n == 0;
}

static void read_head(struct sim_e2b_call *call, const char *path, int status, int64_t size, const struct range *range,
                      int packed) {
    char text[80];
    struct sbx_buf name = SBX_BUF_INIT;
    sbx_buf_printf(&name, "inline; filename=%s", strrchr(path, '/') + 1);
    if (!name.failed && !strpbrk(name.data, "\r\n")) sim_http_header_add(call->x, "Content-Disposition", name.data);
    sbx_buf_finish(&name);
    sim_http_header_add(call->x, "Vary", "Accept-Encoding");
    if (packed) sim_http_header_add(call->x, "Content-Encoding", "gzip");
    if (!packed) sim_http_header_add(call->x, "Accept-Ranges", "bytes");
    snprintf(text, sizeof(text), "bytes %lld-%lld/%lld", (long long)range->from, (long long)range->to - 1,
             (long long)size);
    if (status == 206) sim_http_header_add(call->x, "Content-Range", text);
}

static void read_answer(struct sim_e2b_call *call, const char *path, struct sim_file *file) {
    const int64_t size = sim_file_size(file);
    const char *asked = sim_http_header(call->x, "Range");
    const int packed = !asked && sim_e2b_takes_gzip(call);
    struct range range;
    const int status = read_range(packed ? NULL : asked, size, &range);
    char *piece = malloc(READ_PIECE);
    int whole = 0;
    if (status == 416) {
        sim_e2b_envd_refuse(call, 416, "invalid range: failed to overlap");
        goto done;
    }
    if (!piece) goto done;
    read_head(call, path, status, size, &range, packed);
    if (sim_http_begin(call->x, status, read_type(path), packed ? -1 : range.to - range.from)) goto done;
    whole = packed ? read_packed(call, file, piece) : read_plain(call, file, &range, piece);
    if (whole)
        sim_http_end(call->x);
    else
        sim_http_abort(call->x, SIM_ABORT_CLOSE);
done:
    free(piece);
}

void sim_e2b_files_read(struct sim_e2b_call *call) {
    const char *path = sim_http_query(call->x, "path", 0), *why = NULL;
    struct sbx_buf whole = SBX_BUF_INIT;
    struct sim_file *file = NULL;
    struct sim_stat st;
    if (sim_e2b_files_refused(call, "read")) return;
    if (sim_e2b_path(call, path ? path : "", &whole, &why)) {
        sim_e2b_envd_refuse(call, 400, "error expanding and resolving path '%s': %s", path ? path : "", why);
        goto done;
    }
    if (sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) goto done;
    const int64_t was = sim_e2b_as_root(call);
    sim_errno failed = sim_stat(call->sb->machine, whole.data, 1, &st);
    if (!failed && st.type == 'd') failed = EISDIR;
    if (!failed) failed = sim_open_read(call->sb->machine, whole.data, &file);
    sim_e2b_as_was(call, was);
    if (failed)
        read_refuse(call, whole.data, failed);
    else if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT))
        read_answer(call, whole.data, file);
done:
    sim_file_close(file);
    sbx_buf_finish(&whole);
}
