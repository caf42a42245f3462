/* Changes of names: directories made, names removed and given anew. Rows L1, P11, D14.
 *
 * One name is one call of the kernel, so that it is done or not; what is more than that is the sandbox's own tools. */
#include "adapters/local/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum sbx_status sbx_local_file_mkdir(void *self, const struct sbx_identity *who, const char *path, int32_t mode,
                                     const struct sbx_call *call, struct sbx_error *err) {
    struct local_inside in;
    sbx_local_inside_begin(&in, self, who);
    return sbx_work_mkdir(&in.work, path, mode, call, err);
}

/* ---- a tool whose words say why it could not ---- */

static void put_tool(struct sbx_buf *script, const char *tool, const char *path, const char *to) {
    sbx_buf_text_append(script, tool);
    for (const char *const *one = (const char *const[]){path, to, NULL}; *one; one++) {
        sbx_buf_text_append(script, **one == '/' ? " " : " ./");
        sbx_shell_quote(script, *one);
    }
}

static enum sbx_status tool_run(void *self, const struct sbx_identity *who, const char *tool, const char *path,
                                const char *to, const struct sbx_call *call, struct sbx_error *err) {
    static const struct sbx_pair plain = {"LC_ALL", "C"}; /* its words are read */
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = sbx_exec_result_create();
    struct sbx_buf script = SBX_BUF_INIT;
    opt.env = &plain;
    opt.env_count = 1;
    opt.output_bytes_max = 4096;
    put_tool(&script, tool, path, to);
    enum sbx_status st = !result || script.failed
                             ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL)
                             : sbx_local_exec(self, who, sbx_buf_text(&script), &opt, call, result, err);
    if (st && err->outcome == SBX_OUTCOME_DONE) err->outcome = SBX_OUTCOME_UNKNOWN; /* it ran: how far is not known */
    if (!st && sbx_exec_result_exit_code(result) != 0)
        st = sbx_fail(err, sbx_work_words(sbx_exec_result_stderr(result, NULL)), SBX_OUTCOME_UNKNOWN,
                      "path: some of it may be changed");
    sbx_buf_finish(&script);
    sbx_exec_result_free(result);
    return st;
}

/* ---- removal ---- */

/* The name, not what a link leads to. */
static enum sbx_status remove_name(const struct local_walk *walk, const char *path, struct sbx_error *err) {
    char name[LOCAL_NAME_SIZE];
    const int dir = sbx_local_walk_parent(walk, path, name);
    const int error = dir < 0 ? -dir : unlinkat(dir, name, 0) ? errno : 0;
    if (dir >= 0) close(dir);
    return error ? sbx_local_file_fail(error, "path", err) : SBX_OK;
}

enum sbx_status sbx_local_file_remove(void *self, const struct sbx_identity *who, const char *path, int32_t recursive,
                                      const struct sbx_call *call, struct sbx_error *err) {
    struct local_walk walk = {0};
    struct stat is = {0};
    enum sbx_status st = sbx_local_walk_begin(self, who, &walk, err);
    const int error = st ? 0 : sbx_local_walk_stat(&walk, path, &is);
    if (error) st = sbx_local_file_fail(error, "path", err);
    if (!st && S_ISDIR(is.st_mode) && !recursive) /* guard: local_remove_asked_for_all */
        st = sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "recursive: expected SBX_YES for a directory");
    if (!st && !S_ISDIR(is.st_mode)) st = remove_name(&walk, path, err);
    sbx_local_walk_finish(&walk);
    return st || !S_ISDIR(is.st_mode) ? st : tool_run(self, who, "rm -rf", path, NULL, call, err);
}

/* ---- moves ---- */

/* A file system that cannot refuse by itself is looked at before. */
static int move_looked(int from, const char *old, int to, const char *fresh) {
    struct stat is;
    if (fstatat(to, fresh, &is, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
    return errno != ENOENT || renameat(from, old, to, fresh) ? errno : 0;
}

static enum sbx_status move_meaning(int error, struct sbx_error *err) {
    if (error == EEXIST)
        return sbx_fail(err, SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED, "to: there is something of that name");
    return sbx_local_file_fail(error, error == ENOENT ? "from, or the directory of to" : "from or to", err);
}

static enum sbx_status move_name(const struct local_walk *walk, const char *from, const char *to, int *elsewhere,
                                 struct sbx_error *err) {
    char old[LOCAL_NAME_SIZE] = "", fresh[LOCAL_NAME_SIZE] = "";
    const int source = sbx_local_walk_parent(walk, from, old);
    const int target = source < 0 ? source : sbx_local_walk_parent(walk, to, fresh);
    int error = target < 0 ? -target : 0;
    if (!error && renameat2(source, old, target, fresh, RENAME_NOREPLACE)) /* guard: local_move_replaces_nothing */
        error = errno == EINVAL ? move_looked(source, old, target, fresh) : errno;
    *elsewhere = error == EXDEV;
    if (source >= 0) close(source);
    if (target >= 0) close(target);
    return error && !*elsewhere ? move_meaning(error, err) : SBX_OK;
}

enum sbx_status sbx_local_file_move(void *self, const struct sbx_identity *who, const char *from, const char *to,
                                    const struct sbx_call *call, struct sbx_error *err) {
    struct local_walk walk = {0};
    struct stat is = {0};
    int elsewhere = 0;
    enum sbx_status st = sbx_local_walk_begin(self, who, &walk, err);
    if (!st) st = move_name(&walk, from, to, &elsewhere, err);
    if (!st && elsewhere && sbx_local_walk_stat(&walk, to, &is) == 0) st = move_meaning(EEXIST, err);
    sbx_local_walk_finish(&walk);
    /* another file system, as a box's /tmp is to its home directory: a copy, and then the old one goes */
    return st || !elsewhere ? st : tool_run(self, who, "mv -T --", from, to, call, err);
}
