/* The toy runtime: directories as sandboxes, a file for each thing to remember. */
#include "toy_parts.h"

#include <dirent.h>
#include <ftw.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int toy_path(const struct toy *toy, const char *id, const char *name, char out[1024]) {
    int n = *name == '/' ? snprintf(out, 1024, "%s", name) : snprintf(out, 1024, "%s/%s/%s", toy->opt->root, id, name);
    return n > 0 && n < 1024;
}

int toy_file_write(const char *path, const char *text, size_t len) {
    FILE *f = fopen(path, "w");
    if (!f) return 0;
    int ok = fwrite(text, 1, len, f) == len;
    return fclose(f) == 0 && ok;
}

void toy_file_read(const char *path, struct sbx_buf *out) {
    char piece[4096];
    FILE *f = fopen(path, "r");
    if (!f) return;
    for (size_t n; (n = fread(piece, 1, sizeof(piece), f)) > 0;) sbx_buf_append(out, piece, n);
    fclose(f);
}

static int toy_note(const struct toy *toy, const char *id, const char *name, const char *text) {
    char path[1024];
    return toy_path(toy, id, name, path) && toy_file_write(path, text, strlen(text));
}

enum sbx_status toy_gone(struct sbx_error *err) {
    return sbx_fail(err, SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, "id: no such directory");
}

int toy_exists(const struct toy *toy, const char *id) {
    char path[1024];
    return toy_path(toy, id, "state", path) && access(path, F_OK) == 0;
}

static int remove_one(const char *path, const struct stat *is, int type, struct FTW *at) {
    (void)is, (void)type, (void)at;
    return remove(path);
}

