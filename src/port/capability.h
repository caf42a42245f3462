/* Does an adapter's table keep its promise, both ways? */
#ifndef SRC_PORT_CAPABILITY_H
#define SRC_PORT_CAPABILITY_H

#include <sandport/kit/ops.h>

/** @return NULL if it does, else the member that is missing or not promised; static text */
const char *sbx_capability_broken(const struct sbx_runtime_ops *ops);

#endif
