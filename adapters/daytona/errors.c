/* What an answer of Daytona's means: status and outcome from evidence, per operation. Pure. Rows D2, D5, D16, P11.
 *
 * A create is refused only by an answer that Daytona documents as one; whatever else may have left a sandbox behind.
 * The status decides first, then the code, then words of the message: Daytona reuses 400 for nearly everything. */
#include "adapters/daytona/errors.h"

#include <sandport/kit/text.h>
#include <string.h>

#define BIT(op) (1u << (op))
#define CREATE  BIT(DAYTONA_CREATE)
#define CHANGE  (BIT(DAYTONA_START) | BIT(DAYTONA_STOP) | BIT(DAYTONA_DELETE))
#define CONTROL (CREATE | CHANGE | BIT(DAYTONA_GET) | BIT(DAYTONA_LIST))
#define LOOKS   (BIT(DAYTONA_FILE_LIST) | BIT(DAYTONA_FILE_STAT) | BIT(DAYTONA_FILE_SEARCH))
#define READS   (BIT(DAYTONA_GET) | BIT(DAYTONA_LIST) | BIT(DAYTONA_DOWNLOAD) | BIT(DAYTONA_DIR) | LOOKS)
#define REMOVE  BIT(DAYTONA_FILE_REMOVE)
#define MOVE    BIT(DAYTONA_FILE_MOVE)
#define CHMOD   BIT(DAYTONA_FILE_PERMISSIONS)
#define EDITS   (BIT(DAYTONA_FILE_MKDIR) | REMOVE | MOVE | CHMOD | BIT(DAYTONA_FILE_REPLACE))
#define FILES   (BIT(DAYTONA_UPLOAD) | BIT(DAYTONA_DOWNLOAD) | LOOKS | EDITS)
#define EXECUTE BIT(DAYTONA_EXECUTE)
#define SESSION (BIT(DAYTONA_SESSION) | BIT(DAYTONA_SESSION_EXEC))
#define TOOLBOX (EXECUTE | FILES | SESSION | BIT(DAYTONA_DIR))
#define ALL     (CONTROL | TOOLBOX)

#define EMPTY_BODY "" /* as a pattern: there was no body at all */

struct rule {
    uint32_t ops;
    int32_t http_from, http_to;
    const char *code;  /* NULL = whatever it is */
    const char *words; /* of the message, NULL = whatever it is */
    enum sbx_status status;
    enum sbx_outcome outcome;
    const char *detail;
};

