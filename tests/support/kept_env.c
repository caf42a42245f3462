/* A command with an environment whose names are those of the variables in our own scripts, in every way to run one. */
#include "kept_env.h"
#include "t.h"

#include <sandport/kit/buf.h>
#include <stdio.h>

/* Every variable of the scripts in src/work and of the adapters, and a few that one may come to have. */
static const char *const names[] = {
    "all",      "birth", "boot",    "born", "code",  "coding", "d",      "ended",    "era",     "err",  "from_err",
    "from_out", "group", "h",       "hash", "how",   "i",      "keeper", "key",      "limit",   "line", "m",
    "max",      "n",     "name",    "naps", "nonce", "out",    "own",    "pid",      "s",       "sbx",  "sent",
    "since",    "start", "starter", "stat", "tag",   "then",   "tool",   "unproven", "version", "who",  "x",
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

struct kept {
    char value[NAMES][32];
    struct sbx_pair env[NAMES];
    struct sbx_buf command; /* says which are not as they were */
    struct sbx_error err;
};

static void kept_begin(struct kept *k) {
    sbx_error_init(&k->err, sizeof(k->err));
    k->command = (struct sbx_buf)SBX_BUF_INIT;
    for (size_t i = 0; i < NAMES; i++) {
        snprintf(k->value[i], sizeof(k->value[i]), "kept %s", names[i]);
        k->env[i] = (struct sbx_pair){names[i], k->value[i]};
        sbx_buf_printf(&k->command, "test \"$%s\" = 'kept %s' || echo %s\n", names[i], names[i], names[i]);
    }
    sbx_buf_text_append(&k->command, "echo end");
}

static void kept_is(const char *how, const struct sbx_exec_result *result) {
    const char *out = sbx_exec_result_stdout(result, NULL);
    if (strcmp(out, "end\n") != 0) T_FAIL("%s: not as they were given: %s", how, out);
}

static int hear(void *ctx, int32_t stream, const void *data, size_t len) {
    (void)ctx, (void)stream, (void)data, (void)len;
    return 0;
}

static void kept_by_exec(struct kept *k, struct sbx_sandbox *sb, const char *how, int32_t mode, int streamed) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    opt.mode = mode;
    opt.env = k->env;
    opt.env_count = NAMES;
    opt.output = streamed ? hear : NULL;
    T_STATUS(sbx_sandbox_exec(sb, sbx_buf_text(&k->command), &opt, NULL, &result, &k->err), SBX_OK);
    kept_is(how, result);
    sbx_exec_result_free(result);
}

static void kept_by_session(struct kept *k, struct sbx_sandbox *sb) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    struct sbx_session *session = NULL;
    opt.env = k->env;
    opt.env_count = NAMES;
    T_STATUS(sbx_session_open(sb, NULL, &session, &k->err), SBX_OK);
    T_STATUS(sbx_session_exec(session, sbx_buf_text(&k->command), &opt, NULL, &result, &k->err), SBX_OK);
    kept_is("a session", result);
    sbx_exec_result_free(result);
    T_STATUS(sbx_session_close(session, NULL, &k->err), SBX_OK);
    sbx_session_free(session);
}

static void kept_by_run(struct kept *k, struct sbx_sandbox *sb) {
    struct sbx_run_options opt = SBX_RUN_OPTIONS_INIT;
    struct sbx_exec_options read = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    struct sbx_buf command = SBX_BUF_INIT;
    opt.env = k->env;
    opt.env_count = NAMES;
    sbx_buf_printf(&command, "{\n%s\n} >/tmp/kept.part; mv /tmp/kept.part /tmp/kept", sbx_buf_text(&k->command));
    T_STATUS(sbx_sandbox_submit(sb, "kept", sbx_buf_text(&command), &opt, NULL, NULL, &k->err), SBX_OK);
    T_STATUS(sbx_sandbox_exec(sb, "until [ -f /tmp/kept ]; do sleep 0.1; done; cat /tmp/kept", &read, NULL, &result,
                              &k->err),
             SBX_OK);
    kept_is("a durable run", result);
    sbx_exec_result_free(result);
    sbx_buf_finish(&command);
}

void kept_env_check(struct sbx_sandbox *sb, const struct sbx_runtime *rt) {
    const uint64_t caps = sbx_runtime_capabilities(rt);
    struct kept k;
    kept_begin(&k);
    kept_by_exec(&k, sb, "exact exec", SBX_EXEC_EXACT, 0);
    kept_by_exec(&k, sb, "the wire", SBX_EXEC_WIRE, 0);
    if (caps & SBX_CAP_STREAMING_OUTPUT) kept_by_exec(&k, sb, "streamed exec", SBX_EXEC_EXACT, 1);
    if (caps & SBX_CAP_SESSIONS) kept_by_session(&k, sb);
    if (caps & SBX_CAP_ASYNC_EXEC) kept_by_run(&k, sb);
    sbx_buf_finish(&k.command);
}
