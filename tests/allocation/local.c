/* Memory runs out in the runtime of this machine, whose processes are real, and in a workload through it. Each request
 * in turn (one of seven of a workload) is refused, alone and with all that come after it: what is said is true, and
 * nothing is left behind. Rows L1, P9, P11, P12. */
#include "local_world.h"
#include "short_memory.h"

#include <sandport/kit/text.h>
#include <sandport/orchestrator.h>
#include <stdio.h>

#define REQUESTS_MAX 20000
#define TREE_MAX     2

/* One operation. */
struct step {
    const char *name;
    int64_t requests_min; /* fewer, and the sweep was not of what it says */
    int64_t every;        /* of so many requests one is refused, 0 = each: real lives take their time */
    enum sbx_status also; /* what else it may truly say; SBX_OK = only SBX_NO_MEMORY */
    int makes;            /* it has no sandbox to begin with */
    int ends;             /* and none is left of the one it had: each run has one of its own */
    void (*before)(struct local_world *w); /* with memory enough, as after() */
    enum sbx_status (*run)(struct local_world *w);
    void (*after)(struct local_world *w, enum sbx_status st);
};

static struct sbx_env *inner; /* of the world's, which counts */

static struct local_world *world_short(void) {
    char hex[65];
    T_TRUE(sbx_sha256_of("", 0, hex)); /* what libcrypto sets up at its first hash is no part of an operation */
    struct local_world *w = local_world_bare();
    inner = w->env;
    w->env = short_memory_env(inner);
    w->rt = local_world_runtime(w, SBX_LOCAL_ISOLATION_NONE);
    return w;
}

static void world_finish(struct local_world *w) {
    local_world_finish(w);
    sbx_env_free(inner);
}

static void launched(struct local_world *w) {
    T_STATUS(sbx_runtime_launch(w->rt, NULL, NULL, &w->sb, &w->err), SBX_OK);
    T_STR(local_world_says(w, "mkdir t; echo a >t/f; echo b >t/g"), "");
}

static void sweep_way(const struct step *step, enum short_memory how) {
    struct local_world *w = world_short();
    int64_t nth = 1, refused = 1;
    short_memory_tree_max(TREE_MAX);
    for (; refused && nth < REQUESTS_MAX; nth += step->every ? step->every : 1) {
        if (!step->makes && !w->sb) launched(w);
        if (step->before) step->before(w);
        sbx_error_init(&w->err, sizeof(w->err));
        short_memory_arm(nth, how);
        const enum sbx_status st = step->run(w);
        refused = short_memory_disarm();
        const struct sbx_error err = w->err;
        if (st && !(refused && (st == SBX_NO_MEMORY || (step->also && st == step->also))))
            T_FAIL("%s, request %lld refused: %s %s", step->name, (long long)nth, sbx_status_name((int32_t)st),
                   err.detail);
        T_EQ(err.status, (int32_t)st);
        step->after(w, st);
        if (step->ends) T_EQ(local_world_processes(w), 0);
    }
    printf("%s: about %lld requests refused, %s\n", step->name, (long long)nth - 2,
           how == MEMORY_SHORT_ONCE ? "one at a time" : "all from one on");
    T_TRUE(nth < REQUESTS_MAX && nth - 2 >= step->requests_min);
    world_finish(w);
}

static void sweep(const struct step *step) {
    sweep_way(step, MEMORY_SHORT_ONCE);
    sweep_way(step, MEMORY_SHORT_FROM_THEN_ON);
}

static int nothing_was_done(const struct sbx_error *err) {
    return err->outcome == SBX_OUTCOME_NOT_SENT || err->outcome == SBX_OUTCOME_REFUSED;
}

static void drop(struct local_world *w) {
    T_STATUS(sbx_sandbox_destroy(w->sb, NULL, NULL), SBX_OK);
    sbx_sandbox_free(w->sb);
    w->sb = NULL;
    T_EQ(local_world_entries(w), 0);
}

/* ---- what makes and ends sandboxes ---- */

static enum sbx_status create_run(struct local_world *w) {
    struct sbx_runtime *rt = NULL;
    const enum sbx_status st = sbx_local_create(&w->opt, w->env, &rt, &w->err);
    T_EQ(st == SBX_OK, rt != NULL);
    sbx_runtime_free(rt);
    return st;
}

static void create_after(struct local_world *w, enum sbx_status st) {
    (void)st;
    T_EQ(local_world_entries(w), 0);
}

static void creating_a_runtime(void) {
    static const struct step step = {
        .name = "create", .requests_min = 6, .makes = 1, .run = create_run, .after = create_after};
    sweep(&step);
}

