/* What is there, and changes of it: lists, searches, directories, removal, moves, permissions, replaced texts. Rows P8,
 * D14. */
#include "src/port/port.h"

#include <stdio.h>
#include <string.h>

#define CALL_MS 30000

struct files_entry {
    struct port_entry entry;
    struct sbx_identity who;
    struct sbx_files *into;
    int each; /* its entries say what became of each file: a result on failure too */
};

static enum sbx_status files_enter(struct files_entry *in, struct sbx_sandbox *sb, const char *operation,
                                   const struct sbx_call *call, struct sbx_error *err) {
    in->into = NULL;
    in->each = 0;
    return sbx_port_sandbox_enter(&in->entry, sb, operation, SBX_CAP_FILES, call, CALL_MS, err, &in->who);
}

static enum sbx_status files_into(struct files_entry *in, struct sbx_files **out) {
    if (!out) return sbx_port_missing(&in->entry, "out");
    in->into = sbx_port_files_new();
    return in->into ? SBX_OK : sbx_fail(&in->entry.err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
}

static enum sbx_status files_leave(struct files_entry *in, enum sbx_status st, struct sbx_files **out) {
    if (in->into && st && !in->each) { /* half a list is none */
        sbx_files_free(in->into);
        in->into = NULL;
    }
    if (in->into) sbx_port_files_give(in->into, st, &in->entry.err, out);
    return sbx_port_leave(&in->entry, st);
}

/* ---- what is there ---- */

enum sbx_status sbx_sandbox_list_dir(struct sbx_sandbox *sb, const char *dir, const struct sbx_call *call,
                                     struct sbx_files **out, struct sbx_error *err) {
    struct files_entry in;
    enum sbx_status st = files_enter(&in, sb, "list_dir", call, err);
    if (!st) st = sbx_port_check_any_path(dir, "dir", &in.entry.err);
    if (!st) st = files_into(&in, out);
    if (!st) st = sb->rt->ops.file_list(sb->rt->self, &in.who, dir, &in.entry.call, in.into, &in.entry.err);
    return files_leave(&in, st, out);
}

enum sbx_status sbx_sandbox_stat(struct sbx_sandbox *sb, const char *path, const struct sbx_call *call,
                                 struct sbx_files **out, struct sbx_error *err) {
    struct files_entry in;
    enum sbx_status st = files_enter(&in, sb, "stat", call, err);
    if (!st) st = sbx_port_check_any_path(path, "path", &in.entry.err);
    if (!st) st = files_into(&in, out);
    if (!st) st = sb->rt->ops.file_stat(sb->rt->self, &in.who, path, &in.entry.call, in.into, &in.entry.err);
    return files_leave(&in, st, out);
}

enum sbx_status sbx_sandbox_search_files(struct sbx_sandbox *sb, const char *dir, const char *pattern,
                                         const struct sbx_call *call, struct sbx_files **out, struct sbx_error *err) {
    struct files_entry in;
    enum sbx_status st = files_enter(&in, sb, "search_files", call, err);
    if (!st) st = sbx_port_check_any_path(dir, "dir", &in.entry.err);
    if (!st) st = sbx_port_check_text(pattern, "pattern", &in.entry.err);
    if (!st) st = files_into(&in, out);
    if (!st) st = sb->rt->ops.file_search(sb->rt->self, &in.who, dir, pattern, &in.entry.call, in.into, &in.entry.err);
    return files_leave(&in, st, out);
}

enum sbx_status sbx_sandbox_find_text(struct sbx_sandbox *sb, const char *dir, const char *text,
                                      const struct sbx_call *call, struct sbx_files **out, struct sbx_error *err) {
    struct files_entry in;
    enum sbx_status st = files_enter(&in, sb, "find_text", call, err);
    if (!st) st = sbx_port_check_any_path(dir, "dir", &in.entry.err);
    if (!st) st = sbx_port_check_text(text, "text", &in.entry.err);
    if (!st) st = files_into(&in, out);
    if (!st) st = sb->rt->ops.file_find(sb->rt->self, &in.who, dir, text, &in.entry.call, in.into, &in.entry.err);
    return files_leave(&in, st, out);
}

/* ---- changes ---- */

enum sbx_status sbx_sandbox_mkdir(struct sbx_sandbox *sb, const char *path, const struct sbx_mkdir_options *from,
                                  const struct sbx_call *call, struct sbx_error *err) {
    struct files_entry in;
    struct sbx_mkdir_options opt = SBX_MKDIR_OPTIONS_INIT;
    enum sbx_status st = files_enter(&in, sb, "mkdir", call, err);
    if (!st && sbx_options_take(&opt, sizeof(opt), from, sizeof(opt))) st = sbx_port_size_wrong(&in.entry, "opt");
    if (!st) st = sbx_port_check_any_path(path, "path", &in.entry.err);
    if (!st) st = sbx_port_check_mode(opt.mode, "mode", &in.entry.err);
    if (!st) st = sb->rt->ops.file_mkdir(sb->rt->self, &in.who, path, opt.mode, &in.entry.call, &in.entry.err);
    return files_leave(&in, st, NULL);
}

/* Nothing but slashes and dots: the root, or the working directory, which nobody means to remove. */
static int is_everything(const char *path) {
    return path[strspn(path, "/.")] == 0;
}

enum sbx_status sbx_sandbox_remove(struct sbx_sandbox *sb, const char *path, const struct sbx_remove_options *from,
                                   const struct sbx_call *call, struct sbx_error *err) {
    struct files_entry in;
    struct sbx_remove_options opt = SBX_REMOVE_OPTIONS_INIT;
    enum sbx_status st = files_enter(&in, sb, "remove", call, err);
    if (!st && sbx_options_take(&opt, sizeof(opt), from, sizeof(opt))) st = sbx_port_size_wrong(&in.entry, "opt");
    if (!st) st = sbx_port_check_any_path(path, "path", &in.entry.err);
    if (!st) st = sbx_port_check_choice(opt.recursive, "recursive", &in.entry.err);
    if (!st && is_everything(path)) /* guard: remove_not_everything */
        st = sbx_fail(&in.entry.err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "path: expected a name, not all there is");
    if (!st)
        st = sb->rt->ops.file_remove(sb->rt->self, &in.who, path, opt.recursive == SBX_YES, &in.entry.call,
                                     &in.entry.err);
    return files_leave(&in, st, NULL);
}

enum sbx_status sbx_sandbox_move(struct sbx_sandbox *sb, const char *from, const char *to, const struct sbx_call *call,
                                 struct sbx_error *err) {
    struct files_entry in;
    enum sbx_status st = files_enter(&in, sb, "move", call, err);
    if (!st) st = sbx_port_check_any_path(from, "from", &in.entry.err);
    if (!st) st = sbx_port_check_any_path(to, "to", &in.entry.err);
    if (!st) st = sb->rt->ops.file_move(sb->rt->self, &in.who, from, to, &in.entry.call, &in.entry.err);
    return files_leave(&in, st, NULL);
}

static enum sbx_status permissions_check(struct files_entry *in, const char *path,
                                         const struct sbx_permission_options *opt) {
    struct sbx_error *err = &in->entry.err;
    enum sbx_status st = sbx_port_check_any_path(path, "path", err);
    if (!st) st = sbx_port_check_mode(opt->mode, "mode", err);
    if (!st && opt->owner) st = sbx_port_check_text(opt->owner, "owner", err);
    if (!st && opt->group) st = sbx_port_check_text(opt->group, "group", err);
    if (!st && !opt->mode && !opt->owner && !opt->group)
        st = sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "opt: expected a mode, an owner or a group");
    return st;
}

