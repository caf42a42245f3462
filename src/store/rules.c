/* What a change makes of a record: pure decisions, the same for every store. Rows R9, R10, R21, R22. */
#include <sandport/kit/store_rules.h>

#include <sandport/kit/fail.h>
#include <sandport/kit/options.h>
#include <string.h>

void sbx_store_verdict_init(struct sbx_store_verdict *verdict, size_t size) {
    sbx_options_init(verdict, size);
}

/* ---- states ---- */

#define BIT(state) (1u << (state))

static const struct state {
    const char *name;
    unsigned to; /* where sbx_store_advance() may take a record from here */
    int unfinished;
} states[] = {
    [SBX_RECORD_INTENT] = {"INTENT",
                           BIT(SBX_RECORD_SENT) | BIT(SBX_RECORD_ALLOCATED) | BIT(SBX_RECORD_ABSENT) |
                               BIT(SBX_RECORD_DESTROYING),
                           1},
    [SBX_RECORD_SENT] = {"SENT", BIT(SBX_RECORD_ALLOCATED) | BIT(SBX_RECORD_ABSENT) | BIT(SBX_RECORD_DESTROYING), 1},
    [SBX_RECORD_ALLOCATED] = {"ALLOCATED", BIT(SBX_RECORD_DESTROYING), 1},
    [SBX_RECORD_MAPPED] = {"MAPPED", BIT(SBX_RECORD_DESTROYING), 0},
    [SBX_RECORD_ABSENT] = {"ABSENT", 0, 0},
    [SBX_RECORD_DESTROYING] = {"DESTROYING", BIT(SBX_RECORD_DESTROYING) | BIT(SBX_RECORD_DONE), 1},
    [SBX_RECORD_DONE] = {"DONE", 0, 0},
};

static int is_state(int32_t state) {
    return state >= SBX_RECORD_INTENT && state <= SBX_RECORD_DONE;
}

const char *sbx_record_state_name(int32_t state) {
    return is_state(state) ? states[state].name : "?";
}

int sbx_record_unfinished(int32_t state) {
    return is_state(state) && states[state].unfinished;
}

static int leads_to(int32_t from, int32_t to) {
    return is_state(from) && is_state(to) && (states[from].to & BIT(to)) != 0;
}

/* ---- refusals ---- */

static enum sbx_status conflict(struct sbx_error *err, const char *what, int64_t expected, int64_t found) {
    return sbx_fail(err, SBX_CONFLICT, SBX_OUTCOME_REFUSED, "%s: expected %lld, the record has %lld", what,
                    (long long)expected, (long long)found);
}

static enum sbx_status not_the_owner(struct sbx_error *err) {
    return sbx_fail(err, SBX_CONFLICT, SBX_OUTCOME_REFUSED, "owner: the record is another's by now");
}

static enum sbx_status no_step(const struct sbx_record *now, const char *what, struct sbx_error *err) {
    return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "state: no step leads from %s to %s",
                    sbx_record_state_name(now->state), what);
}

static enum sbx_status id_missing(struct sbx_error *err) {
    return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "sandbox_id: expected one, here or before");
}

static int is_owner(const struct sbx_record *now, const struct sbx_store_change *change) {
    return strcmp(now->owner, change->owner) == 0;
}

/* Whoever changes a record that nobody works on is its owner from then on. */
static void taken_by(struct sbx_record *next, const struct sbx_store_change *change) {
    if (!is_owner(next, change)) next->lease++;
    next->owner = change->owner;
}

/* ---- put_intent ---- */

static int same_labels(const struct sbx_record *a, const struct sbx_record *b) {
    if (a->label_count != b->label_count) return 0;
    for (size_t i = 0; i < a->label_count; i++)
        if (strcmp(a->labels[i].name, b->labels[i].name) != 0 || strcmp(a->labels[i].value, b->labels[i].value) != 0)
            return 0;
    return 1;
}

static int same_draft(const struct sbx_record *a, const struct sbx_record *b) {
    return a->generation == b->generation && a->attempt == b->attempt && strcmp(a->owner, b->owner) == 0 &&
           strcmp(a->provider, b->provider) == 0 && strcmp(a->pool, b->pool) == 0 &&
           strcmp(a->sandbox_id, b->sandbox_id) == 0 && strcmp(a->request, b->request) == 0 && same_labels(a, b);
}

enum sbx_status sbx_store_decide_intent(const struct sbx_record *draft, const struct sbx_record *now,
                                        struct sbx_store_verdict *verdict, struct sbx_error *err) {
    sbx_store_verdict_init(verdict, sizeof(*verdict));
    verdict->write = !now;
    verdict->next = *draft;
    verdict->next.locator = "";
    verdict->next.state = SBX_RECORD_INTENT;
    verdict->next.generation = 1;
    verdict->next.lease = 1;
    if (!now) return SBX_OK;
    if (!same_draft(&verdict->next, now)) /* guard: store_intent_once */
        return sbx_fail(err, SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED, "acquisition: it has another record");
    verdict->next = *now; /* the lease may have been renewed */
    return SBX_OK;
}

/* ---- changes ---- */

