/* The admin API of the running program: every route, who may ask, and what is refused. */
#include "running.h"
#include "t.h"

#include <ctype.h>
#include <poll.h>
#include <sandport/kit/json.h>
#include <sandport/sim.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* One question to the admin API; its body must hold `part`. */
static void expect(const struct running *r, const char *method, const char *target, const char *body, int status,
                   const char *part) {
    char *answer;
    const char *got = ask_ok(r->admin, method, target, "", body, status, &answer);
    T_CONTAINS(got, part);
    free(answer);
}

static void health_says_where_all_is(void) {
    struct running r = running_virtual();
    char api[64];
    snprintf(api, sizeof(api), "\"api_url\":\"http://127.0.0.1:%d/api\"", r.daytona);
    expect(&r, "GET", "/_sim/health", NULL, 200, api);
    expect(&r, "GET", "/_sim/health", NULL, 200, "\"time\":\"virtual\"");
    expect(&r, "GET", "/_sim/health", NULL, 200, "\"now_ms\":0");
    T_EQ(running_stop(&r), 0);
}

static void faults_are_added_counted_and_removed(void) {
    struct running r = running_virtual();
    static const char rule[] = "{\"op\":\"daytona.config\",\"phase\":\"before\",\"effect\":{\"kind\":\"status\","
                               "\"status\":503}}";
    expect(&r, "POST", "/_sim/faults", rule, 201, "{\"rule\":1}");
    expect(&r, "POST", "/_sim/faults", rule, 201, "{\"rule\":2}");
    free(ask(r.daytona, "GET", "/api/config", "", NULL));
    expect(&r, "GET", "/_sim/faults", NULL, 200, "\"hits\":1");
    expect(&r, "DELETE", "/_sim/faults/1", NULL, 200, "{\"rule\":2,");
    expect(&r, "DELETE", "/_sim/faults/1", NULL, 404, "no such fault rule");
    expect(&r, "DELETE", "/_sim/faults/x", NULL, 400, "number");
    expect(&r, "DELETE", "/_sim/faults", NULL, 200, "{\"faults\":[]}");
    char *answer;
    ask_ok(r.daytona, "GET", "/api/config", "", NULL, 200, &answer);
    free(answer);
    T_EQ(running_stop(&r), 0);
}

static void rules_that_are_none_are_refused_with_the_reason(void) {
    struct running r = running_virtual();
    expect(&r, "POST", "/_sim/faults",
           "{\"op\":\"daytona.nothing\",\"phase\":\"before\",\"effect\":{\"kind\":\"reset\"}}", 400, "op");
    expect(&r, "POST", "/_sim/faults",
           "{\"op\":\"daytona.config\",\"phase\":\"later\",\"effect\":{\"kind\":\"reset\"}}", 400, "phase");
    expect(&r, "POST", "/_sim/faults",
           "{\"op\":\"daytona.config\",\"phase\":\"before\",\"effect\":{\"kind\":\"reset\"},\"ofen\":1}", 400, "ofen");
    expect(&r, "POST", "/_sim/faults", "{", 400, "error");
    expect(&r, "POST", "/_sim/faults", "", 400, "error");
    expect(&r, "POST", "/_sim/faults", "[]", 400, "error");
    expect(&r, "GET", "/_sim/faults", NULL, 200, "{\"faults\":[]}");
    T_EQ(running_stop(&r), 0);
}

static void the_journal_is_filtered_and_forgotten(void) {
    struct running r = running_virtual();
    char *answer, id[64], target[160];
    free(ask(r.daytona, "GET", "/api/config", "", NULL));
    free(ask(r.daytona, "GET", "/api/health", "", NULL));
    make_sandbox(&r, id);
    const char *lines = ask_ok(r.admin, "GET", "/_sim/journal?op=daytona.config", "", NULL, 200, &answer);
    T_CONTAINS(lines, "daytona.config");
    T_TRUE(!strstr(lines, "daytona.health"));
    free(answer);
    snprintf(target, sizeof(target), "/_sim/journal?provider=daytona&sandbox=%s", id);
    lines = ask_ok(r.admin, "GET", target, "", NULL, 200, &answer);
    T_CONTAINS(lines, id);
    T_TRUE(!strstr(lines, "daytona.config"));
    free(answer);
    expect(&r, "GET", "/_sim/journal?provider=e2b", NULL, 200, "{\"lines\":[]}");
    lines = ask_ok(r.admin, "GET", "/_sim/journal", "", NULL, 200, &answer);
    T_TRUE(!strstr(lines, SBX_SIM_DAYTONA_KEY));
    free(answer);
    expect(&r, "DELETE", "/_sim/journal", NULL, 200, "{\"lines\":[]}");
    expect(&r, "GET", "/_sim/journal", NULL, 200, "{\"lines\":[]}");
    T_EQ(running_stop(&r), 0);
}

