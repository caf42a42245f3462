/* Command lines and environments. Nothing of the caller's own environment gets into a sandbox. Row P3. */
#include "adapters/local/process.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_OF_COMMANDS "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* The directory first; descriptor 3 says what went wrong with it, and is closed for whatever runs. */
static const char begin_script[] = "cd -- \"$1\" >/dev/null 2>&1 || { echo cwd >&3; exit 126; }\n"
                                   "shift\n"
                                   "exec \"$@\" 3>&-\n";

static char **texts_room(struct local_texts *texts) {
    if (texts->count + 1 >= texts->room) {
        size_t room = texts->room ? texts->room * 2 : 32;
        char **at = realloc(texts->at, room * sizeof(*at));
        if (!at) return NULL;
        texts->at = at;
        texts->room = room;
    }
    return &texts->at[texts->count];
}

static void texts_take(struct local_texts *texts, char *text) {
    char **at = text ? texts_room(texts) : NULL;
    if (!at) {
        texts->failed = 1;
        free(text);
        return;
    }
    at[0] = text;
    at[1] = NULL;
    texts->count++;
}

void sbx_local_texts_add(struct local_texts *texts, const char *text) {
    texts_take(texts, strdup(text));
}

void sbx_local_texts_set(struct local_texts *texts, const char *name, const char *value) {
    const size_t len = strlen(name);
    char *text = NULL;
    if (asprintf(&text, "%s=%s", name, value) < 0) text = NULL;
    for (size_t i = 0; text && i < texts->count; i++)
        if (strncmp(texts->at[i], name, len) == 0 && texts->at[i][len] == '=') {
            free(texts->at[i]);
            texts->at[i] = text;
            return;
        }
    texts_take(texts, text);
}

void sbx_local_texts_finish(struct local_texts *texts) {
    for (size_t i = 0; i < texts->count; i++) {
        explicit_bzero(texts->at[i], strlen(texts->at[i]));
        free(texts->at[i]);
    }
    free(texts->at);
    memset(texts, 0, sizeof(*texts));
}

/* Into the box's namespaces, as the user that owns them: a user of no privilege in there. */
static void put_nsenter(const struct local *l, const struct local_view *view, struct local_texts *args) {
    static const char *const spaces[] = {"--user", "--mount", "--pid", "--ipc", "--uts"};
    char pid[24];
    snprintf(pid, sizeof(pid), "%lld", (long long)view->is.box.pid);
    sbx_local_texts_add(args, l->nsenter);
    sbx_local_texts_add(args, "--target");
    sbx_local_texts_add(args, pid);
    for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) sbx_local_texts_add(args, spaces[i]);
    if (!view->network) sbx_local_texts_add(args, "--net");
    sbx_local_texts_add(args, "--preserve-credentials");
    sbx_local_texts_add(args, "--");
}

void sbx_local_args_of(const struct local *l, const struct local_view *view, const struct local_order *order,
                       struct local_texts *args) {
    struct sbx_buf cwd = SBX_BUF_INIT;
    if (!order->cwd || *order->cwd != '/') sbx_buf_text_append(&cwd, view->home);
    if (order->cwd) sbx_buf_printf(&cwd, "%s%s", *order->cwd == '/' ? "" : "/", order->cwd);
    if (view->isolated) put_nsenter(l, view, args);
    sbx_local_texts_add(args, "/bin/sh");
    sbx_local_texts_add(args, "-c");
    sbx_local_texts_add(args, begin_script);
    sbx_local_texts_add(args, "sbx");
    sbx_local_texts_add(args, sbx_buf_text(&cwd));
    for (size_t i = 0; i < LOCAL_ARGS_MAX && order->args[i]; i++) sbx_local_texts_add(args, order->args[i]);
    if (cwd.failed) args->failed = 1;
    sbx_buf_finish(&cwd);
}

void sbx_local_vars_of(const struct local *l, const struct local_view *view, const struct local_order *order,
                       struct local_texts *vars) {
    char mark[LOCAL_PATH_SIZE + 64], tmp[LOCAL_PATH_SIZE] = "/tmp";
    snprintf(mark, sizeof(mark), "%s/%s", l->root, view->id);
    if (!view->isolated) (void)!sbx_local_path(l, view->id, "tmp", tmp);
    sbx_local_texts_set(vars, "SANDPORT_LOCAL", mark);
    sbx_local_texts_set(vars, "PATH", PATH_OF_COMMANDS);
    sbx_local_texts_set(vars, "HOME", view->home);
    sbx_local_texts_set(vars, "TMPDIR", tmp);
    sbx_local_texts_set(vars, "LC_ALL", order->with_env ? "C.UTF-8" : "C"); /* the words of our own tools are read */
    if (order->with_env)
        for (const struct sbx_json_node *one = sbx_json_first(view->env); one; one = sbx_json_next(one))
            sbx_local_texts_set(vars, sbx_json_key(one), sbx_json_as_string(view->record, one));
    for (size_t i = 0; i < order->var_count; i++) sbx_local_texts_set(vars, order->vars[i].name, order->vars[i].value);
    sbx_local_texts_set(vars, "SANDPORT_LOCAL", mark); /* whatever was asked for */
}