enum sbx_status sbx_sandbox_set_permissions(struct sbx_sandbox *sb, const char *path,
                                            const struct sbx_permission_options *from, const struct sbx_call *call,
                                            struct sbx_error *err) {
    struct files_entry in;
    struct sbx_permission_options opt = SBX_PERMISSION_OPTIONS_INIT;
    enum sbx_status st = files_enter(&in, sb, "set_permissions", call, err);
    if (!st && sbx_options_take(&opt, sizeof(opt), from, sizeof(opt))) st = sbx_port_size_wrong(&in.entry, "opt");
    if (!st) st = permissions_check(&in, path, &opt);
    if (!st)
        st = sb->rt->ops.file_permissions(sb->rt->self, &in.who, path, opt.mode, opt.owner, opt.group, &in.entry.call,
                                          &in.entry.err);
    return files_leave(&in, st, NULL);
}

static enum sbx_status paths_check(struct files_entry *in, const char *const *paths, size_t count) {
    char field[32];
    struct sbx_error *err = &in->entry.err;
    if (!paths || count == 0 || count > SBX_UPLOAD_FILES_MAX)
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "paths: expected 1 to %d", SBX_UPLOAD_FILES_MAX);
    enum sbx_status st = SBX_OK;
    for (size_t i = 0; i < count && !st; i++) {
        snprintf(field, sizeof(field), "paths[%zu]", i);
        st = sbx_port_check_any_path(paths[i], field, err);
        for (size_t k = 0; k < i && !st; k++)
            if (strcmp(paths[k], paths[i]) == 0)
                st = sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s: expected no path twice", field);
    }
    return st;
}

enum sbx_status sbx_sandbox_replace_text(struct sbx_sandbox *sb, const char *const *paths, size_t count,
                                         const char *text, const char *with, const struct sbx_call *call,
                                         struct sbx_files **out, struct sbx_error *err) {
    struct files_entry in;
    enum sbx_status st = files_enter(&in, sb, "replace_text", call, err);
    if (!st) st = paths_check(&in, paths, count);
    if (!st) st = sbx_port_check_text(text, "text", &in.entry.err);
    if (!st && (!with || *with)) st = sbx_port_check_text(with, "with", &in.entry.err);
    if (!st) st = files_into(&in, out);
    in.each = 1;
    if (!st)
        st = sb->rt->ops.file_replace(sb->rt->self, &in.who, paths, count, text, with, &in.entry.call, in.into,
                                      &in.entry.err);
    return files_leave(&in, st, out);
}
