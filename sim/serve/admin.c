/* The admin API: faults, journal, clock, state, ledger. openapi.json describes it, and a test holds the two together.
 *
 * It listens on loopback alone; a browser page of another origin, or one that got here by a name that is not
 * loopback's, is refused. */
#include "sim/machine/host/host.h"
#include "sim/serve/serve.h"

#include "sim/serve/openapi.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>

#define ADVANCE_MS_MAX (INT64_C(366) * 24 * 3600 * 1000)

struct call {
    struct serve *serve;
    const struct serve_admin_request *req;
    const char *rest;  /* of the path, behind the route */
    const char *query; /* "" if there is none */
    struct sbx_buf *out;
};

static int answer_error(struct call *c, int status, const char *text) {
    sbx_buf_clear(c->out);
    sbx_json_begin_object(c->out, NULL);
    sbx_json_put_string(c->out, "error", text);
    sbx_json_end_object(c->out);
    return status;
}

/* The value of a query member, decoded into `out`. @return 0 if it is not there */
static int query_value(const struct call *c, const char *name, struct sbx_buf *out) {
    size_t name_len = strlen(name);
    for (const char *at = c->query; *at;) {
        size_t len = strcspn(at, "&");
        if (len > name_len && strncmp(at, name, name_len) == 0 && at[name_len] == '=')
            return sbx_percent_decode(out, at + name_len + 1, len - name_len - 1, 1);
        at += len + (at[len] == '&');
    }
    return 0;
}

/* ---- health ---- */

void serve_ready_json(struct serve *serve, struct sbx_buf *json) {
    char url[96];
    const struct serve_listener *admin = &serve->listeners[serve->listener_count - 1];
    snprintf(url, sizeof(url), "http://%s:%d/_sim", serve->opt.listen ? serve->opt.listen : "127.0.0.1", admin->port);
    sbx_json_put_bool(json, "ready", 1);
    sbx_json_put_string(json, "admin", url);
    sbx_json_begin_object(json, "providers");
    for (size_t i = 0; i < sim_cloud_count(serve->sim); i++) {
        struct sim_cloud *cloud = sim_cloud_at(serve->sim, i);
        sbx_json_begin_object(json, cloud->provider);
        if (cloud->describe) cloud->describe(cloud, json);
        sbx_json_end_object(json);
    }
    sbx_json_end_object(json);
}

static int get_health(struct call *c) {
    sbx_json_begin_object(c->out, NULL);
    serve_ready_json(c->serve, c->out);
    sbx_json_put_string(c->out, "version", sbx_version());
    sbx_json_put_string(c->out, "time", c->serve->opt.virtual_time ? "virtual" : "real");
    sbx_json_put_string(c->out, "exec", c->serve->opt.exec_host ? "host" : "virtual");
    if (c->serve->host) sbx_json_put_string(c->out, "isolation", sim_host_isolation(c->serve->host));
    sbx_json_put_int(c->out, "now_ms", sim_now(sim_world(c->serve->sim)) / SIM_MS);
    sbx_json_end_object(c->out);
    return 200;
}

static int get_openapi(struct call *c) {
    sbx_buf_text_append(c->out, serve_openapi);
    return 200;
}

/* ---- faults ---- */

static int get_faults(struct call *c) {
    sbx_json_begin_object(c->out, NULL);
    sim_faults_json(sim_faults(c->serve->sim), c->out, "faults");
    sbx_json_end_object(c->out);
    return 200;
}

static int post_faults(struct call *c) {
    struct sbx_json *js = NULL;
    char why[256] = "";
    int64_t number = 0;
    if (sbx_json_parse(c->req->body, c->req->len, 0, &js) == SBX_OK)
        number = sim_faults_add_json(sim_faults(c->serve->sim), js, sbx_json_root(js), why, sizeof(why));
    else
        snprintf(why, sizeof(why), "%s", js ? sbx_json_error(js) : "out of memory");
    sbx_json_free(js);
    if (!number) return answer_error(c, 400, why);
    sbx_json_begin_object(c->out, NULL);
    sbx_json_put_int(c->out, "rule", number);
    sbx_json_end_object(c->out);
    return 201;
}

static int delete_faults(struct call *c) {
    int64_t number = 0;
    if (*c->rest && !sbx_text_int(c->rest + 1, 1, INT64_MAX, &number))
        return answer_error(c, 400, "expected the number of a fault rule");
    if (!sim_faults_remove(sim_faults(c->serve->sim), number) && number)
        return answer_error(c, 404, "no such fault rule");
    return get_faults(c);
}

