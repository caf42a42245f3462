/* The guards of acquisition: each in pairs that differ in one fact. Rows R7, R9, R10, R12, R22. */
#include "broken_store.h"
#include "routed.h"

static const struct fake_launch refused = {SBX_NO_CAPACITY, SBX_OUTCOME_REFUSED, SBX_CLEANUP_NONE, 503, 0};
static const struct fake_launch unknown = {SBX_CONNECTION_LOST, SBX_OUTCOME_UNKNOWN, SBX_CLEANUP_UNCONFIRMED, 0, 0};
static const struct fake_launch unknown_and_left = {SBX_CONNECTION_LOST, SBX_OUTCOME_UNKNOWN, SBX_CLEANUP_UNCONFIRMED,
                                                    0, 1};

/* "a" fails like this, a classifier (if there is one) says that; @return how it went: launches of "b" tell whether it
 * fell back. */
static struct routed *after_a_failure(const struct fake_launch *how, int has_classifier, int32_t verdict,
                                      const char *code, enum sbx_status due) {
    struct routed *r = routed_new();
    r->a.launches[0] = *how;
    r->verdict = verdict;
    r->code = code;
    if (has_classifier) {
        r->opt.classify = routed_classify;
        r->opt.classify_ctx = r;
    }
    routed_open(r, NULL);
    T_STATUS(routed_provision(r), due);
    T_EQ(r->asked, has_classifier);
    T_EQ(r->a.launched, 1);
    return r;
}

static void fell_back(struct routed *r, int launches_of_b) {
    T_EQ(r->b.launched, launches_of_b);
    T_EQ(fake_live(&r->a) + fake_live(&r->b), launches_of_b);
    routed_free(r);
}

static void must_fire_nobody_says_yes__refused(void) {
    fell_back(after_a_failure(&refused, 0, 1, "NO_ROOM", SBX_PROVIDER_PROVISIONING), 0);
}

static void must_not_fire_nobody_says_yes__classifier(void) {
    fell_back(after_a_failure(&refused, 1, 1, "NO_ROOM", SBX_OK), 1);
}

static void must_fire_terminal_by_default__says_no(void) {
    fell_back(after_a_failure(&refused, 1, 0, "NO_ROOM", SBX_PROVIDER_PROVISIONING), 0);
}

static void must_not_fire_terminal_by_default__says_yes(void) {
    fell_back(after_a_failure(&refused, 1, 1, "NO_ROOM", SBX_OK), 1);
}

static void must_fire_classifier_that_fails__yes_and_failed(void) {
    fell_back(after_a_failure(&refused, 1, -1, "NO_ROOM", SBX_PROVIDER_PROVISIONING), 0);
}

static void must_not_fire_classifier_that_fails__yes(void) {
    fell_back(after_a_failure(&refused, 1, 1, "NO_ROOM", SBX_OK), 1);
}

static void must_fire_code_is_identifier__blank_in_it(void) {
    fell_back(after_a_failure(&refused, 1, 1, "NO ROOM", SBX_PROVIDER_PROVISIONING), 0);
}

static void must_fire_code_is_identifier__empty(void) {
    fell_back(after_a_failure(&refused, 1, 1, "", SBX_PROVIDER_PROVISIONING), 0);
}

static void must_not_fire_code_is_identifier__digits(void) {
    fell_back(after_a_failure(&refused, 1, 1, "NO_ROOM_2", SBX_OK), 1);
}

/* ---- what is left ---- */

static void must_fire_unknown_is_looked_up__unknown(void) {
    struct routed *r = after_a_failure(&unknown, 1, 1, "NO_ROOM", SBX_OK);
    T_EQ(r->a.reconciles, 1);
    T_EQ(routed_state(r, r->a.acquisition), SBX_RECORD_ABSENT);
    fell_back(r, 1);
}

static void must_not_fire_unknown_is_looked_up__refused(void) {
    struct routed *r = after_a_failure(&refused, 1, 1, "NO_ROOM", SBX_OK);
    T_EQ(r->a.reconciles, 0);
    fell_back(r, 1);
}

