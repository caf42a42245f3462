/* Following a session's log on the simulated Daytona: the frames of its WebSocket byte by byte, and the plain stream.
 */
#include "ask.h"

#include <stdio.h>

#define KEY    "dGhlIHNhbXBsZSBub25jZQ=="
#define ACCEPT "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

/** What a WebSocket client has heard. */
struct heard {
    struct sbx_buf text; /* of all binary frames */
    int frames, close;   /* code of the close frame, 0 = none came */
    size_t longest;
};

static void box(struct ask *a) {
    ask_init(a, NULL);
    ask_create_started(a, NULL);
    T_EQ(ask(a, "POST", "/toolbox/%s/process/session", "{\"sessionId\":\"s\"}"), 201);
}

static void upgrade(struct ask *a) {
    ask_header(a, "X-Daytona-SDK-Version", "0.205.1");
    ask_header(a, "Upgrade", "WebSocket");
    ask_header(a, "Sec-WebSocket-Version", "13");
    ask_header(a, "Sec-WebSocket-Key", KEY);
}

/* Submits a command and leaves the path of its followed log in `path`. */
static void submit(struct ask *a, const char *command, char path[256]) {
    char body[512];
    snprintf(body, sizeof(body), "{\"command\":\"%s\",\"runAsync\":true}", command);
    T_EQ(ask(a, "POST", "/toolbox/%s/process/session/s/exec", body), 202);
    snprintf(path, 256, "/toolbox/%%s/process/session/s/command/%s/logs?follow=true", ask_text(a, "cmdId"));
}

/* Frames of a server are whole, never masked, and of the shortest length that fits. @return what is left of a frame
 * that is not whole */
static size_t hear(const struct ask *a, struct heard *h) {
    const unsigned char *p = (const unsigned char *)a->body.data;
    size_t left = a->body.len;
    *h = (struct heard){0};
    while (left >= 2) {
        size_t len = p[1], head = 2;
        T_TRUE(p[1] < 128 && p[0] & 0x80);
        if (len == 127) T_FAIL("a frame of 64 bits of length");
        if (len == 126) {
            if (left < 4) return left;
            len = (size_t)p[2] << 8 | p[3];
            head = 4;
            T_TRUE(len > 125);
        }
        if (left < head + len) return left;
        if (p[0] == 0x88) {
            T_TRUE(len >= 2);
            h->close = p[head] << 8 | p[head + 1];
        } else {
            T_EQ(p[0], 0x82);
            sbx_buf_append(&h->text, p + head, len);
            h->frames++;
            if (len > h->longest) h->longest = len;
        }
        p += head + len;
        left -= head + len;
    }
    return left;
}

static void the_log_comes_in_frames_and_ends_with_1000(void) {
    struct ask a;
    struct heard h;
    char path[256];
    box(&a);
    submit(&a, "echo one; sleep 2; echo two >&2; sleep 2; printf last", path);
    upgrade(&a);
    ask_pass_ms(&a, 500);
    const int64_t before_ms = ask_now_ms(&a);
    T_EQ(ask(&a, "GET", path, NULL), 101);
    T_CONTAINS(sbx_buf_text(&a.headers), "Upgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Accept: " ACCEPT "\n");
    T_TRUE(strstr(sbx_buf_text(&a.headers), "Extensions") == NULL);
    T_EQ(a.evidence, SBX_EVIDENCE_DONE);
    T_EQ(hear(&a, &h), 0);
    T_STR(sbx_buf_text(&h.text), "\001\001\001one\n\002\002\002two\n\001\001\001last\n");
    T_EQ(h.frames, 3);
    T_EQ(h.close, 1000);
    T_EQ((ask_now_ms(&a) - before_ms) / 100, 45); /* 3.5 s of the command and one of quiet */
    sbx_buf_finish(&h.text);
    ask_finish(&a);
}

static void history_comes_first_and_without_a_version_without_markers(void) {
    struct ask a;
    struct heard h;
    char path[256];
    box(&a);
    submit(&a, "echo one; echo two >&2", path);
    ask_pass_ms(&a, 5000);
    upgrade(&a);
    a.more[0].name = "X-Other";
    T_EQ(ask(&a, "GET", path, NULL), 101);
    T_EQ(hear(&a, &h), 0);
    T_STR(sbx_buf_text(&h.text), "one\ntwo\n");
    T_EQ(h.close, 1000);
    sbx_buf_finish(&h.text);
    ask_finish(&a);
}

