/* Many files in one request, and directories as tar streams, on Daytona. Rows P8, P11, D14. */
#include "daytona_world.h"

#include <sandport/kit/text.h>
#include <stdio.h>

#define MANY 5

static void shell(struct world *w, const char *command, const char *want) {
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_sandbox_exec(w->sb, command, NULL, NULL, &result, &w->err), SBX_OK);
    T_STR(sbx_exec_result_stderr(result, NULL), "");
    T_STR(sbx_exec_result_stdout(result, NULL), want);
    sbx_exec_result_free(result);
}

static void nothing_is_left(struct world *w) {
    shell(w, "ls -A /tmp | grep sbx-tree || true", "");
}

/* ---- many ---- */

struct manifest {
    struct sbx_memory_reader memory[MANY];
    struct sbx_reader readers[MANY];
    struct sbx_upload_file files[MANY];
    struct sbx_files *told;
};

static void put(struct manifest *m, size_t i, const char *path, const void *data, size_t len, int32_t mode) {
    m->readers[i] = sbx_memory_reader_init(&m->memory[i], data, len);
    m->files[i] = (struct sbx_upload_file){.size = sizeof(m->files[i]),
                                           .path = path,
                                           .from = &m->readers[i],
                                           .bytes = len ? (int64_t)len : SBX_EMPTY_FILE,
                                           .mode = mode};
}

static enum sbx_status send(struct world *w, struct manifest *m, size_t count) {
    sbx_files_free(m->told);
    m->told = NULL;
    return sbx_sandbox_upload_files(w->sb, m->files, count, NULL, NULL, &m->told, &w->err);
}

static void many_files_in_one_request(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct manifest m = {0};
    put(&m, 0, "p/a b/one.sh", "#!/bin/sh\necho hi\n", 18, 0755);
    put(&m, 1, "p/empty", "", 0, 0);
    put(&m, 2, "p/-x", "\0\r\n--b", 6, 0600);
    put(&m, 3, "/tmp/q'u\"o\xe2\x82\xac", "data", 4, SBX_MODE_NONE);
    put(&m, 4, "p/deep/er/f", "f", 1, 0);
    T_STATUS(send(&w, &m, MANY), SBX_OK);
    T_EQ(sbx_files_count(m.told), MANY);
    for (size_t i = 0; i < MANY; i++) {
        T_STR(sbx_files_path(m.told, i), m.files[i].path);
        T_EQ(sbx_files_status(m.told, i), SBX_OK);
        T_EQ(sbx_files_verified(m.told, i), 1);
        T_EQ(strlen(sbx_files_sha256(m.told, i)), 64);
    }
    T_EQ(sbx_files_size(m.told, 0), 18);
    T_EQ(sbx_files_size(m.told, 1), 0);
    shell(&w, "'p/a b/one.sh'; stat -c '%a %s' 'p/a b/one.sh' p/empty ./p/-x /tmp/q*; cat p/deep/er/f",
          "hi\n755 18\n644 0\n600 6\n0 4\nf");
    T_TRUE(strstr(sbx_sim_timeline(w.sim), "bulk-upload") != NULL);
    sbx_files_free(m.told);
    world_finish(&w);
}

static void day8_35_a_part_of_them_may_fail(void) {
    static const char *const dialects[] = {"v190", "coded"};
    for (size_t i = 0; i < 2; i++) {
        char scenario[64];
        struct manifest m = {0};
        snprintf(scenario, sizeof(scenario), "{\"daytona\":{\"dialect\":\"%s\"}}", dialects[i]);
        struct world w = world_new_with(SEED, scenario, NULL);
        T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
        shell(&w, "mkdir folder; touch file", "");
        put(&m, 0, "a", "first", 5, 0);
        put(&m, 1, "/etc/passwd", "x", 1, 0);
        put(&m, 2, "folder", "x", 1, 0);
        put(&m, 3, "file/under", "x", 1, 0);
        put(&m, 4, "b", "last", 4, 0640);
        T_STATUS(send(&w, &m, MANY), SBX_FILE_DENIED);
        T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
        T_CONTAINS(w.err.detail, "files[1]");
        T_EQ(sbx_files_count(m.told), MANY);
        T_EQ(sbx_files_status(m.told, 0), SBX_OK);
        T_EQ(sbx_files_status(m.told, 1), SBX_FILE_DENIED);
        T_EQ(sbx_files_status(m.told, 2), SBX_INVALID_ARGUMENT);
        T_EQ(sbx_files_status(m.told, 3), SBX_INVALID_ARGUMENT);
        T_EQ(sbx_files_status(m.told, 4), SBX_OK);
        T_EQ(sbx_files_verified(m.told, 4), 1);
        shell(&w, "cat a b; stat -c %a b", "firstlast640\n");
        sbx_files_free(m.told);
        world_finish(&w);
    }
}

