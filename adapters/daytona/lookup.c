/* Finding sandboxes. Rows D3, P10, P12.
 *
 * The list lags and repeats itself, so it only proposes: each candidate is read by its id before it counts, and its
 * state and labels are compared again after that read. What the list itself says to be another is not read: it is asked
 * for the states that are wanted, and servers that do not know that filter list the others too. A sum over the whole
 * account (capacity.c) takes the list's word. Three list formats are
 * served by Daytona's versions: a cursor object, a page object, a bare array. */
#include "adapters/daytona/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SIZE_MAX 200
#define PAGES_MAX     10000
#define WORK_DIR_MS   5000

/* Where the next page begins. */
struct list_place {
    char *cursor;  /* of the cursor form, NULL at the beginning */
    int64_t page;  /* of the page form, 0 otherwise */
    int64_t pages; /* read so far */
};

static void labels_json(struct sbx_buf *json, const struct sbx_query *query) {
    sbx_json_begin_object(json, NULL);
    for (size_t i = 0; i < query->label_count; i++)
        sbx_json_put_string(json, query->labels[i].name, query->labels[i].value);
    sbx_json_end_object(json);
}

/* @param states bits to ask for, 0 = all */
static enum sbx_status list_url(const struct daytona *d, const struct sbx_query *query, uint32_t states,
                                const struct list_place *place, struct sbx_buf *url) {
    struct sbx_buf labels = SBX_BUF_INIT;
    char number[24];
    int size = query->page_size && query->page_size < PAGE_SIZE_MAX ? query->page_size : PAGE_SIZE_MAX;
    sbx_buf_text_append(url, d->endpoint);
    sbx_buf_text_append(url, "/sandbox");
    if (place->cursor) sbx_url_query(url, "cursor", place->cursor);
    snprintf(number, sizeof(number), "%d", size);
    sbx_url_query(url, "limit", number);
    if (place->page) {
        snprintf(number, sizeof(number), "%lld", (long long)place->page);
        sbx_url_query(url, "page", number);
    }
    if (query->label_count) {
        labels_json(&labels, query);
        sbx_url_query(url, "labels", sbx_buf_text(&labels));
    }
    size_t at = 0;
    for (const char *word; (word = daytona_states_ask(states, &at));) sbx_url_query(url, "states", word);
    int failed = labels.failed || url->failed;
    sbx_buf_finish(&labels);
    return failed ? SBX_NO_MEMORY : SBX_OK;
}

/* ---- one page ---- */

static enum sbx_status page_wrong(struct sbx_error *err, const char *what) {
    return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "list: expected %s", what);
}

/* Moves on to the next page. @param last set when there is none */
static enum sbx_status list_next(struct sbx_json *js, const struct sbx_json_node *root, struct list_place *place,
                                 int *last, struct sbx_error *err) {
    int64_t page = sbx_json_opt_int(js, root, "page", 0), pages = sbx_json_opt_int(js, root, "totalPages", 0);
    const char *cursor = sbx_json_opt_string(js, root, "nextCursor", NULL);
    if (sbx_json_status(js)) return page_wrong(err, "cursor and pages of their types");
    if (++place->pages >= PAGES_MAX) return page_wrong(err, "an end within 10,000 pages");
    *last = sbx_json_type(root) == SBX_JSON_ARRAY || (!cursor && page >= pages);
    if (*last) return SBX_OK;
    if (!cursor) {
        if (page < place->page) return page_wrong(err, "pages in their order");
        place->page = page + 1;
        return SBX_OK;
    }
    if (place->cursor && strcmp(place->cursor, cursor) == 0)
        return page_wrong(err, "a new cursor"); /* guard: repeated_cursor */
    char *copy = strdup(cursor);
    if (!copy) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    free(place->cursor);
    place->cursor = copy;
    return SBX_OK;
}

/* ---- candidates ---- */

struct search {
    struct daytona *d;
    const struct sbx_query *query;
    const struct sbx_call *call;
    enum sbx_status (*each)(void *ctx, struct daytona_view *view);
    daytona_listed_fn listed; /* takes the list's word for it: nothing is read */
    void *ctx;
    uint32_t wanted;           /* states, 0 = all */
    int unfiltered;            /* the server refused the filter */
    char (*seen)[SBX_ID_SIZE]; /* ids handed on, since pages may overlap */
    size_t seen_count, seen_cap;
};

