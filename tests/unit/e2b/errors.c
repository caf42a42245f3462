/* What E2B's answers mean: status and outcome, per operation. Rows E1, E8, P11. */
#include "adapters/e2b/errors.h"
#include "t.h"

#include <sandport/kit/text.h>

/* @param own does the body say the status a second time? */
static struct e2b_meaning meaning(enum e2b_op op, int http, int own, const char *message) {
    struct e2b_evidence got = {.evidence = SBX_EVIDENCE_DONE, .http_status = http, .sent_bytes = 1, .is_json = own};
    got.number = own ? http : 0;
    strcpy(got.message, message);
    return e2b_meaning_of(op, &got);
}

static void is(struct e2b_meaning means, enum sbx_status status, enum sbx_outcome outcome) {
    T_STATUS(means.status, status);
    T_EQ(means.outcome, outcome);
}

static void a_create_is_refused_only_by_the_api(void) {
    is(meaning(E2B_CREATE, 201, 0, ""), SBX_OK, SBX_OUTCOME_DONE);
    is(meaning(E2B_CREATE, 400, 1, "validation error: error in openapi3filter.RequestError"), SBX_INVALID_ARGUMENT,
       SBX_OUTCOME_REFUSED);
    is(meaning(E2B_CREATE, 400, 1, "Timeout cannot be greater than 1 hours"), SBX_INVALID_ARGUMENT,
       SBX_OUTCOME_REFUSED);
    T_CONTAINS(meaning(E2B_CREATE, 400, 1, "Timeout cannot be greater than 1 hours").detail, "sandbox_lifetime_ms");
    is(meaning(E2B_CREATE, 400, 1, "something new"), SBX_PROVIDER, SBX_OUTCOME_UNKNOWN);
    is(meaning(E2B_CREATE, 400, 0, ""), SBX_PROVIDER, SBX_OUTCOME_UNKNOWN);
    is(meaning(E2B_CREATE, 401, 1, "Invalid API key"), SBX_UNAUTHORISED, SBX_OUTCOME_REFUSED);
    is(meaning(E2B_CREATE, 401, 0, ""), SBX_UNAUTHORISED, SBX_OUTCOME_REFUSED);
    is(meaning(E2B_CREATE, 403, 1, "team is banned"), SBX_FORBIDDEN, SBX_OUTCOME_REFUSED);
    is(meaning(E2B_CREATE, 403, 0, ""), SBX_FORBIDDEN, SBX_OUTCOME_UNKNOWN);
    is(meaning(E2B_CREATE, 500, 1, "Failed to create sandbox"), SBX_PROVIDER, SBX_OUTCOME_UNKNOWN);
    is(meaning(E2B_CREATE, 503, 1, "Failed to place sandbox: not enough capacity for the requested resources"),
       SBX_NO_CAPACITY, SBX_OUTCOME_REFUSED);
    is(meaning(E2B_CREATE, 504, 1, "Failed to place sandbox: placement timed out, please retry"), SBX_NO_CAPACITY,
       SBX_OUTCOME_UNKNOWN);
    is(meaning(E2B_CREATE, 504, 0, ""), SBX_PROVIDER, SBX_OUTCOME_UNKNOWN);
    is(meaning(E2B_CREATE, 302, 0, ""), SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN);
    is(meaning(E2B_CREATE, 418, 1, ""), SBX_PROVIDER, SBX_OUTCOME_UNKNOWN);
}

/* ---- create_template_missing ---- */

static void must_fire_create_template_missing__said(void) {
    is(meaning(E2B_CREATE, 404, 1, "template 'nope' not found"), SBX_SNAPSHOT_NOT_FOUND, SBX_OUTCOME_REFUSED);
    is(meaning(E2B_CREATE, 404, 1, "tag 'x' does not exist for template 'base'"), SBX_SNAPSHOT_NOT_FOUND,
       SBX_OUTCOME_REFUSED);
}
static void must_not_fire_create_template_missing__another_404(void) {
    is(meaning(E2B_CREATE, 404, 1, "no such route"), SBX_PROTOCOL, SBX_OUTCOME_REFUSED);
    is(meaning(E2B_CREATE, 404, 0, ""), SBX_PROVIDER, SBX_OUTCOME_UNKNOWN);
}

/* ---- slots_are_no_rate: F097 ---- */