/* Whose error it is, where one path is a part of another; and an error that is nobody's is the upload's. */
static void day8_35_errors_find_their_files(void) {
    static const struct {
        const char *error;
        int32_t status, statuses[3];
    } rows[] = {{"b: permission denied", SBX_FILE_DENIED, {SBX_OK, SBX_FILE_DENIED, SBX_OK}},
                {"open a b: permission denied", SBX_FILE_DENIED, {SBX_OK, SBX_OK, SBX_FILE_DENIED}},
                {"open a: no space left on device", SBX_NO_SPACE, {SBX_NO_SPACE, SBX_OK, SBX_OK}},
                {"xb: permission denied", SBX_FILE_DENIED, {-1, -1, -1}},
                {"multipart: NextPart: unexpected EOF", SBX_PROVIDER, {-1, -1, -1}}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        struct manifest m = {0};
        char fault[256];
        put(&m, 0, "a", "1", 1, 0);
        put(&m, 1, "b", "2", 1, 0);
        put(&m, 2, "a b", "3", 1, 0);
        snprintf(fault, sizeof(fault),
                 "{'op':'daytona.toolbox.upload','phase':'after_commit','effect':{'kind':'status','status':400,"
                 "'body':'{\\\"errors\\\":[\\\"%s\\\"],\\\"files\\\":null}'}}",
                 rows[i].error);
        world_fault(&w, fault);
        T_STATUS(send(&w, &m, 3), rows[i].status);
        T_TRUE((rows[i].statuses[0] < 0) == (m.told == NULL));
        T_EQ(w.err.outcome, m.told ? SBX_OUTCOME_DONE : SBX_OUTCOME_UNKNOWN);
        for (size_t k = 0; m.told && k < 3; k++) T_EQ(sbx_files_status(m.told, k), rows[i].statuses[k]);
        sbx_files_free(m.told);
        world_finish(&w);
    }
}

/* More than one question long. */
static void a_thousand_files(void) {
    enum { N = SBX_UPLOAD_FILES_MAX };
    static char paths[N][300];
    static struct sbx_memory_reader memory[N];
    static struct sbx_reader readers[N];
    static struct sbx_upload_file files[N];
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_files *told = NULL;
    for (size_t i = 0; i < N; i++) {
        snprintf(paths[i], sizeof(paths[i]), "d%zu/%0200zu", i % 10, i);
        readers[i] = sbx_memory_reader_init(&memory[i], paths[i], strlen(paths[i]));
        files[i] = (struct sbx_upload_file){.size = sizeof(files[i]), .path = paths[i], .from = &readers[i]};
    }
    T_STATUS(sbx_sandbox_upload_files(w.sb, files, N, NULL, NULL, &told, &w.err), SBX_OK);
    T_EQ(sbx_files_count(told), N);
    for (size_t i = 0; i < N; i++) T_EQ(sbx_files_verified(told, i), 1);
    sbx_files_free(told);
    shell(&w, "ls d7 | wc -l | tr -d ' '", "100\n");
    world_finish(&w);
}

static ptrdiff_t broken_read(void *ctx, void *buf, size_t cap) {
    (void)ctx, (void)buf, (void)cap;
    return -1;
}

