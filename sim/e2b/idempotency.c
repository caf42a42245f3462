/* Idempotency-Key: the same key and body give the first answer again; another body is refused. */
#include "sim/e2b/idempotency.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define IDEMPOTENCY_KEY_MAX 255

/* NULL where it is not sent or not heeded. */
static const char *idempotency_key(const struct sim_e2b_call *call) {
    const int second = (call->route->flags & E2B_V2) != 0;
    return call->e2b->config.idempotency && second ? sim_http_header(call->x, "Idempotency-Key") : NULL;
}

static struct sim_e2b_replay *idempotency_find(const struct sim_e2b_call *call, const char *key) {
    struct sim_e2b_replay *it = call->e2b->replays;
    while (it && (it->account != call->account || strcmp(it->key, key) != 0)) it = it->next;
    return it;
}

static void idempotency_hash(struct sim_e2b_call *call, char out[65]) {
    const char *body = NULL;
    size_t len = 0;
    out[0] = 0;
    if (sim_http_body(call->x, E2B_BODY_MAX, &body, &len) == SBX_OK) sbx_sha256_of(body, len, out);
}

int sim_e2b_idempotency_replay(struct sim_e2b_call *call) {
    const char *key = idempotency_key(call);
    char hash[65];
    if (!key) return 0;
    const size_t len = strlen(key);
    if (!len || len > IDEMPOTENCY_KEY_MAX || strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789") != len) {
        sim_e2b_refuse(call, 400, NULL, "validation error: Idempotency-Key: expected ^[a-z0-9]{1,255}$");
        return 1;
    }
    const struct sim_e2b_replay *known = idempotency_find(call, key);
    if (!known) return 0;
    idempotency_hash(call, hash);
    if (strcmp(hash, known->body_hash) != 0) {
        sim_e2b_refuse(call, 409, "idempotency_request_mismatch",
                       "Idempotency-Key was already used with a different request");
    } else if (!known->status) {
        sim_e2b_refuse(call, 409, "idempotency_in_progress",
                       "The original request has not recorded a response yet. Retry with the same Idempotency-Key.");
    } else {
        struct sim_e2b_sandbox *sb = sim_e2b_sandbox_find(call->e2b, known->answer);
        if (sb)
            sim_e2b_sandbox_reply(call, known->status, sb);
        else
            sim_e2b_refuse(call, 503, NULL, "Request result is unavailable; retry with the same Idempotency-Key");
    }
    return 1;
}

void sim_e2b_idempotency_begin(struct sim_e2b_call *call) {
    const char *key = idempotency_key(call);
    struct sim_e2b_replay *made = key ? calloc(1, sizeof(*made)) : NULL;
    if (!made) return;
    made->account = call->account;
    made->key = strdup(key);
    made->answer = strdup(call->sb->id);
    idempotency_hash(call, made->body_hash);
    made->next = call->e2b->replays;
    call->e2b->replays = made;
    if (made->key && made->answer) return;
    call->e2b->replays = made->next;
    free(made->key);
    free(made->answer);
    free(made);
}

void sim_e2b_idempotency_record(struct sim_e2b_call *call, int status) {
    const char *key = idempotency_key(call);
    struct sim_e2b_replay *known = key ? idempotency_find(call, key) : NULL;
    if (known) known->status = status;
}

void sim_e2b_idempotency_forget(struct sim_e2b *e2b) {
    while (e2b->replays) {
        struct sim_e2b_replay *next = e2b->replays->next;
        free(e2b->replays->key);
        free(e2b->replays->answer);
        free(e2b->replays);
        e2b->replays = next;
    }
}
