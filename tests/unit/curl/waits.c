/* The production env without a network: events, sleeps, locks, tasks, clocks. Rows P4, P9. */
#include "t.h"
#include "witness.h"

#include <pthread.h>
#include <sandport/curl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sbx_env *waits_env(int32_t threads) {
    struct sbx_curl_options opt;
    struct sbx_env *env = NULL;
    sbx_curl_options_init(&opt, sizeof(opt));
    opt.threads = threads;
    T_STATUS(sbx_curl_env_create(&opt, &env), SBX_OK);
    return env;
}

struct setter {
    struct sbx_env *env;
    struct sbx_event *event;
    int64_t set_ms;
};

static void *setter_run(void *arg) {
    struct setter *setter = arg;
    setter->env->sleep_until(setter->env, setter->env->now_ms(setter->env) + 30, NULL);
    setter->set_ms = setter->env->now_ms(setter->env);
    setter->env->event_set(setter->env, setter->event);
    return NULL;
}

/* ---- options ---- */

static void options_that_make_no_sense_are_refused(void) {
    struct sbx_env *env = NULL;
    struct sbx_curl_options opt;
    sbx_curl_options_init(&opt, sizeof(opt));
    T_STATUS(sbx_curl_env_create(&opt, NULL), SBX_INVALID_ARGUMENT);
    opt.connect_ms = -1;
    T_STATUS(sbx_curl_env_create(&opt, &env), SBX_INVALID_ARGUMENT);
    opt.connect_ms = INT64_MAX;
    T_STATUS(sbx_curl_env_create(&opt, &env), SBX_INVALID_ARGUMENT);
    opt.connect_ms = 0, opt.idle_connection_s = -1;
    T_STATUS(sbx_curl_env_create(&opt, &env), SBX_INVALID_ARGUMENT);
    opt.idle_connection_s = 0, opt.threads = 3;
    T_STATUS(sbx_curl_env_create(&opt, &env), SBX_INVALID_ARGUMENT);
    opt.threads = 0, opt.ca_pem = "";
    T_STATUS(sbx_curl_env_create(&opt, &env), SBX_INVALID_ARGUMENT);
    opt.ca_pem = NULL, opt.size = 0;
    T_STATUS(sbx_curl_env_create(&opt, &env), SBX_INVALID_ARGUMENT);
    T_TRUE(!env);
}

/* An older caller's struct is a prefix: what lies behind its size is not read. */
static void an_older_callers_options_are_a_prefix(void) {
    struct sbx_env *env = NULL;
    struct sbx_curl_options opt;
    memset(&opt, 0x7f, sizeof(opt));
    sbx_curl_options_init(&opt, offsetof(struct sbx_curl_options, proxy));
    T_STATUS(sbx_curl_env_create(&opt, &env), SBX_OK);
    sbx_env_free(env);
    sbx_curl_options_init(NULL, sizeof(opt));
}

/* ---- time ---- */

static void a_sleep_ends_at_its_time_and_not_before(void) {
    struct sbx_env *env = waits_env(SBX_DEFAULT);
    int64_t start = env->now_ms(env), when = start + 25;
    T_STATUS(env->sleep_until(env, start - 1000, NULL), SBX_OK);
    T_STATUS(env->sleep_until(env, when, NULL), SBX_OK);
    T_TRUE(env->now_ms(env) >= when);
    T_TRUE(env->wall_ms(env) > INT64_C(1600000000000));
    sbx_env_free(env);
}

static void random_bytes_differ(void) {
    struct sbx_env *env = waits_env(SBX_DEFAULT);
    unsigned char a[1000] = {0}, b[1000] = {0}, zero[1000] = {0};
    T_STATUS(env->random(env, a, sizeof(a)), SBX_OK);
    T_STATUS(env->random(env, b, sizeof(b)), SBX_OK);
    T_TRUE(memcmp(a, b, sizeof(a)) != 0);
    T_TRUE(memcmp(a + 900, zero, 100) != 0);
    sbx_env_free(env);
}

/* ---- events ---- */

static void an_event_once_set_stays_set(void) {
    struct sbx_env *env = waits_env(SBX_DEFAULT);
    struct sbx_event *event = env->event_new(env), *cancel = env->event_new(env);
    T_STATUS(env->event_wait(env, event, env->now_ms(env) + 5, cancel), SBX_DEADLINE);
    env->event_set(env, cancel);
    env->event_set(env, cancel);
    T_STATUS(env->event_wait(env, event, SBX_NO_DEADLINE, cancel), SBX_CANCELLED);
    T_STATUS(env->sleep_until(env, SBX_NO_DEADLINE, cancel), SBX_CANCELLED);
    env->event_set(env, event);
    T_STATUS(env->event_wait(env, event, INT64_MIN, cancel), SBX_OK);
    T_STATUS(env->event_wait(env, event, SBX_NO_DEADLINE, NULL), SBX_OK);
    env->event_free(env, event);
    env->event_free(env, cancel);
    env->event_free(env, NULL);
    sbx_env_free(env);
}

