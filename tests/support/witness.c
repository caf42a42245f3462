/* How late this machine is at the moment. */
#include "witness.h"

#include "t.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define PROMISED_MS 100
#define TURNS       10

struct witness {
    pthread_t thread;
    atomic_int over;
    atomic_llong worst_us;
};

static long long now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void *witness_run(void *arg) {
    struct witness *witness = arg;
    const struct timespec nap = {.tv_nsec = 1000000};
    while (!atomic_load(&witness->over)) {
        long long before_us = now_us();
        nanosleep(&nap, NULL);
        long long late_us = now_us() - before_us - 1000;
        if (late_us > atomic_load(&witness->worst_us)) atomic_store(&witness->worst_us, late_us);
    }
    return NULL;
}

struct witness *witness_begin(void) {
    struct witness *witness = calloc(1, sizeof(*witness));
    T_TRUE(witness);
    T_EQ(pthread_create(&witness->thread, NULL, witness_run, witness), 0);
    return witness;
}

int64_t witness_late_ms(const struct witness *witness) {
    return PROMISED_MS + TURNS * (int64_t)(atomic_load(&witness->worst_us) / 1000);
}

void witness_end(struct witness *witness) {
    atomic_store(&witness->over, 1);
    pthread_join(witness->thread, NULL);
    free(witness);
}
