/* sandport-live-daytona: the main job on a real Daytona account, for whoever says twice that it may cost money.
 *
 *     sandport-live-daytona --env-file FILE --yes-spend [--transcripts FOLDER]
 *
 * `./dev live daytona` is the door to it; docs/live.md says what it does and what it costs. Row V6. */
#include "live/live.h"

#include <sandport/curl.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
    const char *env_file;
    const char *transcripts;
    int yes_spend;
};

static int refuse(const char *what, const char *why) {
    fprintf(stderr, "sandport-live-daytona: %s%s%s\nNothing was sent.\n", what, why ? ": " : "", why ? why : "");
    return LIVE_REFUSED;
}

static int arguments_read(int argc, char **argv, struct arguments *args) {
    *args = (struct arguments){.transcripts = "live-transcripts"};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--yes-spend") == 0)
            args->yes_spend = 1;
        else if (strcmp(argv[i], "--env-file") == 0 && i + 1 < argc)
            args->env_file = argv[++i];
        else if (strcmp(argv[i], "--transcripts") == 0 && i + 1 < argc)
            args->transcripts = argv[++i];
        else
            return refuse("expected --env-file FILE, --yes-spend or --transcripts FOLDER, found another argument",
                          NULL);
    }
    if (!args->env_file) return refuse("expected --env-file FILE with the account's DAYTONA_API_KEY", NULL);
    if (!args->yes_spend) return refuse("this makes a sandbox that costs money: say --yes-spend", NULL);
    return 0;
}

/* ---- signals ---- */

/* What was made must be taken down also when somebody loses patience: a signal ends the job, not the program. */
struct watch {
    sigset_t signals;
    struct sbx_cancel *cancel;
    pthread_t thread;
    int on;
};

static void *watch_run(void *arg) {
    const struct watch *watch = arg;
    int number = 0;
    while (sigwait(&watch->signals, &number) == 0) sbx_cancel_fire(watch->cancel);
    return NULL;
}

static int watch_begin(struct watch *watch, struct sbx_env *env) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigemptyset(&watch->signals);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) sigaddset(&watch->signals, numbers[i]);
    sigaction(SIGPIPE, &ignored, NULL); /* whoever is told may go away */
    watch->cancel = sbx_cancel_create(env);
    watch->on = watch->cancel && pthread_sigmask(SIG_BLOCK, &watch->signals, NULL) == 0 &&
                pthread_create(&watch->thread, NULL, watch_run, watch) == 0;
    return watch->on;
}

static void watch_end(struct watch *watch) {
    if (watch->on) {
        pthread_cancel(watch->thread);
        pthread_join(watch->thread, NULL);
    }
    sbx_cancel_free(watch->cancel);
}

/* ---- the program ---- */

/* The credential is in memory from here to the end of the run, and nowhere else. */
static int run_with(struct live_run *run, const char *env_file) {
    struct live_account account;
    char why[256] = "";
    int status = LIVE_REFUSED;
    run->account = &account;
    if (live_account_read(env_file, &account, why, sizeof(why)))
        status = (int)live_run_do(run);
    else
        refuse(env_file, why);
    live_account_wipe(&account);
    run->account = NULL;
    return status;
}

int main(int argc, char **argv) {
    struct sbx_curl_options curl = SBX_CURL_OPTIONS_INIT;
    struct arguments args;
    struct live_run run = {.out = stdout};
    struct watch watch = {.on = 0};
    int status = arguments_read(argc, argv, &args);
    if (status) return status;
    if (getenv("SSLKEYLOGFILE"))
        return refuse("SSLKEYLOGFILE is set: the secrets of the connections would be written down", NULL);
    curl.threads = SBX_NO;
    if (sbx_curl_env_create(&curl, &run.under)) return refuse("libcurl cannot be used", NULL);
    run.folder = args.transcripts;
    if (watch_begin(&watch, run.under)) {
        run.cancel = watch.cancel;
        status = run_with(&run, args.env_file);
    } else {
        status = refuse("signals cannot be watched", NULL);
    }
    watch_end(&watch);
    sbx_env_free(run.under);
    return status;
}
