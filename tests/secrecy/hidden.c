/* The world of a secrecy test, and the searches. */
#include "hidden.h"

#include "short_memory.h"
#include <sandport/kit/json.h>
#include <stdio.h>
#include <stdlib.h>

#define TOKENS_MAX 64
#define TOKEN_SIZE 128

static struct {
    struct canary key[4]; /* the accounts', the store's */
    size_t keys;
    struct canary caller;
    const char *left; /* the first form of a key that was found in a block that went */
    size_t blocks;
    enum sbx_evidence (*exchange)(struct sbx_env *env, const struct sbx_request *req, const struct sbx_receiver *to,
                                  struct sbx_exchange_info *info);
    char token[TOKENS_MAX][TOKEN_SIZE];
    size_t tokens;
} hidden;

/* ---- what is looked at on the way ---- */

static void block_freed(const void *block, size_t size) {
    hidden.blocks++;
    for (size_t i = 0; i < hidden.keys && !hidden.left; i++) hidden.left = canary_in(&hidden.key[i], block, size);
}

/* What E2B calls a sandbox's own credential, out of an answer. */
static void token_take(const char *text, size_t len) {
    static const char before[] = "\"envdAccessToken\":\"";
    for (const char *at = memmem(text, len, before, sizeof(before) - 1); at;
         at = memmem(at, len - (size_t)(at - text), before, sizeof(before) - 1)) {
        at += sizeof(before) - 1;
        const char *end = memchr(at, '"', len - (size_t)(at - text));
        if (!end || end == at) return;
        T_TRUE(hidden.tokens < TOKENS_MAX && end - at < TOKEN_SIZE);
        snprintf(hidden.token[hidden.tokens], TOKEN_SIZE, "%.*s", (int)(end - at), at);
        hidden.tokens += !hidden.tokens || strcmp(hidden.token[hidden.tokens - 1], hidden.token[hidden.tokens]) != 0;
    }
}

static int body_seen(void *ctx, const void *data, size_t len) {
    const struct sbx_receiver *to = ctx;
    token_take(data, len);
    return to->body ? to->body(to->ctx, data, len) : 0;
}

static int head_seen(void *ctx, int http_status, const struct sbx_header *headers, size_t header_count) {
    const struct sbx_receiver *to = ctx;
    return to->head ? to->head(to->ctx, http_status, headers, header_count) : 0;
}

static enum sbx_evidence exchange_seen(struct sbx_env *env, const struct sbx_request *req,
                                       const struct sbx_receiver *to, struct sbx_exchange_info *info) {
    const struct sbx_receiver none = {0};
    struct sbx_receiver last = to ? *to : none;
    const struct sbx_receiver seen = {&last, head_seen, body_seen};
    return hidden.exchange(env, req, &seen, info);
}

static struct sbx_env *around(struct sbx_env *env) {
    struct sbx_env *outer = short_memory_env(env);
    hidden.exchange = outer->exchange;
    outer->exchange = exchange_seen;
    (void)short_memory_mask(0);
    short_memory_watch(block_freed);
    return outer;
}

/* ---- the world ---- */

struct hidden *hidden_new(int room, int classify) {
    const struct routed_setup setup = {
        .room = {room, room, room}, .classify = classify, .key = {SECRET_1, SECRET_2, SECRET_E2B}, .around = around};
    static const struct sbx_pair env = {"TOKEN", SECRET_CALLER};
    struct hidden *h = calloc(1, sizeof(*h));
    T_TRUE(h != NULL);
    memset(&hidden, 0, sizeof(hidden));
    for (size_t i = 0; i < 3; i++) canary_init(&hidden.key[hidden.keys++], setup.key[i]);
    if (keep_secret) canary_init(&hidden.key[hidden.keys++], keep_secret);
    canary_init(&hidden.caller, SECRET_CALLER);
    h->w = routed_world_make(&setup);
    h->env = h->w->env;
    keep_open(&h->keep, h->env);
    h->w->opt.store = h->keep.store;
    h->w->how.request = "job-1";
    h->w->how.env = &env;
    h->w->how.env_count = 1;
    return h;
}

void hidden_open(struct hidden *h) {
    routed_world_open(h->w);
}

void hidden_fault(struct hidden *h, const char *json) {
    const int before = short_memory_mask(1);
    routed_world_fault(h->w, json);
    (void)short_memory_mask(before);
}

void hidden_healthy(struct hidden *h) {
    const int before = short_memory_mask(1);
    sbx_sim_faults_clear(h->w->sim);
    (void)short_memory_mask(before);
}

void hidden_advance(struct hidden *h, int64_t ms) {
    const int before = short_memory_mask(1);
    sbx_sim_advance_ms(h->w->sim, ms);
    (void)short_memory_mask(before);
}

