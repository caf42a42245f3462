/* One exchange with a simulated cloud after the other. */
#include "sim_ask.h"

#include <stdio.h>

void ask_begin(struct ask *a, const char *scenario, const char *key, const char *host) {
    char why[256] = "";
    const struct sbx_sim_options opt = {
        .size = sizeof(opt), .seed = 7, .scenario = scenario, .scenario_len = scenario ? strlen(scenario) : 0};
    *a = (struct ask){.key = key, .host = host};
    const enum sbx_status st = sbx_sim_create(&opt, &a->sim, why, sizeof(why));
    if (st) T_FAIL("no simulation: %s", why);
}

static void ask_clear(struct ask *a) {
    sbx_json_free(a->js);
    a->js = NULL;
    sbx_buf_clear(&a->body);
    sbx_buf_clear(&a->headers);
    sbx_buf_clear(&a->events);
    a->status = 0;
}

void ask_finish(struct ask *a) {
    ask_clear(a);
    sbx_buf_finish(&a->body);
    sbx_buf_finish(&a->headers);
    sbx_buf_finish(&a->events);
    sbx_sim_free(a->sim);
}

static int ask_head(void *ctx, int status, const struct sbx_header *headers, size_t n) {
    struct ask *a = ctx;
    a->status = status;
    for (size_t i = 0; i < n; i++) sbx_buf_printf(&a->headers, "%s: %s\n", headers[i].name, headers[i].value);
    return 0;
}

static int ask_body(void *ctx, const void *data, size_t len) {
    sbx_buf_append(&((struct ask *)ctx)->body, data, len);
    return 0;
}

int ask_exchange(struct ask *a, const char *method, const char *path, struct sbx_header *headers, size_t count,
                 const void *body, size_t len) {
    struct sbx_env *env = sbx_sim_env(a->sim);
    char url[1024];
    const char *hole = strstr(path, "%s");
    if (hole)
        snprintf(url, sizeof(url), "%s%.*s%s%s", a->host, (int)(hole - path), path, a->id, hole + 2);
    else
        snprintf(url, sizeof(url), "%s%s", a->host, path);
    for (size_t i = 0; i < a->more_count; i++) headers[count++] = a->more[i];
    const struct sbx_request req = {.size = sizeof(req),
                                    .method = method,
                                    .url = url,
                                    .headers = headers,
                                    .header_count = count,
                                    .body = body,
                                    .body_len = len,
                                    .flags = a->chunked ? SBX_REQUEST_CHUNKED : 0,
                                    .deadline_ms = env->now_ms(env) + (a->deadline_ms ? a->deadline_ms : 600000)};
    const struct sbx_receiver to = {a, ask_head, ask_body};
    ask_clear(a);
    a->evidence = env->exchange(env, &req, &to, NULL);
    if (a->body.len && sbx_json_parse(a->body.data, a->body.len, 0, &a->js)) {
        sbx_json_free(a->js);
        a->js = NULL;
    }
    return a->status;
}

void ask_header(struct ask *a, const char *name, const char *value) {
    T_TRUE(a->more_count < sizeof(a->more) / sizeof(a->more[0]));
    a->more[a->more_count++] = (struct sbx_header){name, value};
}

const char *ask_text(struct ask *a, const char *member) {
    const char *text = a->js ? sbx_json_opt_string(a->js, sbx_json_root(a->js), member, NULL) : NULL;
    return text ? text : "";
}

int64_t ask_int(struct ask *a, const char *member) {
    return a->js ? sbx_json_opt_int(a->js, sbx_json_root(a->js), member, -999) : -999;
}

void ask_pass_ms(struct ask *a, int64_t ms) {
    sbx_sim_advance_ms(a->sim, ms);
}

int64_t ask_now_ms(struct ask *a) {
    struct sbx_env *env = sbx_sim_env(a->sim);
    return env->now_ms(env);
}

int64_t ask_fault(struct ask *a, const struct sbx_fault *fault) {
    const int64_t number = sbx_sim_fault(a->sim, fault);
    T_TRUE(number > 0);
    return number;
}
