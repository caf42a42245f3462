/* One HTTP exchange: a pooled handle, driven until the answer is whole or something ends it. Rows P4, P9. */
#include "room.h"

#include <assert.h>
#include <string.h>

/* When an exchange must end, and when a byte last moved. */
struct exchange_clock {
    int64_t deadline_ms;
    int64_t stall_ms;
    int64_t moved_ms;
    uint64_t moved_bytes;
};

static uint64_t exchange_bytes(const struct sbx_curl_exchange *x) {
    return sbx_curl_send_count(x) + x->receive.head_bytes + x->receive.got_bytes;
}

/* Asked behind each step, so that what a callback spent waiting on the caller's behalf is no stall. */
static void exchange_note_bytes(struct exchange_clock *clock, const struct sbx_curl_exchange *x) {
    uint64_t bytes = exchange_bytes(x);
    if (bytes == clock->moved_bytes) return;
    clock->moved_bytes = bytes;
    clock->moved_ms = sbx_posix_now_ms();
}

static int64_t exchange_limit(const struct exchange_clock *clock) {
    if (clock->stall_ms <= 0 || clock->stall_ms >= INT64_MAX - clock->moved_ms) return clock->deadline_ms;
    int64_t stall = clock->moved_ms + clock->stall_ms;
    return stall < clock->deadline_ms ? stall : clock->deadline_ms;
}

static int exchange_finished(CURLM *multi, CURLcode *code) {
    int left = 0;
    const CURLMsg *msg = curl_multi_info_read(multi, &left);
    if (!msg || msg->msg != CURLMSG_DONE) return 0;
    *code = msg->data.result;
    return 1;
}

static enum sbx_curl_stop exchange_due(const struct exchange_clock *clock, struct sbx_event *cancel) {
    if (sbx_posix_now_ms() >= exchange_limit(clock)) return SBX_CURL_STOP_DEADLINE;
    return sbx_curl_event_is_set(cancel) ? SBX_CURL_STOP_CANCEL : SBX_CURL_STOP_NONE;
}

/* @return libcurl's result; when x->stop is set it does not matter */
static CURLcode exchange_drive(struct sbx_curl_exchange *x, CURLM *multi, struct exchange_clock *clock,
                               struct sbx_event *cancel) {
    CURLcode code = CURLE_OK;
    for (;;) {
        int running = 0;
        if (curl_multi_perform(multi, &running) != CURLM_OK) return CURLE_OUT_OF_MEMORY;
        if (exchange_finished(multi, &code)) return code;
        exchange_note_bytes(clock, x);
        x->stop = exchange_due(clock, cancel);
        if (x->stop) return CURLE_OK;
        if (curl_multi_poll(multi, NULL, 0, sbx_posix_poll_ms(exchange_limit(clock)), NULL) != CURLM_OK)
            return CURLE_OUT_OF_MEMORY;
    }
}

/* The event is watched from before the handle is in the multi until after it has left, so no cancel is missed. */
static CURLcode exchange_run(struct sbx_curl_exchange *x, CURLM *multi, const struct sbx_request *req) {
    struct exchange_clock clock = {req->deadline_ms, req->stall_ms, sbx_posix_now_ms(), 0};
    struct sbx_curl_waiter waiter = {NULL, multi};
    if (curl_multi_add_handle(multi, x->easy) != CURLM_OK) return CURLE_OUT_OF_MEMORY;
    sbx_curl_event_add(req->cancel, &waiter);
    CURLcode code = exchange_drive(x, multi, &clock, req->cancel);
    sbx_curl_event_remove(req->cancel, &waiter);
    return code;
}

static void exchange_report(struct sbx_exchange_info *info, const struct sbx_curl_exchange *x, uint64_t sent_bytes) {
    if (!info) return;
    struct sbx_exchange_info full = {info->size, x->receive.http_status, 0, sent_bytes, x->receive.got_bytes};
    full.stopped = x->stop == SBX_CURL_STOP_RECEIVER ? 1 : x->stop == SBX_CURL_STOP_READER ? 2 : 0;
    memcpy(info, &full, info->size < sizeof(full) ? info->size : sizeof(full));
}

static enum sbx_evidence exchange_on_slot(const struct sbx_curl_settings *settings, struct sbx_curl_slot *slot,
                                          const struct sbx_request *req, struct sbx_curl_exchange *x,
                                          struct sbx_exchange_info *info) {
    struct curl_slist *headers = NULL;
    struct sbx_curl_facts facts = {0};
    facts.code = sbx_curl_slot_renew(slot) ? CURLE_OK : CURLE_OUT_OF_MEMORY;
    x->easy = slot->easy;
    if (!facts.code) facts.code = sbx_curl_options_apply(settings, req, x, &headers);
    if (!facts.code) facts.code = exchange_run(x, slot->multi, req);
    facts.sent_bytes = sbx_curl_send_count(x);
    facts.stop = x->stop;
    facts.http_status = x->receive.http_status;
    facts.head_whole = x->receive.head_given;
    exchange_report(info, x, facts.sent_bytes);
    curl_multi_remove_handle(slot->multi, slot->easy);
    curl_slist_free_all(headers);
    return sbx_curl_evidence(&facts);
}

enum sbx_evidence sbx_curl_exchange(struct sbx_curl_env *env, const struct sbx_request *req,
                                    const struct sbx_receiver *to, struct sbx_exchange_info *info) {
    struct sbx_curl_exchange x = {0};
    struct sbx_curl_slot *slot = NULL;
    enum sbx_evidence evidence = SBX_EVIDENCE_DONE;
    assert(sbx_posix_locks_held() == 0);
    exchange_report(info, &x, 0);
    if (sbx_request_check(req, NULL) != SBX_OK) return SBX_EVIDENCE_PROTOCOL;
    if (sbx_posix_now_ms() >= req->deadline_ms) return SBX_EVIDENCE_DEADLINE;
    if (sbx_curl_event_is_set(req->cancel)) return SBX_EVIDENCE_CANCELLED;
    slot = sbx_curl_pool_take(&env->pool, sbx_curl_origin(req->url));
    if (!slot) return SBX_EVIDENCE_MEMORY;
    sbx_curl_send_init(&x.send, req);
    x.receive.to = to;
    x.receive.head_bytes_max = env->settings.header_bytes_max;
    x.receive.body_bytes_max = req->answer_bytes_max;
    evidence = exchange_on_slot(&env->settings, slot, req, &x, info);
    sbx_curl_receive_finish(&x.receive);
    sbx_curl_pool_put(&env->pool, slot);
    return evidence;
}