/* The runner itself answers who asks for no upgrade. */
static void without_an_upgrade_it_is_a_stream(void) {
    struct ask a;
    char path[256];
    box(&a);
    submit(&a, "echo one; sleep 1; echo two >&2", path);
    ask_header(&a, "X-Daytona-SDK-Version", "0.205.1");
    T_EQ(ask(&a, "GET", path, NULL), 200);
    T_CONTAINS(sbx_buf_text(&a.headers), "Content-Type: application/octet-stream");
    T_STR(sbx_buf_text(&a.body), "one\ntwo\n");
    T_EQ(a.evidence, SBX_EVIDENCE_DONE);
    ask_finish(&a);
}

static void a_handshake_that_is_none_is_400(void) {
    static const struct sbx_header bad[] = {{"Sec-WebSocket-Version", "8"},
                                            {"Sec-WebSocket-Key", "short"},
                                            {"Sec-WebSocket-Key", ""},
                                            {"Sec-WebSocket-Key", "AAAAAAAAAAAA"},
                                            {"Sec-WebSocket-Version", ""}};
    struct ask a;
    char path[256];
    box(&a);
    submit(&a, "true", path);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        a.more_count = 0;
        upgrade(&a);
        for (size_t m = 0; m < a.more_count; m++)
            if (strcmp(a.more[m].name, bad[i].name) == 0) a.more[m].value = bad[i].value;
        if (ask(&a, "GET", path, NULL) != 400) T_FAIL("%s '%s': %d", bad[i].name, bad[i].value, a.status);
    }
    ask_finish(&a);
}

/* F071: a cut at any byte leaves whole frames before it, and the command runs on. */
static void f071_cut_at_every_byte(void) {
    struct ask a;
    struct heard h;
    char path[256];
    size_t whole = 0;
    box(&a);
    submit(&a, "echo out; sleep 1; echo err >&2", path);
    upgrade(&a);
    ask_pass_ms(&a, 5000);
    T_EQ(ask(&a, "GET", path, NULL), 101);
    whole = a.body.len;
    T_EQ(whole, 2 + 7 + 7 + 4); /* both lines and a goodbye */
    for (size_t at = 0; at < whole; at++) {
        const struct sbx_fault cut = {.op = "daytona.toolbox.session.follow",
                                      .phase = at % 2 ? "mid_reply" : "before_commit",
                                      .times = 1,
                                      .effect = {.kind = "cut", .at_bytes = (int64_t)at}};
        ask_fault(&a, &cut);
        T_EQ(ask(&a, "GET", path, NULL), 101);
        T_EQ(a.evidence, SBX_EVIDENCE_PARTIAL);
        T_EQ(a.body.len, at);
        T_EQ(hear(&a, &h), at < 16 ? at : at - 16);
        T_EQ(h.close, 0);
        sbx_buf_finish(&h.text);
    }
    ask_finish(&a);
}

static void f071_closed_with_1011_while_it_runs(void) {
    const struct sbx_fault close_early = {.op = "daytona.toolbox.session.follow",
                                          .phase = "before",
                                          .times = 1,
                                          .effect = {.kind = "close_frame", .at_bytes = 5}};
    struct ask a;
    struct heard h;
    char path[256];
    box(&a);
    submit(&a, "echo one; sleep 5; echo two", path);
    upgrade(&a);
    ask_fault(&a, &close_early);
    T_EQ(ask(&a, "GET", path, NULL), 101);
    T_EQ(hear(&a, &h), 0);
    T_STR(sbx_buf_text(&h.text), "\001\001\001on");
    T_EQ(h.close, 1011);
    sbx_buf_finish(&h.text);
    T_EQ(ask(&a, "GET", path, NULL), 101);
    T_EQ(hear(&a, &h), 0);
    T_STR(sbx_buf_text(&h.text), "\001\001\001one\n\001\001\001two\n");
    T_EQ(h.close, 1000);
    sbx_buf_finish(&h.text);
    ask_finish(&a);
}

static void day8_23_markers_split_at_every_byte(void) {
    struct ask a;
    struct heard h;
    char path[256];
    box(&a);
    submit(&a, "echo caf\xc3\xa9", path);
    upgrade(&a);
    for (int bytes = 1; bytes <= 4; bytes++) {
        const struct sbx_fault split = {.op = "daytona.toolbox.session.follow",
                                        .phase = "before",
                                        .times = 1,
                                        .effect = {.kind = "split", .at_bytes = bytes}};
        ask_fault(&a, &split);
        T_EQ(ask(&a, "GET", path, NULL), 101);
        T_EQ(hear(&a, &h), 0);
        T_STR(sbx_buf_text(&h.text), "\001\001\001caf\xc3\xa9\n");
        T_EQ(h.longest, bytes);
        sbx_buf_finish(&h.text);
    }
    ask_finish(&a);
}

