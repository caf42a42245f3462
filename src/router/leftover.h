/* What is left of a launch: found by its acquisition id, and deleted. */
#ifndef SRC_ROUTER_LEFTOVER_H
#define SRC_ROUTER_LEFTOVER_H

#include "src/router/router.h"

/** Deletes one sandbox of ours by its id; one that is not there, looked for twice at least 2 s apart, counts as
 * deleted.
 */
enum sbx_status sbx_leftover_delete(struct sbx_env *env, struct sbx_runtime *rt, const char *sandbox_id,
                                    const struct sbx_call *call, struct sbx_error *err);
/** Deletes all of a list. @return what the first one that remained said */
enum sbx_status sbx_leftover_delete_all(struct sbx_env *env, struct sbx_runtime *rt, const struct sbx_list *found,
                                        const struct sbx_call *call, struct sbx_error *err);

#endif