/* ---- programs ---- */

static int get_programs(struct call *c) {
    sbx_json_begin_object(c->out, NULL);
    sim_programs_json(sim_programs(c->serve->sim), c->out, "programs");
    sbx_json_end_object(c->out);
    return 200;
}

static int post_programs(struct call *c) {
    struct sbx_json *js = NULL;
    char why[256] = "";
    int64_t number = 0;
    if (sbx_json_parse(c->req->body, c->req->len, 0, &js) == SBX_OK)
        number = sim_programs_add_json(sim_programs(c->serve->sim), js, sbx_json_root(js), 0, why, sizeof(why));
    else
        snprintf(why, sizeof(why), "%s", js ? sbx_json_error(js) : "out of memory");
    sbx_json_free(js);
    if (!number) return answer_error(c, 400, why);
    sbx_json_begin_object(c->out, NULL);
    sbx_json_put_int(c->out, "id", number);
    sbx_json_end_object(c->out);
    return 201;
}

static int delete_programs(struct call *c) {
    int64_t number = 0;
    if (*c->rest && !sbx_text_int(c->rest + 1, 1, INT64_MAX, &number))
        return answer_error(c, 400, "expected the number of a program");
    if (!sim_programs_remove(sim_programs(c->serve->sim), number) && number)
        return answer_error(c, 404, "no such program");
    return get_programs(c);
}

/* ---- journal ---- */

struct filter {
    const char *member;
    struct sbx_buf wanted;
    int given;
};

static int line_passes(const char *line, size_t len, struct filter *filters, size_t n) {
    struct sbx_json *js = NULL;
    int passes = sbx_json_parse(line, len, 0, &js) == SBX_OK;
    for (size_t i = 0; i < n && passes; i++) {
        const char *value = filters[i].given ? sbx_json_opt_string(js, sbx_json_root(js), filters[i].member, "") : NULL;
        if (value) passes = strcmp(value, sbx_buf_text(&filters[i].wanted)) == 0;
    }
    sbx_json_free(js);
    return passes;
}

static int get_journal(struct call *c) {
    struct filter filters[] = {{"kind", SBX_BUF_INIT, 0},
                               {"op", SBX_BUF_INIT, 0},
                               {"provider", SBX_BUF_INIT, 0},
                               {"sandbox", SBX_BUF_INIT, 0}};
    const size_t n = sizeof(filters) / sizeof(filters[0]);
    size_t len = 0;
    int any = 0;
    for (size_t i = 0; i < n; i++) any |= filters[i].given = query_value(c, filters[i].member, &filters[i].wanted);
    const char *text = sim_journal_text(sim_journal(c->serve->sim), &len);
    sbx_json_begin_object(c->out, NULL);
    sbx_json_begin_array(c->out, "lines");
    for (const char *at = text, *end = text + len; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t line = newline ? (size_t)(newline - at) : (size_t)(end - at);
        if (line && (!any || line_passes(at, line, filters, n))) sbx_json_put_raw(c->out, NULL, at, line);
        at += line + 1;
    }
    sbx_json_end_array(c->out);
    sbx_json_end_object(c->out);
    for (size_t i = 0; i < n; i++) sbx_buf_finish(&filters[i].wanted);
    return 200;
}

static int delete_journal(struct call *c) {
    sim_journal_clear(sim_journal(c->serve->sim));
    sbx_buf_text_append(c->out, "{\"lines\":[]}");
    return 200;
}

/* ---- clock, state, ledger ---- */

static int post_advance(struct call *c) {
    struct sbx_json *js = NULL;
    struct sim_world *w = sim_world(c->serve->sim);
    int64_t ms = -1;
    if (!c->serve->opt.virtual_time)
        return answer_error(c, 409, "the clock follows real time; serve with --time virtual");
    if (sbx_json_parse(c->req->body, c->req->len, 0, &js) == SBX_OK) {
        ms = sbx_json_int(js, sbx_json_root(js), "ms");
        if (sbx_json_status(js)) ms = -1;
    }
    sbx_json_free(js);
    if (ms < 0 || ms > ADVANCE_MS_MAX) return answer_error(c, 400, "expected {\"ms\": 0 to a year}");
    int64_t until = sim_now(w) + ms * SIM_MS;
    if (c->serve->advance_to_ns < until) c->serve->advance_to_ns = until;
    sim_sleep_until(w, until);
    sbx_json_begin_object(c->out, NULL);
    sbx_json_put_int(c->out, "now_ms", sim_now(w) / SIM_MS);
    sbx_json_end_object(c->out);
    return 200;
}

