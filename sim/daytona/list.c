/* The three lists of Daytona: with a cursor and behind the truth, with page numbers, and the bare array of old servers.
 */
#include "sim/daytona/errors.h"
#include "sim/daytona/filter.h"
#include "sim/daytona/verbs.h"

#include <sandport/kit/text.h>
#include <string.h>

/** Where a cursor list goes on: behind the hit that this names. */
struct list_cursor {
    struct sbx_buf value, id;
};

static int list_cursor_parse(struct list_cursor *cursor, const char *text) {
    struct sbx_buf json = SBX_BUF_INIT;
    struct sbx_json *js = NULL;
    int ok = sbx_base64_decode(&json, text, strlen(text)) && !sbx_json_parse(json.data, json.len, 0, &js);
    if (ok) {
        const char *value = sbx_json_string(js, sbx_json_root(js), "sortValue");
        const char *id = sbx_json_string(js, sbx_json_root(js), "id");
        ok = !sbx_json_status(js);
        if (ok) sbx_buf_text_append(&cursor->value, value);
        if (ok) sbx_buf_text_append(&cursor->id, id);
    }
    sbx_json_free(js);
    sbx_buf_finish(&json);
    return ok;
}

static void list_cursor_write(const struct sim_day_filter *filter, const struct sim_day_hit *hit, struct sbx_buf *out) {
    struct sbx_buf json = SBX_BUF_INIT, value = SBX_BUF_INIT;
    sim_day_filter_key(filter, hit, &value);
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_string(&json, "sortValue", sbx_buf_text(&value));
    sbx_json_put_string(&json, "id", hit->sb->id);
    sbx_json_end_object(&json);
    sbx_base64_encode(out, json.data, json.len);
    sbx_buf_finish(&json);
    sbx_buf_finish(&value);
}

/* @return -1, 0, 1: the hit is before, at, behind the cursor in the list's order */
static int list_cursor_compare(const struct sim_day_filter *filter, const struct sim_day_hit *hit,
                               const struct list_cursor *cursor) {
    struct sbx_buf value = SBX_BUF_INIT;
    int64_t x = 0, y = 0;
    int order = 0;
    sim_day_filter_key(filter, hit, &value);
    if (filter->sort == DAY_SORT_NAME)
        order = strcmp(sbx_buf_text(&value), sbx_buf_text(&cursor->value));
    else if (sbx_text_int(sbx_buf_text(&value), INT64_MIN, INT64_MAX, &x) &&
             sbx_text_int(sbx_buf_text(&cursor->value), INT64_MIN, INT64_MAX, &y))
        order = x < y ? -1 : x > y;
    if (order == 0) order = strcmp(hit->sb->id, sbx_buf_text(&cursor->id));
    sbx_buf_finish(&value);
    return filter->descending ? -order : order;
}

static size_t list_cursor_skip(const struct sim_day_filter *filter, const struct sim_day_hits *hits,
                               const struct list_cursor *cursor) {
    size_t at = 0;
    while (at < hits->count && list_cursor_compare(filter, &hits->hit[at], cursor) <= 0) at++;
    return at;
}

/* One page from hit `at` on, as the effects of this exchange have it. */
static void list_cursor_page(struct sim_day_call *call, const struct sim_day_filter *filter,
                             const struct sim_day_hits *hits, size_t at, const char *given, struct sbx_buf *json) {
    const size_t room = (size_t)filter->limit;
    const size_t end = call->twist.list_empty_page ? at : at + room < hits->count ? at + room : hits->count;
    struct sbx_buf next = SBX_BUF_INIT;
    sbx_json_begin_object(json, NULL);
    sbx_json_begin_array(json, "items");
    if (call->twist.list_duplicate && hits->count) {
        const struct sim_day_hit *again = &hits->hit[at ? at - 1 : 0];
        sim_day_sandbox_write_item(again->sb, &again->as, json);
    }
    for (size_t i = at; i < end && !call->twist.list_missing; i++)
        sim_day_sandbox_write_item(hits->hit[i].sb, &hits->hit[i].as, json);
    sbx_json_end_array(json);
    if (call->twist.list_loop && given)
        sbx_buf_text_append(&next, given);
    else if (end > 0 && (end < hits->count || call->twist.list_loop))
        list_cursor_write(filter, &hits->hit[end - 1], &next);
    else if (call->twist.list_empty_page && hits->count)
        sbx_buf_text_append(&next, "eyJzb3J0VmFsdWUiOiIiLCJpZCI6IiJ9"); /* {"sortValue":"","id":""}: from the start */
    sbx_json_put_string(json, "nextCursor", next.len ? sbx_buf_text(&next) : NULL);
    sbx_json_end_object(json);
    sbx_buf_finish(&next);
}

