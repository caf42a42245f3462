/* What a command wrote and how it ended, byte for byte, by each way of running one - and where a way cannot be exact,
 * that it says so. Rows P7, P11, D10. */
#include "exactness.h"
#include "scene.h"

#include <string.h>

/* A command by one of the ways, and all that is said of it. */
struct played {
    struct scene *s;
    enum way way;
    int64_t output_bytes_max;
    enum sbx_status st;
    int32_t exit_known, exit_code, truncated, exact, merged, timed_out;
    const char *out, *err;
    size_t out_len, err_len;
    uint64_t out_total, err_total;
};

static uint64_t caps_of(enum way way) {
    switch (way) {
    case STREAMED:
        return SBX_CAP_EXEC | SBX_CAP_STREAMING_OUTPUT;
    case SESSION:
        return SBX_CAP_SESSIONS;
    case RUN:
        return SBX_CAP_ASYNC_EXEC;
    case EXACT:
    case WIRE:
        break;
    }
    return SBX_CAP_EXEC;
}

static int take_output(void *ctx, int32_t stream, const void *data, size_t len) {
    struct scene *s = ctx;
    sbx_buf_append(&s->bytes[stream == SBX_STDERR], data, len);
    return s->bytes[0].failed || s->bytes[1].failed;
}

/* @return 0 where there is no such way: it is refused, and nothing more can be asked */
static int begin(struct played *p, enum way way) {
    struct sbx_run *run = NULL;
    enum sbx_status st = SBX_OK;
    memset(p, 0, sizeof(*p));
    p->way = way;
    p->s = scene_open(1);
    if (scene_declares(p->s, caps_of(way))) return 1;
    int64_t before = p->s->face->requests(p->s->face);
    if (way == SESSION) st = sbx_session_open(p->s->sb, NULL, &p->s->session, &p->s->err);
    if (way == RUN) st = sbx_run_open(p->s->sb, "run", &run, &p->s->err);
    p->s->opt.output = take_output;
    if (way == STREAMED) st = sbx_sandbox_exec(p->s->sb, "true", &p->s->opt, NULL, &p->s->result, &p->s->err);
    T_STATUS(st, SBX_UNSUPPORTED);
    T_EQ(p->s->err.outcome, SBX_OUTCOME_NOT_SENT);
    T_EQ(p->s->face->requests(p->s->face), before);
    scene_close(p->s);
    return 0;
}

static void end(struct played *p) {
    if (p->s->session) T_STATUS(sbx_session_close(p->s->session, NULL, &p->s->err), SBX_OK);
    scene_close(p->s);
}

static void take_result(struct played *p) {
    const struct sbx_exec_result *r = p->s->result;
    T_TRUE(r);
    p->exit_known = sbx_exec_result_exit_known(r);
    p->exit_code = sbx_exec_result_exit_code(r);
    p->truncated = sbx_exec_result_truncated(r);
    p->exact = sbx_exec_result_bytes_exact(r);
    p->merged = sbx_exec_result_streams_merged(r);
    p->timed_out = p->st == SBX_COMMAND_TIMEOUT;
    p->out = sbx_exec_result_stdout(r, &p->out_len);
    p->err = sbx_exec_result_stderr(r, &p->err_len);
    p->out_total = sbx_exec_result_stdout_total(r);
    p->err_total = sbx_exec_result_stderr_total(r);
}

/* In small pieces, each stream to its end, by a place of its own. */
static void pull(struct played *p, struct sbx_run *run, int32_t stream) {
    struct scene *s = p->s;
    char piece[7];
    size_t len = 1;
    while (len) {
        T_STATUS(sbx_run_read(run, stream, piece, sizeof(piece), NULL, &len, &s->err), SBX_OK);
        T_EQ(take_output(s, stream, piece, len), 0);
    }
}

