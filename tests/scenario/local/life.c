/* The life of sandboxes of this machine: other processes, other threads, durable runs, what is found. Rows L1, P1, P10.
 */
#include "local_world.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

/* Runs `play` in a process of its own, which then is killed, as a crash would. */
static void in_a_process_that_dies(struct local_world *w, void (*play)(struct local_world *w, const char *id)) {
    char id[SBX_ID_SIZE];
    int status = 0;
    sbx_sandbox_id(w->sb, id);
    pid_t pid = fork();
    T_TRUE(pid >= 0);
    if (pid == 0) {
        play(w, id);
        raise(SIGKILL);
    }
    T_EQ(waitpid(pid, &status, 0), pid);
    T_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static struct sbx_sandbox *attached(struct local_world *w, const char *id) {
    struct sbx_runtime *rt = local_world_runtime(w, w->opt.isolation);
    struct sbx_sandbox *sb = NULL;
    T_STATUS(sbx_runtime_attach(rt, id, NULL, &sb, &w->err), SBX_OK);
    T_EQ(sbx_sandbox_owned(sb), 0);
    return sb;
}

static void submit(struct local_world *w, const char *id) {
    T_STATUS(sbx_sandbox_submit(attached(w, id), "job", "echo one; read -r x <go; echo $x; exit 5", NULL, NULL, NULL,
                                &w->err),
             SBX_OK);
}

static void a_run_outlives_whoever_started_it_in(int isolated) {
    struct local_world *w = local_world_launched(isolated);
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    struct sbx_run *run = NULL;
    char out[16];
    size_t len = 0;
    local_world_says(w, "mkfifo go");
    in_a_process_that_dies(w, submit);
    T_STATUS(sbx_sandbox_poll(w->sb, "job", NULL, &status, &w->err), SBX_OK);
    T_EQ(status.state, SBX_RUN_RUNNING);
    local_world_says(w, "echo two >go");
    T_STATUS(sbx_run_open(w->sb, "job", &run, &w->err), SBX_OK);
    T_STATUS(sbx_run_wait(run, NULL, &status, &w->err), SBX_OK);
    T_EQ(status.state, SBX_RUN_EXITED);
    T_EQ(status.exit_code, 5);
    T_STATUS(sbx_run_read(run, SBX_STDOUT, out, sizeof(out), NULL, &len, &w->err), SBX_OK);
    T_MEM(out, len, "one\ntwo\n", 8);
    sbx_run_free(run);
    local_world_finish(w);
}

static void a_run_outlives_whoever_started_it(void) {
    a_run_outlives_whoever_started_it_in(0);
}

static void a_run_outlives_whoever_started_it_isolated(void) {
    a_run_outlives_whoever_started_it_in(1);
}

static void note(struct local_world *w, const char *id) {
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_sandbox_exec(attached(w, id), "echo kept >note", NULL, NULL, &result, &w->err), SBX_OK);
}

static void another_process_can_go_on_with_it(void) {
    struct local_world *w = local_world_launched(0);
    in_a_process_that_dies(w, note);
    T_STR(local_world_says(w, "cat note"), "kept\n");
    local_world_finish(w);
}

static void a_stop_ends_runs_and_keeps_files(void) {
    struct local_world *w = local_world_launched(0);
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    T_STATUS(sbx_sandbox_submit(w->sb, "job", "echo here >file; sleep 1000", NULL, NULL, NULL, &w->err), SBX_OK);
    local_world_says(w, "while [ ! -s file ]; do :; done");
    T_STATUS(sbx_sandbox_stop(w->sb, NULL, NULL, &w->err), SBX_OK);
    T_EQ(local_world_processes(w), 0);
    T_STATUS(sbx_sandbox_exec(w->sb, "true", NULL, NULL, &w->result, &w->err), SBX_NOT_READY);
    T_EQ(w->err.outcome, SBX_OUTCOME_REFUSED);
    T_STATUS(sbx_sandbox_start(w->sb, NULL, NULL, NULL, &w->err), SBX_OK);
    T_STR(local_world_says(w, "cat file"), "here\n");
    T_STATUS(sbx_sandbox_poll(w->sb, "job", NULL, &status, &w->err), SBX_OK);
    T_EQ(status.state, SBX_RUN_LOST);
    local_world_finish(w);
}

static size_t found_with(struct local_world *w, const char *name, const char *value, char id[SBX_ID_SIZE]) {
    const struct sbx_pair label = {name, value};
    struct sbx_query query = SBX_QUERY_INIT;
    struct sbx_list *list = NULL;
    int64_t count = 0;
    query.labels = &label;
    query.label_count = 1;
    T_STATUS(sbx_runtime_find(w->rt, &query, NULL, &list, &w->err), SBX_OK);
    T_STATUS(sbx_runtime_count(w->rt, &query, NULL, &count, &w->err), SBX_OK);
    size_t n = sbx_list_count(list);
    T_EQ(count, n);
    if (n) snprintf(id, SBX_ID_SIZE, "%s", sbx_info_id(sbx_list_at(list, 0)));
    sbx_list_free(list);
    return n;
}

