/* filesystem.Filesystem but for its watches: what there is, made, moved, listed, removed. Row P8. */
#include "sim/e2b/envd.h"

#include <errno.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_DEPTH_MAX 200 /* of a list */

static int files_faulted(struct sim_e2b_call *call) {
    return sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT);
}

static const char *files_words(sim_errno why) {
    static const struct {
        sim_errno why;
        const char *words;
    } rows[] = {{ENOENT, "no such file or directory"}, {ENOTDIR, "not a directory"},
                {EINVAL, "invalid argument"},          {EEXIST, "file exists"},
                {ENOTEMPTY, "directory not empty"},    {EISDIR, "is a directory"},
                {EACCES, "permission denied"},         {EPERM, "operation not permitted"},
                {ENAMETOOLONG, "file name too long"},  {ENOSPC, "no space left on device"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].why == why) return rows[i].words;
    return "input/output error";
}

/* ---- entries ---- */

static void entry_permissions(const struct sim_stat *st, int is_link, char out[11]) {
    static const char letters[] = "rwxrwxrwx";
    out[0] = is_link ? 'L' : st->type == 'd' ? 'd' : '-';
    for (int i = 0; i < 9; i++) out[i + 1] = st->mode & (0400u >> i) ? letters[i] : '-';
    out[10] = 0;
}

static void entry_owner(struct sim_machine *m, const char *key, int64_t id, struct sbx_buf *json) {
    char number[24];
    const char *name = sim_machine_name(m, id);
    snprintf(number, sizeof(number), "%lld", (long long)id);
    sbx_json_put_string(json, key, name ? name : number);
}

/* Type and mode are those of what a link leads to; nothing, if it leads nowhere. */
sim_errno sim_e2b_entry_write(struct sim_machine *m, const char *path, const char *key, struct sbx_buf *json) {
    struct sim_stat own, st;
    struct sbx_buf target = SBX_BUF_INIT;
    char text[40];
    const char *name = strcmp(path, "/") == 0 ? path : strrchr(path, '/') + 1;
    const sim_errno failed = sim_stat(m, path, 0, &own);
    if (failed) return failed;
    const int broken = sim_stat(m, path, 1, &st) != 0;
    if (broken) st = own;
    sbx_json_begin_object(json, key);
    sbx_json_put_text(json, "name", name, sbx_utf8_valid(name, strlen(name)));
    if (st.type == 'f' || st.type == 'd')
        sbx_json_put_string(json, "type", st.type == 'd' ? "FILE_TYPE_DIRECTORY" : "FILE_TYPE_FILE");
    sbx_json_put_text(json, "path", path, sbx_utf8_valid(path, strlen(path)));
    snprintf(text, sizeof(text), "%lld", (long long)st.bytes);
    if (st.bytes) sbx_json_put_string(json, "size", text);
    if (st.mode) sbx_json_put_int(json, "mode", st.mode & 07777);
    entry_permissions(&st, own.type == 'l', text);
    sbx_json_put_string(json, "permissions", text);
    entry_owner(m, "owner", st.uid, json);
    entry_owner(m, "group", st.gid, json);
    sim_e2b_stamp(st.mtime_ns - SIM_EPOCH_MS * SIM_MS, text);
    sbx_json_put_string(json, "modifiedTime", text);
    if (own.type == 'l' && sim_readlink(m, path, &target) == 0)
        sbx_json_put_string(json, "symlinkTarget", sbx_buf_text(&target));
    sbx_json_end_object(json);
    sbx_buf_finish(&target);
    return 0;
}

static void files_reply_entry(struct sim_e2b_call *call, const char *path) {
    struct sbx_buf json = SBX_BUF_INIT;
    sbx_json_begin_object(&json, NULL);
    const int64_t was = sim_e2b_as_root(call);
    const sim_errno failed = sim_e2b_entry_write(call->sb->machine, path, "entry", &json);
    sim_e2b_as_was(call, was);
    sbx_json_end_object(&json);
    if (!failed) {
        sim_e2b_rpc_reply(call, &json);
        return;
    }
    sbx_buf_finish(&json);
    sim_e2b_rpc_refuse(call, failed == ENOENT || failed == ENOTDIR ? E2B_NOT_FOUND : E2B_INTERNAL,
                       "file not found: lstat %s: %s", path, files_words(failed));
}

