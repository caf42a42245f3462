/* GET /sandboxes and /v2/sandboxes: filters, order, pages by keyset. Row V1. */
#include "sim/e2b/filter.h"
#include "sim/e2b/verbs.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_PAGE_MAX 100

struct list {
    struct sim_e2b_filter filter;
    struct sim_e2b_sandbox **item; /* all that fit, in order; lent */
    size_t count;
    size_t from, end; /* of the page */
    int ascending;
};

/* startedAt descending or ascending, then the id ascending. @return < 0 if `a` comes first */
static int list_order(int64_t a_ns, const char *a_id, int64_t b_ns, const char *b_id, int ascending) {
    if (a_ns != b_ns) return (a_ns < b_ns) == ascending ? -1 : 1;
    return strcmp(a_id, b_id);
}

static int list_fits(const struct sim_e2b_call *call, const struct list *l, const struct sim_e2b_sandbox *sb) {
    if (sb->account != call->account || !sim_e2b_sandbox_visible(sb)) return 0;
    return call->twist.list_all || sim_e2b_filter_fits(&l->filter, sb);
}

/* Each into its place: lists are short. */
static void list_insert(struct list *l, struct sim_e2b_sandbox *sb) {
    size_t at = l->count++;
    while (at > 0 &&
           list_order(sb->started_ns, sb->id, l->item[at - 1]->started_ns, l->item[at - 1]->id, l->ascending) < 0) {
        l->item[at] = l->item[at - 1];
        at--;
    }
    l->item[at] = sb;
}

/* @return 0 when memory runs out */
static int list_collect(struct sim_e2b_call *call, struct list *l) {
    size_t all = 0;
    for (const struct sim_e2b_sandbox *sb = call->e2b->first; sb; sb = sb->next) all++;
    l->item = calloc(all + 1, sizeof(struct sim_e2b_sandbox *));
    if (!l->item) return 0;
    for (struct sim_e2b_sandbox *sb = call->e2b->first; sb; sb = sb->next)
        if (list_fits(call, l, sb)) list_insert(l, sb);
    return 1;
}

/* ---- pages ---- */

/* "<startedAt in ns>__<id>" in base64 for URLs; what it says is nobody's but ours. */
static void list_token(const struct sim_e2b_sandbox *last, int ascending, struct sbx_buf *out) {
    struct sbx_buf plain = SBX_BUF_INIT;
    if (!last) return;
    sbx_buf_printf(&plain, "%lld__%s%s", (long long)last->started_ns, last->id, ascending ? "__asc" : "");
    sbx_base64_encode(out, sbx_buf_text(&plain), plain.len);
    for (size_t i = 0; i < out->len; i++)
        out->data[i] = out->data[i] == '+' ? '-' : out->data[i] == '/' ? '_' : out->data[i];
    sbx_buf_finish(&plain);
}

struct list_cursor {
    int64_t ns;
    char id[E2B_ID_SIZE];
};

/* @return 0 if it is no token of this order */
static int list_cursor_read(const char *token, int ascending, struct list_cursor *out) {
    struct sbx_buf standard = SBX_BUF_INIT, plain = SBX_BUF_INIT;
    for (; *token; token++) sbx_buf_char(&standard, *token == '-' ? '+' : *token == '_' ? '/' : *token);
    int good = sbx_base64_decode(&plain, sbx_buf_text(&standard), standard.len) && plain.len;
    char *id = good ? strstr(plain.data, "__") : NULL;
    char *order = id ? strstr(id + 2, "__") : NULL;
    good = id != NULL && (order != NULL) == ascending && (!order || strcmp(order, "__asc") == 0);
    if (good) {
        *id = 0;
        if (order) *order = 0;
        good = sbx_text_int(plain.data, 0, INT64_MAX, &out->ns) && sbx_copy(out->id, sizeof(out->id), id + 2);
    }
    sbx_buf_finish(&standard);
    sbx_buf_finish(&plain);
    return good;
}

