/* Fault rules on the wire: what a client of real sockets sees of each. */
#include "running.h"
#include "t.h"

#include <sandport/sim.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define GET_CONFIG          "GET /api/config HTTP/1.1\r\nHost: h\r\n\r\n"
#define RULE(phase, effect) "{\"op\":\"daytona.config\",\"phase\":\"" phase "\",\"times\":1,\"effect\":{" effect "}}"

/* What the next GET /config gives, up to the end of its connection. */
static char *next_config(const struct running *r, enum heard *how) {
    int fd = dial(r->daytona);
    say(fd, GET_CONFIG);
    return hear_end(fd, how);
}

static size_t body_bytes(const char *answer) {
    const char *body = strstr(answer, "\r\n\r\n");
    return body ? strlen(body + 4) : 0;
}

/* The rule is spent: the next request is served as ever. */
static void expect_healthy(const struct running *r) {
    char *answer;
    ask_ok(r->daytona, "GET", "/api/config", "", NULL, 200, &answer);
    free(answer);
}

static void a_reset_is_a_reset(void) {
    struct running r = running_virtual();
    enum heard how;
    fault(&r, RULE("before", "\"kind\":\"reset\""));
    char *all = next_config(&r, &how);
    T_EQ(how, HEARD_RESET);
    T_STR(all, "");
    free(all);
    expect_healthy(&r);
    T_EQ(running_stop(&r), 0);
}

static void a_close_is_a_clean_end(void) {
    struct running r = running_virtual();
    enum heard how;
    fault(&r, RULE("before", "\"kind\":\"close\""));
    char *all = next_config(&r, &how);
    T_EQ(how, HEARD_FIN);
    T_STR(all, "");
    free(all);
    expect_healthy(&r);
    T_EQ(running_stop(&r), 0);
}

/* With the request's body unread, a plain close() would make the kernel send a reset. */
static void a_close_is_a_clean_end_also_before_the_body_is_read(void) {
    struct running r = running_virtual();
    enum heard how;
    static char body[400001];
    memset(body, 'x', sizeof(body) - 1);
    fault(&r, "{\"op\":\"daytona.sandbox.create\",\"phase\":\"before\",\"effect\":{\"kind\":\"close\"}}");
    int fd = dial(r.daytona);
    say(fd, "POST /api/sandbox HTTP/1.1\r\nHost: h\r\nContent-Length: 400000\r\n" KEY_HEADER "\r\n");
    say(fd, body);
    char *all = hear_end(fd, &how);
    T_EQ(how, HEARD_FIN);
    T_STR(all, "");
    free(all);
    T_EQ(running_stop(&r), 0);
}

static void a_cut_comes_at_its_byte(void) {
    struct running r = running_virtual();
    static const int places[] = {0, 1, 17, 100};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        char rule[256];
        enum heard how;
        snprintf(rule, sizeof(rule), RULE("mid_reply", "\"kind\":\"cut\",\"at_bytes\":%d"), places[i]);
        fault(&r, rule);
        char *all = next_config(&r, &how);
        T_CONTAINS(all, "HTTP/1.1 200 OK\r\n");
        T_EQ(body_bytes(all), places[i]);
        T_EQ(how, HEARD_FIN);
        free(all);
    }
    expect_healthy(&r);
    T_EQ(running_stop(&r), 0);
}

static void a_reset_within_the_answer_comes_at_its_byte(void) {
    struct running r = running_virtual();
    enum heard how;
    fault(&r, RULE("mid_reply", "\"kind\":\"reset\",\"at_bytes\":33"));
    char *all = next_config(&r, &how);
    T_EQ(how, HEARD_RESET);
    T_EQ(body_bytes(all), 33);
    free(all);
    expect_healthy(&r);
    T_EQ(running_stop(&r), 0);
}

static void a_hang_is_silence_on_an_open_connection(void) {
    struct running r = running_virtual();
    fault(&r, RULE("before", "\"kind\":\"hang\""));
    int fd = dial(r.daytona);
    say(fd, GET_CONFIG);
    T_TRUE(hear_nothing(fd));
    say(fd, GET_CONFIG); /* the next request on it is not served either */
    advance(&r, 60000);
    T_TRUE(hear_nothing(fd));
    expect_healthy(&r);
    close(fd);
    T_EQ(running_stop(&r), 0);
}