/* ---- requests ---- */

/* A member that is a path. @return 0 once it has been refused */
static int files_path(struct sim_e2b_call *call, struct sbx_json *js, const struct sbx_json_node *message,
                      const char *key, struct sbx_buf *out) {
    const char *why = NULL, *path = sbx_json_opt_string(js, message, key, "");
    if (sim_e2b_rpc_message_refused(call, js)) return 0;
    if (!sim_e2b_path(call, path, out, &why)) return 1;
    sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "%s", why);
    return 0;
}

void sim_e2b_fs_rpc_stat(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    struct sbx_buf path = SBX_BUF_INIT;
    const struct sbx_json_node *message = sim_e2b_rpc_message(call, &js);
    if (message && files_path(call, js, message, "path", &path) && !files_faulted(call))
        files_reply_entry(call, path.data);
    sbx_buf_finish(&path);
}

static void make_dir(struct sim_e2b_call *call, const char *path) {
    struct sim_machine *m = call->sb->machine;
    struct sim_stat st;
    int64_t was = sim_e2b_as_root(call);
    const sim_errno there = sim_stat(m, path, 1, &st);
    sim_e2b_as_was(call, was);
    if (!there) {
        if (st.type == 'd')
            sim_e2b_rpc_refuse(call, E2B_ALREADY_EXISTS, "directory already exists: %s", path);
        else
            sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "path already exists but it is not a directory: %s", path);
        return;
    }
    sim_errno failed = sim_e2b_make_parents(call, path);
    was = sim_e2b_as_root(call);
    if (!failed) failed = sim_mkdir(m, path, 0755, 0);
    sim_e2b_as_was(call, was);
    if (failed) {
        sim_e2b_rpc_refuse(call, E2B_INTERNAL, "failed to create directory: mkdir %s: %s", path, files_words(failed));
        return;
    }
    sim_e2b_give(call, path);
    if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) files_reply_entry(call, path);
}

void sim_e2b_fs_rpc_make_dir(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    struct sbx_buf path = SBX_BUF_INIT;
    const struct sbx_json_node *message = sim_e2b_rpc_message(call, &js);
    if (message && files_path(call, js, message, "path", &path) && !sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT))
        make_dir(call, path.data);
    sbx_buf_finish(&path);
}

static void files_move(struct sim_e2b_call *call, const char *from, const char *to) {
    struct sim_machine *m = call->sb->machine;
    struct sim_stat st;
    int64_t was = sim_e2b_as_root(call);
    sim_errno failed = sim_stat(m, from, 0, &st);
    sim_e2b_as_was(call, was);
    if (failed) {
        sim_e2b_rpc_refuse(call, E2B_NOT_FOUND, "source file not found: stat %s: %s", from, files_words(failed));
        return;
    }
    failed = sim_e2b_make_parents(call, to);
    was = sim_e2b_as_root(call);
    if (!failed) failed = sim_rename(m, from, to);
    sim_e2b_as_was(call, was);
    if (failed)
        sim_e2b_rpc_refuse(call, E2B_INTERNAL, "error renaming: rename %s %s: %s", from, to, files_words(failed));
    else if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT))
        files_reply_entry(call, to);
}

void sim_e2b_fs_rpc_move(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    struct sbx_buf from = SBX_BUF_INIT, to = SBX_BUF_INIT;
    const struct sbx_json_node *message = sim_e2b_rpc_message(call, &js);
    if (message && files_path(call, js, message, "source", &from) &&
        files_path(call, js, message, "destination", &to) && !sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT))
        files_move(call, from.data, to.data);
    sbx_buf_finish(&from);
    sbx_buf_finish(&to);
}

void sim_e2b_fs_rpc_remove(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    struct sbx_buf path = SBX_BUF_INIT, json = SBX_BUF_INIT;
    const struct sbx_json_node *message = sim_e2b_rpc_message(call, &js);
    if (!message || !files_path(call, js, message, "path", &path) || sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT))
        goto done;
    const int64_t was = sim_e2b_as_root(call);
    const sim_errno failed = sim_unlink(call->sb->machine, path.data, 1);
    sim_e2b_as_was(call, was);
    if (failed && failed != ENOENT && failed != ENOTDIR) {
        sim_e2b_rpc_refuse(call, E2B_INTERNAL, "error removing file or directory: unlinkat %s: %s", path.data,
                           files_words(failed));
        goto done;
    }
    if (sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) goto done;
    sbx_json_begin_object(&json, NULL);
    sbx_json_end_object(&json);
    sim_e2b_rpc_reply(call, &json);
