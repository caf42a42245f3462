/* What a runtime promises. Declared by its adapter, readable before any call, never probed and never guessed from which
 * functions exist. Row P5. */
#ifndef SANDPORT_CAPABILITY_H
#define SANDPORT_CAPABILITY_H

#include <sandport/api.h>

#define SBX_CAP_DETACHED_LAUNCH    (UINT64_C(1) << 0) /* launch_detached: a still-booting sandbox is handed back */
#define SBX_CAP_REATTACH           (UINT64_C(1) << 1) /* attach by id */
#define SBX_CAP_ASYNC_EXEC         (UINT64_C(1) << 2) /* submit, poll, read_logs, kill_run: all or nothing */
#define SBX_CAP_LABEL_SEARCH       (UINT64_C(1) << 3) /* find and count by labels */
#define SBX_CAP_LIFECYCLE          (UINT64_C(1) << 4) /* start and stop really change state */
#define SBX_CAP_STREAMING_OUTPUT   (UINT64_C(1) << 5) /* output while a command runs */
#define SBX_CAP_PTY                (UINT64_C(1) << 6)
#define SBX_CAP_SNAPSHOTS          (UINT64_C(1) << 7)
#define SBX_CAP_PORTS              (UINT64_C(1) << 8)
#define SBX_CAP_NETWORK_POLICY     (UINT64_C(1) << 9)
#define SBX_CAP_PAUSE_KEEPS_MEMORY (UINT64_C(1) << 10) /* stop keeps processes for the next start */
#define SBX_CAP_LAUNCH_RESOURCES   (UINT64_C(1) << 11) /* cpu, memory, disk are taken at launch */
#define SBX_CAP_RECONCILE          (UINT64_C(1) << 12) /* an unknown launch can be looked up by its acquisition id */
#define SBX_CAP_EXEC               (UINT64_C(1) << 13) /* a command and its result */
#define SBX_CAP_FILE_TRANSFER      (UINT64_C(1) << 14) /* upload and download */
#define SBX_CAP_HOME_DIR           (UINT64_C(1) << 15)
#define SBX_CAP_LAUNCH_NETWORK     (UINT64_C(1) << 16) /* a network policy is taken at launch */
#define SBX_CAP_LAUNCH_VOLUMES     (UINT64_C(1) << 17)
#define SBX_CAP_LAUNCH_INTERVALS   (UINT64_C(1) << 18) /* auto-stop, -archive, -delete, -pause and time-to-live */
#define SBX_CAP_SESSIONS           (UINT64_C(1) << 19) /* a shell that lives on between commands */
#define SBX_CAP_FILES              (UINT64_C(1) << 20) /* lists, changes, searches; many files, whole directories */
#define SBX_CAP_CAPACITY           (UINT64_C(1) << 21) /* how much of the account's resources is in use can be read */

/** How a sandbox is kept apart from others, from weakest to strongest. Stored as int32_t. */
enum sbx_isolation {
    SBX_ISOLATION_NONE = 0,      /* a directory and processes */
    SBX_ISOLATION_NAMESPACE = 1, /* namespaces on a shared kernel, unprivileged */
    SBX_ISOLATION_CONTAINER = 2,
    SBX_ISOLATION_VM = 3
};

#ifdef __cplusplus
extern "C" {
#endif

/** "LABEL_SEARCH" for that bit; NULL for a bit without meaning. Static text. */
SBX_API const char *sbx_capability_name(uint64_t bit);

#ifdef __cplusplus
}
#endif
#endif
