/* Finding sandboxes. Rows E1, P12.
 *
 * The list is asked for labels and states, and each of its items is compared again: servers were seen that take no
 * notice of a filter, and then another's sandbox would be taken for ours. */
#include "adapters/e2b/life.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SIZE_MAX 100
#define PAGES_MAX     10000
#define TOKEN_MAX     4096

void e2b_view_finish(struct e2b_view *view) {
    e2b_reply_finish(&view->reply);
    memset(&view->is, 0, sizeof(view->is));
}

/* The view as JSON says it. A sandbox that is not there has no end to be known either. */
static enum sbx_status view_of(struct e2b *e, const char *id, enum sbx_status st, struct e2b_view *view,
                               struct sbx_error *err) {
    memset(&view->is, 0, sizeof(view->is));
    if (!st) st = e2b_reply_dto(&view->reply, 0, &view->is, err);
    if (!st)
        e2b_life_seen(e, &view->is);
    else if (st == SBX_NOT_FOUND)
        e2b_lives_put(e->lives, id, 0);
    return st;
}

enum sbx_status e2b_view_once(struct e2b *e, const char *id, const struct sbx_call *call, struct e2b_view *view,
                              struct sbx_error *err) {
    return view_of(e, id, e2b_send_to(e, E2B_GET, "GET", id, "", NULL, call, &view->reply, err), view, err);
}

enum sbx_status e2b_view_read(struct e2b *e, const char *id, const struct sbx_call *call, struct e2b_view *view,
                              struct sbx_error *err) {
    struct sbx_buf url = SBX_BUF_INIT;
    e2b_url(e, 0, &url, id, "");
    enum sbx_status st = sbx_buf_status(&url);
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL)
            : e2b_read(e, E2B_GET, sbx_buf_text(&url), call, &view->reply, err);
    sbx_buf_finish(&url);
    return view_of(e, id, st, view, err);
}

/* ---- the list's address ---- */

/* Pairs are coded, joined, and coded again as a form would, since the server decodes the whole before it splits it and
 * each part behind that; as a query value the filter is coded once more. */
static void put_coded_twice(struct sbx_buf *filter, const char *text) {
    struct sbx_buf once = SBX_BUF_INIT;
    sbx_percent_encode(&once, text);
    sbx_percent_encode(filter, sbx_buf_text(&once));
    if (once.failed) filter->failed = 1;
    sbx_buf_finish(&once);
}

static void put_filter(struct sbx_buf *filter, const struct sbx_query *query) {
    for (size_t i = 0; i < query->label_count; i++) {
        if (i) sbx_buf_char(filter, '&');
        put_coded_twice(filter, query->labels[i].name);
        sbx_buf_char(filter, '=');
        put_coded_twice(filter, query->labels[i].value);
    }
}

static enum sbx_status list_url(const struct e2b *e, const struct sbx_query *query, const char *states,
                                const char *token, struct sbx_buf *url) {
    struct sbx_buf filter = SBX_BUF_INIT;
    char number[24];
    int size = query->page_size && query->page_size < PAGE_SIZE_MAX ? query->page_size : PAGE_SIZE_MAX;
    put_filter(&filter, query);
    sbx_buf_text_append(url, e->endpoint);
    sbx_buf_text_append(url, "/v2/sandboxes");
    if (query->label_count) sbx_url_query(url, "metadata", sbx_buf_text(&filter));
    sbx_url_query(url, "state", states);
    snprintf(number, sizeof(number), "%d", size);
    sbx_url_query(url, "limit", number);
    if (*token) sbx_url_query(url, "nextToken", token);
    int failed = filter.failed || url->failed;
    sbx_buf_finish(&filter);
    return failed ? SBX_NO_MEMORY : SBX_OK;
}

/* ---- pages ---- */

struct search {
    struct e2b *e;
    const struct sbx_query *query;
    const struct sbx_call *call;
    enum sbx_status (*each)(void *ctx, struct sbx_json *js, const struct e2b_dto *dto);
    void *ctx;
    uint32_t wanted; /* states, 0 = all */
    char token[TOKEN_MAX];
    int64_t pages;
    char (*seen)[SBX_ID_SIZE]; /* ids handed on, since pages may overlap */
    size_t seen_count, seen_cap;
};

static int search_wants(const struct search *s, struct sbx_json *js, const struct e2b_dto *dto) {
    for (size_t i = 0; i < s->query->exclude_count; i++)
        if (strcmp(s->query->exclude_ids[i], dto->id) == 0) return 0;
    for (size_t i = 0; i < s->seen_count; i++)
        if (strcmp(s->seen[i], dto->id) == 0) return 0;
    if (s->wanted && !(s->wanted & e2b_states_bits(&dto->state, 1))) return 0;
    return e2b_dto_matches(js, dto, s->query->labels, s->query->label_count);
}

static enum sbx_status search_remember(struct search *s, const char *id) {
    if (s->seen_count == s->seen_cap) {
        size_t cap = s->seen_cap ? s->seen_cap * 2 : 16;
        char(*seen)[SBX_ID_SIZE] = realloc(s->seen, cap * sizeof(*seen));
        if (!seen) return SBX_NO_MEMORY;
        s->seen = seen;
        s->seen_cap = cap;
    }
    memcpy(s->seen[s->seen_count++], id, strlen(id) + 1);
    return SBX_OK;
}

static int search_is_full(const struct search *s) {
    return s->query->max > 0 && s->seen_count >= (size_t)s->query->max;
}