/* @return 1 if it has been answered */
static int list_page(struct sim_e2b_call *call, struct list *l) {
    const char *limit_text = sim_http_query(call->x, "limit", 0), *token = sim_http_query(call->x, "nextToken", 0);
    int64_t limit = LIST_PAGE_MAX;
    struct list_cursor cursor;
    if (limit_text && !sbx_text_int(limit_text, 1, LIST_PAGE_MAX, &limit)) {
        sim_e2b_refuse(call, 400, NULL,
                       "validation error: error in openapi3filter.RequestError: parameter \"limit\" in query has an "
                       "error: number must be from 1 to 100");
        return 1;
    }
    if (token && *token && !list_cursor_read(token, l->ascending, &cursor)) {
        sim_e2b_refuse(call, 400, NULL, "Invalid next token");
        return 1;
    }
    while (token && *token && l->from < l->count &&
           list_order(l->item[l->from]->started_ns, l->item[l->from]->id, cursor.ns, cursor.id, l->ascending) <= 0)
        l->from++;
    l->end = l->count - l->from < (size_t)limit ? l->count : l->from + (size_t)limit;
    return 0;
}

/* ---- the answer ---- */

static void list_headers(struct sim_e2b_call *call, const struct list *l) {
    struct sbx_buf token = SBX_BUF_INIT;
    char total[24];
    size_t running = 0;
    for (size_t i = 0; i < l->count; i++) running += l->item[i] && l->item[i]->state == E2B_RUNNING;
    snprintf(total, sizeof(total), "%zu", running);
    if (l->filter.running) sim_http_header_add(call->x, "X-Total-Running", total);
    const char *same = call->twist.list_loop ? sim_http_query(call->x, "nextToken", 0) : NULL;
    if (l->end < l->count && l->end > 0) list_token(l->item[l->end - 1], l->ascending, &token);
    if (call->twist.list_loop && !token.len && l->count) list_token(l->item[0], l->ascending, &token);
    if (same || token.len) sim_http_header_add(call->x, "X-Next-Token", same ? same : sbx_buf_text(&token));
    sbx_buf_finish(&token);
}

static void list_reply(struct sim_e2b_call *call, const struct list *l) {
    struct sbx_buf json = SBX_BUF_INIT;
    sbx_json_begin_array(&json, NULL);
    for (size_t i = l->from; i < l->end && !call->twist.list_empty_page; i++) {
        if (call->twist.list_missing && i == l->from) continue;
        sim_e2b_sandbox_write(l->item[i], 0, &json);
        if (call->twist.list_duplicate && i == l->from) sim_e2b_sandbox_write(l->item[i], 0, &json);
    }
    sbx_json_end_array(&json);
    sim_http_reply_json(call->x, 200, &json);
}

static int list_read(struct sim_e2b_call *call, struct list *l) {
    const int second = (call->route->flags & E2B_V2) != 0;
    const char *order = second ? sim_http_query(call->x, "order", 0) : NULL;
    l->ascending = order && strcmp(order, "asc") == 0;
    if (order && !l->ascending && strcmp(order, "desc") != 0) {
        sim_e2b_refuse(call, 400, NULL,
                       "validation error: error in openapi3filter.RequestError: parameter \"order\" in query has an "
                       "error: value is not one of the allowed values");
        return 1;
    }
    return sim_e2b_filter_read(call, &l->filter);
}

void sim_e2b_serve_list(struct sim_e2b_call *call) {
    const int second = (call->route->flags & E2B_V2) != 0;
    struct list l = {0};
    if (list_read(call, &l)) goto done;
    if (sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) goto done;
    if (!list_collect(call, &l)) {
        sim_e2b_broken(call);
        goto done;
    }
    l.end = l.count;
    if (second && list_page(call, &l)) goto done;
    if (second) list_headers(call, &l);
    list_reply(call, &l);
done:
    sim_e2b_filter_finish(&l.filter);
    free(l.item);
}
