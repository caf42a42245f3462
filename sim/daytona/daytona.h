/* Daytona's cloud, simulated: control plane under /api, toolbox under /toolbox, the dashboard's HTML anywhere else.
 *
 * State belongs to the account of the key. Two dialects, "v190" (the last public server) and "coded" (May 2026, codes
 * in its errors); three shapes of lists; the words of refusals are the server's where they are known.
 *
 * Order of things in an exchange: the sandbox named is looked up for the fault rules, phase before, credential, rate,
 * permission, 404, what is wrong with the request, phase before_commit, the refusals that depend on time once more, the
 * commit, phase after_commit, the wait (create and start: up to 30 s), the answer.
 * Order of a sandbox's changes: steps at their times on the world's clock; a DELETE or a time-to-live overtakes what is
 * under way; what is due by an interval waits for the next look, every 10 s; ties as the world has them.
 * A delete frees the name at once (with `name_until_gone` only when the sandbox has gone).
 * The list is `list_lag_ms` behind (200 ms), get by id or name never is. Rates and quotas are off unless configured.
 *
 * Effects of its own (fault rules): state (delay_ms 0 = for ever; a sandbox held in creating, or before it, can be
 * deleted, in any other transitional state a change is 409), dead_toolbox (dialect "502" or "coded"; of a start or
 * create: from the next boot on; for ever survives restarts), oom (daemon dead, found stopped after 150 s or delay_ms),
 * conflict (status 409 or 400), fail_boot (state error or build_failed), lost, lost_process, replay (a hop sends a POST
 * of known length up to 256 KiB twice), snapshot_inactive, no_runners; for one list: list_lag (delay_ms),
 * list_duplicate, list_missing, list_empty_page, list_loop, list_shape (value "cursor", "page" or "array"). Which
 * operation takes which: effects.c. Of a session: exit_code_lost (the command that this starts never gets one),
 * logs_empty (one snapshot), split (at_bytes for each frame of a followed log), close_frame (value "1011", behind
 * at_bytes).
 *
 * Not modelled: JWTs, the limit on failed authentication, VM classes, GPUs, warm pools, secrets, linked sandboxes, the
 * contents of volumes, previews, ssh, making of snapshots, PTYs, backups, that networks are blocked. Asked
 * for, these are refused with 501 and marked in the journal. */
#ifndef SIM_DAYTONA_DAYTONA_H
#define SIM_DAYTONA_DAYTONA_H

#include "sim/kit/sim.h"

/** A healthy cloud with one account, key SBX_SIM_DAYTONA_KEY. NULL when memory runs out. */
struct sim_cloud *sim_daytona_new(struct sim *sim);

#endif