static int get_state(struct call *c) {
    sim_state_json(c->serve->sim, c->out);
    return 200;
}

static int get_ledger(struct call *c) {
    const struct sim_ledger *ledger = sim_ledger(c->serve->sim);
    sbx_json_begin_object(c->out, NULL);
    sbx_json_put_int(c->out, "made", sim_ledger_made(ledger));
    sbx_json_put_int(c->out, "live", sim_ledger_live(ledger));
    sbx_json_put_int(c->out, "cost_microcents", sim_ledger_cost(ledger));
    sim_ledger_json(ledger, c->out, "entries", 0);
    sbx_json_end_object(c->out);
    return 200;
}

static int get_leaks(struct call *c) {
    const struct sim_ledger *ledger = sim_ledger(c->serve->sim);
    sbx_json_begin_object(c->out, NULL);
    sbx_json_put_int(c->out, "count", sim_ledger_live(ledger));
    sim_ledger_json(ledger, c->out, "leaks", 1);
    sbx_json_end_object(c->out);
    return 200;
}

static int post_reset(struct call *c) {
    sim_reset(c->serve->sim);
    return get_ledger(c);
}

/* ---- routes ---- */

struct route {
    const char *method;
    const char *path; /* behind /_sim */
    int (*answer)(struct call *c);
    int takes_rest;
};

static const struct route routes[] = {
    {"GET", "/health", get_health, 0},           {"GET", "/openapi.json", get_openapi, 0},
    {"GET", "/faults", get_faults, 0},           {"POST", "/faults", post_faults, 0},
    {"DELETE", "/faults", delete_faults, 1},     {"GET", "/programs", get_programs, 0},
    {"POST", "/programs", post_programs, 0},     {"DELETE", "/programs", delete_programs, 1},
    {"GET", "/journal", get_journal, 0},         {"DELETE", "/journal", delete_journal, 0},
    {"POST", "/clock/advance", post_advance, 0}, {"GET", "/state", get_state, 0},
    {"GET", "/ledger", get_ledger, 0},           {"GET", "/leaks", get_leaks, 0},
    {"POST", "/reset", post_reset, 0},
};

static int host_is(const char *host, const char *name) {
    size_t len = strlen(name);
    return strncmp(host, name, len) == 0 && (!host[len] || host[len] == ':');
}

/* A browser sends the name by which it got here: somebody's DNS may have led it to loopback. */
static int host_is_ours(const struct serve *serve, const char *host) {
    if (!host) return 0;
    return host_is(host, "127.0.0.1") || host_is(host, "localhost") ||
           (serve->opt.listen && host_is(host, serve->opt.listen));
}

/* A page of this very listener, or no page at all. */
static int origin_is_ours(const char *origin, const char *host) {
    return !origin || (strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, host) == 0);
}

int serve_admin(struct serve *serve, const struct serve_admin_request *req, struct sbx_buf *out) {
    struct call c = {.serve = serve, .req = req, .query = "", .out = out};
    const char *path = req->target;
    size_t path_len = strcspn(path, "?");
    int known = 0;
    if (path[path_len]) c.query = path + path_len + 1;
    if (!host_is_ours(serve, req->host)) return answer_error(&c, 403, "a foreign host"); /* guard: admin_foreign_host */
    if (!origin_is_ours(req->origin, req->host))
        return answer_error(&c, 403, "a foreign origin"); /* guard: admin_foreign_origin */
    if (strncmp(path, "/_sim", 5) != 0) return answer_error(&c, 404, "the admin API is at /_sim");
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        size_t len = strlen(routes[i].path);
        if (path_len < 5 + len || strncmp(path + 5, routes[i].path, len) != 0) continue;
        size_t rest = path_len - 5 - len;
        if (rest && (!routes[i].takes_rest || path[5 + len] != '/' || rest > 30)) continue;
        known = 1;
        if (strcmp(routes[i].method, req->method) != 0) continue;
        char rest_text[32] = "";
        memcpy(rest_text, path + 5 + len, rest);
        rest_text[rest] = 0;
        c.rest = rest_text;
        return routes[i].answer(&c);
    }
    return known ? answer_error(&c, 405, "no such method here") : answer_error(&c, 404, "no such route");
}
