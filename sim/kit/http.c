/* One exchange as a cloud sees it: the request, and what the fault rules make of it. */
#include "sim/kit/http_inside.h"

#include <sandport/kit/text.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBJECT_SANDBOX, SUBJECT_NAME, SUBJECT_STATE, SUBJECT_LABELS };

/* ---- the request ---- */

const char *sim_http_method(const struct sim_http *x) {
    return x->req->method;
}
const char *sim_http_path(const struct sim_http *x) {
    return x->path;
}

static int query_add(struct sim_http *x, struct http_query ***tail, const char *text, size_t len) {
    struct sbx_buf both = SBX_BUF_INIT;
    const char *is = memchr(text, '=', len);
    size_t name_len = is ? (size_t)(is - text) : len;
    struct http_query *item = calloc(1, sizeof(*item));
    (void)x;
    if (!item) return 0;
    int ok = sbx_percent_decode(&both, text, name_len, 1);
    sbx_buf_char(&both, 0);
    size_t value_at = both.len;
    if (ok && is) ok = sbx_percent_decode(&both, is + 1, len - name_len - 1, 1);
    item->name = ok ? sbx_buf_take(&both, NULL) : NULL;
    sbx_buf_finish(&both);
    if (!item->name) {
        free(item);
        return 0;
    }
    item->value = item->name + value_at;
    **tail = item;
    *tail = &item->next;
    return 1;
}

static void query_parse(struct sim_http *x) {
    struct http_query **tail = &x->query;
    const char *at = strchr(x->req->target, '?');
    x->query_parsed = 1;
    while (at && *++at) {
        size_t len = strcspn(at, "&");
        if (len) query_add(x, &tail, at, len); /* a malformed member is no member, as in most servers */
        at = at[len] ? at + len : NULL;
    }
}

const char *sim_http_query(struct sim_http *x, const char *name, size_t nth) {
    if (!x->query_parsed) query_parse(x);
    for (struct http_query *item = x->query; item; item = item->next)
        if (strcmp(item->name, name) == 0 && nth-- == 0) return item->value;
    return NULL;
}

const char *sim_http_header(const struct sim_http *x, const char *name) {
    for (size_t i = 0; i < x->req->header_count; i++)
        if (sbx_text_equal_nocase(x->req->headers[i].name, name)) return x->req->headers[i].value;
    return NULL;
}

int64_t sim_http_length(const struct sim_http *x) {
    return x->req->length;
}

int sim_http_in_process(const struct sim_http *x) {
    return x->req->in_process;
}

struct sim_world *sim_http_world(const struct sim_http *x) {
    return sim_world(x->sim);
}

int64_t sim_http_number(const struct sim_http *x) {
    return x->number;
}

void sim_http_hash_body(struct sim_http *x, const void *data, size_t len) {
    x->body_bytes += len;
    if (!x->body_hash) x->body_hash = sbx_sha256_create();
    if (x->body_hash) sbx_sha256_add(x->body_hash, data, len);
}

ptrdiff_t sim_http_read(struct sim_http *x, void *buf, size_t cap) {
    ptrdiff_t n = x->link->read(x->link, buf, cap);
    if (n > 0) sim_http_hash_body(x, buf, (size_t)n);
    return n;
}

static enum sbx_status body_collect(struct sim_http *x, size_t max) {
    for (;;) {
        char *room = sbx_buf_reserve(&x->body, 4096);
        if (!room) return SBX_NO_MEMORY;
        ptrdiff_t n = x->link->read(x->link, room, 4096);
        if (n < 0) return SBX_CONNECTION_LOST;
        if (n == 0) return SBX_OK;
        x->body.len += (size_t)n;
        x->body_bytes += (size_t)n;
        if (x->body.len > max) return SBX_TOO_LARGE;
    }
}

enum sbx_status sim_http_body(struct sim_http *x, size_t max, const char **data, size_t *len) {
    if (!x->body_read) {
        x->body_read = 1;
        x->body_status = body_collect(x, max);
    }
    *data = sbx_buf_text(&x->body);
    *len = x->body.len;
    return x->body_status;
}

