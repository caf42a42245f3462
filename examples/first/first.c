/* A first program: launch a sandbox, run a command in it, take it down.
 *
 *     sandport-sim run -- ./first            against the simulator
 *     DAYTONA_API_URL=https://app.daytona.io/api DAYTONA_API_KEY=... ./first
 *
 * The library reads no environment; this program does, and passes what it read. */
#include <sandport/curl.h>
#include <sandport/daytona.h>
#include <sandport/sandport.h>

#include <stdio.h>
#include <stdlib.h>

static int complain(const struct sbx_error *err) {
    char line[512];
    sbx_error_describe(err, line, sizeof(line));
    fprintf(stderr, "first: %s\n", line);
    if (err->cleanup == SBX_CLEANUP_UNCONFIRMED) /* it may live on and cost: this id finds it again */
        fprintf(stderr, "first: sandport cannot say what became of acquisition %s\n", err->acquisition);
    return 1;
}

static int work(struct sbx_sandbox *sb, struct sbx_error *err) {
    struct sbx_exec_result *result = NULL;
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    opt.lifetime_ms = 60000;
    if (sbx_sandbox_exec(sb, "echo hello from $(pwd)", &opt, NULL, &result, err)) return complain(err);
    printf("exit code %d: %s", (int)sbx_exec_result_exit_code(result), sbx_exec_result_stdout(result, NULL));
    sbx_exec_result_free(result);
    return 0;
}

int main(void) {
    const struct sbx_pair label = {"made-by", "first"};
    struct sbx_daytona_options daytona = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_launch_options launch = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_env *env = NULL;
    struct sbx_runtime *rt = NULL;
    struct sbx_sandbox *sb = NULL;
    char id[SBX_ID_SIZE];
    int failed = 1;
    daytona.endpoint = getenv("DAYTONA_API_URL");
    daytona.api_key = getenv("DAYTONA_API_KEY");
    launch.labels = &label;
    launch.label_count = 1;
    launch.ttl_min = 30; /* should this program die, Daytona ends the sandbox by itself */
    if (sbx_curl_env_create(NULL, &env)) return 1;
    if (sbx_daytona_create(&daytona, env, &rt, &err)) {
        complain(&err);
        goto done;
    }
    if (sbx_runtime_launch(rt, &launch, NULL, &sb, &err)) {
        complain(&err);
        goto done;
    }
    sbx_sandbox_id(sb, id);
    printf("sandbox %s is ready\n", id);
    failed = work(sb, &err);
    if (sbx_sandbox_destroy(sb, NULL, &err)) failed = complain(&err);
done:
    sbx_sandbox_free(sb);
    sbx_runtime_free(rt);
    sbx_env_free(env);
    return failed;
}
