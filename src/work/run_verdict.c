/* The decisions of durable runs. Row D10. */
#include "src/work/run_verdict.h"

#include <string.h>

#define LOST_EXIT_CODE 255

static int is_foreign(const struct run_answer *ans) {
    return ans->version && ans->version != RUN_VERSION;
}

int32_t sbx_run_state_of(const struct run_answer *ans) {
    if (is_foreign(ans)) return SBX_RUN_UNDECIDED; /* guard: run_other_version */
    switch (ans->code) {
    case CODED_EXIT:
        return SBX_RUN_EXITED;
    case CODED_RUNNING:
        return SBX_RUN_RUNNING;
    case CODED_LOST:
        return SBX_RUN_LOST;
    case CODED_NEVER:
    case CODED_NO_TOOL:
    case CODED_NO_CWD:
    case CODED_NO_ROOM:
        return SBX_RUN_REFUSED;
    case CODED_ABSENT:
    case CODED_UNKNOWN:
        break;
    }
    return SBX_RUN_UNDECIDED;
}

static enum sbx_status refusal_status(enum coded_code code) {
    switch (code) {
    case CODED_NO_TOOL:
        return SBX_TOOL_MISSING;
    case CODED_NO_CWD:
        return SBX_INVALID_ARGUMENT;
    case CODED_NO_ROOM:
        return SBX_NO_SPACE;
    case CODED_NEVER:
    case CODED_EXIT:
    case CODED_RUNNING:
    case CODED_LOST:
    case CODED_ABSENT:
    case CODED_UNKNOWN:
        break;
    }
    return SBX_PROCESS_LOST;
}

enum sbx_status sbx_run_submit_verdict(const struct run_answer *ans, const char *hash, enum sbx_outcome *outcome) {
    *outcome = SBX_OUTCOME_REFUSED;
    if (!is_foreign(ans) && ans->hash[0] && strcmp(ans->hash, hash) != 0) /* guard: run_same_command */
        return SBX_ALREADY_EXISTS;
    if (sbx_run_state_of(ans) == SBX_RUN_REFUSED) return refusal_status(ans->code);
    *outcome = SBX_OUTCOME_UNKNOWN;
    if (ans->code == CODED_ABSENT) return SBX_PROTOCOL; /* the script never says this of a directory that it made */
    *outcome = SBX_OUTCOME_DONE;
    return SBX_OK;
}

enum sbx_status sbx_run_question_verdict(const struct run_answer *ans) {
    return ans->code == CODED_ABSENT ? SBX_RUN_NOT_FOUND : SBX_OK;
}

int sbx_run_kill_confirmed(const struct run_answer *ans) {
    return ans->kill_asked && ans->code != CODED_RUNNING && !ans->unproven;
}

static uint64_t count_of(int64_t total) {
    return total < 0 ? 0 : (uint64_t)total;
}

void sbx_run_status_fill(struct sbx_run_status *status, const struct run_answer *ans, const char *nonce) {
    status->state = sbx_run_state_of(ans);
    status->exit_code = status->state == SBX_RUN_EXITED ? ans->exit_code
                        : status->state == SBX_RUN_LOST ? LOST_EXIT_CODE
                                                        : -1; /* guard: run_code_not_made_up */
    status->submitted = nonce && strcmp(ans->nonce, nonce) == 0;
    status->timed_out = ans->late && ans->code != CODED_RUNNING;
    status->kill_asked = ans->kill_asked;
    status->killed_confirmed = 0;
    status->stdout_bytes = count_of(ans->out_total);
    status->stderr_bytes = count_of(ans->err_total);
}

const char *sbx_run_detail(const struct run_answer *ans, enum sbx_status status) {
    if (status == SBX_ALREADY_EXISTS) return "run_id: a run of that id has another command or cwd";
    if (status == SBX_INVALID_ARGUMENT) return "cwd: expected a directory that can be entered";
    if (status == SBX_TOOL_MISSING) return ans->tool;
    if (status == SBX_NO_SPACE) return "expected room for the run's directory";
    if (status == SBX_PROCESS_LOST) return "the command has not been started and will not be";
    if (status == SBX_RUN_NOT_FOUND) return "run_id: this sandbox has no run of that id";
    return "expected an answer about the run";
}