static void the_clock_moves_when_told(void) {
    struct running r = running_virtual();
    expect(&r, "POST", "/_sim/clock/advance", "{\"ms\":1500}", 200, "{\"now_ms\":1500}");
    expect(&r, "POST", "/_sim/clock/advance", "{\"ms\":0}", 200, "{\"now_ms\":1500}");
    expect(&r, "POST", "/_sim/clock/advance", "{\"ms\":-1}", 400, "ms");
    expect(&r, "POST", "/_sim/clock/advance", "{\"ms\":\"1\"}", 400, "ms");
    expect(&r, "POST", "/_sim/clock/advance", "{}", 400, "ms");
    expect(&r, "POST", "/_sim/clock/advance", "{\"ms\":9007199254740992}", 400, "ms");
    expect(&r, "GET", "/_sim/health", NULL, 200, "\"now_ms\":1500");
    T_EQ(running_stop(&r), 0);
}

/* Both arrive before either is answered: the clock goes as far as the one that wants more. */
static void two_advances_at_once_both_end(void) {
    struct running r = running_virtual();
    int far = dial(r.admin), near = dial(r.admin);
    say(far, "POST /_sim/clock/advance HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\n{\"ms\":5000");
    say(near, "POST /_sim/clock/advance HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{\"ms\":10");
    say(far, "}");
    say(near, "}");
    free(hear_answer(far, 0));
    free(hear_answer(near, 0));
    close(far);
    close(near);
    T_EQ(running_stop(&r), 0);
}

