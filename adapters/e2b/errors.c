/* What an answer of E2B's means: status and outcome from evidence, per operation. Pure. Rows E1, E8, P11.
 *
 * The API writes its status a second time, as the number `code` of the body: only such an answer is the API's own word,
 * and only that refuses a create or says that a sandbox is not there. What an edge in front of it says - HTML, plain
 * text, nothing - has the same status and proves nothing. A 502 of the proxy before a sandbox says in its message which
 * of two things it is. */
#include "adapters/e2b/errors.h"

#include <sandport/kit/text.h>
#include <string.h>

#define BIT(op)   (1u << (op))
#define CREATE    BIT(E2B_CREATE)
#define RESUME    BIT(E2B_CONNECT)
#define CHANGE    (RESUME | BIT(E2B_TIMEOUT) | BIT(E2B_PAUSE) | BIT(E2B_DELETE))
#define LOOKS     (BIT(E2B_FILE_STAT) | BIT(E2B_FILE_LIST))
#define EDITS     (BIT(E2B_FILE_MKDIR) | BIT(E2B_FILE_MOVE) | BIT(E2B_FILE_REMOVE))
#define READS     (BIT(E2B_GET) | BIT(E2B_LIST) | BIT(E2B_PROCESSES) | BIT(E2B_DOWNLOAD) | LOOKS)
#define CONTROL   (CREATE | CHANGE | BIT(E2B_GET) | BIT(E2B_LIST))
#define START     BIT(E2B_START)
#define PROCESSES (START | BIT(E2B_PROCESSES))
#define FILES     (BIT(E2B_UPLOAD) | BIT(E2B_DOWNLOAD))
#define CALLS     (PROCESSES | LOOKS | EDITS)
#define INSIDE    (CALLS | FILES)
#define ALL       (CONTROL | INSIDE)

enum whose {
    ANYBODYS, /* whoever answered */
    ITS_OWN,  /* the API or the proxy before a sandbox: the body's `code` is the status */
    NOBODYS   /* an edge: no such body */
};

struct rule {
    uint32_t ops;
    int32_t http_from, http_to;
    enum whose whose;
    const char *code;  /* the word, NULL = whatever it is */
    const char *words; /* of the message, NULL = whatever it is */
    enum sbx_status status;
    enum sbx_outcome outcome;
    const char *detail;
};

