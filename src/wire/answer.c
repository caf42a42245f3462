/* An answer collected in memory, and the questions that adapters ask of its headers. */
#include <sandport/kit/fail.h>
#include <sandport/kit/text.h>
#include <sandport/kit/wire.h>

#include <string.h>

#define HEADER_TEXT_MAX   128         /* of the values read here; longer ones are not what is looked for */
#define ERROR_BYTES_MAX   (64 * 1024) /* of an answer that is not what was asked for */
#define RETRY_AFTER_S_MAX 31536000    /* a year; what is more is taken for nonsense */

void sbx_answer_init(struct sbx_answer *ans, size_t size) {
    memset(ans, 0, size);
    ans->size = size;
}

void sbx_answer_finish(struct sbx_answer *ans) {
    if (!ans) return;
    sbx_buf_finish(&ans->head);
    sbx_buf_finish(&ans->body);
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int answer_head(void *ctx, int http_status, const struct sbx_header *headers, size_t header_count) {
    struct sbx_answer *ans = ctx;
    ans->http_status = http_status;
    for (size_t i = 0; i < header_count; i++) {
        for (const char *c = headers[i].name; *c; c++) sbx_buf_char(&ans->head, lower(*c));
        sbx_buf_printf(&ans->head, ": %s\n", headers[i].value);
    }
    return ans->head.failed;
}

static int answer_body(void *ctx, const void *data, size_t len) {
    struct sbx_answer *ans = ctx;
    sbx_buf_append(&ans->body, data, len);
    return ans->body.failed;
}

void sbx_exchange_collect(struct sbx_env *env, const struct sbx_request *req, struct sbx_answer *ans) {
    const struct sbx_receiver to = {ans, answer_head, answer_body};
    struct sbx_exchange_info info = {.size = sizeof(info)};
    ans->evidence = (int32_t)env->exchange(env, req, &to, &info);
    ans->sent_bytes = info.sent_bytes;
    ans->http_status = info.http_status;
    if (ans->head.failed || ans->body.failed) ans->evidence = SBX_EVIDENCE_MEMORY;
}

struct sunk {
    const struct sbx_sink *to;
    struct sbx_answer *ans;
};

static int sunk_head(void *ctx, int http_status, const struct sbx_header *headers, size_t header_count) {
    struct sunk *sunk = ctx;
    (void)headers;
    (void)header_count;
    sunk->ans->http_status = http_status;
    return 0;
}

static int sunk_body(void *ctx, const void *data, size_t len) {
    struct sunk *sunk = ctx;
    if (sunk->ans->http_status == 200) return sunk->to->write(sunk->to->ctx, data, len);
    if (sunk->ans->body.len < ERROR_BYTES_MAX) sbx_buf_append(&sunk->ans->body, data, len);
    return sunk->ans->body.failed;
}

void sbx_exchange_to_sink(struct sbx_env *env, const struct sbx_request *req, const struct sbx_sink *to,
                          struct sbx_answer *ans) {
    struct sunk sunk = {to, ans};
    const struct sbx_receiver receiver = {&sunk, sunk_head, sunk_body};
    struct sbx_exchange_info info = {.size = sizeof(info)};
    ans->evidence = (int32_t)env->exchange(env, req, &receiver, &info);
    ans->sent_bytes = info.sent_bytes;
}

enum sbx_status sbx_answer_json(const struct sbx_answer *ans, struct sbx_json **out, struct sbx_error *err) {
    struct sbx_json *js = NULL;
    enum sbx_status st = sbx_json_parse(sbx_buf_text(&ans->body), ans->body.len, 0, &js);
    if (st == SBX_OK) {
        *out = js;
        return SBX_OK;
    }
    sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, st == SBX_PROTOCOL ? "answer: %s" : "%s", sbx_json_error(js));
    sbx_json_free(js); /* or half a document would be taken for one that was read */
    return st;
}

/* The next "name: value\n" of the head from *at on: where its value begins and ends. @return 0 after the last */
static int answer_line(const char **at, size_t *name_len, const char **value, size_t *value_len) {
    const char *end = strchr(*at, '\n'), *colon = strchr(*at, ':');
    if (!end || !colon) return 0;
    *name_len = (size_t)(colon - *at);
    *value = colon + 2;
    *value_len = (size_t)(end - *value);
    return 1;
}

int sbx_answer_header(const struct sbx_answer *ans, const char *name, char *out, size_t cap) {
    const char *at = sbx_buf_text(&ans->head), *value = NULL;
    size_t name_len = 0, value_len = 0;
    for (; answer_line(&at, &name_len, &value, &value_len); at = value + value_len + 1) {
        if (name_len != strlen(name) || memcmp(at, name, name_len) != 0) continue;
        if (value_len >= cap) return 0;
        memcpy(out, value, value_len);
        out[value_len] = 0;
        return 1;
    }
    return 0;
}

int sbx_answer_is_json(const struct sbx_answer *ans) {
    char type[HEADER_TEXT_MAX];
    if (!sbx_answer_header(ans, "content-type", type, sizeof(type))) return 0;
    size_t len = strcspn(type, "; \t");
    type[len] = 0;
    if (sbx_text_equal_nocase(type, "application/json")) return 1;
    return len > 5 && sbx_text_equal_nocase(type + len - 5, "+json");
}

int64_t sbx_answer_retry_after_ms(const struct sbx_answer *ans) {
    static const char name[] = "retry-after";
    const char *at = sbx_buf_text(&ans->head), *value = NULL;
    size_t name_len = 0, value_len = 0;
    int64_t longest_ms = -1;
    for (; answer_line(&at, &name_len, &value, &value_len); at = value + value_len + 1) {
        char text[HEADER_TEXT_MAX];
        int64_t seconds = 0;
        const size_t len = sizeof(name) - 1;
        if (name_len < len || memcmp(at, name, len) != 0 || (name_len > len && at[len] != '-')) continue;
        if (value_len >= sizeof(text)) continue;
        memcpy(text, value, value_len);
        text[value_len] = 0;
        if (sbx_text_int(text, 0, RETRY_AFTER_S_MAX, &seconds) && seconds * 1000 > longest_ms)
            longest_ms = seconds * 1000;
    }
    return longest_ms;
}
