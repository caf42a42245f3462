/* One E2B account as a runtime: its options, its table. Rows E1-E4, P1, P3, P5, P6. */
#include "adapters/e2b/life.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUDGET_MS         (30 * 60 * 1000)
#define PROBE_WINDOW_MS   30000
#define CREATE_HORIZON_MS 75000 /* the API's own longest answer */

void sbx_e2b_options_init(struct sbx_e2b_options *opt, size_t size) {
    sbx_options_init(opt, size);
}

static void e2b_free(void *self) {
    struct e2b *e = self;
    if (!e) return;
    if (e->key) explicit_bzero(e->key, strlen(e->key));
    sbx_exact_receipts_free(e->receipts);
    e2b_lives_free(e->lives);
    free(e->endpoint);
    free(e->key);
    free(e->sandbox_url);
    free(e->template_id);
    free(e);
}

/* Detached launch, a terminal and sessions are not declared: the first does not exist, the others are not there yet. */
static const struct sbx_runtime_ops e2b_ops = {
    .size = sizeof(struct sbx_runtime_ops),
    .provider = "e2b",
    .caps = SBX_CAP_REATTACH | SBX_CAP_LABEL_SEARCH | SBX_CAP_LIFECYCLE | SBX_CAP_PAUSE_KEEPS_MEMORY |
            SBX_CAP_RECONCILE | SBX_CAP_EXEC | SBX_CAP_FILE_TRANSFER | SBX_CAP_HOME_DIR | SBX_CAP_ASYNC_EXEC |
            SBX_CAP_STREAMING_OUTPUT | SBX_CAP_FILES | SBX_CAP_CAPACITY,
    .isolation = SBX_ISOLATION_VM,
    .free = e2b_free,
    .launch = e2b_launch,
    .info = e2b_info,
    .destroy = e2b_destroy,
    .attach = e2b_attach,
    .find = e2b_find,
    .count = e2b_count,
    .capacity = e2b_capacity,
    .reconcile = e2b_reconcile,
    .exec = e2b_exec,
    .upload = e2b_upload,
    .download = e2b_download,
    .home_dir = e2b_home_dir,
    .start = e2b_start,
    .stop = e2b_stop,
    .submit = e2b_submit,
    .read_logs = e2b_read_logs,
    .kill_run = e2b_kill_run,
    .file_list = e2b_file_list,
    .file_stat = e2b_file_stat,
    .file_search = e2b_file_search,
    .file_find = e2b_file_find,
    .file_mkdir = e2b_file_mkdir,
    .file_remove = e2b_file_remove,
    .file_move = e2b_file_move,
    .file_permissions = e2b_file_permissions,
    .file_replace = e2b_file_replace,
    .upload_files = e2b_upload_files,
    .upload_tree = e2b_upload_tree,
    .download_tree = e2b_download_tree,
};

/* ---- options ---- */

