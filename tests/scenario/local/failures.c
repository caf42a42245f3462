/* What went wrong on machines of others, on this one: tests by the failures' numbers. Row L1. */
#include "local_world.h"

#include <stdio.h>
#include <unistd.h>

/* F044: the command is over when it has ended, though a child in the background holds its output; one that has sent its
 * own elsewhere goes on. */
static void f044_in(int isolated) {
    struct local_world *w = local_world_launched(isolated);
    T_STR(local_world_says(w, "sleep 1000 & echo ok"), "ok\n");
    T_EQ(sbx_exec_result_exit_code(w->result), 0);
    T_STR(local_world_says(w, "(until [ -e go ]; do :; done; echo alive >after) & echo ok"), "ok\n");
    T_STR(local_world_says(w, "touch go; until [ -s after ]; do :; done; cat after"), "alive\n");
    local_world_finish(w);
}
static void f044_a_child_holds_the_output(void) {
    f044_in(0);
}
static void f044_a_child_holds_the_output_isolated(void) {
    f044_in(1);
}

/* F053: a command gets an input that is at its end, whatever the caller's own input is. */
static void f053_input_is_closed(void) {
    struct local_world *w = local_world_launched(0);
    int ends[2];
    const int kept = dup(STDIN_FILENO);
    T_EQ(pipe(ends), 0);
    T_EQ(dup2(ends[0], STDIN_FILENO), STDIN_FILENO); /* nobody writes, and nobody closes it */
    T_STR(local_world_says(w, "cat; echo over"), "over\n");
    T_EQ(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    close(kept);
    local_world_finish(w);
}

/* F056: a stop ends the children of a command too, also those that do not heed SIGTERM. */
static void f056_a_stop_ends_children(void) {
    struct local_world *w = local_world_launched(0);
    T_STATUS(sbx_sandbox_submit(w->sb, "job", "(trap '' TERM; sleep 1000; sleep 1000) & echo up >up; sleep 1000", NULL,
                                NULL, NULL, &w->err),
             SBX_OK);
    local_world_says(w, "until [ -s up ]; do :; done; sleep 1000 & :");
    T_TRUE(local_world_processes(w) >= 3);
    T_STATUS(sbx_sandbox_stop(w->sb, NULL, NULL, &w->err), SBX_OK);
    T_EQ(local_world_processes(w), 0);
    local_world_finish(w);
}

/* F032: isolation that was asked for and cannot be had is no runtime, and never one without. What is not asked for is
 * another matter, and says so. */
static void f032_isolation_that_is_down_is_not_none(void) {
    struct local_world *w = local_world_bare();
    w->opt.bwrap = "/nonexistent/bwrap";
    w->opt.isolation = SBX_LOCAL_ISOLATION_REQUIRED;
    T_STATUS(sbx_local_create(&w->opt, w->env, &w->rt, &w->err), SBX_UNSUPPORTED);
    T_TRUE(w->rt == NULL);
    w->rt = local_world_runtime(w, SBX_LOCAL_ISOLATION_NONE);
    local_world_finish(w);
}

T_CASES(T_CASE(f044_a_child_holds_the_output), T_CASE(f044_a_child_holds_the_output_isolated),
        T_CASE(f053_input_is_closed), T_CASE(f056_a_stop_ends_children),
        T_CASE(f032_isolation_that_is_down_is_not_none))