/* The first that matches decides. */
static const struct rule rules[] = {
    {ALL, 401, 401, NULL, NULL, SBX_UNAUTHORISED, SBX_OUTCOME_REFUSED, NULL},
    {ALL, 429, 429, NULL, NULL, SBX_RATE_LIMITED, SBX_OUTCOME_REFUSED, NULL},

    /* create: 400 although the sandbox exists, in state `error` */
    {CREATE, 400, 400, NULL, "sandbox failed to start", SBX_PROVIDER, SBX_OUTCOME_UNKNOWN,
     "the sandbox was made and failed to start"},
    {CREATE, 400, 400, NULL, "snapshot*not found", SBX_SNAPSHOT_NOT_FOUND, SBX_OUTCOME_REFUSED,
     "snapshot: no such snapshot"}, /* guard: create_snapshot_missing */
    {CREATE, 404, 404, NULL, "snapshot*not found", SBX_SNAPSHOT_NOT_FOUND, SBX_OUTCOME_REFUSED,
     "snapshot: no such snapshot"},
    {CREATE, 400, 400, NULL, "snapshot*is not available in region", SBX_PROVIDER, SBX_OUTCOME_REFUSED,
     "snapshot: it is not in this region"},
    {CREATE, 400, 400, NULL, "snapshot*is ", SBX_PROVIDER, SBX_OUTCOME_REFUSED, "snapshot: it is not active"},
    {CREATE | CHANGE, 400, 403, "ORGANIZATION_QUOTA_EXCEEDED", NULL, SBX_QUOTA, SBX_OUTCOME_REFUSED, NULL},
    {CREATE | CHANGE, 400, 403, NULL, "total*limit exceeded", SBX_QUOTA, SBX_OUTCOME_REFUSED, NULL},
    {CREATE | CHANGE, 400, 403, NULL, "exceeds maximum allowed per sandbox", SBX_QUOTA, SBX_OUTCOME_REFUSED, NULL},
    {CREATE | CHANGE, 400, 400, "NO_AVAILABLE_RUNNERS", NULL, SBX_NO_CAPACITY, SBX_OUTCOME_REFUSED, NULL},
    {CREATE | CHANGE, 503, 503, "NO_AVAILABLE_RUNNERS", NULL, SBX_NO_CAPACITY, SBX_OUTCOME_REFUSED, NULL},
    {CREATE | CHANGE, 400, 400, NULL, "no available runners", SBX_NO_CAPACITY, SBX_OUTCOME_REFUSED, NULL},
    {CREATE | CHANGE, 503, 503, NULL, "no available runners", SBX_NO_CAPACITY, SBX_OUTCOME_REFUSED, NULL},
    {CREATE, 400, 400, "DEFAULT_REGION_REQUIRED", NULL, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "target: expected a region, the organisation has no default"},
    {CREATE, 400, 400, NULL, "region*not found", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "target: no such region"},
    {CREATE, 404, 404, NULL, "region*not found", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "target: no such region"},
    {CREATE, 403, 403, NULL, "region*is not available", SBX_FORBIDDEN, SBX_OUTCOME_REFUSED,
     "target: not open to this organisation"},
    {CREATE, 400, 400, NULL, "volume*not found", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "volumes: no such volume"},
    {CREATE, 404, 404, NULL, "volume*not found", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "volumes: no such volume"},
    {CREATE, 400, 400, NULL, "invalid mount path", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "volumes.mount_path: refused by the provider"},
    {CREATE, 400, 400, NULL, "invalid subpath", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "volumes.subpath: refused by the provider"},
    {CREATE, 400, 400, NULL, "network allow list", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "network_allow_list: refused by the provider"},
    {CREATE, 400, 400, NULL, "invalid network format", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "network_allow_list: refused by the provider"},
    {CREATE, 400, 400, NULL, "invalid ip address", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "network_allow_list: refused by the provider"},
    {CREATE, 400, 400, NULL, "invalid cidr", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "network_allow_list: refused by the provider"},
    {CREATE, 400, 400, NULL, "domain allow list", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "domain_allow_list: refused by the provider"},
    {CREATE, 400, 400, NULL, "invalid domain", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "domain_allow_list: refused by the provider"},
    {CREATE, 400, 400, NULL, "cannot specify", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "the provider refuses this combination of options"},
    {CREATE, 400, 400, NULL, "must be", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "the provider refuses an option"},
    {CREATE, 409, 409, NULL, "already exists", SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED, "name: in use"},
    {CONTROL, 404, 404, NULL, "cannot *", SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "endpoint: it has no such route"},

    /* changes of state */
    {CHANGE, 400, 409, "SANDBOX_STATE_CHANGE_IN_PROGRESS", NULL, SBX_CONFLICT, SBX_OUTCOME_REFUSED, NULL},
    {CHANGE, 400, 409, NULL, "state change in progress", SBX_CONFLICT, SBX_OUTCOME_REFUSED, NULL},
    {CHANGE, 400, 400, "SANDBOX_STATE_ERROR", NULL, SBX_PROVIDER, SBX_OUTCOME_REFUSED, "the sandbox is in state error"},
    {CHANGE, 400, 400, NULL, "errored state", SBX_PROVIDER, SBX_OUTCOME_REFUSED, "the sandbox is in state error"},
    {CHANGE, 400, 400, NULL, NULL, SBX_CONFLICT, SBX_OUTCOME_REFUSED, "not possible in the sandbox's present state"},
    {CHANGE, 409, 409, NULL, NULL, SBX_CONFLICT, SBX_OUTCOME_REFUSED, NULL},
    {CHANGE, 422, 422, NULL, NULL, SBX_UNSUPPORTED, SBX_OUTCOME_REFUSED, "not for a sandbox of this class"},
    {CHANGE | BIT(DAYTONA_GET), 404, 404, NULL, NULL, SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL},

    /* the toolbox: said by the proxies in front of the daemon */
    {TOOLBOX, 400, 400, NULL, "no ip address found", SBX_NOT_READY, SBX_OUTCOME_REFUSED, "the sandbox does not run"},
    {TOOLBOX, 400, 400, NULL, "does not have a runner", SBX_NOT_READY, SBX_OUTCOME_REFUSED, "the sandbox does not run"},
    {TOOLBOX, 400, 400, NULL, "is not running", SBX_NOT_READY, SBX_OUTCOME_REFUSED, "the sandbox does not run"},
    {TOOLBOX, 400, 400, "SANDBOX_NOT_STARTED", NULL, SBX_NOT_READY, SBX_OUTCOME_UNKNOWN, "the toolbox does not answer"},
    {TOOLBOX, 404, 404, "SANDBOX_NOT_FOUND", NULL, SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL},
    {TOOLBOX, 404, 404, NULL, "sandbox*not found", SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL},
    {TOOLBOX, 404, 404, NULL, "no such container", SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL},
    {TOOLBOX, 502, 502, "RUNNER_UNREACHABLE", NULL, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, "the runner is unreachable"},
    {TOOLBOX, 502, 502, NULL, NULL, SBX_NOT_READY, SBX_OUTCOME_UNKNOWN, "the toolbox does not answer"},

    /* the daemon: execution */
    {EXECUTE, 408, 408, NULL, NULL, SBX_COMMAND_TIMEOUT, SBX_OUTCOME_DONE, NULL},
    {EXECUTE, 400, 400, NULL, "invalid environment variable name", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "env: a name was refused"},
    {EXECUTE, 400, 400, NULL, "command cannot be empty", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "command: empty"},
    {EXECUTE, 400, 400, "INVALID_REQUEST_BODY", NULL, SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "the daemon refused the body"},
    {EXECUTE, 400, 400, NULL, "invalid body request", SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "the daemon refused the body"},
    {EXECUTE | BIT(DAYTONA_DIR), 404, 404, NULL, NULL, SBX_PROTOCOL, SBX_OUTCOME_REFUSED,
     "the daemon has no such route"},

    /* the daemon: sessions; older ones wrap what they find into a 500 */
    {SESSION, 404, 404, NULL, "page not found", SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "the daemon has no such route"},
    {SESSION, 404, 404, NULL, NULL, SBX_GONE, SBX_OUTCOME_REFUSED, "the session has ended"},
    {SESSION, 410, 410, NULL, NULL, SBX_GONE, SBX_OUTCOME_REFUSED, "the session has ended"},
    {SESSION, 500, 500, NULL, "session not found", SBX_GONE, SBX_OUTCOME_REFUSED, "the session has ended"},
    {SESSION, 500, 500, NULL, "broken pipe", SBX_GONE, SBX_OUTCOME_REFUSED, "the session has ended"},
    {SESSION, 409, 409, NULL, NULL, SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED, "the session's name is in use"},
    {SESSION, 400, 400, NULL, NULL, SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "the daemon refused the body"},

    /* the daemon: files; older ones answer with an empty body */
    {LOOKS | EDITS, 404, 404, NULL, "page not found", SBX_UNSUPPORTED, SBX_OUTCOME_REFUSED,
     "the daemon in the sandbox is too old: it has no such route"}, /* guard: file_route_missing */
    {FILES, 404, 404, NULL, "page not found", SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "the daemon has no such route"},
    {MOVE, 404, 404, "FILE_NOT_FOUND", NULL, SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED, "from, or the directory of to"},
    {MOVE, 404, 404, NULL, EMPTY_BODY, SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED, "from, or the directory of to"},
    {FILES, 404, 404, "FILE_NOT_FOUND", NULL, SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL},
    {FILES, 404, 404, NULL, EMPTY_BODY, SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL},
    {FILES, 404, 404, NULL, "not found", SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL},
    {FILES, 404, 404, NULL, "no such file", SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL},
    {FILES, 403, 403, "FILE_ACCESS_DENIED", NULL, SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, NULL},
    {FILES, 403, 403, NULL, EMPTY_BODY, SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, NULL},
    {FILES, 403, 403, NULL, "permission denied", SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, NULL},
    {FILES, 403, 403, NULL, "operation not permitted", SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, NULL},
    {LOOKS | EDITS, 400, 400, NULL, "no such file", SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL},
    {LOOKS | EDITS, 400, 400, NULL, "permission denied", SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, NULL},
    {EDITS, 400, 400, NULL, "no space left", SBX_NO_SPACE, SBX_OUTCOME_UNKNOWN, NULL},
    {LOOKS | EDITS, 400, 400, NULL, "not a directory", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "path: it, or a part of it, is a file"},
    {REMOVE, 400, 400, NULL, "is a directory", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "recursive: expected SBX_YES for a directory"},
    {REMOVE, 400, 400, NULL, EMPTY_BODY, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "recursive: expected SBX_YES for a directory"},
    {CHMOD, 400, 400, NULL, "unknown user", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "owner: the sandbox knows none of that name"},
    {CHMOD, 400, 400, NULL, "unknown group", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "group: the sandbox knows none of that name"},
    {CHMOD, 400, 400, NULL, EMPTY_BODY, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "path, owner or group: refused by the daemon"},
    {MOVE, 400, 400, NULL, EMPTY_BODY, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "from or to: refused by the daemon"},
    {MOVE, 400, 400, "INVALID_FILE_PATH", NULL, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "from or to: refused by the daemon"},
    {MOVE, 409, 409, NULL, NULL, SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED, "to: there is something of that name"},
    {BIT(DAYTONA_FILE_LIST), 400, 400, NULL, EMPTY_BODY, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "dir: expected a directory"},
    {BIT(DAYTONA_FILE_STAT), 400, 400, NULL, EMPTY_BODY, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "path: a part of it is a file"},
    {BIT(DAYTONA_FILE_SEARCH), 400, 400, NULL, "syntax error in pattern", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "pattern: it does not end as it began"},
    {BIT(DAYTONA_FILE_SEARCH), 400, 400, NULL, EMPTY_BODY, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "dir or pattern: refused by the daemon"},
    {BIT(DAYTONA_FILE_MKDIR), 400, 400, NULL, EMPTY_BODY, SBX_PROVIDER, SBX_OUTCOME_REFUSED,
     "path: it cannot be made, the daemon does not say why"},
    {BIT(DAYTONA_FILE_REPLACE), 400, 400, NULL, NULL, SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "the daemon refused the body"},
    {BIT(DAYTONA_DOWNLOAD), 400, 400, "INVALID_FILE_PATH", NULL, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "path: expected a file"},
    {BIT(DAYTONA_DOWNLOAD), 400, 400, NULL, EMPTY_BODY, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "path: expected a file"},
    {BIT(DAYTONA_DOWNLOAD), 400, 400, NULL, "directory", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "path: expected a file"},
    {BIT(DAYTONA_UPLOAD), 400, 400, NULL, "no space left", SBX_NO_SPACE, SBX_OUTCOME_UNKNOWN, NULL},
    {BIT(DAYTONA_UPLOAD), 400, 400, NULL, "permission denied", SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, NULL},
    {BIT(DAYTONA_UPLOAD), 400, 400, NULL, "is a directory", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "path: expected a file"},
    {BIT(DAYTONA_UPLOAD), 400, 400, NULL, "not a directory", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED,
     "path: a part of it is a file"},

    /* whichever it was */
    {ALL, 403, 403, NULL, NULL, SBX_FORBIDDEN, SBX_OUTCOME_REFUSED, NULL},
    {ALL, 300, 399, NULL, NULL, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, "expected an answer, found a redirect"},
    {BIT(DAYTONA_LIST), 400, 499, NULL, NULL, SBX_PROTOCOL, SBX_OUTCOME_REFUSED, "the list was refused"},
    {ALL, 100, 999, NULL, NULL, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, NULL}, /* guard: create_unknown_answer */
};

