/* The daemon's other file routes: info, list, folder, move, permissions, delete. */
#include "sim/daytona/errors.h"
#include "sim/daytona/toolbox.h"
#include "sim/daytona/walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_day_file_error sim_day_file_error(int number) {
    static const struct {
        int number;
        struct sim_day_file_error error;
    } errors[] = {
        {ENOENT, {404, "FILE_NOT_FOUND", "no such file or directory"}},
        {EACCES, {403, "FILE_ACCESS_DENIED", "permission denied"}},
        {EPERM, {403, "FILE_ACCESS_DENIED", "operation not permitted"}},
        {EEXIST, {409, "CONFLICT", "file exists"}},
        {EISDIR, {400, "INVALID_FILE_PATH", "is a directory"}},
        {ENOTDIR, {400, "INVALID_FILE_PATH", "not a directory"}},
        {EINVAL, {400, "INVALID_FILE_PATH", "path is required"}},
        {ENOSPC, {400, "BAD_REQUEST", "no space left on device"}},
        {ENAMETOOLONG, {400, "INVALID_FILE_PATH", "file name too long"}},
        {ENOTEMPTY, {400, "BAD_REQUEST", "directory not empty"}},
    };
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].number == number) return errors[i].error;
    return (struct sim_day_file_error){500, "FILE_READ_FAILED", "input/output error"};
}

int sim_day_file_failed(struct sim_day_call *call, int number) {
    if (number == 0) return 0;
    const struct sim_day_file_error error = sim_day_file_error(number);
    sim_day_file_refuse(call, error.status, error.code, error.message);
    return 1;
}

/* @return the query member, or NULL when its absence has been answered */
static const char *files_query(struct sim_day_call *call, const char *name) {
    const char *value = sim_http_query(call->x, name, 0);
    if (value && *value) return value;
    sim_day_file_refuse(call, 400, "INVALID_FILE_PATH", "path is required");
    return NULL;
}

/* "-rw-r--r--" */
static void files_mode_text(const struct sim_stat *st, char out[11]) {
    static const char letters[] = "rwxrwxrwx";
    out[0] = st->type == 'f' ? '-' : (char)st->type;
    for (int i = 0; i < 9; i++) out[i + 1] = st->mode >> (8 - i) & 1u ? letters[i] : '-';
    out[10] = 0;
}

static void files_put_number(struct sbx_buf *json, const char *key, const char *fmt, int64_t value) {
    struct sbx_buf text = SBX_BUF_INIT;
    if (*fmt == 'o')
        sbx_buf_printf(&text, "%04llo", (unsigned long long)value);
    else
        sbx_buf_printf(&text, "%lld", (long long)value);
    sbx_json_put_string(json, key, sbx_buf_text(&text));
    sbx_buf_finish(&text);
}

/* @param path shown besides, NULL = not */
static void files_write(struct sbx_buf *json, const char *name, const char *path, const struct sim_stat *st) {
    char mode[11], go_time[DAY_STAMP_SIZE], iso[DAY_STAMP_SIZE];
    sim_day_stamp_go(st->mtime_ns / SIM_SEC, go_time);
    sim_day_stamp_seconds(st->mtime_ns / SIM_SEC, iso);
    files_mode_text(st, mode);
    sbx_json_begin_object(json, NULL);
    sim_day_put_text(json, "name", name);
    sbx_json_put_int(json, "size", st->bytes);
    sbx_json_put_string(json, "mode", mode);
    sbx_json_put_string(json, "modTime", go_time);
    sbx_json_put_string(json, "modifiedAt", iso);
    sbx_json_put_bool(json, "isDir", st->type == 'd');
    files_put_number(json, "owner", "d", st->uid);
    files_put_number(json, "group", "d", st->gid);
    files_put_number(json, "permissions", "o", st->mode & 0777);
    if (path) sim_day_put_text(json, "path", path);
    sbx_json_end_object(json);
}

static const char *files_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

void sim_day_tb_info(struct sim_day_call *call) {
    const char *path = files_query(call, "path");
    struct sim_stat st = {0};
    struct sbx_buf json = SBX_BUF_INIT;
    if (!path || sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call)) return;
    if (sim_day_file_failed(call, sim_stat(call->sb->machine, path, 1, &st)) ||
        sim_day_fault(call, SIM_PHASE_AFTER_COMMIT))
        return;
    files_write(&json, files_base(path), NULL, &st);
    sim_http_reply_json(call->x, 200, &json);
}

struct files_listing {
    struct sim_machine *machine;
    int64_t depth;   /* 0 = not asked for: one level, and no paths */
    size_t base_len; /* of the folder's own path, which is not listed */
    struct sbx_buf json;
};

/* Links are followed; a dangling one is left out. */
static int files_list_one(void *ctx, const char *path, const struct sim_stat *own) {
    struct files_listing *listing = ctx;
    struct sim_stat st = *own;
    if (strlen(path) <= listing->base_len) return 0;
    if (own->type != 'l' || sim_stat(listing->machine, path, 1, &st) == 0)
        files_write(&listing->json, files_base(path), listing->depth ? path : NULL, &st);
    return 0;
}

/* @return 0 when the depth has been refused */
static int files_depth(struct sim_day_call *call, int64_t *depth) {
    const char *text = sim_http_query(call->x, "depth", 0);
    *depth = 0;
    if (!text || !*text || sbx_text_int(text, 1, INT32_MAX, depth)) return 1;
    sim_day_file_refuse(call, 400, NULL, "depth must be at least 1");
    return 0;
}

