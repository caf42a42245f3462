/* Memory runs out in the production env, libcurl's included: an exchange ends as it should or says what it knows, a
 * request that is said to have never left was not received, and the env serves the next one. Rows P4, P9, P11. */
#include "client.h"
#include "short_memory.h"
#include "t.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

/* libcurl takes its allocator once, before anybody begins: here, where the linker counts. */
static void *counted_malloc(size_t size) {
    return malloc(size);
}
static void counted_free(void *old) {
    free(old);
}
static void *counted_realloc(void *old, size_t size) {
    return realloc(old, size);
}
static char *counted_strdup(const char *text) {
    return strdup(text);
}
static void *counted_calloc(size_t n, size_t size) {
    return calloc(n, size);
}

static void counted_curl(void) {
    T_EQ(curl_global_init_mem(CURL_GLOBAL_DEFAULT, counted_malloc, counted_free, counted_realloc, counted_strdup,
                              counted_calloc),
         0);
}

/* ---- making one ---- */

static void creating_an_env(void) {
    struct sbx_curl_options opt = SBX_CURL_OPTIONS_INIT;
    opt.ca_pem = "-----BEGIN CERTIFICATE-----";
    opt.connect_to = "::127.0.0.1:1";
    int64_t nth = 0, refused = 1;
    counted_curl();
    for (struct sbx_env *env = NULL; refused; env = NULL) {
        short_memory_arm(++nth, MEMORY_SHORT_ONCE);
        enum sbx_status st = sbx_curl_env_create(&opt, &env);
        refused = short_memory_disarm();
        T_STATUS(st, refused ? SBX_NO_MEMORY : SBX_OK);
        T_TRUE((env != NULL) == !refused);
        sbx_env_free(env);
    }
    printf("create: %lld requests refused\n", (long long)nth - 1);
    T_TRUE(nth > 4);
    curl_global_cleanup();
}

static void locks_and_events(void) {
    struct sbx_env *env = NULL;
    counted_curl();
    T_STATUS(sbx_curl_env_create(NULL, &env), SBX_OK);
    short_memory_arm(1, MEMORY_SHORT_FROM_THEN_ON);
    struct sbx_lock *lock = env->lock_new(env);
    struct sbx_event *event = env->event_new(env);
    T_EQ(short_memory_disarm(), 2);
    T_TRUE(!lock && !event);
    event = env->event_new(env);
    T_TRUE(event != NULL);
    short_memory_arm(1, MEMORY_SHORT_FROM_THEN_ON); /* a wait needs none to be kept, only to be woken at once */
    enum sbx_status st = env->event_wait(env, event, env->now_ms(env) + 5, NULL);
    T_TRUE(short_memory_disarm() > 0);
    T_STATUS(st, SBX_DEADLINE);
    env->event_free(env, event);
    sbx_env_free(env);
    curl_global_cleanup();
}

/* ---- exchanges ---- */

static const char answer[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-A: 1\r\n and more\r\nContent-Length: 5\r\n\r\n"
    "hello";

static ptrdiff_t read_once(void *ctx, void *buf, size_t cap) {
    int *left = ctx;
    if (cap > 1024 * 1024) T_FAIL("asked for %zu bytes at once", cap);
    size_t n = *left && cap >= 4 ? 4 : 0;
    memcpy(buf, "data", n);
    *left = 0;
    return (ptrdiff_t)n;
}

struct way {
    const char *name;
    const char *method;
    uint32_t flags;
    int reader;
    int warm; /* the connection is there from the run before */
    enum short_memory how;
    int64_t requests_min;
};

_Noreturn static void exchange_fail(const struct way *way, int64_t nth, enum sbx_evidence how, const char *what) {
    T_FAIL("%s, request %lld refused: %s; it ended as %s", way->name, (long long)nth, what,
           sbx_evidence_name((int32_t)how));
}

static int is_whole(const struct client *c, enum sbx_evidence how) {
    return how == SBX_EVIDENCE_DONE && c->info.http_status == 200 && strcmp(c->body, "hello") == 0;
}

static void plain_get(struct client *c) {
    c->req.method = "GET";
    c->req.flags = 0;
    c->req.reader = NULL;
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
}

/* One exchange that is short of memory, with all that it says, and one more behind it, which must go well: whatever
 * happened, the env still serves. @return how many requests were refused */
static int64_t exchange_once(const struct way *way, int64_t nth) {
    struct client *c = client_begin(NULL);
    int left = 1;
    const struct sbx_reader reader = {&left, read_once};
    client_script_one(c, answer, RAW_KEEP);
    if (way->warm) plain_get(c);
    c->req.method = way->method;
    c->req.flags = way->flags;
    c->req.reader = way->reader ? &reader : NULL;
    c->req.reader_len = -1;
    uint64_t before = raw_server_counts(c->server).executions;
    short_memory_arm(nth, way->how);
    enum sbx_evidence how = client_go(c);
    int64_t refused = short_memory_disarm();
    int left_us = c->info.sent_bytes > 0;
    if ((how == SBX_EVIDENCE_DONE || !refused) && !is_whole(c, how))
        exchange_fail(way, nth, how, "not the whole answer");
    /* libcurl says of an address for which it had no memory that it is not known */
    if (how != SBX_EVIDENCE_DONE && how != SBX_EVIDENCE_MEMORY && (how != SBX_EVIDENCE_RESOLVE || left_us))
        exchange_fail(way, nth, how, "memory is not what it names");
    plain_get(c);
    uint64_t ran = raw_server_counts(c->server).executions - before - 1;
    if (ran > 1) exchange_fail(way, nth, how, "sent again");
    if (ran && !left_us) exchange_fail(way, nth, how, "said not to have left, and was received");
    client_end(c);
    return refused;
}

static void exchanges(const struct way *way) {
    int64_t nth = 1;
    while (exchange_once(way, nth)) nth++;
    printf("%s: %lld requests refused\n", way->name, (long long)nth - 1);
    T_TRUE(nth > way->requests_min);
}

static void both_ways(struct way way) {
    counted_curl();
    exchanges(&way);
    way.how = MEMORY_SHORT_FROM_THEN_ON;
    exchanges(&way);
    curl_global_cleanup();
}

static void a_get_on_a_new_connection(void) {
    both_ways((struct way){.name = "new GET", .method = "GET", .flags = SBX_REQUEST_IDEMPOTENT, .requests_min = 20});
}

static void a_get_on_a_kept_connection(void) {
    both_ways((struct way){.name = "kept GET", .method = "GET", .warm = 1, .requests_min = 10});
}

static void an_upload_on_a_new_connection(void) {
    both_ways((struct way){
        .name = "new POST", .method = "POST", .flags = SBX_REQUEST_CHUNKED, .reader = 1, .requests_min = 20});
}

static void an_upload_on_a_kept_connection(void) {
    both_ways((struct way){.name = "kept POST",
                           .method = "POST",
                           .flags = SBX_REQUEST_CHUNKED,
                           .reader = 1,
                           .warm = 1,
                           .requests_min = 10});
}

T_CASES(T_CASE(creating_an_env), T_CASE(locks_and_events), T_CASE(a_get_on_a_new_connection),
        T_CASE(a_get_on_a_kept_connection), T_CASE(an_upload_on_a_new_connection),
        T_CASE(an_upload_on_a_kept_connection))
