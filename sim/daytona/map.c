/* Names with values, for labels and environments: made once, then shared and never changed. */
#include "sim/daytona/sandbox.h"

#include <stdlib.h>
#include <string.h>

struct sim_day_map *sim_day_map_new(void) {
    struct sim_day_map *map = calloc(1, sizeof(*map));
    if (map) map->refs = 1;
    return map;
}

enum sbx_status sim_day_map_add(struct sim_day_map *map, const char *name, const char *value) {
    struct sim_day_pair *grown = realloc(map->pair, (map->count + 1) * sizeof(*grown));
    if (!grown) return SBX_NO_MEMORY;
    map->pair = grown;
    struct sim_day_pair pair = {strdup(name), strdup(value)};
    if (!pair.name || !pair.value) {
        free(pair.name);
        free(pair.value);
        return SBX_NO_MEMORY;
    }
    map->pair[map->count++] = pair;
    return SBX_OK;
}

const char *sim_day_map_get(const struct sim_day_map *map, const char *name) {
    for (size_t i = 0; map && i < map->count; i++)
        if (strcmp(map->pair[i].name, name) == 0) return map->pair[i].value;
    return NULL;
}

struct sim_day_map *sim_day_map_share(struct sim_day_map *map) {
    if (map) map->refs++;
    return map;
}

void sim_day_map_drop(struct sim_day_map *map) {
    if (!map || --map->refs > 0) return;
    for (size_t i = 0; i < map->count; i++) {
        free(map->pair[i].name);
        free(map->pair[i].value);
    }
    free(map->pair);
    free(map);
}

void sim_day_map_write(const struct sim_day_map *map, struct sbx_buf *json, const char *key) {
    sbx_json_begin_object(json, key);
    for (size_t i = 0; i < map->count; i++) sbx_json_put_string(json, map->pair[i].name, map->pair[i].value);
    sbx_json_end_object(json);
}

void sim_day_map_text(const struct sim_day_map *map, struct sbx_buf *out) {
    for (size_t i = 0; i < map->count; i++) sbx_buf_printf(out, "%s=%s\n", map->pair[i].name, map->pair[i].value);
}