static void toy_remove(const struct toy *toy, const char *id) {
    char dir[1024];
    toy_kill(toy, id);
    if (toy_path(toy, id, "", dir)) (void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* What a launch that failed has made is looked for and removed. */
static enum sbx_status launch_failed(struct toy *toy, const char *id, enum sbx_status st, const struct sbx_call *call,
                                     struct sbx_error *err) {
    struct sbx_call cleanup;
    int made = toy_exists(toy, id);
    err->cleanup = SBX_CLEANUP_UNCONFIRMED;
    if (!sbx_call_for_cleanup(call, toy->env, &cleanup)) return st;
    toy_remove(toy, id);
    err->cleanup = SBX_CLEANUP_CONFIRMED;
    if (made) err->outcome = SBX_OUTCOME_DONE;
    return st;
}

static enum sbx_status toy_launch(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                                  struct sbx_identity *out, struct sbx_error *err) {
    struct toy *toy = self;
    struct sbx_buf labels = SBX_BUF_INIT;
    char path[1024];
    enum sbx_status st = toy_request(toy, "launch", err);
    if (st) return launch_failed(toy, opt->acquisition, st, call, err);
    snprintf(path, sizeof(path), "%s/%s", toy->opt->root, opt->acquisition);
    if (mkdir(path, 0700)) return sbx_fail(err, SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED, "acquisition: in use");
    (void)!sbx_copy(out->id, sizeof(out->id), opt->acquisition);
    out->state = SBX_STATE_RUNNING;
    for (size_t i = 0; i < opt->label_count; i++)
        sbx_buf_printf(&labels, "%s=%s\n", opt->labels[i].name, opt->labels[i].value);
    int ok = toy_note(toy, out->id, "labels", sbx_buf_text(&labels)) && toy_note(toy, out->id, "state", "2");
    sbx_buf_finish(&labels);
    st = ok ? toy_answer(toy, "launch", call, err) : sbx_fail(err, SBX_NO_SPACE, SBX_OUTCOME_DONE, NULL);
    return st ? launch_failed(toy, out->id, st, call, err) : SBX_OK;
}

static struct sbx_info *toy_info_of(struct toy *toy, const char *id) {
    struct sbx_info_draft draft = {.size = sizeof(draft), .id = id, .acquisition = id};
    struct sbx_buf state = SBX_BUF_INIT, labels = SBX_BUF_INIT;
    struct sbx_pair pairs[16];
    char path[1024];
    if (toy_path(toy, id, "state", path)) toy_file_read(path, &state);
    if (toy_path(toy, id, "labels", path)) toy_file_read(path, &labels);
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
    enum sbx_status st = toy_read(toy, "info", call, err);
    if (st) return st;
    if (!toy_exists(toy, who->id)) return toy_gone(err);
    struct sbx_info *info = toy_info_of(toy, who->id);
    if (!info) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    *out = info;
    return SBX_OK;
}

static enum sbx_status toy_attach(void *self, const char *id, const struct sbx_call *call, struct sbx_identity *out,
                                  struct sbx_error *err) {
    struct toy *toy = self;
    enum sbx_status st = toy_read(toy, "attach", call, err);
    if (st) return st;
    if (!toy_exists(toy, id)) return toy_gone(err);
    sbx_copy(out->id, sizeof(out->id), id);
    out->state = SBX_STATE_RUNNING;
    return SBX_OK;
}

static enum sbx_status toy_destroy(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                   struct sbx_error *err) {
    struct toy *toy = self;
    enum sbx_status st = SBX_OK;
    int tries = 0;
    do {
        st = toy_request(toy, "destroy", err);
        if (st) return st;
        if (toy->opt->fail_destroy-- > 0) return sbx_fail(err, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, "asked to fail");
        toy_remove(toy, who->id);
        st = toy_answer(toy, "destroy", call, err);
    } while (toy_again(st, &tries));
    return st;
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
    enum sbx_status st = toy_read(toy, "find", call, err);
    if (st) return st;
    DIR *d = opendir(toy->opt->root);
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
    enum sbx_status st = toy_read(toy, "count", call, err);
    if (st) return st;
    DIR *d = opendir(toy->opt->root);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct sbx_info *info = sbx_is_hex(e->d_name, 32) ? toy_info_of(toy, e->d_name) : NULL;
        if (info && toy_matches(info, query)) n++;
        sbx_info_free(info);
    }
    if (d) closedir(d);
    *out = n;
    return SBX_OK;
}

/* It knows its slots, and not what a sandbox holds. */
static enum sbx_status toy_capacity(void *self, uint32_t wanted, const struct sbx_call *call, struct sbx_usage *usage,
                                    struct sbx_error *err) {
    const struct sbx_query everything = SBX_QUERY_INIT;
    const uint32_t slots = UINT32_C(1) << SBX_RESOURCE_SANDBOXES;
    int64_t n = 0;
    if (!(wanted & slots)) return SBX_OK;
    enum sbx_status st = toy_count(self, &everything, call, &n, err);
    if (st) return st;
    usage->measured = slots;
    usage->used[SBX_RESOURCE_SANDBOXES] = (double)n;
    return SBX_OK;
}

static enum sbx_status toy_home_dir(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                    struct sbx_buf *out, struct sbx_error *err) {
    struct toy *toy = self;
    enum sbx_status st = toy_read(toy, "home_dir", call, err);
    if (st) return st;
    if (!toy_exists(toy, who->id)) return toy_gone(err);
    sbx_buf_printf(out, "%s/%s", toy->opt->root, who->id);
    return sbx_buf_status(out);
}

/* Both may be asked for twice. */
static enum sbx_status change(struct toy *toy, const char *op, struct sbx_identity *who, int32_t state,
                              const struct sbx_call *call, struct sbx_error *err) {
    char text[16];
    int tries = 0;
    enum sbx_status st = SBX_OK;
    snprintf(text, sizeof(text), "%d", state);
    do {
        st = toy_request(toy, op, err);
        if (st) return st;
        if (!toy_exists(toy, who->id)) return toy_gone(err);
        if (!toy_note(toy, who->id, "state", text)) return sbx_fail(err, SBX_NO_SPACE, SBX_OUTCOME_UNKNOWN, NULL);
        if (state == SBX_STATE_STOPPED) toy_kill(toy, who->id);
        st = toy_answer(toy, op, call, err);
    } while (toy_again(st, &tries));
    if (!st) who->state = state;
    return st;
}

static enum sbx_status toy_start(void *self, struct sbx_identity *who, const struct sbx_start_options *opt,
                                 const struct sbx_call *call, struct sbx_start_result *result, struct sbx_error *err) {
    struct toy *toy = self;
    if (!toy->opt->dead_at_start) return change(toy, "start", who, SBX_STATE_RUNNING, call, err);
    if (opt->replace == SBX_NO) return sbx_fail(err, SBX_NOT_READY, SBX_OUTCOME_DONE, NULL);
    (void)!sbx_copy(result->old_id, sizeof(result->old_id), who->id);
    result->replaced = result->old_deleted = result->lost_files = 1;
    toy_remove(toy, who->id);
    const struct sbx_launch_options fresh = {.size = sizeof(fresh), .acquisition = "ffffffffffffffffffffffffffffffff"};
    return toy_launch(self, &fresh, call, who, err);
}

static enum sbx_status toy_stop(void *self, struct sbx_identity *who, const struct sbx_stop_options *opt,
                                const struct sbx_call *call, struct sbx_error *err) {
    (void)opt;
    return change(self, "stop", who, SBX_STATE_STOPPED, call, err);
}

static void toy_free(void *self) {
    toy_shells_end(self);
    free(self);
}

#define PLAIN                                                                                                          \
    (SBX_CAP_REATTACH | SBX_CAP_LABEL_SEARCH | SBX_CAP_LIFECYCLE | SBX_CAP_EXEC | SBX_CAP_FILE_TRANSFER |              \
     SBX_CAP_HOME_DIR)
#define RICH (SBX_CAP_ASYNC_EXEC | SBX_CAP_STREAMING_OUTPUT | SBX_CAP_SESSIONS | SBX_CAP_CAPACITY)

enum sbx_status toy_create(struct toy_options *opt, struct sbx_env *env, struct sbx_runtime **out,
                           struct sbx_error *err) {
    struct sbx_runtime_ops ops = {
        .size = sizeof(ops),
        .provider = "toy",
        .caps = PLAIN | (opt->rich ? RICH : 0) | opt->caps_more,
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
    if (opt->rich) {
        ops.capacity = toy_capacity;
        ops.submit = toy_submit;
        ops.read_logs = toy_read_logs;
        ops.kill_run = toy_kill_run;
        ops.session_open = toy_session_open;
        ops.session_exec = toy_session_exec;
        ops.session_close = toy_session_close;
    }
    return sbx_runtime_create(&ops, toy, env, out, err);
}
