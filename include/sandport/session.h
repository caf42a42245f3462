/* A session: a shell in the sandbox that lives on, so that what a command sets - the directory, variables, functions -
 * is there for the next one. The ability is SBX_CAP_SESSIONS. Rows D9, P7.
 *
 * Commands of one session go one after the other. A command that ends the shell (`exit`, a failure under `set -e`)
 * ends the session: its exit code is known, the next command answers SBX_GONE. So does every command after a stop of
 * the sandbox. */
#ifndef SANDPORT_SESSION_H
#define SANDPORT_SESSION_H

#include <sandport/exec.h>

struct sbx_session;

#ifdef __cplusplus
extern "C" {
#endif

/** Starts a shell in the working directory. Default deadline 30 s.
 *  @param sb  must outlive the session
 *  @param out yours: sbx_session_close(), sbx_session_free() */
SBX_API SBX_MUST_USE enum sbx_status sbx_session_open(struct sbx_sandbox *sb, const struct sbx_call *call,
                                                      struct sbx_session **out, struct sbx_error *err);

/** Runs a command in it and waits for its end; output byte for byte, streams apart. As sbx_sandbox_exec(), and:
 *  opt->cwd may be relative to where the shell is, and the shell stays there; opt->env stays exported; opt->mode is the
 *  default or SBX_EXEC_EXACT; opt->output is NULL. At the deadline, a cancel or the end of its lifetime the session is
 *  closed with all that runs in it. An EXIT trap that the command sets is not kept.
 *  @return SBX_GONE, outcome REFUSED: the session has ended, and the command has not run */
SBX_API SBX_MUST_USE enum sbx_status sbx_session_exec(struct sbx_session *session, const char *command,
                                                      const struct sbx_exec_options *opt, const struct sbx_call *call,
                                                      struct sbx_exec_result **out, struct sbx_error *err);

/** Ends the shell and all that it started. One that has ended is success. Default deadline 30 s. */
SBX_API SBX_MUST_USE enum sbx_status sbx_session_close(struct sbx_session *session, const struct sbx_call *call,
                                                       struct sbx_error *err);

/** Forgets it; nothing happens remotely. NULL is ignored. */
SBX_API void sbx_session_free(struct sbx_session *session);

#ifdef __cplusplus
}
#endif
#endif
