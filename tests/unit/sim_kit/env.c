/* The in-process env beyond the seam's suite: callers as fibers, waits, locks, what a client leaves behind, the end. */
#include "echo.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct scene {
    struct echo_cloud echo;
    struct sim *sim;
    struct sbx_env *env;
    struct echo_answer ans;
};

static struct scene *scene_new(void) {
    struct scene *s = calloc(1, sizeof(*s));
    T_TRUE(s);
    s->sim = echo_sim(1, &s->echo);
    s->env = sim_env(s->sim);
    return s;
}

static void scene_free(struct scene *s) {
    echo_answer_finish(&s->ans);
    sim_free(s->sim);
    free(s);
}

/* ---- waiting ---- */

static void set_event(void *arg) {
    struct sbx_cancel *cancel = arg;
    sbx_cancel_fire(cancel);
}

static void sleep__ends_at_its_time_or_by_a_cancel(void) {
    struct scene *s = scene_new();
    struct sbx_cancel *cancel = sbx_cancel_create(s->env);
    struct sim_timer timer = {0};
    T_STATUS(s->env->sleep_until(s->env, 50, NULL), SBX_OK);
    T_EQ(s->env->now_ms(s->env), 50);
    T_EQ(s->env->wall_ms(s->env), SIM_EPOCH_MS + 50);
    T_STATUS(s->env->sleep_until(s->env, 10, NULL), SBX_OK);
    T_EQ(s->env->now_ms(s->env), 50);
    T_STATUS(sim_timer_set(sim_world(s->sim), &timer, 70 * SIM_MS, set_event, cancel), SBX_OK);
    T_STATUS(s->env->sleep_until(s->env, 500, sbx_cancel_event(cancel)), SBX_CANCELLED);
    T_EQ(s->env->now_ms(s->env), 70);
    T_STATUS(s->env->sleep_until(s->env, 500, sbx_cancel_event(cancel)), SBX_CANCELLED);
    T_EQ(s->env->now_ms(s->env), 70);
    sbx_cancel_free(cancel);
    scene_free(s);
}

static void event__set_deadline_or_cancel_whichever_is_first(void) {
    struct scene *s = scene_new();
    struct sbx_env *env = s->env;
    struct sbx_event *event = env->event_new(env), *cancel = env->event_new(env);
    T_STATUS(env->event_wait(env, event, 30, cancel), SBX_DEADLINE);
    T_EQ(env->now_ms(env), 30);
    env->event_set(env, cancel);
    T_STATUS(env->event_wait(env, event, 60, cancel), SBX_CANCELLED);
    env->event_set(env, event);
    T_STATUS(env->event_wait(env, event, 60, cancel), SBX_OK);
    T_STATUS(env->event_wait(env, event, 0, NULL), SBX_OK); /* it stays set */
    env->event_free(env, event);
    env->event_free(env, cancel);
    scene_free(s);
}

static void event__nothing_can_ever_set_it(void) {
    struct scene *s = scene_new();
    struct sbx_event *event = s->env->event_new(s->env);
    T_STATUS(s->env->event_wait(s->env, event, SBX_NO_DEADLINE, NULL), SBX_DEADLINE);
    s->env->event_free(s->env, event);
    scene_free(s);
}

static void random__is_the_seeds(void) {
    unsigned char a[32], b[32], c[32];
    for (int i = 0; i < 2; i++) {
        struct scene *s = scene_new();
        T_STATUS(s->env->random(s->env, i ? b : a, sizeof(a)), SBX_OK);
        T_STATUS(s->env->random(s->env, c, sizeof(c)), SBX_OK);
        scene_free(s);
    }
    T_MEM(a, sizeof(a), b, sizeof(b));
    T_TRUE(memcmp(a, c, sizeof(a)) != 0);
}

/* ---- locks ---- */

static void hold_across_exchange(struct scene *s) {
    echo_ask(s->sim, "/v1/things/x", NULL, &s->ans);
}
static void hold_across_sleep(struct scene *s) {
    (void)s->env->sleep_until(s->env, 10, NULL);
}
static void hold_across_wait(struct scene *s) {
    (void)s->env->event_wait(s->env, s->env->event_new(s->env), 10, NULL);
}
static void hold_across_tasks(struct scene *s) {
    s->env->run_all(s->env, NULL, 0, 1);
}

