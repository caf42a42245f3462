/* The pool of handles: what makes blocking exchanges quick is the live connection that the last one left behind.
 *
 * Connections live in the multi of their slot and are never shared between threads (libcurl does not support that). A
 * slot goes to whoever asks for the origin that it last spoke to, so that a caller of two hosts keeps two connections.
 */
#include "room.h"

#include <stdlib.h>

/* More than this after a burst is memory and descriptors for nothing. */
#define POOL_IDLE_MAX 64

#define RECEIVE_BYTES 16384L /* libcurl's default, which a reset that memory ran out for leaves at 0 */

int sbx_curl_pool_init(struct sbx_curl_pool *pool, int64_t idle_ms_max) {
    pool->idle = NULL;
    pool->idle_count = 0;
    pool->idle_ms_max = idle_ms_max;
    return pthread_mutex_init(&pool->mutex, NULL) == 0;
}

static void slot_free(struct sbx_curl_slot *slot) {
    if (!slot) return;
    curl_easy_cleanup(slot->easy);
    curl_multi_cleanup(slot->multi);
    free(slot);
}

/* Without descriptors left libcurl makes a multi that cannot be woken: no cancel would reach it. */
static struct sbx_curl_slot *slot_new(void) {
    struct sbx_curl_slot *slot = calloc(1, sizeof(*slot));
    if (!slot) return NULL;
    slot->easy = curl_easy_init();
    slot->multi = curl_multi_init();
    if (slot->easy && slot->multi && curl_multi_wakeup(slot->multi) == CURLM_OK) return slot;
    slot_free(slot);
    return NULL;
}

/* A handle whose exchange ended before it had a connection still holds its buffer, and lets nobody say its size. */
int sbx_curl_slot_renew(struct sbx_curl_slot *slot) {
    curl_easy_reset(slot->easy);
    if (curl_easy_setopt(slot->easy, CURLOPT_BUFFERSIZE, RECEIVE_BYTES) == CURLE_OK) return 1;
    CURL *easy = curl_easy_init();
    if (!easy) return 0;
    curl_easy_cleanup(slot->easy);
    slot->easy = easy;
    return 1;
}

void sbx_curl_pool_finish(struct sbx_curl_pool *pool) {
    while (pool->idle) {
        struct sbx_curl_slot *slot = pool->idle;
        pool->idle = slot->next;
        slot_free(slot);
    }
    pthread_mutex_destroy(&pool->mutex);
}

/* The one to take: of that origin, else one without a connection to lose, else the one unused for longest. */
static struct sbx_curl_slot **pool_choose(struct sbx_curl_pool *pool, uint64_t origin) {
    struct sbx_curl_slot **fresh = NULL, **oldest = &pool->idle;
    for (struct sbx_curl_slot **at = &pool->idle; *at; at = &(*at)->next) {
        if ((*at)->origin == origin) return at;
        if ((*at)->origin == 0) fresh = at;
        oldest = at;
    }
    return fresh ? fresh : oldest;
}

static struct sbx_curl_slot *pool_unlink(struct sbx_curl_pool *pool, struct sbx_curl_slot **at) {
    struct sbx_curl_slot *slot = *at;
    if (!slot) return NULL;
    *at = slot->next;
    slot->next = NULL;
    pool->idle_count--;
    return slot;
}

struct sbx_curl_slot *sbx_curl_pool_take(struct sbx_curl_pool *pool, uint64_t origin) {
    pthread_mutex_lock(&pool->mutex);
    struct sbx_curl_slot *slot = pool_unlink(pool, pool_choose(pool, origin));
    pthread_mutex_unlock(&pool->mutex);
    if (!slot) slot = slot_new();
    if (slot && origin) slot->origin = origin;
    return slot;
}

/* The last of the list if there are too many, or if its connections are too old to be used again. */
static struct sbx_curl_slot *pool_surplus(struct sbx_curl_pool *pool, int64_t now_ms) {
    struct sbx_curl_slot **last = &pool->idle;
    while (*last && (*last)->next) last = &(*last)->next;
    if (!*last) return NULL;
    if (pool->idle_count <= POOL_IDLE_MAX && now_ms - (*last)->last_used_ms <= pool->idle_ms_max) return NULL;
    return pool_unlink(pool, last);
}

void sbx_curl_pool_put(struct sbx_curl_pool *pool, struct sbx_curl_slot *slot) {
    slot->last_used_ms = sbx_posix_now_ms();
    pthread_mutex_lock(&pool->mutex);
    struct sbx_curl_slot *surplus = pool_surplus(pool, slot->last_used_ms);
    slot->next = pool->idle;
    pool->idle = slot;
    pool->idle_count++;
    pthread_mutex_unlock(&pool->mutex);
    slot_free(surplus);
}

/* FNV-1a. A collision costs a connection, nothing else: libcurl compares the names itself. */
uint64_t sbx_curl_origin(const char *url) {
    uint64_t hash = UINT64_C(14695981039346656037);
    int slashes = 0;
    for (; *url && *url != '?' && *url != '#'; url++) {
        slashes += *url == '/';
        if (slashes == 3) break;
        hash = (hash ^ (unsigned char)*url) * UINT64_C(1099511628211);
    }
    return hash ? hash : 1;
}
