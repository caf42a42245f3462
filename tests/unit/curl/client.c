/* The client's hands: a receiver that keeps all it gets. */
#include "client.h"
#include "t.h"

#include <stdio.h>
#include <stdlib.h>

static int client_head(void *ctx, int http_status, const struct sbx_header *headers, size_t header_count) {
    struct client *c = ctx;
    size_t at = 0;
    (void)http_status;
    c->heads++;
    c->headers[0] = 0;
    for (size_t i = 0; i < header_count && at < sizeof(c->headers); i++)
        at += (size_t)snprintf(c->headers + at, sizeof(c->headers) - at, "%s=%s\n", headers[i].name, headers[i].value);
    return 0;
}

static int client_body(void *ctx, const void *data, size_t len) {
    struct client *c = ctx;
    size_t room = sizeof(c->body) - 1 - c->body_len, n = len < room ? len : room;
    memcpy(c->body + c->body_len, data, n);
    c->body_len += n;
    c->body[c->body_len] = 0;
    return 0;
}

struct client *client_begin(const struct sbx_curl_options *opt) {
    struct client *c = calloc(1, sizeof(*c));
    T_TRUE(c);
    T_STATUS(sbx_curl_env_create(opt, &c->env), SBX_OK);
    c->server = raw_server_start();
    c->witness = witness_begin();
    snprintf(c->url, sizeof(c->url), "http://127.0.0.1:%d/x", raw_server_port(c->server));
    c->req.size = sizeof(c->req);
    c->req.method = "GET";
    c->req.url = c->url;
    c->req.deadline_ms = c->env->now_ms(c->env) + 10000;
    return c;
}

void client_end(struct client *c) {
    sbx_env_free(c->env);
    raw_server_stop(c->server);
    witness_end(c->witness);
    free(c);
}

void client_script(struct client *c, const struct raw_step *steps, size_t n) {
    raw_server_script(c->server, steps, n);
}

void client_script_one(struct client *c, const char *answer, enum raw_end end) {
    const struct raw_step step = {.answer = answer, .end = end};
    client_script(c, &step, 1);
}

enum sbx_evidence client_go(struct client *c) {
    const struct sbx_receiver to = {c, client_head, client_body};
    c->heads = 0;
    c->body_len = 0;
    c->body[0] = 0;
    c->info = (struct sbx_exchange_info){.size = sizeof(c->info)};
    return c->env->exchange(c->env, &c->req, &to, &c->info);
}

void client_expect(struct client *c, enum sbx_evidence want, const char *file, int line) {
    enum sbx_evidence got = client_go(c);
    if (got != want)
        t_fail(file, line, "ended as %s, expected %s", sbx_evidence_name((int32_t)got),
               sbx_evidence_name((int32_t)want));
}
