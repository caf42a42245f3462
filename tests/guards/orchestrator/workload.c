/* Guards of workloads: what is refused, what is compared, and that the teardown comes whatever happened. Row P2. */
#include "toy_world.h"

#include <dirent.h>
#include <sandport/kit/text.h>
#include <sandport/orchestrator.h>
#include <sandport/sandport.h>

struct bench {
    struct toy_world *w;
    struct sbx_workload work;
    struct sbx_step steps[2];
    struct sbx_workload_file files[2];
    struct sbx_memory_reader memory[2];
    struct sbx_reader readers[2];
    struct sbx_call call;
    struct sbx_workload_result *result;
};

static void bench_open(struct bench *b, int rich) {
    memset(b, 0, sizeof(*b));
    b->w = toy_world_new();
    sbx_runtime_free(b->w->rt);
    b->w->opt.rich = rich;
    T_STATUS(toy_create(&b->w->opt, b->w->env, &b->w->rt, &b->w->err), SBX_OK);
    sbx_workload_init(&b->work, sizeof(b->work));
    sbx_call_init(&b->call, sizeof(b->call));
    b->work.steps = b->steps;
    b->work.files = b->files;
}

static struct sbx_step *step(struct bench *b, const char *command, int32_t way) {
    static const char *const ids[] = {"first", "second"};
    struct sbx_step *it = &b->steps[b->work.step_count];
    sbx_step_init(it, sizeof(*it));
    it->id = ids[b->work.step_count++];
    it->command = command;
    it->way = way;
    return it;
}

static struct sbx_workload_file *file(struct bench *b, const char *path, const char *text) {
    size_t i = b->work.file_count++;
    struct sbx_workload_file *it = &b->files[i];
    sbx_workload_file_init(it, sizeof(*it));
    b->readers[i] = sbx_memory_reader_init(&b->memory[i], text, strlen(text));
    it->path = path;
    it->from = &b->readers[i];
    return it;
}

static enum sbx_status go(struct bench *b) {
    return sbx_workload_run(b->w->rt, &b->work, &b->call, &b->result, &b->w->err);
}

static int sandboxes(const struct bench *b) {
    int n = 0;
    DIR *d = opendir(b->w->root);
    T_TRUE(d);
    for (const struct dirent *e; (e = readdir(d));) n += sbx_is_hex(e->d_name, 32);
    closedir(d);
    return n;
}

static void bench_close(struct bench *b) {
    sbx_workload_result_free(b->result);
    toy_processes_end(b->w->root);
    toy_world_finish(b->w);
}

/* ---- workload_undeclared ---- */

static void must_fire_workload_undeclared__no_durable_runs(void) {
    struct bench b;
    bench_open(&b, 0);
    step(&b, "echo", SBX_STEP_DURABLE);
    T_STATUS(go(&b), SBX_UNSUPPORTED);
    T_EQ(b.w->err.outcome, SBX_OUTCOME_NOT_SENT);
    T_STR(b.w->err.detail, "the runtime does not declare ASYNC_EXEC");
    T_EQ(b.w->opt.calls, 0);
    T_TRUE(!b.result);
    bench_close(&b);
}

static void must_not_fire_workload_undeclared__durable_runs(void) {
    struct bench b;
    bench_open(&b, 1);
    step(&b, "echo", SBX_STEP_DURABLE);
    T_STATUS(go(&b), SBX_OK);
    bench_close(&b);
}

/* ---- unwaited_run_is_ended: the sandbox cannot be deleted, so it shows ---- */

static void a_run_of(struct bench *b, const char *command) {
    bench_open(b, 1);
    b->w->opt.fail_destroy = 100;
    step(b, command, SBX_STEP_DURABLE)->limit_ms = 3000;
}

static void must_fire_unwaited_run_is_ended__beyond_its_limit(void) {
    struct bench b;
    a_run_of(&b, "echo out; sleep 1000");
    T_STATUS(go(&b), SBX_DEADLINE);
    T_EQ(sandboxes(&b), 1);
    T_EQ(toy_processes(b.w->root), 0);
    T_STR(sbx_workload_result_step_output(b.result, 0, SBX_STDOUT, NULL), "out\n");
    bench_close(&b);
}

