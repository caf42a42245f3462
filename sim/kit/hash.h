/* uthash as the simulator uses it: a failed allocation is no exit, and the hash is FNV-1a, whose bytes have no switch
 * that compilers warn of. Iteration is in the order of insertion, so no hash decides anything. */
#ifndef SIM_KIT_HASH_H
#define SIM_KIT_HASH_H

#include <stddef.h>

static inline unsigned sim_hash(const void *key, size_t len) {
    const unsigned char *bytes = key;
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < len; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

#define HASH_NONFATAL_OOM 1
#define HASH_FUNCTION(key, len, hash)                                                                                  \
    do {                                                                                                               \
        (hash) = sim_hash((key), (len));                                                                               \
    } while (0)
#include <uthash.h>

#endif