done:
    sbx_buf_finish(&path);
    sbx_buf_finish(&json);
}

/* ---- lists ---- */

struct files_list {
    struct sim_e2b_call *call;
    struct sbx_buf json;
    int any, too_deep;
};

static void list_name(void *ctx, const char *name) {
    struct sbx_buf *names = ctx;
    sbx_buf_append(names, name, strlen(name) + 1);
}

/* In the order of names, what is below behind its directory; links are not followed. */
static sim_errno list_below(struct files_list *l, const char *path, int64_t depth, int level) {
    struct sim_machine *m = l->call->sb->machine;
    struct sbx_buf names = SBX_BUF_INIT, below = SBX_BUF_INIT;
    struct sim_stat st;
    sim_errno failed = level > FILES_DEPTH_MAX ? ELOOP : sim_list(m, path, list_name, &names);
    if (level > FILES_DEPTH_MAX) l->too_deep = 1;
    for (size_t at = 0; !failed && at < names.len; at += strlen(names.data + at) + 1) {
        sbx_buf_clear(&below);
        sbx_buf_printf(&below, "%s/%s", strcmp(path, "/") == 0 ? "" : path, names.data + at);
        if (below.failed) failed = ENOMEM;
        if (!failed) failed = sim_e2b_entry_write(m, below.data, NULL, &l->json);
        l->any = 1;
        if (!failed && depth > 1 && sim_stat(m, below.data, 0, &st) == 0 && st.type == 'd')
            failed = list_below(l, below.data, depth - 1, level + 1);
    }
    if (names.failed) failed = ENOMEM;
    sbx_buf_finish(&names);
    sbx_buf_finish(&below);
    return failed;
}

static void files_list_reply(struct sim_e2b_call *call, const char *path, int64_t depth) {
    struct files_list l = {.call = call};
    struct sbx_buf json = SBX_BUF_INIT;
    struct sim_stat st;
    const int64_t was = sim_e2b_as_root(call);
    sim_errno failed = sim_stat(call->sb->machine, path, 1, &st);
    const int is_file = !failed && st.type != 'd';
    if (!failed && !is_file) failed = list_below(&l, path, depth, 0);
    sim_e2b_as_was(call, was);
    if (failed == ENOENT || failed == ENOTDIR)
        sim_e2b_rpc_refuse(call, E2B_NOT_FOUND, "directory not found: lstat %s: %s", path, files_words(failed));
    else if (is_file)
        sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "path is not a directory: %s", path);
    else if (failed)
        sim_e2b_rpc_refuse(call, E2B_INTERNAL, "error reading directory %s: %s", path, files_words(failed));
    if (l.too_deep) sim_http_unsupported(call->x, "a list of more than 200 levels", 0);
    if (failed || is_file) {
        sbx_buf_finish(&l.json);
        return;
    }
    sbx_json_begin_object(&json, NULL);
    if (l.any) {
        sbx_json_begin_array(&json, "entries");
        sbx_json_put_raw(&json, NULL, sbx_buf_text(&l.json), l.json.len);
        sbx_json_end_array(&json);
    }
    sbx_json_end_object(&json);
    if (l.json.failed) json.failed = 1;
    sbx_buf_finish(&l.json);
    sim_e2b_rpc_reply(call, &json);
}

void sim_e2b_fs_rpc_list_dir(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    struct sbx_buf path = SBX_BUF_INIT;
    const struct sbx_json_node *message = sim_e2b_rpc_message(call, &js);
    int64_t depth = message ? sbx_json_opt_int(js, message, "depth", 0) : 0;
    if (depth < 0 || depth > UINT32_MAX) sbx_json_complain(js, message, "depth", "invalid value for uint32 field");
    if (depth == 0) depth = 1;
    if (message && files_path(call, js, message, "path", &path) && !files_faulted(call))
        files_list_reply(call, path.data, depth);
    sbx_buf_finish(&path);
}
