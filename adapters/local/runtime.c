/* A directory of this machine as a runtime: its options, its table. Rows L1, L2, P3, P5, P6. */
#include "adapters/local/verbs.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUDGET_MS    (30 * 60 * 1000)
#define ROOT_LEN_MAX 700 /* so that all below it fits */

void sbx_local_options_init(struct sbx_local_options *opt, size_t size) {
    sbx_options_init(opt, size);
}

static void local_free(void *self) {
    struct local *l = self;
    if (!l) return;
    free(l->root);
    free(l->shell);
    free(l->bwrap);
    free(l->nsenter);
    free(l);
}

/* Detached launch is not declared, since a launch is at once; sessions and resources are not there. */
static const struct sbx_runtime_ops local_ops = {
    .size = sizeof(struct sbx_runtime_ops),
    .provider = "local",
    .caps = SBX_CAP_REATTACH | SBX_CAP_LABEL_SEARCH | SBX_CAP_LIFECYCLE | SBX_CAP_RECONCILE | SBX_CAP_EXEC |
            SBX_CAP_FILE_TRANSFER | SBX_CAP_HOME_DIR | SBX_CAP_ASYNC_EXEC | SBX_CAP_STREAMING_OUTPUT | SBX_CAP_FILES |
            SBX_CAP_CAPACITY,
    .isolation = SBX_ISOLATION_NONE,
    .free = local_free,
    .launch = sbx_local_launch,
    .info = sbx_local_info,
    .destroy = sbx_local_destroy,
    .attach = sbx_local_attach,
    .find = sbx_local_find,
    .count = sbx_local_count,
    .capacity = sbx_local_capacity,
    .reconcile = sbx_local_reconcile,
    .exec = sbx_local_exec,
    .upload = sbx_local_upload,
    .download = sbx_local_download,
    .home_dir = sbx_local_home_dir,
    .start = sbx_local_start,
    .stop = sbx_local_stop,
    .submit = sbx_local_submit,
    .read_logs = sbx_local_read_logs,
    .kill_run = sbx_local_kill_run,
    .file_list = sbx_local_file_list,
    .file_stat = sbx_local_file_stat,
    .file_search = sbx_local_file_search,
    .file_find = sbx_local_file_find,
    .file_mkdir = sbx_local_file_mkdir,
    .file_remove = sbx_local_file_remove,
    .file_move = sbx_local_file_move,
    .file_permissions = sbx_local_file_permissions,
    .file_replace = sbx_local_file_replace,
    .upload_files = sbx_local_upload_files,
    .upload_tree = sbx_local_upload_tree,
    .download_tree = sbx_local_download_tree,
};

/* ---- options ---- */

static enum sbx_status wrong(struct sbx_error *err, const char *field, const char *expected) {
    return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s: expected %s", field, expected);
}

static int is_program(const char *path) {
    return !path || *path == '/';
}

static enum sbx_status options_check(const struct sbx_local_options *opt, struct sbx_error *err) {
    if (!opt->root) return wrong(err, "root", "a directory for sandboxes"); /* guard: local_explicit_root */
    if (*opt->root != '/' || !opt->root[1]) return wrong(err, "root", "an absolute path");
    if (strlen(opt->root) > ROOT_LEN_MAX) return wrong(err, "root", "at most 700 bytes");
    if (!is_program(opt->shell)) return wrong(err, "shell", "an absolute path");
    if (!is_program(opt->bwrap)) return wrong(err, "bwrap", "an absolute path");
    if (!is_program(opt->nsenter)) return wrong(err, "nsenter", "an absolute path");
    if (opt->isolation < SBX_LOCAL_ISOLATION_DEFAULT || opt->isolation > SBX_LOCAL_ISOLATION_NONE)
        return wrong(err, "isolation", "one of enum sbx_local_isolation");
    if (opt->network < SBX_DEFAULT || opt->network > SBX_NO) return wrong(err, "network", "SBX_YES or SBX_NO");
    if (opt->run_budget_ms < 0) return wrong(err, "run_budget_ms", "0 or more");
    if (opt->sandbox_lifetime_ms < 0) return wrong(err, "sandbox_lifetime_ms", "0 or more");
    return SBX_OK;
}

static char *text_or(const char *text, const char *otherwise) {
    return strdup(text ? text : otherwise);
}

static int options_keep(struct local *l, const struct sbx_local_options *opt) {
    l->root = strdup(opt->root);
    l->shell = text_or(opt->shell, "/bin/sh");
    l->bwrap = text_or(opt->bwrap, "/usr/bin/bwrap");
    l->nsenter = text_or(opt->nsenter, "/usr/bin/nsenter");
    for (size_t len = l->root ? strlen(l->root) : 0; len > 1 && l->root[len - 1] == '/'; len--) l->root[len - 1] = 0;
    l->network = opt->network == SBX_YES;
    l->required = opt->isolation == SBX_LOCAL_ISOLATION_REQUIRED;
    l->run_budget_ms = opt->run_budget_ms ? opt->run_budget_ms : BUDGET_MS;
    l->sandbox_lifetime_ms = opt->sandbox_lifetime_ms;
    return l->root && l->shell && l->bwrap && l->nsenter;
}

/* Nobody else may put anything there: it would be run, or told, as ours. */
static enum sbx_status root_open(const struct local *l, struct sbx_error *err) {
    static const char *const folders[] = {"", "/.names", "/.never"};
    char path[LOCAL_PATH_SIZE];
    struct stat is;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        snprintf(path, sizeof(path), "%s%s", l->root, folders[i]);
        (void)!mkdir(path, 0700);
        if (lstat(path, &is) != 0 || !S_ISDIR(is.st_mode)) return wrong(err, "root", "a directory, or room for one");
        if (is.st_uid != geteuid() || (is.st_mode & 022)) /* guard: local_root_is_ours */
            return wrong(err, "root", "a directory of this user's that nobody else can write to");
    }
    return SBX_OK;
}

static enum sbx_status isolation_open(struct local *l, int32_t wanted, struct sbx_error *err) {
    l->isolated = wanted != SBX_LOCAL_ISOLATION_NONE && sbx_local_box_works(l);
    if (l->required && !l->isolated) /* guard: local_isolation_fails_closed */
        return sbx_fail(err, SBX_UNSUPPORTED, SBX_OUTCOME_NONE,
                        "isolation: expected bubblewrap and nsenter that work, and a user other than root");
    return SBX_OK;
}

enum sbx_status sbx_local_create(const struct sbx_local_options *from, struct sbx_env *env, struct sbx_runtime **out,
                                 struct sbx_error *err) {
    struct sbx_local_options opt = SBX_LOCAL_OPTIONS_INIT;
    struct sbx_runtime_ops ops = local_ops;
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (!from || sbx_options_take(&opt, sizeof(opt), from, sizeof(opt)))
        return wrong(err, from ? "opt.size" : "opt", from ? "sizeof the struct" : "options");
    if (!env) return wrong(err, "env", "one");
    if (!out) return wrong(err, "out", "one");
    enum sbx_status st = options_check(&opt, err);
    if (st) return st;
    struct local *l = calloc(1, sizeof(*l));
    if (!l) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    l->env = env;
    st = options_keep(l, &opt) ? root_open(l, err) : sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    if (!st) st = isolation_open(l, opt.isolation, err);
    if (st) {
        local_free(l);
        return st;
    }
    ops.isolation = l->isolated ? SBX_ISOLATION_NAMESPACE : SBX_ISOLATION_NONE;
    ops.exec_lifetime_ms = l->run_budget_ms;
    return sbx_runtime_create(&ops, l, env, out, err);
}
