/* What the stream of a process means once it is over: every way that it can end. Rows E8, P9, P11. */
#include "adapters/e2b/process.h"
#include "t.h"

static struct e2b_heard heard(int begun, int ended, int32_t ending, int32_t evidence) {
    struct e2b_heard h = {.begun = begun, .pid = begun ? 7 : 0, .ended = ended, .ending = ending};
    h.got.evidence = evidence;
    h.got.http_status = 200;
    h.got.sent_bytes = 100;
    return h;
}

static void is(const struct e2b_heard *h, enum sbx_status status, enum sbx_outcome outcome) {
    const struct e2b_meaning means = e2b_heard_meaning(h);
    T_STATUS(means.status, status);
    T_EQ(means.outcome, outcome);
}

/* Every ending and evidence, begun or not: success is an end that was told, and nothing else. */
static void success_needs_an_end_that_was_told(void) {
    for (int begun = 0; begun < 2; begun++)
        for (int ended = 0; ended <= begun; ended++)
            for (int32_t ending = SBX_CONNECT_WELL; ending <= SBX_CONNECT_STOPPED; ending++)
                for (int32_t evidence = SBX_EVIDENCE_DONE; evidence <= SBX_EVIDENCE_MEMORY; evidence++) {
                    const struct e2b_heard h = heard(begun, ended, ending, evidence);
                    const struct e2b_meaning means = e2b_heard_meaning(&h);
                    T_EQ(means.status == SBX_OK, ended);
                    if (begun) T_EQ(means.outcome, SBX_OUTCOME_DONE);
                    if (!begun) T_TRUE(means.outcome != SBX_OUTCOME_DONE && means.outcome != SBX_OUTCOME_NONE);
                }
}

/* ---- no_end_no_success: a stream that ends in good order without an exit ---- */

static void must_fire_no_end_no_success__well_without_exit(void) {
    const struct e2b_heard begun = heard(1, 0, SBX_CONNECT_WELL, SBX_EVIDENCE_DONE);
    const struct e2b_heard not_begun = heard(0, 0, SBX_CONNECT_WELL, SBX_EVIDENCE_DONE);
    is(&begun, SBX_PROTOCOL, SBX_OUTCOME_DONE);
    is(&not_begun, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN);
}

static void must_not_fire_no_end_no_success__exit(void) {
    const struct e2b_heard h = heard(1, 1, SBX_CONNECT_WELL, SBX_EVIDENCE_DONE);
    is(&h, SBX_OK, SBX_OUTCOME_DONE);
}

static void a_reset_a_stop_and_garbage_are_told_apart(void) {
    struct e2b_heard h = heard(1, 0, SBX_CONNECT_RESET, SBX_EVIDENCE_PARTIAL);
    is(&h, SBX_CONNECTION_LOST, SBX_OUTCOME_DONE);
    h = heard(1, 0, SBX_CONNECT_SHORT, SBX_EVIDENCE_DONE);
    is(&h, SBX_CONNECTION_LOST, SBX_OUTCOME_DONE);
    T_STR(e2b_heard_meaning(&h).detail, "the stream stopped without its end");
    h = heard(1, 0, SBX_CONNECT_BROKEN, SBX_EVIDENCE_PARTIAL);
    is(&h, SBX_PROTOCOL, SBX_OUTCOME_DONE);
    h = heard(0, 0, SBX_CONNECT_RESET, SBX_EVIDENCE_CONNECT);
    h.got.sent_bytes = 0;
    h.got.http_status = 0;
    is(&h, SBX_CONNECT_FAILED, SBX_OUTCOME_NOT_SENT);
    h = heard(0, 0, SBX_CONNECT_RESET, SBX_EVIDENCE_SENT_NO_ANSWER);
    h.got.http_status = 0;
    is(&h, SBX_CONNECTION_LOST, SBX_OUTCOME_UNKNOWN);
}

static void deadline_cancel_and_silence(void) {
    struct e2b_heard h = heard(1, 0, SBX_CONNECT_RESET, SBX_EVIDENCE_DEADLINE);
    is(&h, SBX_DEADLINE, SBX_OUTCOME_DONE);
    h.silent = 1;
    is(&h, SBX_CONNECTION_LOST, SBX_OUTCOME_DONE);
    h = heard(1, 0, SBX_CONNECT_RESET, SBX_EVIDENCE_CANCELLED);
    is(&h, SBX_CANCELLED, SBX_OUTCOME_DONE);
    h.stopped = 1;
    is(&h, SBX_CANCELLED, SBX_OUTCOME_DONE);
    h = heard(1, 0, SBX_CONNECT_STOPPED, SBX_EVIDENCE_PARTIAL);
    h.out_of_memory = 1;
    is(&h, SBX_NO_MEMORY, SBX_OUTCOME_DONE);
}

