/* Guards of process manifests: what is no manifest, the order of starts and stops, and the idle verdict. All pure, but
 * for those of carrying out, which run on the toy. Row R19. */
#include "toy_world.h"

#include <sandport/kit/buf.h>
#include <sandport/manifest.h>
#include <sandport/sandport.h>

#define MAX 6

struct sheet {
    struct sbx_process processes[MAX];
    struct sbx_manifest manifest;
    const char *needs[MAX][MAX];
    struct sbx_plan *plan;
    struct sbx_error err;
    struct sbx_buf text;
};

/* Processes of these ids, each with a command. */
static void sheet_open(struct sheet *s, const char *const *ids, size_t count) {
    memset(s, 0, sizeof(*s));
    sbx_error_init(&s->err, sizeof(s->err));
    sbx_manifest_init(&s->manifest, sizeof(s->manifest));
    s->manifest.processes = s->processes;
    s->manifest.count = count;
    for (size_t i = 0; i < count; i++) {
        sbx_process_init(&s->processes[i], sizeof(s->processes[i]));
        s->processes[i].id = ids[i];
        s->processes[i].command = "sleep 1000";
        s->processes[i].needs = s->needs[i];
    }
}

static void need(struct sheet *s, size_t who, const char *whom) {
    s->needs[who][s->processes[who].need_count++] = whom;
}

static enum sbx_status plan(struct sheet *s) {
    return sbx_plan_create(&s->manifest, &s->plan, &s->err);
}

/* "start a, await a, ..." */
static const char *steps(struct sheet *s, int teardown) {
    static const char *const words[] = {"", "start", "await", "flush", "stop"};
    sbx_buf_clear(&s->text);
    for (size_t i = 0; i < sbx_plan_count(s->plan, teardown); i++)
        sbx_buf_printf(&s->text, "%s%s %s", i ? ", " : "", words[sbx_plan_action(s->plan, teardown, i)],
                       sbx_plan_process(s->plan, teardown, i));
    return sbx_buf_text(&s->text);
}

static void sheet_close(struct sheet *s) {
    sbx_plan_free(s->plan);
    sbx_buf_finish(&s->text);
}

static const char *const abc[] = {"a", "b", "c"};

/* ---- manifest_unknown_id, manifest_duplicate_id ---- */

static void must_fire_manifest_unknown_id__nobody(void) {
    struct sheet s;
    sheet_open(&s, abc, 2);
    need(&s, 1, "nobody");
    T_STATUS(plan(&s), SBX_INVALID_ARGUMENT);
    T_STR(s.err.detail, "needs: b -> nobody: no process of that id");
    sheet_close(&s);
}

static void must_not_fire_manifest_unknown_id__somebody(void) {
    struct sheet s;
    sheet_open(&s, abc, 2);
    need(&s, 1, "a");
    T_STATUS(plan(&s), SBX_OK);
    sheet_close(&s);
}

static void must_fire_manifest_duplicate_id__twice(void) {
    struct sheet s;
    sheet_open(&s, abc, 2);
    s.processes[1].id = "a";
    T_STATUS(plan(&s), SBX_INVALID_ARGUMENT);
    T_STR(s.err.detail, "id: a is there twice");
    sheet_close(&s);
}

static void must_not_fire_manifest_duplicate_id__case_differs(void) {
    struct sheet s;
    sheet_open(&s, abc, 2);
    s.processes[1].id = "A";
    T_STATUS(plan(&s), SBX_OK);
    sheet_close(&s);
}

/* ---- manifest_cycle ---- */

static void must_fire_manifest_cycle__by_way_of_another(void) {
    struct sheet s;
    sheet_open(&s, abc, 3);
    need(&s, 0, "b");
    need(&s, 1, "c");
    need(&s, 2, "b");
    T_STATUS(plan(&s), SBX_INVALID_ARGUMENT);
    T_STR(s.err.detail, "needs: b -> c -> b is a cycle");
    s.processes[1].need_count = s.processes[2].need_count = 0;
    need(&s, 1, "b");
    T_STATUS(plan(&s), SBX_INVALID_ARGUMENT);
    T_STR(s.err.detail, "needs: b -> b is a cycle");
    sheet_close(&s);
}

static void must_not_fire_manifest_cycle__two_ways_to_one(void) {
    struct sheet s;
    sheet_open(&s, abc, 3);
    need(&s, 0, "b");
    need(&s, 0, "c");
    need(&s, 1, "c");
    T_STATUS(plan(&s), SBX_OK);
    T_STR(steps(&s, 0), "start c, await c, start b, await b, start a, await a");
    sheet_close(&s);
}

/* ---- manifest_unreachable ---- */

