/* Reading a request body as strictly as the server's own validation does. */
#ifndef SIM_DAYTONA_FIELDS_H
#define SIM_DAYTONA_FIELDS_H

#include "sim/daytona/cloud.h"

/** A body being read: what is wrong with it is collected and answered once. Zeroed but for call; finish it. */
struct sim_day_fields {
    struct sim_day_call *call;
    struct sbx_json *js; /* freed with the exchange */
    const struct sbx_json_node *obj;
    struct sbx_buf wrong; /* texts joined by ", " */
    int no_memory;
};

/** Reads the body. @param optional no body at all is an empty object
 *  @return 1 if it has been answered: it was no JSON object, or was cut short */
int sim_day_fields_read(struct sim_day_fields *f, struct sim_day_call *call, int optional);
void sim_day_fields_finish(struct sim_day_fields *f);

int sim_day_fields_has(const struct sim_day_fields *f, const char *name);
const char *sim_day_fields_text(struct sim_day_fields *f, const char *name);
int64_t sim_day_fields_int(struct sim_day_fields *f, const char *name, int64_t min, int64_t otherwise);
int sim_day_fields_bool(struct sim_day_fields *f, const char *name, int otherwise);
/** A new map, empty if the member is absent; NULL when memory ran out. */
struct sim_day_map *sim_day_fields_map(struct sim_day_fields *f, const char *name);
const struct sbx_json_node *sim_day_fields_array(struct sim_day_fields *f, const char *name);
const struct sbx_json_node *sim_day_fields_object(struct sim_day_fields *f, const char *name);
void sim_day_fields_wrong(struct sim_day_fields *f, const char *fmt, ...) SBX_PRINTF(2, 3);
/** Answers 400 with all that was wrong. @return 1 if it did */
int sim_day_fields_refused(struct sim_day_fields *f);

#endif
