/* Workloads, the same through every runtime: what they bring back, what ends them, and that nothing is left. Row P2. */
#include "stage.h"

#include <stdlib.h>

#define STEPS_MAX 4

struct play {
    struct stage *stage;
    struct sbx_workload work;
    struct sbx_workload_file files[2];
    struct sbx_step steps[STEPS_MAX];
    struct sbx_workload_collect collects[2];
    struct sbx_memory_reader memory[2];
    struct sbx_reader readers[2];
    struct sbx_buf got[2];
    struct sbx_sink sinks[2];
    struct sbx_buf heard;
    struct sbx_cancel *cancel;
    struct sbx_call call;
    struct sbx_error err;
    struct sbx_workload_result *result;
};

static struct play *play_open(void) {
    struct play *p = calloc(1, sizeof(*p));
    T_TRUE(p);
    p->stage = stage_open();
    p->cancel = sbx_cancel_create(p->stage->env);
    T_TRUE(p->cancel);
    sbx_call_init(&p->call, sizeof(p->call));
    sbx_error_init(&p->err, sizeof(p->err));
    sbx_workload_init(&p->work, sizeof(p->work));
    p->work.files = p->files;
    p->work.steps = p->steps;
    p->work.collects = p->collects;
    return p;
}

static struct sbx_workload_file *add_file(struct play *p, const char *path, const char *text) {
    size_t i = p->work.file_count++;
    sbx_workload_file_init(&p->files[i], sizeof(p->files[i]));
    p->readers[i] = sbx_memory_reader_init(&p->memory[i], text, strlen(text));
    p->files[i].path = path;
    p->files[i].from = &p->readers[i];
    return &p->files[i];
}

static struct sbx_step *add_step(struct play *p, const char *id, const char *command, int32_t way) {
    struct sbx_step *step = &p->steps[p->work.step_count++];
    sbx_step_init(step, sizeof(*step));
    step->id = id;
    step->command = command;
    step->way = way;
    return step;
}

static struct sbx_workload_collect *add_collect(struct play *p, const char *path) {
    size_t i = p->work.collect_count++;
    sbx_workload_collect_init(&p->collects[i], sizeof(p->collects[i]));
    p->sinks[i] = sbx_buf_sink(&p->got[i]);
    p->collects[i].path = path;
    p->collects[i].to = &p->sinks[i];
    return &p->collects[i];
}

static int hear(void *ctx, int32_t stream, const void *data, size_t len) {
    struct play *p = ctx;
    if (stream == SBX_STDOUT) sbx_buf_append(&p->heard, data, len);
    return p->heard.failed;
}

static enum sbx_status go(struct play *p) {
    return sbx_workload_run(p->stage->rt, &p->work, &p->call, &p->result, &p->err);
}

/* Whatever happened: nothing is left, and that is said. */
static void play_close(struct play *p) {
    T_EQ(p->stage->left(p->stage), 0);
    if (p->result) T_EQ(sbx_workload_result_cleanup(p->result), SBX_CLEANUP_CONFIRMED);
    sbx_workload_result_free(p->result);
    sbx_cancel_free(p->cancel);
    sbx_buf_finish(&p->got[0]);
    sbx_buf_finish(&p->got[1]);
    sbx_buf_finish(&p->heard);
    p->stage->close(p->stage);
    free(p);
}

static const char *output(const struct play *p, size_t step, int32_t stream) {
    return sbx_workload_result_step_output(p->result, step, stream, NULL);
}

/* ---- all of it ---- */