static void what_an_upload_of_many_does_not_take(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct manifest m = {0};
    const struct sbx_reader broken = {NULL, broken_read};
    put(&m, 0, "a", "a", 1, 0);
    put(&m, 1, "b", "b", 1, 0);
    T_STATUS(send(&w, &m, 0), SBX_INVALID_ARGUMENT);
    m.files[1].path = "a";
    T_STATUS(send(&w, &m, 2), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "files[1].path");
    m.files[1].path = "x/../b";
    T_STATUS(send(&w, &m, 2), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "files[1].path: expected no ..");
    m.files[1].path = " b";
    T_STATUS(send(&w, &m, 2), SBX_INVALID_ARGUMENT);
    m.files[1].path = "b";
    m.files[1].mode = 04755;
    T_STATUS(send(&w, &m, 2), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "mode");
    m.files[1].mode = 0;
    m.files[1].size = 8;
    T_STATUS(send(&w, &m, 2), SBX_INVALID_ARGUMENT);
    T_TIMELINE(w.sim, "");
    m.files[1].size = sizeof(m.files[1]);
    m.files[1].bytes = 2;
    T_STATUS(send(&w, &m, 2), SBX_STREAM);
    m.files[1].from = &broken;
    m.memory[0].at = 0;
    T_STATUS(send(&w, &m, 2), SBX_STREAM);
    T_TRUE(m.told == NULL);
    world_finish(&w);
}

