/* One exchange with the simulated E2B after the other. */
#include "ask.h"

#include <stdio.h>

void ask_init(struct ask *a, const char *scenario) {
    char text[4096];
    snprintf(text, sizeof(text), "{\"e2b\":%s}", scenario ? scenario : "{}");
    ask_begin(a, text, SBX_SIM_E2B_KEY, SBX_SIM_E2B_ENDPOINT);
}

int ask(struct ask *a, const char *method, const char *path, const char *body) {
    struct sbx_header headers[12];
    size_t count = 0;
    if (body) headers[count++] = (struct sbx_header){"Content-Type", "application/json"};
    if (a->key) headers[count++] = (struct sbx_header){"X-API-KEY", a->key};
    return ask_exchange(a, method, path, headers, count, body, body ? strlen(body) : 0);
}

int ask_envd(struct ask *a, const char *method, const char *path, const char *type, const void *body, size_t len) {
    struct sbx_header headers[14];
    size_t count = 0;
    if (type) headers[count++] = (struct sbx_header){"Content-Type", type};
    if (!a->no_headers) {
        headers[count++] = (struct sbx_header){"E2b-Sandbox-Id", a->id};
        headers[count++] = (struct sbx_header){"E2b-Sandbox-Port", "49983"};
    }
    if (a->token[0]) headers[count++] = (struct sbx_header){"X-Access-Token", a->token};
    return ask_exchange(a, method, path, headers, count, body, len);
}

int ask_rpc(struct ask *a, const char *method, const char *json) {
    char path[128];
    snprintf(path, sizeof(path), "/%s", method);
    return ask_envd(a, "POST", path, "application/json", json, strlen(json));
}

static void ask_envelope(struct sbx_buf *out, const char *json) {
    const size_t len = strlen(json);
    const char head[5] = {0, (char)(len >> 24), (char)(len >> 16), (char)(len >> 8), (char)len};
    sbx_buf_append(out, head, sizeof(head));
    sbx_buf_append(out, json, len);
}

static void ask_take_apart(const struct sbx_buf *body, struct sbx_buf *events) {
    for (size_t at = 0; at < body->len;) {
        const unsigned char *head = (const unsigned char *)body->data + at;
        if (body->len - at < 5) {
            sbx_buf_text_append(events, "cut\n");
            return;
        }
        const size_t len = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
        if (body->len - at - 5 < len) {
            sbx_buf_text_append(events, "cut\n");
            return;
        }
        sbx_buf_printf(events, "%d %.*s\n", head[0], (int)len, body->data + at + 5);
        at += 5 + len;
    }
}

int ask_stream(struct ask *a, const char *method, const char *json) {
    struct sbx_buf body = SBX_BUF_INIT;
    char path[128];
    snprintf(path, sizeof(path), "/%s", method);
    ask_envelope(&body, json);
    const int status = ask_envd(a, "POST", path, "application/connect+json", body.data, body.len);
    sbx_buf_finish(&body);
    if (status == 200) ask_take_apart(&a->body, &a->events);
    return status;
}

int ask_run(struct ask *a, const char *command, const char *rest) {
    struct sbx_buf json = SBX_BUF_INIT;
    sbx_buf_text_append(&json, "{\"process\":{\"cmd\":\"/bin/bash\",\"args\":[\"-l\",\"-c\",");
    struct sbx_buf text = SBX_BUF_INIT;
    sbx_json_put_string(&text, NULL, command);
    sbx_buf_append(&json, text.data, text.len);
    sbx_buf_printf(&json, "]}%s}", rest ? rest : ",\"stdin\":false");
    const int status = ask_stream(a, "process.Process/Start", json.data);
    sbx_buf_finish(&json);
    sbx_buf_finish(&text);
    return status;
}

void ask_create(struct ask *a, const char *body) {
    T_EQ(ask(a, "POST", "/v2/sandboxes", body ? body : "{\"templateID\":\"base\"}"), 201);
    T_TRUE(sbx_copy(a->id, sizeof(a->id), ask_text(a, "sandboxID")));
    T_TRUE(sbx_copy(a->token, sizeof(a->token), ask_text(a, "envdAccessToken")));
}

const char *ask_state(struct ask *a) {
    if (ask(a, "GET", "/sandboxes/%s", NULL) == 404) return "404";
    return ask_text(a, "state");
}

const char *ask_output(struct ask *a, const char *stream) {
    static struct sbx_buf out; /* one thread, one test at a time */
    char key[32];
    snprintf(key, sizeof(key), "\"%s\":\"", stream);
    sbx_buf_clear(&out);
    const char *at = sbx_buf_text(&a->events);
    while ((at = strstr(at, key))) {
        at += strlen(key);
        T_TRUE(sbx_base64_decode(&out, at, strcspn(at, "\"")));
    }
    return sbx_buf_text(&out);
}

/* ---- listeners ---- */

static int listen_body(void *ctx, const void *data, size_t len) {
    sbx_buf_append(&((struct listener *)ctx)->raw, data, len);
    return 0;
}

static void listen_main(void *arg) {
    struct listener *l = arg;
    struct sbx_env *env = sbx_sim_env(l->a->sim);
    struct sbx_buf body = SBX_BUF_INIT;
    char url[160];
    struct sbx_header headers[6] = {{"Content-Type", "application/connect+json"},
                                    {"E2b-Sandbox-Id", l->a->id},
                                    {"E2b-Sandbox-Port", "49983"},
                                    {"X-Access-Token", l->a->token},
                                    {"Connect-Timeout-Ms", l->timeout_ms}};
    snprintf(url, sizeof(url), SBX_SIM_E2B_SANDBOX_URL "/%s", l->method);
    ask_envelope(&body, l->json);
    const struct sbx_request req = {.size = sizeof(req),
                                    .method = "POST",
                                    .url = url,
                                    .headers = headers,
                                    .header_count = l->timeout_ms ? 5 : 4,
                                    .body = body.data,
                                    .body_len = body.len,
                                    .deadline_ms = SBX_NO_DEADLINE,
                                    .cancel = l->stop};
    const struct sbx_receiver to = {l, NULL, listen_body};
    l->evidence = env->exchange(env, &req, &to, NULL);
    l->ended_ms = env->now_ms(env);
    sbx_buf_finish(&body);
}

void ask_listen(struct listener *l) {
    struct sbx_env *env = sbx_sim_env(l->a->sim);
    l->stop = env->event_new(env);
    T_TRUE(l->stop != NULL);
    T_STATUS(sbx_sim_spawn(l->a->sim, listen_main, l), SBX_OK);
    ask_pass_ms(l->a, 20);
}

void ask_listener_finish(struct listener *l) {
    struct sbx_env *env = sbx_sim_env(l->a->sim);
    env->event_set(env, l->stop);
    T_STATUS(sbx_sim_run(l->a->sim), SBX_OK);
    env->event_free(env, l->stop);
    ask_take_apart(&l->raw, &l->events);
    sbx_buf_finish(&l->raw);
}
