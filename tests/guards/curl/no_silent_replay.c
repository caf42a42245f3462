/* The guard no_silent_replay: on a connection that was used before and dies before the first byte of an answer, a
 * request that is not idempotent reaches the server once. Counted at a real server on a real connection. Row P11. */
#include "raw_server.h"
#include "t.h"

#include <sandport/curl.h>
#include <stdio.h>
#include <stdlib.h>

#define OK_EMPTY "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

struct replay {
    struct sbx_env *env;
    struct raw_server *server;
    char url[64];
    struct sbx_exchange_info info;
};

static enum sbx_evidence replay_send(struct replay *r, struct sbx_request *req) {
    req->size = sizeof(*req);
    req->url = r->url;
    req->deadline_ms = r->env->now_ms(r->env) + 10000;
    r->info = (struct sbx_exchange_info){.size = sizeof(r->info)};
    return r->env->exchange(r->env, req, NULL, &r->info);
}

/* After this the env holds one live connection, and the server's next steps are `then`. */
static struct replay replay_begin(const struct raw_step *then, size_t n) {
    struct replay r = {.server = raw_server_start()};
    struct raw_step steps[4] = {{.answer = OK_EMPTY}};
    struct sbx_request first = {.method = "GET"};
    memcpy(steps + 1, then, n * sizeof(*then));
    raw_server_script(r.server, steps, n + 1);
    snprintf(r.url, sizeof(r.url), "http://127.0.0.1:%d/sandbox", raw_server_port(r.server));
    T_STATUS(sbx_curl_env_create(NULL, &r.env), SBX_OK);
    T_EQ(replay_send(&r, &first), SBX_EVIDENCE_DONE);
    return r;
}

static void replay_end(struct replay *r) {
    sbx_env_free(r->env);
    raw_server_stop(r->server);
}

static ptrdiff_t replay_read(void *ctx, void *buf, size_t cap) {
    size_t *left = ctx, n = *left < cap ? *left : cap;
    for (size_t i = 0; i < n; i++) ((unsigned char *)buf)[i] = raw_pattern(i);
    *left -= n;
    return (ptrdiff_t)n;
}

static const struct raw_step die_then_answer[] = {{.end = RAW_CLOSE}, {.answer = OK_EMPTY}};
static const struct raw_step reset_then_answer[] = {{.end = RAW_RESET}, {.answer = OK_EMPTY}};
static const struct raw_step die_at_head_then_answer[] = {{.read = RAW_READ_HEAD, .end = RAW_CLOSE},
                                                          {.answer = OK_EMPTY}};
static const struct raw_step die_unread_then_answer[] = {{.read = RAW_READ_NONE, .end = RAW_RESET},
                                                         {.answer = OK_EMPTY}};
static const struct raw_step answer[] = {{.answer = OK_EMPTY}};

/* The first GET is one execution; the request in question may be one more. */
static void replay_expect_once(const struct raw_step *then, struct sbx_request *req, uint64_t heads) {
    struct replay r = replay_begin(then, 2);
    enum sbx_evidence evidence = replay_send(&r, req);
    struct raw_counts seen = raw_server_counts(r.server);
    if (seen.heads > 1 + heads)
        T_FAIL("reached the server %llu times, expected once", (unsigned long long)seen.heads - 1);
    T_EQ(evidence, SBX_EVIDENCE_SENT_NO_ANSWER);
    T_EQ(seen.heads, 1 + heads);
    T_EQ(seen.connections, 1);
    T_TRUE(r.info.sent_bytes > 0);
    replay_end(&r);
}

/* The same request while the connection lives: the guard's presence costs nothing, the connection is used again. */
static void replay_expect_reuse(struct sbx_request *req) {
    struct replay r = replay_begin(answer, 1);
    T_EQ(replay_send(&r, req), SBX_EVIDENCE_DONE);
    struct raw_counts seen = raw_server_counts(r.server);
    T_EQ(seen.executions, 2);
    T_EQ(seen.connections, 1);
    replay_end(&r);
}

/* ---- create: a POST with a body ---- */

static void must_fire_no_silent_replay__post_with_body(void) {
    struct sbx_request req = {.method = "POST", .body = "{\"name\":\"a\"}", .body_len = 12};
    replay_expect_once(die_then_answer, &req, 1);
}

static void must_fire_no_silent_replay__post_with_body_reset(void) {
    struct sbx_request req = {.method = "POST", .body = "{\"name\":\"a\"}", .body_len = 12};
    replay_expect_once(reset_then_answer, &req, 1);
}

static void must_not_fire_no_silent_replay__post_with_body(void) {
    struct sbx_request req = {.method = "POST", .body = "{\"name\":\"a\"}", .body_len = 12};
    replay_expect_reuse(&req);
}

/* ---- start: a POST without one, where nothing needs rewinding and libcurl would repeat it without a word ---- */

static void must_fire_no_silent_replay__post_without_body(void) {
    struct sbx_request req = {.method = "POST"};
    replay_expect_once(die_then_answer, &req, 1);
}

static void must_fire_no_silent_replay__post_without_body_reset(void) {
    struct sbx_request req = {.method = "POST"};
    replay_expect_once(reset_then_answer, &req, 1);
}

static void must_not_fire_no_silent_replay__post_without_body(void) {
    struct sbx_request req = {.method = "POST"};
    replay_expect_reuse(&req);
}