static void must_fire_manifest_unreachable__never_ready(void) {
    struct sheet s;
    sheet_open(&s, abc, 3);
    need(&s, 0, "b");
    need(&s, 1, "c");
    s.processes[2].auxiliary = SBX_YES;
    s.processes[2].ready = SBX_READY_NEVER;
    T_STATUS(plan(&s), SBX_INVALID_ARGUMENT);
    T_STR(s.err.detail, "ready: a -> b -> c can never be ready");
    s.processes[2].ready = SBX_READY_EXITED;
    s.processes[2].restart = SBX_RESTART_ALWAYS;
    T_STATUS(plan(&s), SBX_INVALID_ARGUMENT);
    T_STR(s.err.detail, "ready: a -> b -> c can never be ready");
    sheet_close(&s);
}

static void must_not_fire_manifest_unreachable__nobody_waits(void) {
    struct sheet s;
    sheet_open(&s, abc, 3);
    need(&s, 0, "b");
    s.processes[2].auxiliary = SBX_YES;
    s.processes[2].ready = SBX_READY_NEVER;
    T_STATUS(plan(&s), SBX_OK);
    T_STR(steps(&s, 0), "start b, await b, start a, start c, await a");
    sheet_close(&s);
}

static void a_useful_one_that_can_never_be_ready(void) {
    struct sheet s;
    sheet_open(&s, abc, 1);
    s.processes[0].ready = SBX_READY_NEVER;
    T_STATUS(plan(&s), SBX_INVALID_ARGUMENT);
    T_STR(s.err.detail, "ready: a is useful and can never be ready");
    sheet_close(&s);
}

/* ---- manifest_needs_first, manifest_history_is_safe ---- */

static void chain(struct sheet *s) {
    sheet_open(s, abc, 3);
    need(s, 0, "b");
    for (size_t i = 0; i < 3; i++) s->processes[i].flush = "sync";
}

static void must_fire_manifest_needs_first__listed_after(void) {
    struct sheet s;
    chain(&s);
    T_STATUS(plan(&s), SBX_OK);
    T_STR(steps(&s, 0), "start b, await b, start a, start c, await a, await c");
    sheet_close(&s);
}

static void must_not_fire_manifest_needs_first__needs_nobody(void) {
    struct sheet s;
    chain(&s);
    s.processes[0].need_count = 0;
    T_STATUS(plan(&s), SBX_OK);
    T_STR(steps(&s, 0), "start a, start b, start c, await a, await b, await c");
    sheet_close(&s);
}

static void must_fire_manifest_history_is_safe__needed_by_another(void) {
    struct sheet s;
    chain(&s);
    s.processes[1].stop_order = 9;
    T_STATUS(plan(&s), SBX_OK);
    T_STR(steps(&s, 1), "flush c, stop c, flush a, stop a, flush b, stop b");
    sheet_close(&s);
}

static void must_not_fire_manifest_history_is_safe__needed_by_nobody(void) {
    struct sheet s;
    chain(&s);
    s.processes[0].need_count = 0;
    s.processes[1].stop_order = 9;
    T_STATUS(plan(&s), SBX_OK);
    T_STR(steps(&s, 1), "flush b, stop b, flush c, stop c, flush a, stop a");
    sheet_close(&s);
}

/* ---- idle_needs_evidence ---- */

static int32_t idle(struct sheet *s, const struct sbx_idle_evidence *evidence, size_t count) {
    if (!s->plan) T_STATUS(plan(s), SBX_OK);
    return sbx_plan_idle(s->plan, evidence, count, 1000000);
}

static struct sbx_idle_evidence quiet(const char *id, int64_t for_ms) {
    struct sbx_idle_evidence is = SBX_IDLE_EVIDENCE_INIT;
    is.id = id;
    is.known = SBX_YES;
    is.last_act_ms = 1000000 - for_ms;
    return is;
}

static void must_fire_idle_needs_evidence__nobody_looked(void) {
    struct sheet s;
    sheet_open(&s, abc, 2);
    struct sbx_idle_evidence both[] = {quiet("a", 90000), quiet("b", 90000)};
    both[1].known = SBX_NO;
    T_EQ(idle(&s, both, 2), SBX_IDLE_UNDECIDED);
    T_EQ(idle(&s, both, 1), SBX_IDLE_UNDECIDED);
    T_EQ(idle(&s, NULL, 0), SBX_IDLE_UNDECIDED);
    sheet_close(&s);
}

static void must_not_fire_idle_needs_evidence__all_quiet(void) {
    struct sheet s;
    sheet_open(&s, abc, 2);
    const struct sbx_idle_evidence both[] = {quiet("b", 90000), quiet("a", 60000)};
    T_EQ(idle(&s, both, 2), SBX_IDLE_YES);
    sheet_close(&s);
}

