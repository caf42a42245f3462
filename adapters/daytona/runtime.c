/* One Daytona account as a runtime: its options, its table. Rows P1, P3, P5, P6. */
#include "adapters/daytona/verbs.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_WINDOW_MS   30000
#define CREATE_HORIZON_MS 60000

void sbx_daytona_options_init(struct sbx_daytona_options *opt, size_t size) {
    sbx_options_init(opt, size);
}

static void daytona_free(void *self) {
    struct daytona *d = self;
    if (!d) return;
    if (d->key) explicit_bzero(d->key, strlen(d->key));
    if (d->bearer) explicit_bzero(d->bearer, strlen(d->bearer));
    sbx_exact_receipts_free(d->receipts);
    free(d->endpoint);
    free(d->key);
    free(d->bearer);
    free(d->organization);
    free(d->snapshot);
    free(d->target);
    free(d);
}

static const struct sbx_runtime_ops daytona_ops = {
    .size = sizeof(struct sbx_runtime_ops),
    .provider = "daytona",
    .caps = SBX_CAP_DETACHED_LAUNCH | SBX_CAP_REATTACH | SBX_CAP_LABEL_SEARCH | SBX_CAP_LIFECYCLE | SBX_CAP_RECONCILE |
            SBX_CAP_EXEC | SBX_CAP_FILE_TRANSFER | SBX_CAP_HOME_DIR | SBX_CAP_LAUNCH_NETWORK | SBX_CAP_LAUNCH_VOLUMES |
            SBX_CAP_LAUNCH_INTERVALS | SBX_CAP_ASYNC_EXEC | SBX_CAP_STREAMING_OUTPUT | SBX_CAP_SESSIONS |
            SBX_CAP_FILES | SBX_CAP_CAPACITY,
    .isolation = SBX_ISOLATION_CONTAINER,
    .free = daytona_free,
    .launch = daytona_launch,
    .info = daytona_info,
    .destroy = daytona_destroy,
    .launch_detached = daytona_launch_detached,
    .attach = daytona_attach,
    .find = daytona_find,
    .count = daytona_count,
    .capacity = daytona_capacity,
    .reconcile = daytona_reconcile,
    .exec = daytona_exec,
    .upload = daytona_upload,
    .download = daytona_download,
    .home_dir = daytona_home_dir,
    .start = daytona_start,
    .stop = daytona_stop,
    .submit = daytona_submit,
    .read_logs = daytona_read_logs,
    .kill_run = daytona_kill_run,
    .session_open = daytona_session_open,
    .session_exec = daytona_session_exec,
    .session_close = daytona_session_close,
    .file_list = daytona_file_list,
    .file_stat = daytona_file_stat,
    .file_search = daytona_file_search,
    .file_find = daytona_file_find,
    .file_mkdir = daytona_file_mkdir,
    .file_remove = daytona_file_remove,
    .file_move = daytona_file_move,
    .file_permissions = daytona_file_permissions,
    .file_replace = daytona_file_replace,
    .upload_files = daytona_upload_files,
    .upload_tree = daytona_upload_tree,
    .download_tree = daytona_download_tree,
};

/* ---- options ---- */

static enum sbx_status wrong(struct sbx_error *err, const char *field, const char *expected) {
    (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s: expected %s", field, expected);
    return SBX_INVALID_ARGUMENT;
}

/* Three parts with dots between. */
static int is_jwt(const char *key) {
    const char *first = strchr(key, '.'), *second = first ? strchr(first + 1, '.') : NULL;
    return second && first > key && second > first + 1 && second[1] && !strchr(second + 1, '.');
}

static enum sbx_status options_check(const struct sbx_daytona_options *opt, struct sbx_error *err) {
    if (!opt->endpoint)
        return wrong(err, "endpoint", "one, for example SBX_DAYTONA_ENDPOINT"); /* guard: explicit_arguments */
    if (!sbx_url_is_base(opt->endpoint))
        return wrong(err, "endpoint", "an absolute http or https URL without credentials");
    if (!opt->api_key) return wrong(err, "api_key", "one");
    if (!sbx_is_credential(opt->api_key)) return wrong(err, "api_key", "printable ASCII without spaces");
    if (opt->organization_id && !sbx_is_credential(opt->organization_id)) return wrong(err, "organization_id", "an id");
    if (opt->organization_id && !is_jwt(opt->api_key)) /* an API key has its organisation; Daytona refuses another */
        return wrong(err, "organization_id", "NULL unless api_key is a JWT");
    if (!opt->organization_id && is_jwt(opt->api_key)) /* a JWT is a person's, who may be in several */
        return wrong(err, "organization_id", "one beside a JWT");
    if (opt->snapshot && !*opt->snapshot) return wrong(err, "snapshot", "a name");
    if (opt->target && !*opt->target) return wrong(err, "target", "a region");
    if (opt->recreate_on_failed_start < SBX_DEFAULT || opt->recreate_on_failed_start > SBX_NO)
        return wrong(err, "recreate_on_failed_start", "SBX_DEFAULT, SBX_YES or SBX_NO");
    if (opt->probe_window_ms < 0) return wrong(err, "probe_window_ms", "0 or more");
    if (opt->create_horizon_ms < 0) return wrong(err, "create_horizon_ms", "0 or more");
    return SBX_OK;
}

/* @return 0 when memory runs out */
static int text_keep(char **to, const char *text) {
    if (!text) return 1;
    *to = strdup(text);
    return *to != NULL;
}

static int options_keep(struct daytona *d, const struct sbx_daytona_options *opt) {
    struct sbx_buf bearer = SBX_BUF_INIT;
    sbx_buf_printf(&bearer, "Bearer %s", opt->api_key);
    d->bearer = sbx_buf_take(&bearer, NULL);
    if (!d->bearer || !text_keep(&d->endpoint, opt->endpoint) || !text_keep(&d->key, opt->api_key)) return 0;
    if (!text_keep(&d->organization, opt->organization_id) || !text_keep(&d->snapshot, opt->snapshot)) return 0;
    if (!text_keep(&d->target, opt->target)) return 0;
    for (size_t len = strlen(d->endpoint); len && d->endpoint[len - 1] == '/'; len--) d->endpoint[len - 1] = 0;
    d->recreate = opt->recreate_on_failed_start == SBX_NO ? SBX_NO : SBX_YES;
    d->probe_window_ms = opt->probe_window_ms ? opt->probe_window_ms : PROBE_WINDOW_MS;
    d->create_horizon_ms = opt->create_horizon_ms ? opt->create_horizon_ms : CREATE_HORIZON_MS;
    d->debug = opt->debug;
    d->debug_ctx = opt->debug_ctx;
    d->receipts = sbx_exact_receipts_create(d->env);
    return d->receipts != NULL;
}

enum sbx_status sbx_daytona_create(const struct sbx_daytona_options *from, struct sbx_env *env,
                                   struct sbx_runtime **out, struct sbx_error *err) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (!from || sbx_options_take(&opt, sizeof(opt), from, sizeof(opt)))
        return wrong(err, from ? "opt.size" : "opt", from ? "sizeof the struct" : "options");
    if (!env) return wrong(err, "env", "one");
    if (!out) return wrong(err, "out", "one");
    enum sbx_status st = options_check(&opt, err);
    if (st) return st;
    struct daytona *d = calloc(1, sizeof(*d));
    if (!d) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    d->env = env;
    if (!options_keep(d, &opt)) {
        daytona_free(d);
        return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    }
    return sbx_runtime_create(&daytona_ops, d, env, out, err);
}