static void a_hang_within_the_answer_keeps_what_came_before(void) {
    struct running r = running_virtual();
    fault(&r, RULE("mid_reply", "\"kind\":\"hang\",\"at_bytes\":20"));
    int fd = dial(r.daytona);
    say(fd, GET_CONFIG);
    char *got = hear_bytes(fd, 100);
    while (body_bytes(got) < 20) {
        free(got);
        T_FAIL("the head alone came");
    }
    T_EQ(body_bytes(got), 20);
    free(got);
    T_TRUE(hear_nothing(fd));
    close(fd);
    expect_healthy(&r);
    T_EQ(running_stop(&r), 0);
}

static void a_status_and_a_page_leave_the_connection_open(void) {
    struct running r = running_virtual();
    fault(&r, RULE("before", "\"kind\":\"status\",\"status\":429,\"retry_after\":\"7\""));
    fault(&r, RULE("before", "\"kind\":\"html\""));
    int fd = dial(r.daytona);
    say(fd, GET_CONFIG GET_CONFIG GET_CONFIG);
    char *limited = hear_answer(fd, 0), *page = hear_answer(fd, 0), *well = hear_answer(fd, 0);
    T_CONTAINS(limited, "HTTP/1.1 429 Too Many Requests\r\n");
    T_CONTAINS(limited, "Retry-After: 7\r\n");
    T_CONTAINS(page, "HTTP/1.1 502 Bad Gateway\r\n");
    T_CONTAINS(page, "<html>");
    T_CONTAINS(well, "HTTP/1.1 200 OK\r\n");
    free(limited);
    free(page);
    free(well);
    close(fd);
    T_EQ(running_stop(&r), 0);
}

static void a_late_answer_waits_for_the_clock(void) {
    struct running r = running_virtual();
    fault(&r, RULE("before", "\"kind\":\"late\",\"delay_ms\":5000"));
    int fd = dial(r.daytona);
    say(fd, GET_CONFIG);
    T_TRUE(hear_nothing(fd));
    advance(&r, 4999);
    T_TRUE(hear_nothing(fd));
    advance(&r, 1);
    char *answer = hear_answer(fd, 0);
    T_CONTAINS(answer, "HTTP/1.1 200 OK\r\n");
    free(answer);
    close(fd);
    T_EQ(running_stop(&r), 0);
}

/* In eight pieces, each an eighth of the delay after the last. */
static void a_slow_answer_comes_in_pieces_as_time_passes(void) {
    struct running r = running_virtual();
    fault(&r, RULE("mid_reply", "\"kind\":\"slow\",\"delay_ms\":800"));
    int fd = dial(r.daytona);
    say(fd, GET_CONFIG);
    char *head = hear_answer(fd, 1);
    size_t length = strtoul(strstr(head, "Content-Length: ") + 16, NULL, 10), heard = 0;
    free(head);
    for (size_t i = 1; i <= 8; i++) {
        T_TRUE(hear_nothing(fd));
        advance(&r, 100);
        char *piece = hear_bytes(fd, length * i / 8 - heard);
        heard += strlen(piece);
        T_EQ(heard, length * i / 8);
        free(piece);
    }
    close(fd);
    T_EQ(running_stop(&r), 0);
}

static void a_sandbox_made_before_the_reset_is_there(void) {
    struct running r = running_virtual();
    enum heard how;
    char *answer;
    fault(&r, "{\"op\":\"daytona.sandbox.create\",\"phase\":\"after_commit\",\"effect\":{\"kind\":\"reset\"}}");
    int fd = dial(r.daytona);
    say(fd, "POST /api/sandbox HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n" KEY_HEADER "\r\n{}");
    free(hear_end(fd, &how));
    T_EQ(how, HEARD_RESET);
    const char *leaks = ask_ok(r.admin, "GET", "/_sim/leaks", "", NULL, 200, &answer);
    T_CONTAINS(leaks, "\"count\":1");
    free(answer);
    T_EQ(running_stop(&r), 0);
}

T_CASES(T_CASE(a_reset_is_a_reset), T_CASE(a_close_is_a_clean_end),
        T_CASE(a_close_is_a_clean_end_also_before_the_body_is_read), T_CASE(a_cut_comes_at_its_byte),
        T_CASE(a_reset_within_the_answer_comes_at_its_byte), T_CASE(a_hang_is_silence_on_an_open_connection),
        T_CASE(a_hang_within_the_answer_keeps_what_came_before), T_CASE(a_status_and_a_page_leave_the_connection_open),
        T_CASE(a_late_answer_waits_for_the_clock), T_CASE(a_slow_answer_comes_in_pieces_as_time_passes),
        T_CASE(a_sandbox_made_before_the_reset_is_there))
