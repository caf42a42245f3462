/* Commands in a shell that lives on, on real shells: what goes over the line, and what a second copy of it does.
 * Rows D9, P11. */
#include "shell_host.h"
#include "src/port/port.h"
#include "t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One shell that reads its standard input, as Daytona's sessions do in effect. */
struct living {
    struct shell_host *host;
    FILE *shell;
    struct sbx_work_shell work;
    int copies; /* of each line */
    int waits;  /* the line is not read before somebody asks whether the shell is alive; 0 copies: it never is */
    char *lines;
    char dir[96];
};

static enum sbx_status post(void *ctx, const char *line, const struct sbx_call *call, struct sbx_error *err) {
    struct living *living = ctx;
    struct sbx_buf seen = SBX_BUF_INIT;
    (void)call, (void)err;
    sbx_buf_printf(&seen, "%s%s\n", living->lines ? living->lines : "", line);
    free(living->lines);
    living->lines = sbx_buf_take(&seen, NULL);
    if (living->waits) return SBX_OK;
    for (int i = 0; i < living->copies; i++) T_TRUE(fprintf(living->shell, "%s\n", line) > 0);
    T_EQ(fflush(living->shell), 0);
    return SBX_OK;
}

static enum sbx_status put(void *ctx, const char *path, const char *text, size_t len, const struct sbx_call *call,
                           struct sbx_error *err) {
    (void)ctx, (void)call, (void)err;
    FILE *file = fopen(path, "w");
    T_TRUE(file != NULL);
    T_EQ(fwrite(text, 1, len, file), len);
    T_EQ(fclose(file), 0);
    return SBX_OK;
}

static enum sbx_status alive(void *ctx, const struct sbx_call *call, struct sbx_error *err) {
    struct living *living = ctx;
    (void)call;
    if (!living->waits) return SBX_OK;
    for (int i = 0; i < living->copies; i++) T_TRUE(fprintf(living->shell, "%s", living->lines) > 0);
    pclose(living->shell);
    living->shell = NULL;
    return sbx_fail(err, SBX_GONE, SBX_OUTCOME_REFUSED, "the shell has ended");
}

static struct living living_begin(struct shell_host *host, int copies) {
    struct living living = {.host = host, .copies = copies};
    snprintf(living.dir, sizeof(living.dir), "%s", host->dir);
    living.shell = popen(host->sh, "w");
    T_TRUE(living.shell != NULL);
    living.work = (struct sbx_work_shell){.size = sizeof(living.work), .post = post, .put = put, .alive = alive};
    return living;
}

static void ends(struct living *living, const char *command, enum sbx_status want) {
    struct shell_host *host = living->host;
    living->work.ctx = living;
    living->work.private_dir = living->dir;
    sbx_exec_result_free(host->result);
    host->result = sbx_exec_result_create();
    T_TRUE(host->result != NULL);
    T_STATUS(sbx_shell_exec(&host->work, &living->work, command, &host->opt, &host->call, host->result, &host->err),
             want);
}

static void runs(struct living *living, const char *command, int32_t code, const char *out) {
    struct shell_host *host = living->host;
    ends(living, command, SBX_OK);
    T_EQ(sbx_exec_result_exit_code(host->result), code);
    T_STR(sbx_exec_result_stdout(host->result, NULL), out);
}

static void living_end(struct living *living) {
    if (living->shell) pclose(living->shell);
    free(living->lines);
}

/* ---- session_once ---- */

static void once_on(struct shell_host *host, int copies) {
    struct living living = living_begin(host, copies);
    runs(&living, "n=$((n + 1)); cd /; f() { echo f; }", 0, "");
    runs(&living, "echo $n; pwd; f", 0, "1\n/\nf\n");
    runs(&living, "echo out; exit 3", 3, "out\n");
    living_end(&living);
}
static void twice_on(struct shell_host *host) {
    once_on(host, 2);
}
static void must_fire_session_once__a_line_sent_twice(void) {
    shell_host_each(twice_on);
}
static void single_on(struct shell_host *host) {
    once_on(host, 1);
}
static void must_not_fire_session_once__a_line_sent_once(void) {
    shell_host_each(single_on);
}

/* ---- session_env_off_the_line ---- */

static void env_on(struct shell_host *host) {
    const struct sbx_pair env = {"CANARY_TOKEN", "canary-0f$'\n4e"};
    char left[160];
    struct living living = living_begin(host, 1);
    host->opt.env = &env;
    host->opt.env_count = 1;
    runs(&living, "printf %s \"$CANARY_TOKEN\"", 0, "canary-0f$'\n4e");
    if (strstr(living.lines, "canary-0f")) T_FAIL("the value is on the line, expected it in a file");
    snprintf(left, sizeof(left), "%s/%s", host->dir, host->nonces[host->nonce_count - 1]);
    T_TRUE(access(left, F_OK) != 0); /* which has removed itself */
    living_end(&living);
}
static void must_fire_session_env_off_the_line__a_value(void) {
    shell_host_each(env_on);
}
static void no_env_on(struct shell_host *host) {
    struct living living = living_begin(host, 1);
    runs(&living, "echo canary-0f", 0, "canary-0f\n");
    T_CONTAINS(living.lines, "canary-0f"); /* what is in the command itself is the caller's doing */
    living_end(&living);
}
static void must_not_fire_session_env_off_the_line__in_the_command(void) {
    shell_host_each(no_env_on);
}

/* ---- session_gone_asked_again ---- */

static void ended_by_it_on(struct shell_host *host) {
    struct living living = living_begin(host, 1);
    living.waits = 1;
    runs(&living, "echo out; exit 3", 3, "out\n");
    living_end(&living);
}
static void must_fire_session_gone_asked_again__the_command_ended_it(void) {
    shell_host_each(ended_by_it_on);
}
static void ended_before_on(struct shell_host *host) {
    struct living living = living_begin(host, 0);
    living.waits = 1;
    ends(&living, "echo out; exit 3", SBX_GONE);
    T_EQ(host->err.outcome, SBX_OUTCOME_REFUSED);
    living_end(&living);
}
static void must_not_fire_session_gone_asked_again__the_command_was_not_read(void) {
    shell_host_each(ended_before_on);
}

T_CASES(T_CASE(must_fire_session_once__a_line_sent_twice), T_CASE(must_not_fire_session_once__a_line_sent_once),
        T_CASE(must_fire_session_gone_asked_again__the_command_ended_it),
        T_CASE(must_not_fire_session_gone_asked_again__the_command_was_not_read),
        T_CASE(must_fire_session_env_off_the_line__a_value),
        T_CASE(must_not_fire_session_env_off_the_line__in_the_command))