static void expect_woken(int as_cancel) {
    struct sbx_env *env = waits_env(SBX_DEFAULT);
    struct setter setter = {env, env->event_new(env), 0};
    struct sbx_event *never = env->event_new(env);
    struct witness *witness = witness_begin();
    pthread_t thread;
    T_EQ(pthread_create(&thread, NULL, setter_run, &setter), 0);
    enum sbx_status st = as_cancel ? env->event_wait(env, never, SBX_NO_DEADLINE, setter.event)
                                   : env->event_wait(env, setter.event, SBX_NO_DEADLINE, never);
    int64_t woken_ms = env->now_ms(env);
    pthread_join(thread, NULL);
    T_STATUS(st, as_cancel ? SBX_CANCELLED : SBX_OK);
    T_TRUE(woken_ms - setter.set_ms <= witness_late_ms(witness));
    witness_end(witness);
    env->event_free(env, setter.event);
    env->event_free(env, never);
    sbx_env_free(env);
}

static void setting_an_event_wakes_who_waits_for_it(void) {
    expect_woken(0);
}

static void setting_an_event_wakes_who_waits_for_another(void) {
    expect_woken(1);
}

static void *wait_for(void *arg) {
    struct setter *setter = arg;
    T_STATUS(setter->env->event_wait(setter->env, setter->event, SBX_NO_DEADLINE, NULL), SBX_OK);
    return NULL;
}

static void setting_an_event_wakes_all(void) {
    struct sbx_env *env = waits_env(SBX_DEFAULT);
    struct setter setter = {env, env->event_new(env), 0};
    pthread_t threads[20];
    for (size_t i = 0; i < 20; i++) T_EQ(pthread_create(&threads[i], NULL, wait_for, &setter), 0);
    setter_run(&setter);
    for (size_t i = 0; i < 20; i++) pthread_join(threads[i], NULL);
    env->event_free(env, setter.event);
    sbx_env_free(env);
}

/* @return the limit as it was */
static struct rlimit descriptors_limit(rlim_t n) {
    struct rlimit was = {0}, few = {0};
    T_EQ(getrlimit(RLIMIT_NOFILE, &was), 0);
    few = was;
    few.rlim_cur = n;
    T_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    return was;
}

/* Tokens cost no descriptors: ten thousand of them exist where the system allows a thousand. */
static void events_cost_no_descriptors(void) {
    static struct sbx_event *events[10000];
    struct sbx_env *env = waits_env(SBX_DEFAULT);
    struct rlimit was = descriptors_limit(64);
    for (size_t i = 0; i < 10000; i++) T_TRUE((events[i] = env->event_new(env)));
    T_STATUS(env->event_wait(env, events[0], env->now_ms(env) + 1, events[9999]), SBX_DEADLINE);
    for (size_t i = 0; i < 10000; i++) env->event_free(env, events[i]);
    setrlimit(RLIMIT_NOFILE, &was);
    sbx_env_free(env);
}

/* With no descriptor left to be woken by, a wait looks for itself every few milliseconds. */
static void a_wait_without_descriptors_still_ends(void) {
    struct sbx_env *env = waits_env(SBX_DEFAULT);
    struct setter setter = {env, env->event_new(env), 0};
    struct witness *witness = witness_begin();
    struct rlimit was = descriptors_limit(3);
    pthread_t thread;
    T_EQ(pthread_create(&thread, NULL, setter_run, &setter), 0);
    T_STATUS(env->event_wait(env, setter.event, SBX_NO_DEADLINE, NULL), SBX_OK);
    T_TRUE(env->now_ms(env) - setter.set_ms <= witness_late_ms(witness));
    pthread_join(thread, NULL);
    witness_end(witness);
    setrlimit(RLIMIT_NOFILE, &was);
    env->event_free(env, setter.event);
    sbx_env_free(env);
}

/* ---- locks ---- */

struct counter {
    struct sbx_env *env;
    struct sbx_lock *lock;
    int64_t value;
};

static void counter_run(void *arg) {
    struct counter *counter = arg;
    for (int i = 0; i < 1000; i++) {
        counter->env->lock(counter->env, counter->lock);
        counter->value++;
        counter->env->unlock(counter->env, counter->lock);
    }
}

