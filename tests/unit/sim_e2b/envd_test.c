/* How requests reach a simulated E2B sandbox: hosts, headers, ports, tokens, and what the proxy says instead. */
#include "ask.h"

#include <stdio.h>

static int by_host(struct ask *a, const char *host, const char *path) {
    char url[200];
    const char *hole = strstr(host, "%s");
    snprintf(url, sizeof(url), "%.*s%s%s", (int)(hole ? hole - host : 0), host, hole ? a->id : "",
             hole ? hole + 2 : host);
    a->host = url;
    a->no_headers = 1;
    const int status = ask_envd(a, "GET", path, NULL, NULL, 0);
    a->host = SBX_SIM_E2B_ENDPOINT;
    a->no_headers = 0;
    return status;
}

static void hosts_and_headers_lead_to_the_same_sandbox(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_envd(&a, "GET", "/health", NULL, NULL, 0), 204);
    T_EQ(by_host(&a, "http://49983-%s.e2b.sim", "/health"), 204);
    T_EQ(by_host(&a, "http://49983-%s-6532622b.e2b.sim", "/health"), 204);
    T_EQ(by_host(&a, "http://sandbox.e2b.sim", "/health"), 400);
    T_STR(sbx_buf_text(&a.body), "missing header");
    T_EQ(by_host(&a, "http://plain.e2b.sim", "/health"), 400);
    T_STR(sbx_buf_text(&a.body), "Invalid host");
    T_EQ(by_host(&a, "http://49983-UPPER.e2b.sim", "/health"), 400);
    T_STR(sbx_buf_text(&a.body), "Invalid sandbox ID");
    T_EQ(by_host(&a, "http://x-%s.e2b.sim", "/health"), 400);
    T_STR(sbx_buf_text(&a.body), "Invalid sandbox port");
    a.host = "http://sandbox.e2b.sim";
    T_EQ(ask_envd(&a, "GET", "/health", NULL, NULL, 0), 204);
    a.host = "http://api.e2b.sim";
    T_EQ(ask(&a, "GET", "/sandboxes/%s", NULL), 200);
    a.host = "http://elsewhere.sim";
    T_EQ(ask(&a, "GET", "/sandboxes/%s", NULL), 0);
    T_EQ(a.evidence, SBX_EVIDENCE_RESOLVE);
    ask_finish(&a);
}

static void a_bad_port_may_be_a_500_by_a_switch(void) {
    struct ask a;
    ask_init(&a, "{\"bad_port_status\":500}");
    ask_create(&a, NULL);
    T_EQ(by_host(&a, "http://x-%s.e2b.sim", "/health"), 500);
    T_CONTAINS(sbx_buf_text(&a.body), "Unexpected error when routing request");
    ask_finish(&a);
}

static void who_is_not_there_and_what_is_not_open_are_both_502(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(by_host(&a, "http://3000-%s.e2b.sim", "/"), 502);
    T_STR(ask_text(&a, "message"), "The sandbox is running but port is not open");
    T_EQ(ask_int(&a, "port"), 3000);
    T_EQ(ask_int(&a, "code"), 502);
    T_EQ(by_host(&a, "http://49983-inobody0000000000000.e2b.sim", "/health"), 502);
    T_STR(ask_text(&a, "message"), "The sandbox was not found");
    T_STR(ask_text(&a, "sandboxId"), "inobody0000000000000");
    ask_header(&a, "User-Agent", "Mozilla/5.0");
    T_EQ(by_host(&a, "http://3000-%s.e2b.sim", "/"), 502);
    T_CONTAINS(sbx_buf_text(&a.body), "<html>");
    ask_header(&a, "Sec-Fetch-Mode", "cors");
    T_EQ(by_host(&a, "http://3000-%s.e2b.sim", "/"), 502);
    T_EQ(ask_int(&a, "code"), 502);
    ask_finish(&a);
}

static void e2b8_43_the_token_of_one_is_nothing_to_another(void) {
    struct ask a;
    char token[80];
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_TRUE(sbx_copy(token, sizeof(token), a.token));
    a.token[0] = 0;
    T_EQ(ask_envd(&a, "GET", "/health", NULL, NULL, 0), 204);
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 401);
    T_CONTAINS(ask_text(&a, "message"), "unauthorized access");
    T_EQ(ask_stream(&a, "process.Process/Start", "{\"process\":{\"cmd\":\"true\"}}"), 401);
    T_EQ(ask_envd(&a, "GET", "/metrics", NULL, NULL, 0), 401);
    T_EQ(ask_envd(&a, "GET", "/files?path=x", NULL, NULL, 0), 401);
    T_STR(ask_text(&a, "message"), "missing signature query parameter");
    T_TRUE(sbx_copy(a.token, sizeof(a.token), "wrong"));
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 401);
    T_EQ(ask_envd(&a, "GET", "/files?path=x", NULL, NULL, 0), 401);
    T_STR(ask_text(&a, "message"), "access token present in header but does not match");
    ask_create(&a, NULL); /* the token of one is nothing to another */
    T_TRUE(sbx_copy(a.token, sizeof(a.token), token));
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 401);
    ask_finish(&a);
}

