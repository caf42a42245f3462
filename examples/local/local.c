/* A first program: a sandbox on this machine. No account, no network. */
#include <sandport/local.h>
#include <sandport/posix.h>
#include <sandport/sandport.h>

#include <stdio.h>

int main(int argc, char **argv) {
    struct sbx_local_options options = SBX_LOCAL_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_env *env = NULL;
    struct sbx_runtime *rt = NULL;
    struct sbx_sandbox *sb = NULL;
    struct sbx_exec_result *result = NULL;
    char line[512];
    options.root = argc > 1 ? argv[1] : "/tmp/sandport-first";
    enum sbx_status st = sbx_posix_env_create(&env);
    if (!st) st = sbx_local_create(&options, env, &rt, &err);
    if (!st) st = sbx_runtime_launch(rt, NULL, NULL, &sb, &err);
    if (!st) st = sbx_sandbox_exec(sb, "echo hello from $(pwd)", NULL, NULL, &result, &err);
    if (!st) printf("exit code %d: %s", sbx_exec_result_exit_code(result), sbx_exec_result_stdout(result, NULL));
    sbx_error_describe(&err, line, sizeof(line));
    if (st) fprintf(stderr, "local: %s\n", line);
    enum sbx_status gone = sb ? sbx_sandbox_destroy(sb, NULL, &err) : SBX_OK;
    if (gone) fprintf(stderr, "local: not destroyed: %s\n", sbx_status_name((int32_t)gone));
    sbx_exec_result_free(result);
    sbx_sandbox_free(sb);
    sbx_runtime_free(rt);
    sbx_env_free(env);
    return st || gone;
}