static int rule_matches(const struct rule *rule, enum daytona_op op, const struct daytona_evidence *got) {
    if (!(rule->ops & BIT(op))) return 0;
    if (got->http_status < rule->http_from || got->http_status > rule->http_to) return 0;
    if (rule->code && strcmp(rule->code, got->code) != 0) return 0;
    if (!rule->words) return 1;
    return *rule->words ? sbx_text_has(got->message, rule->words) : got->body_len == 0;
}

struct daytona_meaning daytona_meaning_of(enum daytona_op op, const struct daytona_evidence *got) {
    struct daytona_meaning means = {SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, NULL};
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

int daytona_is_transient(const struct daytona_evidence *got) {
    int32_t http = got->http_status;
    switch (got->evidence) {
    case SBX_EVIDENCE_DONE:
        return http >= 500 || http == 408 || http == 429;
    case SBX_EVIDENCE_RESOLVE:
    case SBX_EVIDENCE_CONNECT:
    case SBX_EVIDENCE_SENT_NO_ANSWER:
    case SBX_EVIDENCE_PARTIAL:
    case SBX_EVIDENCE_DEADLINE:
        return 1;
    default:
        return 0;
    }
}

const char *daytona_op_name(enum daytona_op op) {
    static const char *const names[DAYTONA_OP_COUNT] = {
        "sandbox.create",
        "sandbox.get",
        "sandbox.list",
        "sandbox.start",
        "sandbox.stop",
        "sandbox.delete",
        "toolbox.execute",
        "toolbox.upload",
        "toolbox.download",
        "toolbox.dir",
        "toolbox.session",
        "toolbox.session_exec",
        "toolbox.file_list",
        "toolbox.file_stat",
        "toolbox.file_search",
        "toolbox.file_mkdir",
        "toolbox.file_remove",
        "toolbox.file_move",
        "toolbox.file_permissions",
        "toolbox.file_replace",
    };
    return names[op];
}
