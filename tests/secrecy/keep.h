/* The store of a secrecy test, of one kind, and all that it writes outside of this process. Each program links one file
 * that defines this. */
#ifndef TESTS_SECRECY_KEEP_H
#define TESTS_SECRECY_KEEP_H

#include <sandport/kit/store.h>

struct keep {
    struct sbx_store *store; /* freed by the test */
    void *ctx;
};

/** The credential by which this kind of store is reached; NULL if there is none. */
extern const char *const keep_secret;

/** Fails the test if it cannot. */
void keep_open(struct keep *keep, struct sbx_env *env);

/** Calls `see` with everything that is written, whether the store is open still or freed already. */
void keep_show(const struct keep *keep, void (*see)(void *ctx, const char *where, const void *data, size_t len),
               void *ctx);

/** After the store was freed: removes what it wrote. */
void keep_finish(struct keep *keep);

#endif
