/* The course of a case: a world, an operation, what befalls it, and whether what was said of it is true. */
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *condition_name(enum condition condition) {
    static const char *const names[CONDITION_COUNT] = {"happy", "cancel",   "deadline", "http_502",
                                                       "reset", "oversize", "nul"};
    return names[condition];
}

static _Noreturn void scene_fail(const struct scene *s, const char *what) {
    char line[512];
    sbx_error_describe(&s->err, line, sizeof(line));
    T_FAIL("%s: %s", what, line);
}

struct scene *scene_open(int with_sandbox) {
    struct scene *s = calloc(1, sizeof(*s));
    T_TRUE(s);
    s->face = conformance_face_open();
    s->env = s->face->env;
    s->rt = s->face->rt;
    sbx_call_init(&s->call, sizeof(s->call));
    sbx_error_init(&s->err, sizeof(s->err));
    sbx_exec_options_init(&s->opt, sizeof(s->opt));
    sbx_run_status_init(&s->status, sizeof(s->status));
    if (with_sandbox) {
        if (sbx_runtime_launch(s->rt, NULL, NULL, &s->sb, &s->err)) scene_fail(s, "no sandbox to begin with");
        sbx_sandbox_id(s->sb, s->id);
    }
    return s;
}

static void scene_forget(struct scene *s) {
    sbx_exec_result_free(s->result);
    sbx_log_free(s->log);
    sbx_info_free(s->info);
    sbx_list_free(s->list);
    sbx_files_free(s->files);
    sbx_text_free(s->text);
    sbx_buf_finish(&s->bytes[0]);
    sbx_buf_finish(&s->bytes[1]);
    sbx_run_free(s->run);
    sbx_session_free(s->session);
}

static void scene_destroy(struct scene *s, struct sbx_sandbox *sb) {
    if (sb && sbx_sandbox_destroy(sb, NULL, &s->err)) scene_fail(s, "a sandbox could not be deleted afterwards");
    sbx_sandbox_free(sb);
}

void scene_close(struct scene *s) {
    struct conformance_face *face = s->face;
    scene_forget(s);
    scene_destroy(s, s->made);
    scene_destroy(s, s->sb);
    T_EQ(face->sandboxes(face), 0);
    sbx_runtime_free(s->rt);
    T_EQ(face->strays(face), 0);
    face->close(face);
    free(s);
}

int scene_declares(const struct scene *s, uint64_t caps) {
    return (sbx_runtime_capabilities(s->rt) & caps) == caps;
}

const char *scene_shell(struct scene *s, const char *command) {
    static char out[4096];
    struct sbx_exec_result *result = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    size_t len = 0;
    if (sbx_sandbox_exec(s->sb, command, NULL, NULL, &result, &err)) T_FAIL("%s: %s", command, err.detail);
    const char *text = sbx_exec_result_stdout(result, &len);
    T_TRUE(len < sizeof(out));
    memcpy(out, text, len + 1);
    sbx_exec_result_free(result);
    return out;
}

void scene_ran(struct scene *s, enum sbx_status st) {
    int32_t outcome = st ? s->err.outcome : SBX_OUTCOME_DONE;
    size_t times = strlen(scene_shell(s, "cat count 2>/dev/null || true")) / 2;
    T_TRUE(times <= 1);
    if (outcome == SBX_OUTCOME_DONE) T_EQ(times, 1);
    if (outcome == SBX_OUTCOME_REFUSED || outcome == SBX_OUTCOME_NOT_SENT) T_EQ(times, 0);
}

void scene_dead(struct scene *s, int said) {
    if (!said) return;
    T_STR(scene_shell(s,
                      "p=$(cat begun); kill -0 $p 2>/dev/null && ! grep -q ') Z ' /proc/$p/stat && echo alive || true"),
          "");
}

void scene_result_is(struct scene *s, const char *out, const char *err, int32_t code) {
    T_TRUE(s->result);
    T_EQ(sbx_exec_result_exit_known(s->result), 1);
    T_EQ(sbx_exec_result_exit_code(s->result), code);
    T_STR(sbx_exec_result_stdout(s->result, NULL), out);
    if (!sbx_exec_result_streams_merged(s->result)) T_STR(sbx_exec_result_stderr(s->result, NULL), err);
}

/* ---- a case ---- */

