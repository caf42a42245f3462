/* Evidence from libcurl's result, over every result there is. */
#include "src/curl/room.h"
#include "t.h"

static void expect(CURLcode code, uint64_t sent_bytes, int32_t http_status, enum sbx_evidence want) {
    const struct sbx_curl_facts facts = {code, SBX_CURL_STOP_NONE, http_status, http_status != 0, sent_bytes};
    enum sbx_evidence got = sbx_curl_evidence(&facts);
    if (got != want)
        T_FAIL("code %d, %llu bytes sent, status %d: %s, expected %s", (int)code, (unsigned long long)sent_bytes,
               (int)http_status, sbx_evidence_name((int32_t)got), sbx_evidence_name((int32_t)want));
}

static void before_a_byte_was_sent(void) {
    expect(CURLE_COULDNT_RESOLVE_HOST, 0, 0, SBX_EVIDENCE_RESOLVE);
    expect(CURLE_COULDNT_RESOLVE_PROXY, 0, 0, SBX_EVIDENCE_RESOLVE);
    expect(CURLE_COULDNT_CONNECT, 0, 0, SBX_EVIDENCE_CONNECT);
    expect(CURLE_OPERATION_TIMEDOUT, 0, 0, SBX_EVIDENCE_CONNECT);
    expect(CURLE_RECV_ERROR, 0, 0, SBX_EVIDENCE_CONNECT);
    expect(CURLE_SEND_ERROR, 0, 0, SBX_EVIDENCE_CONNECT);
    expect(CURLE_SSL_CONNECT_ERROR, 0, 0, SBX_EVIDENCE_TLS);
    expect(CURLE_PEER_FAILED_VERIFICATION, 0, 0, SBX_EVIDENCE_TLS);
    expect(CURLE_SSL_CACERT_BADFILE, 0, 0, SBX_EVIDENCE_TLS);
    expect(CURLE_SSL_ISSUER_ERROR, 0, 0, SBX_EVIDENCE_TLS);
    expect(CURLE_URL_MALFORMAT, 0, 0, SBX_EVIDENCE_PROTOCOL);
    expect(CURLE_UNSUPPORTED_PROTOCOL, 0, 0, SBX_EVIDENCE_PROTOCOL);
}

static void after_a_byte_was_sent(void) {
    expect(CURLE_GOT_NOTHING, 1, 0, SBX_EVIDENCE_SENT_NO_ANSWER);
    expect(CURLE_RECV_ERROR, 1, 0, SBX_EVIDENCE_SENT_NO_ANSWER);
    expect(CURLE_SEND_ERROR, 1, 0, SBX_EVIDENCE_SENT_NO_ANSWER);
    expect(CURLE_SEND_FAIL_REWIND, 1, 0, SBX_EVIDENCE_SENT_NO_ANSWER);
    expect(CURLE_COULDNT_CONNECT, 1, 0, SBX_EVIDENCE_SENT_NO_ANSWER);
    expect(CURLE_COULDNT_RESOLVE_HOST, 1, 0, SBX_EVIDENCE_SENT_NO_ANSWER);
    expect(CURLE_PARTIAL_FILE, 1, 200, SBX_EVIDENCE_PARTIAL);
    expect(CURLE_RECV_ERROR, 1, 200, SBX_EVIDENCE_PARTIAL);
    expect(CURLE_WEIRD_SERVER_REPLY, 1, 0, SBX_EVIDENCE_PROTOCOL);
    expect(CURLE_WEIRD_SERVER_REPLY, 1, 200, SBX_EVIDENCE_PROTOCOL);
    expect(CURLE_UNSUPPORTED_PROTOCOL, 1, 0, SBX_EVIDENCE_PROTOCOL);
    expect(CURLE_FILESIZE_EXCEEDED, 1, 200, SBX_EVIDENCE_TOO_LARGE);
}

static void memory_and_success_wherever_they_come(void) {
    expect(CURLE_OUT_OF_MEMORY, 0, 0, SBX_EVIDENCE_MEMORY);
    expect(CURLE_OUT_OF_MEMORY, 1, 200, SBX_EVIDENCE_MEMORY);
    expect(CURLE_FAILED_INIT, 0, 0, SBX_EVIDENCE_MEMORY);
    expect(CURLE_OK, 1, 200, SBX_EVIDENCE_DONE);
}

static void a_success_inside_the_head_is_none(void) {
    const struct sbx_curl_facts cut = {CURLE_OK, SBX_CURL_STOP_NONE, 200, 0, 1};
    const struct sbx_curl_facts unread = {CURLE_OK, SBX_CURL_STOP_NONE, 0, 0, 1};
    T_EQ(sbx_curl_evidence(&cut), SBX_EVIDENCE_PARTIAL);
    T_EQ(sbx_curl_evidence(&unread), SBX_EVIDENCE_SENT_NO_ANSWER);
}

/* Whatever libcurl may say, a request that left is never reported as one that did not. */
static void no_result_denies_that_bytes_were_sent(void) {
    for (int code = 1; code < CURL_LAST; code++) {
        const struct sbx_curl_facts facts = {(CURLcode)code, SBX_CURL_STOP_NONE, 0, 0, 1};
        enum sbx_evidence got = sbx_curl_evidence(&facts);
        if (got == SBX_EVIDENCE_DONE || got == SBX_EVIDENCE_RESOLVE || got == SBX_EVIDENCE_CONNECT ||
            got == SBX_EVIDENCE_TLS)
            T_FAIL("code %d with bytes sent: %s", code, sbx_evidence_name((int32_t)got));
    }
}

/* What ended it on our side decides, not what libcurl made of that. */
static void a_stop_of_ours_comes_first(void) {
    static const struct {
        enum sbx_curl_stop stop;
        enum sbx_evidence want;
    } rows[] = {{SBX_CURL_STOP_RECEIVER, SBX_EVIDENCE_PARTIAL},    {SBX_CURL_STOP_READER, SBX_EVIDENCE_PARTIAL},
                {SBX_CURL_STOP_TOO_LARGE, SBX_EVIDENCE_TOO_LARGE}, {SBX_CURL_STOP_REPLAY, SBX_EVIDENCE_SENT_NO_ANSWER},
                {SBX_CURL_STOP_DEADLINE, SBX_EVIDENCE_DEADLINE},   {SBX_CURL_STOP_CANCEL, SBX_EVIDENCE_CANCELLED},
                {SBX_CURL_STOP_MEMORY, SBX_EVIDENCE_MEMORY}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int code = 0; code < CURL_LAST; code++) {
            const struct sbx_curl_facts facts = {(CURLcode)code, rows[i].stop, 200, 1, 1};
            T_EQ(sbx_curl_evidence(&facts), rows[i].want);
        }
}

T_CASES(T_CASE(before_a_byte_was_sent), T_CASE(after_a_byte_was_sent), T_CASE(memory_and_success_wherever_they_come),
        T_CASE(a_success_inside_the_head_is_none), T_CASE(no_result_denies_that_bytes_were_sent),
        T_CASE(a_stop_of_ours_comes_first))
