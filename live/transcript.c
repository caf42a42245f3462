/* The transcript of a live run: exchanges as fixtures, cleaned, each line searched for the credential before it is
 * written. */
#include "live/transcript.h"

#include <sandport/kit/json.h>
#include <sandport/kit/text.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int live_transcript_open(struct live_transcript *to, const char *folder, const char *run, const char *key) {
    memset(to, 0, sizeof(*to));
    to->step = "";
    (void)!sbx_copy(to->given, sizeof(to->given), "nothing");
    int len = snprintf(to->path, sizeof(to->path), "%s/daytona-%s.jsonl", folder, run);
    if (len < 0 || (size_t)len >= sizeof(to->path)) return 0;
    if (mkdir(folder, 0700) && errno != EEXIST) return 0;
    int fd = open(to->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    to->file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!to->file) {
        if (fd >= 0) close(fd);
        return 0;
    }
    live_words_init(&to->words, key);
    return 1;
}

int live_transcript_close(struct live_transcript *to) {
    int ok = !to->lost && to->file;
    if (to->file && fclose(to->file)) ok = 0;
    to->file = NULL;
    live_words_finish(&to->words);
    return ok;
}

/* ---- operations ---- */

struct operation {
    const char *method;
    const char *path; /* behind the base; * stands for one segment, the query does not count */
    const char *name;
};

static const struct operation on_api[] = {{"POST", "/sandbox", "daytona.sandbox.create"},
                                          {"GET", "/sandbox", "daytona.sandbox.list"},
                                          {"GET", "/sandbox/paginated", "daytona.sandbox.list"},
                                          {"GET", "/sandbox/*", "daytona.sandbox.get"},
                                          {"DELETE", "/sandbox/*", "daytona.sandbox.delete"},
                                          {"GET", "/sandbox/*/toolbox-proxy-url", "daytona.sandbox.toolbox_url"}};
static const struct operation in_toolbox[] = {{"POST", "/process/execute", "daytona.toolbox.execute"},
                                              {"POST", "/files/bulk-upload", "daytona.toolbox.upload"},
                                              {"GET", "/files/download", "daytona.toolbox.download"},
                                              {"GET", "/files/info", "daytona.toolbox.info"},
                                              {"GET", "/files", "daytona.toolbox.list"},
                                              {"POST", "/files/folder", "daytona.toolbox.folder"},
                                              {"DELETE", "/files", "daytona.toolbox.delete"},
                                              {"GET", "/user-home-dir", "daytona.toolbox.home_dir"},
                                              {"GET", "/work-dir", "daytona.toolbox.work_dir"}};

static int path_is(const char *path, size_t len, const char *shape) {
    const char *end = path + len;
    for (; *shape; shape++) {
        if (*shape == '*') {
            if (path == end || *path == '/') return 0;
            while (path < end && *path != '/') path++;
        } else if (path == end || *path++ != *shape) {
            return 0;
        }
    }
    return path == end;
}

static int path_ends(const char *path, size_t len, const char *shape) {
    size_t n = strlen(shape);
    return len > n && memcmp(path + len - n, shape, n) == 0;
}

static int is_on_api(const char *url, const char *api_url) {
    size_t base = strlen(api_url);
    return strncmp(url, api_url, base) == 0 && url[base] == '/';
}

const char *live_operation(const char *method, const char *url, const char *api_url) {
    const char *path = is_on_api(url, api_url) ? url + strlen(api_url) : NULL;
    if (path)
        for (size_t i = 0; i < sizeof(on_api) / sizeof(on_api[0]); i++)
            if (strcmp(method, on_api[i].method) == 0 && path_is(path, strcspn(path, "?"), on_api[i].path))
                return on_api[i].name;
    if (!path)
        for (size_t i = 0; i < sizeof(in_toolbox) / sizeof(in_toolbox[0]); i++)
            if (strcmp(method, in_toolbox[i].method) == 0 && path_ends(url, strcspn(url, "?"), in_toolbox[i].path))
                return in_toolbox[i].name;
    return "daytona.other";
}

/* ---- what is learned before it is replaced ---- */

