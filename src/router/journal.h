/* One launch in the store: written down before it is sent, and followed to its end. */
#ifndef SRC_ROUTER_JOURNAL_H
#define SRC_ROUTER_JOURNAL_H

#include "src/router/router.h"

struct journal {
    struct sbx_router *router;
    char acquisition[SBX_ACQUISITION_SIZE];
    char sandbox_id[SBX_ID_SIZE];
    int64_t generation;
    int32_t state;        /* enum sbx_record_state, as this process knows it */
    struct sbx_error err; /* of the last step that failed: the store's */
};

struct journal_entry {
    const char *pool_id;
    const char *provider;
    const char *request;
    const struct sbx_pair *labels;
    size_t label_count;
    int32_t attempt;
};

/** Writes the intent, then that it is being sent. After SBX_OK both are where a crash does not lose them. */
enum sbx_status sbx_journal_begin(struct journal *journal, struct sbx_router *router, const char *acquisition,
                                  const struct journal_entry *entry, const struct sbx_call *call);
/** Goes on with a record that is there. */
void sbx_journal_resume(struct journal *journal, struct sbx_router *router, const struct sbx_record *record);
/** To another state. @param sandbox_id NULL = as it is */
enum sbx_status sbx_journal_advance(struct journal *journal, int32_t state, const char *sandbox_id,
                                    const struct sbx_call *call);
/** Through DESTROYING to DONE, as far as it is not there yet. */
enum sbx_status sbx_journal_gone(struct journal *journal, const char *sandbox_id, const struct sbx_call *call);
/** The locator leads here. @param replaces NULL, or the record that has it now, with what becomes of that */
enum sbx_status sbx_journal_map(struct journal *journal, const char *locator, const char *sandbox_id,
                                const struct journal *replaces, int32_t replaces_state, const struct sbx_call *call);

#endif