static void ports_of_a_closed_sandbox_want_their_own_token(void) {
    struct ask a;
    char traffic[80];
    ask_init(&a, NULL);
    ask_create(&a, "{\"templateID\":\"base\",\"network\":{\"allowPublicTraffic\":false}}");
    T_TRUE(sbx_copy(traffic, sizeof(traffic), ask_text(&a, "trafficAccessToken")));
    T_EQ(by_host(&a, "http://3000-%s.e2b.sim", "/"), 403);
    T_CONTAINS(ask_text(&a, "message"), "is missing");
    ask_header(&a, "e2b-traffic-access-token", "no");
    T_EQ(by_host(&a, "http://3000-%s.e2b.sim", "/"), 403);
    T_CONTAINS(ask_text(&a, "message"), "is invalid");
    a.more_count = 0;
    ask_header(&a, "e2b-traffic-access-token", traffic);
    T_EQ(by_host(&a, "http://3000-%s.e2b.sim", "/"), 502);
    T_TRUE(!strstr(sbx_sim_journal(a.sim, NULL), traffic));
    ask_finish(&a);
}

static void inner_routes_are_not_for_outsiders(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_envd(&a, "POST", "/init", "application/json", "{}", 2), 404);
    T_STR(ask_text(&a, "path"), "/init");
    T_EQ(ask_envd(&a, "GET", "/metrics", NULL, NULL, 0), 200);
    T_EQ(ask_int(&a, "cpu_count"), 2);
    ask_finish(&a);
}

static void calls_are_checked_before_they_are_made(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_envd(&a, "GET", "/process.Process/List", NULL, NULL, 0), 405);
    T_CONTAINS(sbx_buf_text(&a.headers), "Allow: POST");
    T_EQ(ask_envd(&a, "POST", "/process.Process/List", "text/plain", "{}", 2), 415);
    T_EQ(ask_envd(&a, "POST", "/process.Process/Start", "application/json", "{}", 2), 415);
    T_EQ(ask_envd(&a, "POST", "/process.Process/Nope", "application/json", "{}", 2), 404);
    ask_header(&a, "Connect-Protocol-Version", "2");
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 400);
    a.more_count = 0;
    ask_header(&a, "Authorization", "Basic bm9ib2R5Og==");
    T_EQ(ask_rpc(&a, "filesystem.Filesystem/Stat", "{\"path\":\"/\"}"), 401);
    T_STR(ask_text(&a, "message"), "invalid username: 'nobody'");
    T_EQ(ask_stream(&a, "process.Process/Start", "{\"process\":{\"cmd\":\"true\"}}"), 200);
    T_STR(sbx_buf_text(&a.events),
          "2 {\"error\":{\"code\":\"unauthenticated\",\"message\":\"invalid username: 'nobody'\"}}\n");
    ask_finish(&a);
}

static void e2b8_40_answers_are_packed_for_whoever_takes_it(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    ask_header(&a, "Accept-Encoding", "gzip, deflate");
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    T_CONTAINS(sbx_buf_text(&a.headers), "Content-Encoding: gzip");
    T_TRUE(a.body.len > 2 && (unsigned char)a.body.data[0] == 0x1f && (unsigned char)a.body.data[1] == 0x8b);
    ask_finish(&a);
    ask_init(&a, "{\"gzip\":false}");
    ask_create(&a, NULL);
    ask_header(&a, "Accept-Encoding", "gzip, deflate");
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    T_STR(sbx_buf_text(&a.body), "{}");
    ask_finish(&a);
}

T_CASES(T_CASE(hosts_and_headers_lead_to_the_same_sandbox), T_CASE(a_bad_port_may_be_a_500_by_a_switch),
        T_CASE(who_is_not_there_and_what_is_not_open_are_both_502),
        T_CASE(e2b8_43_the_token_of_one_is_nothing_to_another), T_CASE(ports_of_a_closed_sandbox_want_their_own_token),
        T_CASE(inner_routes_are_not_for_outsiders), T_CASE(calls_are_checked_before_they_are_made),
        T_CASE(e2b8_40_answers_are_packed_for_whoever_takes_it))
