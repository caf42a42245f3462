/* Filters of lists. */
#include "sim/e2b/filter.h"

#include <sandport/kit/text.h>
#include <string.h>

static int filter_unescape(const char *text, size_t len, struct sbx_buf *out) {
    sbx_buf_clear(out);
    return sbx_percent_decode(out, text, len, 1);
}

static enum sbx_status filter_pair(struct sim_e2b_map *map, const char *text, size_t len) {
    struct sbx_buf name = SBX_BUF_INIT, value = SBX_BUF_INIT;
    const char *equals = memchr(text, '=', len);
    const size_t at = equals ? (size_t)(equals - text) : len;
    enum sbx_status st = SBX_PROTOCOL;
    if (equals && !memchr(equals + 1, '=', len - at - 1) && filter_unescape(text, at, &name) &&
        filter_unescape(equals + 1, len - at - 1, &value))
        st = sim_e2b_map_put(map, sbx_buf_text(&name), sbx_buf_text(&value));
    if (name.failed || value.failed) st = SBX_NO_MEMORY;
    sbx_buf_finish(&name);
    sbx_buf_finish(&value);
    return st;
}

enum sbx_status sim_e2b_metadata_parse(const char *text, struct sim_e2b_map **out) {
    struct sbx_buf whole = SBX_BUF_INIT;
    struct sim_e2b_map *map = NULL;
    enum sbx_status st = SBX_OK;
    *out = NULL;
    if (!*text) return SBX_OK;
    map = sim_e2b_map_new();
    if (!map)
        st = SBX_NO_MEMORY;
    else if (!filter_unescape(text, strlen(text), &whole))
        st = SBX_PROTOCOL;
    const char *at = sbx_buf_text(&whole);
    while (!st) {
        const size_t len = strcspn(at, "&");
        st = filter_pair(map, at, len);
        if (!at[len]) break;
        at += len + 1;
    }
    if (whole.failed) st = SBX_NO_MEMORY;
    sbx_buf_finish(&whole);
    if (st)
        sim_e2b_map_free(map);
    else
        *out = map;
    return st;
}

/* "running,paused". @return 0 if it is none */
static int filter_states(const char *text, struct sim_e2b_filter *out) {
    if (!text || !*text) {
        out->running = out->paused = 1;
        return 1;
    }
    for (;;) {
        const size_t len = strcspn(text, ",");
        if (len == 7 && strncmp(text, "running", len) == 0)
            out->running = 1;
        else if (len == 6 && strncmp(text, "paused", len) == 0)
            out->paused = 1;
        else
            return 0;
        if (!text[len]) return 1;
        text += len + 1;
    }
}

int sim_e2b_filter_read(struct sim_e2b_call *call, struct sim_e2b_filter *out) {
    const int second = (call->route->flags & E2B_V2) != 0;
    const char *metadata = sim_http_query(call->x, "metadata", 0);
    const enum sbx_status st = metadata ? sim_e2b_metadata_parse(metadata, &out->metadata) : SBX_OK;
    if (st == SBX_NO_MEMORY) {
        sim_e2b_broken(call);
        return 1;
    }
    if (st) {
        sim_e2b_refuse(call, 400, NULL,
                       "Error parsing metadata: each key value pair in the query must be separated "
                       "by '='");
        return 1;
    }
    out->running = !second;
    if (!second) return 0;
    out->template_id = sim_http_query(call->x, "template", 0);
    for (size_t i = 0; i == 0 || sim_http_query(call->x, "state", i); i++) {
        if (filter_states(sim_http_query(call->x, "state", i), out)) continue;
        sim_e2b_refuse(call, 400, NULL,
                       "validation error: error in openapi3filter.RequestError: parameter \"state\" in query has an "
                       "error: value is not one of the allowed values [\"running\",\"paused\"]");
        return 1;
    }
    if (!sim_http_query(call->x, "startedAfter", 0)) return 0;
    sim_e2b_refuse_unknown(call, "startedAfter of a list");
    return 1;
}

void sim_e2b_filter_finish(struct sim_e2b_filter *filter) {
    sim_e2b_map_free(filter->metadata);
    filter->metadata = NULL;
}

int sim_e2b_filter_fits(const struct sim_e2b_filter *filter, const struct sim_e2b_sandbox *sb) {
    const int running = strcmp(sim_e2b_sandbox_shown(sb), "running") == 0;
    if (!(running ? filter->running : filter->paused)) return 0;
    if (filter->template_id && strcmp(filter->template_id, sb->template_id) != 0 &&
        (!sb->alias || strcmp(filter->template_id, sb->alias) != 0))
        return 0;
    if (filter->metadata && !sb->metadata) return 0;
    for (size_t i = 0; filter->metadata && i < filter->metadata->count; i++) {
        const char *value = sim_e2b_map_get(sb->metadata, filter->metadata->pair[i].name);
        if (!value || strcmp(value, filter->metadata->pair[i].value) != 0) return 0;
    }
    return 1;
}