static void real_time_cannot_be_moved_and_does_not_lag(void) {
    static const char *const options[] = {NULL};
    struct running r = running_start(options);
    expect(&r, "POST", "/_sim/clock/advance", "{\"ms\":1}", 409, "real");
    int fd = dial(r.admin);
    struct pollfd quiet = {.fd = fd, .events = POLLIN};
    T_EQ(poll(&quiet, 1, 150), 0);
    say(fd, "GET /_sim/health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    char *answer = hear_answer(fd, 0);
    long now = strtol(strstr(answer, "\"now_ms\":") + 9, NULL, 10);
    if (now < 150) T_FAIL("after 150 ms of silence the clock says %ld", now);
    free(answer);
    close(fd);
    T_EQ(running_stop(&r), 0);
}

static void with_auto_advance_a_boot_takes_no_time(void) {
    static const char *const options[] = {"--time", "virtual", "--auto-advance", NULL};
    struct running r = running_start(options);
    char *answer;
    const char *body = ask_ok(r.daytona, "POST", "/api/sandbox", KEY_HEADER, "{\"name\":\"box\"}", 200, &answer);
    T_CONTAINS(body, "\"state\":\"creating\"");
    free(answer);
    body = ask_ok(r.daytona, "GET", "/api/sandbox/box", KEY_HEADER, NULL, 200, &answer);
    T_CONTAINS(body, "\"state\":\"started\"");
    free(answer);
    T_EQ(running_stop(&r), 0);
}

static void leaks_and_ledger_tell_who_is_left(void) {
    struct running r = running_virtual();
    char id[64], target[128];
    expect(&r, "GET", "/_sim/leaks", NULL, 200, "{\"count\":0,\"leaks\":[]}");
    make_sandbox(&r, id);
    expect(&r, "GET", "/_sim/leaks", NULL, 200, id);
    expect(&r, "GET", "/_sim/state", NULL, 200, id);
    expect(&r, "GET", "/_sim/ledger", NULL, 200, "\"made\":1,\"live\":1");
    snprintf(target, sizeof(target), "/api/sandbox/%s", id);
    free(ask(r.daytona, "DELETE", target, KEY_HEADER, NULL));
    advance(&r, 5000);
    expect(&r, "GET", "/_sim/leaks", NULL, 200, "{\"count\":0,\"leaks\":[]}");
    expect(&r, "GET", "/_sim/ledger", NULL, 200, "\"made\":1,\"live\":0");
    T_EQ(running_stop(&r), 0);
}

static void programs_are_added_counted_and_removed(void) {
    struct running r = running_virtual();
    expect(&r, "GET", "/_sim/programs", NULL, 200, "{\"programs\":[]}");
    expect(&r, "POST", "/_sim/programs", "{\"run\":\"npm *\",\"exit_code\":3}", 201, "{\"id\":1}");
    expect(&r, "POST", "/_sim/programs", "{\"exit_code\":3}", 400, "run");
    expect(&r, "POST", "/_sim/programs", "nonsense", 400, "error");
    expect(&r, "GET", "/_sim/programs", NULL, 200,
           "{\"programs\":[{\"program\":1,\"run\":\"npm *\",\"exit_code\":3,\"hits\":0}]}");
    expect(&r, "DELETE", "/_sim/programs/x", NULL, 400, "number");
    expect(&r, "DELETE", "/_sim/programs/2", NULL, 404, "no such program");
    expect(&r, "DELETE", "/_sim/programs/1", NULL, 200, "{\"programs\":[]}");
    expect(&r, "POST", "/_sim/programs", "{\"code\":\"*\"}", 201, "{\"id\":2}");
    expect(&r, "POST", "/_sim/reset", "", 200, "\"live\":0");
    expect(&r, "GET", "/_sim/programs", NULL, 200, "{\"programs\":[]}");
    T_EQ(running_stop(&r), 0);
}

static void reset_begins_anew(void) {
    struct running r = running_virtual();
    char id[64], target[128], *answer;
    make_sandbox(&r, id);
    fault(&r, "{\"op\":\"daytona.config\",\"phase\":\"before\",\"effect\":{\"kind\":\"reset\"}}");
    int fd = dial(r.daytona); /* a create under way does no harm */
    say(fd, "POST /api/sandbox HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n" KEY_HEADER "\r\n{}");
    T_TRUE(hear_nothing(fd));
    expect(&r, "POST", "/_sim/reset", "", 200, "\"live\":0");
    expect(&r, "GET", "/_sim/faults", NULL, 200, "{\"faults\":[]}");
    snprintf(target, sizeof(target), "/api/sandbox/%s", id);
    ask_ok(r.daytona, "GET", target, KEY_HEADER, NULL, 404, &answer);
    free(answer);
    advance(&r, 60000);
    expect(&r, "GET", "/_sim/leaks", NULL, 200, "\"count\":0");
    close(fd);
    T_EQ(running_stop(&r), 0);
}

/* ---- who may ask ---- */

static void must_fire_admin_foreign_origin__page_elsewhere(void) {
    static const char *const foreign[] = {"Origin: https://evil.example\r\n",
                                          "Origin: http://127.0.0.1.evil.example\r\n",
                                          "Origin: null\r\n",
                                          "Origin: http://localhost:1\r\n",
                                          "Origin: http://127.0.0.1\r\n",
                                          "Origin: https://127.0.0.1\r\n",
                                          "Origin: http://localhost.evil.example\r\n",
                                          "Origin: \r\n"};
    struct running r = running_virtual();
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
        char *answer;
        ask_ok(r.admin, "POST", "/_sim/reset", foreign[i], "", 403, &answer);
        free(answer);
    }
    T_EQ(running_stop(&r), 0);
}

static void must_not_fire_admin_foreign_origin__own_page_or_none(void) {
    struct running r = running_virtual();
    char own[64], *answer;
    snprintf(own, sizeof(own), "Origin: http://127.0.0.1:%d\r\n", r.admin);
    ask_ok(r.admin, "POST", "/_sim/reset", own, "", 200, &answer);
    free(answer);
    ask_ok(r.admin, "POST", "/_sim/reset", "", "", 200, &answer);
    free(answer);
    T_EQ(running_stop(&r), 0);
}

