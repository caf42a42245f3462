/* The main job, told as it happens: a Daytona sandbox is launched, used, stopped, comes back with a dead exec daemon,
 * is found out, replaced, used again and destroyed - over real HTTP against sandport-sim, whose journal says what was
 * sent.
 *
 *     sandport-sim run -- sandport-demo
 *
 * Ends 0 only if everything that it tells was so. */
#include <sandport/curl.h>
#include <sandport/daytona.h>
#include <sandport/kit/json.h>
#include <sandport/kit/wire.h>
#include <sandport/sandport.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct demo {
    struct sbx_env *env;
    struct sbx_runtime *rt;
    struct sbx_sandbox *sb;
    const char *admin;
    int64_t seen; /* the last journal line told */
    int failed;
};

/* ---- telling ---- */

SBX_PRINTF(1, 2) static void say(const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    fflush(stdout);
}

static void want(struct demo *d, int holds, const char *what) {
    say("   %s %s\n", holds ? "[ok]" : "[NOT SO]", what);
    if (!holds) d->failed = 1;
}

static int went_well(struct demo *d, enum sbx_status st, const struct sbx_error *err) {
    char line[512];
    if (st == SBX_OK) return 1;
    sbx_error_describe(err, line, sizeof(line));
    say("   [NOT SO] %s\n", line);
    d->failed = 1;
    return 0;
}

/* ---- the simulator's admin API ---- */

static int admin(struct demo *d, const char *method, const char *path, const char *body, struct sbx_json **out) {
    struct sbx_answer ans = {0};
    char url[256];
    int ok = 0;
    sbx_answer_init(&ans, sizeof(ans));
    snprintf(url, sizeof(url), "%s%s", d->admin, path);
    const struct sbx_header type = {"Content-Type", "application/json"};
    const struct sbx_request req = {.size = sizeof(req),
                                    .method = method,
                                    .url = url,
                                    .headers = &type,
                                    .header_count = body ? 1 : 0,
                                    .body = body,
                                    .body_len = body ? strlen(body) : 0,
                                    .deadline_ms = d->env->now_ms(d->env) + 10000};
    sbx_exchange_collect(d->env, &req, &ans);
    ok = ans.evidence == SBX_EVIDENCE_DONE && ans.http_status / 100 == 2;
    if (ok && out) ok = sbx_json_parse(sbx_buf_text(&ans.body), ans.body.len, 0, out) == SBX_OK;
    if (!ok) {
        say("   [NOT SO] %s %s answered %d\n", method, path, (int)ans.http_status);
        d->failed = 1;
    }
    sbx_answer_finish(&ans);
    return ok;
}

/* What the cloud saw since the last step. */
static void tell_requests(struct demo *d) {
    struct sbx_json *js = NULL;
    if (!admin(d, "GET", "/journal?kind=exchange", NULL, &js)) return;
    const struct sbx_json_node *lines = sbx_json_array(js, sbx_json_root(js), "lines");
    for (const struct sbx_json_node *l = lines ? sbx_json_first(lines) : NULL; l; l = sbx_json_next(l)) {
        int64_t n = sbx_json_int(js, l, "n");
        if (n <= d->seen) continue;
        d->seen = n;
        say("      %-6s %-58.58s -> %lld\n", sbx_json_opt_string(js, l, "method", "?"),
            sbx_json_opt_string(js, l, "target", "?"), (long long)sbx_json_opt_int(js, l, "status", 0));
    }
    sbx_json_free(js);
}

/* ---- the steps ---- */

static void launch(struct demo *d) {
    const struct sbx_pair label = {"job", "demo"};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    char id[SBX_ID_SIZE];
    say("1. Launch a sandbox labelled job=demo. It counts as ready once it has run a command.\n");
    opt.labels = &label;
    opt.label_count = 1;
    enum sbx_status st = sbx_runtime_launch(d->rt, &opt, NULL, &d->sb, &err);
    tell_requests(d);
    if (!went_well(d, st, &err)) return;
    sbx_sandbox_id(d->sb, id);
    say("   sandbox %s\n", id);
    want(d, sbx_sandbox_owned(d->sb), "the handle owns it");
}

static const char project[] = "#!/bin/sh\n"
                              "i=0\n"
                              "while [ $i -lt 3 ]; do i=$((i + 1)); echo \"line $i of $1\"; done > report.txt\n"
                              "echo done >&2\n"
                              "exit 7\n";

static void upload_and_run(struct demo *d, const char *word) {
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, project, sizeof(project) - 1);
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    char command[64];
    if (!went_well(d, sbx_sandbox_upload(d->sb, "project/run.sh", &from, NULL, NULL, NULL, &err), &err)) return;
    snprintf(command, sizeof(command), "cd project && sh run.sh %s", word);
    opt.lifetime_ms = 30000;
    enum sbx_status st = sbx_sandbox_exec(d->sb, command, &opt, NULL, &result, &err);
    tell_requests(d);
    if (!went_well(d, st, &err)) return;
    want(d, sbx_exec_result_exit_known(result) && sbx_exec_result_exit_code(result) == 7,
         "the exit code is the script's own 7");
    want(d, strcmp(sbx_exec_result_stderr(result, NULL), "done\n") == 0,
         "stderr came apart from stdout, byte for byte");
    sbx_exec_result_free(result);
}