static void a_mode_for_one_file(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    struct sbx_memory_reader memory;
    struct sbx_reader from = sbx_memory_reader_init(&memory, "#!/bin/sh\necho ran\n", 19);
    opt.mode = 0700;
    T_STATUS(sbx_sandbox_upload(w.sb, "run it", &from, &opt, NULL, NULL, &w.err), SBX_OK);
    shell(&w, "stat -c %a 'run it'; './run it'", "700\nran\n");
    opt.mode = 010000;
    T_STATUS(sbx_sandbox_upload(w.sb, "x", &from, &opt, NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    opt.mode = 0700;
    world_fault(
        &w, "{'op':'daytona.toolbox.permissions','phase':'before','effect':{'kind':'status','status':403,'body':''}}");
    from = sbx_memory_reader_init(&memory, "data", 4);
    T_STATUS(sbx_sandbox_upload(w.sb, "y", &from, &opt, NULL, NULL, &w.err), SBX_FILE_DENIED);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_CONTAINS(w.err.detail, "mode");
    shell(&w, "cat y", "data");
    world_finish(&w);
}

/* ---- trees ---- */

static enum sbx_status down(struct world *w, const char *dir, struct sbx_buf *got) {
    const struct sbx_sink to = sbx_buf_sink(got);
    struct sbx_transfer_result result = SBX_TRANSFER_RESULT_INIT;
    sbx_buf_clear(got);
    enum sbx_status st = sbx_sandbox_download_tree(w->sb, dir, &to, NULL, NULL, &result, &w->err);
    if (!st) T_EQ(result.bytes, got->len);
    return st;
}

static enum sbx_status up_for(struct world *w, const char *dir, const void *data, size_t len,
                              const struct sbx_call *call) {
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, data, len);
    opt.bytes = (int64_t)len;
    return sbx_sandbox_upload_tree(w->sb, dir, &from, &opt, call, NULL, &w->err);
}

static enum sbx_status up(struct world *w, const char *dir, const void *data, size_t len) {
    return up_for(w, dir, data, len, NULL);
}

static void a_tree_goes_down_and_up_again(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_buf tar = SBX_BUF_INIT;
    shell(&w,
          "mkdir -p 't/a b/c' t/empty; echo x >'t/a b/c/f'; printf 'n\\000l' >t/bin; chmod 750 t/bin; ln -s bin t/l",
          "");
    T_STATUS(down(&w, "t", &tar), SBX_OK);
    T_TRUE(tar.len >= 1024 && tar.len % 512 == 0);
    nothing_is_left(&w);
    T_STATUS(up(&w, "-new/one", tar.data, tar.len), SBX_OK);
    nothing_is_left(&w);
    shell(&w, "cd ./-new/one; find . | sort; cat 'a b/c/f'; stat -c '%a %s' bin; cmp bin ../../t/bin; readlink l",
          ".\n./a b\n./a b/c\n./a b/c/f\n./bin\n./empty\n./l\nx\n750 3\nbin\n");
    sbx_buf_finish(&tar);
    world_finish(&w);
}

static void a_tree_around_our_own_files(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_buf tar = SBX_BUF_INIT;
    shell(&w, "echo x >/tmp/x", "");
    T_STATUS(down(&w, "/tmp", &tar), SBX_OK);
    T_STATUS(up(&w, "copy", tar.data, tar.len), SBX_OK);
    shell(&w, "ls -A copy", "x\n");
    sbx_buf_finish(&tar);
    world_finish(&w);
}

static void what_is_no_tree(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_buf got = SBX_BUF_INIT;
    static char noise[2048];
    memset(noise, 'n', sizeof(noise));
    shell(&w, "mkdir d; echo keep >d/keep; touch f", "");
    T_STATUS(down(&w, "none", &got), SBX_FILE_NOT_FOUND);
    T_STATUS(down(&w, "f", &got), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "dir");
    T_EQ(got.len, 0);
    T_STATUS(up(&w, "d", noise, sizeof(noise)), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "from");
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_STATUS(up(&w, "f", noise, sizeof(noise)), SBX_INVALID_ARGUMENT);
    T_STATUS(up(&w, "/etc/x", noise, sizeof(noise)), SBX_FILE_DENIED);
    T_STATUS(up(&w, "a/../b", noise, sizeof(noise)), SBX_INVALID_ARGUMENT);
    shell(&w, "ls -A; ls d", "d\nf\nkeep\n");
    nothing_is_left(&w);
    sbx_buf_finish(&got);
    world_finish(&w);
}

/* The upload, the unpacking, the download: each lost in turn. */
static void a_failure_leaves_nothing_behind(void) {
    static const char *const faults[] = {
        "{'op':'daytona.toolbox.upload','phase':'before_commit','times':1,'effect':{'kind':'reset'}}",
        "{'op':'daytona.toolbox.upload','phase':'after_commit','times':1,'effect':{'kind':'status','status':500}}"};
    for (size_t i = 0; i < 2; i++) {
        struct world w = world_with_running_sandbox(SEED);
        struct sbx_buf tar = SBX_BUF_INIT;
        shell(&w, "mkdir t; echo x >t/f", "");
        T_STATUS(down(&w, "t", &tar), SBX_OK);
        world_fault(&w, faults[i]);
        T_TRUE(up(&w, "copy", tar.data, tar.len) != SBX_OK);
        T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
        T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
        shell(&w, "ls -A copy", "");
        nothing_is_left(&w);
        world_fault(&w, "{'op':'daytona.toolbox.download','phase':'mid_reply','times':1,'effect':{'kind':'cut',"
                        "'at_bytes':700}}");
        T_STATUS(down(&w, "t", &tar), SBX_CONNECTION_LOST);
        T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
        nothing_is_left(&w);
        sbx_buf_finish(&tar);
        world_finish(&w);
    }
}

struct stopper {
    struct sbx_memory_reader memory;
    struct sbx_cancel *cancel;
};

static ptrdiff_t stopper_read(void *ctx, void *buf, size_t cap) {
    struct stopper *stopper = ctx;
    const struct sbx_reader from = {&stopper->memory, NULL};
    struct sbx_memory_reader *memory = from.ctx;
    size_t left = memory->len - memory->at, n = left < cap ? left : cap;
    if (n > 512) n = 512;
    memcpy(buf, memory->data + memory->at, n);
    memory->at += n;
    if (memory->at >= 1024) sbx_cancel_fire(stopper->cancel);
    return (ptrdiff_t)n;
}

static void a_cancel_leaves_nothing_behind(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_buf tar = SBX_BUF_INIT;
    struct sbx_call call = SBX_CALL_INIT;
    shell(&w, "mkdir t; echo x >t/f", "");
    T_STATUS(down(&w, "t", &tar), SBX_OK);
    struct stopper stopper = {.memory = {tar.data, tar.len, 0}, .cancel = sbx_cancel_create(w.env)};
    const struct sbx_reader from = {&stopper, stopper_read};
    call.cancel = stopper.cancel;
    T_STATUS(sbx_sandbox_upload_tree(w.sb, "copy", &from, NULL, &call, NULL, &w.err), SBX_CANCELLED);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    nothing_is_left(&w);
    shell(&w, "ls -A copy", "");
    sbx_cancel_free(stopper.cancel);
    sbx_buf_finish(&tar);
    world_finish(&w);
}

static void a_sink_that_stops(void) {
    struct world w = world_with_running_sandbox(SEED);
    const struct sbx_sink to = {NULL, NULL};
    T_STATUS(sbx_sandbox_download_tree(w.sb, ".", &to, NULL, NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_upload_tree(w.sb, ".", NULL, NULL, NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    struct sbx_buf got = SBX_BUF_INIT;
    const struct sbx_sink all = sbx_buf_sink(&got);
    opt.mode = 0700;
    T_STATUS(sbx_sandbox_download_tree(w.sb, ".", &all, &opt, NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "mode");
    T_TIMELINE(w.sim, "");
    world_finish(&w);
}

static void day8_36_a_large_tree_comes_whole(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_buf tar = SBX_BUF_INIT;
    shell(&w, "mkdir t; head -c 3000000 /dev/zero >t/big; printf x >>t/big", "");
    T_STATUS(down(&w, "t", &tar), SBX_OK);
    T_TRUE(tar.len > 3000000);
    T_STATUS(up(&w, "copy", tar.data, tar.len), SBX_OK);
    shell(&w, "cmp t/big copy/big && echo same", "same\n");
    sbx_buf_finish(&tar);
    world_finish(&w);
}

/* ---- one large file ---- */

#define LARGE (100 * 1024 * 1024)

struct pattern {
    uint64_t at;
    size_t piece_max; /* the most that was asked for, or came, at once */
};

static ptrdiff_t pattern_read(void *ctx, void *buf, size_t cap) {
    struct pattern *p = ctx;
    size_t n = LARGE - p->at < cap ? (size_t)(LARGE - p->at) : cap;
    if (cap > p->piece_max) p->piece_max = cap;
    memset(buf, (int)('a' + p->at / (1024 * 1024) % 26), n);
    p->at += n;
    return (ptrdiff_t)n;
}

static int pattern_write(void *ctx, const void *data, size_t len) {
    struct pattern *p = ctx;
    (void)data;
    if (len > p->piece_max) p->piece_max = len;
    p->at += len;
    return 0;
}

/* However large a file is, no more than a piece of it is held. */
static void day8_35_a_hundred_mib_in_pieces(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct pattern up = {0}, down = {0};
    const struct sbx_reader from = {&up, pattern_read};
    const struct sbx_sink to = {&down, pattern_write};
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    struct sbx_transfer_result sent = SBX_TRANSFER_RESULT_INIT, got = SBX_TRANSFER_RESULT_INIT;
    opt.checksum = SBX_YES;
    T_STATUS(sbx_sandbox_upload(w.sb, "large", &from, &opt, NULL, &sent, &w.err), SBX_OK);
    T_EQ(sent.bytes, LARGE);
    T_STATUS(sbx_sandbox_download(w.sb, "large", &to, &opt, NULL, &got, &w.err), SBX_OK);
    T_EQ(got.bytes, LARGE);
    T_STR(got.sha256, sent.sha256);
    T_TRUE(up.piece_max <= 1024 * 1024 && down.piece_max <= 1024 * 1024);
    world_finish(&w);
}

T_CASES(T_CASE(many_files_in_one_request), T_CASE(day8_35_a_part_of_them_may_fail),
        T_CASE(day8_35_errors_find_their_files), T_CASE(a_thousand_files), T_CASE(what_an_upload_of_many_does_not_take),
        T_CASE(a_mode_for_one_file), T_CASE(a_tree_goes_down_and_up_again), T_CASE(a_tree_around_our_own_files),
        T_CASE(what_is_no_tree), T_CASE(a_failure_leaves_nothing_behind), T_CASE(a_cancel_leaves_nothing_behind),
        T_CASE(a_sink_that_stops), T_CASE(day8_36_a_large_tree_comes_whole), T_CASE(day8_35_a_hundred_mib_in_pieces))
