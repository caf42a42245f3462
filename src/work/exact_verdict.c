/* The decisions of exact exec. Each is small enough to be tested over every input. Rows P9, P11. */
#include "src/work/exact_verdict.h"

#define SIGKILL_EXIT_CODE 137

static int time_is_over(enum sbx_status status) {
    return status == SBX_COMMAND_TIMEOUT || status == SBX_DEADLINE || status == SBX_CANCELLED;
}

static int is_inconclusive(enum coded_code code) {
    return code == CODED_ABSENT || code == CODED_UNKNOWN;
}

enum exact_next sbx_exact_after_run(enum sbx_status status, int32_t outcome, enum coded_code code) {
    if (status == SBX_OK) return is_inconclusive(code) ? EXACT_WAIT : EXACT_TAKE;
    if (outcome == SBX_OUTCOME_NONE || outcome == SBX_OUTCOME_NOT_SENT || outcome == SBX_OUTCOME_REFUSED)
        return EXACT_REPORT;
    return time_is_over(status) ? EXACT_KILL : EXACT_WAIT; /* guard: exec_lost_reply_recovered */
}

enum exact_next sbx_exact_after_wait(enum sbx_status status) {
    if (status == SBX_OK) return EXACT_TAKE;
    return time_is_over(status) ? EXACT_KILL : EXACT_REPORT;
}

int sbx_exact_ask_again(enum sbx_status status) {
    return status == SBX_CONNECT_FAILED || status == SBX_CONNECTION_LOST || status == SBX_PROTOCOL ||
           status == SBX_PROVIDER || status == SBX_RATE_LIMITED;
}

static struct exact_end refused(enum sbx_status status) {
    return (struct exact_end){.status = status, .outcome = SBX_OUTCOME_REFUSED};
}

static int was_killed(const struct exact_answer *ans) {
    return ans->ended == EXACT_ENDED_KILLED || ans->ended == EXACT_ENDED_UNPROVEN;
}

/* Was it ended from outside? A kill that came too late for the command only hit what it had left behind: then its exit
 * code is its own. */
static int was_ended(enum sbx_status cause, const struct exact_answer *ans) {
    if (ans->code == CODED_RUNNING) return 1;
    if (ans->code == CODED_LOST) return was_killed(ans) || time_is_over(cause);
    return was_killed(ans) && ans->exit_code == SIGKILL_EXIT_CODE; /* guard: exec_late_kill */
}

static struct exact_end ran(enum sbx_status cause, const struct exact_answer *ans) {
    struct exact_end end = {.outcome = SBX_OUTCOME_DONE, .has_output = 1};
    end.exit_known = ans->code == CODED_EXIT;
    end.status = ans->code == CODED_LOST ? SBX_PROCESS_LOST : SBX_OK;
    if (!was_ended(cause, ans)) return end;
    end.status = time_is_over(cause) ? cause : SBX_COMMAND_TIMEOUT; /* a question's patience is the lifetime */
    end.killed_confirmed = ans->code != CODED_RUNNING &&            /* guard: exec_kill_confirmed */
                           (ans->ended == EXACT_ENDED_KILLED || ans->ended == EXACT_ENDED_DEAD);
    return end;
}

struct exact_end sbx_exact_end_of(enum sbx_status cause, const struct exact_answer *ans) {
    switch (ans->code) {
    case CODED_EXIT:
    case CODED_LOST:
    case CODED_RUNNING:
        return ran(cause, ans);
    case CODED_NEVER:
        return refused(time_is_over(cause) ? cause : SBX_PROCESS_LOST);
    case CODED_NO_TOOL:
        return refused(SBX_TOOL_MISSING);
    case CODED_NO_CWD:
        return refused(SBX_INVALID_ARGUMENT);
    case CODED_NO_ROOM:
        return refused(SBX_NO_SPACE);
    case CODED_ABSENT:
    case CODED_UNKNOWN:
        break;
    }
    return (struct exact_end){.status = cause ? cause : SBX_PROTOCOL, .outcome = SBX_OUTCOME_UNKNOWN};
}