/* A run's log has no flag: its bytes are exact, or it does not answer. */
static void take_log(struct played *p) {
    struct scene *s = p->s;
    struct sbx_run *run = NULL;
    struct sbx_call call = SBX_CALL_INIT;
    struct sbx_log_options opt = SBX_LOG_OPTIONS_INIT;
    call.deadline_ms = SBX_NO_DEADLINE;
    opt.bytes_max = p->output_bytes_max;
    T_STATUS(sbx_run_open(s->sb, "run", &run, &s->err), SBX_OK);
    T_STATUS(sbx_run_wait(run, &call, &s->status, &s->err), SBX_OK);
    pull(p, run, SBX_STDOUT);
    pull(p, run, SBX_STDERR);
    sbx_run_free(run);
    T_STATUS(sbx_sandbox_read_logs(s->sb, "run", &opt, NULL, &s->log, &s->err), SBX_OK);
    p->exit_known = s->status.state == SBX_RUN_EXITED;
    p->exit_code = s->status.exit_code;
    p->timed_out = s->status.timed_out;
    p->exact = 1;
    p->out = sbx_log_bytes(s->log, SBX_STDOUT, &p->out_len);
    p->err = sbx_log_bytes(s->log, SBX_STDERR, &p->err_len);
    p->out_total = s->status.stdout_bytes;
    p->err_total = s->status.stderr_bytes;
    p->truncated = p->out_total > p->out_len || p->err_total > p->err_len;
}

static void play_with(struct played *p, const char *command, int64_t lifetime_ms) {
    struct scene *s = p->s;
    struct sbx_run_options run = SBX_RUN_OPTIONS_INIT;
    struct sbx_call call = SBX_CALL_INIT;
    call.deadline_ms = SBX_NO_DEADLINE;
    run.lifetime_ms = s->opt.lifetime_ms = lifetime_ms;
    s->opt.output_bytes_max = p->output_bytes_max;
    s->opt.mode = p->way == EXACT ? SBX_EXEC_EXACT : p->way == WIRE ? SBX_EXEC_WIRE : SBX_EXEC_MODE_DEFAULT;
    s->opt.output = p->way == STREAMED ? take_output : NULL;
    s->opt.output_ctx = s;
    if (p->way == SESSION) {
        T_STATUS(sbx_session_open(s->sb, NULL, &s->session, &s->err), SBX_OK);
        p->st = sbx_session_exec(s->session, command, &s->opt, &call, &s->result, &s->err);
    } else if (p->way == RUN) {
        T_STATUS(sbx_sandbox_submit(s->sb, "run", command, &run, NULL, &s->status, &s->err), SBX_OK);
        take_log(p);
        return;
    } else {
        p->st = sbx_sandbox_exec(s->sb, command, &s->opt, &call, &s->result, &s->err);
    }
    take_result(p);
}

static void play(struct played *p, const char *command) {
    play_with(p, command, 0);
    T_STATUS(p->st, SBX_OK);
    T_EQ(p->exact, p->way != WIRE || p->s->face->wire_exact);
    T_EQ(p->merged, p->way == WIRE && !p->s->face->wire_exact);
}

/* The bytes kept, and those that were streamed or pulled, which no limit cuts. */
static void wrote(const struct played *p, const char *out, size_t out_len, const char *err, size_t err_len) {
    if (!p->exact) return;
    T_MEM(p->out, p->out_len, out, out_len);
    T_MEM(p->err, p->err_len, err, err_len);
    T_EQ(p->out_total, out_len);
    T_EQ(p->err_total, err_len);
    T_EQ(p->truncated, 0);
    if (p->way != STREAMED && p->way != RUN) return;
    T_MEM(p->s->bytes[0].data, p->s->bytes[0].len, out, out_len);
    T_MEM(p->s->bytes[1].data, p->s->bytes[1].len, err, err_len);
}

static void exited(const struct played *p, int32_t code) {
    T_EQ(p->exit_known, 1);
    T_EQ(p->exit_code, code);
}

/* ---- the cases ---- */

static void bytes_are(enum way way, const char *command, const char *out, size_t out_len, const char *err,
                      size_t err_len) {
    struct played p;
    if (!begin(&p, way)) return;
    play(&p, command);
    exited(&p, 0);
    wrote(&p, out, out_len, err, err_len);
    end(&p);
}

void exactness_nul(enum way way) {
    bytes_are(way, "printf 'a\\000\\000b\\n'; printf '\\000' >&2", "a\0\0b\n", 5, "\0", 1);
}

void exactness_invalid_utf8(enum way way) {
    bytes_are(way, "printf 'a\\377\\200\\303'; printf '\\355\\240\\200' >&2", "a\xff\x80\xc3", 4, "\xed\xa0\x80", 3);
}