static void expect_refused(struct scene *s, const struct operation *op) {
    int64_t before = s->face->requests(s->face);
    sbx_error_init(&s->err, sizeof(s->err));
    T_STATUS(op->run(s), SBX_UNSUPPORTED);
    T_EQ(s->err.status, SBX_UNSUPPORTED);
    T_EQ(s->err.outcome, SBX_OUTCOME_NOT_SENT);
    T_EQ(s->face->requests(s->face), before);
}

static const char *why_not(const struct conformance_face *face, const struct operation *op, enum condition condition) {
    for (const struct conformance_cannot *c = face->cannot; c->operation; c++)
        if (c->condition == condition && (strcmp(c->operation, op->name) == 0 || strcmp(c->operation, "*") == 0))
            return c->why;
    return NULL;
}

static void arrange(struct scene *s, const struct operation *op, struct sbx_cancel *cancel) {
    struct conformance_face *face = s->face;
    int waits = s->condition == CANCEL || s->condition == DEADLINE;
    if (s->condition != HAPPY && !(waits && op->waiting == WAITING_COMMAND)) face->inject(face, op->name, s->condition);
    if (s->condition == CANCEL) {
        s->call.cancel = cancel;
        face->cancel_while(face, op->waiting, cancel);
    }
    if (s->condition == DEADLINE) face->deadline_while(face, op->waiting, &s->call);
    if (op->waiting == WAITING_COMMAND)
        s->command = waits ? "echo x >>count; echo first; echo $$ >begun; sleep 1000"
                           : "echo x >>count; echo out; echo err >&2; exit 3";
}

/* Promised is an end within 100 ms of a cancel, and the time for clean-up. */
static void expect_prompt(const struct scene *s, const struct operation *op) {
    int64_t late_ms = s->env->now_ms(s->env) - s->face->due_ms, allowed_ms = 100 + (op->reads ? 0 : 30000);
    if (s->face->due_ms && late_ms > allowed_ms)
        T_FAIL("%s: ended %lld ms late, expected %lld at most", op->name, (long long)late_ms, (long long)allowed_ms);
}

static void expect(const struct scene *s, const struct operation *op, enum sbx_status st) {
    const struct expectation want = expectation_of(s->face, op, s->condition);
    char line[512];
    sbx_error_describe(&s->err, line, sizeof(line));
    if (expectation_allows(op, s->condition, st, s->err.outcome)) return;
    if (st != want.status)
        T_FAIL("%s: got %s, expected %s: %s", op->name, sbx_status_name((int32_t)st),
               sbx_status_name((int32_t)want.status), line);
    if (!st) return;
    T_EQ(s->err.status, st);
    if (st == SBX_CANCELLED || st == SBX_DEADLINE) T_EQ(s->err.http_status, 0); /* no answer decided that */
    T_STR(s->err.provider, sbx_runtime_provider(s->rt));
    if (strncmp(op->name, s->err.operation, strlen(s->err.operation)) != 0 || !*s->err.operation)
        T_FAIL("%s: said to be of another operation: %s", op->name, line);
    if (!(want.outcomes & 1u << s->err.outcome)) T_FAIL("%s: outcome not expected: %s", op->name, line);
}

void conformance_case(const struct operation *op, enum condition condition) {
    struct scene *s = scene_open(!op->no_sandbox);
    const char *why = why_not(s->face, op, condition);
    s->condition = condition;
    if (!scene_declares(s, op->caps)) {
        expect_refused(s, op);
    } else if (why) {
        T_FAIL("%s cannot be put into %s (%s): a case that proves nothing", op->name, condition_name(condition), why);
    } else {
        struct sbx_cancel *cancel = sbx_cancel_create(s->env);
        T_TRUE(cancel);
        if (op->before) op->before(s);
        sbx_error_init(&s->err, sizeof(s->err));
        arrange(s, op, cancel);
        enum sbx_status st = op->run(s);
        if (condition == CANCEL || condition == DEADLINE) expect_prompt(s, op);
        s->face->join(s->face);
        int64_t hits = s->face->clear(s->face);
        if (condition != HAPPY && !(op->waiting == WAITING_COMMAND && (condition == CANCEL || condition == DEADLINE)))
            T_TRUE(hits > 0);
        expect(s, op, st);
        sbx_call_init(&s->call, sizeof(s->call));
        if (!st && op->done) op->done(s);
        if (op->after) op->after(s, st);
        sbx_cancel_free(cancel);
    }
    scene_close(s);
}
