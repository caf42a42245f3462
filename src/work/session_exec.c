/* A command in a shell that lives on, so that what it sets - variables, functions, the directory - is there for the
 * next one. Exact by the same files and the same question as exact exec. Rows D9, P7, P11; docs/sessions.md. */
#include "src/work/exact.h"

#include <sandport/kit/text.h>
#include <string.h>

#define WAIT_MS      100
#define WAIT_MS_MAX  1000
#define FORBID_MS    5000
#define FORBID_BYTES (64 * 1024)

/* ---- the environment: a script that removes itself before it sets anything ---- */

static void env_script(struct sbx_buf *text, const struct sbx_exec_options *opt, const char *path) {
    sbx_buf_text_append(text, "rm -f ");
    sbx_shell_quote(text, path);
    sbx_buf_char(text, '\n');
    for (size_t i = 0; i < opt->env_count; i++) {
        sbx_buf_printf(text, "export %s=", opt->env[i].name);
        sbx_shell_quote(text, opt->env[i].value);
        sbx_buf_char(text, '\n');
    }
}

/* ---- the line ---- */

/* What is sourced by the shell. It may be dash, bash or zsh, so it is kept to what all of them take; nothing is left
 * behind in the shell but what the command did.
 *  - mkdir decides: a line that a hop sends twice does nothing the second time.
 *  - The shell is the keeper (`pid`) and all that can be killed (`group`).
 *  - A command that ends the shell (`exit`, a failure under `set -e`) has its code noted by the trap. */
static void session_line(struct sbx_buf *line, const struct exact *ex, const char *command,
                         const struct sbx_exec_options *opt, const char *env_file) {
    struct sbx_buf part = SBX_BUF_INIT;
    sbx_buf_printf(line, "mkdir -m 700 /tmp/.sbx-%s 2>/dev/null && {\n", ex->nonce); /* guard: session_once */
    sbx_buf_printf(line, "echo $$ >/tmp/.sbx-%s/pid; echo $$ >/tmp/.sbx-%s/group\n", ex->nonce, ex->nonce);
    sbx_buf_printf(line, "echo \"                \" >/tmp/.sbx-%s/exit.tmp\n", ex->nonce);
    sbx_buf_printf(line, "true >>/tmp/.sbx-%s/out; true >>/tmp/.sbx-%s/err\n", ex->nonce, ex->nonce);
    sbx_buf_printf(line, "trap 'echo $? 1<>/tmp/.sbx-%s/exit.tmp && mv /tmp/.sbx-%s/exit.tmp /tmp/.sbx-%s/exit' EXIT\n",
                   ex->nonce, ex->nonce, ex->nonce);
    if (opt->cwd) {
        sbx_buf_text_append(line, "cd ");
        if (*opt->cwd != '/') sbx_buf_text_append(&part, "./");
        sbx_buf_text_append(&part, opt->cwd);
        sbx_shell_quote(line, sbx_buf_text(&part));
        sbx_buf_text_append(line, " >/dev/null 2>&1 || ");
        sbx_buf_printf(line, "{ echo cwd 1<>/tmp/.sbx-%s/exit.tmp; mv /tmp/.sbx-%s/exit.tmp /tmp/.sbx-%s/exit; }\n",
                       ex->nonce, ex->nonce, ex->nonce);
        sbx_buf_printf(line, "[ -f /tmp/.sbx-%s/exit ] || ", ex->nonce);
    }
    sbx_buf_text_append(line, "{\n");
    if (env_file) {
        sbx_buf_text_append(line, ". "); /* guard: session_env_off_the_line */
        sbx_shell_quote(line, env_file);
        sbx_buf_char(line, '\n');
    }
    sbx_buf_text_append(line, "eval ");
    sbx_buf_clear(&part);
    sbx_buf_char(&part, ' '); /* keeps a command that begins with - from being an option */
    sbx_buf_text_append(&part, command);
    sbx_shell_quote(line, sbx_buf_text(&part));
    sbx_buf_printf(line, "\n} </dev/null >>/tmp/.sbx-%s/out 2>>/tmp/.sbx-%s/err\n", ex->nonce, ex->nonce);
    sbx_buf_printf(line, "echo $? 1<>/tmp/.sbx-%s/exit.tmp\n", ex->nonce);
    sbx_buf_printf(line, "[ -f /tmp/.sbx-%s/exit ] || mv /tmp/.sbx-%s/exit.tmp /tmp/.sbx-%s/exit\n", ex->nonce,
                   ex->nonce, ex->nonce);
    sbx_buf_text_append(line, "trap - EXIT\n}");
    if (part.failed) line->failed = 1;
    sbx_buf_finish(&part);
}

/* Never on the line, which the provider keeps in its record. */
static enum sbx_status env_put(const struct exact *ex, const struct sbx_work_shell *shell,
                               const struct sbx_exec_options *opt, struct sbx_buf *path, struct sbx_error *err) {
    struct sbx_buf text = SBX_BUF_INIT;
    sbx_buf_printf(path, "%s/%s", shell->private_dir, ex->nonce);
    env_script(&text, opt, sbx_buf_text(path));
    enum sbx_status st = text.failed || path->failed ? SBX_NO_MEMORY : SBX_OK;
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL)
            : shell->put(shell->ctx, sbx_buf_text(path), sbx_buf_text(&text), text.len, ex->call, err);
    if (st && err->outcome != SBX_OUTCOME_NOT_SENT) err->outcome = SBX_OUTCOME_REFUSED; /* the command was not sent */
    if (text.data) explicit_bzero(text.data, text.len);
    sbx_buf_finish(&text);
    return st;
}

