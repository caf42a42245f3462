/* From libcurl's result and what was seen on the way to evidence. Pure. Row P4.
 *
 * What libcurl cannot tell apart and this therefore does not either: a header line beyond its own 100 KiB buffer ends
 * as out of memory, a malformed chunk of a body as a connection that was cut, and an address for which there was no
 * memory as one that is not known. */
#include "room.h"

/* Before a byte of the request was on the wire. */
static enum sbx_evidence evidence_unsent(int code) {
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return SBX_EVIDENCE_RESOLVE;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CLIENTCERT:
        return SBX_EVIDENCE_TLS;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_FUNCTION_ARGUMENT:
        return SBX_EVIDENCE_PROTOCOL;
    default:
        return SBX_EVIDENCE_CONNECT;
    }
}

static enum sbx_evidence evidence_sent(int code, int answered) {
    switch (code) {
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL: /* what libcurl says of an answer without a status line */
    case CURLE_BAD_CONTENT_ENCODING:
        return SBX_EVIDENCE_PROTOCOL;
    case CURLE_FILESIZE_EXCEEDED:
        return SBX_EVIDENCE_TOO_LARGE;
    default:
        return answered ? SBX_EVIDENCE_PARTIAL : SBX_EVIDENCE_SENT_NO_ANSWER;
    }
}

/* libcurl calls it a success when the connection ends inside the head: no line had said yet how long the body is. */
static enum sbx_evidence evidence_code(const struct sbx_curl_facts *facts) {
    if (facts->code == CURLE_OK && facts->head_whole) return SBX_EVIDENCE_DONE;
    if (facts->code == CURLE_OUT_OF_MEMORY || facts->code == CURLE_FAILED_INIT) return SBX_EVIDENCE_MEMORY;
    if (facts->sent_bytes == 0) return evidence_unsent((int)facts->code);
    return evidence_sent((int)facts->code, facts->http_status != 0);
}

enum sbx_evidence sbx_curl_evidence(const struct sbx_curl_facts *facts) {
    switch (facts->stop) {
    case SBX_CURL_STOP_RECEIVER:
    case SBX_CURL_STOP_READER:
        return SBX_EVIDENCE_PARTIAL;
    case SBX_CURL_STOP_TOO_LARGE:
        return SBX_EVIDENCE_TOO_LARGE;
    case SBX_CURL_STOP_REPLAY:
        return SBX_EVIDENCE_SENT_NO_ANSWER;
    case SBX_CURL_STOP_DEADLINE:
        return SBX_EVIDENCE_DEADLINE;
    case SBX_CURL_STOP_CANCEL:
        return SBX_EVIDENCE_CANCELLED;
    case SBX_CURL_STOP_MEMORY:
        return SBX_EVIDENCE_MEMORY;
    case SBX_CURL_STOP_NONE:
        break;
    }
    return evidence_code(facts);
}