static void files_steps_and_what_they_made(void) {
    struct play *p = play_open();
    add_file(p, "in/a b.txt", "one\ntwo\n");
    add_file(p, "run.sh", "echo sorted >&2; sort -r \"$1\"\n")->mode = 0700;
    add_step(p, "sort", "sh run.sh 'in/a b.txt' >out.txt; cat out.txt; echo done >&2", SBX_STEP_SYNC);
    struct sbx_step *streamed = add_step(p, "stream", "cat out.txt; echo more", SBX_STEP_STREAMED);
    streamed->output = hear;
    streamed->output_ctx = p;
    add_step(p, "durable", "echo run; echo side >&2; exit 0", SBX_STEP_DURABLE);
    add_collect(p, "out.txt");
    T_STATUS(go(p), SBX_OK);
    T_EQ(sbx_workload_result_phase(p->result), SBX_PHASE_DONE);
    T_EQ(sbx_workload_result_failed_step(p->result), -1);
    T_EQ(sbx_workload_result_step_count(p->result), 3);
    for (size_t i = 0; i < 3; i++) {
        T_EQ(sbx_workload_result_step_status(p->result, i), SBX_OK);
        T_EQ(sbx_workload_result_step_exit_known(p->result, i), 1);
        T_EQ(sbx_workload_result_step_exit_code(p->result, i), 0);
        T_EQ(sbx_workload_result_step_merged(p->result, i), 0);
        T_EQ(sbx_workload_result_step_exact(p->result, i), 1);
        T_TRUE(sbx_workload_result_step_ended_ms(p->result, i) >= sbx_workload_result_step_begun_ms(p->result, i));
    }
    T_STR(output(p, 0, SBX_STDOUT), "two\none\n");
    T_STR(output(p, 0, SBX_STDERR), "sorted\ndone\n");
    T_STR(sbx_buf_text(&p->heard), "two\none\nmore\n");
    T_STR(output(p, 1, SBX_STDOUT), "two\none\nmore\n");
    T_STR(output(p, 2, SBX_STDOUT), "run\n");
    T_STR(output(p, 2, SBX_STDERR), "side\n");
    T_EQ(sbx_workload_result_step_total(p->result, 2, SBX_STDOUT), 4);
    T_STR(sbx_buf_text(&p->got[0]), "two\none\n");
    T_EQ(sbx_workload_result_file_bytes(p->result, 1, 0), 8);
    for (size_t i = 0; i < 2; i++) {
        T_EQ(sbx_workload_result_file_status(p->result, 0, i), SBX_OK);
        T_EQ(sbx_workload_result_file_verified(p->result, i), 1);
        T_EQ(strlen(sbx_workload_result_file_sha256(p->result, 0, i)), 64);
    }
    T_EQ(strlen(sbx_workload_result_acquisition(p->result)), 32);
    T_TRUE(*sbx_workload_result_sandbox_id(p->result));
    T_EQ(sbx_workload_result_teardown(p->result)->status, SBX_OK);
    play_close(p);
}

static void a_step_that_fails_is_the_last(void) {
    struct play *p = play_open();
    add_step(p, "tolerated", "exit 4", SBX_STEP_SYNC)->may_fail = SBX_YES;
    add_step(p, "fails", "echo log >log; exit 3", SBX_STEP_SYNC);
    add_step(p, "never", "echo never >log", SBX_STEP_SYNC);
    add_collect(p, "log");
    add_collect(p, "nothing")->may_be_missing = SBX_YES;
    T_STATUS(go(p), SBX_OK);
    T_EQ(sbx_workload_result_failed_step(p->result), 1);
    T_EQ(sbx_workload_result_step_count(p->result), 2);
    T_EQ(sbx_workload_result_step_exit_code(p->result, 0), 4);
    T_EQ(sbx_workload_result_step_exit_code(p->result, 1), 3);
    T_STR(sbx_buf_text(&p->got[0]), "log\n");
    T_EQ(sbx_workload_result_file_status(p->result, 1, 1), SBX_FILE_NOT_FOUND);
    play_close(p);
}

/* ---- its ends ---- */

static void fails_in(struct play *p, enum sbx_status want, int32_t phase) {
    T_STATUS(go(p), want);
    T_EQ(p->err.status, want);
    T_EQ(sbx_workload_result_phase(p->result), phase);
    T_EQ(sbx_workload_result_teardown(p->result)->status, SBX_OK);
}

static void a_step_beyond_its_limit(void) {
    struct play *p = play_open();
    add_step(p, "slow", "echo first; sleep 1000", SBX_STEP_SYNC)->limit_ms = 400;
    add_step(p, "never", "true", SBX_STEP_SYNC);
    fails_in(p, SBX_DEADLINE, SBX_PHASE_STEPS);
    T_EQ(sbx_workload_result_step_count(p->result), 1);
    T_EQ(sbx_workload_result_step_exit_known(p->result, 0) && sbx_workload_result_step_exit_code(p->result, 0) == 0, 0);
    play_close(p);
}