static void who_follows_hears_of_the_end_of_the_session(void) {
    struct ask a;
    struct heard h;
    char path[256];
    box(&a);
    submit(&a, "sleep 100; exit", path);
    upgrade(&a);
    a.deadline_ms = 1000;
    T_EQ(ask(&a, "GET", path, NULL), 101); /* it just goes on */
    T_EQ(a.evidence, SBX_EVIDENCE_DEADLINE);
    a.deadline_ms = 0;
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/autostop/1", NULL), 201);
    const int64_t before_ms = ask_now_ms(&a);
    T_EQ(ask(&a, "GET", path, NULL), 101); /* until the sandbox stops for want of use: then it breaks off */
    T_EQ(a.evidence, SBX_EVIDENCE_PARTIAL);
    T_TRUE(ask_now_ms(&a) - before_ms < 80000);
    T_EQ(hear(&a, &h), 0);
    T_EQ(h.close, 0);
    sbx_buf_finish(&h.text);
    ask_finish(&a);
}

/** Two callers at one simulation. */
struct pair {
    struct ask a, b;
    char path[256];
};

static void follows(void *arg) {
    struct pair *pair = arg;
    ask(&pair->a, "GET", pair->path, NULL);
}

static void deletes(void *arg) {
    struct pair *pair = arg;
    T_EQ(ask(&pair->b, "DELETE", "/toolbox/%s/process/session/s", NULL), 204);
}

static void a_deleted_session_ends_with_1011(void) {
    struct pair pair = {0};
    struct heard h;
    box(&pair.a);
    submit(&pair.a, "echo one; sleep 1000", pair.path);
    upgrade(&pair.a);
    pair.b.sim = pair.a.sim;
    pair.b.host = pair.a.host;
    pair.b.key = pair.a.key;
    T_TRUE(sbx_copy(pair.b.id, sizeof(pair.b.id), pair.a.id));
    T_STATUS(sbx_sim_spawn(pair.a.sim, follows, &pair), SBX_OK);
    ask_pass_ms(&pair.a, 1000);
    T_STATUS(sbx_sim_spawn(pair.a.sim, deletes, &pair), SBX_OK);
    T_STATUS(sbx_sim_run(pair.a.sim), SBX_OK);
    T_EQ(pair.a.status, 101);
    T_EQ(hear(&pair.a, &h), 0);
    T_STR(sbx_buf_text(&h.text), "\001\001\001one\n");
    T_EQ(h.close, 1011);
    sbx_buf_finish(&h.text);
    pair.b.sim = NULL;
    ask_finish(&pair.b);
    ask_finish(&pair.a);
}

/* Long lines are longer than a piece. */
static void much_comes_in_many_frames(void) {
    struct ask a;
    struct heard h;
    char path[256];
    box(&a);
    submit(&a, "head -c 200000 /dev/zero | tr '\\\\0' x", path);
    upgrade(&a);
    T_EQ(ask(&a, "GET", path, NULL), 101);
    T_EQ(hear(&a, &h), 0);
    T_EQ(h.text.len, 200004);
    T_TRUE(h.frames > 6);
    sbx_buf_finish(&h.text);
    ask_finish(&a);
}

static void the_entrypoints_log_is_followed_until_the_stop(void) {
    struct ask a;
    struct heard h;
    box(&a);
    upgrade(&a);
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/autostop/1", NULL), 201);
    T_EQ(ask(&a, "GET", "/toolbox/%s/process/session/entrypoint/logs?follow=true", NULL), 101);
    T_EQ(a.evidence, SBX_EVIDENCE_PARTIAL);
    T_EQ(hear(&a, &h), 0);
    T_EQ(h.frames, 0);
    sbx_buf_finish(&h.text);
    ask_finish(&a);
}

T_CASES(T_CASE(the_log_comes_in_frames_and_ends_with_1000),
        T_CASE(history_comes_first_and_without_a_version_without_markers), T_CASE(without_an_upgrade_it_is_a_stream),
        T_CASE(a_handshake_that_is_none_is_400), T_CASE(f071_cut_at_every_byte),
        T_CASE(f071_closed_with_1011_while_it_runs), T_CASE(day8_23_markers_split_at_every_byte),
        T_CASE(who_follows_hears_of_the_end_of_the_session), T_CASE(a_deleted_session_ends_with_1011),
        T_CASE(much_comes_in_many_frames), T_CASE(the_entrypoints_log_is_followed_until_the_stop))
