/* The second act: on E2B, a command outlives the minute that nobody asked for, and a durable run whose process is lost
 * without a record ends instead of being waited for. The simulator's time is virtual and moves by itself. */
#include "demo.h"

#include <sandport/e2b.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void launch(struct demo *d) {
    struct sbx_error err = SBX_ERROR_INIT;
    demo_say("1. Launch a sandbox. Here a process that is started without a lifetime has 60 seconds.\n");
    enum sbx_status st = sbx_runtime_launch(d->rt, NULL, NULL, &d->sb, &err);
    demo_tell_requests(d);
    demo_went_well(d, st, &err);
}

/* Of the last start of a process, as the cloud saw it. */
static void tell_lifetime(struct demo *d) {
    struct sbx_json *js = NULL;
    const char *last = "none";
    if (!demo_admin(d, "GET", "/journal?kind=exchange", NULL, &js)) return;
    const struct sbx_json_node *lines = sbx_json_array(js, sbx_json_root(js), "lines");
    for (const struct sbx_json_node *l = lines ? sbx_json_first(lines) : NULL; l; l = sbx_json_next(l))
        if (strcmp(sbx_json_opt_string(js, l, "op", ""), "e2b.process.start") == 0)
            last = sbx_json_opt_string(js, sbx_json_opt_object(js, l, "headers"), "connect-timeout-ms", "none");
    demo_say("      its lifetime on the wire: Connect-Timeout-Ms: %s\n", last);
    demo_want(d, strcmp(last, "1800000") == 0, "the run budget of 30 minutes went with it");
    sbx_json_free(js);
}

static void ninety_seconds(struct demo *d) {
    struct sbx_exec_result *result = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    demo_say("2. Run a command of 90 seconds, and say nothing of how long it may take.\n");
    enum sbx_status st = sbx_sandbox_exec(
        d->sb, "a=$(date +%s); sleep 90; b=$(date +%s); echo $((b - a)) seconds later", NULL, NULL, &result, &err);
    demo_tell_requests(d);
    if (!demo_went_well(d, st, &err)) return;
    demo_say("      %s", sbx_exec_result_stdout(result, NULL));
    demo_want(d, sbx_exec_result_exit_known(result) && sbx_exec_result_exit_code(result) == 0, "it ran to its end");
    demo_want(d, strncmp(sbx_exec_result_stdout(result, NULL), "90 ", 3) == 0, "the minute never applied");
    sbx_exec_result_free(result);
    tell_lifetime(d);
}

static const char job[] = "echo x >>count; sleep 100000";

static void submit(struct demo *d) {
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    demo_say("3. Submit a durable run, job-1, that takes a day. Nobody stays attached to it.\n");
    enum sbx_status st = sbx_sandbox_submit(d->sb, "job-1", job, NULL, NULL, &status, &err);
    demo_tell_requests(d);
    if (demo_went_well(d, st, &err)) demo_want(d, status.state == SBX_RUN_RUNNING, "it runs");
}

/* Everything but the shell itself and the first process. */
static const char all_end[] = "for p in /proc/[0-9]*; do read -r line <$p/stat || continue; set -- $line; "
                              "[ $1 = $$ ] || [ $1 = 1 ] || kill -9 $1; done 2>/dev/null; true";

static void lose_it(struct demo *d) {
    struct sbx_exec_result *result = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    demo_say("4. Kill everything in the sandbox, so that the run is gone and leaves no exit record.\n");
    enum sbx_status st = sbx_sandbox_exec(d->sb, all_end, NULL, NULL, &result, &err);
    demo_tell_requests(d);
    demo_went_well(d, st, &err);
    sbx_exec_result_free(result);
}

static void wait_for_it(struct demo *d) {
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    struct sbx_call call = SBX_CALL_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_run *run = NULL;
    demo_say("5. Wait for it, for a minute at most.\n");
    sbx_call_init_after(&call, sizeof(call), d->env, 60000);
    if (!demo_went_well(d, sbx_run_open(d->sb, "job-1", &run, &err), &err)) return;
    enum sbx_status st = sbx_run_wait(run, &call, &status, &err);
    demo_tell_requests(d);
    sbx_run_free(run);
    if (!demo_went_well(d, st, &err)) return;
    demo_want(d, status.state == SBX_RUN_LOST, "it is told to be lost, at once");
    demo_want(d, status.exit_code == 255, "its exit code is 255");
}

static void submit_again(struct demo *d) {
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    struct sbx_exec_result *result = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    demo_say("6. Submit job-1 again, as a caller does who was restarted meanwhile.\n");
    enum sbx_status st = sbx_sandbox_submit(d->sb, "job-1", job, NULL, NULL, &status, &err);
    if (!st) st = sbx_sandbox_exec(d->sb, "cat count", NULL, NULL, &result, &err);
    demo_tell_requests(d);
    if (!demo_went_well(d, st, &err)) return;
    demo_want(d, status.submitted == 0 && status.state == SBX_RUN_LOST, "an id is submitted once, and stays lost");
    demo_want(d, strcmp(sbx_exec_result_stdout(result, NULL), "x\n") == 0, "its command ran once");
    sbx_exec_result_free(result);
}

static void play(struct demo *d) {
    static void (*const steps[])(struct demo * d) = {ninety_seconds, submit, lose_it, wait_for_it, submit_again};
    launch(d);
    if (!d->sb) return;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !d->failed; i++) steps[i](d);
    demo_say("7. Destroy it, and ask the simulator's ledger what is left.\n");
    demo_destroy(d, 1);
}

void demo_e2b(struct demo *d) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    opt.endpoint = getenv("E2B_API_URL");
    opt.sandbox_url = getenv("E2B_SANDBOX_URL");
    opt.api_key = getenv("E2B_API_KEY");
    demo_say("Second act: E2B, a minute that nobody asked for, and a process that is lost.\n");
    if (demo_went_well(d, sbx_e2b_create(&opt, d->env, &d->rt, &err), &err)) play(d);
}
