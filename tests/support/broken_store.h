/* A mapping store that fails on demand, over another. */
#ifndef TESTS_SUPPORT_BROKEN_STORE_H
#define TESTS_SUPPORT_BROKEN_STORE_H

#include "t.h"

#include <sandport/kit/store.h>

struct broken_store {
    struct sbx_store *inner; /* yours: sbx_store_free() */
    int fail_intent;         /* the next one fails, and nothing is written */
    int fail_mapping;
    int fail_advance;
};

/** @param out yours: sbx_store_free(), before the inner one */
void broken_store_new(struct broken_store *broken, struct sbx_env *env, struct sbx_store **out);

/** The same over a store that there is already. */
void broken_store_over(struct broken_store *broken, struct sbx_store *inner, struct sbx_env *env,
                       struct sbx_store **out);

#endif
