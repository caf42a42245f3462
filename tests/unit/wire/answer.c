/* Answers collected, their headers read, URLs extended and checked. */
#include "t.h"

#include <sandport/kit/wire.h>

static const struct sbx_header headers[] = {{"Content-Type", "application/json; charset=utf-8"},
                                            {"X-Empty", ""},
                                            {"Retry-After", "3"},
                                            {"retry-after-sandbox-create", "12"},
                                            {"Retry-After-Nonsense", "soon"},
                                            {"Retry-Afterwards", "99"},
                                            {"content-type", "second"}};

static enum sbx_evidence fake_exchange(struct sbx_env *env, const struct sbx_request *req,
                                       const struct sbx_receiver *to, struct sbx_exchange_info *info) {
    (void)env;
    T_STR(req->method, "GET");
    T_EQ(to->head(to->ctx, 503, headers, sizeof(headers) / sizeof(headers[0])), 0);
    T_EQ(to->body(to->ctx, "one ", 4), 0);
    T_EQ(to->body(to->ctx, "two\0", 4), 0);
    info->http_status = 503;
    info->sent_bytes = 77;
    return SBX_EVIDENCE_PARTIAL;
}

static void collect(struct sbx_answer *ans) {
    struct sbx_env env = {.size = sizeof(env), .exchange = fake_exchange};
    const struct sbx_request req = {.size = sizeof(req), .method = "GET", .url = "http://daytona.sim/api"};
    sbx_answer_init(ans, sizeof(*ans));
    sbx_exchange_collect(&env, &req, ans);
}

static void an_answer_is_collected(void) {
    struct sbx_answer ans;
    collect(&ans);
    T_EQ(ans.evidence, SBX_EVIDENCE_PARTIAL);
    T_EQ(ans.http_status, 503);
    T_EQ(ans.sent_bytes, 77);
    T_MEM(ans.body.data, ans.body.len, "one two\0", 8);
    sbx_answer_finish(&ans);
    sbx_answer_finish(NULL);
}

static void headers_are_found_by_name(void) {
    struct sbx_answer ans;
    char value[32];
    collect(&ans);
    T_TRUE(sbx_answer_header(&ans, "content-type", value, sizeof(value)));
    T_STR(value, "application/json; charset=utf-8");
    T_TRUE(sbx_answer_header(&ans, "x-empty", value, sizeof(value)));
    T_STR(value, "");
    T_TRUE(!sbx_answer_header(&ans, "content", value, sizeof(value)));
    T_TRUE(!sbx_answer_header(&ans, "content-type", value, 31)); /* no room for all of it */
    T_TRUE(sbx_answer_is_json(&ans));
    T_EQ(sbx_answer_retry_after_ms(&ans), 12000);
    sbx_answer_finish(&ans);
}

static int is_json(const char *head) {
    struct sbx_answer ans;
    sbx_answer_init(&ans, sizeof(ans));
    sbx_buf_text_append(&ans.head, head);
    int is = sbx_answer_is_json(&ans);
    sbx_answer_finish(&ans);
    return is;
}

static void json_is_told_by_its_type(void) {
    T_TRUE(is_json("content-type: application/json\n"));
    T_TRUE(is_json("content-type: Application/JSON\n"));
    T_TRUE(is_json("content-type: application/problem+json;x=y\n"));
    T_TRUE(!is_json("content-type: application/jsonlines\n"));
    T_TRUE(!is_json("content-type: text/html\n"));
    T_TRUE(!is_json("content-type: \n"));
    T_TRUE(!is_json(""));
}

static int64_t retry(const char *head) {
    struct sbx_answer ans;
    sbx_answer_init(&ans, sizeof(ans));
    sbx_buf_text_append(&ans.head, head);
    int64_t ms = sbx_answer_retry_after_ms(&ans);
    sbx_answer_finish(&ans);
    return ms;
}

static void retry_after_is_seconds_or_nothing(void) {
    T_EQ(retry(""), -1);
    T_EQ(retry("retry-after: 0\n"), 0);
    T_EQ(retry("retry-after: -1\n"), -1);
    T_EQ(retry("retry-after: Wed, 21 Oct 2026 07:28:00 GMT\n"), -1);
    T_EQ(retry("retry-after: 99999999999\n"), -1);
    T_EQ(retry("retry-after-authenticated: 7\nretry-after: 5\n"), 7000);
}

static void queries_are_appended(void) {
    struct sbx_buf url = SBX_BUF_INIT;
    sbx_buf_text_append(&url, "http://h/files");
    sbx_url_query(&url, "path", "/tmp/x y&=+%/\xc3\xa9");
    sbx_url_query(&url, "mode", "755");
    T_STR(sbx_buf_text(&url), "http://h/files?path=%2Ftmp%2Fx%20y%26%3D%2B%25%2F%C3%A9&mode=755");
    sbx_buf_finish(&url);
}

static void endpoints_are_checked(void) {
    T_TRUE(sbx_url_is_base("https://app.daytona.io/api"));
    T_TRUE(sbx_url_is_base("http://127.0.0.1:8080"));
    T_TRUE(!sbx_url_is_base(NULL));
    T_TRUE(!sbx_url_is_base(""));
    T_TRUE(!sbx_url_is_base("app.daytona.io/api"));
    T_TRUE(!sbx_url_is_base("ftp://h/"));
    T_TRUE(!sbx_url_is_base("http://user:pw@h/"));
    T_TRUE(!sbx_url_is_base("http://h/?a=b"));
    T_TRUE(!sbx_url_is_base("http://h/#f"));
    T_TRUE(!sbx_url_is_base("http://h/a b"));
    T_TRUE(!sbx_url_is_base("http:///a"));
}

T_CASES(T_CASE(an_answer_is_collected), T_CASE(headers_are_found_by_name), T_CASE(json_is_told_by_its_type),
        T_CASE(retry_after_is_seconds_or_nothing), T_CASE(queries_are_appended), T_CASE(endpoints_are_checked))
