/* The toy runtime: directories as sandboxes, a file for each thing to remember. */
#include "toy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sandport/kit/text.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct toy {
    struct toy_options *opt;
    struct sbx_env *env;
};

static int toy_path(const struct toy *toy, const char *id, const char *name, char *out) {
    int n = snprintf(out, 1024, "%s/%s/%s", toy->opt->root, id, name);
    return n > 0 && n < 1024;
}

static int toy_write(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (!f) return 0;
    int ok = fputs(text, f) >= 0;
    return fclose(f) == 0 && ok;
}

static void toy_read(const char *path, struct sbx_buf *out) {
    char piece[4096];
    FILE *f = fopen(path, "r");
    if (!f) return;
    for (size_t n; (n = fread(piece, 1, sizeof(piece), f)) > 0;) sbx_buf_append(out, piece, n);
    fclose(f);
}

static enum sbx_status toy_gone(struct sbx_error *err) {
    return sbx_fail(err, SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, "id: no such directory");
}

static int toy_exists(const struct toy *toy, const char *id) {
    char path[1024];
    return toy_path(toy, id, "state", path) && access(path, F_OK) == 0;
}

static enum sbx_status toy_launch(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                                  struct sbx_identity *out, struct sbx_error *err) {
    struct toy *toy = self;
    struct sbx_buf labels = SBX_BUF_INIT;
    char path[1024];
    (void)call;
    toy->opt->calls++;
    snprintf(path, sizeof(path), "%s/%s", toy->opt->root, opt->acquisition);
    if (mkdir(path, 0700)) return sbx_fail(err, SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED, "acquisition: in use");
    sbx_copy(out->id, sizeof(out->id), opt->acquisition);
    out->state = SBX_STATE_RUNNING;
    for (size_t i = 0; i < opt->label_count; i++)
        sbx_buf_printf(&labels, "%s=%s\n", opt->labels[i].name, opt->labels[i].value);
    int ok = toy_path(toy, out->id, "labels", path) && toy_write(path, sbx_buf_text(&labels)) &&
             toy_path(toy, out->id, "state", path) && toy_write(path, "2");
    sbx_buf_finish(&labels);
    return ok ? SBX_OK : sbx_fail(err, SBX_NO_SPACE, SBX_OUTCOME_DONE, NULL);
}

static struct sbx_info *toy_info_of(struct toy *toy, const char *id) {
    struct sbx_info_draft draft = {.size = sizeof(draft), .id = id, .acquisition = id};
    struct sbx_buf state = SBX_BUF_INIT, labels = SBX_BUF_INIT;
    struct sbx_pair pairs[16];
    char path[1024];
    if (toy_path(toy, id, "state", path)) toy_read(path, &state);
    if (toy_path(toy, id, "labels", path)) toy_read(path, &labels);
    draft.state = atoi(sbx_buf_text(&state));
    for (char *line = labels.data, *end; line && (end = strchr(line, '\n')) && draft.label_count < 16; line = end + 1) {
        char *is = strchr(line, '=');
        *end = 0;
        if (!is) continue;
        *is = 0;
        pairs[draft.label_count++] = (struct sbx_pair){line, is + 1};
    }
    draft.labels = pairs;
    draft.read_ms = toy->env->now_ms(toy->env);
    struct sbx_info *info = sbx_info_create(&draft);
    sbx_buf_finish(&state);
    sbx_buf_finish(&labels);
    return info;
}

static enum sbx_status toy_info(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                struct sbx_info **out, struct sbx_error *err) {
    struct toy *toy = self;
    (void)call;
    toy->opt->calls++;
    if (!toy_exists(toy, who->id)) return toy_gone(err);
    struct sbx_info *info = toy_info_of(toy, who->id);
    if (!info) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    *out = info;
    return SBX_OK;
}

static enum sbx_status toy_attach(void *self, const char *id, const struct sbx_call *call, struct sbx_identity *out,
                                  struct sbx_error *err) {
    struct toy *toy = self;
    (void)call;
    toy->opt->calls++;
    if (!toy_exists(toy, id)) return toy_gone(err);
    sbx_copy(out->id, sizeof(out->id), id);
    out->state = SBX_STATE_RUNNING;
    return SBX_OK;
}

static void toy_remove(const struct toy *toy, const char *id) {
    char path[1024], dir[1024];
    snprintf(dir, sizeof(dir), "%s/%s", toy->opt->root, id);
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.' && toy_path(toy, id, e->d_name, path)) unlink(path);
    if (d) closedir(d);
    rmdir(dir);
}

