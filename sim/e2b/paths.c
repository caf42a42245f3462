/* Paths as envd takes them: relative ones and ~ lead home, and what is made belongs to the user. Row P8. */
#include "sim/e2b/envd.h"

#include <errno.h>
#include <string.h>

const char *sim_e2b_home(const struct sim_e2b_call *call, const char *user) {
    return strcmp(user, "root") == 0 ? "/root" : sim_machine_home(call->sb->machine);
}

/* Takes "." and ".." and double slashes out of an absolute path. */
static void path_clean(const char *path, struct sbx_buf *out) {
    sbx_buf_char(out, '/');
    for (const char *at = path + strspn(path, "/"); *at; at += strspn(at, "/")) {
        const size_t len = strcspn(at, "/");
        if (len == 2 && strncmp(at, "..", len) == 0) {
            while (out->len > 1 && out->data[out->len - 1] != '/') out->len--;
            if (out->len > 1) out->len--;
        } else if (len != 1 || *at != '.') {
            if (out->len > 1) sbx_buf_char(out, '/');
            sbx_buf_append(out, at, len);
        }
        at += len;
    }
    if (!out->failed) out->data[out->len] = 0;
}

int sim_e2b_path(const struct sim_e2b_call *call, const char *path, struct sbx_buf *out, const char **why) {
    struct sbx_buf whole = SBX_BUF_INIT;
    const char *home = sim_e2b_home(call, call->user);
    if (path[0] == '~' && path[1] && path[1] != '/') {
        *why = "can't expand user-specific home dir";
        return 1;
    }
    if (path[0] == '~')
        sbx_buf_printf(&whole, "%s/%s", home, path + 1);
    else
        sbx_buf_printf(&whole, "%s%s%s", path[0] == '/' ? "" : home, path[0] == '/' ? "" : "/", path);
    path_clean(sbx_buf_text(&whole), out);
    *why = whole.failed || out->failed ? "out of memory" : NULL;
    sbx_buf_finish(&whole);
    return *why != NULL;
}

int64_t sim_e2b_as_root(const struct sim_e2b_call *call) {
    return sim_machine_become(call->sb->machine, 0);
}

void sim_e2b_as_was(const struct sim_e2b_call *call, int64_t was) {
    (void)sim_machine_become(call->sb->machine, was);
}

void sim_e2b_give(const struct sim_e2b_call *call, const char *path) {
    const int64_t id = strcmp(call->user, "root") == 0 ? 0 : 1000;
    const int64_t was = sim_e2b_as_root(call);
    (void)sim_chown(call->sb->machine, path, id, id);
    sim_e2b_as_was(call, was);
}

/* Makes one directory if it is not there. */
static sim_errno path_dir(const struct sim_e2b_call *call, const char *path) {
    struct sim_machine *m = call->sb->machine;
    struct sim_stat st;
    const int64_t was = sim_e2b_as_root(call);
    sim_errno failed = sim_stat(m, path, 1, &st);
    int made = 0;
    if (!failed && st.type != 'd') failed = ENOTDIR;
    if (failed == ENOENT) {
        failed = sim_mkdir(m, path, 0755, 0);
        made = !failed;
    }
    sim_e2b_as_was(call, was);
    if (made) sim_e2b_give(call, path);
    return failed;
}

sim_errno sim_e2b_make_parents(const struct sim_e2b_call *call, const char *path) {
    struct sbx_buf copy = SBX_BUF_INIT;
    sbx_buf_text_append(&copy, path);
    sim_errno failed = sbx_buf_status(&copy) ? ENOMEM : 0;
    for (char *at = failed ? NULL : strchr(copy.data + 1, '/'); at && !failed; at = strchr(at + 1, '/')) {
        *at = 0;
        failed = path_dir(call, copy.data);
        *at = '/';
    }
    sbx_buf_finish(&copy);
    return failed;
}
