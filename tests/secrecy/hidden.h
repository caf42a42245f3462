/* A router over simulated clouds with credentials that must not show: two accounts of Daytona and one of E2B. All that
 * a test leaves is searched for them - events, errors, reports, explanations, records, what the store wrote, what the
 * adapters let a debugger see, the simulator's journal, timeline, ledger and state - and so is each block of memory
 * that the library gives back: its own copies are to be wiped. Row R12. */
#ifndef TESTS_SECRECY_HIDDEN_H
#define TESTS_SECRECY_HIDDEN_H

#include "keep.h"
#include "routed_world.h"

/* Each has characters that base64 for URLs, percent-encoding and JSON write otherwise. */
#define SECRET_1   "dtn_ca\"na\\ry/1+%&<~>?"
#define SECRET_2   "dtn_ca\"na\\ry/2+%&<~>?"
#define SECRET_E2B "e2b_ca\"na\\ry/3+%&<~>?"
#define SECRET_CALLER                                                                                                  \
    "env_ca\"na\\ry/5+%&<~>?" /* what the caller gives to his sandboxes: no business of a record's                     \
                               */

struct hidden {
    struct routed_world *w;
    struct sbx_env *env; /* around the simulation's */
    struct keep keep;
    int echoes; /* answers hold credentials, so that blocks which held an answer do too */
};

/** @param room of each account @param classify as in struct routed_setup. The router is hidden_open()ed. */
struct hidden *hidden_new(int room, int classify);
void hidden_open(struct hidden *h);

/** Every request of that operation is answered with that status from now on, and a body that holds the credential of
 * the account in all its forms. @param which account: 0, 1 of Daytona; 2 of E2B */
void hidden_echo(struct hidden *h, const char *op, int which, int http_status);
void hidden_fault(struct hidden *h, const char *json);
void hidden_healthy(struct hidden *h);
/** Virtual time passes. */
void hidden_advance(struct hidden *h, int64_t ms);

/** Provisions, within 20 s, and looks at what came of it. */
enum sbx_status hidden_provision(struct hidden *h);
/** After a call by locator: looks at the error. @return st */
enum sbx_status hidden_said(struct hidden *h, enum sbx_status st);

/** Searches everything, frees everything, searches again. */
void hidden_end(struct hidden *h);

/** Credentials of sandboxes that the clouds have given out so far in this test. */
size_t hidden_tokens(void);

#endif