static void a_durable_step_beyond_its_limit(void) {
    struct play *p = play_open();
    add_step(p, "slow", "echo first; sleep 1000", SBX_STEP_DURABLE)->limit_ms = 5000;
    fails_in(p, SBX_DEADLINE, SBX_PHASE_STEPS);
    T_STR(output(p, 0, SBX_STDOUT), "first\n");
    play_close(p);
}

static ptrdiff_t fire_and_give(void *ctx, void *buf, size_t cap) {
    struct play *p = ctx;
    (void)cap;
    sbx_cancel_fire(p->cancel);
    memcpy(buf, "x", 1);
    return 1;
}

static void a_cancel_in_an_upload(void) {
    struct play *p = play_open();
    add_file(p, "endless", "");
    p->readers[0] = (struct sbx_reader){p, fire_and_give};
    add_step(p, "never", "true", SBX_STEP_SYNC);
    p->call.cancel = p->cancel;
    fails_in(p, SBX_CANCELLED, SBX_PHASE_UPLOAD);
    T_EQ(sbx_workload_result_step_count(p->result), 0);
    play_close(p);
}

static int hear_and_fire(void *ctx, int32_t stream, const void *data, size_t len) {
    struct play *p = ctx;
    sbx_cancel_fire(p->cancel);
    return hear(ctx, stream, data, len);
}

static void cancelled_by_its_output(int32_t way) {
    struct play *p = play_open();
    struct sbx_step *step = add_step(p, "slow", "echo first; sleep 1000", way);
    step->output = hear_and_fire;
    step->output_ctx = p;
    add_collect(p, "never");
    p->call.cancel = p->cancel;
    fails_in(p, SBX_CANCELLED, SBX_PHASE_STEPS);
    T_STR(sbx_buf_text(&p->heard), "first\n");
    T_STR(output(p, 0, SBX_STDOUT), "first\n");
    play_close(p);
}

static void a_cancel_in_a_streamed_step(void) {
    cancelled_by_its_output(SBX_STEP_STREAMED);
}

static void a_cancel_in_a_durable_step(void) {
    cancelled_by_its_output(SBX_STEP_DURABLE);
}

static int fire_at_once(void *ctx, const void *data, size_t len) {
    struct play *p = ctx;
    (void)data, (void)len;
    sbx_cancel_fire(p->cancel);
    return 1;
}

static void a_sink_that_stops(void) {
    struct play *p = play_open();
    add_step(p, "makes", "echo text >file", SBX_STEP_SYNC);
    add_collect(p, "file");
    p->sinks[0] = (struct sbx_sink){p, fire_at_once};
    fails_in(p, SBX_STREAM, SBX_PHASE_COLLECT);
    play_close(p);
}

static void a_cancel_before_it_begins(void) {
    struct play *p = play_open();
    add_step(p, "never", "true", SBX_STEP_SYNC);
    sbx_cancel_fire(p->cancel);
    p->call.cancel = p->cancel;
    T_STATUS(go(p), SBX_CANCELLED);
    T_EQ(sbx_workload_result_phase(p->result), SBX_PHASE_LAUNCH);
    T_EQ(sbx_workload_result_cleanup(p->result), SBX_CLEANUP_NONE);
    T_EQ(p->stage->left(p->stage), 0);
    sbx_workload_result_free(p->result);
    p->result = NULL;
    play_close(p);
}

T_CASES(T_CASE(files_steps_and_what_they_made), T_CASE(a_step_that_fails_is_the_last), T_CASE(a_step_beyond_its_limit),
        T_CASE(a_durable_step_beyond_its_limit), T_CASE(a_cancel_in_an_upload), T_CASE(a_cancel_in_a_streamed_step),
        T_CASE(a_cancel_in_a_durable_step), T_CASE(a_sink_that_stops), T_CASE(a_cancel_before_it_begins))
