/* The one table of what each operation answers under each condition, whatever the adapter. */
#include "scene.h"

#include <string.h>

#define ANY      ~0u
#define NONE     (1u << SBX_OUTCOME_NONE)
#define NOT_SENT (1u << SBX_OUTCOME_NOT_SENT)
#define REFUSED  (1u << SBX_OUTCOME_REFUSED)
#define UNKNOWN  (1u << SBX_OUTCOME_UNKNOWN)
#define DONE     (1u << SBX_OUTCOME_DONE)

struct row {
    const char *operation;
    struct expectation of[CONDITION_COUNT]; /* by condition */
};

#define WELL                                                                                                           \
    { SBX_OK, ANY }

/* A read that was lost is asked for again; nothing else about it can be unknown than its answer. */
#define READ(operation, http_502)                                                                                      \
    {                                                                                                                  \
        (operation), {                                                                                                 \
            WELL, {SBX_CANCELLED, UNKNOWN}, {SBX_DEADLINE, UNKNOWN}, {(http_502), REFUSED}, WELL,                      \
                {SBX_TOO_LARGE, UNKNOWN}, {                                                                            \
                SBX_PROTOCOL, UNKNOWN                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
    }

/* What was sent may have happened, and can be asked for again. */
#define CHANGE(operation, http_502, reset)                                                                             \
    {                                                                                                                  \
        (operation), {                                                                                                 \
            WELL, {SBX_CANCELLED, UNKNOWN}, {SBX_DEADLINE, UNKNOWN}, {(http_502), UNKNOWN}, reset,                     \
                {SBX_TOO_LARGE, UNKNOWN}, WELL                                                                         \
        }                                                                                                              \
    }
#define LOST                                                                                                           \
    { SBX_CONNECTION_LOST, UNKNOWN }

/* What was made is found and deleted. */
#define LAUNCH(operation)                                                                                              \
    {                                                                                                                  \
        (operation), {                                                                                                 \
            WELL, {SBX_CANCELLED, DONE}, {SBX_DEADLINE, DONE}, {SBX_PROVIDER, UNKNOWN}, {SBX_CONNECTION_LOST, DONE}, { \
                SBX_TOO_LARGE, DONE                                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    }

/* A command is ended, and what it wrote is had; a lost reply costs nothing. */
#define COMMAND(operation, http_502)                                                                                   \
    {                                                                                                                  \
        (operation), {                                                                                                 \
            WELL, {SBX_CANCELLED, DONE}, {SBX_DEADLINE, DONE}, {SBX_NOT_READY, (http_502)}, WELL, WELL                 \
        }                                                                                                              \
    }

static const struct row rows[] = {
    LAUNCH("launch"),
    LAUNCH("launch_detached"),
    READ("attach", SBX_PROVIDER),
    READ("find", SBX_PROVIDER),
    READ("count", SBX_PROVIDER),
    READ("capacity", SBX_PROVIDER),
    READ("info", SBX_PROVIDER),
    READ("home_dir", SBX_NOT_READY),
    COMMAND("exec_exact", UNKNOWN),
    COMMAND("exec_streamed", UNKNOWN),
    COMMAND("session_exec", REFUSED), /* the line has not reached the shell, and never will */
    {"exec_wire",                     /* there is nothing to ask afterwards */
     {WELL,
      {SBX_CANCELLED, UNKNOWN | DONE},
      {SBX_DEADLINE, UNKNOWN | DONE},
      {SBX_NOT_READY, UNKNOWN},
      LOST,
      {SBX_TOO_LARGE, UNKNOWN}}},
    CHANGE("submit", SBX_NOT_READY, WELL),
    CHANGE("poll", SBX_NOT_READY, WELL),
    CHANGE("read_logs", SBX_NOT_READY, WELL),
    CHANGE("kill_run", SBX_NOT_READY, WELL),
    {"run_read", /* the wait between two looks has no request */
     {WELL,
      {SBX_CANCELLED, NONE | UNKNOWN},
      {SBX_DEADLINE, NONE | UNKNOWN},
      {SBX_NOT_READY, UNKNOWN},
      WELL,
      {SBX_TOO_LARGE, UNKNOWN}}},
    {"session_open", /* it is looked for by its name */
     {WELL, {SBX_CANCELLED, UNKNOWN}, {SBX_DEADLINE, UNKNOWN}, {SBX_NOT_READY, UNKNOWN}, WELL, WELL}},
    CHANGE("session_close", SBX_NOT_READY, LOST),
    CHANGE("upload", SBX_NOT_READY, LOST),
    {"download", {WELL, {SBX_CANCELLED, UNKNOWN}, {SBX_DEADLINE, UNKNOWN}, {SBX_NOT_READY, REFUSED}, LOST, WELL}},
    READ("list_dir", SBX_NOT_READY),
    READ("stat", SBX_NOT_READY),
    READ("search_files", SBX_NOT_READY),
    READ("find_text", SBX_NOT_READY),
    CHANGE("mkdir", SBX_NOT_READY, LOST),
    CHANGE("remove", SBX_NOT_READY, LOST),
    CHANGE("move", SBX_NOT_READY, LOST),
    CHANGE("set_permissions", SBX_NOT_READY, LOST),
    {"replace_text", /* its answer says what became of each file */
     {WELL,
      {SBX_CANCELLED, UNKNOWN},
      {SBX_DEADLINE, UNKNOWN},
      {SBX_NOT_READY, UNKNOWN},
      LOST,
      {SBX_TOO_LARGE, UNKNOWN},
      {SBX_PROTOCOL, UNKNOWN}}},
    CHANGE("upload_files", SBX_NOT_READY, LOST), /* the sandbox itself is asked what it has, whatever the answer says */
    {"upload_tree", /* until all of it is there, nothing but a temporary file has changed */
     {WELL,
      {SBX_CANCELLED, REFUSED},
      {SBX_DEADLINE, REFUSED},
      {SBX_NOT_READY, REFUSED},
      {SBX_CONNECTION_LOST, REFUSED},
      {SBX_TOO_LARGE, REFUSED},
      WELL}},
    {"download_tree", /* what comes is compared with what was made */
     {WELL,
      {SBX_CANCELLED, UNKNOWN},
      {SBX_DEADLINE, UNKNOWN},
      {SBX_NOT_READY, REFUSED},
      LOST,
      {SBX_CONNECTION_LOST, REFUSED},
      {SBX_CONNECTION_LOST, REFUSED}}},
    CHANGE("start", SBX_PROVIDER, WELL),
    CHANGE("stop", SBX_PROVIDER, WELL),
    CHANGE("destroy", SBX_PROVIDER, WELL),
    {"reconcile", /* a provider that does not answer leaves it undecided */
     {WELL, {SBX_CANCELLED, UNKNOWN}, WELL, WELL, WELL, {SBX_TOO_LARGE, UNKNOWN}}},
};

static int is_by_command(const struct conformance_face *face, const char *operation) {
    for (const char *const *name = face->by_command; name && *name; name++)
        if (strcmp(*name, operation) == 0) return 1;
    return 0;
}

struct expectation expectation_of(const struct conformance_face *face, const struct operation *op,
                                  enum condition condition) {
    const char *name = face->streamed_by_wire && strcmp(op->name, "exec_streamed") == 0 ? "exec_wire" : op->name;
    /* A command that has run and whose answer is lost, does not come or cannot be read is asked about, on the time for
     * clean-up if need be. */
    if (is_by_command(face, op->name) && condition != HTTP_502) return (struct expectation)WELL;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].operation, name) == 0) return rows[i].of[condition];
    T_FAIL("%s: not in the table of expectations", op->name);
}

int expectation_allows(const struct operation *op, enum condition condition, enum sbx_status st, int32_t outcome) {
    static const struct {
        const char *operation;
        enum condition condition;
        enum sbx_status status;
        unsigned outcomes;
    } others[] = {
        {"exec_streamed", OVERSIZE, SBX_TOO_LARGE, REFUSED | DONE},
        {"session_exec", OVERSIZE, SBX_TOO_LARGE, REFUSED},
        {"session_exec", RESET, SBX_CONNECTION_LOST, REFUSED},
        /* its run has begun before it: on a slow machine its time is over before it is called */
        {"run_read", CANCEL, SBX_CANCELLED, NOT_SENT},
        {"run_read", DEADLINE, SBX_DEADLINE, NOT_SENT},
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strcmp(others[i].operation, op->name) == 0 && others[i].condition == condition)
            return others[i].status == st && (others[i].outcomes & 1u << outcome) != 0;
    return 0;
}