static void whoever_is_busy_decides(void) {
    struct sheet s;
    sheet_open(&s, abc, 3);
    s.processes[2].auxiliary = SBX_YES;
    struct sbx_idle_evidence each[] = {quiet("a", 59999), quiet("b", 90000), quiet("c", 0)};
    T_EQ(idle(&s, each, 3), SBX_IDLE_BUSY); /* not for long enough */
    each[0] = quiet("a", 60000);
    T_EQ(idle(&s, each, 3), SBX_IDLE_YES); /* what an auxiliary one does is no work */
    each[0].active = SBX_YES;
    each[1].known = SBX_DEFAULT;
    T_EQ(idle(&s, each, 3), SBX_IDLE_BUSY);
    sheet_close(&s);
}

/* ---- what is no manifest ---- */

static void refused(struct sheet *s, const char *why) {
    T_STATUS(plan(s), SBX_INVALID_ARGUMENT);
    T_CONTAINS(s->err.detail, why);
    T_TRUE(!s->plan);
}

static void members_that_are_wrong_are_named(void) {
    struct sheet s;
    sheet_open(&s, abc, 2);
    s.manifest.count = 0;
    refused(&s, "manifest: expected 1 to 256 processes");
    s.manifest.count = 2;
    s.processes[1].id = "b\n";
    refused(&s, "processes[1].id");
    s.processes[1].id = "b";
    s.processes[1].command = "  ";
    refused(&s, "processes[1].command");
    s.processes[1].command = "true";
    s.processes[1].ready = SBX_READY_PROBE;
    refused(&s, "processes[1].probe");
    s.processes[1].ready = 7;
    refused(&s, "processes[1].ready");
    s.processes[1].ready = SBX_READY_STARTED;
    s.processes[1].restart_max = -1;
    refused(&s, "restart_max");
    s.processes[1].restart_max = 0;
    s.processes[1].size = 8;
    refused(&s, "processes[1].size");
    sheet_close(&s);
}

