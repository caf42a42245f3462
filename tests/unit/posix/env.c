/* The env without a network: waits that end by a set, a cancel or the time, and exchanges that send nothing. Row P4. */
#include "t.h"
#include "witness.h"

#include <pthread.h>
#include <sandport/kit/posix.h>
#include <sandport/posix.h>

#define FAR_MS 60000

static struct sbx_env *env_open(void) {
    struct sbx_env *env = NULL;
    T_STATUS(sbx_posix_env_create(&env), SBX_OK);
    return env;
}

static void there_is_no_network(void) {
    struct sbx_env *env = env_open();
    struct sbx_exchange_info info = {.size = sizeof(info), .sent_bytes = 1};
    struct sbx_request req = {.size = sizeof(req), .method = "GET", .url = "http://daytona.sim/api"};
    T_EQ(env->exchange(env, &req, NULL, &info), SBX_EVIDENCE_CONNECT);
    T_EQ(info.sent_bytes, 0);
    req.url = "nowhere";
    T_EQ(env->exchange(env, &req, NULL, NULL), SBX_EVIDENCE_PROTOCOL);
    sbx_env_free(env);
}

static void what_is_set_stays_set(void) {
    struct sbx_env *env = env_open();
    struct sbx_event *event = env->event_new(env), *cancel = env->event_new(env);
    T_TRUE(event && cancel);
    T_STATUS(env->event_wait(env, event, env->now_ms(env), cancel), SBX_DEADLINE);
    env->event_set(env, cancel);
    T_STATUS(env->event_wait(env, event, SBX_NO_DEADLINE, cancel), SBX_CANCELLED);
    T_STATUS(env->sleep_until(env, SBX_NO_DEADLINE, cancel), SBX_CANCELLED);
    env->event_set(env, event);
    T_STATUS(env->event_wait(env, event, SBX_NO_DEADLINE, cancel), SBX_OK);
    env->event_free(env, event);
    env->event_free(env, cancel);
    sbx_env_free(env);
}

static void a_time_comes(void) {
    struct sbx_env *env = env_open();
    int64_t begun_ms = env->now_ms(env);
    T_STATUS(env->sleep_until(env, begun_ms + 2, NULL), SBX_OK);
    T_TRUE(env->now_ms(env) >= begun_ms + 2);
    T_STATUS(env->sleep_until(env, begun_ms - FAR_MS, NULL), SBX_OK);
    T_TRUE(env->wall_ms(env) > INT64_C(1500000000000));
    sbx_env_free(env);
}

static void *fire(void *cancel) {
    sbx_cancel_fire(cancel);
    return NULL;
}

static void a_cancel_from_another_thread_ends_a_wait(void) {
    struct sbx_env *env = env_open();
    struct witness *witness = witness_begin();
    struct sbx_cancel *cancel = sbx_cancel_create(env);
    pthread_t beside;
    T_TRUE(cancel);
    int64_t begun_ms = env->now_ms(env);
    T_EQ(pthread_create(&beside, NULL, fire, cancel), 0);
    T_STATUS(env->sleep_until(env, begun_ms + FAR_MS, sbx_cancel_event(cancel)), SBX_CANCELLED);
    T_TRUE(env->now_ms(env) - begun_ms < FAR_MS / 2 + witness_late_ms(witness));
    pthread_join(beside, NULL);
    sbx_cancel_free(cancel);
    witness_end(witness);
    sbx_env_free(env);
}

static void count(void *arg) {
    __atomic_add_fetch((int *)arg, 1, __ATOMIC_SEQ_CST);
}

static void tasks_locks_and_chance(void) {
    struct sbx_env *env = env_open();
    unsigned char bytes[2][300] = {{0}};
    int done = 0;
    const struct sbx_task tasks[] = {{count, &done}, {count, &done}, {count, &done}};
    struct sbx_lock *lock = env->lock_new(env);
    T_TRUE(lock);
    env->lock(env, lock);
    T_EQ(sbx_posix_locks_held(), 1);
    env->unlock(env, lock);
    env->lock_free(env, lock);
    env->run_all(env, tasks, 3, 2);
    T_EQ(done, 3);
    T_STATUS(env->random(env, bytes[0], sizeof(bytes[0])), SBX_OK);
    T_TRUE(memcmp(bytes[0], bytes[1], sizeof(bytes[0])) != 0);
    T_STATUS(sbx_posix_env_create(NULL), SBX_INVALID_ARGUMENT);
    sbx_env_free(env);
}

T_CASES(T_CASE(there_is_no_network), T_CASE(what_is_set_stays_set), T_CASE(a_time_comes),
        T_CASE(a_cancel_from_another_thread_ends_a_wait), T_CASE(tasks_locks_and_chance))
