/* POST /files: one body, or several files as parts, each into its place as it comes. Row P8. */
#include "sim/e2b/envd.h"
#include "sim/kit/gzip.h"
#include "sim/kit/multipart.h"

#include <errno.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_PIECE (64 * 1024)

struct write {
    struct sim_e2b_call *call;
    const char *fixed;   /* the path of the query; NULL = parts say theirs */
    struct sbx_buf path; /* of the file that is open, resolved */
    struct sim_file *file;
    int64_t bytes;
    struct sbx_buf entries; /* a JSON array of what has been written */
    struct sbx_buf paths;   /* "a\nb\n": of all written, to find one twice */
    int count;
    int status; /* of the first refusal, 0 = none */
    struct sbx_buf why;
};

static void write_fail(struct write *w, int status, const char *fmt, ...) SBX_PRINTF(3, 4);

static void write_fail(struct write *w, int status, const char *fmt, ...) {
    va_list args;
    if (w->status) return;
    w->status = status;
    va_start(args, fmt);
    sbx_buf_vprintf(&w->why, fmt, args);
    va_end(args);
}

static void write_failed(struct write *w, const char *what, sim_errno why) {
    const char *path = sbx_buf_text(&w->path);
    if (why == ENOSPC)
        write_fail(w, 507, "attempted to write %lld bytes: not enough disk space available", (long long)w->bytes);
    else if (why == EISDIR)
        write_fail(w, 400, "path is a directory: %s", path);
    else
        write_fail(w, 500, "error %s file: open %s: %s", what, path,
                   why == ENOTDIR  ? "not a directory"
                   : why == EACCES ? "permission denied"
                                   : "input/output error");
}

static int write_is_known(const struct write *w, const char *path) {
    const size_t len = strlen(path);
    for (const char *at = sbx_buf_text(&w->paths); *at; at += strcspn(at, "\n") + 1)
        if (strncmp(at, path, len) == 0 && at[len] == '\n') return 1;
    return 0;
}

static void write_open(struct write *w) {
    struct sim_machine *m = w->call->sb->machine;
    struct sim_stat st;
    sim_errno failed = sim_e2b_make_parents(w->call, w->path.data);
    const int64_t was = sim_e2b_as_root(w->call);
    const int is_new = sim_stat(m, w->path.data, 1, &st) != 0;
    if (!failed && !is_new && st.type == 'd') failed = EISDIR;
    if (!failed) failed = sim_open_write(m, w->path.data, 0644, 1, &w->file);
    sim_e2b_as_was(w->call, was);
    if (failed)
        write_failed(w, "opening", failed);
    else if (is_new)
        sim_e2b_give(w->call, w->path.data);
}

static void write_begin(struct write *w, const char *path) {
    const char *why = NULL;
    w->bytes = 0;
    sbx_buf_clear(&w->path);
    if (sim_e2b_path(w->call, path, &w->path, &why)) {
        write_fail(w, 400, "error expanding and resolving path '%s': %s", path, why);
        return;
    }
    if (write_is_known(w, w->path.data)) {
        write_fail(w, 400,
                   "you cannot upload multiple files to the same path '%s' in one upload request, only the first "
                   "specified file was uploaded",
                   w->path.data);
        return;
    }
    write_open(w);
}

static void write_data(struct write *w, const void *data, size_t len) {
    if (!w->file || w->status) return;
    w->bytes += (int64_t)len;
    const sim_errno failed = sim_file_write(w->file, data, len);
    if (failed) write_failed(w, "writing", failed);
}

static void write_end(struct write *w) {
    if (!w->file) return;
    sim_file_close(w->file);
    w->file = NULL;
    if (w->status) return;
    const char *path = w->path.data, *name = strrchr(path, '/') + 1;
    sbx_buf_printf(&w->paths, "%s\n", path);
    sbx_json_begin_object(&w->entries, NULL);
    sbx_json_put_text(&w->entries, "path", path, sbx_utf8_valid(path, strlen(path)));
    sbx_json_put_text(&w->entries, "name", name, sbx_utf8_valid(name, strlen(name)));
    sbx_json_put_string(&w->entries, "type", "file");
    sbx_json_end_object(&w->entries);
    w->count++;
}

/* ---- bodies ---- */

static void write_part_begin(void *ctx, const char *name, const char *filename) {
    struct write *w = ctx;
    if (strcmp(name, "file") != 0 || w->status) return;
    write_begin(w, w->fixed ? w->fixed : filename ? filename : "");
}

static void write_part_data(void *ctx, const void *data, size_t len) {
    write_data(ctx, data, len);
}

static void write_part_end(void *ctx) {
    write_end(ctx);
}

/* Where the bytes of a body go, unpacked: into parts, or one file. */
struct write_sink {
    struct write *w;
    struct sim_multipart *parts; /* NULL = the body is the file */
    struct sim_gzip *gzip;       /* NULL = it is not packed */
    int malformed;
};

