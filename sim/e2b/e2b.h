/* E2B's cloud, simulated: the control plane in both its versions, and the daemon envd of each sandbox behind its proxy.
 *
 * Both planes answer on one host, as their paths do not collide: whoever names a sandbox in the header E2b-Sandbox-Id,
 * or asks a host "sandbox.*" or "<port>-<sandbox>.*", means envd, everybody else the control plane.
 *
 * Order of things in an exchange with the control plane: who asks and about what is looked up for the fault rules,
 * phase before, credential, rate, 404, what is wrong with the request, phase before_commit, the commit, phase
 * after_commit, the wait for a transition, the answer. With envd: the host, phase before, is the sandbox there, the
 * port, the token, the user, the request, phase before_commit, the commit, phase after_commit, the answer. A create is
 * invisible until its sandbox runs. At endAt it is killed, or paused if it was made so. A pause cuts all streams at
 * once and ends `pause_ms` later; processes stand still in it, and times that they wait for pass meanwhile.
 *
 * Where servers differ there is a switch (config.h).
 *
 * Effects of its own (fault rules), which operation takes which: effects.c.
 *   of sandboxes: state (pausing, resuming or killing for delay_ms), lost, expire (after delay_ms), lost_process (no
 * exit record), pid_reuse (the newest process is lost and its number another's), rotate_token, stale_disk (a resume
 * has lost the files written since the first pause), no_delete (204 to a DELETE that does nothing), concurrency (429 of
 * the slots), redirect (302 to value); of one list: list_all (filters are ignored), list_duplicate, list_missing,
 * list_empty_page, list_loop; of streams: no_end (all is well but for the end event), no_eos (all is well but for the
 * envelope that ends the stream), end_early (the end event stands before the last data), split (at_bytes to each
 * piece); of the process list: list_empty.
 *
 * Not modelled: what docs/limits.md says. Asked for, it is refused with 501 and marked in the journal. */
#ifndef SIM_E2B_E2B_H
#define SIM_E2B_E2B_H

#include "sim/kit/sim.h"

/** A healthy cloud with one account, key SBX_SIM_E2B_KEY. NULL when memory runs out. */
struct sim_cloud *sim_e2b_new(struct sim *sim);

#endif