static void must_not_fire_unwaited_run_is_ended__ends_by_itself(void) {
    struct bench b;
    a_run_of(&b, "echo out");
    T_STATUS(go(&b), SBX_PROVIDER); /* of the teardown */
    T_EQ(sbx_workload_result_step_exit_code(b.result, 0), 0);
    bench_close(&b);
}

/* ---- upload_is_as_listed ---- */

#define SHA256_OF_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static enum sbx_status put_as_abc(struct bench *b, const char *text) {
    bench_open(b, 0);
    file(b, "f", text)->sha256 = SHA256_OF_ABC;
    step(b, "true", SBX_STEP_SYNC);
    return go(b);
}

static void must_fire_upload_is_as_listed__another_text(void) {
    struct bench b;
    T_STATUS(put_as_abc(&b, "abd"), SBX_STREAM);
    T_STR(b.w->err.detail, "files[0]: its reader gave another sha256");
    T_EQ(sbx_workload_result_step_count(b.result), 0);
    T_EQ(sandboxes(&b), 0);
    bench_close(&b);
}

static void must_not_fire_upload_is_as_listed__that_text(void) {
    struct bench b;
    T_STATUS(put_as_abc(&b, "abc"), SBX_OK);
    T_STR(sbx_workload_result_file_sha256(b.result, 0, 0), SHA256_OF_ABC);
    bench_close(&b);
}

/* ---- upload_is_verified: by two names one file, of which the second text is left ---- */

static enum sbx_status put_two(struct bench *b, const char *second) {
    bench_open(b, 0);
    file(b, "f", "one");
    file(b, second, "two");
    step(b, "true", SBX_STEP_SYNC);
    return go(b);
}

static void must_fire_upload_is_verified__overwritten(void) {
    struct bench b;
    T_STATUS(put_two(&b, "./f"), SBX_CONNECTION_LOST);
    T_STR(b.w->err.detail, "files[0]: the sandbox has not what was sent");
    T_EQ(sbx_workload_result_phase(b.result), SBX_PHASE_UPLOAD);
    T_EQ(sbx_workload_result_step_count(b.result), 0);
    bench_close(&b);
}

static void must_not_fire_upload_is_verified__beside_it(void) {
    struct bench b;
    T_STATUS(put_two(&b, "./g"), SBX_OK);
    T_EQ(sbx_workload_result_file_verified(b.result, 0), 1);
    bench_close(&b);
}

/* ---- failed_step_is_last ---- */

static void must_fire_failed_step_is_last__it_may_not(void) {
    struct bench b;
    bench_open(&b, 0);
    step(&b, "exit 3", SBX_STEP_SYNC)->may_fail = SBX_NO;
    step(&b, "true", SBX_STEP_SYNC);
    T_STATUS(go(&b), SBX_OK);
    T_EQ(sbx_workload_result_step_count(b.result), 1);
    T_EQ(sbx_workload_result_failed_step(b.result), 0);
    bench_close(&b);
}

static void must_not_fire_failed_step_is_last__it_may(void) {
    struct bench b;
    bench_open(&b, 0);
    step(&b, "exit 3", SBX_STEP_SYNC)->may_fail = SBX_YES;
    step(&b, "true", SBX_STEP_SYNC);
    T_STATUS(go(&b), SBX_OK);
    T_EQ(sbx_workload_result_step_count(b.result), 2);
    T_EQ(sbx_workload_result_failed_step(b.result), -1);
    bench_close(&b);
}

/* ---- teardown_always ---- */

static enum sbx_status nowhere(struct bench *b, int64_t cleanup_ms) {
    bench_open(b, 1);
    step(b, "true", SBX_STEP_DURABLE)->cwd = "nowhere";
    b->call.cleanup_ms = cleanup_ms;
    return go(b);
}

