/* Guards of the local runtime's options: its root, and isolation that is required. Rows L1, P3. */
#include "local_world.h"

#include <stdlib.h>
#include <sys/stat.h>

static enum sbx_status create(struct local_world *w) {
    return sbx_local_create(&w->opt, w->env, &w->rt, &w->err);
}

/* ---- local_explicit_root ---- */

static void must_fire_local_explicit_root__missing(void) {
    struct local_world *w = local_world_bare();
    w->opt.root = NULL;
    T_STATUS(create(w), SBX_INVALID_ARGUMENT);
    T_STR(w->err.detail, "root: expected a directory for sandboxes");
    local_world_finish(w);
}

static void must_not_fire_local_explicit_root__given(void) {
    struct local_world *w = local_world_bare();
    T_STATUS(create(w), SBX_OK);
    T_STR(sbx_runtime_provider(w->rt), "local");
    local_world_finish(w);
}

/* ---- local_root_is_ours ---- */

static void root_of_mode(struct local_world *w, mode_t mode) {
    T_EQ(mkdir(w->root, 0700), 0);
    T_EQ(chmod(w->root, mode), 0);
}

static void must_fire_local_root_is_ours__all_may_write(void) {
    struct local_world *w = local_world_bare();
    root_of_mode(w, 0777);
    T_STATUS(create(w), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w->err.detail, "nobody else can write");
    local_world_finish(w);
}

static void must_not_fire_local_root_is_ours__all_may_read(void) {
    struct local_world *w = local_world_bare();
    root_of_mode(w, 0755);
    T_STATUS(create(w), SBX_OK);
    local_world_finish(w);
}

/* ---- local_isolation_fails_closed ---- */

static void must_fire_local_isolation_fails_closed__no_bubblewrap(void) {
    nobody_become();
    struct local_world *w = local_world_bare();
    w->opt.isolation = SBX_LOCAL_ISOLATION_REQUIRED;
    w->opt.bwrap = "/nonexistent/bwrap";
    T_STATUS(create(w), SBX_UNSUPPORTED);
    T_CONTAINS(w->err.detail, "isolation: expected bubblewrap");
    T_TRUE(!w->rt);
    T_EQ(local_world_entries(w), 0);
    local_world_finish(w);
}

static void must_not_fire_local_isolation_fails_closed__bubblewrap(void) {
    nobody_become();
    struct local_world *w = local_world_bare();
    w->opt.isolation = SBX_LOCAL_ISOLATION_REQUIRED;
    T_STATUS(create(w), SBX_OK);
    T_EQ(sbx_runtime_isolation(w->rt), SBX_ISOLATION_NAMESPACE);
    T_EQ(local_world_entries(w), 0);
    local_world_finish(w);
}

/* Bubblewrap that starts and cannot be entered is none, and without the requirement that is said. */
static void isolation_that_does_not_work_is_not_declared(void) {
    nobody_become();
    struct local_world *w = local_world_bare();
    w->opt.nsenter = "/bin/false";
    T_STATUS(create(w), SBX_OK);
    T_EQ(sbx_runtime_isolation(w->rt), SBX_ISOLATION_NONE);
    T_EQ(local_world_processes(w), 0);
    local_world_finish(w);
}

static void root_isolates_nobody(void) {
    struct local_world *w = local_world_bare();
    const int root = geteuid() == 0;
    w->opt.isolation = SBX_LOCAL_ISOLATION_REQUIRED;
    T_STATUS(create(w), root ? SBX_UNSUPPORTED : SBX_OK);
    local_world_finish(w);
}

/* ---- local_isolation_required ---- */

static enum sbx_status run_true(struct local_world *w, struct sbx_runtime *rt) {
    struct sbx_sandbox *again = NULL;
    struct sbx_exec_result *result = NULL;
    char id[SBX_ID_SIZE];
    sbx_sandbox_id(w->sb, id);
    T_STATUS(sbx_runtime_attach(rt, id, NULL, &again, &w->err), SBX_OK);
    enum sbx_status st = sbx_sandbox_exec(again, "echo ran >>$HOME/ran", NULL, NULL, &result, &w->err);
    sbx_exec_result_free(result);
    sbx_sandbox_free(again);
    return st;
}

static void must_fire_local_isolation_required__launched_without(void) {
    nobody_become();
    struct local_world *w = local_world_launched(0);
    struct sbx_runtime *strict = local_world_runtime(w, SBX_LOCAL_ISOLATION_REQUIRED);
    T_STATUS(run_true(w, strict), SBX_FORBIDDEN);
    T_EQ(w->err.outcome, SBX_OUTCOME_REFUSED);
    T_STR(local_world_says(w, "cat ran 2>/dev/null || true"), "");
    sbx_runtime_free(strict);
    local_world_finish(w);
}

static void must_not_fire_local_isolation_required__launched_with(void) {
    struct local_world *w = local_world_launched(1);
    struct sbx_runtime *strict = local_world_runtime(w, SBX_LOCAL_ISOLATION_REQUIRED);
    T_STATUS(run_true(w, strict), SBX_OK);
    T_STR(local_world_says(w, "cat ran"), "ran\n");
    sbx_runtime_free(strict);
    local_world_finish(w);
}

static void members_that_are_wrong_are_named(void) {
    struct local_world *w = local_world_bare();
    w->opt.root = "relative";
    T_STATUS(create(w), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w->err.detail, "root");
    w->opt.root = w->root;
    w->opt.isolation = 3;
    T_STATUS(create(w), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w->err.detail, "isolation");
    w->opt.isolation = SBX_LOCAL_ISOLATION_NONE;
    w->opt.shell = "sh";
    T_STATUS(create(w), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w->err.detail, "shell");
    w->opt.shell = NULL;
    w->opt.run_budget_ms = -1;
    T_STATUS(create(w), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w->err.detail, "run_budget_ms");
    local_world_finish(w);
}

T_CASES(T_CASE(must_fire_local_explicit_root__missing), T_CASE(must_not_fire_local_explicit_root__given),
        T_CASE(must_fire_local_root_is_ours__all_may_write), T_CASE(must_not_fire_local_root_is_ours__all_may_read),
        T_CASE(must_fire_local_isolation_fails_closed__no_bubblewrap),
        T_CASE(must_not_fire_local_isolation_fails_closed__bubblewrap),
        T_CASE(isolation_that_does_not_work_is_not_declared), T_CASE(root_isolates_nobody),
        T_CASE(must_fire_local_isolation_required__launched_without),
        T_CASE(must_not_fire_local_isolation_required__launched_with), T_CASE(members_that_are_wrong_are_named))