void sim_day_tb_list(struct sim_day_call *call) {
    const char *path = sim_http_query(call->x, "path", 0), *folder = path && *path ? path : ".";
    struct files_listing listing = {.machine = call->sb->machine, .base_len = strlen(folder)};
    struct sim_day_walk walk = {.machine = call->sb->machine, .each = files_list_one, .ctx = &listing};
    struct sim_stat st = {0};
    if (!files_depth(call, &listing.depth) || sim_day_toolbox_fault_read(call)) return;
    walk.depth = listing.depth ? listing.depth : 1;
    sim_errno failed = sim_stat(call->sb->machine, folder, 1, &st);
    if (!failed && st.type != 'd') failed = ENOTDIR;
    sbx_json_begin_array(&listing.json, NULL);
    if (!failed) failed = sim_day_walk(&walk, folder);
    sbx_json_end_array(&listing.json);
    if (sim_day_file_failed(call, failed))
        sbx_buf_finish(&listing.json);
    else
        sim_http_reply_json(call->x, 200, &listing.json);
}

/* Octal digits. @return 0 if it is no mode */
static int files_mode(const char *text, uint32_t *mode) {
    *mode = 0;
    if (!*text || strlen(text) > 5) return 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '7') return 0;
        *mode = *mode * 8 + (uint32_t)(*text - '0');
    }
    return *mode <= 07777;
}

/* Like mkdir -p: whatever goes wrong is a 400. */
void sim_day_tb_folder(struct sim_day_call *call) {
    const char *path = files_query(call, "path");
    const char *text = sim_http_query(call->x, "mode", 0);
    uint32_t mode = 0755;
    sim_errno failed = 0;
    if (!path) return;
    if (text && *text && !files_mode(text, &mode)) {
        sim_day_file_refuse(call, 400, NULL, "invalid mode");
        return;
    }
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call)) return;
    for (int times = sim_day_toolbox_times(call); times > 0; times--)
        failed = sim_mkdir(call->sb->machine, path, mode, 1);
    if (sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) return;
    if (failed)
        sim_day_file_refuse(call, 400, NULL, sim_day_file_error(failed).message);
    else
        sim_day_reply_empty(call, 201);
}

static sim_errno files_move(struct sim_machine *machine, const char *from, const char *to) {
    struct sim_stat st = {0};
    const sim_errno failed = sim_stat(machine, from, 0, &st);
    if (failed) return failed;
    if (sim_stat(machine, to, 0, &st) == 0) return EEXIST;
    return sim_rename(machine, from, to);
}

void sim_day_tb_move(struct sim_day_call *call) {
    const char *from = files_query(call, "source");
    const char *to = from ? files_query(call, "destination") : NULL;
    sim_errno failed = 0;
    if (!to || sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call)) return;
    for (int times = sim_day_toolbox_times(call); times > 0; times--) failed = files_move(call->sb->machine, from, to);
    if (sim_day_fault(call, SIM_PHASE_AFTER_COMMIT) || sim_day_file_failed(call, failed)) return;
    sim_day_reply_empty(call, 200);
}

/* @return 0 if nobody has that name; -1 for a name that is not given */
static int files_id(const struct sim_machine *machine, const char *name, int64_t *id) {
    *id = -1;
    return !name || !*name || sim_machine_id(machine, name, id);
}

void sim_day_tb_permissions(struct sim_day_call *call) {
    const char *path = files_query(call, "path");
    const char *text = sim_http_query(call->x, "mode", 0);
    const char *owner = sim_http_query(call->x, "owner", 0), *group = sim_http_query(call->x, "group", 0);
    uint32_t mode = 0;
    int64_t uid = -1, gid = -1;
    sim_errno failed = 0;
    if (!path) return;
    if (text && *text && !files_mode(text, &mode)) {
        sim_day_file_refuse(call, 400, NULL, "invalid mode");
        return;
    }
    if (!files_id(call->sb->machine, owner, &uid) || !files_id(call->sb->machine, group, &gid)) {
        sim_day_file_refuse(call, 400, NULL, uid < 0 && owner && *owner ? "unknown user" : "unknown group");
        return;
    }
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call)) return;
    if (text && *text) failed = sim_chmod(call->sb->machine, path, mode);
    if (!failed && (uid >= 0 || gid >= 0)) failed = sim_chown(call->sb->machine, path, uid, gid);
    if (sim_day_fault(call, SIM_PHASE_AFTER_COMMIT) || sim_day_file_failed(call, failed)) return;
    sim_day_reply_empty(call, 200);
}

/* Daemons up to 0.187 knew the route only with a slash at its end. */
static int files_delete_is_unknown(struct sim_day_call *call) {
    static const char text[] = "404 page not found";
    const char *path = sim_http_path(call->x);
    if (call->day->config.daemon_minor > 187 || path[strlen(path) - 1] == '/') return 0;
    if (!sim_day_toolbox_fault_read(call)) sim_http_reply(call->x, 404, "text/plain", text, sizeof(text) - 1);
    return 1;
}

/* Any directory without `recursive` is refused, an empty one too. */
void sim_day_tb_delete(struct sim_day_call *call) {
    const int unknown = files_delete_is_unknown(call);
    const char *path = unknown ? NULL : files_query(call, "path");
    const char *recursive = sim_http_query(call->x, "recursive", 0);
    const int deep = recursive && strcmp(recursive, "true") == 0;
    struct sim_stat st = {0};
    sim_errno failed = 0;
    if (!path || sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call)) return;
    failed = sim_stat(call->sb->machine, path, 1, &st);
    if (!failed && st.type == 'd' && !deep) failed = EISDIR;
    if (!failed) failed = sim_unlink(call->sb->machine, path, deep);
    if (sim_day_fault(call, SIM_PHASE_AFTER_COMMIT) || sim_day_file_failed(call, failed)) return;
    sim_day_reply_empty(call, 204);
}