static enum sbx_status launch_run(struct local_world *w) {
    static const struct sbx_pair labels[] = {{"team", "blue"}}, vars[] = {{"LANG", "C"}};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.labels = labels;
    opt.label_count = 1;
    opt.env = vars;
    opt.env_count = 1;
    return sbx_runtime_launch(w->rt, &opt, NULL, &w->sb, &w->err);
}

/* What a failed launch has left is what reconcile finds by its acquisition, and nothing else. */
static void launch_failed(struct local_world *w) {
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_list *list = NULL;
    int32_t verdict = SBX_RECONCILE_UNDECIDED;
    const struct sbx_error err = w->err;
    T_TRUE(w->sb == NULL && err.outcome != SBX_OUTCOME_NONE);
    if (err.cleanup != SBX_CLEANUP_UNCONFIRMED) {
        T_EQ(local_world_entries(w), 0);
        return;
    }
    T_TRUE(!nothing_was_done(&err));
    opt.acquisition = err.acquisition;
    T_STATUS(sbx_runtime_reconcile(w->rt, &opt, NULL, &verdict, &list, NULL), SBX_OK);
    if (verdict == SBX_RECONCILE_FOUND) {
        T_STATUS(sbx_runtime_attach(w->rt, sbx_info_id(sbx_list_at(list, 0)), NULL, &w->sb, NULL), SBX_OK);
        sbx_sandbox_adopt(w->sb);
        drop(w);
    }
    sbx_list_free(list);
}

static void launch_after(struct local_world *w, enum sbx_status st) {
    if (st)
        launch_failed(w);
    else
        drop(w);
}

static void launching(void) {
    static const struct step step = {
        .name = "launch", .requests_min = 20, .makes = 1, .ends = 1, .run = launch_run, .after = launch_after};
    sweep(&step);
}

static enum sbx_status destroy_run(struct local_world *w) {
    return sbx_sandbox_destroy(w->sb, NULL, &w->err);
}

static void destroy_after(struct local_world *w, enum sbx_status st) {
    if (!st) T_EQ(local_world_entries(w), 0);
    if (!st) T_EQ(local_world_processes(w), 0);
    drop(w);
}

/* With a process that has left its group: who cannot look for it does not say that nobody is left. */
static void is_busy(struct local_world *w) {
    T_STR(local_world_says(w, "setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo begun"), "begun\n");
}

static void destroying(void) {
    static const struct step step = {
        .name = "destroy", .requests_min = 4, .ends = 1, .before = is_busy, .run = destroy_run, .after = destroy_after};
    sweep(&step);
}

/* ---- commands and runs ---- */

#define COUNTS "echo x >>count; echo said; exit 7"

static int counted(struct local_world *w) {
    const char *text = local_world_says(w, "cat count 2>/dev/null; rm -f count");
    return (int)(strlen(text) / 2);
}

static void ran_once_at_most(struct local_world *w, enum sbx_status st) {
    const struct sbx_error err = w->err;
    const int times = counted(w);
    T_TRUE(times <= 1);
    if (!st) T_EQ(times, 1);
    if (st && nothing_was_done(&err)) T_EQ(times, 0);
}

static enum sbx_status exec_run(struct local_world *w) {
    struct sbx_exec_result *result = NULL;
    const enum sbx_status st = sbx_sandbox_exec(w->sb, COUNTS, NULL, NULL, &result, &w->err);
    if (!st) T_STR(sbx_exec_result_stdout(result, NULL), "said\n");
    if (!st) T_EQ(sbx_exec_result_exit_code(result), 7);
    sbx_exec_result_free(result);
    return st;
}

static void running_a_command(void) {
    static const struct step step = {.name = "exec", .requests_min = 20, .run = exec_run, .after = ran_once_at_most};
    sweep(&step);
}

/* ---- files ---- */

static enum sbx_status upload_run(struct local_world *w) {
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "one", 3);
    return sbx_sandbox_upload(w->sb, "up", &from, NULL, NULL, NULL, &w->err);
}

static void upload_after(struct local_world *w, enum sbx_status st) {
    const struct sbx_error err = w->err;
    const char *text = local_world_says(w, "cat up 2>/dev/null; rm -f up");
    if (!st) T_STR(text, "one");
    if (st && err.outcome == SBX_OUTCOME_NOT_SENT) T_STR(text, "");
}

static void uploading(void) {
    static const struct step step = {.name = "upload", .requests_min = 20, .run = upload_run, .after = upload_after};
    sweep(&step);
}

static char got[16384];
static size_t got_len;

static int got_write(void *ctx, const void *data, size_t len) {
    (void)ctx;
    if (len > sizeof(got) - got_len) return -1;
    memcpy(got + got_len, data, len);
    got_len += len;
    return 0;
}

