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

static void exchange_check(struct client *c, const struct way *way, int64_t nth, int64_t refused,
                           enum sbx_evidence how) {
    struct raw_counts counts = raw_server_counts(c->server);
    int whole = how == SBX_EVIDENCE_DONE && strcmp(c->body, "hello") == 0 && c->info.http_status == 200;
    if (how == SBX_EVIDENCE_DONE && !whole)
        T_FAIL("%s, request %lld refused: done, with '%s'", way->name, (long long)nth, c->body);
    /* libcurl says of an address that it had no memory for that there is none */
    if (how != SBX_EVIDENCE_DONE && how != SBX_EVIDENCE_MEMORY && (how != SBX_EVIDENCE_RESOLVE || c->info.sent_bytes))
        T_FAIL("%s, request %lld refused: ended as %s", way->name, (long long)nth, sbx_evidence_name((int32_t)how));
    if (!refused && !whole) T_FAIL("%s: ended as %s", way->name, sbx_evidence_name((int32_t)how));
    if (counts.executions > 1) T_FAIL("%s, request %lld refused: sent again", way->name, (long long)nth);
    if (c->info.sent_bytes == 0 && counts.executions)
        T_FAIL("%s, request %lld refused: said not to have left, and was received", way->name, (long long)nth);
}

static void exchanges(const struct way *way) {
    int64_t nth = 0, refused = 1;
    struct client *c = client_begin(NULL);
    while (refused) {
        int left = 1;
        const struct sbx_reader reader = {&left, read_once};
        if (!way->warm) {
            sbx_env_free(c->env);
            T_STATUS(sbx_curl_env_create(NULL, &c->env), SBX_OK);
        } else { /* the env still serves, whatever the run before did to it */
            client_script_one(c, answer, RAW_KEEP);
            c->req.method = "GET";
            c->req.reader = NULL;
            c->req.flags = 0;
            enum sbx_evidence again = client_go(c);
            if (again != SBX_EVIDENCE_DONE)
                T_FAIL("%s, after request %lld was refused: the next exchange ended as %s", way->name, (long long)nth,
                       sbx_evidence_name((int32_t)again));
        }
        client_script_one(c, answer, RAW_KEEP);
        c->req.method = way->method;
        c->req.flags = way->flags;
        c->req.reader = way->reader ? &reader : NULL;
        c->req.reader_len = -1;
        short_memory_arm(++nth, way->how);
        enum sbx_evidence how = client_go(c);
        refused = short_memory_disarm();
        exchange_check(c, way, nth, refused, how);
    }
    printf("%s: %lld requests refused\n", way->name, (long long)nth - 1);
    T_TRUE(nth > way->requests_min);
    client_end(c);
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
