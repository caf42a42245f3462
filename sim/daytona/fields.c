/* Request bodies of the control plane: unknown members are ignored (and noted as unread), wrong types answer 400. */
#include "sim/daytona/fields.h"
#include "sim/daytona/errors.h"

#include <sandport/kit/text.h>
#include <string.h>

int sim_day_fields_read(struct sim_day_fields *f, struct sim_day_call *call, int optional) {
    const char *data = NULL;
    size_t len = 0;
    enum sbx_status st = SBX_OK;
    *f = (struct sim_day_fields){.call = call};
    st = sim_http_body(call->x, DAY_BODY_MAX, &data, &len);
    if (!st && len == 0 && optional) return 0;
    if (!st) st = sim_http_json(call->x, DAY_BODY_MAX, &f->js);
    if (st == SBX_CONNECTION_LOST) {
        sim_http_abort(call->x, SIM_ABORT_CLOSE);
        return 1;
    }
    if (st == SBX_TOO_LARGE) {
        sim_day_refuse(call, 413, NULL, "request entity too large");
        return 1;
    }
    f->obj = st ? NULL : sbx_json_root(f->js);
    if (f->obj && sbx_json_type(f->obj) == SBX_JSON_OBJECT) return 0;
    sim_day_refuse(call, 400, NULL, "Unexpected token in JSON");
    return 1;
}

void sim_day_fields_finish(struct sim_day_fields *f) {
    sbx_buf_finish(&f->wrong);
}

void sim_day_fields_wrong(struct sim_day_fields *f, const char *fmt, ...) {
    va_list args;
    if (f->wrong.len) sbx_buf_text_append(&f->wrong, ", ");
    va_start(args, fmt);
    sbx_buf_vprintf(&f->wrong, fmt, args);
    va_end(args);
}

/* The member if it is there, not null, and of that type. */
static const struct sbx_json_node *fields_member(struct sim_day_fields *f, const char *name, enum sbx_json_type type,
                                                 const char *what) {
    const struct sbx_json_node *node = f->obj ? sbx_json_member(f->obj, name) : NULL;
    if (!node || sbx_json_type(node) == SBX_JSON_NULL) return NULL;
    if (sbx_json_type(node) == type) return node;
    sim_day_fields_wrong(f, "%s must be %s", name, what);
    return NULL;
}

int sim_day_fields_has(const struct sim_day_fields *f, const char *name) {
    const struct sbx_json_node *node = f->obj ? sbx_json_member(f->obj, name) : NULL;
    return node && sbx_json_type(node) != SBX_JSON_NULL;
}

const char *sim_day_fields_text(struct sim_day_fields *f, const char *name) {
    const struct sbx_json_node *node = fields_member(f, name, SBX_JSON_STRING, "a string");
    return node ? sbx_json_as_string(f->js, node) : NULL;
}

/* Written back, an integer is digits and nothing else. */
static int fields_is_int(const struct sbx_json_node *node, int64_t *value) {
    struct sbx_buf text = SBX_BUF_INIT;
    sbx_json_write_node(&text, node);
    const int ok = sbx_text_int(sbx_buf_text(&text), INT64_MIN, INT64_MAX, value);
    sbx_buf_finish(&text);
    return ok;
}

int64_t sim_day_fields_int(struct sim_day_fields *f, const char *name, int64_t min, int64_t otherwise) {
    const struct sbx_json_node *node = fields_member(f, name, SBX_JSON_NUMBER, "an integer number");
    int64_t value = otherwise;
    if (!node) return otherwise;
    if (!fields_is_int(node, &value))
        sim_day_fields_wrong(f, "%s must be an integer number", name);
    else if (value < min)
        sim_day_fields_wrong(f, "%s must not be less than %lld", name, (long long)min);
    return value;
}

int sim_day_fields_bool(struct sim_day_fields *f, const char *name, int otherwise) {
    const struct sbx_json_node *node = fields_member(f, name, SBX_JSON_BOOL, "a boolean value");
    return node ? sbx_json_bool(f->js, f->obj, name) : otherwise;
}

struct sim_day_map *sim_day_fields_map(struct sim_day_fields *f, const char *name) {
    const struct sbx_json_node *node = fields_member(f, name, SBX_JSON_OBJECT, "an object");
    struct sim_day_map *map = sim_day_map_new();
    if (node) sbx_json_touch(node);
    for (const struct sbx_json_node *it = node ? sbx_json_first(node) : NULL; it && map; it = sbx_json_next(it)) {
        if (sbx_json_type(it) != SBX_JSON_STRING) {
            sim_day_fields_wrong(f, "each value in %s must be a string", name);
            break;
        }
        if (sim_day_map_add(map, sbx_json_key(it), sbx_json_as_string(f->js, it))) {
            sim_day_map_drop(map);
            map = NULL;
        }
    }
    if (!map) f->no_memory = 1;
    return map;
}

const struct sbx_json_node *sim_day_fields_array(struct sim_day_fields *f, const char *name) {
    return fields_member(f, name, SBX_JSON_ARRAY, "an array");
}

const struct sbx_json_node *sim_day_fields_object(struct sim_day_fields *f, const char *name) {
    return fields_member(f, name, SBX_JSON_OBJECT, "an object");
}

int sim_day_fields_refused(struct sim_day_fields *f) {
    if (f->no_memory || f->wrong.failed)
        sim_day_broken(f->call);
    else if (f->wrong.len)
        sim_day_refuse(f->call, 400, NULL, "%s", sbx_buf_text(&f->wrong));
    else
        return 0;
    return 1;
}
