/* Uploads to the daemon: the bulk form of the SDKs, and the single one. Bodies go to the file as they come. Row P8. */
#include "sim/daytona/errors.h"
#include "sim/daytona/toolbox.h"
#include "sim/kit/multipart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UPLOAD_PIECE (64 * 1024)

/** An upload on its way: parts come in the order in which they are sent. */
struct upload {
    struct sim_machine *machine;
    const char *fixed_path; /* of the single form; NULL = each file is told its path by a part before it */
    char path[4096];
    size_t path_len;
    int path_bad;       /* it is longer than any, or has a NUL in it */
    int64_t path_index; /* which file the path is for, -1 = none yet */
    int64_t file_index;
    int in_path, in_file;
    struct sim_file *file;
    int64_t bytes;
    sim_errno failed;             /* of the file being written */
    struct sbx_buf errors, files; /* JSON arrays in the making */
    int error_count;
};

static void upload_error(struct upload *up, const char *what, const char *why) {
    struct sbx_buf text = SBX_BUF_INIT;
    sbx_buf_printf(&text, "%s: %s", what, why);
    sim_day_put_text(&up->errors, NULL, sbx_buf_text(&text));
    sbx_buf_finish(&text);
    up->error_count++;
}

/* "files[3].path" -> 3. @return 0 if it is not of that form */
static int upload_index(const char *name, const char *suffix, int64_t *index) {
    char number[16] = "";
    const char *close = strchr(name, ']');
    if (strncmp(name, "files[", 6) != 0 || !close || strcmp(close + 1, suffix) != 0) return 0;
    if ((size_t)(close - name - 6) >= sizeof(number)) return 0;
    memcpy(number, name + 6, (size_t)(close - name - 6));
    return sbx_text_int(number, 0, INT32_MAX, index);
}

static sim_errno upload_parents(struct sim_machine *machine, const char *path) {
    char parent[4096];
    char *slash = NULL;
    if (!sbx_copy(parent, sizeof(parent), path)) return ENAMETOOLONG;
    slash = strrchr(parent, '/');
    if (!slash || slash == parent) return 0;
    *slash = 0;
    return sim_mkdir(machine, parent, 0755, 1);
}

static void upload_open(struct upload *up) {
    up->bytes = 0;
    up->failed = upload_parents(up->machine, up->path);
    if (!up->failed) up->failed = sim_open_write(up->machine, up->path, 0644, 1, &up->file);
}

/* The server trims white space around the path. */
static void upload_trim(struct upload *up) {
    size_t lead = 0;
    while (up->path_len > 0 && strchr(" \t\r\n", up->path[up->path_len - 1])) up->path_len--;
    while (lead < up->path_len && strchr(" \t\r\n", up->path[lead])) lead++;
    memmove(up->path, up->path + lead, up->path_len - lead);
    up->path_len -= lead;
    up->path[up->path_len] = 0;
}

static void upload_begin_file(struct upload *up, int64_t index) {
    char what[32];
    up->in_file = 1;
    up->file_index = index;
    up->failed = 0;
    if (up->fixed_path) {
        (void)sbx_copy(up->path, sizeof(up->path), up->fixed_path);
    } else if (up->path_index != index || up->path_len == 0) {
        snprintf(what, sizeof(what), "file[%lld]", (long long)index);
        upload_error(up, what, "missing .path metadata");
        up->in_file = 0;
        return;
    }
    if (up->path_bad)
        up->failed = EINVAL;
    else
        upload_open(up);
}

static void upload_begin(void *ctx, const char *name, const char *filename) {
    struct upload *up = ctx;
    int64_t index = 0;
    if (up->fixed_path) {
        if (strcmp(name, "file") == 0 && filename) upload_begin_file(up, 0);
    } else if (upload_index(name, ".path", &index)) {
        up->in_path = 1;
        up->path_index = index;
        up->path_len = 0;
        up->path_bad = 0;
    } else if (upload_index(name, ".file", &index)) {
        upload_begin_file(up, index);
    }
}

static void upload_data(void *ctx, const void *data, size_t len) {
    struct upload *up = ctx;
    if (up->in_path && (up->path_len + len >= sizeof(up->path) || memchr(data, 0, len))) up->path_bad = 1;
    if (up->in_path && !up->path_bad) {
        memcpy(up->path + up->path_len, data, len);
        up->path_len += len;
    }
    if (!up->in_file || up->failed) return;
    up->failed = sim_file_write(up->file, data, len);
    if (!up->failed) up->bytes += (int64_t)len;
}