static enum sbx_status toy_destroy(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                   struct sbx_error *err) {
    struct toy *toy = self;
    (void)call;
    toy->opt->calls++;
    if (toy->opt->fail_destroy-- > 0) return sbx_fail(err, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, "asked to fail");
    toy_remove(toy, who->id);
    return SBX_OK;
}

static int toy_matches(const struct sbx_info *info, const struct sbx_query *query) {
    for (size_t i = 0; i < query->label_count; i++) {
        const char *value = sbx_info_label(info, query->labels[i].name);
        if (!value || strcmp(value, query->labels[i].value) != 0) return 0;
    }
    return 1;
}

static enum sbx_status toy_find(void *self, const struct sbx_query *query, const struct sbx_call *call,
                                struct sbx_list *into, struct sbx_error *err) {
    struct toy *toy = self;
    enum sbx_status st = SBX_OK;
    DIR *d = opendir(toy->opt->root);
    (void)call;
    toy->opt->calls++;
    for (struct dirent *e; d && !st && (e = readdir(d));) {
        struct sbx_info *info = sbx_is_hex(e->d_name, 32) ? toy_info_of(toy, e->d_name) : NULL;
        if (info && toy_matches(info, query)) st = sbx_list_take(into, &info);
        sbx_info_free(info);
    }
    if (d) closedir(d);
    return st ? sbx_fail(err, st, SBX_OUTCOME_NONE, NULL) : SBX_OK;
}

static enum sbx_status toy_count(void *self, const struct sbx_query *query, const struct sbx_call *call, int64_t *out,
                                 struct sbx_error *err) {
    struct toy *toy = self;
    int64_t n = 0;
    DIR *d = opendir(toy->opt->root);
    (void)call;
    (void)err;
    toy->opt->calls++;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct sbx_info *info = sbx_is_hex(e->d_name, 32) ? toy_info_of(toy, e->d_name) : NULL;
        if (info && toy_matches(info, query)) n++;
        sbx_info_free(info);
    }
    if (d) closedir(d);
    *out = n;
    return SBX_OK;
}

static int toy_run(const struct toy *toy, const char *id, const char *command, int *status) {
    char dir[1024], out[1024], err[1024];
    char sh[] = "sh", dash_c[] = "-c", search[] = "PATH=/usr/bin:/bin";
    char *argv[] = {sh, dash_c, NULL, NULL};
    char *env[] = {search, NULL};
    posix_spawn_file_actions_t files;
    pid_t pid = 0;
    struct sbx_buf copy = SBX_BUF_INIT;
    snprintf(dir, sizeof(dir), "%s/%s", toy->opt->root, id);
    sbx_buf_text_append(&copy, command);
    argv[2] = copy.data;
    if (!toy_path(toy, id, "out", out) || !toy_path(toy, id, "err", err) || !copy.data) return 0;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addchdir_np(&files, dir);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&files, 2, err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int ok = posix_spawn(&pid, "/bin/sh", &files, NULL, argv, env) == 0 && waitpid(pid, status, 0) == pid;
    posix_spawn_file_actions_destroy(&files);
    sbx_buf_finish(&copy);
    return ok;
}

static enum sbx_status toy_exec(void *self, const struct sbx_identity *who, const char *command,
                                const struct sbx_exec_options *opt, const struct sbx_call *call,
                                struct sbx_exec_result *result, struct sbx_error *err) {
    struct toy *toy = self;
    struct sbx_buf out = SBX_BUF_INIT, bad = SBX_BUF_INIT;
    char path[1024];
    int status = 0;
    (void)call;
    toy->opt->calls++;
    if (!toy_exists(toy, who->id)) return toy_gone(err);
    if (!toy_run(toy, who->id, command, &status)) return sbx_fail(err, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, NULL);
    if (toy_path(toy, who->id, "out", path)) toy_read(path, &out);
    if (toy_path(toy, who->id, "err", path)) toy_read(path, &bad);
    size_t max = (size_t)opt->output_bytes_max;
    const struct sbx_exec_draft draft = {.size = sizeof(draft),
                                         .exit_known = 1,
                                         .exit_code =
                                             WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
                                         .out = sbx_buf_text(&out),
                                         .out_len = out.len < max ? out.len : max,
                                         .out_total = out.len,
                                         .err = sbx_buf_text(&bad),
                                         .err_len = bad.len < max ? bad.len : max,
                                         .err_total = bad.len,
                                         .bytes_exact = 1};
    enum sbx_status st = sbx_exec_result_set(result, &draft);
    sbx_buf_finish(&out);
    sbx_buf_finish(&bad);
    return st ? sbx_fail(err, st, SBX_OUTCOME_DONE, NULL) : SBX_OK;
}