static int status_for_host(const struct running *r, const char *host) {
    char request[256];
    snprintf(request, sizeof(request), "GET /_sim/health HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", host);
    int fd = dial(r->admin);
    say(fd, request);
    char *answer = hear_end(fd, NULL);
    int status = (int)strtol(answer + 9, NULL, 10);
    free(answer);
    return status;
}

/* A name that somebody else's DNS points at 127.0.0.1. */
static void must_fire_admin_foreign_host__rebound_name(void) {
    struct running r = running_virtual();
    T_EQ(status_for_host(&r, "evil.example"), 403);
    T_EQ(status_for_host(&r, "127.evil.example"), 403);
    T_EQ(status_for_host(&r, "127.0.0.1.evil.example:80"), 403);
    T_EQ(status_for_host(&r, "localhost.evil.example"), 403);
    T_EQ(running_stop(&r), 0);
}

static void must_not_fire_admin_foreign_host__loopback(void) {
    struct running r = running_virtual();
    T_EQ(status_for_host(&r, "localhost:1234"), 200);
    T_EQ(status_for_host(&r, "127.0.0.1"), 200);
    T_EQ(running_stop(&r), 0);
}

/* ---- the description ---- */

/* Every method that the description names at every path is served, and every other is not. */
static void openapi_describes_what_is_served(void) {
    static const char *const methods[] = {"GET", "POST", "DELETE", "PUT", "PATCH"};
    struct running r = running_virtual();
    struct sbx_json *js = NULL;
    char *answer, *own = t_read_source("sim/serve/openapi.json", NULL);
    const char *served = ask_ok(r.admin, "GET", "/_sim/openapi.json", "", NULL, 200, &answer);
    size_t described = 0;
    T_STR(served, own);
    T_STATUS(sbx_json_parse(own, strlen(own), 0, &js), SBX_OK);
    const struct sbx_json_node *paths = sbx_json_object(js, sbx_json_root(js), "paths");
    for (const struct sbx_json_node *p = sbx_json_first(paths); p; p = sbx_json_next(p)) {
        char path[128];
        snprintf(path, sizeof(path), "%s", sbx_json_key(p));
        char *rule = strstr(path, "{rule}");
        if (rule) memcpy(rule, "999999", 6); /* as long as the word; no such rule */
        for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
            char lower[8], *got;
            for (size_t k = 0; k <= strlen(methods[i]); k++) lower[k] = (char)tolower(methods[i][k]);
            int named = sbx_json_member(p, lower) != NULL;
            got = ask(r.admin, methods[i], path, "", strcmp(methods[i], "GET") == 0 ? NULL : "");
            int status = (int)strtol(got + 9, NULL, 10), refused = status == 405 || strstr(got, "no such route");
            if (named == refused) T_FAIL("%s %s: described %d, answered %d", methods[i], path, named, status);
            described += (size_t)named;
            free(got);
        }
    }
    T_EQ(described, 17);
    expect(&r, "GET", "/_sim/nothing", NULL, 404, "no such route");
    expect(&r, "GET", "/else", NULL, 404, "/_sim");
    sbx_json_free(js);
    free(answer);
    free(own);
    T_EQ(running_stop(&r), 0);
}

T_CASES(T_CASE(health_says_where_all_is), T_CASE(faults_are_added_counted_and_removed),
        T_CASE(rules_that_are_none_are_refused_with_the_reason), T_CASE(the_journal_is_filtered_and_forgotten),
        T_CASE(the_clock_moves_when_told), T_CASE(two_advances_at_once_both_end),
        T_CASE(real_time_cannot_be_moved_and_does_not_lag), T_CASE(with_auto_advance_a_boot_takes_no_time),
        T_CASE(leaks_and_ledger_tell_who_is_left), T_CASE(programs_are_added_counted_and_removed),
        T_CASE(reset_begins_anew), T_CASE(must_fire_admin_foreign_origin__page_elsewhere),
        T_CASE(must_not_fire_admin_foreign_origin__own_page_or_none),
        T_CASE(must_fire_admin_foreign_host__rebound_name), T_CASE(must_not_fire_admin_foreign_host__loopback),
        T_CASE(openapi_describes_what_is_served))
