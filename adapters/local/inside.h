/* Lines of shell and commands of the library's own in a sandbox. Rows L1, P7. */
#ifndef ADAPTERS_LOCAL_INSIDE_H
#define ADAPTERS_LOCAL_INSIDE_H

#include "adapters/local/verbs.h"

struct local_inside {
    void *self; /* struct local */
    const struct sbx_identity *who;
    struct sbx_work_host work; /* points here: it is not to be moved */
};

void sbx_local_inside_begin(struct local_inside *in, void *self, const struct sbx_identity *who);

#endif