static void must_fire_slots_are_no_rate__all_used(void) {
    is(meaning(E2B_CREATE, 429, 1, "you have reached the maximum number of concurrent E2B sandboxes (20). If"),
       SBX_QUOTA, SBX_OUTCOME_REFUSED);
    is(meaning(E2B_CONNECT, 429, 1, "you have reached the maximum number of concurrent E2B sandboxes (20). If"),
       SBX_QUOTA, SBX_OUTCOME_REFUSED);
}
static void must_not_fire_slots_are_no_rate__a_rate(void) {
    is(meaning(E2B_CREATE, 429, 1, "Rate limit exceeded"), SBX_RATE_LIMITED, SBX_OUTCOME_REFUSED);
    is(meaning(E2B_CREATE, 429, 0, ""), SBX_RATE_LIMITED, SBX_OUTCOME_REFUSED);
}

/* ---- not_found_is_its_own_word ---- */

static void must_fire_not_found_is_its_own_word__an_edges(void) {
    for (int op = E2B_GET; op <= E2B_DELETE; op++)
        if (op != E2B_LIST) T_TRUE(meaning((enum e2b_op)op, 404, 0, "404 page not found").status != SBX_NOT_FOUND);
}
static void must_not_fire_not_found_is_its_own_word__the_apis(void) {
    for (int op = E2B_GET; op <= E2B_DELETE; op++)
        if (op != E2B_LIST)
            is(meaning((enum e2b_op)op, 404, 1, "Sandbox \"i1\" doesn't exist"), SBX_NOT_FOUND, SBX_OUTCOME_REFUSED);
}

/* ---- bad_gateways_told_apart: three things with one status (digest 8, 30) ---- */

static void must_fire_bad_gateways_told_apart__not_found(void) {
    is(meaning(E2B_START, 502, 1, "The sandbox was not found"), SBX_NOT_READY, SBX_OUTCOME_REFUSED);
    is(meaning(E2B_UPLOAD, 502, 1, "The sandbox was not found"), SBX_NOT_READY, SBX_OUTCOME_REFUSED);
    T_STR(meaning(E2B_START, 502, 1, "The sandbox was not found").detail, "the sandbox is paused or gone");
}
static void must_not_fire_bad_gateways_told_apart__others(void) {
    T_STR(meaning(E2B_START, 502, 1, "The sandbox is running but port is not open").detail,
          "the sandbox's daemon does not listen");
    is(meaning(E2B_START, 502, 0, ""), SBX_NOT_READY, SBX_OUTCOME_UNKNOWN);
    is(meaning(E2B_START, 502, 0, "The sandbox was not found"), SBX_NOT_READY, SBX_OUTCOME_UNKNOWN);
}

static void changes(void) {
    is(meaning(E2B_PAUSE, 409, 1, "Error pausing sandbox - sandbox 'i1' is already paused"), SBX_CONFLICT,
       SBX_OUTCOME_REFUSED);
    is(meaning(E2B_CONNECT, 409, 1, "Sandbox \"i1\" is being killed"), SBX_NOT_FOUND, SBX_OUTCOME_REFUSED);
    is(meaning(E2B_DELETE, 409, 1, "Sandbox i1 is resuming; retry the delete once it is running"), SBX_CONFLICT,
       SBX_OUTCOME_REFUSED);
    is(meaning(E2B_PAUSE, 503, 1, "Sandbox 'i1' cannot be paused right now because its node is busy"), SBX_CONFLICT,
       SBX_OUTCOME_REFUSED);
    is(meaning(E2B_PAUSE, 503, 0, ""), SBX_PROVIDER, SBX_OUTCOME_UNKNOWN);
    is(meaning(E2B_DELETE, 500, 1, "Error killing sandbox"), SBX_PROVIDER, SBX_OUTCOME_UNKNOWN);
}

static void files(void) {
    is(meaning(E2B_DOWNLOAD, 404, 1, "path '/nope' does not exist"), SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED);
    is(meaning(E2B_DOWNLOAD, 404, 0, ""), SBX_PROVIDER, SBX_OUTCOME_REFUSED);
    is(meaning(E2B_DOWNLOAD, 400, 1, "path '/tmp' is a directory"), SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED);
    is(meaning(E2B_UPLOAD, 400, 1, "path is a directory: /tmp"), SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED);
    is(meaning(E2B_UPLOAD, 400, 1, "unsupported content type: application/octet-stream"), SBX_PROTOCOL,
       SBX_OUTCOME_REFUSED);
    is(meaning(E2B_UPLOAD, 507, 1, "attempted to write 5 bytes: not enough disk space available"), SBX_NO_SPACE,
       SBX_OUTCOME_UNKNOWN);
    is(meaning(E2B_UPLOAD, 500, 1, "error writing file"), SBX_PROVIDER, SBX_OUTCOME_UNKNOWN);
}