static enum sbx_status page_wrong(struct sbx_error *err, const char *what) {
    return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "list: expected %s", what);
}

/* A list of nobody may be null. */
static enum sbx_status search_page(struct search *s, struct sbx_json *js, struct sbx_error *err) {
    const struct sbx_json_node *root = sbx_json_root(js);
    if (sbx_json_type(root) == SBX_JSON_NULL) return SBX_OK;
    if (sbx_json_type(root) != SBX_JSON_ARRAY) return page_wrong(err, "an array");
    for (const struct sbx_json_node *item = sbx_json_first(root); item && !search_is_full(s);
         item = sbx_json_next(item)) {
        struct e2b_dto dto;
        e2b_dto_read(js, sbx_json_as_object(js, item), 0, &dto);
        if (sbx_json_status(js))
            return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "list: %s", sbx_json_error(js));
        if (!search_wants(s, js, &dto)) continue;
        enum sbx_status st = search_remember(s, dto.id);
        if (!st) st = s->each(s->ctx, js, &dto);
        if (st) return sbx_fail(err, st, SBX_OUTCOME_NONE, NULL);
    }
    return SBX_OK;
}

/* Where the next page begins is in a header, which is not there on the last one. @param last set when there is none */
static enum sbx_status search_next(struct search *s, const struct e2b_reply *reply, int *last, struct sbx_error *err) {
    char token[TOKEN_MAX];
    *last = !sbx_answer_header(&reply->ans, "x-next-token", token, sizeof(token)) || !token[0];
    if (*last) return SBX_OK;
    if (strcmp(token, s->token) == 0) return page_wrong(err, "a new token"); /* guard: e2b_repeated_token */
    if (++s->pages >= PAGES_MAX) return page_wrong(err, "an end within 10,000 pages");
    memcpy(s->token, token, sizeof(token));
    return SBX_OK;
}

static enum sbx_status search_pages(struct search *s, const char *states, struct e2b_reply *reply,
                                    struct sbx_error *err) {
    for (int last = 0; !last && !search_is_full(s);) {
        struct sbx_buf url = SBX_BUF_INIT;
        enum sbx_status st = list_url(s->e, s->query, states, s->token, &url);
        st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL)
                : e2b_read(s->e, E2B_LIST, sbx_buf_text(&url), s->call, reply, err);
        sbx_buf_finish(&url);
        if (!st) st = search_page(s, reply->js, err);
        if (!st) st = search_next(s, reply, &last, err);
        if (st) return st;
    }
    return SBX_OK;
}

enum sbx_status e2b_each(struct e2b *e, const struct sbx_query *query, const struct sbx_call *call,
                         enum sbx_status (*each)(void *ctx, struct sbx_json *js, const struct e2b_dto *dto), void *ctx,
                         struct sbx_error *err) {
    struct search s = {.e = e, .query = query, .call = call, .each = each, .ctx = ctx};
    struct e2b_reply reply = {0};
    s.wanted = e2b_states_bits(query->states, query->state_count);
    const char *states = e2b_states_ask(s.wanted);
    if (!states) return SBX_OK; /* nobody can be in any of these */
    enum sbx_status st = search_pages(&s, states, &reply, err);
    e2b_reply_finish(&reply);
    free(s.seen);
    return st;
}

/* ---- the ops ---- */

struct into {
    struct e2b *e;
    struct sbx_list *list;
};

static enum sbx_status find_take(void *ctx, struct sbx_json *js, const struct e2b_dto *dto) {
    struct into *into = ctx;
    struct sbx_info *info = e2b_dto_info(into->e, js, dto);
    enum sbx_status st = info ? sbx_list_take(into->list, &info) : SBX_NO_MEMORY;
    sbx_info_free(info);
    return st;
}

enum sbx_status e2b_find(void *self, const struct sbx_query *query, const struct sbx_call *call, struct sbx_list *list,
                         struct sbx_error *err) {
    struct into into = {self, list};
    return e2b_each(self, query, call, find_take, &into, err);
}

static enum sbx_status count_take(void *ctx, struct sbx_json *js, const struct e2b_dto *dto) {
    (void)js;
    (void)dto;
    ++*(int64_t *)ctx;
    return SBX_OK;
}

enum sbx_status e2b_count(void *self, const struct sbx_query *query, const struct sbx_call *call, int64_t *out,
                          struct sbx_error *err) {
    int64_t n = 0;
    enum sbx_status st = e2b_each(self, query, call, count_take, &n, err);
    if (!st) *out = n;
    return st;
}

/* A read, and not E2B's connect: that would resume a paused sandbox and move its end. */
enum sbx_status e2b_attach(void *self, const char *id, const struct sbx_call *call, struct sbx_identity *out,
                           struct sbx_error *err) {
    struct e2b *e = self;
    struct e2b_view view = {0};
    enum sbx_status st = e2b_view_read(e, id, call, &view, err);
    if (!st) st = e2b_dto_identity(e, view.reply.js, &view.is, out, err);
    e2b_view_finish(&view);
    return st;
}

enum sbx_status e2b_info(void *self, const struct sbx_identity *who, const struct sbx_call *call, struct sbx_info **out,
                         struct sbx_error *err) {
    struct e2b *e = self;
    struct e2b_view view = {0};
    enum sbx_status st = e2b_view_read(e, who->id, call, &view, err);
    if (!st) {
        struct sbx_info *info = e2b_dto_info(e, view.reply.js, &view.is);
        if (info)
            *out = info;
        else
            st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    }
    e2b_view_finish(&view);
    return st;
}