enum sbx_status sim_http_json(struct sim_http *x, size_t max, struct sbx_json **out) {
    const char *data = NULL;
    size_t len = 0;
    enum sbx_status st = sim_http_body(x, max, &data, &len);
    if (st) return st;
    if (!x->js) st = sbx_json_parse(data, len, max, &x->js);
    *out = x->js;
    return st ? st : sbx_json_status(x->js);
}

/* ---- what it is ---- */

void sim_http_op(struct sim_http *x, const char *op) {
    x->op = op;
}

static void subject_set(struct sim_http *x, int which, const char *text) {
    sbx_buf_clear(&x->subject[which]);
    if (text) sbx_buf_text_append(&x->subject[which], text);
}

void sim_http_subject(struct sim_http *x, const char *sandbox, const char *name, const char *state,
                      const char *labels) {
    subject_set(x, SUBJECT_SANDBOX, sandbox);
    subject_set(x, SUBJECT_NAME, name);
    subject_set(x, SUBJECT_STATE, state);
    subject_set(x, SUBJECT_LABELS, labels);
}

void sim_http_note(struct sim_http *x, const char *fmt, ...) {
    struct sbx_buf text = SBX_BUF_INIT;
    va_list args;
    va_start(args, fmt);
    sbx_buf_vprintf(&text, fmt, args);
    va_end(args);
    sbx_json_put_text(&x->notes, NULL, sbx_buf_text(&text), text.len);
    sbx_buf_finish(&text);
}

void sim_http_unsupported(struct sim_http *x, const char *what, int harmless) {
    x->unsupported = what;
    sim_journal_unsupported(sim_journal(x->sim), "route.unsupported", what, harmless);
}

void sim_http_body_is_file(struct sim_http *x) {
    x->body_is_file = 1;
}

/* ---- faults ---- */

static const char *subject_text(const struct sim_http *x, int which) {
    return x->subject[which].len ? sbx_buf_text(&x->subject[which]) : NULL;
}

static const struct sim_effect *fault_ask(struct sim_http *x, enum sim_phase phase) {
    if (!sim_faults_any(sim_faults(x->sim))) return NULL;
    const char *sandbox = subject_text(x, SUBJECT_SANDBOX);
    const struct sim_fault_subject subject = {.op = x->op,
                                              .sandbox = sandbox,
                                              .name = subject_text(x, SUBJECT_NAME),
                                              .alias = sandbox ? sim_journal_alias(sim_journal(x->sim), sandbox) : NULL,
                                              .state = subject_text(x, SUBJECT_STATE),
                                              .labels = subject_text(x, SUBJECT_LABELS)};
    const struct sim_effect *effect = x->op ? sim_faults_ask(sim_faults(x->sim), phase, &subject) : NULL;
    if (!effect) return NULL;
    sbx_json_begin_object(&x->faults, NULL);
    sbx_json_put_int(&x->faults, "rule", effect->rule);
    sbx_json_put_string(&x->faults, "phase", sim_phase_name(phase));
    sbx_json_put_string(&x->faults, "kind", effect->is.kind);
    sbx_json_end_object(&x->faults);
    return effect;
}

static void reply_error(struct sim_http *x, const struct sim_effect *effect) {
    struct sbx_buf body = SBX_BUF_INIT;
    if (effect->is.retry_after) sim_http_header_add(x, "Retry-After", effect->is.retry_after);
    if (effect->is.body) {
        sim_http_reply(x, effect->is.status,
                       effect->is.body[0] == '{' ? "application/json; charset=utf-8" : "text/plain", effect->is.body,
                       strlen(effect->is.body));
        return;
    }
    if (x->cloud->error_body) {
        x->cloud->error_body(x->cloud, x, effect->is.status, &body);
    } else {
        sbx_json_begin_object(&body, NULL);
        sbx_json_put_int(&body, "statusCode", effect->is.status);
        sbx_json_end_object(&body);
    }
    sim_http_reply_json(x, effect->is.status, &body);
}

static void reply_html(struct sim_http *x, const struct sim_effect *effect) {
    char page[160];
    int status = effect->is.status ? effect->is.status : 502;
    int n = snprintf(page, sizeof(page), "<html><head><title>%d</title></head><body>The edge says %d.</body></html>\n",
                     status, status);
    sim_http_reply(x, status, "text/html", page, (size_t)n);
}

