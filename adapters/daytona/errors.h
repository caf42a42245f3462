/* What an answer of Daytona's means: status and outcome from evidence, per operation. Pure. */
#ifndef ADAPTERS_DAYTONA_ERRORS_H
#define ADAPTERS_DAYTONA_ERRORS_H

#include <sandport/kit/ops.h>

/** A request, by what it is for. Toolbox ones come last. */
enum daytona_op {
    DAYTONA_CREATE,
    DAYTONA_GET,
    DAYTONA_LIST,
    DAYTONA_START,
    DAYTONA_STOP,
    DAYTONA_DELETE,
    DAYTONA_EXECUTE,
    DAYTONA_UPLOAD,
    DAYTONA_DOWNLOAD,
    DAYTONA_DIR,
    DAYTONA_SESSION,
    DAYTONA_SESSION_EXEC,
    DAYTONA_FILE_LIST,
    DAYTONA_FILE_STAT,
    DAYTONA_FILE_SEARCH, /* by name, or for text */
    DAYTONA_FILE_MKDIR,
    DAYTONA_FILE_REMOVE,
    DAYTONA_FILE_MOVE,
    DAYTONA_FILE_PERMISSIONS,
    DAYTONA_FILE_REPLACE,
    DAYTONA_OP_COUNT
};

/** All of an exchange that decides anything. */
struct daytona_evidence {
    int32_t evidence; /* enum sbx_evidence */
    int32_t http_status;
    uint64_t sent_bytes;
    int64_t retry_after_ms; /* -1 = not said */
    int32_t is_json;        /* the body is a JSON object or array */
    size_t body_len;
    char code[64];     /* the error body's `code`, "" if it has none */
    char message[512]; /* and its `message`, cut to fit: matched here and never passed on */
};

struct daytona_meaning {
    enum sbx_status status;
    enum sbx_outcome outcome;
    const char *detail; /* our own words, static; NULL = nothing to add */
};

/** An answer of 2xx is SBX_OK with SBX_OUTCOME_DONE: whether its body holds what it should is the reader's to say. */
struct daytona_meaning daytona_meaning_of(enum daytona_op op, const struct daytona_evidence *got);

/** May a read be asked again: 5xx, 408, 429, or a connection that failed? */
int daytona_is_transient(const struct daytona_evidence *got);

/** "sandbox.create": the operation's name for the debug observer. Static text. */
const char *daytona_op_name(enum daytona_op op);

#endif