static void must_fire_teardown_always__after_a_failure(void) {
    struct bench b;
    T_STATUS(nowhere(&b, 0), SBX_INVALID_ARGUMENT);
    T_EQ(sandboxes(&b), 0);
    T_EQ(sbx_workload_result_cleanup(b.result), SBX_CLEANUP_CONFIRMED);
    bench_close(&b);
}

static void must_not_fire_teardown_always__no_cleanup_wanted(void) {
    struct bench b;
    T_STATUS(nowhere(&b, SBX_NO_CLEANUP), SBX_INVALID_ARGUMENT);
    T_EQ(sandboxes(&b), 1);
    T_EQ(sbx_workload_result_cleanup(b.result), SBX_CLEANUP_UNCONFIRMED);
    T_EQ(strlen(sbx_workload_result_acquisition(b.result)), 32);
    bench_close(&b);
}

/* ---- a teardown that fails is told apart ---- */

static void a_delete_that_fails_is_tried_again(void) {
    struct bench b;
    bench_open(&b, 0);
    b.w->opt.fail_destroy = 2;
    step(&b, "true", SBX_STEP_SYNC);
    T_STATUS(go(&b), SBX_OK);
    T_EQ(sandboxes(&b), 0);
    bench_close(&b);
}

static void the_first_failure_stays(void) {
    struct bench b;
    bench_open(&b, 1);
    b.w->opt.fail_destroy = 100;
    step(&b, "true", SBX_STEP_DURABLE)->cwd = "nowhere";
    T_STATUS(go(&b), SBX_INVALID_ARGUMENT);
    T_STR(b.w->err.operation, "submit");
    T_EQ(sbx_workload_result_phase(b.result), SBX_PHASE_STEPS);
    T_EQ(sbx_workload_result_teardown(b.result)->status, SBX_PROVIDER);
    T_EQ(sbx_workload_result_cleanup(b.result), SBX_CLEANUP_UNCONFIRMED);
    bench_close(&b);
}

static void what_is_no_workload(void) {
    struct bench b;
    bench_open(&b, 1);
    T_STATUS(sbx_workload_run(b.w->rt, NULL, NULL, &b.result, &b.w->err), SBX_INVALID_ARGUMENT);
    step(&b, "true", SBX_STEP_SYNC);
    step(&b, "true", SBX_STEP_SYNC)->id = "first";
    T_STATUS(go(&b), SBX_INVALID_ARGUMENT);
    T_STR(b.w->err.detail, "steps[1]: expected an id that no other has");
    b.steps[1].id = "second";
    b.steps[1].way = SBX_STEP_STREAMED;
    T_STATUS(go(&b), SBX_INVALID_ARGUMENT);
    T_STR(b.w->err.detail, "steps[1]: expected an output to stream to");
    b.steps[1].way = SBX_STEP_SYNC;
    b.steps[1].size = 3;
    T_STATUS(go(&b), SBX_INVALID_ARGUMENT);
    T_EQ(b.w->opt.calls, 0);
    T_TRUE(!b.result);
    bench_close(&b);
}

T_CASES(T_CASE(must_fire_workload_undeclared__no_durable_runs), T_CASE(must_not_fire_workload_undeclared__durable_runs),
        T_CASE(must_fire_unwaited_run_is_ended__beyond_its_limit),
        T_CASE(must_not_fire_unwaited_run_is_ended__ends_by_itself),
        T_CASE(must_fire_upload_is_as_listed__another_text), T_CASE(must_not_fire_upload_is_as_listed__that_text),
        T_CASE(must_fire_upload_is_verified__overwritten), T_CASE(must_not_fire_upload_is_verified__beside_it),
        T_CASE(must_fire_failed_step_is_last__it_may_not), T_CASE(must_not_fire_failed_step_is_last__it_may),
        T_CASE(must_fire_teardown_always__after_a_failure), T_CASE(must_not_fire_teardown_always__no_cleanup_wanted),
        T_CASE(a_delete_that_fails_is_tried_again), T_CASE(the_first_failure_stays), T_CASE(what_is_no_workload))