static void a_read_that_failed_did_nothing(void) {
    for (int http = 400; http < 600; http++)
        for (int own = 0; own < 2; own++) {
            T_EQ(meaning(E2B_GET, http, own, "").outcome, SBX_OUTCOME_REFUSED);
            T_EQ(meaning(E2B_LIST, http, own, "").outcome, SBX_OUTCOME_REFUSED);
            T_EQ(meaning(E2B_DOWNLOAD, http, own, "").outcome, SBX_OUTCOME_REFUSED);
        }
}

/* ---- e2b_unknown_answer: what is not documented refuses no create ---- */

static void must_fire_e2b_unknown_answer__create(void) {
    static const int refusing[] = {401, 403, 404, 429};
    for (int http = 300; http < 600; http++) {
        int refuses = 0;
        for (size_t i = 0; i < sizeof(refusing) / sizeof(refusing[0]); i++) refuses |= refusing[i] == http;
        if (!refuses) T_EQ(meaning(E2B_CREATE, http, 1, "").outcome, SBX_OUTCOME_UNKNOWN);
        if (http != 401 && http != 429) T_EQ(meaning(E2B_CREATE, http, 0, "").outcome, SBX_OUTCOME_UNKNOWN);
    }
}
static void must_not_fire_e2b_unknown_answer__documented(void) {
    T_EQ(meaning(E2B_CREATE, 400, 1, "validation error: error in openapi3filter").outcome, SBX_OUTCOME_REFUSED);
}

static void evidence_decides_before_any_answer(void) {
    const struct {
        enum sbx_evidence evidence;
        uint64_t sent;
        enum sbx_status status;
        enum sbx_outcome outcome;
    } cases[] = {{SBX_EVIDENCE_RESOLVE, 0, SBX_CONNECT_FAILED, SBX_OUTCOME_NOT_SENT},
                 {SBX_EVIDENCE_CONNECT, 0, SBX_CONNECT_FAILED, SBX_OUTCOME_NOT_SENT},
                 {SBX_EVIDENCE_SENT_NO_ANSWER, 9, SBX_CONNECTION_LOST, SBX_OUTCOME_UNKNOWN},
                 {SBX_EVIDENCE_PARTIAL, 9, SBX_CONNECTION_LOST, SBX_OUTCOME_UNKNOWN},
                 {SBX_EVIDENCE_DEADLINE, 0, SBX_DEADLINE, SBX_OUTCOME_NOT_SENT},
                 {SBX_EVIDENCE_DEADLINE, 9, SBX_DEADLINE, SBX_OUTCOME_UNKNOWN}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct e2b_evidence got = {.evidence = (int32_t)cases[i].evidence, .sent_bytes = cases[i].sent};
        is(e2b_meaning_of(E2B_CREATE, &got), cases[i].status, cases[i].outcome);
    }
}

static void what_passes_is_asked_again(void) {
    struct e2b_evidence got = {.evidence = SBX_EVIDENCE_DONE, .http_status = 429};
    T_TRUE(e2b_is_transient(&got));
    strcpy(got.message, "you have reached the maximum number of concurrent E2B sandboxes (20)");
    T_TRUE(!e2b_is_transient(&got)); /* waiting does not help */
    got.message[0] = 0;
    got.http_status = 404;
    T_TRUE(!e2b_is_transient(&got));
    got.http_status = 503;
    T_TRUE(e2b_is_transient(&got));
    got.evidence = SBX_EVIDENCE_CANCELLED;
    T_TRUE(!e2b_is_transient(&got));
}

static void words_are_found_whatever_their_case(void) {
    T_TRUE(sbx_text_has("The Sandbox Was Not Found", "sandbox was"));
    T_TRUE(!sbx_text_has("The Sandbox", "sandbox was"));
    T_TRUE(sbx_text_has("", ""));
    T_STR(e2b_op_name(E2B_CREATE), "sandbox.create");
    T_STR(e2b_op_name(E2B_DOWNLOAD), "files.download");
}

/* ---- files by the daemon's calls: its code, then words of what went wrong underneath ---- */

