/* The caller's options, and what they and a request make of an easy handle. Rows P3, P4. */
#include "room.h"

#include <fcntl.h>
#include <sandport/kit/options.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define OPTIONS_CONNECT_MS        20000
#define OPTIONS_IDLE_CONNECTION_S 50
#define OPTIONS_HEADER_BYTES_MAX  65536
#define OPTIONS_UPLOAD_BYTES      65536L

void sbx_curl_options_init(struct sbx_curl_options *opt, size_t size) {
    sbx_options_init(opt, size);
}

static int options_valid(const struct sbx_curl_options *opt) {
    if (opt->connect_ms < 0 || opt->connect_ms > INT32_MAX) return 0;
    if (opt->idle_connection_s < 0 || opt->idle_connection_s > INT32_MAX) return 0;
    if (opt->threads < SBX_DEFAULT || opt->threads > SBX_NO) return 0;
    return !opt->ca_pem || *opt->ca_pem;
}

/* @return 0 when memory runs out */
static int settings_copy(struct sbx_curl_settings *settings, const struct sbx_curl_options *opt) {
    settings->connect_ms = opt->connect_ms ? opt->connect_ms : OPTIONS_CONNECT_MS;
    settings->idle_connection_s = opt->idle_connection_s ? opt->idle_connection_s : OPTIONS_IDLE_CONNECTION_S;
    settings->header_bytes_max = opt->header_bytes_max ? opt->header_bytes_max : OPTIONS_HEADER_BYTES_MAX;
    settings->threads = opt->threads;
    settings->proxy = strdup(opt->proxy ? opt->proxy : "");
    if (opt->ca_pem) settings->ca_pem = strdup(opt->ca_pem);
    if (opt->connect_to) settings->connect_to = curl_slist_append(NULL, opt->connect_to);
    return settings->proxy && (!opt->ca_pem || settings->ca_pem) && (!opt->connect_to || settings->connect_to);
}

enum sbx_status sbx_curl_settings_init(struct sbx_curl_settings *settings, const struct sbx_curl_options *opt) {
    struct sbx_curl_options full = {0};
    if (opt && opt->size < sizeof(opt->size)) return SBX_INVALID_ARGUMENT;
    if (opt) memcpy(&full, opt, opt->size < sizeof(full) ? opt->size : sizeof(full));
    if (!options_valid(&full)) return SBX_INVALID_ARGUMENT;
    return settings_copy(settings, &full) ? SBX_OK : SBX_NO_MEMORY;
}

void sbx_curl_settings_finish(struct sbx_curl_settings *settings) {
    free(settings->ca_pem);
    free(settings->proxy);
    curl_slist_free_all(settings->connect_to);
}

/* A program that the host starts meanwhile must not inherit our connections and hold them open. */
static curl_socket_t options_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)purpose;
    if (sbx_curl_send_refused(arg)) return CURL_SOCKET_BAD;
#ifdef SOCK_CLOEXEC
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    curl_socket_t fd = socket(address->family, address->socktype, address->protocol);
    if (fd != CURL_SOCKET_BAD) fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
#endif
}

/* @return 0 when memory runs out; the list stays as it was */
static int options_header_add(struct curl_slist **headers, const char *line) {
    struct curl_slist *longer = curl_slist_append(*headers, line);
    if (longer) *headers = longer;
    return longer != NULL;
}

/* "Expect:" without a value removes what libcurl would add: it makes a chunked upload wait for a second. */
static int options_headers(const struct sbx_request *req, struct curl_slist **headers) {
    struct sbx_buf line = SBX_BUF_INIT;
    int ok = options_header_add(headers, "Expect:");
    for (size_t i = 0; ok && i < req->header_count; i++) {
        const char *value = req->headers[i].value;
        sbx_buf_clear(&line);
        /* libcurl's form for a header whose value is empty is a semicolon; with a colon it would send none. */
        if (value[strspn(value, " \t")])
            sbx_buf_printf(&line, "%s: %s", req->headers[i].name, value);
        else
            sbx_buf_printf(&line, "%s;", req->headers[i].name);
        ok = sbx_buf_status(&line) == SBX_OK && options_header_add(headers, sbx_buf_text(&line));
    }
    sbx_buf_finish(&line);
    return ok;
}

/* Methods that servers expect a length with, even if it is 0. */
static int options_expects_body(const char *method) {
    return strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0 || strcmp(method, "PATCH") == 0;
}

static int options_has_body(const struct sbx_request *req) {
    return req->reader || req->body_len || (req->flags & SBX_REQUEST_CHUNKED) || options_expects_body(req->method);
}

