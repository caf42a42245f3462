/* What a transcript says instead of what is private, and that the credential is found however it is written. */
#include "live/words.h"
#include "t.h"

#include <sandport/kit/text.h>

#define KEY "dtn_canary_0000000000000000"

static struct live_words words;

static void begin(void) {
    live_words_init(&words, KEY);
}

static void text_is(const char *text, int strict, const char *want) {
    struct sbx_buf out = SBX_BUF_INIT;
    live_words_text(&words, &out, text, strlen(text), strict);
    T_STATUS(sbx_buf_status(&out), SBX_OK);
    T_STR(sbx_buf_text(&out), want);
    sbx_buf_finish(&out);
}

static void json_is(const char *json, int strict, const char *want) {
    struct sbx_json *js = NULL;
    struct sbx_buf out = SBX_BUF_INIT;
    T_STATUS(sbx_json_parse(json, strlen(json), 0, &js), SBX_OK);
    live_words_json(&words, js, sbx_json_root(js), &out, NULL, strict);
    T_STATUS(sbx_buf_status(&out), SBX_OK);
    T_STR(sbx_buf_text(&out), want);
    sbx_json_free(js);
    sbx_buf_finish(&out);
}

static void known_values_have_their_word(void) {
    begin();
    live_words_add(&words, "$id", "sb-canary-1");
    live_words_add(&words, "$id", "sb-canary-10");
    live_words_add(&words, "$toolbox", "https://proxy.example/toolbox");
    live_words_add(&words, "$short", "us");
    text_is("key " KEY " id sb-canary-10 or sb-canary-1 in us", 0, "key $key id $id2 or $id in us");
    text_is("https://proxy.example/toolbox/sb-canary-1/files", 0, "$toolbox/$id/files");
    live_words_finish(&words);
}

static void looks_are_enough(void) {
    begin();
    text_is("runner 0f8fad5b-d9cb-469f-a165-70867728950e and 7c9e6679-7425-40de-944b-e07fc1f90ae7, "
            "0f8fad5b-d9cb-469f-a165-70867728950e again",
            0, "runner $uuid and $uuid2, $uuid again");
    text_is("see https://node-7.eu.example:8443/x?y and http://node-7.eu.example:8443", 0,
            "see https://$host/x?y and http://$host");
    text_is("from 10.11.12.13, at 1.2.3", 0, "from $address, at 1.2.3");
    text_is("ask somebody.else@mail.example.org now", 0, "ask $mail now");
    text_is("jwt eyJhbGciOiJIUzI1NiJ9.e30.abc and dtn_ffffffffffffffffffff", 0, "jwt $token and $token2");
    live_words_finish(&words);
}

static void what_is_harmless_stays(void) {
    begin();
    text_is("daytonaio/sandbox:0.5.0 started at 2026-06-01T10:00:03.000Z, exit 7, a@b, http:// and x1", 1,
            "daytonaio/sandbox:0.5.0 started at 2026-06-01T10:00:03.000Z, exit 7, a@b, http:// and x1");
    live_words_finish(&words);
}

/* Long runs go where an account speaks, and stay where only a sandbox does. */
static void strict_takes_long_runs(void) {
    begin();
    text_is("region-3f9a8c7b6d5e4f3a2b1c0d9e8f7a", 0, "region-3f9a8c7b6d5e4f3a2b1c0d9e8f7a");
    text_is("region-3f9a8c7b6d5e4f3a2b1c0d9e8f7a", 1, "$opaque");
    text_is("AWordThatIsLongButHasNoDigits", 1, "AWordThatIsLongButHasNoDigits");
    live_words_finish(&words);
}

static void members_that_speak_of_accounts_go(void) {
    begin();
    json_is("{\"organizationId\":\"acme\",\"runnerId\":\"\",\"authToken\":\"tiny\",\"userId\":null,\"cpu\":1,"
            "\"items\":[{\"organizationId\":\"acme\",\"ownerEmail\":\"x\"}],\"state\":\"started\"}",
            1,
            "{\"organizationId\":\"$organizationId\",\"runnerId\":\"\",\"authToken\":\"$any:string\",\"userId\":null,"
            "\"cpu\":1,\"items\":[{\"organizationId\":\"$organizationId\",\"ownerEmail\":\"$ownerEmail\"}],"
            "\"state\":\"started\"}");
    json_is("{\"owner\":\"daytona\",\"" KEY "\":\"" KEY "\"}", 0, "{\"owner\":\"daytona\",\"$key\":\"$key\"}");
    live_words_finish(&words);
}

static void a_leak_is_seen(void) {
    struct sbx_buf form = SBX_BUF_INIT;
    begin();
    T_EQ(live_words_leak(&words, "nothing here", 12), 0);
    T_EQ(live_words_leak(&words, "x" KEY "y", strlen(KEY) + 2), 1);
    sbx_base64_encode(&form, "user:" KEY, strlen("user:" KEY));
    T_STATUS(sbx_buf_status(&form), SBX_OK);
    T_EQ(live_words_leak(&words, form.data, form.len), 1);
    sbx_buf_finish(&form);
    live_words_finish(&words);
}

T_CASES(T_CASE(known_values_have_their_word), T_CASE(looks_are_enough), T_CASE(what_is_harmless_stays),
        T_CASE(strict_takes_long_runs), T_CASE(members_that_speak_of_accounts_go), T_CASE(a_leak_is_seen))