/* The first that matches decides. */
static const struct rule rules[] = {
    {ALL, 401, 401, ANYBODYS, NULL, NULL, SBX_UNAUTHORISED, SBX_OUTCOME_REFUSED, NULL},

    /* a slot that is not free is no rate: waiting does not help until a sandbox ends */
    {ALL, 429, 429, ANYBODYS, NULL, "maximum number of concurrent", SBX_QUOTA, SBX_OUTCOME_REFUSED,
     "the account's concurrent sandboxes are used up"}, /* guard: slots_are_no_rate */
    {ALL, 429, 429, ANYBODYS, NULL, NULL, SBX_RATE_LIMITED, SBX_OUTCOME_REFUSED, NULL},

    /* create and resume */
    {CREATE, 404, 404, ITS_OWN, NULL, "template", SBX_SNAPSHOT_NOT_FOUND, SBX_OUTCOME_REFUSED,
     "snapshot: no such template"}, /* guard: create_template_missing */
    {CREATE, 400, 400, ITS_OWN, NULL, "invalid template reference", SBX_SNAPSHOT_NOT_FOUND, SBX_OUTCOME_REFUSED,
     "snapshot: no reference to a template"},
    {CREATE, 403, 403, ITS_OWN, NULL, "access to template", SBX_FORBIDDEN, SBX_OUTCOME_REFUSED,
     "snapshot: not open to this account"},
    {CREATE | RESUME, 400, 400, ITS_OWN, NULL, "timeout", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "sandbox_lifetime_ms: expected what the account allows"},
    {CREATE, 400, 400, ITS_OWN, NULL, "validation error", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "the provider refuses an option"},
    {CREATE | RESUME, 503, 503, ITS_OWN, NULL, "failed to place sandbox", SBX_NO_CAPACITY, SBX_OUTCOME_REFUSED, NULL},
    {CREATE | RESUME, 500, 504, ANYBODYS, NULL, "failed to place sandbox", SBX_NO_CAPACITY, SBX_OUTCOME_UNKNOWN, NULL},
    {CREATE | BIT(E2B_LIST), 404, 404, ITS_OWN, NULL, NULL, SBX_PROTOCOL, SBX_OUTCOME_REFUSED,
     "endpoint: it has no such route"},

    /* changes */
    {CHANGE | BIT(E2B_GET), 404, 404, ITS_OWN, NULL, NULL, SBX_NOT_FOUND, SBX_OUTCOME_REFUSED,
     NULL}, /* guard: not_found_is_its_own_word */
    {CHANGE, 409, 409, ITS_OWN, NULL, "being killed", SBX_NOT_FOUND, SBX_OUTCOME_REFUSED,
     "the sandbox is being destroyed"},
    {CHANGE, 409, 409, ITS_OWN, NULL, NULL, SBX_CONFLICT, SBX_OUTCOME_REFUSED, NULL},
    {BIT(E2B_PAUSE), 503, 503, ITS_OWN, NULL, NULL, SBX_CONFLICT, SBX_OUTCOME_REFUSED, "its node is busy"},
    {CHANGE, 400, 400, ITS_OWN, NULL, NULL, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "the provider refuses it"},

    /* the proxy before a sandbox */
    {INSIDE, 502, 502, ITS_OWN, NULL, "was not found", SBX_NOT_READY, SBX_OUTCOME_REFUSED,
     "the sandbox is paused or gone"}, /* guard: bad_gateways_told_apart */
    {INSIDE, 502, 502, ITS_OWN, NULL, "port is not open", SBX_NOT_READY, SBX_OUTCOME_REFUSED,
     "the sandbox's daemon does not listen"},
    {INSIDE, 409, 409, ITS_OWN, NULL, "transitioning", SBX_NOT_READY, SBX_OUTCOME_REFUSED,
     "the sandbox is being paused or resumed"},
    {INSIDE, 403, 403, ITS_OWN, NULL, "resumed", SBX_NOT_READY, SBX_OUTCOME_REFUSED, "the sandbox is paused"},

    /* its daemon: processes */
    {PROCESSES, 400, 599, NOBODYS, "invalid_argument", "cwd", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "cwd: expected a directory that can be entered"},
    {PROCESSES, 400, 599, NOBODYS, "invalid_argument", NULL, SBX_PROTOCOL, SBX_OUTCOME_REFUSED,
     "the daemon refused the request"},
    {CALLS, 400, 599, NOBODYS, "resource_exhausted", NULL, SBX_RATE_LIMITED, SBX_OUTCOME_REFUSED, NULL},
    {PROCESSES, 400, 599, NOBODYS, "unimplemented", NULL, SBX_PROTOCOL, SBX_OUTCOME_REFUSED,
     "the daemon has no such route"},
    {CALLS, 405, 405, ANYBODYS, NULL, NULL, SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "the daemon refused the request"},
    {CALLS, 415, 415, ANYBODYS, NULL, NULL, SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "the daemon refused the request"},

    /* its daemon: files */
    {BIT(E2B_DOWNLOAD), 404, 404, ITS_OWN, NULL, NULL, SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL},
    {FILES, 400, 400, ITS_OWN, NULL, "directory", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "path: expected a file"},
    {BIT(E2B_UPLOAD), 400, 400, ITS_OWN, NULL, "content type", SBX_PROTOCOL, SBX_OUTCOME_REFUSED,
     "the daemon refused the body"},
    {FILES, 400, 400, ITS_OWN, NULL, NULL, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "path: refused by the provider"},
    {BIT(E2B_UPLOAD), 507, 507, ANYBODYS, NULL, NULL, SBX_NO_SPACE, SBX_OUTCOME_UNKNOWN, NULL},
    {FILES, 403, 403, ITS_OWN, NULL, NULL, SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, NULL},
    {FILES, 500, 500, ITS_OWN, NULL, "permission denied", SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, NULL},
    {FILES, 500, 500, ITS_OWN, NULL, "not a directory", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "path: a part of it is a file"},

    /* its daemon: what is there, made, moved, removed. Of what went wrong underneath only the words tell */
    {BIT(E2B_FILE_MKDIR), 400, 599, NOBODYS, "already_exists", NULL, SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED, NULL},
    {BIT(E2B_FILE_LIST), 400, 599, NOBODYS, NULL, "not a directory", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "dir: expected a directory"},
    {BIT(E2B_FILE_MOVE), 400, 599, NOBODYS, NULL, "not a directory", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "from or to: a part of it is a file"},
    {LOOKS | EDITS, 400, 599, NOBODYS, NULL, "not a directory", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "path: it, or a part of it, is a file"},
    {BIT(E2B_FILE_MOVE), 400, 599, NOBODYS, "not_found", NULL, SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED,
     "from, or the directory of to"},
    {LOOKS | EDITS, 400, 599, NOBODYS, "not_found", NULL, SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL},
    {LOOKS | EDITS, 400, 599, NOBODYS, "permission_denied", NULL, SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, NULL},
    {LOOKS | EDITS, 400, 599, NOBODYS, NULL, "permission denied", SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, NULL},
    {LOOKS | EDITS, 400, 599, NOBODYS, NULL, "operation not permitted", SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, NULL},
    {LOOKS | EDITS, 400, 599, NOBODYS, NULL, "read-only file system", SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, NULL},
    {EDITS, 400, 599, NOBODYS, NULL, "no space left", SBX_NO_SPACE, SBX_OUTCOME_UNKNOWN, NULL},
    {BIT(E2B_FILE_MOVE), 400, 599, NOBODYS, NULL, "file exists", SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED,
     "to: there is something of that name"},
    {BIT(E2B_FILE_MOVE), 400, 599, NOBODYS, NULL, "not empty", SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED,
     "to: there is something of that name"},
    {BIT(E2B_FILE_MOVE), 400, 599, NOBODYS, NULL, "invalid argument", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "to: it is below from"},
    {LOOKS | EDITS, 400, 599, NOBODYS, NULL, "name too long", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "path: a name in it is too long"},
    {LOOKS | EDITS, 400, 599, NOBODYS, "failed_precondition", NULL, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "path: its links lead in a circle"},
    {LOOKS | EDITS, 400, 599, NOBODYS, "invalid_argument", NULL, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "path: refused by the daemon"},
    {LOOKS | EDITS, 400, 599, NOBODYS, "unimplemented", NULL, SBX_UNSUPPORTED, SBX_OUTCOME_REFUSED,
     "the daemon in the sandbox is too old: it has no such route"},

    /* whichever it was */
    {ALL, 403, 403, ITS_OWN, NULL, NULL, SBX_FORBIDDEN, SBX_OUTCOME_REFUSED, NULL},
    {ALL, 403, 403, NOBODYS, NULL, NULL, SBX_FORBIDDEN, SBX_OUTCOME_UNKNOWN, NULL},
    {ALL, 300, 399, ANYBODYS, NULL, NULL, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, "expected an answer, found a redirect"},
    {BIT(E2B_LIST), 400, 499, ANYBODYS, NULL, NULL, SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "the list was refused"},
    {INSIDE, 502, 502, ANYBODYS, NULL, NULL, SBX_NOT_READY, SBX_OUTCOME_UNKNOWN, "the way to the sandbox is broken"},
    {ALL, 100, 999, ANYBODYS, NULL, NULL, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, NULL}, /* guard: e2b_unknown_answer */
};