static enum sbx_status session_post(const struct exact *ex, const struct sbx_work_shell *shell, const char *command,
                                    const struct sbx_exec_options *opt, struct sbx_error *err) {
    struct sbx_buf line = SBX_BUF_INIT, env_file = SBX_BUF_INIT;
    enum sbx_status st = opt->env_count ? env_put(ex, shell, opt, &env_file, err) : SBX_OK;
    if (!st) {
        session_line(&line, ex, command, opt, opt->env_count ? sbx_buf_text(&env_file) : NULL);
        st = line.failed ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL)
                         : shell->post(shell->ctx, sbx_buf_text(&line), ex->call, err);
    }
    sbx_buf_finish(&line);
    sbx_buf_finish(&env_file);
    return st;
}

/* ---- a command that has not begun ---- */

/* Makes the command's directory before it does: then it never runs. On the time for clean-up, since the call's own may
 * be over. @return 1 if that is certain */
static int session_forbid(const struct exact *ex) {
    struct sbx_buf line = SBX_BUF_INIT, text = SBX_BUF_INIT, want = SBX_BUF_INIT;
    struct sbx_error quiet;
    struct sbx_call cleanup;
    int certain = 0;
    sbx_error_init(&quiet, sizeof(quiet));
    sbx_buf_printf(&line, "mkdir -m 700 /tmp/.sbx-%s 2>/dev/null && echo sbxn %s", ex->nonce, ex->nonce);
    sbx_buf_printf(&want, "sbxn %s", ex->nonce);
    if (!line.failed && !want.failed && sbx_call_for_cleanup(ex->call, ex->host->env, &cleanup) &&
        !ex->host->run(ex->host->ctx, sbx_buf_text(&line), NULL, 0, FORBID_MS, &cleanup, FORBID_BYTES, &text, &quiet))
        certain = strstr(sbx_buf_text(&text), sbx_buf_text(&want)) != NULL;
    sbx_buf_finish(&line);
    sbx_buf_finish(&text);
    sbx_buf_finish(&want);
    return certain;
}

static int has_begun(const struct exact *ex) {
    return ex->ans.code != CODED_ABSENT;
}

/* The shell has ended: maybe by this very command, which began and ended after it was asked about. */
static enum sbx_status session_last_words(struct exact *ex, enum sbx_status *cause) {
    sbx_exact_answer_finish(&ex->ans);
    enum sbx_status st = sbx_exact_recover(ex, EXACT_WAIT, cause);
    return st || has_begun(ex) ? st : SBX_GONE;
}

/* Asks until the command has begun, and then until it has ended: it may stand behind another one in the shell.
 * @return SBX_OK with an answer */
static enum sbx_status session_await(struct exact *ex, const struct sbx_work_shell *shell, enum sbx_status *cause,
                                     struct sbx_error *err) {
    struct sbx_env *env = ex->host->env;
    struct sbx_backoff backoff;
    int64_t last_ms = ex->begun_ms + ex->lifetime_ms;
    if (ex->call->deadline_ms < last_ms) last_ms = ex->call->deadline_ms;
    sbx_backoff_init(&backoff, WAIT_MS, WAIT_MS_MAX);
    for (;;) {
        sbx_exact_answer_finish(&ex->ans);
        enum sbx_status st = sbx_exact_recover(ex, EXACT_WAIT, cause);
        if (st || has_begun(ex)) return st;
        st = shell->alive(shell->ctx, ex->call, err);
        if (st == SBX_GONE) return session_last_words(ex, cause); /* guard: session_gone_asked_again */
        st = sbx_backoff_sleep(&backoff, env, last_ms, sbx_cancel_event(ex->call->cancel));
        if (st) {
            return st == SBX_DEADLINE && last_ms != ex->call->deadline_ms ? SBX_COMMAND_TIMEOUT : st;
        }
    }
}

enum sbx_status sbx_shell_exec(const struct sbx_work_host *host, const struct sbx_work_shell *shell,
                               const char *command, const struct sbx_exec_options *opt, const struct sbx_call *call,
                               struct sbx_exec_result *result, struct sbx_error *err) {
    struct exact ex = {.host = host, .call = call};
    const struct sbx_error before = *err;
    enum sbx_status cause = SBX_OK, st = sbx_exact_check(command, opt, err);
    if (!st) st = sbx_exact_begin(&ex, opt, err);
    if (!st) st = session_post(&ex, shell, command, opt, err);
    if (st && err->outcome != SBX_OUTCOME_UNKNOWN) return st;
    if (st && session_forbid(&ex)) return sbx_fail(err, st, SBX_OUTCOME_REFUSED, NULL);
    if (!st) *err = before; /* the answer to the line decides nothing */
    cause = st;             /* the shell has it, as far as is known */
    st = session_await(&ex, shell, &cause, err);
    if (!st)
        st = sbx_exact_finish(&ex, cause, &before, result, err);
    else
        sbx_fail(err, st, session_forbid(&ex) ? SBX_OUTCOME_REFUSED : SBX_OUTCOME_UNKNOWN, NULL);
    sbx_exact_answer_finish(&ex.ans);
    return st;
}
