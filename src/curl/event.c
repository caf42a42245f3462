/* Events: once set they stay set, and setting one wakes every wait and every exchange that watches it. Row P9.
 *
 * An event has no descriptor of its own, so that ten thousand cancel tokens cost none; a wait borrows a slot of the
 * pool and sleeps in its curl_multi_poll(). That is a poll on the monotonic clock: a jump of the wall clock moves no
 * wait. */
#include "room.h"

#include <assert.h>
#include <poll.h>
#include <stdlib.h>

struct sbx_event {
    pthread_mutex_t mutex;
    struct sbx_curl_waiter *waiters;
    int set;
};

/* How finely a wait looks when there is no slot to be woken by. */
#define EVENT_POLL_MS 10

struct sbx_event *sbx_curl_event_new(void) {
    struct sbx_event *event = calloc(1, sizeof(*event));
    if (event && pthread_mutex_init(&event->mutex, NULL) != 0) {
        free(event);
        return NULL;
    }
    return event;
}

void sbx_curl_event_free(struct sbx_event *event) {
    if (!event) return;
    assert(!event->waiters);
    pthread_mutex_destroy(&event->mutex);
    free(event);
}

/* The mutex is held while waking: a waiter that has removed itself may free its multi. */
void sbx_curl_event_set(struct sbx_event *event) {
    pthread_mutex_lock(&event->mutex);
    event->set = 1;
    for (struct sbx_curl_waiter *w = event->waiters; w; w = w->next) curl_multi_wakeup(w->multi);
    pthread_mutex_unlock(&event->mutex);
}

int sbx_curl_event_is_set(struct sbx_event *event) {
    if (!event) return 0;
    pthread_mutex_lock(&event->mutex);
    int set = event->set;
    pthread_mutex_unlock(&event->mutex);
    return set;
}

void sbx_curl_event_add(struct sbx_event *event, struct sbx_curl_waiter *waiter) {
    if (!event) return;
    pthread_mutex_lock(&event->mutex);
    waiter->next = event->waiters;
    event->waiters = waiter;
    pthread_mutex_unlock(&event->mutex);
}

void sbx_curl_event_remove(struct sbx_event *event, struct sbx_curl_waiter *waiter) {
    if (!event) return;
    pthread_mutex_lock(&event->mutex);
    struct sbx_curl_waiter **at = &event->waiters;
    while (*at && *at != waiter) at = &(*at)->next;
    if (*at) *at = waiter->next;
    pthread_mutex_unlock(&event->mutex);
}

static int event_ended(struct sbx_event *event, int64_t deadline_ms, struct sbx_event *cancel, enum sbx_status *st) {
    *st = sbx_curl_event_is_set(event)        ? SBX_OK
          : sbx_curl_event_is_set(cancel)     ? SBX_CANCELLED
          : sbx_posix_now_ms() >= deadline_ms ? SBX_DEADLINE
                                              : SBX_PROVIDER;
    return *st != SBX_PROVIDER;
}

static enum sbx_status event_watch(CURLM *multi, struct sbx_event *event, int64_t deadline_ms,
                                   struct sbx_event *cancel) {
    struct sbx_curl_waiter on_event = {NULL, multi}, on_cancel = {NULL, multi};
    enum sbx_status st = SBX_OK;
    sbx_curl_event_add(event, &on_event);
    sbx_curl_event_add(cancel, &on_cancel);
    while (!event_ended(event, deadline_ms, cancel, &st)) {
        int ms = sbx_posix_poll_ms(deadline_ms);
        if (curl_multi_poll(multi, NULL, 0, ms, NULL) != CURLM_OK)
            poll(NULL, 0, ms < EVENT_POLL_MS ? ms : EVENT_POLL_MS);
    }
    sbx_curl_event_remove(cancel, &on_cancel);
    sbx_curl_event_remove(event, &on_event);
    return st;
}

static enum sbx_status event_watch_unwoken(struct sbx_event *event, int64_t deadline_ms, struct sbx_event *cancel) {
    enum sbx_status st = SBX_OK;
    while (!event_ended(event, deadline_ms, cancel, &st)) {
        int ms = sbx_posix_poll_ms(deadline_ms);
        poll(NULL, 0, (event || cancel) && ms > EVENT_POLL_MS ? EVENT_POLL_MS : ms);
    }
    return st;
}

enum sbx_status sbx_curl_event_wait(struct sbx_curl_pool *pool, struct sbx_event *event, int64_t deadline_ms,
                                    struct sbx_event *cancel) {
    assert(sbx_posix_locks_held() == 0);
    enum sbx_status st = SBX_OK;
    if (event_ended(event, deadline_ms, cancel, &st)) return st;
    struct sbx_curl_slot *slot = event || cancel ? sbx_curl_pool_take(pool, 0) : NULL;
    if (!slot) return event_watch_unwoken(event, deadline_ms, cancel);
    st = event_watch(slot->multi, event, deadline_ms, cancel);
    sbx_curl_pool_put(pool, slot);
    return st;
}