static void what_the_daemon_says_of_files(void) {
    static const struct {
        enum e2b_op op;
        int http;
        const char *code, *message;
        enum sbx_status status;
        enum sbx_outcome outcome;
    } rows[] = {
        {E2B_FILE_STAT, 404, "not_found", "file not found: lstat /x", SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED},
        {E2B_FILE_STAT, 404, "not_found", "lstat /f/x: not a directory", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED},
        {E2B_FILE_STAT, 404, "", "", SBX_PROVIDER, SBX_OUTCOME_REFUSED},
        {E2B_FILE_LIST, 400, "invalid_argument", "path is not a directory: /f", SBX_INVALID_ARGUMENT,
         SBX_OUTCOME_REFUSED},
        {E2B_FILE_LIST, 400, "failed_precondition", "cyclic symlink", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED},
        {E2B_FILE_LIST, 500, "internal", "open /x: permission denied", SBX_FILE_DENIED, SBX_OUTCOME_REFUSED},
        {E2B_FILE_MKDIR, 409, "already_exists", "directory already exists: /d", SBX_ALREADY_EXISTS,
         SBX_OUTCOME_REFUSED},
        {E2B_FILE_MKDIR, 500, "internal", "mkdir /f/d: not a directory", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED},
        {E2B_FILE_MKDIR, 500, "internal", "mkdir /d: no space left on device", SBX_NO_SPACE, SBX_OUTCOME_UNKNOWN},
        {E2B_FILE_MKDIR, 500, "internal", "mkdir /sys/d: read-only file system", SBX_FILE_DENIED, SBX_OUTCOME_REFUSED},
        {E2B_FILE_MKDIR, 500, "internal", "something new", SBX_PROVIDER, SBX_OUTCOME_UNKNOWN},
        {E2B_FILE_MOVE, 404, "not_found", "source file not found", SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED},
        {E2B_FILE_MOVE, 500, "internal", "rename a b: file exists", SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED},
        {E2B_FILE_MOVE, 500, "internal", "rename a b: directory not empty", SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED},
        {E2B_FILE_MOVE, 500, "internal", "rename a a/b: invalid argument", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED},
        {E2B_FILE_REMOVE, 500, "internal", "unlinkat /x: operation not permitted", SBX_FILE_DENIED,
         SBX_OUTCOME_REFUSED},
        {E2B_FILE_REMOVE, 403, "permission_denied", "no", SBX_FILE_DENIED, SBX_OUTCOME_REFUSED},
        {E2B_FILE_REMOVE, 501, "unimplemented", "no", SBX_UNSUPPORTED, SBX_OUTCOME_REFUSED},
        {E2B_FILE_REMOVE, 500, "internal", "file name too long", SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED},
        {E2B_FILE_REMOVE, 429, "resource_exhausted", "", SBX_RATE_LIMITED, SBX_OUTCOME_REFUSED},
        {E2B_FILE_REMOVE, 415, "", "", SBX_PROTOCOL, SBX_OUTCOME_REFUSED},
        {E2B_FILE_REMOVE, 502, "", "", SBX_NOT_READY, SBX_OUTCOME_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct e2b_evidence got = {
            .evidence = SBX_EVIDENCE_DONE, .http_status = rows[i].http, .sent_bytes = 1, .is_json = *rows[i].code != 0};
        strcpy(got.code, rows[i].code);
        strcpy(got.message, rows[i].message);
        is(e2b_meaning_of(rows[i].op, &got), rows[i].status, rows[i].outcome);
    }
}

T_CASES(T_CASE(a_create_is_refused_only_by_the_api), T_CASE(must_fire_create_template_missing__said),
        T_CASE(must_not_fire_create_template_missing__another_404), T_CASE(must_fire_slots_are_no_rate__all_used),
        T_CASE(must_not_fire_slots_are_no_rate__a_rate), T_CASE(must_fire_not_found_is_its_own_word__an_edges),
        T_CASE(must_not_fire_not_found_is_its_own_word__the_apis), T_CASE(must_fire_bad_gateways_told_apart__not_found),
        T_CASE(must_not_fire_bad_gateways_told_apart__others), T_CASE(changes), T_CASE(files),
        T_CASE(a_read_that_failed_did_nothing), T_CASE(must_fire_e2b_unknown_answer__create),
        T_CASE(must_not_fire_e2b_unknown_answer__documented), T_CASE(evidence_decides_before_any_answer),
        T_CASE(what_passes_is_asked_again), T_CASE(words_are_found_whatever_their_case),
        T_CASE(what_the_daemon_says_of_files))