static enum sbx_status advance(const struct sbx_store_change *change, const struct sbx_record *now,
                               struct sbx_record *next, struct sbx_error *err) {
    if (!leads_to(now->state, change->state)) /* guard: store_step */
        return no_step(now, sbx_record_state_name(change->state), err);
    if (sbx_record_unfinished(now->state) && !is_owner(now, change)) /* guard: store_owner_advances */
        return not_the_owner(err);
    if (change->sandbox_id) next->sandbox_id = change->sandbox_id;
    if (change->state == SBX_RECORD_ALLOCATED && !next->sandbox_id[0]) return id_missing(err);
    next->state = change->state;
    next->generation++;
    taken_by(next, change);
    return SBX_OK;
}

/* The record that has the locator gives it up. */
static enum sbx_status replace(const struct sbx_store_change *change, const struct sbx_record *holder,
                               struct sbx_store_verdict *verdict, struct sbx_error *err) {
    if (!holder || strcmp(holder->acquisition, change->replaces) != 0)
        return sbx_fail(err, SBX_CONFLICT, SBX_OUTCOME_REFUSED, "replaces: that record has not the locator");
    if (holder->generation != change->replaces_generation) /* guard: store_replaces_generation */
        return conflict(err, "replaces_generation", change->replaces_generation, holder->generation);
    if (holder->state != SBX_RECORD_MAPPED)
        return sbx_fail(err, SBX_CONFLICT, SBX_OUTCOME_REFUSED, "replaces: that record is %s, expected MAPPED",
                        sbx_record_state_name(holder->state));
    verdict->has_replaced = 1;
    verdict->replaced = *holder;
    verdict->replaced.locator = "";
    verdict->replaced.state = change->replaces_state;
    verdict->replaced.generation++;
    taken_by(&verdict->replaced, change);
    return SBX_OK;
}

static enum sbx_status put_mapping(const struct sbx_store_change *change, const struct sbx_record *now,
                                   const struct sbx_record *holder, struct sbx_store_verdict *verdict,
                                   struct sbx_error *err) {
    struct sbx_record *next = &verdict->next;
    int is_mapped = now->state == SBX_RECORD_MAPPED;
    if (!is_mapped && now->state != SBX_RECORD_SENT && now->state != SBX_RECORD_ALLOCATED)
        return no_step(now, "MAPPED", err);
    if (!is_mapped && !is_owner(now, change)) return not_the_owner(err); /* guard: store_owner_maps */
    if (is_mapped && (strcmp(now->locator, change->locator) != 0 || change->replaces))
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "locator: expected the one that it has");
    if (change->sandbox_id) next->sandbox_id = change->sandbox_id;
    if (!next->sandbox_id[0]) return id_missing(err);
    if (change->replaces) {
        enum sbx_status st = replace(change, holder, verdict, err);
        if (st) return st;
    } else if (holder && strcmp(holder->acquisition, now->acquisition) != 0) { /* guard: store_locator_once */
        return sbx_fail(err, SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED, "locator: another record has it");
    }
    next->locator = change->locator;
    next->state = SBX_RECORD_MAPPED;
    next->generation++;
    taken_by(next, change);
    return SBX_OK;
}

static enum sbx_status claim(const struct sbx_store_change *change, const struct sbx_record *now,
                             struct sbx_record *next, struct sbx_error *err) {
    if (now->lease != change->lease) /* guard: store_lease_unchanged */
        return conflict(err, "lease", change->lease, now->lease);
    if (!sbx_record_unfinished(now->state))
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "state: %s is finished, nothing to claim",
                        sbx_record_state_name(now->state));
    next->owner = change->owner;
    next->lease++;
    next->generation++;
    return SBX_OK;
}

static enum sbx_status renew(const struct sbx_store_change *change, const struct sbx_record *now,
                             struct sbx_record *next, struct sbx_error *err) {
    if (!is_owner(now, change)) return not_the_owner(err); /* guard: store_owner_renews */
    if (!sbx_record_unfinished(now->state))
        return sbx_fail(err, SBX_CONFLICT, SBX_OUTCOME_REFUSED, "state: %s is finished, nothing to renew",
                        sbx_record_state_name(now->state));
    next->lease++;
    return SBX_OK;
}

enum sbx_status sbx_store_decide(int32_t verb, const struct sbx_store_change *change, const struct sbx_record *now,
                                 const struct sbx_record *holder, struct sbx_store_verdict *verdict,
                                 struct sbx_error *err) {
    sbx_store_verdict_init(verdict, sizeof(*verdict));
    if (!now && verb == SBX_STORE_REMOVE) return SBX_OK;
    if (!now) return sbx_fail(err, SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, "acquisition: it has no record");
    if (verb != SBX_STORE_RENEW && now->generation != change->generation) /* guard: store_generation */
        return conflict(err, "generation", change->generation, now->generation);
    verdict->write = 1;
    verdict->next = *now;
    switch ((enum sbx_store_verb)verb) {
    case SBX_STORE_ADVANCE:
        return advance(change, now, &verdict->next, err);
    case SBX_STORE_PUT_MAPPING:
        return put_mapping(change, now, holder, verdict, err);
    case SBX_STORE_CLAIM:
        return claim(change, now, &verdict->next, err);
    case SBX_STORE_RENEW:
        return renew(change, now, &verdict->next, err);
    case SBX_STORE_REMOVE:
        break;
    }
    if (now->state != SBX_RECORD_ABSENT && now->state != SBX_RECORD_DONE) /* guard: store_remove_finished */
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "state: %s, expected ABSENT or DONE",
                        sbx_record_state_name(now->state));
    return SBX_OK;
}