static void must_fire_found_ends_the_request__found(void) {
    struct routed *r = after_a_failure(&unknown_and_left, 1, 1, "NO_ROOM", SBX_PROVIDER_PROVISIONING);
    T_EQ(r->err.cause, SBX_CONNECTION_LOST);
    T_EQ(r->err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(routed_state(r, r->a.acquisition), SBX_RECORD_DONE);
    T_CONTAINS(r->told,
               "RECONCILED a 1\nCLEANUP a done 1\nATTEMPT_FAILED a CONNECTION_LOST UNKNOWN NO_ROOM retryable 0");
    fell_back(r, 0);
}

static void must_not_fire_found_ends_the_request__absent(void) {
    fell_back(after_a_failure(&unknown, 1, 1, "NO_ROOM", SBX_OK), 1);
}

static struct routed *undecided(int times, enum sbx_status due) {
    struct routed *r = routed_new();
    r->a.launches[0] = unknown;
    r->a.fail_reconcile = times;
    r->opt.classify = routed_classify;
    r->opt.classify_ctx = r;
    r->verdict = 1;
    routed_open(r, NULL);
    T_STATUS(routed_provision(r), due);
    return r;
}

static void must_fire_undecided_ends_the_request__undecided(void) {
    struct routed *r = undecided(1, SBX_PROVIDER_PROVISIONING);
    T_EQ(r->err.cleanup, SBX_CLEANUP_UNCONFIRMED);
    T_STR(r->err.acquisition, r->a.acquisition);
    T_EQ(routed_state(r, r->a.acquisition), SBX_RECORD_SENT); /* for the reaper */
    fell_back(r, 0);
}

static void must_not_fire_undecided_ends_the_request__absent(void) {
    fell_back(undecided(0, SBX_OK), 1);
}

/* ---- how many ---- */

static struct routed *bounded(int32_t bound, int32_t fallback) {
    struct routed *r = routed_new();
    r->a.launches[0] = refused;
    r->opt.classify = routed_classify;
    r->opt.classify_ctx = r;
    r->verdict = 1;
    r->req.attempt_count_max = bound;
    r->req.acquisition_fallback = fallback;
    routed_open(r, NULL);
    return r;
}

static void must_fire_attempt_bound__one(void) {
    struct routed *r = bounded(1, SBX_DEFAULT);
    T_STATUS(routed_provision(r), SBX_ACQUISITION_EXHAUSTED);
    fell_back(r, 0);
}

static void must_not_fire_attempt_bound__two(void) {
    struct routed *r = bounded(2, SBX_DEFAULT);
    T_STATUS(routed_provision(r), SBX_OK);
    fell_back(r, 1);
}

static void must_fire_forbidden_is_one_launch__forbidden(void) {
    struct routed *r = bounded(3, SBX_NO);
    T_STATUS(routed_provision(r), SBX_PROVIDER_PROVISIONING);
    fell_back(r, 0);
}

static void must_not_fire_forbidden_is_one_launch__allowed(void) {
    struct routed *r = bounded(3, SBX_YES);
    T_STATUS(routed_provision(r), SBX_OK);
    fell_back(r, 1);
}

/* ---- the store ---- */

struct stored {
    struct routed *r;
    struct broken_store broken;
    int32_t state_at_launch;
};

static void look_at_launch(void *ctx, struct fake *fake) {
    struct stored *s = ctx;
    s->state_at_launch = routed_state(s->r, fake->acquisition);
}

static struct stored stored_new(void) {
    struct stored s = {.r = routed_new()};
    return s;
}

static void stored_open(struct stored *s) {
    broken_store_new(&s->broken, s->r->env, &s->r->store);
    s->r->inner = s->broken.inner;
    s->r->a.on_launch = look_at_launch;
    s->r->a.on_launch_ctx = s;
    routed_open(s->r, NULL);
}

static void stored_free(struct stored *s) {
    routed_free(s->r);
}

static void must_fire_intent_before_launch__store_fails(void) {
    struct stored s = stored_new();
    stored_open(&s);
    s.broken.fail_intent = 1;
    T_EQ(routed_provision(s.r) == SBX_OK, 0);
    T_EQ(s.r->a.launched + s.r->b.launched, 0);
    T_EQ(s.r->err.status, SBX_MAPPING_STORE);
    T_EQ(s.r->err.cause, SBX_STORE_FAILED);
    T_EQ(s.r->err.outcome, SBX_OUTCOME_NOT_SENT);
    stored_free(&s);
}

static void must_not_fire_intent_before_launch__store_works(void) {
    struct stored s = stored_new();
    stored_open(&s);
    T_STATUS(routed_provision(s.r), SBX_OK);
    T_EQ(s.r->a.launched + s.r->b.launched, 1);
    T_EQ(s.state_at_launch, SBX_RECORD_SENT);
    stored_free(&s);
}

static void must_fire_store_failure_deletes__mapping(void) {
    struct stored s = stored_new();
    s.r->opt.classify = routed_classify; /* it is no failure of the provider's: nobody is asked */
    s.r->opt.classify_ctx = s.r;
    stored_open(&s);
    s.broken.fail_mapping = 1;
    T_STATUS(routed_provision(s.r), SBX_MAPPING_STORE);
    T_EQ(fake_live(&s.r->a), 0);
    T_EQ(s.r->a.destroys, 1);
    T_EQ(s.r->b.launched, 0);
    T_EQ(s.r->asked, 0);
    T_EQ(s.r->err.cause, SBX_STORE_FAILED);
    T_EQ(s.r->err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_STR(s.r->err.sandbox_id, s.r->a.sandboxes[0].id);
    T_EQ(routed_state(s.r, s.r->a.acquisition), SBX_RECORD_DONE);
    T_CONTAINS(s.r->told, "STORE_FAILED STORE_FAILED\nCLEANUP a done 1\n");
    stored_free(&s);
}

static void must_not_fire_store_failure_deletes__mapped(void) {
    struct stored s = stored_new();
    stored_open(&s);
    T_STATUS(routed_provision(s.r), SBX_OK);
    T_EQ(fake_live(&s.r->a), 1);
    T_EQ(s.r->a.destroys, 0);
    stored_free(&s);
}

/* A clean-up that fails too is told, and left to the reaper. */
static void a_cleanup_that_fails_is_told(void) {
    struct stored s = stored_new();
    stored_open(&s);
    s.broken.fail_mapping = 1;
    s.r->a.fail_destroy = 1;
    T_STATUS(routed_provision(s.r), SBX_MAPPING_STORE);
    T_EQ(s.r->err.cleanup, SBX_CLEANUP_UNCONFIRMED);
    T_STR(s.r->err.acquisition, s.r->a.acquisition);
    T_CONTAINS(s.r->told, "CLEANUP a done 0\n");
    T_EQ(routed_state(s.r, s.r->a.acquisition), SBX_RECORD_SENT);
    stored_free(&s);
}

/* ---- secrecy ---- */

static void words_of(const struct fake_launch *how, enum sbx_status due, const char *detail) {
    struct routed *r = routed_new();
    r->a.launches[0] = *how;
    routed_open(r, NULL);
    T_STATUS(routed_provision(r), due);
    T_STR(r->err.detail, detail);
    routed_free(r);
}

static void must_fire_no_words_of_others__failed(void) {
    words_of(&refused, SBX_PROVIDER_PROVISIONING, "pool a: NO_CAPACITY");
}

static void must_not_fire_no_words_of_others__launched(void) {
    static const struct fake_launch well = {0};
    words_of(&well, SBX_OK, "");
}

/* ---- registries ---- */

static void registered(const char *second, enum sbx_status due) {
    struct routed *r = routed_new();
    struct sbx_pool *const pools[] = {fake_pool(&r->a, r->env, "a", NULL, NULL),
                                      fake_pool(&r->b, r->env, second, NULL, NULL)};
    T_STATUS(sbx_registry_memory_create(pools, 2, &r->registry, &r->err), due);
    if (due) {
        sbx_pool_free(pools[0]);
        sbx_pool_free(pools[1]);
    }
    routed_free(r);
}

static void must_fire_registry_id_once__twice(void) {
    registered("a", SBX_INVALID_ARGUMENT);
}

static void must_not_fire_registry_id_once__another(void) {
    registered("b", SBX_OK);
}

/* ---- adapters' own classifiers ---- */

static void classified(int32_t outcome, int32_t status, const char *provider, int32_t retryable, const char *code) {
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_classification said = {.size = sizeof(said)};
    const struct sbx_launch_failure failure = {sizeof(failure), "a", provider, &err};
    err.outcome = outcome;
    err.status = status;
    T_EQ(sbx_classify_refusals("fake", &failure, &said), 0);
    T_EQ(said.retryable, retryable);
    T_STR(said.code, code);
}

static void must_fire_classify_refused_alone__unknown(void) {
    classified(SBX_OUTCOME_UNKNOWN, SBX_QUOTA, "fake", 0, "PROVIDER_LAUNCH_FAILED");
}

static void must_fire_classify_refused_alone__other_provider(void) {
    classified(SBX_OUTCOME_REFUSED, SBX_QUOTA, "else", 0, "PROVIDER_LAUNCH_FAILED");
}

static void must_not_fire_classify_refused_alone__refused(void) {
    classified(SBX_OUTCOME_REFUSED, SBX_QUOTA, "fake", 1, "PROVIDER_QUOTA_REFUSED");
    classified(SBX_OUTCOME_REFUSED, SBX_NO_CAPACITY, "fake", 1, "PROVIDER_CAPACITY_REFUSED");
    classified(SBX_OUTCOME_REFUSED, SBX_RATE_LIMITED, "fake", 1, "PROVIDER_RATE_REFUSED");
    classified(SBX_OUTCOME_REFUSED, SBX_FORBIDDEN, "fake", 0, "PROVIDER_LAUNCH_FAILED");
}

T_CASES(T_CASE(must_fire_nobody_says_yes__refused), T_CASE(must_not_fire_nobody_says_yes__classifier),
        T_CASE(must_fire_terminal_by_default__says_no), T_CASE(must_not_fire_terminal_by_default__says_yes),
        T_CASE(must_fire_classifier_that_fails__yes_and_failed), T_CASE(must_not_fire_classifier_that_fails__yes),
        T_CASE(must_fire_code_is_identifier__blank_in_it), T_CASE(must_fire_code_is_identifier__empty),
        T_CASE(must_not_fire_code_is_identifier__digits), T_CASE(must_fire_unknown_is_looked_up__unknown),
        T_CASE(must_not_fire_unknown_is_looked_up__refused), T_CASE(must_fire_found_ends_the_request__found),
        T_CASE(must_not_fire_found_ends_the_request__absent), T_CASE(must_fire_undecided_ends_the_request__undecided),
        T_CASE(must_not_fire_undecided_ends_the_request__absent), T_CASE(must_fire_attempt_bound__one),
        T_CASE(must_not_fire_attempt_bound__two), T_CASE(must_fire_forbidden_is_one_launch__forbidden),
        T_CASE(must_not_fire_forbidden_is_one_launch__allowed), T_CASE(must_fire_intent_before_launch__store_fails),
        T_CASE(must_not_fire_intent_before_launch__store_works), T_CASE(must_fire_store_failure_deletes__mapping),
        T_CASE(must_not_fire_store_failure_deletes__mapped), T_CASE(a_cleanup_that_fails_is_told),
        T_CASE(must_fire_no_words_of_others__failed), T_CASE(must_not_fire_no_words_of_others__launched),
        T_CASE(must_fire_registry_id_once__twice), T_CASE(must_not_fire_registry_id_once__another),
        T_CASE(must_fire_classify_refused_alone__unknown), T_CASE(must_fire_classify_refused_alone__other_provider),
        T_CASE(must_not_fire_classify_refused_alone__refused))