static enum sbx_status wrong(struct sbx_error *err, const char *field, const char *expected) {
    (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s: expected %s", field, expected);
    return SBX_INVALID_ARGUMENT;
}

/* With an id in its place it must be an address; and none by which a credential goes in the open where the API is not.
 */
static int is_sandbox_url(const char *url, const char *endpoint) {
    char one[SBX_ADDRESS_SIZE];
    const char *place = strstr(url, "{id}");
    int n = snprintf(one, sizeof(one), "%.*s%s%s", (int)(place ? place - url : SBX_ADDRESS_SIZE), url,
                     place ? "id" : "", place ? place + 4 : "");
    if (n < 0 || n >= (int)(sizeof(one) - SBX_ID_SIZE) || !sbx_url_is_base(one)) return 0;
    return strncmp(endpoint, "https://", 8) != 0 || strncmp(url, "https://", 8) == 0;
}

static enum sbx_status options_check(const struct sbx_e2b_options *opt, struct sbx_error *err) {
    if (!opt->endpoint)
        return wrong(err, "endpoint", "one, for example SBX_E2B_ENDPOINT"); /* guard: e2b_explicit_arguments */
    if (!sbx_url_is_base(opt->endpoint))
        return wrong(err, "endpoint", "an absolute http or https URL without credentials");
    if (!opt->api_key) return wrong(err, "api_key", "one");
    if (!sbx_is_credential(opt->api_key)) return wrong(err, "api_key", "printable ASCII without spaces");
    if (opt->sandbox_url && !is_sandbox_url(opt->sandbox_url, opt->endpoint))
        return wrong(err, "sandbox_url", "an absolute URL as safe as the endpoint's, with {id} where an id belongs");
    if (opt->template_id && !*opt->template_id) return wrong(err, "template_id", "a name or id");
    if (opt->api < SBX_E2B_API_DEFAULT || opt->api > SBX_E2B_API_V2)
        return wrong(err, "api", "one of enum sbx_e2b_api");
    if (opt->run_budget_ms < 0) return wrong(err, "run_budget_ms", "0 or more");
    if (opt->sync_run_budget_ms < 0) return wrong(err, "sync_run_budget_ms", "0 or more");
    if (opt->sandbox_lifetime_ms < 0) return wrong(err, "sandbox_lifetime_ms", "0 or more");
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

static int64_t or_else(int64_t given, int64_t otherwise) {
    return given ? given : otherwise;
}

static void slashes_cut(char *url) {
    for (size_t len = url ? strlen(url) : 0; len && url[len - 1] == '/'; len--) url[len - 1] = 0;
}

static int options_keep(struct e2b *e, const struct sbx_e2b_options *opt) {
    if (!text_keep(&e->endpoint, opt->endpoint) || !text_keep(&e->key, opt->api_key)) return 0;
    if (!text_keep(&e->sandbox_url, opt->sandbox_url)) return 0;
    if (!text_keep(&e->template_id, opt->template_id ? opt->template_id : "base")) return 0;
    slashes_cut(e->endpoint);
    slashes_cut(e->sandbox_url);
    e->api = opt->api == SBX_E2B_API_V1 ? SBX_E2B_API_V1 : SBX_E2B_API_V2;
    e->run_budget_ms = or_else(opt->run_budget_ms, BUDGET_MS);
    e->sync_run_budget_ms = or_else(opt->sync_run_budget_ms, e->run_budget_ms);
    e->sandbox_lifetime_ms = or_else(opt->sandbox_lifetime_ms, e->run_budget_ms);
    e->probe_window_ms = or_else(opt->probe_window_ms, PROBE_WINDOW_MS);
    e->create_horizon_ms = or_else(opt->create_horizon_ms, CREATE_HORIZON_MS);
    e->debug = opt->debug;
    e->debug_ctx = opt->debug_ctx;
    e->receipts = sbx_exact_receipts_create(e->env);
    e->lives = e2b_lives_create(e->env);
    return e->receipts && e->lives;
}

enum sbx_status sbx_e2b_create(const struct sbx_e2b_options *from, struct sbx_env *env, struct sbx_runtime **out,
                               struct sbx_error *err) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    struct sbx_runtime_ops ops = e2b_ops;
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (!from || sbx_options_take(&opt, sizeof(opt), from, sizeof(opt)))
        return wrong(err, from ? "opt.size" : "opt", from ? "sizeof the struct" : "options");
    if (!env) return wrong(err, "env", "one");
    if (!out) return wrong(err, "out", "one");
    enum sbx_status st = options_check(&opt, err);
    if (st) return st;
    struct e2b *e = calloc(1, sizeof(*e));
    if (!e) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    e->env = env;
    if (!options_keep(e, &opt)) {
        e2b_free(e);
        return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    }
    ops.exec_lifetime_ms = e->sync_run_budget_ms;
    return sbx_runtime_create(&ops, e, env, out, err);
}
