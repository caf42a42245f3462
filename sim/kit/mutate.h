/* A JSON answer with one value changed or taken out, for faults that corrupt. */
#ifndef SIM_KIT_MUTATE_H
#define SIM_KIT_MUTATE_H

#include <sandport/kit/buf.h>

/** @param path  "$.state", "$.items[0].id"
 *  @param value JSON text put there, NULL = the member is left out
 *  @return 1 if `json` is JSON that has the path; `out` then holds it changed */
int sim_mutate(const char *json, size_t len, const char *path, const char *value, struct sbx_buf *out);

#endif