static int is_its_own(const struct e2b_evidence *got) {
    return got->is_json && got->number == got->http_status;
}

static int rule_matches(const struct rule *rule, enum e2b_op op, const struct e2b_evidence *got) {
    if (!(rule->ops & BIT(op))) return 0;
    if (got->http_status < rule->http_from || got->http_status > rule->http_to) return 0;
    if (rule->whose == ITS_OWN && !is_its_own(got)) return 0;
    if (rule->whose == NOBODYS && is_its_own(got)) return 0;
    if (rule->code && strcmp(rule->code, got->code) != 0) return 0;
    return !rule->words || sbx_text_has(got->message, rule->words);
}

struct e2b_meaning e2b_meaning_of(enum e2b_op op, const struct e2b_evidence *got) {
    struct e2b_meaning means = {SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, NULL};
    if (got->evidence != SBX_EVIDENCE_DONE) {
        means.status = sbx_evidence_status(got->evidence);
        means.outcome = sbx_evidence_outcome(got->evidence, got->sent_bytes);
        return means;
    }
    if (got->http_status >= 200 && got->http_status <= 299) {
        means.status = SBX_OK;
        means.outcome = SBX_OUTCOME_DONE;
        return means;
    }
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (!rule_matches(&rules[i], op, got)) continue;
        means.status = rules[i].status;
        means.outcome = READS & BIT(op) ? SBX_OUTCOME_REFUSED : rules[i].outcome; /* a read that failed did nothing */
        means.detail = rules[i].detail;
        return means;
    }
    return means;
}

int e2b_is_transient(const struct e2b_evidence *got) {
    int32_t http = got->http_status;
    switch (got->evidence) {
    case SBX_EVIDENCE_DONE:
        if (http == 429) return !sbx_text_has(got->message, "maximum number of concurrent");
        return http == 408 || (http >= 500 && http <= 599 && http != 501);
    case SBX_EVIDENCE_CANCELLED:
    case SBX_EVIDENCE_MEMORY:
    case SBX_EVIDENCE_TLS:
    case SBX_EVIDENCE_TOO_LARGE:
        return 0;
    default:
        return 1;
    }
}

const char *e2b_op_name(enum e2b_op op) {
    static const char *const names[E2B_OP_COUNT] = {
        "sandbox.create", "sandbox.get",   "sandbox.list", "sandbox.connect", "sandbox.timeout", "sandbox.pause",
        "sandbox.delete", "process.start", "process.list", "files.upload",    "files.download",  "file.stat",
        "file.list",      "file.mkdir",    "file.move",    "file.remove"};
    return op < E2B_OP_COUNT ? names[op] : "";
}