static int note_replacing(void *ctx, const char *acquisition) {
    (void)ctx;
    say("   decided: it is dead; the replacement will be acquisition %s (a router would write this down first)\n",
        acquisition);
    return 0;
}

static void stop_and_start_dead(struct demo *d) {
    static const char fault[] = "{\"op\":\"daytona.sandbox.start\",\"phase\":\"after_commit\",\"times\":1,"
                                "\"effect\":{\"kind\":\"dead_toolbox\",\"dialect\":\"502\"}}";
    struct sbx_start_options opt = SBX_START_OPTIONS_INIT;
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    char old[SBX_ID_SIZE], now[SBX_ID_SIZE];
    sbx_sandbox_id(d->sb, old);
    say("3. Stop it.\n");
    enum sbx_status st = sbx_sandbox_stop(d->sb, NULL, NULL, &err);
    tell_requests(d);
    if (!went_well(d, st, &err)) return;
    say("4. Start it again, and have the cloud say \"started\" while its exec daemon is dead.\n");
    if (!admin(d, "POST", "/faults", fault, NULL)) return;
    opt.probe_window_ms = 3000;
    opt.on_replacing = note_replacing;
    st = sbx_sandbox_start(d->sb, &opt, NULL, &result, &err);
    tell_requests(d);
    if (!went_well(d, st, &err)) return;
    sbx_sandbox_id(d->sb, now);
    want(d, result.replaced && strcmp(now, old) != 0, "the handle carries the replacement's id");
    want(d, result.old_deleted && strcmp(result.old_id, old) == 0,
         "the dead one was deleted, after the new one was proven");
    want(d, result.lost_files, "start says that files outside volumes were not kept");
}

static void download(struct demo *d) {
    struct sbx_buf got = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&got);
    struct sbx_error err = SBX_ERROR_INIT;
    say("6. Download the report.\n");
    enum sbx_status st = sbx_sandbox_download(d->sb, "project/report.txt", &to, NULL, NULL, NULL, &err);
    tell_requests(d);
    if (went_well(d, st, &err))
        want(d, strcmp(sbx_buf_text(&got), "line 1 of again\nline 2 of again\nline 3 of again\n") == 0,
             "it is what the script wrote");
    sbx_buf_finish(&got);
}

static void destroy(struct demo *d) {
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_json *js = NULL;
    say("7. Destroy it, and ask the simulator's ledger what is left.\n");
    enum sbx_status st = sbx_sandbox_destroy(d->sb, NULL, &err);
    tell_requests(d);
    went_well(d, st, &err);
    if (!admin(d, "GET", "/ledger", NULL, &js)) return;
    const struct sbx_json_node *root = sbx_json_root(js);
    int64_t made = sbx_json_int(js, root, "made"), live = sbx_json_int(js, root, "live");
    double cents = (double)sbx_json_int(js, root, "cost_microcents") / 1e6;
    want(d, sbx_json_status(js) == SBX_OK && made == 2, "two sandboxes were made");
    want(d, sbx_json_status(js) == SBX_OK && live == 0, "none is left");
    say("   it all cost %.4f cents\n", cents);
    sbx_json_free(js);
}

static void main_job(struct demo *d) {
    launch(d);
    if (!d->sb) return;
    say("2. Upload a small project and run it.\n");
    upload_and_run(d, "first");
    if (!d->failed) stop_and_start_dead(d);
    if (!d->failed) {
        say("5. The replacement has none of the files: upload and run again.\n");
        upload_and_run(d, "again");
    }
    if (!d->failed) download(d);
    destroy(d);
}

int main(void) {
    struct demo d = {.admin = getenv("SANDPORT_SIM_ADMIN")};
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    opt.endpoint = getenv("DAYTONA_API_URL");
    opt.api_key = getenv("DAYTONA_API_KEY");
    if (!d.admin || !opt.endpoint || !opt.api_key) {
        fprintf(stderr, "sandport-demo: run it as: sandport-sim run -- sandport-demo\n");
        return 64;
    }
    if (sbx_curl_env_create(NULL, &d.env)) return 1;
    if (went_well(&d, sbx_daytona_create(&opt, d.env, &d.rt, &err), &err)) main_job(&d);
    sbx_sandbox_free(d.sb);
    sbx_runtime_free(d.rt);
    sbx_env_free(d.env);
    say("%s\n", d.failed ? "The demo FAILED." : "All of it held.");
    return d.failed;
}
