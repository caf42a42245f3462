/* Which requests may be sent at all: nothing that could smuggle a header, a host or a credential. */
#include <sandport/kit/env.h>
#include <sandport/kit/text.h>

#include <string.h>

static int is_token_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static int is_token(const char *text) {
    if (!text || !*text) return 0;
    while (*text && is_token_char(*text)) text++;
    return !*text;
}

/* Tabs, printable ASCII and bytes above it: what RFC 9110 allows in a field value. */
static int is_field_value(const char *text) {
    if (!text) return 0;
    for (; *text; text++)
        if (((unsigned char)*text < 0x20 && *text != '\t') || *text == 0x7f) return 0;
    return 1;
}

static const char *url_wrong(const char *url) {
    if (!url) return "a url";
    for (const char *c = url; *c; c++)
        if ((unsigned char)*c <= 0x20 || (unsigned char)*c >= 0x7f) return "a url of printable ASCII";
    const char *host = strncmp(url, "http://", 7) == 0 ? url + 7 : strncmp(url, "https://", 8) == 0 ? url + 8 : NULL;
    if (!host) return "a url that starts with http:// or https://";
    size_t authority = strcspn(host, "/?#");
    if (authority == 0 || host[0] == ':') return "a url with a host";
    if (memchr(host, '@', authority)) return "a url without credentials";
    if (strchr(host, '#')) return "a url without a fragment";
    return NULL;
}

/* What says where a message ends, and for whom it is, is the env's to write. */
static int is_framing(const char *name) {
    static const char *const framing[] = {"content-length", "transfer-encoding", "host", "connection", "expect"};
    for (size_t i = 0; i < sizeof(framing) / sizeof(framing[0]); i++)
        if (sbx_text_equal_nocase(name, framing[i])) return 1;
    return 0;
}

static const char *request_wrong(const struct sbx_request *req) {
    if (!is_token(req->method)) return "a method";
    const char *wrong = url_wrong(req->url);
    if (wrong) return wrong;
    if (req->header_count && !req->headers) return "as many headers as the count says";
    for (size_t i = 0; i < req->header_count; i++) {
        if (!is_token(req->headers[i].name)) return "header names that are tokens";
        if (is_framing(req->headers[i].name)) return "no header that frames the message";
        if (!is_field_value(req->headers[i].value)) return "header values without control characters";
    }
    if (req->body_len && !req->body) return "a body";
    if (req->reader && !req->reader->read) return "a reader that can read";
    return NULL;
}

enum sbx_status sbx_request_check(const struct sbx_request *req, const char **why) {
    const char *wrong = req ? request_wrong(req) : "a request";
    if (why) *why = wrong;
    return wrong ? SBX_INVALID_ARGUMENT : SBX_OK;
}
