/* Work on a record with a sign of life beside it. */
#ifndef SRC_ROUTER_HEART_H
#define SRC_ROUTER_HEART_H

#include "src/router/router.h"

#define HEART_BEAT_MS 15000

/** Runs `work` while the record that `on` names, if it names one yet, is renewed, so that nobody takes its owner for
 *  dead. Where the env runs one task after the other, nothing is renewed.
 *  @return SBX_NO_MEMORY, and nothing was run */
enum sbx_status sbx_router_with_heart(struct sbx_router *router, struct router_work *on, void (*work)(void *arg),
                                      void *arg);

#endif
