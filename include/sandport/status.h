/* What a call answers. One list gives the enum with its numbers (never reused), the names and the texts. */
#ifndef SANDPORT_STATUS_H
#define SANDPORT_STATUS_H

#include <sandport/api.h>

#define SBX_STATUS_LIST(X)                                                                                             \
    X(OK, 0, "success")                                                                                                \
    X(NO_MEMORY, 1, "out of memory")                                                                                   \
    X(INVALID_ARGUMENT, 10, "an argument is missing or not of the form required")                                      \
    X(INVALID_OPTIONS, 11, "a provider option is unknown or of the wrong type")                                        \
    X(UNSUPPORTED, 12, "the runtime does not declare this ability")                                                    \
    X(UNAUTHORISED, 20, "the credential was refused")                                                                  \
    X(FORBIDDEN, 21, "the credential does not allow this")                                                             \
    X(NOT_FOUND, 30, "no such sandbox")                                                                                \
    X(SNAPSHOT_NOT_FOUND, 31, "no snapshot of that name")                                                              \
    X(ALREADY_EXISTS, 32, "the name or id is in use")                                                                  \
    X(CONFLICT, 33, "another change to the sandbox is in progress")                                                    \
    X(GONE, 34, "the sandbox, session or process has ended")                                                           \
    X(NOT_READY, 35, "the sandbox does not run commands")                                                              \
    X(RUN_NOT_FOUND, 36, "no run of that id in the sandbox")                                                           \
    X(QUOTA, 40, "the account's quota does not allow this")                                                            \
    X(RATE_LIMITED, 41, "too many requests")                                                                           \
    X(NO_CAPACITY, 42, "the provider has no room at present")                                                          \
    X(COMMAND_TIMEOUT, 50, "the command outlived its lifetime and was ended")                                          \
    X(PROCESS_LOST, 51, "the process is gone and left no exit code")                                                   \
    X(TOOL_MISSING, 52, "the sandbox lacks a tool that this needs")                                                    \
    X(NO_SPACE, 53, "no room on the disk, the sandbox's or the store's")                                               \
    X(FILE_NOT_FOUND, 54, "no such file in the sandbox")                                                               \
    X(FILE_DENIED, 55, "the file may not be read or written")                                                          \
    X(DEADLINE, 60, "the deadline passed")                                                                             \
    X(CANCELLED, 61, "cancelled by the caller")                                                                        \
    X(CONNECT_FAILED, 70, "no connection; nothing was sent")                                                           \
    X(CONNECTION_LOST, 71, "cut off after sending")                                                                    \
    X(PROTOCOL, 72, "the answer is not what the provider documents")                                                   \
    X(TOO_LARGE, 73, "the answer is larger than allowed")                                                              \
    X(PROVIDER, 80, "the provider failed")                                                                             \
    X(STREAM, 81, "the caller's own reader or sink stopped the transfer")                                              \
    X(STORE_FAILED, 90, "the mapping store failed")                                                                    \
    X(STORE_CORRUPT, 91, "the mapping store holds something that no release can have written")                         \
    X(STORE_VERSION, 92, "the mapping store was made by another release")

#define SBX_STATUS_ENUM(name, number, text) SBX_##name = (number),
enum sbx_status { SBX_STATUS_LIST(SBX_STATUS_ENUM) };
#undef SBX_STATUS_ENUM

#ifdef __cplusplus
extern "C" {
#endif

/** "SNAPSHOT_NOT_FOUND" for SBX_SNAPSHOT_NOT_FOUND; "UNKNOWN" for a number that is no status. Static text. */
SBX_API const char *sbx_status_name(int32_t status);

/** A sentence fragment for people, as in the list above. Static text. */
SBX_API const char *sbx_status_text(int32_t status);

#ifdef __cplusplus
}
#endif
#endif
