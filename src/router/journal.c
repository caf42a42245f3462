/* One launch in the store: written down before it is sent, and followed to its end. Rows R9, R22. */
#include "src/router/journal.h"

static enum sbx_status keep(struct journal *journal, enum sbx_status st, struct sbx_record *record) {
    if (st) {
        struct sbx_router_event event = sbx_router_event_of(SBX_EVENT_STORE_FAILED);
        event.acquisition = journal->acquisition;
        event.status = (int32_t)st;
        event.outcome = journal->err.outcome;
        sbx_router_tell(journal->router, &event);
        return st;
    }
    journal->generation = record->generation;
    journal->state = record->state;
    sbx_copy(journal->sandbox_id, sizeof(journal->sandbox_id), record->sandbox_id);
    sbx_record_free(record);
    return SBX_OK;
}

static struct sbx_store_change change_of(const struct journal *journal) {
    struct sbx_store_change change = SBX_STORE_CHANGE_INIT;
    change.acquisition = journal->acquisition;
    change.generation = journal->generation;
    change.owner = journal->router->owner;
    return change;
}

static void journal_init(struct journal *journal, struct sbx_router *router, const char *acquisition) {
    const struct journal empty = {.router = router};
    *journal = empty;
    sbx_error_init(&journal->err, sizeof(journal->err));
    sbx_copy(journal->acquisition, sizeof(journal->acquisition), acquisition);
}

enum sbx_status sbx_journal_begin(struct journal *journal, struct sbx_router *router, const char *acquisition,
                                  const struct journal_entry *entry, const struct sbx_call *call) {
    struct sbx_record draft = SBX_RECORD_INIT, *record = NULL;
    journal_init(journal, router, acquisition);
    draft.acquisition = acquisition;
    draft.locator = draft.sandbox_id = "";
    draft.provider = entry->provider;
    draft.pool = entry->pool_id;
    draft.request = entry->request;
    draft.owner = router->owner;
    draft.labels = entry->labels;
    draft.label_count = entry->label_count;
    draft.attempt = entry->attempt;
    enum sbx_status st = sbx_store_put_intent(router->store, &draft, call, &record, &journal->err);
    st = keep(journal, st, record);
    return st ? st : sbx_journal_advance(journal, SBX_RECORD_SENT, NULL, call);
}

void sbx_journal_resume(struct journal *journal, struct sbx_router *router, const struct sbx_record *record) {
    journal_init(journal, router, record->acquisition);
    journal->generation = record->generation;
    journal->state = record->state;
    sbx_copy(journal->sandbox_id, sizeof(journal->sandbox_id), record->sandbox_id);
}

enum sbx_status sbx_journal_advance(struct journal *journal, int32_t state, const char *sandbox_id,
                                    const struct sbx_call *call) {
    struct sbx_store_change change = change_of(journal);
    struct sbx_record *record = NULL;
    change.state = state;
    change.sandbox_id = sandbox_id && *sandbox_id ? sandbox_id : NULL;
    sbx_error_init(&journal->err, sizeof(journal->err));
    enum sbx_status st = sbx_store_advance(journal->router->store, &change, call, &record, &journal->err);
    return keep(journal, st, record);
}

enum sbx_status sbx_journal_gone(struct journal *journal, const char *sandbox_id, const struct sbx_call *call) {
    enum sbx_status st = SBX_OK;
    if (journal->state == SBX_RECORD_DONE || journal->state == SBX_RECORD_ABSENT) return SBX_OK;
    if (journal->state != SBX_RECORD_DESTROYING)
        st = sbx_journal_advance(journal, SBX_RECORD_DESTROYING, sandbox_id, call);
    return st ? st : sbx_journal_advance(journal, SBX_RECORD_DONE, NULL, call);
}

enum sbx_status sbx_journal_map(struct journal *journal, const char *locator, const char *sandbox_id,
                                const struct journal *replaces, int32_t replaces_state, const struct sbx_call *call) {
    struct sbx_store_change change = change_of(journal);
    struct sbx_record *record = NULL;
    change.locator = locator;
    change.sandbox_id = sandbox_id;
    if (replaces) {
        change.replaces = replaces->acquisition;
        change.replaces_generation = replaces->generation;
        change.replaces_state = replaces_state;
    }
    sbx_error_init(&journal->err, sizeof(journal->err));
    enum sbx_status st = sbx_store_put_mapping(journal->router->store, &change, call, &record, &journal->err);
    return keep(journal, st, record);
}