/* In a child of its own: it must die of abort(), not return. */
static int dies(void (*act)(struct scene *s), int times) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        struct scene *s = scene_new();
        struct sbx_lock *lock = s->env->lock_new(s->env);
        for (int i = 0; i < times; i++) s->env->lock(s->env, lock);
        if (!times) s->env->unlock(s->env, lock);
        if (act) act(s);
        _exit(0);
    }
    T_EQ(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void locks__held_across_a_call_of_the_env_abort(void) {
    T_TRUE(dies(hold_across_exchange, 1));
    T_TRUE(dies(hold_across_sleep, 1));
    T_TRUE(dies(hold_across_wait, 1));
    T_TRUE(dies(hold_across_tasks, 1));
    T_TRUE(!dies(NULL, 1));
}

static void locks__are_not_recursive(void) {
    T_TRUE(dies(NULL, 2));
    T_TRUE(dies(NULL, 0)); /* unlocked, but not locked */
}

static void locks__released_before_are_fine(void) {
    struct scene *s = scene_new();
    struct sbx_lock *lock = s->env->lock_new(s->env);
    s->env->lock(s->env, lock);
    s->env->unlock(s->env, lock);
    echo_ask(s->sim, "/v1/things/x", NULL, &s->ans);
    T_EQ(s->ans.evidence, SBX_EVIDENCE_DONE);
    s->env->lock_free(s->env, lock);
    scene_free(s);
}

/* ---- side by side ---- */

struct task {
    struct sbx_env *env;
    int64_t ms;
    int64_t ended_ms;
};

static void task_run(void *arg) {
    struct task *task = arg;
    (void)task->env->sleep_until(task->env, task->env->now_ms(task->env) + task->ms, NULL);
    task->ended_ms = task->env->now_ms(task->env);
}

static int64_t tasks_take(size_t width) {
    struct scene *s = scene_new();
    struct task tasks[6];
    struct sbx_task list[6];
    for (int i = 0; i < 6; i++) {
        tasks[i] = (struct task){s->env, 100, 0};
        list[i] = (struct sbx_task){task_run, &tasks[i]};
    }
    s->env->run_all(s->env, list, 6, width);
    for (int i = 0; i < 6; i++) T_TRUE(tasks[i].ended_ms > 0);
    int64_t took = s->env->now_ms(s->env);
    scene_free(s);
    return took;
}

static void run_all__as_many_at_once_as_the_width(void) {
    T_EQ(tasks_take(1), 600);
    T_EQ(tasks_take(2), 300);
    T_EQ(tasks_take(6), 100);
    T_EQ(tasks_take(100), 100);
    T_EQ(tasks_take(0), 600);
}

struct caller {
    struct scene *s;
    struct echo_answer ans;
    const char *path;
    int64_t done;
};

static void caller_run(void *arg) {
    struct caller *caller = arg;
    echo_ask(caller->s->sim, caller->path, NULL, &caller->ans);
    caller->done = 1;
}

static void callers__take_turns_by_the_seed(void) {
    struct scene *s = scene_new();
    struct caller callers[50];
    for (int i = 0; i < 50; i++) {
        callers[i] = (struct caller){.s = s, .path = "/v1/things/x"};
        T_STATUS(sim_spawn_caller(s->sim, caller_run, &callers[i]), SBX_OK);
    }
    T_STATUS(sim_run_callers(s->sim), SBX_OK);
    T_EQ(s->env->now_ms(s->env), 5); /* all at once: none waits for another */
    for (int i = 0; i < 50; i++) {
        T_EQ(callers[i].ans.evidence, SBX_EVIDENCE_DONE);
        echo_answer_finish(&callers[i].ans);
    }
    scene_free(s);
}

/* ---- what a client leaves behind ---- */

static void gone__what_was_sent_still_arrives(void) {
    struct scene *s = scene_new();
    s->echo.delay_ms = 100; /* the cloud looks at the request after its client has left */
    echo_ask_by(s->sim, "/v1/make", "{\"name\":\"late\"}", 50, &s->ans);
    T_EQ(s->ans.evidence, SBX_EVIDENCE_DEADLINE);
    T_EQ(s->echo.made, 0);
    sim_advance_to(sim_world(s->sim), SIM_SEC);
    T_EQ(s->echo.made, 1);
    T_EQ(s->echo.body_cut, 0);
    T_CONTAINS(sim_journal_timeline(sim_journal(s->sim)), "POST /make -> gone\n");
    scene_free(s);
}

static void gone__what_was_not_yet_sent_does_not(void) {
    struct scene *s = scene_new();
    size_t len = 1000000;
    char *body = malloc(len + 1);
    T_TRUE(body);
    memset(body, 'x', len);
    body[len] = 0;
    s->echo.delay_ms = 100;
    echo_ask_by(s->sim, "/v1/file", body, 50, &s->ans);
    sim_advance_to(sim_world(s->sim), SIM_SEC);
    T_EQ(s->echo.body_cut, 1);
    T_TRUE(s->echo.read_bytes > 0 && s->echo.read_bytes < (int64_t)len);
    free(body);
    scene_free(s);
}

static enum sbx_evidence exchange_with(struct scene *s, const char *url) {
    const struct sbx_request req = {
        .size = sizeof(req), .method = "GET", .url = url, .deadline_ms = s->env->now_ms(s->env) + 1000};
    return s->env->exchange(s->env, &req, NULL, NULL);
}

static void hosts__only_the_clouds_own(void) {
    struct scene *s = scene_new();
    T_EQ(exchange_with(s, "http://echo.sim/v1/things/x"), SBX_EVIDENCE_DONE);
    T_EQ(exchange_with(s, "http://echo.sim:80/v1/things/x"), SBX_EVIDENCE_DONE);
    T_EQ(exchange_with(s, "http://echo.sim"), SBX_EVIDENCE_DONE);
    T_EQ(exchange_with(s, "http://echo.sim?a=b"), SBX_EVIDENCE_DONE);
    T_EQ(exchange_with(s, "http://echo.sim:8080/"), SBX_EVIDENCE_CONNECT);
    T_EQ(exchange_with(s, "http://echo.simulated/"), SBX_EVIDENCE_RESOLVE);
    T_EQ(exchange_with(s, "http://echo.example.com/"), SBX_EVIDENCE_RESOLVE);
    T_EQ(exchange_with(s, "http://127.0.0.1/"), SBX_EVIDENCE_RESOLVE);
    T_EQ(exchange_with(s, "https://app.daytona.io/api"), SBX_EVIDENCE_RESOLVE);
    scene_free(s);
}

/* ---- the end ---- */

static void stubborn_run(void *arg) {
    struct caller *caller = arg;
    struct sbx_env *env = caller->s->env;
    int64_t until = env->now_ms(env) + 100000;
    while (env->now_ms(env) < until) (void)env->sleep_until(env, env->now_ms(env) + 10, NULL);
    caller->done = 1;
}

static void crowd_run(void *arg) {
    struct caller *caller = arg;
    struct caller inner[3] = {{.s = caller->s, .path = "/v1/things/x"},
                              {.s = caller->s, .path = "/v1/things/x"},
                              {.s = caller->s, .path = "/v1/things/x"}};
    struct sbx_task tasks[3];
    for (int i = 0; i < 3; i++) tasks[i] = (struct sbx_task){caller_run, &inner[i]};
    caller->s->env->run_all(caller->s->env, tasks, 3, 3);
    for (int i = 0; i < 3; i++) {
        caller->done += inner[i].done;
        echo_answer_finish(&inner[i].ans);
    }
}

/* Callers in the middle of an exchange, of a loop until a deadline, and of tasks side by side: all of them return. */
static void end__every_caller_unwinds(void) {
    struct scene *s = scene_new();
    struct caller hung = {.s = s, .path = "/v1/things/x"}, stubborn = {.s = s}, crowd = {.s = s};
    echo_fault(s->sim, "{\"op\":\"echo.get\",\"phase\":\"before\",\"effect\":{\"kind\":\"hang\"}}");
    T_STATUS(sim_spawn_caller(s->sim, caller_run, &hung), SBX_OK);
    T_STATUS(sim_spawn_caller(s->sim, stubborn_run, &stubborn), SBX_OK);
    T_STATUS(sim_spawn_caller(s->sim, crowd_run, &crowd), SBX_OK);
    sim_advance_to(sim_world(s->sim), 200 * SIM_MS);
    T_EQ(hung.done + stubborn.done + crowd.done, 0);
    sim_world_end(sim_world(s->sim));
    T_EQ(hung.done, 1);
    T_EQ(hung.ans.evidence, SBX_EVIDENCE_CANCELLED);
    T_EQ(stubborn.done, 1);
    T_EQ(crowd.done, 3);
    echo_answer_finish(&hung.ans);
    scene_free(s);
}

static void endless_run(void *arg) {
    struct caller *caller = arg;
    struct sbx_event *never = caller->s->env->event_new(caller->s->env);
    (void)caller->s->env->event_wait(caller->s->env, never, SBX_NO_DEADLINE, NULL);
    caller->s->env->event_free(caller->s->env, never);
}

static void run__callers_that_wait_for_what_never_comes(void) {
    struct scene *s = scene_new();
    struct caller caller = {.s = s};
    T_STATUS(sim_spawn_caller(s->sim, endless_run, &caller), SBX_OK);
    T_STATUS(sim_run_callers(s->sim), SBX_DEADLINE);
    scene_free(s);
}

T_CASES(T_CASE(sleep__ends_at_its_time_or_by_a_cancel), T_CASE(event__set_deadline_or_cancel_whichever_is_first),
        T_CASE(event__nothing_can_ever_set_it), T_CASE(random__is_the_seeds),
        T_CASE(locks__held_across_a_call_of_the_env_abort), T_CASE(locks__are_not_recursive),
        T_CASE(locks__released_before_are_fine), T_CASE(run_all__as_many_at_once_as_the_width),
        T_CASE(callers__take_turns_by_the_seed), T_CASE(gone__what_was_sent_still_arrives),
        T_CASE(gone__what_was_not_yet_sent_does_not), T_CASE(hosts__only_the_clouds_own),
        T_CASE(end__every_caller_unwinds), T_CASE(run__callers_that_wait_for_what_never_comes))