static void a_lock_lets_one_in(void) {
    struct sbx_env *env = waits_env(SBX_DEFAULT);
    struct counter counter = {env, env->lock_new(env), 0};
    struct sbx_task tasks[8];
    for (size_t i = 0; i < 8; i++) tasks[i] = (struct sbx_task){counter_run, &counter};
    env->run_all(env, tasks, 8, 8);
    T_EQ(counter.value, 8000);
    env->lock_free(env, counter.lock);
    env->lock_free(env, NULL);
    sbx_env_free(env);
}

#ifdef NDEBUG
#define STOPPED_BY 0 /* nobody: it is let wait */
#else
#define STOPPED_BY SIGABRT
#endif

/* @return the signal that ended a process which waits with a lock held */
static int signal_of_waiting_with_a_lock(int hold) {
    pid_t pid = fork();
    if (pid == 0) {
        struct rlimit no_core = {0, 0};
        struct sbx_env *env = NULL;
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGABRT, SIG_DFL);
        fclose(stderr);
        if (sbx_curl_env_create(NULL, &env) != SBX_OK) _exit(2);
        struct sbx_lock *lock = env->lock_new(env);
        env->lock(env, lock);
        if (!hold) env->unlock(env, lock);
        env->sleep_until(env, env->now_ms(env) + 1, NULL);
        _exit(0);
    }
    int status = -1;
    T_EQ(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void waiting_with_a_lock_held_is_stopped(void) {
    T_EQ(signal_of_waiting_with_a_lock(0), 0);
    T_EQ(signal_of_waiting_with_a_lock(1), STOPPED_BY);
}

/* ---- tasks ---- */

struct crowd {
    struct sbx_env *env;
    atomic_int inside;
    atomic_int inside_max;
    atomic_int done;
    pthread_t caller;
    atomic_int elsewhere;
};

static void crowd_run(void *arg) {
    struct crowd *crowd = arg;
    int now = atomic_fetch_add(&crowd->inside, 1) + 1, most = atomic_load(&crowd->inside_max);
    while (now > most && !atomic_compare_exchange_weak(&crowd->inside_max, &most, now)) {
    }
    if (!pthread_equal(pthread_self(), crowd->caller)) atomic_fetch_add(&crowd->elsewhere, 1);
    crowd->env->sleep_until(crowd->env, crowd->env->now_ms(crowd->env) + 2, NULL);
    atomic_fetch_sub(&crowd->inside, 1);
    atomic_fetch_add(&crowd->done, 1);
}

static void crowd_go(struct crowd *crowd, int32_t threads, size_t n, size_t width) {
    struct sbx_task tasks[40];
    *crowd = (struct crowd){.env = waits_env(threads), .caller = pthread_self()};
    for (size_t i = 0; i < n; i++) tasks[i] = (struct sbx_task){crowd_run, crowd};
    crowd->env->run_all(crowd->env, tasks, n, width);
    T_EQ(crowd->done, (int)n);
    T_EQ(crowd->inside, 0);
    sbx_env_free(crowd->env);
}

static void tasks_run_side_by_side_but_no_more_than_asked_for(void) {
    struct crowd crowd;
    crowd_go(&crowd, SBX_DEFAULT, 40, 4);
    T_TRUE(crowd.inside_max <= 4);
    T_TRUE(crowd.elsewhere > 0);
}

static void tasks_without_threads_run_on_the_callers(void) {
    struct crowd crowd;
    crowd_go(&crowd, SBX_NO, 10, 4);
    T_EQ(crowd.inside_max, 1);
    T_EQ(crowd.elsewhere, 0);
}

static void no_tasks_and_no_width_are_no_trouble(void) {
    struct crowd crowd;
    crowd_go(&crowd, SBX_DEFAULT, 0, 4);
    crowd_go(&crowd, SBX_DEFAULT, 3, 0);
    T_EQ(crowd.inside_max, 1);
}

T_CASES(T_CASE(options_that_make_no_sense_are_refused), T_CASE(an_older_callers_options_are_a_prefix),
        T_CASE(a_sleep_ends_at_its_time_and_not_before), T_CASE(random_bytes_differ),
        T_CASE(an_event_once_set_stays_set), T_CASE(setting_an_event_wakes_who_waits_for_it),
        T_CASE(setting_an_event_wakes_who_waits_for_another), T_CASE(setting_an_event_wakes_all),
        T_CASE(events_cost_no_descriptors), T_CASE(a_wait_without_descriptors_still_ends), T_CASE(a_lock_lets_one_in),
        T_CASE(waiting_with_a_lock_held_is_stopped), T_CASE(tasks_run_side_by_side_but_no_more_than_asked_for),
        T_CASE(tasks_without_threads_run_on_the_callers), T_CASE(no_tasks_and_no_width_are_no_trouble))
