/* POST /v1/make {"name":..,"env":{..}} makes a thing; GET /v1/things/<id> reads one; POST /v1/file takes a file;
 * POST /v1/odd asks for what is not simulated. */
#include "echo.h"

#include <stdio.h>
#include <string.h>

static const char *const echo_ops[] = {"echo.make", "echo.get", "echo.file", NULL};

static void reply_thing(struct sim_http *x, const char *id, const char *name) {
    struct sbx_buf body = SBX_BUF_INIT;
    sbx_json_begin_object(&body, NULL);
    sbx_json_put_string(&body, "id", id);
    sbx_json_put_string(&body, "name", name);
    sbx_json_put_string(&body, "state", "ready");
    sbx_json_begin_object(&body, "env");
    sbx_json_put_string(&body, "TOKEN", "answered-secret-value");
    sbx_json_end_object(&body);
    sbx_json_end_object(&body);
    sim_http_reply_json(x, 200, &body);
}

static void serve_make(struct echo_cloud *echo, struct sim_http *x) {
    struct sbx_json *js = NULL;
    char id[37];
    sim_http_op(x, "echo.make");
    if (sim_http_fault(x, SIM_PHASE_BEFORE)) return;
    enum sbx_status st = sim_http_json(x, 100000, &js);
    echo->body_cut = st == SBX_CONNECTION_LOST;
    const char *name = js && sbx_json_root(js) ? sbx_json_string(js, sbx_json_root(js), "name") : NULL;
    if (!name) {
        sim_http_reply(x, 400, "text/plain", "no name", 7);
        return;
    }
    if (sim_http_fault(x, SIM_PHASE_BEFORE_COMMIT)) return;
    struct sim_journal *journal = sim_journal(echo->sim);
    sim_draw_uuid(sim_world(echo->sim), "echo", id);
    sim_journal_alias_add(journal, "sb", id, name);
    sim_ledger_open(sim_ledger(echo->sim), "echo", "default", id, name, NULL, 3600, 1);
    sim_journal_state(journal, "echo", id, NULL, "ready", "made");
    echo->made++;
    sim_http_subject(x, id, name, "ready", "colour=red\nsize=1\n");
    sim_http_note(x, "made the thing \"%s\"", name);
    if (sim_http_fault(x, SIM_PHASE_AFTER_COMMIT)) return;
    reply_thing(x, id, name);
}

static void serve_get(struct echo_cloud *echo, struct sim_http *x, const char *id) {
    (void)echo;
    sim_http_op(x, "echo.get");
    sim_http_subject(x, id, "thing", "ready", "colour=red\nsize=1\n");
    if (sim_http_fault(x, SIM_PHASE_BEFORE)) return;
    reply_thing(x, id, "thing");
}

static void serve_file(struct echo_cloud *echo, struct sim_http *x) {
    char piece[1000];
    ptrdiff_t n = 0;
    sim_http_op(x, "echo.file");
    sim_http_body_is_file(x);
    echo->read_bytes = 0;
    while ((n = sim_http_read(x, piece, sizeof(piece))) > 0) echo->read_bytes += n;
    echo->body_cut = n < 0;
    sim_http_reply(x, 200, NULL, NULL, 0);
}

static void echo_serve(struct sim_cloud *cloud, struct sim_http *x) {
    struct echo_cloud *echo = (struct echo_cloud *)(void *)cloud;
    struct sim_world *w = sim_world(echo->sim);
    const char *path = sim_http_path(x);
    if (echo->delay_ms) sim_sleep_until(w, sim_now(w) + echo->delay_ms * SIM_MS);
    if (strcmp(path, "/v1/make") == 0) {
        serve_make(echo, x);
    } else if (strncmp(path, "/v1/things/", 11) == 0) {
        serve_get(echo, x, path + 11);
    } else if (strcmp(path, "/v1/file") == 0) {
        serve_file(echo, x);
    } else {
        sim_http_unsupported(x, path, strcmp(path, "/v1/harmless") == 0);
        sim_http_reply(x, 404, NULL, NULL, 0);
    }
}

