/* Names with values, in the order given: metadata and environments. */
#ifndef SIM_E2B_MAP_H
#define SIM_E2B_MAP_H

#include <sandport/kit/json.h>

struct sim_e2b_pair {
    char *name;
    char *value;
};

struct sim_e2b_map {
    size_t count;
    struct sim_e2b_pair *pair;
};

struct sim_e2b_map *sim_e2b_map_new(void);
/** A name that is there already gets the new value. @return SBX_NO_MEMORY */
enum sbx_status sim_e2b_map_put(struct sim_e2b_map *map, const char *name, const char *value);
const char *sim_e2b_map_get(const struct sim_e2b_map *map, const char *name);
void sim_e2b_map_free(struct sim_e2b_map *map); /* NULL is ignored */
void sim_e2b_map_write(const struct sim_e2b_map *map, struct sbx_buf *json, const char *key);
/** "a=1\nb=2\n" */
void sim_e2b_map_text(const struct sim_e2b_map *map, struct sbx_buf *out);
/** The member `key`, an object of texts. *out stays NULL if it is absent. @return SBX_NO_MEMORY; what is wrong with it,
 *  js says */
enum sbx_status sim_e2b_map_read(struct sbx_json *js, const struct sbx_json_node *obj, const char *key,
                                 struct sim_e2b_map **out);

#endif