static const struct sbx_sink got_sink = {NULL, got_write};

static enum sbx_status download_run(struct local_world *w) {
    got_len = 0;
    const enum sbx_status st = sbx_sandbox_download(w->sb, "t/f", &got_sink, NULL, NULL, NULL, &w->err);
    if (!st) T_MEM(got, got_len, "a\n", 2);
    return st;
}

static void nothing_after(struct local_world *w, enum sbx_status st) {
    (void)w, (void)st;
}

static void downloading(void) {
    static const struct step step = {
        .name = "download", .requests_min = 20, .run = download_run, .after = nothing_after};
    sweep(&step);
}

static enum sbx_status list_run(struct local_world *w) {
    struct sbx_files *files = NULL;
    const enum sbx_status st = sbx_sandbox_list_dir(w->sb, "t", NULL, &files, &w->err);
    T_EQ(st == SBX_OK, files != NULL);
    if (!st) T_EQ(sbx_files_count(files), 2);
    if (!st) T_STR(sbx_files_path(files, 1), "g");
    sbx_files_free(files);
    return st;
}

static void listing(void) {
    static const struct step step = {.name = "list_dir", .requests_min = 8, .run = list_run, .after = nothing_after};
    sweep(&step);
}

static enum sbx_status tree_run(struct local_world *w) {
    got_len = 0;
    return sbx_sandbox_download_tree(w->sb, "t", &got_sink, NULL, NULL, NULL, &w->err);
}

/* Our own directory is gone, or it is said that it may not be. */
static void tree_after(struct local_world *w, enum sbx_status st) {
    const struct sbx_error err = w->err;
    const char *left = local_world_says(w, "ls -A \"$TMPDIR\"; rm -rf \"$TMPDIR\"/.sbx-*");
    if (!st) T_TRUE(got_len >= 1024);
    if (st && err.cleanup != SBX_CLEANUP_UNCONFIRMED) T_STR(left, "");
}

static void a_tree_down(void) {
    static const struct step step = {.name = "download_tree", .requests_min = 40, .run = tree_run, .after = tree_after};
    sweep(&step);
}

/* ---- a workload ---- */

static struct sbx_workload_result *done;

static enum sbx_status workload_run(struct local_world *w) {
    static const struct sbx_step steps[] = {
        {.size = sizeof(steps[0]), .id = "one", .command = "cat in; echo err >&2"},
        {.size = sizeof(steps[0]), .id = "two", .command = "tr a-z A-Z <in >out", .way = SBX_STEP_DURABLE}};
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "in\n", 3);
    const struct sbx_workload_file file = {.size = sizeof(file), .path = "in", .from = &from};
    const struct sbx_workload_collect collect = {.size = sizeof(collect), .path = "out", .to = &got_sink};
    const struct sbx_workload work = {.size = sizeof(work),
                                      .files = &file,
                                      .file_count = 1,
                                      .steps = steps,
                                      .step_count = 2,
                                      .collects = &collect,
                                      .collect_count = 1};
    got_len = 0;
    done = NULL;
    return sbx_workload_run(w->rt, &work, NULL, &done, &w->err);
}

/* Its sandbox is gone, or it is said that it may not be, and which one that is. */
static void workload_after(struct local_world *w, enum sbx_status st) {
    if (!st) T_MEM(got, got_len, "IN\n", 3);
    if (!st) T_EQ(sbx_workload_result_phase(done), SBX_PHASE_DONE);
    const int32_t cleanup = done ? sbx_workload_result_cleanup(done) : w->err.cleanup;
    if (cleanup == SBX_CLEANUP_UNCONFIRMED && local_world_entries(w)) {
        const char *id = done ? sbx_workload_result_acquisition(done) : w->err.acquisition;
        T_STATUS(sbx_runtime_attach(w->rt, id, NULL, &w->sb, NULL), SBX_OK);
        sbx_sandbox_adopt(w->sb);
        drop(w);
    }
    T_EQ(local_world_entries(w), 0);
    sbx_workload_result_free(done);
    done = NULL;
}

static void a_workload(void) {
    static const struct step step = {.name = "workload",
                                     .requests_min = 100,
                                     .every = 7,
                                     .makes = 1,
                                     .ends = 1,
                                     .run = workload_run,
                                     .after = workload_after};
    sweep(&step);
}

T_CASES(T_CASE(creating_a_runtime), T_CASE(launching), T_CASE(destroying), T_CASE(running_a_command), T_CASE(uploading),
        T_CASE(downloading), T_CASE(listing), T_CASE(a_tree_down), T_CASE(a_workload))