static int echo_effect(struct sim_cloud *cloud, const char *subject, const struct sim_effect *effect) {
    struct echo_cloud *echo = (struct echo_cloud *)(void *)cloud;
    (void)subject;
    echo->effects++;
    snprintf(echo->last_state, sizeof(echo->last_state), "%s", effect->is.state ? effect->is.state : "");
    return 1;
}

static int echo_knows(struct sim_cloud *cloud, const char *op, const char *kind) {
    (void)cloud;
    return strcmp(kind, "state") == 0 && strcmp(op, "echo.file") != 0;
}

static void echo_error_body(struct sim_cloud *cloud, struct sim_http *x, int status, struct sbx_buf *json) {
    (void)cloud, (void)x;
    sbx_json_begin_object(json, NULL);
    sbx_json_put_int(json, "echo_error", status);
    sbx_json_end_object(json);
}

static void echo_free(struct sim_cloud *cloud) {
    (void)cloud; /* the test's own */
}

struct sim *echo_sim(uint64_t seed, struct echo_cloud *echo) {
    struct sim *sim = sim_new(seed);
    T_TRUE(sim);
    *echo = (struct echo_cloud){.sim = sim};
    echo->cloud.provider = "echo";
    echo->cloud.ops = echo_ops;
    echo->cloud.api_prefix = "/v1";
    echo->cloud.serve = echo_serve;
    echo->cloud.effect = echo_effect;
    echo->cloud.knows_effect = echo_knows;
    echo->cloud.error_body = echo_error_body;
    echo->cloud.free = echo_free;
    sim_journal_secret(sim_journal(sim), ECHO_KEY);
    T_STATUS(sim_add_cloud(sim, &echo->cloud), SBX_OK);
    return sim;
}

static int take_head(void *ctx, int http_status, const struct sbx_header *headers, size_t n) {
    struct echo_answer *ans = ctx;
    (void)http_status;
    for (size_t i = 0; i < n; i++) sbx_buf_printf(&ans->head, "%s: %s\n", headers[i].name, headers[i].value);
    return 0;
}

static int take_body(void *ctx, const void *data, size_t len) {
    struct echo_answer *ans = ctx;
    sbx_buf_append(&ans->body, data, len);
    return 0;
}

void echo_ask_by(struct sim *sim, const char *path, const char *body, int64_t deadline_ms, struct echo_answer *ans) {
    struct sbx_env *env = sim_env(sim);
    const struct sbx_header headers[] = {{"Authorization", "Bearer " ECHO_KEY}, {"X-Two", "a"}, {"x-two", "b"}};
    const struct sbx_receiver to = {ans, take_head, take_body};
    char url[256];
    snprintf(url, sizeof(url), "http://echo.sim%s", path);
    const struct sbx_request req = {.size = sizeof(req),
                                    .method = body ? "POST" : "GET",
                                    .url = url,
                                    .headers = headers,
                                    .header_count = 3,
                                    .body = body,
                                    .body_len = body ? strlen(body) : 0,
                                    .deadline_ms = deadline_ms};
    echo_answer_finish(ans);
    ans->info = (struct sbx_exchange_info){.size = sizeof(ans->info)};
    ans->evidence = env->exchange(env, &req, &to, &ans->info);
}

void echo_ask(struct sim *sim, const char *path, const char *body, struct echo_answer *ans) {
    struct sbx_env *env = sim_env(sim);
    echo_ask_by(sim, path, body, env->now_ms(env) + 10000, ans);
}

void echo_answer_finish(struct echo_answer *ans) {
    sbx_buf_finish(&ans->head);
    sbx_buf_finish(&ans->body);
}

int64_t echo_fault(struct sim *sim, const char *json) {
    struct sbx_json *js = NULL;
    char why[160] = "";
    T_STATUS(sbx_json_parse(json, strlen(json), 0, &js), SBX_OK);
    int64_t number = sim_faults_add_json(sim_faults(sim), js, sbx_json_root(js), why, sizeof(why));
    sbx_json_free(js);
    if (!number) T_FAIL("%s: %s", json, why);
    return number;
}