static void must_fire_no_silent_replay__delete(void) {
    struct sbx_request req = {.method = "DELETE"};
    replay_expect_once(die_then_answer, &req, 1);
}

/* ---- exec: a chunked POST ---- */

static void must_fire_no_silent_replay__chunked_post(void) {
    struct sbx_request req = {.method = "POST", .body = "true", .body_len = 4, .flags = SBX_REQUEST_CHUNKED};
    replay_expect_once(die_then_answer, &req, 1);
}

static void must_fire_no_silent_replay__chunked_post_that_dies_at_its_head(void) {
    struct sbx_request req = {.method = "POST", .body = "true", .body_len = 4, .flags = SBX_REQUEST_CHUNKED};
    replay_expect_once(die_at_head_then_answer, &req, 1);
}

static void must_fire_no_silent_replay__chunked_post_of_a_server_that_read_nothing(void) {
    struct sbx_request req = {.method = "POST", .body = "true", .body_len = 4, .flags = SBX_REQUEST_CHUNKED};
    replay_expect_once(die_unread_then_answer, &req, 0);
}

static void must_not_fire_no_silent_replay__chunked_post(void) {
    struct sbx_request req = {.method = "POST", .body = "true", .body_len = 4, .flags = SBX_REQUEST_CHUNKED};
    replay_expect_reuse(&req);
}

/* A reader cannot be read twice: idempotent or not, it is sent once. */
static void must_fire_no_silent_replay__an_idempotent_reader(void) {
    size_t left = 5000;
    const struct sbx_reader reader = {&left, replay_read};
    struct sbx_request req = {.method = "PUT", .reader = &reader, .reader_len = 5000, .flags = SBX_REQUEST_IDEMPOTENT};
    replay_expect_once(die_then_answer, &req, 1);
}

/* ---- what the caller calls idempotent is sent again, whole ---- */

static void replay_expect_again(struct sbx_request *req, uint64_t body_bytes) {
    struct replay r = replay_begin(die_then_answer, 2);
    T_EQ(replay_send(&r, req), SBX_EVIDENCE_DONE);
    struct raw_counts seen = raw_server_counts(r.server);
    T_EQ(seen.executions, 3);
    T_EQ(seen.connections, 2);
    T_EQ(seen.body_bytes, 2 * body_bytes);
    T_EQ(seen.body_wrong, 0);
    T_TRUE(r.info.sent_bytes > body_bytes);
    replay_end(&r);
}

static void must_not_fire_no_silent_replay__idempotent_get(void) {
    struct sbx_request req = {.method = "GET", .flags = SBX_REQUEST_IDEMPOTENT};
    replay_expect_again(&req, 0);
}

static void must_not_fire_no_silent_replay__idempotent_put(void) {
    unsigned char body[5000];
    for (size_t i = 0; i < sizeof(body); i++) body[i] = raw_pattern(i);
    struct sbx_request req = {.method = "PUT", .body = body, .body_len = sizeof(body), .flags = SBX_REQUEST_IDEMPOTENT};
    replay_expect_again(&req, sizeof(body));
}

/* A connection that is seen to be dead before anything was sent is simply not used. */
static void must_not_fire_no_silent_replay__the_connection_had_ended_while_idle(void) {
    static const struct raw_step steps[] = {{.answer = OK_EMPTY, .end = RAW_CLOSE}, {.answer = OK_EMPTY}};
    struct replay r = {.server = raw_server_start()};
    struct sbx_request first = {.method = "GET"}, req = {.method = "POST"};
    raw_server_script(r.server, steps, 2);
    snprintf(r.url, sizeof(r.url), "http://127.0.0.1:%d/sandbox", raw_server_port(r.server));
    T_STATUS(sbx_curl_env_create(NULL, &r.env), SBX_OK);
    T_EQ(replay_send(&r, &first), SBX_EVIDENCE_DONE);
    raw_server_await_closed(r.server, 1);
    T_EQ(replay_send(&r, &req), SBX_EVIDENCE_DONE);
    T_EQ(raw_server_counts(r.server).executions, 2);
    T_EQ(raw_server_counts(r.server).connections, 2);
    replay_end(&r);
}

T_CASES(T_CASE(must_fire_no_silent_replay__post_with_body), T_CASE(must_fire_no_silent_replay__post_with_body_reset),
        T_CASE(must_not_fire_no_silent_replay__post_with_body), T_CASE(must_fire_no_silent_replay__post_without_body),
        T_CASE(must_fire_no_silent_replay__post_without_body_reset),
        T_CASE(must_not_fire_no_silent_replay__post_without_body), T_CASE(must_fire_no_silent_replay__delete),
        T_CASE(must_fire_no_silent_replay__chunked_post),
        T_CASE(must_fire_no_silent_replay__chunked_post_that_dies_at_its_head),
        T_CASE(must_fire_no_silent_replay__chunked_post_of_a_server_that_read_nothing),
        T_CASE(must_not_fire_no_silent_replay__chunked_post), T_CASE(must_fire_no_silent_replay__an_idempotent_reader),
        T_CASE(must_not_fire_no_silent_replay__idempotent_get), T_CASE(must_not_fire_no_silent_replay__idempotent_put),
        T_CASE(must_not_fire_no_silent_replay__the_connection_had_ended_while_idle))
