/* Processes as the kernel knows them, and their ends: proven, not assumed. Rows L1, P9. */
#ifndef ADAPTERS_LOCAL_ENDS_H
#define ADAPTERS_LOCAL_ENDS_H

#include "adapters/local/place.h"

#define LOCAL_MARK "SANDPORT_LOCAL=" /* in the environment of every process: whose it is */

/** Who has that number now. @return 0 if nobody alive has */
int sbx_local_process_of(int64_t pid, struct local_process *out);
int sbx_local_process_alive(const struct local_process *process);

/** Ends it, and waits for its death. @return is it dead? */
int sbx_local_process_end(const struct local *l, const struct local_process *process, const struct sbx_call *call);

/** Ends a process group with SIGKILL. @return is everybody of it dead? */
int sbx_local_group_end(const struct local *l, pid_t group, const struct sbx_call *call);

/** Ends everybody of a sandbox, the box and all that carry its mark, are of such a one's session, or its children.
 *  @return SBX_OK: nobody is left; SBX_DEADLINE, SBX_CANCELLED, SBX_NO_MEMORY */
enum sbx_status sbx_local_sandbox_end(const struct local *l, const char *id, const struct local_process *box,
                                      const struct sbx_call *call);

/** Ends everybody with that entry in the environment, their sessions and children. */
enum sbx_status sbx_local_marked_end(const struct local *l, const char *mark, const struct sbx_call *call);

#endif