/* A path that does not fit names its two ends. */
static void a_long_way_is_told_by_its_ends(void) {
    static char names[200][SBX_PROCESS_ID_BYTES_MAX + 1];
    static struct sbx_process processes[200];
    static const char *needs[200];
    struct sbx_manifest manifest = SBX_MANIFEST_INIT;
    struct sbx_plan *none = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    manifest.processes = processes;
    manifest.count = 200;
    for (size_t i = 0; i < 200; i++) {
        sbx_process_init(&processes[i], sizeof(processes[i]));
        snprintf(names[i], sizeof(names[i]), "process-of-a-rather-long-name-%zu", i);
        processes[i].id = names[i];
        processes[i].command = "true";
        needs[i] = names[(i + 1) % 200];
        processes[i].needs = &needs[i];
        processes[i].need_count = 1;
    }
    T_STATUS(sbx_plan_create(&manifest, &none, &err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(err.detail, "needs: process-of-a-rather-long-name-0 -> ");
    T_CONTAINS(err.detail, " -> ... -> process-of-a-rather-long-name-0 is a cycle");
}

/* ---- carrying out: running_is_not_started_again, restart_is_bounded, unflushed_is_not_stopped ---- */

struct floor {
    struct toy_world *w;
    struct sheet s;
};

static void floor_open(struct floor *f) {
    f->w = toy_world_new();
    sbx_runtime_free(f->w->rt);
    f->w->opt.rich = 1;
    T_STATUS(toy_create(&f->w->opt, f->w->env, &f->w->rt, &f->w->err), SBX_OK);
    T_STATUS(sbx_runtime_launch(f->w->rt, NULL, NULL, &f->w->sb, &f->w->err), SBX_OK);
    sheet_open(&f->s, abc, 1);
}

static void floor_close(struct floor *f) {
    sheet_close(&f->s);
    toy_processes_end(f->w->root);
    T_STATUS(sbx_sandbox_destroy(f->w->sb, NULL, &f->w->err), SBX_OK);
    toy_world_finish(f->w);
}

static int says(struct floor *f, const char *command, const char *want) {
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_sandbox_exec(f->w->sb, command, NULL, NULL, &result, &f->w->err), SBX_OK);
    int same = strcmp(sbx_exec_result_stdout(result, NULL), want) == 0;
    sbx_exec_result_free(result);
    return same;
}

static enum sbx_status start(struct floor *f) {
    if (!f->s.plan) T_STATUS(plan(&f->s), SBX_OK);
    return sbx_plan_start(f->s.plan, f->w->sb, NULL, &f->w->err);
}

static void must_fire_running_is_not_started_again__it_runs(void) {
    struct floor f;
    floor_open(&f);
    f.s.processes[0].command = "echo x >>times; exec sleep 1000";
    f.s.processes[0].ready = SBX_READY_PROBE;
    f.s.processes[0].probe = "test -s times";
    T_STATUS(start(&f), SBX_OK);
    T_STATUS(start(&f), SBX_OK);
    T_TRUE(says(&f, "cat times", "x\n"));
    floor_close(&f);
}

static void must_not_fire_running_is_not_started_again__it_was_stopped(void) {
    struct floor f;
    floor_open(&f);
    f.s.processes[0].command = "echo x >>times; exec sleep 1000";
    f.s.processes[0].ready = SBX_READY_PROBE;
    f.s.processes[0].probe = "test -s times";
    T_STATUS(start(&f), SBX_OK);
    T_STATUS(sbx_plan_stop(f.s.plan, f.w->sb, SBX_DEFAULT, NULL, &f.w->err), SBX_OK);
    T_TRUE(says(&f, "mv times first", ""));
    T_STATUS(start(&f), SBX_OK);
    T_TRUE(says(&f, "cat first times", "x\nx\n"));
    floor_close(&f);
}

static enum sbx_status fails_so_often(struct floor *f, const char *command) {
    floor_open(f);
    f->s.processes[0].command = command;
    f->s.processes[0].ready = SBX_READY_EXITED;
    f->s.processes[0].restart = SBX_RESTART_ON_FAILURE;
    f->s.processes[0].restart_max = 2;
    return start(f);
}

static void must_fire_restart_is_bounded__always_fails(void) {
    struct floor f;
    T_STATUS(fails_so_often(&f, "echo x >>times; exit 1"), SBX_NOT_READY);
    T_STR(f.w->err.detail, "a: it has ended and is not ready");
    T_TRUE(says(&f, "cat times", "x\nx\nx\n"));
    floor_close(&f);
}

static void must_not_fire_restart_is_bounded__fails_twice(void) {
    struct floor f;
    T_STATUS(fails_so_often(&f, "echo x >>times; test $(wc -l <times) -eq 3"), SBX_OK);
    T_TRUE(says(&f, "cat times", "x\nx\nx\n"));
    floor_close(&f);
}

static enum sbx_status stop_after(struct floor *f, const char *flush) {
    floor_open(f);
    f->s.processes[0].flush = flush;
    T_STATUS(start(f), SBX_OK);
    return sbx_plan_stop(f->s.plan, f->w->sb, SBX_DEFAULT, NULL, &f->w->err);
}

static void must_fire_unflushed_is_not_stopped__flush_fails(void) {
    struct floor f;
    T_STATUS(stop_after(&f, "exit 1"), SBX_CONFLICT);
    T_STR(f.w->err.detail, "a: its flush failed, so it is not stopped");
    T_TRUE(toy_processes(f.w->root) > 0);
    T_STATUS(sbx_plan_stop(f.s.plan, f.w->sb, SBX_YES, NULL, &f.w->err), SBX_OK);
    T_EQ(toy_processes(f.w->root), 0);
    floor_close(&f);
}

static void must_not_fire_unflushed_is_not_stopped__flushed(void) {
    struct floor f;
    T_STATUS(stop_after(&f, "exit 0"), SBX_OK);
    T_EQ(toy_processes(f.w->root), 0);
    floor_close(&f);
}

T_CASES(T_CASE(must_fire_manifest_unknown_id__nobody), T_CASE(must_not_fire_manifest_unknown_id__somebody),
        T_CASE(must_fire_manifest_duplicate_id__twice), T_CASE(must_not_fire_manifest_duplicate_id__case_differs),
        T_CASE(must_fire_manifest_cycle__by_way_of_another), T_CASE(must_not_fire_manifest_cycle__two_ways_to_one),
        T_CASE(must_fire_manifest_unreachable__never_ready), T_CASE(must_not_fire_manifest_unreachable__nobody_waits),
        T_CASE(a_useful_one_that_can_never_be_ready), T_CASE(must_fire_manifest_needs_first__listed_after),
        T_CASE(must_not_fire_manifest_needs_first__needs_nobody),
        T_CASE(must_fire_manifest_history_is_safe__needed_by_another),
        T_CASE(must_not_fire_manifest_history_is_safe__needed_by_nobody),
        T_CASE(must_fire_idle_needs_evidence__nobody_looked), T_CASE(must_not_fire_idle_needs_evidence__all_quiet),
        T_CASE(whoever_is_busy_decides), T_CASE(members_that_are_wrong_are_named),
        T_CASE(a_long_way_is_told_by_its_ends), T_CASE(must_fire_running_is_not_started_again__it_runs),
        T_CASE(must_not_fire_running_is_not_started_again__it_was_stopped),
        T_CASE(must_fire_restart_is_bounded__always_fails), T_CASE(must_not_fire_restart_is_bounded__fails_twice),
        T_CASE(must_fire_unflushed_is_not_stopped__flush_fails),
        T_CASE(must_not_fire_unflushed_is_not_stopped__flushed))