#define OPTION(name, value)                                                                                            \
    if (!code) code = curl_easy_setopt(easy, CURLOPT_##name, value)

static CURLcode options_fixed(CURL *easy) {
    CURLcode code = CURLE_OK;
    OPTION(NOSIGNAL, 1L);
    OPTION(PROTOCOLS_STR, "http,https");
    OPTION(FOLLOWLOCATION, 0L);
    OPTION(HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    OPTION(PATH_AS_IS, 1L);
    OPTION(DISALLOW_USERNAME_IN_URL, 1L);
    OPTION(QUICK_EXIT, 1L);
    OPTION(SSL_VERIFYPEER, 1L);
    OPTION(SSL_VERIFYHOST, 2L);
    OPTION(SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    OPTION(HEADEROPT, (long)CURLHEADER_SEPARATE); /* a proxy sees none of ours, least of all the credential */
    OPTION(SUPPRESS_CONNECT_HEADERS, 1L);
    OPTION(TCP_KEEPALIVE, 1L); /* a command may be silent for longer than a NAT remembers a connection */
    OPTION(TCP_KEEPIDLE, 30L);
    OPTION(TCP_KEEPINTVL, 15L);
    return code;
}

/* libcurl's own defaults, given again: curl_easy_reset() leaves off in the middle when memory runs out, and says
 * nothing of it. With a buffer of size 0 a body would then be written beyond it. */
static CURLcode options_defaults(CURL *easy) {
    CURLcode code = CURLE_OK;
    char *ca_file = NULL, *ca_path = NULL;
    OPTION(UPLOAD_BUFFERSIZE, OPTIONS_UPLOAD_BYTES);
    OPTION(TCP_NODELAY, 1L);
    OPTION(HAPPY_EYEBALLS_TIMEOUT_MS, CURL_HET_DEFAULT);
    if (!code) code = curl_easy_getinfo(easy, CURLINFO_CAINFO, &ca_file);
    if (!code) code = curl_easy_getinfo(easy, CURLINFO_CAPATH, &ca_path);
    if (ca_file) OPTION(CAINFO, ca_file);
    if (ca_path) OPTION(CAPATH, ca_path);
    return code;
}

/* Without CAPATH the authorities are those of the blob alone; by default libcurl would add the system's. */
static CURLcode options_settings(CURL *easy, const struct sbx_curl_settings *settings) {
    CURLcode code = CURLE_OK;
    OPTION(PROXY, settings->proxy);
    OPTION(NOPROXY, ""); /* or libcurl reads no_proxy, and the proxy that was asked for is passed by */
    OPTION(CONNECT_TO, settings->connect_to);
    OPTION(CONNECTTIMEOUT_MS, (long)settings->connect_ms);
    OPTION(MAXAGE_CONN, (long)settings->idle_connection_s);
    if (settings->ca_pem) {
        struct curl_blob blob = {settings->ca_pem, strlen(settings->ca_pem), CURL_BLOB_NOCOPY};
        OPTION(CAINFO_BLOB, &blob);
        OPTION(CAPATH, (char *)NULL);
    }
    return code;
}

/* Bodies always go by the read callback, and without a seek callback unless they may be sent again: one more hurdle
 * before a replay, beside sbx_curl_send_refused(). UPLOAD adds no header of its own to the method's. */
static CURLcode options_request(CURL *easy, const struct sbx_request *req, struct sbx_curl_exchange *x) {
    CURLcode code = CURLE_OK;
    OPTION(URL, req->url);
    if (options_has_body(req)) {
        OPTION(UPLOAD, 1L);
        OPTION(INFILESIZE_LARGE, (curl_off_t)x->send.length);
        OPTION(READFUNCTION, sbx_curl_send_read);
        OPTION(READDATA, x);
    } else if (strcmp(req->method, "HEAD") == 0) {
        OPTION(NOBODY, 1L);
    }
    OPTION(CUSTOMREQUEST, req->method);
    if (x->send.idempotent && !x->send.reader) {
        OPTION(SEEKFUNCTION, sbx_curl_send_seek);
        OPTION(SEEKDATA, x);
    }
    OPTION(OPENSOCKETFUNCTION, options_socket);
    OPTION(OPENSOCKETDATA, x);
    OPTION(RESOLVER_START_FUNCTION, sbx_curl_send_resolve);
    OPTION(RESOLVER_START_DATA, x);
    OPTION(PREREQFUNCTION, sbx_curl_send_begin);
    OPTION(PREREQDATA, x);
    OPTION(HEADERFUNCTION, sbx_curl_receive_head);
    OPTION(HEADERDATA, x);
    OPTION(WRITEFUNCTION, sbx_curl_receive_body);
    OPTION(WRITEDATA, x);
    return code;
}

CURLcode sbx_curl_options_apply(const struct sbx_curl_settings *settings, const struct sbx_request *req,
                                struct sbx_curl_exchange *x, struct curl_slist **headers) {
    CURL *easy = x->easy;
    if (!options_headers(req, headers)) return CURLE_OUT_OF_MEMORY;
    CURLcode code = options_fixed(easy);
    if (!code) code = options_defaults(easy);
    if (!code) code = options_settings(easy, settings);
    if (!code) code = options_request(easy, req, x);
    OPTION(HTTPHEADER, *headers);
    return code;
}