static enum sbx_status toy_upload(void *self, const struct sbx_identity *who, const char *path,
                                  const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                  const struct sbx_call *call, struct sbx_error *err) {
    struct toy *toy = self;
    char full[1024], piece[4096];
    ptrdiff_t n = 0;
    (void)opt;
    (void)call;
    toy->opt->calls++;
    FILE *f = toy_path(toy, who->id, path, full) ? fopen(full, "w") : NULL;
    if (!f) return sbx_fail(err, SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, "path: cannot be written");
    while ((n = from->read(from->ctx, piece, sizeof(piece))) > 0) fwrite(piece, 1, (size_t)n, f);
    int ok = fclose(f) == 0 && n == 0;
    return ok ? SBX_OK : sbx_fail(err, SBX_STREAM, SBX_OUTCOME_UNKNOWN, NULL);
}

static enum sbx_status toy_download(void *self, const struct sbx_identity *who, const char *path,
                                    const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                    const struct sbx_call *call, struct sbx_error *err) {
    struct toy *toy = self;
    char full[1024], piece[4096];
    int stopped = 0;
    (void)opt;
    (void)call;
    toy->opt->calls++;
    FILE *f = toy_path(toy, who->id, path, full) ? fopen(full, "r") : NULL;
    if (!f) return sbx_fail(err, SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED, "path: no such file");
    for (size_t n; !stopped && (n = fread(piece, 1, sizeof(piece), f)) > 0;) stopped = to->write(to->ctx, piece, n);
    fclose(f);
    return stopped ? sbx_fail(err, SBX_STREAM, SBX_OUTCOME_NONE, NULL) : SBX_OK;
}

static enum sbx_status toy_home_dir(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                    struct sbx_buf *out, struct sbx_error *err) {
    struct toy *toy = self;
    (void)call;
    toy->opt->calls++;
    if (!toy_exists(toy, who->id)) return toy_gone(err);
    sbx_buf_printf(out, "%s/%s", toy->opt->root, who->id);
    return sbx_buf_status(out);
}

static enum sbx_status toy_start(void *self, struct sbx_identity *who, const struct sbx_start_options *opt,
                                 const struct sbx_call *call, struct sbx_start_result *result, struct sbx_error *err) {
    struct toy *toy = self;
    char path[1024];
    (void)call;
    toy->opt->calls++;
    if (toy->opt->dead_at_start && opt->replace == SBX_NO) return sbx_fail(err, SBX_NOT_READY, SBX_OUTCOME_DONE, NULL);
    if (toy->opt->dead_at_start) {
        sbx_copy(result->old_id, sizeof(result->old_id), who->id);
        result->replaced = result->old_deleted = result->lost_files = 1;
        toy_remove(toy, who->id);
        const struct sbx_launch_options fresh = {.size = sizeof(fresh),
                                                 .acquisition = "ffffffffffffffffffffffffffffffff"};
        return toy_launch(self, &fresh, call, who, err);
    }
    who->state = SBX_STATE_RUNNING;
    return toy_path(toy, who->id, "state", path) && toy_write(path, "2") ? SBX_OK : toy_gone(err);
}

static enum sbx_status toy_stop(void *self, struct sbx_identity *who, const struct sbx_stop_options *opt,
                                const struct sbx_call *call, struct sbx_error *err) {
    struct toy *toy = self;
    char path[1024];
    (void)opt;
    (void)call;
    toy->opt->calls++;
    who->state = SBX_STATE_STOPPED;
    return toy_path(toy, who->id, "state", path) && toy_write(path, "4") ? SBX_OK : toy_gone(err);
}

static void toy_free(void *self) {
    free(self);
}

enum sbx_status toy_create(struct toy_options *opt, struct sbx_env *env, struct sbx_runtime **out,
                           struct sbx_error *err) {
    const struct sbx_runtime_ops ops = {
        .size = sizeof(ops),
        .provider = "toy",
        .caps = SBX_CAP_REATTACH | SBX_CAP_LABEL_SEARCH | SBX_CAP_LIFECYCLE | SBX_CAP_EXEC | SBX_CAP_FILE_TRANSFER |
                SBX_CAP_HOME_DIR | opt->caps_more,
        .isolation = SBX_ISOLATION_NONE,
        .free = toy_free,
        .launch = toy_launch,
        .info = toy_info,
        .destroy = toy_destroy,
        .attach = toy_attach,
        .find = toy_find,
        .count = toy_count,
        .exec = toy_exec,
        .upload = toy_upload,
        .download = toy_download,
        .home_dir = toy_home_dir,
        .start = toy_start,
        .stop = toy_stop,
    };
    struct toy *toy = calloc(1, sizeof(*toy));
    if (!toy) return SBX_NO_MEMORY;
    toy->opt = opt;
    toy->env = env;
    return sbx_runtime_create(&ops, toy, env, out, err);
}