static void learn_create(struct live_transcript *to, const struct live_exchange *x) {
    static const struct {
        const char *member, *word;
    } answered[] = {{"id", "$id"}, {"name", "$name"}, {"toolboxProxyUrl", "$toolbox"}};
    struct sbx_json *js = NULL;
    if (sbx_json_parse(sbx_buf_text(&x->sent), x->sent.len, 0, &js) == SBX_OK) {
        const struct sbx_json_node *root = sbx_json_root(js);
        live_words_add(&to->words, "$name", sbx_json_opt_string(js, root, "name", NULL));
        live_words_add(&to->words, "$acquisition",
                       sbx_json_opt_string(js, sbx_json_opt_object(js, root, "labels"), "sandport-acq", NULL));
    }
    sbx_json_free(js);
    js = NULL;
    if (x->http_status / 100 == 2 && sbx_json_parse(sbx_buf_text(&x->got), x->got.len, 0, &js) == SBX_OK)
        for (size_t i = 0; i < sizeof(answered) / sizeof(answered[0]); i++)
            live_words_add(&to->words, answered[i].word,
                           sbx_json_opt_string(js, sbx_json_root(js), answered[i].member, NULL));
    sbx_json_free(js);
}

/* What the next exchange finds. */
static void learn_state(struct live_transcript *to, const struct live_exchange *x, const char *op) {
    struct sbx_json *js = NULL;
    if (strcmp(op, "daytona.sandbox.get") == 0 && x->http_status == 404)
        (void)!sbx_copy(to->given, sizeof(to->given), "nothing");
    if (x->http_status / 100 == 2 && sbx_json_parse(sbx_buf_text(&x->got), x->got.len, 0, &js) == SBX_OK) {
        const char *state = sbx_json_opt_string(js, sbx_json_root(js), "state", NULL);
        if (state) (void)!sbx_copy(to->given, sizeof(to->given), state);
    }
    sbx_json_free(js);
}

/* A boundary is drawn anew for each body. */
static void learn_boundary(struct live_transcript *to, const struct live_exchange *x) {
    for (size_t i = 0; i < x->req->header_count; i++) {
        const char *at = strstr(x->req->headers[i].value, "boundary=");
        if (at) live_words_add(&to->words, "$boundary", at + strlen("boundary="));
    }
}

/* ---- one line ---- */

/* Values of headers that say how the wire is; of the others only the names are told. */
static int is_told(const char *name) {
    static const char *const told[] = {
        "authorization",     "content-type",        "content-length",   "accept",   "user-agent",
        "transfer-encoding", "content-disposition", "content-encoding", "location", "allow"};
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
        if (sbx_text_equal_nocase(name, told[i])) return 1;
    return strncmp(name, "retry-after", 11) == 0 || strncmp(name, "x-ratelimit", 11) == 0;
}

/* "content-type" is "Content-Type" in a fixture. */
static void header_name(const char *name, char out[64]) {
    size_t n = 0;
    for (; name[n] && n < 63; n++) {
        int starts = n == 0 || name[n - 1] == '-';
        out[n] = starts && name[n] >= 'a' && name[n] <= 'z' ? (char)(name[n] - 'a' + 'A') : name[n];
    }
    out[n] = 0;
}

static void put_header(struct live_transcript *to, struct sbx_buf *line, const char *name, const char *value) {
    struct sbx_buf clean = SBX_BUF_INIT;
    char shown[64];
    header_name(name, shown);
    if (sbx_text_equal_nocase(name, "authorization") && strncmp(value, "Bearer ", 7) == 0) {
        sbx_buf_text_append(&clean, strcmp(value + 7, to->words.key) == 0 ? "Bearer $key" : "Bearer $any:string");
    } else {
        live_words_text(&to->words, &clean, value, strlen(value), 1);
    }
    sbx_json_put_string(line, shown, sbx_buf_text(&clean));
    if (clean.failed) line->failed = 1;
    sbx_buf_finish(&clean);
}

/* Takes "name: value\n" lines apart. `others` collects the names of those that are not told. */
static void put_answer_headers(struct live_transcript *to, struct sbx_buf *line, char *head, struct sbx_buf *others) {
    char *rest = NULL;
    for (char *one = strtok_r(head, "\n", &rest); one; one = strtok_r(NULL, "\n", &rest)) {
        char *colon = strstr(one, ": ");
        if (!colon) continue;
        *colon = 0;
        if (is_told(one))
            put_header(to, line, one, colon + 2);
        else
            sbx_buf_printf(others, "%s%s", others->len ? " " : "", one);
    }
}

