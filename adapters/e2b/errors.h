/* What an answer of E2B's means: status and outcome from evidence, per operation. Pure. */
#ifndef ADAPTERS_E2B_ERRORS_H
#define ADAPTERS_E2B_ERRORS_H

#include <sandport/kit/connect.h>
#include <sandport/kit/ops.h>

/** A request, by what it is for. Those to the sandbox's own daemon come last. */
enum e2b_op {
    E2B_CREATE,
    E2B_GET,
    E2B_LIST,
    E2B_CONNECT,
    E2B_TIMEOUT,
    E2B_PAUSE,
    E2B_DELETE,
    E2B_START,     /* of a process */
    E2B_PROCESSES, /* their list */
    E2B_UPLOAD,
    E2B_DOWNLOAD,
    E2B_FILE_STAT,
    E2B_FILE_LIST,
    E2B_FILE_MKDIR,
    E2B_FILE_MOVE,
    E2B_FILE_REMOVE,
    E2B_OP_COUNT
};

/** All of an exchange that decides anything. */
struct e2b_evidence {
    int32_t evidence; /* enum sbx_evidence */
    int32_t http_status;
    uint64_t sent_bytes;
    int64_t retry_after_ms;                 /* -1 = not said */
    int32_t is_json;                        /* the body is a JSON object */
    int64_t number;                         /* the error body's `code` as a number, 0 if it has none */
    char code[SBX_CONNECT_CODE_SIZE];       /* and as a word, "" if it is none */
    char message[SBX_CONNECT_MESSAGE_SIZE]; /* matched here and never passed on */
};

struct e2b_meaning {
    enum sbx_status status;
    enum sbx_outcome outcome;
    const char *detail; /* our own words, static; NULL = nothing to add */
};

/** An answer of 2xx is SBX_OK with SBX_OUTCOME_DONE: whether its body holds what it should is the reader's to say. */
struct e2b_meaning e2b_meaning_of(enum e2b_op op, const struct e2b_evidence *got);

/** May a read be asked again: 5xx, 408, a rate limit, or a connection that failed? */
int e2b_is_transient(const struct e2b_evidence *got);

/** "sandbox.create": the operation's name for the debug observer. Static text. */
const char *e2b_op_name(enum e2b_op op);

#endif
