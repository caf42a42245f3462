/* The memory store: it writes nothing, and what it held is seen as it is freed. */
#include "keep.h"
#include "t.h"

const char *const keep_secret = NULL;

void keep_open(struct keep *keep, struct sbx_env *env) {
    T_STATUS(sbx_store_memory_create(env, &keep->store, NULL), SBX_OK);
}

void keep_show(const struct keep *keep, void (*see)(void *ctx, const char *where, const void *data, size_t len),
               void *ctx) {
    (void)keep, (void)see, (void)ctx;
}

void keep_finish(struct keep *keep) {
    (void)keep;
}