static void write_take(struct write_sink *to, const void *data, size_t len) {
    if (!to->parts)
        write_data(to->w, data, len);
    else if (!to->malformed && sim_multipart_feed(to->parts, data, len))
        to->malformed = 1;
}

static void write_unpack(struct write_sink *to, const void *data, size_t len) {
    struct sbx_buf plain = SBX_BUF_INIT;
    if (!to->gzip) {
        write_take(to, data, len);
        return;
    }
    const enum sbx_status st = sim_gzip_put(to->gzip, data, len, 0, &plain);
    if (st)
        write_fail(to->w, st == SBX_NO_MEMORY ? 500 : 400, "error decompressing request body: gzip: invalid header");
    else
        write_take(to, sbx_buf_text(&plain), plain.len);
    sbx_buf_finish(&plain);
}

/* @return 0 when the body was cut short: what had come stays */
static int write_drain(struct write_sink *to) {
    char *piece = malloc(WRITE_PIECE);
    ptrdiff_t got = -1;
    while (piece && (got = sim_http_read(to->w->call->x, piece, WRITE_PIECE)) > 0) write_unpack(to, piece, (size_t)got);
    free(piece);
    if (got) return 0;
    if (to->gzip && !sim_gzip_done(to->gzip))
        write_fail(to->w, 400, "error decompressing request body: unexpected EOF");
    if (to->parts && (to->malformed || !sim_multipart_done(to->parts)))
        write_fail(to->w, 500, "error parsing multipart form: multipart: NextPart: EOF");
    return 1;
}

/* Daemons before 0.5.7 take forms alone. */
static int write_takes_raw(const struct sim_e2b_call *call) {
    int major = 0, minor = 0, patch = 0;
    if (sscanf(call->e2b->config.envd_version, "%9d.%9d.%9d", &major, &minor, &patch) != 3) return 1;
    return major > 0 || minor > 5 || (minor == 5 && patch >= 7);
}

/* @return 0 once it has been refused */
static int write_kind(struct write *w, struct write_sink *to) {
    const char *type = sim_http_header(w->call->x, "Content-Type"), *coding = NULL;
    const struct sim_parts parts = {w, write_part_begin, write_part_data, write_part_end};
    const int raw = type && strncmp(type, "application/octet-stream", 24) == 0;
    const int multipart = type && strncmp(type, "multipart/form-data", 19) == 0;
    if (!multipart && !write_takes_raw(w->call)) {
        sim_e2b_envd_refuse(w->call, 500,
                            "error parsing multipart form: request Content-Type isn't multipart/form-data");
        return 0;
    }
    if (!raw && !multipart) {
        sim_e2b_envd_refuse(w->call, 400,
                            "unsupported content type: %s, expected multipart/form-data or application/octet-stream",
                            type ? type : "");
        return 0;
    }
    if (raw && (!w->fixed || !*w->fixed)) {
        sim_e2b_envd_refuse(w->call, 400, "path query parameter is required for raw body upload");
        return 0;
    }
    if (multipart && !(to->parts = sim_multipart_new(type, &parts))) {
        sim_e2b_envd_refuse(w->call, 500, "error parsing multipart form: no multipart boundary param in Content-Type");
        return 0;
    }
    coding = sim_http_header(w->call->x, "Content-Encoding");
    if (coding && strcmp(coding, "gzip") == 0 && !(to->gzip = sim_gzip_new(SIM_GZIP_UNPACK))) {
        sim_e2b_envd_refuse(w->call, 500, "out of memory");
        return 0;
    }
    if (raw) write_begin(w, w->fixed);
    return 1;
}

static void write_answer(struct write *w) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (w->status) {
        sim_e2b_envd_refuse(w->call, w->status, "%s", sbx_buf_text(&w->why));
        return;
    }
    sbx_json_begin_array(&json, NULL);
    if (w->count) sbx_json_put_raw(&json, NULL, sbx_buf_text(&w->entries), w->entries.len);
    sbx_json_end_array(&json);
    if (w->entries.failed) json.failed = 1;
    if (sbx_buf_status(&json))
        sim_http_abort(w->call->x, SIM_ABORT_RESET);
    else
        sim_http_reply(w->call->x, 200, "application/json", json.data, json.len);
    sbx_buf_finish(&json);
}

void sim_e2b_files_write(struct sim_e2b_call *call) {
    struct write w = {.call = call, .fixed = sim_http_query(call->x, "path", 0)};
    struct write_sink to = {.w = &w};
    sim_http_body_is_file(call->x);
    if (sim_e2b_files_refused(call, "write") || sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) goto done;
    if (!write_kind(&w, &to)) goto done;
    const int whole = write_drain(&to);
    write_end(&w);
    if (!whole)
        sim_http_abort(call->x, SIM_ABORT_CLOSE);
    else if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT))
        write_answer(&w);
done:
    sim_file_close(w.file);
    sim_multipart_free(to.parts);
    sim_gzip_free(to.gzip);
    sbx_buf_finish(&w.path);
    sbx_buf_finish(&w.entries);
    sbx_buf_finish(&w.paths);
    sbx_buf_finish(&w.why);
}
