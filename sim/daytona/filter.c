/* Filters and order of the lists: the query is read strictly, matches are sorted with the id as the tie. */
#include "sim/daytona/filter.h"
#include "sim/daytona/errors.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define FILTER_LIMIT_MAX     200
#define FILTER_LIMIT_DEFAULT 100

static int filter_number(struct sim_day_call *call, const char *name, int64_t min, int64_t max, int64_t *value) {
    const char *text = sim_http_query(call->x, name, 0);
    if (!text || sbx_text_int(text, min, max, value)) return 0;
    sim_day_refuse(call, 400, NULL, "%s must be an integer number from %lld to %lld", name, (long long)min,
                   (long long)max);
    return 1;
}

static int filter_states(struct sim_day_filter *filter, struct sim_day_call *call) {
    const char *text = NULL;
    for (size_t i = 0; (text = sim_http_query(call->x, "states", i)); i++) {
        enum sim_day_state state = DAY_DESTROYED;
        if (!sim_day_state_parse(text, &state) || state == DAY_DESTROYED) {
            sim_day_refuse(call, 400, NULL, "each value in states must be one of the valid sandbox states");
            return 1;
        }
        filter->states |= 1u << state;
    }
    return 0;
}

static enum sbx_status filter_labels_take(struct sim_day_filter *filter, struct sbx_json *js) {
    const struct sbx_json_node *root = sbx_json_root(js);
    if (sbx_json_type(root) != SBX_JSON_OBJECT) return SBX_PROTOCOL;
    filter->labels = sim_day_map_new();
    if (!filter->labels) return SBX_NO_MEMORY;
    for (const struct sbx_json_node *it = sbx_json_first(root); it; it = sbx_json_next(it)) {
        enum sbx_status st = SBX_PROTOCOL;
        if (sbx_json_type(it) == SBX_JSON_STRING)
            st = sim_day_map_add(filter->labels, sbx_json_key(it), sbx_json_as_string(js, it));
        if (st) return st;
    }
    return SBX_OK;
}

static int filter_labels(struct sim_day_filter *filter, struct sim_day_call *call) {
    const char *text = sim_http_query(call->x, "labels", 0);
    struct sbx_json *js = NULL;
    enum sbx_status st = SBX_OK;
    if (!text || !*text) return 0;
    st = sbx_json_parse(text, strlen(text), 0, &js);
    if (!st) st = filter_labels_take(filter, js);
    sbx_json_free(js);
    if (st == SBX_PROTOCOL) sim_day_refuse(call, 400, NULL, "Invalid labels JSON format");
    if (st == SBX_NO_MEMORY) sim_day_broken(call);
    return st != SBX_OK;
}

static int filter_order(struct sim_day_filter *filter, struct sim_day_call *call) {
    static const char *const sorts[] = {"name", "cpu", "memoryGib", "diskGib", "lastActivityAt", "createdAt"};
    const char *sort = sim_http_query(call->x, "sort", 0);
    const char *order = sim_http_query(call->x, "order", 0);
    size_t i = 0;
    filter->sort = DAY_SORT_ACTIVITY;
    filter->descending = !order || strcmp(order, "desc") == 0;
    while (sort && i < sizeof(sorts) / sizeof(sorts[0]) && strcmp(sorts[i], sort) != 0) i++;
    if (sort) filter->sort = (enum sim_day_sort)i;
    if (i < sizeof(sorts) / sizeof(sorts[0]) && (!order || filter->descending || strcmp(order, "asc") == 0)) return 0;
    sim_day_refuse(call, 400, NULL, "sort and order must be one of the valid values");
    return 1;
}