static void upload_end_file(struct upload *up) {
    if (up->file) sim_file_close(up->file);
    up->file = NULL;
    up->in_file = 0;
    if (up->failed) {
        upload_error(up, up->path, sim_day_file_error(up->failed).message);
        return;
    }
    sbx_json_begin_object(&up->files, NULL);
    sim_day_put_text(&up->files, "path", up->path);
    sbx_json_put_int(&up->files, "bytes", up->bytes);
    sbx_json_end_object(&up->files);
}

static void upload_end(void *ctx) {
    struct upload *up = ctx;
    if (up->in_path) upload_trim(up);
    up->in_path = 0;
    if (up->in_file) upload_end_file(up);
}

/* @return 0 at the end of the body, -1 when it was cut short */
static int upload_drain(struct sim_day_call *call, struct upload *up) {
    const struct sim_parts parts = {up, upload_begin, upload_data, upload_end};
    struct sim_multipart *mp = sim_multipart_new(sim_http_header(call->x, "Content-Type"), &parts);
    char *piece = malloc(UPLOAD_PIECE);
    ptrdiff_t got = -1;
    int malformed = !mp || !piece;
    while (piece && (got = sim_http_read(call->x, piece, UPLOAD_PIECE)) > 0)
        if (!malformed && sim_multipart_feed(mp, piece, (size_t)got)) malformed = 1;
    if (got == 0 && (malformed || !sim_multipart_done(mp))) upload_error(up, "multipart", "NextPart: unexpected EOF");
    if (up->file) sim_file_close(up->file);
    up->file = NULL;
    sim_multipart_free(mp);
    free(piece);
    return got == 0 ? 0 : -1;
}

static int upload_take(struct sim_day_call *call, struct upload *up) {
    sim_http_body_is_file(call->x);
    up->machine = call->sb->machine;
    up->path_index = -1;
    sbx_json_begin_array(&up->errors, NULL);
    sbx_json_begin_array(&up->files, NULL);
    if (upload_drain(call, up)) {
        sim_http_abort(call->x, SIM_ABORT_CLOSE);
        return 0;
    }
    sbx_json_end_array(&up->errors);
    sbx_json_end_array(&up->files);
    return !sim_day_fault(call, SIM_PHASE_AFTER_COMMIT) && !sim_day_toolbox_lost(call);
}

static void upload_finish(struct upload *up) {
    sbx_buf_finish(&up->errors);
    sbx_buf_finish(&up->files);
}

void sim_day_tb_bulk_upload(struct sim_day_call *call) {
    struct upload up = {0};
    struct sbx_buf json = SBX_BUF_INIT;
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call) || !upload_take(call, &up))
        goto done;
    sbx_json_begin_object(&json, NULL);
    if (up.error_count) sbx_json_put_raw(&json, "errors", sbx_buf_text(&up.errors), up.errors.len);
    if (up.error_count && up.files.len == 2)
        sbx_json_put_null(&json, "files");
    else
        sbx_json_put_raw(&json, "files", sbx_buf_text(&up.files), up.files.len);
    sbx_json_end_object(&json);
    sim_http_reply_json(call->x, up.error_count ? 400 : 200, &json);
done:
    upload_finish(&up);
}

/* files/upload says nothing; upload-v2 tells name, path and type. */
void sim_day_tb_upload(struct sim_day_call *call) {
    struct upload up = {.fixed_path = sim_http_query(call->x, "path", 0)};
    struct sbx_buf json = SBX_BUF_INIT;
    const char *slash = NULL;
    if (!up.fixed_path || !*up.fixed_path) {
        sim_day_file_refuse(call, 400, "INVALID_FILE_PATH", "path is required");
        goto done;
    }
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call) || !upload_take(call, &up))
        goto done;
    if (up.error_count) {
        sim_day_file_refuse(call, 400, NULL, "upload failed");
        goto done;
    }
    slash = strrchr(up.fixed_path, '/');
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_string(&json, "name", slash ? slash + 1 : up.fixed_path);
    sbx_json_put_string(&json, "path", up.fixed_path);
    sbx_json_put_string(&json, "type", "file");
    sbx_json_end_object(&json);
    sim_http_reply_json(call->x, 200, &json);
done:
    upload_finish(&up);
}