static int is(const struct sim_effect *effect, const char *kind) {
    return strcmp(effect->is.kind, kind) == 0;
}

static enum sim_abort abort_of(const struct sim_effect *effect) {
    return is(effect, "reset") ? SIM_ABORT_RESET : is(effect, "hang") ? SIM_ABORT_HANG : SIM_ABORT_CLOSE;
}

/* Effects that leave the answer to come, changed. @return 1 if it was one */
static int effect_on_answer(struct sim_http *x, const struct sim_effect *effect) {
    if (is(effect, "cut")) {
        x->cut_at = effect->is.at_bytes;
        x->cut_how = effect->is.value && strcmp(effect->is.value, "reset") == 0 ? SIM_ABORT_RESET : SIM_ABORT_CLOSE;
    } else if (is(effect, "slow")) {
        x->slow_ms = effect->is.delay_ms;
    } else if (is(effect, "mutate")) {
        x->mutate = effect;
    } else if (is(effect, "late")) {
        sim_sleep_until(sim_world(x->sim), sim_now(sim_world(x->sim)) + effect->is.delay_ms * SIM_MS);
    } else {
        return 0;
    }
    return 1;
}

int sim_http_fault(struct sim_http *x, enum sim_phase phase) {
    if (x->answer == HTTP_DONE || x->answer == HTTP_ABORTED) return 1;
    const struct sim_effect *effect = fault_ask(x, phase);
    if (!effect || effect_on_answer(x, effect)) return 0;
    if (is(effect, "status")) {
        reply_error(x, effect);
    } else if (is(effect, "html")) {
        reply_html(x, effect);
    } else if (is(effect, "reset") || is(effect, "close") || is(effect, "hang")) {
        sim_http_abort(x, abort_of(effect));
    } else {
        if (x->cloud->effect) x->cloud->effect(x->cloud, subject_text(x, SUBJECT_SANDBOX), effect);
        return 0;
    }
    return 1;
}

void sim_http_reply_faults(struct sim_http *x) {
    const struct sim_effect *effect = fault_ask(x, SIM_PHASE_MID_REPLY);
    if (!effect || effect_on_answer(x, effect)) return;
    if (is(effect, "reset") || is(effect, "close") || is(effect, "hang")) {
        x->cut_at = effect->is.at_bytes;
        x->cut_how = abort_of(effect);
    } else if (x->cloud->effect) {
        x->cloud->effect(x->cloud, subject_text(x, SUBJECT_SANDBOX), effect);
    }
}

/* ---- the life of an exchange ---- */

static void http_finish(struct sim_http *x) {
    while (x->query) {
        struct http_query *item = x->query;
        x->query = item->next;
        free(item->name);
        free(item);
    }
    for (size_t i = 0; i < 4; i++) sbx_buf_finish(&x->subject[i]);
    sbx_json_free(x->js);
    sbx_sha256_free(x->body_hash);
    sbx_buf_finish(&x->body);
    sbx_buf_finish(&x->faults);
    sbx_buf_finish(&x->notes);
    sbx_buf_finish(&x->header_texts);
    sbx_buf_finish(&x->answer_body);
    free(x->path);
}

void sim_http_serve(struct sim *sim, struct sim_cloud *cloud, const struct sim_request *req, struct sim_link *link) {
    struct sim_http x = {.sim = sim, .cloud = cloud, .req = req, .link = link, .cut_at = -1};
    x.number = sim_next_exchange(sim);
    x.start_ns = sim_now(sim_world(sim));
    x.path = strndup(req->target, strcspn(req->target, "?"));
    if (x.path)
        cloud->serve(cloud, &x);
    else
        sim_http_abort(&x, SIM_ABORT_RESET);
    if (x.answer == HTTP_NONE) sim_http_abort(&x, SIM_ABORT_CLOSE);
    if (x.answer == HTTP_BEGUN) sim_http_end(&x);
    if (x.answer == HTTP_DONE) {
        const struct sim_effect *after = fault_ask(&x, SIM_PHASE_AFTER);
        if (after && x.cloud->effect) x.cloud->effect(x.cloud, subject_text(&x, SUBJECT_SANDBOX), after);
    }
    if (!sim_ending(sim_world(sim))) sim_http_journal(&x);
    http_finish(&x);
}