static int search_excludes(const struct search *s, const char *id) {
    for (size_t i = 0; i < s->query->exclude_count; i++)
        if (strcmp(s->query->exclude_ids[i], id) == 0) return 1;
    for (size_t i = 0; i < s->seen_count; i++)
        if (strcmp(s->seen[i], id) == 0) return 1;
    return 0;
}

static int search_wants_state(const struct search *s, int32_t state) {
    if (state == SBX_STATE_DESTROYED) return 0;
    return !s->wanted || (s->wanted & daytona_states_bits(&state, 1));
}

/* By the list's own word. An item that does not show its labels is read. */
static int search_may_want(const struct search *s, struct sbx_json *js, const struct daytona_dto *item) {
    if (!daytona_state_may_be(item->state_text, s->wanted)) return 0;
    if (!sbx_json_opt_object(js, item->node, "labels")) return 1;
    return daytona_dto_matches(js, item, s->query->labels, s->query->label_count);
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

/* Reads a candidate and hands it on if it is what was asked for. */
static enum sbx_status search_candidate(struct search *s, const char *id, struct sbx_error *err) {
    struct daytona_view view = {0};
    enum sbx_status st = daytona_view_read(s->d, id, s->call, &view, err);
    if (st == SBX_NOT_FOUND) { /* deleted between the list and now */
        sbx_fail(err, SBX_OK, SBX_OUTCOME_NONE, NULL);
        st = SBX_OK;
    } else if (!st && search_wants_state(s, view.is.state) &&
               daytona_dto_matches(view.reply.js, &view.is, s->query->labels, s->query->label_count)) {
        st = search_remember(s, id);
        if (!st) st = s->each(s->ctx, &view);
        if (st) sbx_fail(err, st, SBX_OUTCOME_NONE, NULL);
    }
    daytona_view_finish(&view);
    return st;
}

/* Hands on what the list itself says. */
static enum sbx_status search_listed(struct search *s, struct sbx_json *js, const struct daytona_dto *item,
                                     struct sbx_error *err) {
    enum sbx_status st = s->listed(s->ctx, js, item);
    if (st == SBX_PROTOCOL) return sbx_fail(err, st, SBX_OUTCOME_REFUSED, "list: %s", sbx_json_error(js));
    if (!st) st = search_remember(s, item->id);
    return st ? sbx_fail(err, st, SBX_OUTCOME_NONE, NULL) : SBX_OK;
}

static int search_is_full(const struct search *s) {
    return s->query->max > 0 && s->seen_count >= (size_t)s->query->max;
}

static enum sbx_status search_page(struct search *s, struct sbx_json *js, const struct sbx_json_node *items,
                                   struct sbx_error *err) {
    for (const struct sbx_json_node *item = sbx_json_first(items); item && !search_is_full(s);
         item = sbx_json_next(item)) {
        struct daytona_dto dto;
        daytona_dto_read(js, sbx_json_as_object(js, item), &dto);
        if (sbx_json_status(js))
            return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "list: %s", sbx_json_error(js));
        if (search_excludes(s, dto.id) || (!s->listed && !search_may_want(s, js, &dto))) continue;
        enum sbx_status st = s->listed ? search_listed(s, js, &dto, err) : search_candidate(s, dto.id, err);
        if (st) return st;
    }
    return SBX_OK;
}

static enum sbx_status list_read(struct search *s, const struct list_place *place, struct daytona_reply *reply,
                                 struct sbx_error *err) {
    struct sbx_buf url = SBX_BUF_INIT;
    enum sbx_status st = list_url(s->d, s->query, s->unfiltered ? 0 : s->wanted, place, &url);
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL)
            : daytona_read(s->d, DAYTONA_LIST, sbx_buf_text(&url), s->call, reply, err);
    sbx_buf_finish(&url);
    return st;
}

/* A word of the filter may be newer than the server, which then refuses all of it: so it is asked for all. */
static int list_refused_states(const struct search *s, const struct daytona_reply *reply) {
    return s->wanted && !s->unfiltered && reply->got.http_status == 400;
}

static enum sbx_status search_pages(struct search *s, struct list_place *place, struct daytona_reply *reply,
                                    struct sbx_error *err) {
    for (int last = 0; !last && !search_is_full(s);) {
        enum sbx_status st = list_read(s, place, reply, err);
        if (st && list_refused_states(s, reply)) {
            s->unfiltered = 1;
            st = list_read(s, place, reply, err);
        }
        if (st) return st;
        const struct sbx_json_node *root = sbx_json_root(reply->js);
        int array = sbx_json_type(root) == SBX_JSON_ARRAY;
        const struct sbx_json_node *items = array ? root : sbx_json_array(reply->js, root, "items");
        if (sbx_json_status(reply->js)) return page_wrong(err, "an array, or an object with items");
        st = search_page(s, reply->js, items, err);
        if (!st) st = list_next(reply->js, root, place, &last, err);
        if (st) return st;
    }
    return SBX_OK;
}

