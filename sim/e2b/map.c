/* Names with values: made once, searched in order. */
#include "sim/e2b/map.h"

#include <stdlib.h>
#include <string.h>

struct sim_e2b_map *sim_e2b_map_new(void) {
    return calloc(1, sizeof(struct sim_e2b_map));
}

void sim_e2b_map_free(struct sim_e2b_map *map) {
    if (!map) return;
    for (size_t i = 0; i < map->count; i++) {
        free(map->pair[i].name);
        free(map->pair[i].value);
    }
    free(map->pair);
    free(map);
}

static struct sim_e2b_pair *map_find(const struct sim_e2b_map *map, const char *name) {
    for (size_t i = 0; map && i < map->count; i++)
        if (strcmp(map->pair[i].name, name) == 0) return &map->pair[i];
    return NULL;
}

const char *sim_e2b_map_get(const struct sim_e2b_map *map, const char *name) {
    const struct sim_e2b_pair *pair = map_find(map, name);
    return pair ? pair->value : NULL;
}

static enum sbx_status map_append(struct sim_e2b_map *map, const char *name, const char *value) {
    struct sim_e2b_pair *grown = realloc(map->pair, (map->count + 1) * sizeof(*grown));
    if (!grown) return SBX_NO_MEMORY;
    map->pair = grown;
    const struct sim_e2b_pair pair = {strdup(name), strdup(value)};
    if (!pair.name || !pair.value) {
        free(pair.name);
        free(pair.value);
        return SBX_NO_MEMORY;
    }
    map->pair[map->count++] = pair;
    return SBX_OK;
}

enum sbx_status sim_e2b_map_put(struct sim_e2b_map *map, const char *name, const char *value) {
    struct sim_e2b_pair *pair = map_find(map, name);
    if (!pair) return map_append(map, name, value);
    char *copy = strdup(value);
    if (!copy) return SBX_NO_MEMORY;
    free(pair->value);
    pair->value = copy;
    return SBX_OK;
}

void sim_e2b_map_write(const struct sim_e2b_map *map, struct sbx_buf *json, const char *key) {
    sbx_json_begin_object(json, key);
    for (size_t i = 0; map && i < map->count; i++) sbx_json_put_string(json, map->pair[i].name, map->pair[i].value);
    sbx_json_end_object(json);
}

void sim_e2b_map_text(const struct sim_e2b_map *map, struct sbx_buf *out) {
    for (size_t i = 0; map && i < map->count; i++)
        sbx_buf_printf(out, "%s=%s\n", map->pair[i].name, map->pair[i].value);
}

enum sbx_status sim_e2b_map_read(struct sbx_json *js, const struct sbx_json_node *obj, const char *key,
                                 struct sim_e2b_map **out) {
    const struct sbx_json_node *from = sbx_json_opt_object(js, obj, key);
    struct sim_e2b_map *map = from ? sim_e2b_map_new() : NULL;
    enum sbx_status st = from && !map ? SBX_NO_MEMORY : SBX_OK;
    for (const struct sbx_json_node *it = from ? sbx_json_first(from) : NULL; it && !st; it = sbx_json_next(it)) {
        const char *value = sbx_json_as_string(js, it);
        if (value) st = sim_e2b_map_put(map, sbx_json_key(it), value);
    }
    if (st)
        sim_e2b_map_free(map);
    else
        *out = map;
    return st;
}
