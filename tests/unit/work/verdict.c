/* The decisions of exact exec over all their inputs. Rows P9, P11. */
#include "src/work/exact_verdict.h"
#include "t.h"

static const enum sbx_status statuses[] = {
#define STATUS(name, number, text) SBX_##name,
    SBX_STATUS_LIST(STATUS)
#undef STATUS
};
#define STATUS_COUNT (sizeof(statuses) / sizeof(statuses[0]))

static int over(enum sbx_status st) {
    return st == SBX_COMMAND_TIMEOUT || st == SBX_DEADLINE || st == SBX_CANCELLED;
}

static void after_run_nothing_sent_is_never_asked(void) {
    const int32_t nothing[] = {SBX_OUTCOME_NONE, SBX_OUTCOME_NOT_SENT, SBX_OUTCOME_REFUSED};
    for (size_t i = 1; i < STATUS_COUNT; i++)
        for (size_t o = 0; o < 3; o++) T_EQ(sbx_exact_after_run(statuses[i], nothing[o], CODED_EXIT), EXACT_REPORT);
}

static void after_run_what_may_have_run_is_asked(void) {
    const int32_t maybe[] = {SBX_OUTCOME_UNKNOWN, SBX_OUTCOME_DONE};
    for (size_t i = 1; i < STATUS_COUNT; i++)
        for (size_t o = 0; o < 2; o++)
            T_EQ(sbx_exact_after_run(statuses[i], maybe[o], CODED_EXIT), over(statuses[i]) ? EXACT_KILL : EXACT_WAIT);
}

static void after_run_an_answer_counts_unless_it_says_nothing(void) {
    for (int code = CODED_EXIT; code <= CODED_UNKNOWN; code++)
        T_EQ(sbx_exact_after_run(SBX_OK, SBX_OUTCOME_NONE, (enum coded_code)code),
             code == CODED_ABSENT || code == CODED_UNKNOWN ? EXACT_WAIT : EXACT_TAKE);
}

static void after_wait_only_time_kills(void) {
    T_EQ(sbx_exact_after_wait(SBX_OK), EXACT_TAKE);
    for (size_t i = 1; i < STATUS_COUNT; i++)
        T_EQ(sbx_exact_after_wait(statuses[i]), over(statuses[i]) ? EXACT_KILL : EXACT_REPORT);
}

static void asked_again_only_where_it_helps(void) {
    size_t again = 0;
    for (size_t i = 0; i < STATUS_COUNT; i++) again += (size_t)sbx_exact_ask_again(statuses[i]);
    T_EQ(again, 5);
    T_TRUE(sbx_exact_ask_again(SBX_CONNECTION_LOST) && sbx_exact_ask_again(SBX_PROVIDER) &&
           !sbx_exact_ask_again(SBX_OK));
    T_TRUE(!sbx_exact_ask_again(SBX_UNAUTHORISED) && !sbx_exact_ask_again(SBX_CANCELLED) &&
           !sbx_exact_ask_again(SBX_NOT_FOUND));
}

static struct exact_end end_of(enum sbx_status cause, enum coded_code code, enum exact_ended ended, int32_t exit_code) {
    const struct exact_answer ans = {.code = code, .ended = ended, .exit_code = exit_code};
    return sbx_exact_end_of(cause, &ans);
}

/* For every cause, end and exit code: an outcome of DONE exactly where the command was started, an exit code exactly
 * where there is one, and a proof only where the group was seen dead after somebody ended it. */
static void what_is_said_is_true(void) {
    const int32_t exits[] = {0, 1, 137, 255};
    for (size_t i = 0; i < STATUS_COUNT; i++)
        for (int code = CODED_EXIT; code <= CODED_UNKNOWN; code++)
            for (int ended = EXACT_ENDED_SELF; ended <= EXACT_ENDED_UNPROVEN; ended++)
                for (size_t x = 0; x < 4; x++) {
                    struct exact_end end =
                        end_of(statuses[i], (enum coded_code)code, (enum exact_ended)ended, exits[x]);
                    int started = code == CODED_EXIT || code == CODED_LOST || code == CODED_RUNNING;
                    T_EQ(end.outcome == SBX_OUTCOME_DONE, started);
                    T_EQ(end.has_output, started);
                    T_EQ(end.exit_known, code == CODED_EXIT);
                    if (end.status == SBX_OK) T_EQ(code, CODED_EXIT);
                    if (end.killed_confirmed)
                        T_TRUE(end.status && (ended == EXACT_ENDED_KILLED || ended == EXACT_ENDED_DEAD) &&
                               code != CODED_RUNNING);
                    if (end.outcome == SBX_OUTCOME_REFUSED) T_TRUE(end.status != SBX_OK);
                }
}

static void a_true_result_wins_over_why_it_was_asked(void) {
    for (size_t i = 0; i < STATUS_COUNT; i++)
        T_STATUS(end_of(statuses[i], CODED_EXIT, EXACT_ENDED_SELF, 137).status, SBX_OK);
}

static void the_first_status_stays(void) {
    T_STATUS(end_of(SBX_CANCELLED, CODED_EXIT, EXACT_ENDED_KILLED, 137).status, SBX_CANCELLED);
    T_STATUS(end_of(SBX_DEADLINE, CODED_LOST, EXACT_ENDED_DEAD, 0).status, SBX_DEADLINE);
    T_STATUS(end_of(SBX_COMMAND_TIMEOUT, CODED_RUNNING, EXACT_ENDED_UNPROVEN, 0).status, SBX_COMMAND_TIMEOUT);
    T_STATUS(end_of(SBX_CONNECTION_LOST, CODED_EXIT, EXACT_ENDED_KILLED, 137).status, SBX_COMMAND_TIMEOUT);
    T_STATUS(end_of(SBX_CONNECTION_LOST, CODED_LOST, EXACT_ENDED_SELF, 0).status, SBX_PROCESS_LOST);
    T_STATUS(end_of(SBX_CONNECTION_LOST, CODED_ABSENT, EXACT_ENDED_SELF, 0).status, SBX_CONNECTION_LOST);
    T_STATUS(end_of(SBX_CANCELLED, CODED_NEVER, EXACT_ENDED_SELF, 0).status, SBX_CANCELLED);
    T_STATUS(end_of(SBX_OK, CODED_NEVER, EXACT_ENDED_SELF, 0).status, SBX_PROCESS_LOST);
}

T_CASES(T_CASE(after_run_nothing_sent_is_never_asked), T_CASE(after_run_what_may_have_run_is_asked),
        T_CASE(after_run_an_answer_counts_unless_it_says_nothing), T_CASE(after_wait_only_time_kills),
        T_CASE(asked_again_only_where_it_helps), T_CASE(what_is_said_is_true),
        T_CASE(a_true_result_wins_over_why_it_was_asked), T_CASE(the_first_status_stays))
