/* A router over two accounts by script, with everything that it tells written down. */
#ifndef TESTS_SUPPORT_ROUTED_H
#define TESTS_SUPPORT_ROUTED_H

#include "fake.h"

#include <sandport/router.h>
#include <sandport/sim.h>

struct routed {
    struct sbx_sim *sim;
    struct sbx_env *env;
    struct fake a, b; /* pools "a" and "b": "a" is first if nothing else decides */
    struct sbx_registry *registry;
    struct sbx_store *store; /* in memory unless the test has put in one of its own; freed here */
    struct sbx_store *inner; /* what such a one stands on; may be NULL */
    struct sbx_router_options opt;
    struct sbx_router *router;
    struct sbx_route_request req;
    struct sbx_provision_options how;
    char locator[SBX_LOCATOR_SIZE];
    struct sbx_provision *report;
    struct sbx_error err;
    char told[4096]; /* events: "KIND pool details\n" */

    /* capacity as the accounts tell it: "a" and "b" */
    double used[2], limit[2], required[2];
    int capacity_reads;

    int32_t verdict; /* of the classifier: 1 yes, 0 no, -1 it fails */
    const char *code;
    int asked;
};

/** Accounts may be prepared before routed_open(). */
struct routed *routed_new(void);
/** Makes pools and router; `profile` for both, NULL = the default. */
void routed_open(struct routed *r, const struct sbx_profile *profile);
enum sbx_status routed_provision(struct routed *r);
/** State of the record behind a key, 0 if there is none. */
int32_t routed_state(struct routed *r, const char *key);
/** For sbx_router_options.classify, with the routed as its ctx. */
int routed_classify(void *ctx, const struct sbx_launch_failure *failure, struct sbx_classification *out);
/** Frees all, and fails the test if a provider's text shows in what was told. */
void routed_free(struct routed *r);

#endif
