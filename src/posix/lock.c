/* Locks, counted: whoever waits for the world while holding one has a deadlock in the making, and is stopped. */
#include <sandport/kit/posix.h>

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct sbx_lock {
    pthread_mutex_t mutex;
};

static _Thread_local int lock_held;

struct sbx_lock *sbx_posix_lock_new(void) {
    struct sbx_lock *lock = calloc(1, sizeof(*lock));
    if (lock && pthread_mutex_init(&lock->mutex, NULL) != 0) {
        free(lock);
        return NULL;
    }
    return lock;
}

void sbx_posix_lock_free(struct sbx_lock *lock) {
    if (!lock) return;
    pthread_mutex_destroy(&lock->mutex);
    free(lock);
}

void sbx_posix_lock(struct sbx_lock *lock) {
    pthread_mutex_lock(&lock->mutex);
    lock_held++;
}

void sbx_posix_unlock(struct sbx_lock *lock) {
    assert(lock_held > 0);
    lock_held--;
    pthread_mutex_unlock(&lock->mutex);
}

int sbx_posix_locks_held(void) {
    return lock_held;
}