void hidden_echo(struct hidden *h, const char *op, int which, int http_status) {
    const int before = short_memory_mask(1);
    const struct canary *c = &hidden.key[which];
    struct sbx_buf words = SBX_BUF_INIT, body = SBX_BUF_INIT;
    for (size_t i = 0; i < CANARY_FORMS; i++) {
        sbx_buf_append(&words, c->form[i], c->len[i]);
        sbx_buf_char(&words, ' ');
    }
    sbx_json_begin_object(&body, NULL);
    sbx_json_put_string(&body, "code", sbx_buf_text(&words));
    sbx_json_put_string(&body, "message", sbx_buf_text(&words));
    sbx_json_end_object(&body);
    const struct sbx_fault fault = {
        .op = op, .phase = "before", .effect = {.kind = "status", .status = http_status, .body = sbx_buf_text(&body)}};
    T_TRUE(sbx_sim_fault(h->w->sim, &fault) > 0);
    sbx_buf_finish(&body);
    sbx_buf_finish(&words);
    h->echoes = 1;
    (void)short_memory_mask(before);
}

/* ---- searching ---- */

static void see(void *ctx, const char *where, const void *data, size_t len) {
    (void)ctx;
    for (size_t i = 0; i < hidden.keys; i++) canary_not_in(&hidden.key[i], data, len, where);
    canary_not_in(&hidden.caller, data, len, where);
    for (size_t i = 0; i < hidden.tokens; i++) {
        struct canary token;
        canary_init(&token, hidden.token[i]);
        canary_not_in(&token, data, len, where);
    }
}

static void see_text(const char *where, const char *text) {
    see(NULL, where, text, strlen(text));
}

/* A sandbox's environment and its own token are the cloud's to know. */
static void see_cloud(const char *where, const char *text) {
    for (size_t i = 0; i < hidden.keys; i++) canary_not_in(&hidden.key[i], text, strlen(text), where);
}

static void see_report(const struct sbx_provision *report) {
    struct sbx_attempt a = SBX_ATTEMPT_INIT;
    for (size_t i = 0; sbx_provision_attempt(report, i, &a); i++) {
        see_text("an attempt's pool", a.pool_id);
        see_text("an attempt's provider", a.provider);
        see_text("an attempt's acquisition", a.acquisition);
        see_text("an attempt's code", a.code);
    }
    for (size_t i = 0; i < sbx_provision_rejected_count(report); i++)
        see_text("a rejected pool", sbx_provision_rejected(report, i, NULL));
    see_text("an explanation", sbx_provision_explanation(report));
}

enum sbx_status hidden_said(struct hidden *h, enum sbx_status st) {
    char line[1024];
    sbx_error_describe(&h->w->err, line, sizeof(line));
    see_text("an error in words", line);
    see(NULL, "an error", &h->w->err, sizeof(h->w->err));
    return st;
}

enum sbx_status hidden_provision(struct hidden *h) {
    struct routed_world *w = h->w;
    struct sbx_call call = SBX_CALL_INIT;
    sbx_call_init_after(&call, sizeof(call), h->env, 20000);
    sbx_provision_free(w->report);
    w->report = NULL;
    const enum sbx_status st =
        sbx_router_provision(w->router, &w->req, &w->how, &call, w->locator, &w->report, &w->err);
    if (w->report) see_report(w->report);
    return hidden_said(h, st);
}

size_t hidden_tokens(void) {
    return hidden.tokens;
}

static void search(struct hidden *h) {
    const int before = short_memory_mask(1);
    struct sbx_buf records = SBX_BUF_INIT;
    size_t len = 0;
    routed_world_records(h->keep.store, &records);
    see(NULL, "a record", sbx_buf_text(&records), records.len);
    sbx_buf_finish(&records);
    see(NULL, "an event, or what is shown to a debugger", sbx_buf_text(&h->w->told), h->w->told.len);
    see_cloud("the journal", sbx_sim_journal(h->w->sim, &len));
    see_cloud("the timeline", sbx_sim_timeline(h->w->sim));
    see_cloud("the ledger", sbx_sim_ledger_json(h->w->sim));
    see_cloud("the state of the clouds", sbx_sim_state_json(h->w->sim));
    keep_show(&h->keep, see, NULL);
    (void)short_memory_mask(before);
}

void hidden_end(struct hidden *h) {
    search(h);
    routed_world_close(h->w);
    sbx_store_free(h->keep.store);
    short_memory_watch(NULL);
    T_TRUE(hidden.blocks > 20); /* they were looked at */
    if (hidden.left && !h->echoes) T_FAIL("a credential is in a block that was freed, %s", hidden.left);
    keep_show(&h->keep, see, NULL);
    keep_finish(&h->keep);
    routed_world_free(h->w);
    sbx_env_free(h->env);
    free(h);
}