static void they_are_found_by_label(void) {
    struct local_world *w = local_world_launched(0);
    const struct sbx_pair labels[] = {{"job", "7"}, {"team", "blue"}};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_sandbox *sb = NULL;
    char id[SBX_ID_SIZE], found[SBX_ID_SIZE] = "";
    opt.labels = labels;
    opt.label_count = 2;
    T_STATUS(sbx_runtime_launch(w->rt, &opt, NULL, &sb, &w->err), SBX_OK);
    sbx_sandbox_id(sb, id);
    T_EQ(found_with(w, "job", "7", found), 1);
    T_STR(found, id);
    T_EQ(found_with(w, "job", "8", found), 0);
    T_STATUS(sbx_sandbox_destroy(sb, NULL, &w->err), SBX_OK);
    T_EQ(found_with(w, "job", "7", found), 0);
    sbx_sandbox_free(sb);
    local_world_finish(w);
}

/* ---- many at once ---- */

#define THREADS 8
#define TIMES   6

static void *works(void *arg) {
    struct local_world *w = arg;
    intptr_t failed = 0;
    for (int i = 0; i < TIMES; i++) {
        struct sbx_error err = SBX_ERROR_INIT;
        struct sbx_exec_result *result = NULL;
        failed += sbx_sandbox_exec(w->sb, "echo x; echo y >&2; exit 3", NULL, NULL, &result, &err) != SBX_OK ||
                  sbx_exec_result_exit_code(result) != 3 || strcmp(sbx_exec_result_stdout(result, NULL), "x\n") != 0 ||
                  strcmp(sbx_exec_result_stderr(result, NULL), "y\n") != 0;
        sbx_exec_result_free(result);
    }
    return (void *)failed;
}

static void threads_do_not_mix_their_commands(void) {
    struct local_world *w = local_world_launched(0);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) T_EQ(pthread_create(&threads[i], NULL, works, w), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed = NULL;
        T_EQ(pthread_join(threads[i], &failed), 0);
        T_TRUE(failed == NULL);
    }
    local_world_finish(w);
}

/* Of launches with one name at once, one succeeds. */
static void *launches(void *arg) {
    struct local_world *w = arg;
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_sandbox *sb = NULL;
    opt.name = "only";
    (void)!sbx_runtime_launch(w->rt, &opt, NULL, &sb, NULL);
    return sb;
}

static void one_name_one_sandbox(void) {
    struct local_world *w = local_world_new(0);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) T_EQ(pthread_create(&threads[i], NULL, launches, w), 0);
    for (int i = 0; i < THREADS; i++) {
        void *sb = NULL;
        T_EQ(pthread_join(threads[i], &sb), 0);
        T_TRUE(!sb || !w->sb);
        if (sb) w->sb = sb;
    }
    T_TRUE(w->sb);
    T_EQ(local_world_entries(w), 1);
    local_world_finish(w);
}

/* What a crash in the middle of a launch or a destroy leaves is in nobody's way. */
static void leftovers_of_a_crash_are_taken_away(void) {
    static const char acquisition[] = "00112233445566778899aabbccddeeff";
    struct local_world *w = local_world_new(0);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    char command[512];
    opt.acquisition = acquisition;
    opt.name = "mine";
    snprintf(command, sizeof(command),
             "cd %s; mkdir -p .new-%s/home .old-%s/home; chmod 0 .old-%s/home; ln -s %s .names/x", w->root, acquisition,
             acquisition, acquisition, acquisition);
    T_EQ(system(command), 0);
    T_STATUS(sbx_runtime_launch(w->rt, &opt, NULL, &w->sb, &w->err), SBX_OK);
    T_STATUS(sbx_sandbox_destroy(w->sb, NULL, &w->err), SBX_OK);
    T_EQ(local_world_entries(w), 0);
    local_world_finish(w);
}

T_CASES(T_CASE(a_run_outlives_whoever_started_it), T_CASE(a_run_outlives_whoever_started_it_isolated),
        T_CASE(another_process_can_go_on_with_it), T_CASE(a_stop_ends_runs_and_keeps_files),
        T_CASE(they_are_found_by_label), T_CASE(threads_do_not_mix_their_commands), T_CASE(one_name_one_sandbox),
        T_CASE(leftovers_of_a_crash_are_taken_away))