/* Filters that nobody here needs are refused and not ignored: an unfiltered list would be a wrong answer. */
static int filter_unsupported(struct sim_day_call *call) {
    static const char *const names[] = {"snapshots",
                                        "regionIds",
                                        "regions",
                                        "sandboxClasses",
                                        "minCpu",
                                        "maxCpu",
                                        "minMemoryGiB",
                                        "maxMemoryGiB",
                                        "minDiskGiB",
                                        "maxDiskGiB",
                                        "isPublic",
                                        "isRecoverable",
                                        "createdAtAfter",
                                        "createdAtBefore",
                                        "lastEventAfter",
                                        "lastEventBefore",
                                        "autoDestroyAtAfter",
                                        "autoDestroyAtBefore"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (sim_http_query(call->x, names[i], 0)) {
            sim_http_unsupported(call->x, names[i], 0);
            sim_day_refuse(call, 501, NULL, "Not simulated: the filter %s", names[i]);
            return 1;
        }
    return 0;
}

int sim_day_filter_read(struct sim_day_filter *filter, struct sim_day_call *call) {
    const char *hidden = sim_http_query(call->x, "includeErroredDeleted", 0);
    filter->limit = FILTER_LIMIT_DEFAULT;
    filter->page = 1;
    filter->with_hidden = hidden && strcmp(hidden, "true") == 0;
    filter->id = sim_http_query(call->x, "id", 0);
    filter->name = sim_http_query(call->x, "name", 0);
    return filter_unsupported(call) || filter_number(call, "limit", 1, FILTER_LIMIT_MAX, &filter->limit) ||
           filter_number(call, "page", 1, INT32_MAX, &filter->page) || filter_states(filter, call) ||
           filter_labels(filter, call) || filter_order(filter, call);
}

void sim_day_filter_finish(struct sim_day_filter *filter) {
    sim_day_map_drop(filter->labels);
}

static int filter_prefix(const char *text, const char *prefix) {
    for (; *prefix; prefix++, text++) {
        const char a[2] = {*text, 0}, b[2] = {*prefix, 0};
        if (!sbx_text_equal_nocase(a, b)) return 0;
    }
    return 1;
}

static int filter_matches(const struct sim_day_filter *filter, const struct sim_day_sandbox *sb,
                          const struct sim_day_version *as) {
    if (!filter->with_hidden && sim_day_state_hidden(as->stored, as->want)) return 0;
    if (filter->states && !(filter->states >> as->stored & 1u)) return 0;
    if (filter->id && !filter_prefix(sb->id, filter->id)) return 0;
    if (filter->name && !filter_prefix(as->name, filter->name)) return 0;
    for (size_t i = 0; filter->labels && i < filter->labels->count; i++) {
        const char *value = sim_day_map_get(as->labels, filter->labels->pair[i].name);
        if (!value || strcmp(value, filter->labels->pair[i].value) != 0) return 0;
    }
    return 1;
}

static int64_t filter_value(enum sim_day_sort sort, const struct sim_day_sandbox *sb) {
    switch (sort) {
    case DAY_SORT_CPU:
        return sb->cpu;
    case DAY_SORT_MEMORY:
        return sb->memory;
    case DAY_SORT_DISK:
        return sb->disk;
    case DAY_SORT_ACTIVITY:
        return sb->activity_ms;
    case DAY_SORT_CREATED:
        return sb->created_ms;
    case DAY_SORT_NAME:
    default:
        return 0;
    }
}

static int filter_compare(const void *left, const void *right, void *ctx) {
    const struct sim_day_filter *filter = ctx;
    const struct sim_day_hit *a = left, *b = right;
    const int64_t x = filter_value(filter->sort, a->sb), y = filter_value(filter->sort, b->sb);
    int order = x < y ? -1 : x > y;
    if (filter->sort == DAY_SORT_NAME) order = strcmp(a->as.name, b->as.name);
    if (order == 0) order = strcmp(a->sb->id, b->sb->id);
    return filter->descending ? -order : order;
}

void sim_day_filter_key(const struct sim_day_filter *filter, const struct sim_day_hit *hit, struct sbx_buf *out) {
    if (filter->sort == DAY_SORT_NAME)
        sbx_buf_text_append(out, hit->as.name);
    else
        sbx_buf_printf(out, "%lld", (long long)filter_value(filter->sort, hit->sb));
}

static size_t filter_count(const struct daytona *day) {
    size_t count = 0;
    for (const struct sim_day_sandbox *sb = day->first; sb; sb = sb->next) count++;
    return count;
}

enum sbx_status sim_day_filter_collect(const struct sim_day_filter *filter, struct sim_day_call *call, int64_t lag_ns,
                                       struct sim_day_hits *out) {
    const struct daytona *day = call->day;
    struct sim_day_filter order = *filter;
    out->count = 0;
    out->hit = calloc(filter_count(day) + 1, sizeof(*out->hit));
    if (!out->hit) return SBX_NO_MEMORY;
    for (struct sim_day_sandbox *sb = day->first; sb; sb = sb->next) {
        const struct sim_day_version *as =
            sb->account == call->account ? sim_day_sandbox_version(sb, sim_day_now(day), lag_ns) : NULL;
        if (!as || !filter_matches(filter, sb, as)) continue;
        struct sim_day_hit hit = {sim_day_sandbox_pin(sb), *as};
        sim_day_map_share(hit.as.labels);
        out->hit[out->count++] = hit;
    }
    qsort_r(out->hit, out->count, sizeof(*out->hit), filter_compare, &order);
    return SBX_OK;
}

void sim_day_hits_finish(struct sim_day_hits *hits) {
    for (size_t i = 0; i < hits->count; i++) {
        sim_day_map_drop(hits->hit[i].as.labels);
        sim_day_sandbox_unpin(hits->hit[i].sb);
    }
    free(hits->hit);
}