/* JSON as JSON, text as text, anything else in base64. */
static void put_body(struct live_transcript *to, struct sbx_buf *line, const struct sbx_buf *body, int strict) {
    struct sbx_json *js = NULL;
    struct sbx_buf clean = SBX_BUF_INIT, coded = SBX_BUF_INIT;
    if (body->len && sbx_json_parse(body->data, body->len, 0, &js) == SBX_OK) {
        live_words_json(&to->words, js, sbx_json_root(js), &clean, NULL, strict);
        sbx_json_put_raw(line, "body", sbx_buf_text(&clean), clean.len);
    } else if (body->len) {
        live_words_text(&to->words, &clean, body->data, body->len, strict);
        if (sbx_utf8_valid(clean.data, clean.len) == clean.len && !memchr(clean.data, 0, clean.len)) {
            sbx_json_put_text(line, "body", sbx_buf_text(&clean), clean.len);
        } else {
            sbx_base64_encode(&coded, clean.data, clean.len);
            sbx_json_put_null(line, "body");
            sbx_json_put_string(line, "body_base64", sbx_buf_text(&coded));
        }
    } else {
        sbx_json_put_null(line, "body");
    }
    if (clean.failed || coded.failed) line->failed = 1;
    sbx_json_free(js);
    sbx_buf_finish(&clean);
    sbx_buf_finish(&coded);
}

static void put_request(struct live_transcript *to, struct sbx_buf *line, const struct live_exchange *x, int strict) {
    const struct sbx_request *req = x->req;
    const char *host = strstr(req->url, "://"), *slash = host ? strchr(host + 3, '/') : NULL;
    struct sbx_buf path = SBX_BUF_INIT;
    live_words_text(&to->words, &path, slash ? slash : "/", strlen(slash ? slash : "/"), strict);
    sbx_json_begin_object(line, "request");
    sbx_json_put_string(line, "method", req->method);
    sbx_json_put_string(line, "path", sbx_buf_text(&path));
    sbx_json_begin_object(line, "headers");
    for (size_t i = 0; i < req->header_count; i++)
        if (is_told(req->headers[i].name)) put_header(to, line, req->headers[i].name, req->headers[i].value);
    if (req->reader ? req->reader_len < 0 : (req->flags & SBX_REQUEST_CHUNKED) != 0)
        put_header(to, line, "Transfer-Encoding", "chunked");
    sbx_json_end_object(line);
    put_body(to, line, &x->sent, strict);
    sbx_json_end_object(line);
    if (path.failed) line->failed = 1;
    sbx_buf_finish(&path);
}

static void put_response(struct live_transcript *to, struct sbx_buf *line, const struct live_exchange *x, int strict) {
    struct sbx_buf others = SBX_BUF_INIT;
    char *head = x->head.len ? strdup(x->head.data) : NULL;
    if (x->head.len && !head) line->failed = 1;
    sbx_json_begin_object(line, "response");
    sbx_json_put_int(line, "status", x->http_status);
    sbx_json_begin_object(line, "headers");
    if (head) put_answer_headers(to, line, head, &others);
    sbx_json_end_object(line);
    put_body(to, line, &x->got, strict);
    sbx_json_end_object(line);
    sbx_json_put_string(line, "other_headers", sbx_buf_text(&others));
    sbx_buf_finish(&others);
    free(head);
}

void live_transcript_write(struct live_transcript *to, const struct live_exchange *x) {
    const char *op = live_operation(x->req->method, x->req->url, x->api_url);
    const int strict = is_on_api(x->req->url, x->api_url); /* a toolbox answers with what the run itself put there */
    struct sbx_buf line = SBX_BUF_INIT;
    if (strcmp(op, "daytona.sandbox.create") == 0) learn_create(to, x);
    learn_boundary(to, x);
    sbx_json_begin_object(&line, NULL);
    sbx_json_put_int(&line, "n", to->n + 1);
    sbx_json_put_string(&line, "step", to->step);
    sbx_json_put_string(&line, "op", op);
    sbx_json_put_string(&line, "sdk", "sandport " SBX_VERSION_TEXT);
    sbx_json_put_string(&line, "given", to->given);
    put_request(to, &line, x, strict);
    if (x->http_status)
        put_response(to, &line, x, strict);
    else
        sbx_json_put_null(&line, "response");
    sbx_json_put_string(&line, "evidence", sbx_evidence_name(x->evidence));
    sbx_json_put_bool(&line, "cut", x->cut);
    sbx_json_put_int(&line, "took_ms", x->took_ms);
    sbx_json_end_object(&line);
    sbx_buf_char(&line, '\n');
    if (line.failed || live_words_leak(&to->words, line.data, line.len) ||
        fwrite(line.data, 1, line.len, to->file) != line.len || fflush(to->file))
        to->lost = 1;
    else
        to->n++;
    if (strict) learn_state(to, x, op);
    sbx_buf_finish(&line);
}