static enum sbx_status search_all(struct search *s, struct sbx_error *err) {
    struct list_place place = {0};
    struct daytona_reply reply = {0};
    enum sbx_status st = search_pages(s, &place, &reply, err);
    daytona_reply_finish(&reply);
    free(place.cursor);
    free(s->seen);
    return st;
}

enum sbx_status daytona_each(struct daytona *d, const struct sbx_query *query, const struct sbx_call *call,
                             enum sbx_status (*each)(void *ctx, struct daytona_view *view), void *ctx,
                             struct sbx_error *err) {
    struct search s = {.d = d, .query = query, .call = call, .each = each, .ctx = ctx};
    s.wanted = daytona_states_bits(query->states, query->state_count);
    return search_all(&s, err);
}

enum sbx_status daytona_each_listed(struct daytona *d, const struct sbx_call *call, daytona_listed_fn each, void *ctx,
                                    struct sbx_error *err) {
    const struct sbx_query everything = SBX_QUERY_INIT;
    struct search s = {.d = d, .query = &everything, .call = call, .listed = each, .ctx = ctx};
    return search_all(&s, err);
}

/* ---- the ops ---- */

struct into {
    struct daytona *d;
    struct sbx_list *list;
};

static enum sbx_status find_take(void *ctx, struct daytona_view *view) {
    struct into *into = ctx;
    struct sbx_info *info = daytona_dto_info(into->d, view->reply.js, &view->is, "");
    enum sbx_status st = info ? sbx_list_take(into->list, &info) : SBX_NO_MEMORY;
    sbx_info_free(info);
    return st;
}

enum sbx_status daytona_find(void *self, const struct sbx_query *query, const struct sbx_call *call,
                             struct sbx_list *list, struct sbx_error *err) {
    struct into into = {self, list};
    return daytona_each(self, query, call, find_take, &into, err);
}

static enum sbx_status count_take(void *ctx, struct daytona_view *view) {
    (void)view;
    ++*(int64_t *)ctx;
    return SBX_OK;
}

enum sbx_status daytona_count(void *self, const struct sbx_query *query, const struct sbx_call *call, int64_t *out,
                              struct sbx_error *err) {
    int64_t n = 0;
    enum sbx_status st = daytona_each(self, query, call, count_take, &n, err);
    if (!st) *out = n;
    return st;
}

enum sbx_status daytona_attach(void *self, const char *id, const struct sbx_call *call, struct sbx_identity *out,
                               struct sbx_error *err) {
    struct daytona *d = self;
    struct daytona_view view = {0};
    enum sbx_status st = daytona_view_read(d, id, call, &view, err);
    if (!st && view.is.state == SBX_STATE_DESTROYED) st = sbx_fail(err, SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL);
    if (!st) st = daytona_dto_identity(d, view.reply.js, &view.is, out, err);
    daytona_view_finish(&view);
    return st;
}

enum sbx_status daytona_info(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                             struct sbx_info **out, struct sbx_error *err) {
    struct daytona *d = self;
    struct daytona_view view = {0};
    struct sbx_buf work_dir = SBX_BUF_INIT;
    struct sbx_identity now = *who;
    struct sbx_error quiet;
    struct sbx_info *info = NULL;
    sbx_error_init(&quiet, sizeof(quiet));
    enum sbx_status st = daytona_view_read(d, who->id, call, &view, err);
    const struct sbx_call brief = sbx_call_within(call, d->env, WORK_DIR_MS);
    if (!st) st = daytona_dto_identity(d, view.reply.js, &view.is, &now, err);
    if (st) goto done;
    /* Only one that runs can say where it works, and not being able to say so is no failure of the read. */
    if (view.is.state == SBX_STATE_RUNNING && daytona_dir(d, &now, "/work-dir", &brief, &work_dir, &quiet))
        sbx_buf_clear(&work_dir);
    info = daytona_dto_info(d, view.reply.js, &view.is, sbx_buf_text(&work_dir));
    if (info)
        *out = info;
    else
        st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
done:
    sbx_buf_finish(&work_dir);
    daytona_view_finish(&view);
    return st;
}
