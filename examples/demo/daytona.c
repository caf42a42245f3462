/* The first act: a Daytona sandbox is launched, used, stopped, comes back with a dead exec daemon, is found out,
 * replaced, used again and destroyed. */
#include "demo.h"

#include <sandport/daytona.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void launch(struct demo *d) {
    const struct sbx_pair label = {"job", "demo"};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    char id[SBX_ID_SIZE];
    demo_say("1. Launch a sandbox labelled job=demo. It counts as ready once it has run a command.\n");
    opt.labels = &label;
    opt.label_count = 1;
    enum sbx_status st = sbx_runtime_launch(d->rt, &opt, NULL, &d->sb, &err);
    demo_tell_requests(d);
    if (!demo_went_well(d, st, &err)) return;
    sbx_sandbox_id(d->sb, id);
    demo_say("   sandbox %s\n", id);
    demo_want(d, sbx_sandbox_owned(d->sb), "the handle owns it");
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
    if (!demo_went_well(d, sbx_sandbox_upload(d->sb, "project/run.sh", &from, NULL, NULL, NULL, &err), &err)) return;
    snprintf(command, sizeof(command), "cd project && sh run.sh %s", word);
    opt.lifetime_ms = 30000;
    enum sbx_status st = sbx_sandbox_exec(d->sb, command, &opt, NULL, &result, &err);
    demo_tell_requests(d);
    if (!demo_went_well(d, st, &err)) return;
    demo_want(d, sbx_exec_result_exit_known(result) && sbx_exec_result_exit_code(result) == 7,
              "the exit code is the script's own 7");
    demo_want(d, strcmp(sbx_exec_result_stderr(result, NULL), "done\n") == 0,
              "stderr came apart from stdout, byte for byte");
    sbx_exec_result_free(result);
}

static int note_replacing(void *ctx, const char *acquisition) {
    (void)ctx;
    demo_say("   decided: it is dead; the replacement will be acquisition %s (a router would write this down first)\n",
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
    demo_say("3. Stop it.\n");
    enum sbx_status st = sbx_sandbox_stop(d->sb, NULL, NULL, &err);
    demo_tell_requests(d);
    if (!demo_went_well(d, st, &err)) return;
    demo_say("4. Start it again, and have the cloud say \"started\" while its exec daemon is dead.\n");
    if (!demo_admin(d, "POST", "/faults", fault, NULL)) return;
    opt.probe_window_ms = 3000;
    opt.on_replacing = note_replacing;
    st = sbx_sandbox_start(d->sb, &opt, NULL, &result, &err);
    demo_tell_requests(d);
    if (!demo_went_well(d, st, &err)) return;
    sbx_sandbox_id(d->sb, now);
    demo_want(d, result.replaced && strcmp(now, old) != 0, "the handle carries the replacement's id");
    demo_want(d, result.old_deleted && strcmp(result.old_id, old) == 0,
              "the dead one was deleted, after the new one was proven");
    demo_want(d, result.lost_files, "start says that files outside volumes were not kept");
}

static void download(struct demo *d) {
    struct sbx_buf got = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&got);
    struct sbx_error err = SBX_ERROR_INIT;
    demo_say("6. Download the report.\n");
    enum sbx_status st = sbx_sandbox_download(d->sb, "project/report.txt", &to, NULL, NULL, NULL, &err);
    demo_tell_requests(d);
    if (demo_went_well(d, st, &err))
        demo_want(d, strcmp(sbx_buf_text(&got), "line 1 of again\nline 2 of again\nline 3 of again\n") == 0,
                  "it is what the script wrote");
    sbx_buf_finish(&got);
}

static void play(struct demo *d) {
    launch(d);
    if (!d->sb) return;
    demo_say("2. Upload a small project and run it.\n");
    upload_and_run(d, "first");
    if (!d->failed) stop_and_start_dead(d);
    if (!d->failed) {
        demo_say("5. The replacement has none of the files: upload and run again.\n");
        upload_and_run(d, "again");
    }
    if (!d->failed) download(d);
    demo_say("7. Destroy it, and ask the simulator's ledger what is left.\n");
    demo_destroy(d, 2);
}

void demo_daytona(struct demo *d) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    opt.endpoint = getenv("DAYTONA_API_URL");
    opt.api_key = getenv("DAYTONA_API_KEY");
    demo_say("First act: Daytona says \"started\", and it is not so.\n");
    if (demo_went_well(d, sbx_daytona_create(&opt, d->env, &d->rt, &err), &err)) play(d);
}