/* Where both streams are one and bytes are not exact, a text still is what it was. */
void exactness_no_final_newline(enum way way) {
    struct played p;
    if (!begin(&p, way)) return;
    play(&p, "printf 'a\\r\\n\\n  b'");
    exited(&p, 0);
    T_MEM(p.out, p.out_len, "a\r\n\n  b", 7);
    wrote(&p, "a\r\n\n  b", 7, "", 0);
    end(&p);
}

void exactness_empty(enum way way) {
    struct played p;
    if (!begin(&p, way)) return;
    play(&p, "true");
    exited(&p, 0);
    T_EQ(p.out_len, 0);
    wrote(&p, "", 0, "", 0);
    end(&p);
}

void exactness_at_the_limit(enum way way) {
    struct played p;
    if (!begin(&p, way)) return;
    p.output_bytes_max = 10;
    play(&p, "printf 0123456789");
    T_MEM(p.out, p.out_len, "0123456789", 10);
    T_EQ(p.out_total, 10);
    T_EQ(p.truncated, 0);
    end(&p);
}

void exactness_above_the_limit(enum way way) {
    struct played p;
    if (!begin(&p, way)) return;
    p.output_bytes_max = 10;
    play(&p, "printf 0123456789A; exit 3");
    exited(&p, 3);
    T_MEM(p.out, p.out_len, "0123456789", 10);
    T_EQ(p.out_total, 11);
    T_EQ(p.truncated, 1);
    if (way == STREAMED || way == RUN) T_STR(sbx_buf_text(&p.s->bytes[0]), "0123456789A");
    end(&p);
}

void exactness_interleaved(enum way way) {
    struct played p;
    struct sbx_buf want[2] = {SBX_BUF_INIT, SBX_BUF_INIT};
    if (!begin(&p, way)) return;
    for (int i = 0; i < 20; i++) {
        sbx_buf_printf(&want[0], "o%d\n", i);
        sbx_buf_printf(&want[1], "e%d\n", i);
    }
    play(&p, "i=0; while [ $i -lt 20 ]; do echo o$i; echo e$i >&2; i=$((i + 1)); done");
    wrote(&p, want[0].data, want[0].len, want[1].data, want[1].len);
    if (p.merged) T_EQ(p.out_len, want[0].len + want[1].len);
    sbx_buf_finish(&want[0]);
    sbx_buf_finish(&want[1]);
    end(&p);
}

static void code_is(enum way way, const char *command, int32_t code) {
    struct played p;
    if (!begin(&p, way)) return;
    play(&p, command);
    exited(&p, code);
    T_STR(p.out, "said\n");
    end(&p);
}

void exactness_exit_0(enum way way) {
    code_is(way, "echo said; exit 0", 0);
}

void exactness_exit_3(enum way way) {
    code_is(way, "echo said; exit 3", 3);
}

void exactness_exit_255(enum way way) {
    code_is(way, "echo said; exit 255", 255);
}

/* By a signal: 128 and its number. In a session it is a command's own shell, since the session's would end it. */
void exactness_killed(enum way way) {
    struct played p;
    if (way != WIRE) {
        code_is(way, way == SESSION ? "echo said; sh -c 'kill -KILL $$'" : "echo said; kill -KILL $$", 137);
        return;
    }
    if (!begin(&p, way)) return;
    play(&p, "echo said; kill -KILL $$"); /* a wire that is not exact may have no code for it, and then says so */
    if (p.exit_known || p.s->face->wire_exact)
        exited(&p, 137);
    else
        T_EQ(p.exit_code, -1);
    end(&p);
}

void exactness_timed_out(enum way way) {
    struct played p;
    struct sbx_call when = SBX_CALL_INIT;
    if (!begin(&p, way)) return;
    int in_real_time = way == RUN || way == STREAMED; /* a run's lifetime is its keeper's to watch */
    if (!in_real_time) p.s->face->deadline_while(p.s->face, WAITING_COMMAND, &when);
    play_with(&p, "echo first; echo $$ >begun; sleep 1000", in_real_time ? 2000 : 60000);
    p.s->face->join(p.s->face);
    T_EQ(p.timed_out, 1);
    if (way != RUN) {
        T_STATUS(p.st, SBX_COMMAND_TIMEOUT);
        T_EQ(p.s->err.outcome, SBX_OUTCOME_DONE);
    }
    if (p.exact) T_STR(p.out, "first\n");
    if (way != WIRE || p.s->face->wire_killed) scene_dead(p.s, 1);
    end(&p);
}