static struct e2b_heard errors(int begun, const char *code, const char *message) {
    struct e2b_heard h = heard(begun, 0, SBX_CONNECT_ERROR, SBX_EVIDENCE_DONE);
    strcpy(h.got.code, code);
    strcpy(h.got.message, message);
    return h;
}

static void errors_at_the_end(void) {
    const struct {
        const char *code, *message;
        enum sbx_status before; /* the process has begun */
        enum sbx_outcome outcome;
        enum sbx_status after;
    } cases[] = {
        {"deadline_exceeded", "context deadline exceeded", SBX_COMMAND_TIMEOUT, SBX_OUTCOME_UNKNOWN,
         SBX_COMMAND_TIMEOUT},
        {"unauthenticated", "invalid username: 'x'", SBX_UNAUTHORISED, SBX_OUTCOME_REFUSED, SBX_PROVIDER},
        {"invalid_argument", "cwd '/nope' does not exist", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, SBX_PROVIDER},
        {"invalid_argument", "parse timeout", SBX_PROTOCOL, SBX_OUTCOME_REFUSED, SBX_PROVIDER},
        {"resource_exhausted", "fork", SBX_RATE_LIMITED, SBX_OUTCOME_REFUSED, SBX_PROVIDER},
        {"unavailable", "frozen", SBX_NOT_READY, SBX_OUTCOME_UNKNOWN, SBX_CONNECTION_LOST},
        {"not_found", "process", SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, SBX_PROVIDER},
        {"internal", "", SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, SBX_PROVIDER},
        {"", "", SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, SBX_PROVIDER},
        {"brand_new", "", SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, SBX_PROVIDER},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct e2b_heard before = errors(0, cases[i].code, cases[i].message);
        const struct e2b_heard after = errors(1, cases[i].code, cases[i].message);
        is(&before, cases[i].before, cases[i].outcome);
        is(&after, cases[i].after, SBX_OUTCOME_DONE);
    }
}

/* The daemon ends a process with SIGKILL when its time is over; a command that was killed before was not. */
static void a_kill_for_its_time_is_a_timeout(void) {
    struct e2b_heard h = heard(1, 1, SBX_CONNECT_ERROR, SBX_EVIDENCE_DONE);
    h.signalled = 1;
    h.exit_known = 1;
    h.exit_code = 137;
    is(&h, SBX_OK, SBX_OUTCOME_DONE);
    h.lifetime_over = 1;
    is(&h, SBX_COMMAND_TIMEOUT, SBX_OUTCOME_DONE);
    h.signalled = 0;
    h.exit_code = 0;
    is(&h, SBX_OK, SBX_OUTCOME_DONE);
}

/* An answer that is no stream is judged as one. */
static void plain_answers_are_judged_by_the_table(void) {
    struct e2b_heard h = heard(0, 0, SBX_CONNECT_SHORT, SBX_EVIDENCE_DONE);
    h.got.http_status = 502;
    h.got.is_json = 1;
    h.got.number = 502;
    strcpy(h.got.message, "The sandbox was not found");
    is(&h, SBX_NOT_READY, SBX_OUTCOME_REFUSED);
    h.got.is_json = 0;
    h.got.number = 0;
    h.got.message[0] = 0;
    is(&h, SBX_NOT_READY, SBX_OUTCOME_UNKNOWN);
    h.got.http_status = 401;
    is(&h, SBX_UNAUTHORISED, SBX_OUTCOME_REFUSED);
    h.got.http_status = 200;
    h.garbled = 1; /* 200 and another content type */
    is(&h, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN);
}

T_CASES(T_CASE(success_needs_an_end_that_was_told), T_CASE(must_fire_no_end_no_success__well_without_exit),
        T_CASE(must_not_fire_no_end_no_success__exit), T_CASE(a_reset_a_stop_and_garbage_are_told_apart),
        T_CASE(deadline_cancel_and_silence), T_CASE(errors_at_the_end), T_CASE(a_kill_for_its_time_is_a_timeout),
        T_CASE(plain_answers_are_judged_by_the_table))
