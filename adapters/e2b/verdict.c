/* What the stream of a process means once it is over: pure, over every way it can end. Rows E8, P9, P11.
 *
 * Only an end that was told is success. A stream that was cut, that stopped, or that ended in good order without
 * telling an end says nothing of the process but that it has begun, if that was told. */
#include "adapters/e2b/process.h"

#include <sandport/kit/text.h>

#include <string.h>

static struct e2b_meaning means(enum sbx_status status, enum sbx_outcome outcome, const char *detail) {
    return (struct e2b_meaning){status, outcome, detail};
}

/* What is known of the process itself, when its stream says no more. */
static enum sbx_outcome so_far(const struct e2b_heard *heard) {
    if (heard->begun) return SBX_OUTCOME_DONE;
    return heard->got.sent_bytes ? SBX_OUTCOME_UNKNOWN : SBX_OUTCOME_NOT_SENT;
}

/* The end envelope names an error. Before the process has begun it is a refusal where the daemon looks before it
 * starts; behind that it is about the stream alone. */
static struct e2b_meaning ended_by_error(const struct e2b_heard *heard) {
    const struct {
        const char *code;
        const char *words; /* NULL = whatever they are */
        enum sbx_status status;
        const char *detail;
    } refusals[] = {
        {"unauthenticated", NULL, SBX_UNAUTHORISED, NULL},
        {"permission_denied", NULL, SBX_FORBIDDEN, NULL},
        {"invalid_argument", "cwd", SBX_INVALID_ARGUMENT, "cwd: expected a directory that can be entered"},
        {"invalid_argument", NULL, SBX_PROTOCOL, "the daemon refused the request"},
        {"unimplemented", NULL, SBX_PROTOCOL, "the daemon has no such route"},
        {"resource_exhausted", NULL, SBX_RATE_LIMITED, NULL},
    };
    const char *code = heard->got.code;
    if (strcmp(code, "deadline_exceeded") == 0) return means(SBX_COMMAND_TIMEOUT, so_far(heard), NULL);
    if (strcmp(code, "unavailable") == 0)
        return means(heard->begun ? SBX_CONNECTION_LOST : SBX_NOT_READY, so_far(heard), NULL);
    for (size_t i = 0; !heard->begun && i < sizeof(refusals) / sizeof(refusals[0]); i++)
        if (strcmp(code, refusals[i].code) == 0 &&
            (!refusals[i].words || sbx_text_has(heard->got.message, refusals[i].words)))
            return means(refusals[i].status, SBX_OUTCOME_REFUSED, refusals[i].detail);
    return means(SBX_PROVIDER, so_far(heard), NULL);
}

/* Cut off: why, as far as our side knows. */
static struct e2b_meaning cut_off(const struct e2b_heard *heard) {
    enum sbx_status st = sbx_evidence_status(heard->got.evidence);
    if (heard->silent) return means(SBX_CONNECTION_LOST, so_far(heard), "the stream gave no sign of life for 120 s");
    return means(st ? st : SBX_CONNECTION_LOST, so_far(heard), NULL);
}

static struct e2b_meaning end_told(const struct e2b_heard *heard) {
    if (heard->signalled && heard->lifetime_over) /* the daemon's own kill */
        return means(SBX_COMMAND_TIMEOUT, SBX_OUTCOME_DONE, NULL);
    return means(SBX_OK, SBX_OUTCOME_DONE, NULL);
}

struct e2b_meaning e2b_heard_meaning(const struct e2b_heard *heard) {
    if (heard->out_of_memory) return means(SBX_NO_MEMORY, so_far(heard), NULL);
    if (heard->too_large) return means(SBX_TOO_LARGE, so_far(heard), NULL);
    if (heard->stopped) return means(SBX_CANCELLED, SBX_OUTCOME_DONE, NULL);
    if (heard->ended && !heard->garbled) return end_told(heard);
    if (heard->got.http_status != 200 && heard->got.http_status != 0 && heard->got.evidence == SBX_EVIDENCE_DONE)
        return e2b_meaning_of(E2B_START, &heard->got);
    if (heard->garbled) return means(SBX_PROTOCOL, so_far(heard), "the stream: expected events of a process");
    switch ((enum sbx_connect_ending)heard->ending) {
    case SBX_CONNECT_ERROR:
        return ended_by_error(heard);
    case SBX_CONNECT_RESET:
        return cut_off(heard);
    case SBX_CONNECT_SHORT:
        return means(SBX_CONNECTION_LOST, so_far(heard), "the stream stopped without its end");
    case SBX_CONNECT_BROKEN:
        return means(SBX_PROTOCOL, so_far(heard), "the stream: expected envelopes of the Connect protocol");
    case SBX_CONNECT_STOPPED:
        return means(SBX_TOO_LARGE, so_far(heard), "the stream: a message is too large");
    case SBX_CONNECT_WELL:
        break;
    }
    return means(SBX_PROTOCOL, so_far(heard), "the stream ended without an exit"); /* guard: no_end_no_success */
}
