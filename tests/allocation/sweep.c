/* The loop of a sweep, and what its operations share. */
#include "sweep.h"

#include <stdio.h>

#define REQUESTS_MAX 20000
#define TREE_MAX     2

static char shell_text[4096];

void sweep_fail(struct sweep *s, const char *expected, const char *file, int line) {
    char said[512];
    sbx_error_describe(&s->w.err, said, sizeof(said));
    t_fail(file, line, "%s, request %lld refused%s: expected %s\nstatus %s\nerror %s\n%s", s->op->name,
           (long long)s->nth, s->how == MEMORY_SHORT_ONCE ? "" : " and all that came after it", expected,
           sbx_status_name((int32_t)s->st), said, sbx_sim_timeline(s->w.sim));
}

static void world_begin(struct sweep *s) {
    struct world *w = &s->w;
    *w = world_bare(SEED, NULL, SWEEP_KEY);
    w->env = short_memory_env(w->env);
    T_STATUS(world_runtime(w->env, &w->rt, &w->err), SBX_OK);
}

/* What holds for every operation: it ends as it should, or says that memory ran out, and the error is whole. */
static void said_what_it_should(struct sweep *s, int64_t refused) {
    const struct operation *op = s->op;
    S_TRUE(s, s->st == op->due || (refused && (s->st == SBX_NO_MEMORY || (op->also && s->st == op->also))));
    S_TRUE(s, s->w.err.status == (int32_t)s->st);
    S_TRUE(s, s->st == SBX_OK || s->w.err.operation[0]);
}

static void run_begin(struct sweep *s) {
    world_begin(s);
    if (s->op->before) s->op->before(s);
    sbx_sim_timeline_reset(s->w.sim);
}

static void run_end(struct sweep *s) {
    struct sbx_env *env = s->w.env;
    s->op->after(s);
    S_TRUE(s, sbx_sim_ledger_live(s->w.sim) == 0);
    world_finish(&s->w);
    sbx_env_free(env);
}

static void sweep_way(const struct operation *op, enum short_memory how) {
    struct sweep s = {.op = op, .nth = 1, .how = how};
    short_memory_tree_max(op->whole_trees ? 0 : TREE_MAX);
    for (int64_t refused = 1; refused && s.nth < REQUESTS_MAX; s.nth++) {
        if (s.nth == 1 || !op->only_reads) run_begin(&s);
        sbx_error_init(&s.w.err, sizeof(s.w.err));
        short_memory_arm(s.nth, how);
        s.st = op->run(&s);
        refused = short_memory_disarm();
        said_what_it_should(&s, refused);
        if (!refused || !op->only_reads) run_end(&s);
    }
    printf("%s: %lld requests refused, %s\n", op->name, (long long)s.nth - 2,
           how == MEMORY_SHORT_ONCE ? "one at a time" : "all from one on");
    T_TRUE(s.nth < REQUESTS_MAX && s.nth - 2 >= op->requests_min);
}

void sweep(const struct operation *op) {
    sweep_way(op, MEMORY_SHORT_ONCE);
    sweep_way(op, MEMORY_SHORT_FROM_THEN_ON);
}

void sweep_launched(struct sweep *s) {
    T_STATUS(sbx_runtime_launch(s->w.rt, NULL, NULL, &s->w.sb, &s->w.err), SBX_OK);
}

void sweep_stopped(struct sweep *s) {
    sweep_launched(s);
    T_STATUS(sbx_sandbox_stop(s->w.sb, NULL, NULL, &s->w.err), SBX_OK);
}

int32_t sweep_state(struct sweep *s) {
    struct sbx_info *info = NULL;
    if (sbx_sandbox_info(s->w.sb, NULL, &info, NULL)) sweep_fail(s, "its state can be read", __FILE__, __LINE__);
    int32_t state = sbx_info_state(info);
    sbx_info_free(info);
    return state;
}

size_t sweep_found(struct sweep *s, const char *acquisition, char *id) {
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_list *list = NULL;
    int32_t verdict = SBX_RECONCILE_UNDECIDED;
    opt.acquisition = acquisition;
    if (sbx_runtime_reconcile(s->w.rt, &opt, NULL, &verdict, &list, NULL))
        sweep_fail(s, "a reconcile that works", __FILE__, __LINE__);
    S_TRUE(s, verdict != SBX_RECONCILE_UNDECIDED);
    size_t n = sbx_list_count(list);
    S_TRUE(s, (verdict == SBX_RECONCILE_FOUND) == (n > 0));
    id[0] = 0;
    if (n) snprintf(id, SBX_ID_SIZE, "%s", sbx_info_id(sbx_list_at(list, 0)));
    sbx_list_free(list);
    return n;
}

void sweep_remove(struct sweep *s, const char *id) {
    struct sbx_sandbox *sb = NULL;
    if (sbx_runtime_attach(s->w.rt, id, NULL, &sb, NULL)) sweep_fail(s, "an attach that works", __FILE__, __LINE__);
    sbx_sandbox_adopt(sb);
    if (sbx_sandbox_destroy(sb, NULL, NULL)) sweep_fail(s, "a destroy that works", __FILE__, __LINE__);
    sbx_sandbox_free(sb);
}

void sweep_destroy(struct sweep *s) {
    if (sbx_sandbox_destroy(s->w.sb, NULL, NULL)) sweep_fail(s, "the handle can be destroyed", __FILE__, __LINE__);
}

const char *sweep_shell(struct sweep *s, const char *command) {
    struct sbx_exec_result *result = NULL;
    if (sbx_sandbox_exec(s->w.sb, command, NULL, NULL, &result, NULL))
        sweep_fail(s, "the handle runs commands", __FILE__, __LINE__);
    snprintf(shell_text, sizeof(shell_text), "%s", sbx_exec_result_stdout(result, NULL));
    sbx_exec_result_free(result);
    return shell_text;
}