static void list_serve_cursor(struct sim_day_call *call, const struct sim_day_filter *filter,
                              const struct sim_day_hits *hits) {
    const char *given = sim_http_query(call->x, "cursor", 0);
    struct list_cursor cursor = {SBX_BUF_INIT, SBX_BUF_INIT};
    struct sbx_buf json = SBX_BUF_INIT;
    size_t at = 0;
    if (given && !list_cursor_parse(&cursor, given)) {
        sim_day_refuse(call, 400, NULL, "Invalid cursor provided: %s", given);
        goto done;
    }
    if (given && cursor.id.len) at = list_cursor_skip(filter, hits, &cursor);
    list_cursor_page(call, filter, hits, at, given, &json);
    sim_http_reply_json(call->x, 200, &json);
done:
    sbx_buf_finish(&cursor.value);
    sbx_buf_finish(&cursor.id);
}

static void list_serve_pages(struct sim_day_call *call, const struct sim_day_filter *filter,
                             const struct sim_day_hits *hits) {
    struct sbx_buf json = SBX_BUF_INIT;
    const size_t limit = (size_t)filter->limit, first = (size_t)(filter->page - 1) * limit;
    sbx_json_begin_object(&json, NULL);
    sbx_json_begin_array(&json, "items");
    for (size_t i = first; i < hits->count && i < first + limit && !call->twist.list_missing; i++)
        sim_day_sandbox_write(hits->hit[i].sb, &json, NULL);
    if (call->twist.list_duplicate && hits->count) sim_day_sandbox_write(hits->hit[0].sb, &json, NULL);
    sbx_json_end_array(&json);
    sbx_json_put_int(&json, "total", (int64_t)hits->count);
    sbx_json_put_int(&json, "page", filter->page);
    sbx_json_put_int(&json, "totalPages", (int64_t)((hits->count + limit - 1) / limit));
    sbx_json_end_object(&json);
    sim_http_reply_json(call->x, 200, &json);
}

static void list_serve_array(struct sim_day_call *call, const struct sim_day_hits *hits) {
    struct sbx_buf json = SBX_BUF_INIT;
    sbx_json_begin_array(&json, NULL);
    for (size_t i = 0; i < hits->count && !call->twist.list_missing; i++)
        sim_day_sandbox_write(hits->hit[i].sb, &json, NULL);
    if (call->twist.list_duplicate && hits->count) sim_day_sandbox_write(hits->hit[0].sb, &json, NULL);
    sbx_json_end_array(&json);
    sim_http_reply_json(call->x, 200, &json);
}

static void list_serve(struct sim_day_call *call, enum sim_day_list_shape shape) {
    struct sim_day_filter filter = {0};
    struct sim_day_hits hits = {0};
    int64_t lag_ns = 0;
    if (sim_day_fault_read(call)) return;
    if (call->twist.list_shaped) shape = call->twist.list_shape;
    if (sim_day_filter_read(&filter, call)) goto done;
    if (shape == DAY_LIST_ARRAY) filter.states = 0; /* old servers do not know this filter */
    if (shape == DAY_LIST_CURSOR) lag_ns = call->day->config.list_lag_ms * SIM_MS;
    if (call->twist.list_lags) lag_ns = call->twist.list_lag_ns;
    if (sim_day_filter_collect(&filter, call, lag_ns, &hits))
        sim_day_broken(call);
    else if (shape == DAY_LIST_CURSOR)
        list_serve_cursor(call, &filter, &hits);
    else if (shape == DAY_LIST_PAGE)
        list_serve_pages(call, &filter, &hits);
    else
        list_serve_array(call, &hits);
done:
    sim_day_hits_finish(&hits);
    sim_day_filter_finish(&filter);
}

void sim_day_serve_list(struct sim_day_call *call) {
    list_serve(call, call->day->config.list);
}

void sim_day_serve_list_pages(struct sim_day_call *call) {
    list_serve(call, DAY_LIST_PAGE);
}
