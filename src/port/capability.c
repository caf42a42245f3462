/* Names of abilities, and whether an adapter's table keeps its promise. Row P5. */
#include "src/port/capability.h"

#include <sandport/capability.h>

struct capability {
    uint64_t bit;
    const char *name;
};

static const struct capability capabilities[] = {
    {SBX_CAP_DETACHED_LAUNCH, "DETACHED_LAUNCH"},
    {SBX_CAP_REATTACH, "REATTACH"},
    {SBX_CAP_ASYNC_EXEC, "ASYNC_EXEC"},
    {SBX_CAP_LABEL_SEARCH, "LABEL_SEARCH"},
    {SBX_CAP_LIFECYCLE, "LIFECYCLE"},
    {SBX_CAP_STREAMING_OUTPUT, "STREAMING_OUTPUT"},
    {SBX_CAP_PTY, "PTY"},
    {SBX_CAP_SNAPSHOTS, "SNAPSHOTS"},
    {SBX_CAP_PORTS, "PORTS"},
    {SBX_CAP_NETWORK_POLICY, "NETWORK_POLICY"},
    {SBX_CAP_PAUSE_KEEPS_MEMORY, "PAUSE_KEEPS_MEMORY"},
    {SBX_CAP_LAUNCH_RESOURCES, "LAUNCH_RESOURCES"},
    {SBX_CAP_RECONCILE, "RECONCILE"},
    {SBX_CAP_EXEC, "EXEC"},
    {SBX_CAP_FILE_TRANSFER, "FILE_TRANSFER"},
    {SBX_CAP_HOME_DIR, "HOME_DIR"},
    {SBX_CAP_LAUNCH_NETWORK, "LAUNCH_NETWORK"},
    {SBX_CAP_LAUNCH_VOLUMES, "LAUNCH_VOLUMES"},
    {SBX_CAP_LAUNCH_INTERVALS, "LAUNCH_INTERVALS"},
    {SBX_CAP_SESSIONS, "SESSIONS"},
    {SBX_CAP_FILES, "FILES"},
    {SBX_CAP_CAPACITY, "CAPACITY"},
};

const char *sbx_capability_name(uint64_t bit) {
    for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
        if (capabilities[i].bit == bit) return capabilities[i].name;
    return NULL;
}

struct promise {
    uint64_t cap; /* 0 = every runtime */
    int kept;
    const char *op;
};

/* Abilities whose operations the port does not have yet: nothing could be called, so nothing may be promised. */
#define CAPS_WITHOUT_OPS (SBX_CAP_PTY | SBX_CAP_SNAPSHOTS | SBX_CAP_PORTS | SBX_CAP_NETWORK_POLICY)

/* An ability that stands on another. */
static const struct {
    uint64_t cap;
    uint64_t needs;
} foundations[] = {{SBX_CAP_STREAMING_OUTPUT, SBX_CAP_EXEC}, {SBX_CAP_ASYNC_EXEC, SBX_CAP_HOME_DIR}};

const char *sbx_capability_broken(const struct sbx_runtime_ops *ops) {
    const struct promise promises[] = {
        {0, ops->free != NULL, "free"},
        {0, ops->launch != NULL, "launch"},
        {0, ops->info != NULL, "info"},
        {0, ops->destroy != NULL, "destroy"},
        {SBX_CAP_DETACHED_LAUNCH, ops->launch_detached != NULL, "launch_detached"},
        {SBX_CAP_REATTACH, ops->attach != NULL, "attach"},
        {SBX_CAP_LABEL_SEARCH, ops->find != NULL, "find"},
        {SBX_CAP_LABEL_SEARCH, ops->count != NULL, "count"},
        {SBX_CAP_RECONCILE, ops->reconcile != NULL, "reconcile"},
        {SBX_CAP_EXEC, ops->exec != NULL, "exec"},
        {SBX_CAP_FILE_TRANSFER, ops->upload != NULL, "upload"},
        {SBX_CAP_FILE_TRANSFER, ops->download != NULL, "download"},
        {SBX_CAP_HOME_DIR, ops->home_dir != NULL, "home_dir"},
        {SBX_CAP_LIFECYCLE, ops->start != NULL, "start"},
        {SBX_CAP_LIFECYCLE, ops->stop != NULL, "stop"},
        {SBX_CAP_ASYNC_EXEC, ops->submit != NULL, "submit"},
        {SBX_CAP_ASYNC_EXEC, ops->read_logs != NULL, "read_logs"},
        {SBX_CAP_ASYNC_EXEC, ops->kill_run != NULL, "kill_run"},
        {SBX_CAP_SESSIONS, ops->session_open != NULL, "session_open"},
        {SBX_CAP_SESSIONS, ops->session_exec != NULL, "session_exec"},
        {SBX_CAP_SESSIONS, ops->session_close != NULL, "session_close"},
        {SBX_CAP_FILES, ops->file_list != NULL, "file_list"},
        {SBX_CAP_FILES, ops->file_stat != NULL, "file_stat"},
        {SBX_CAP_FILES, ops->file_search != NULL, "file_search"},
        {SBX_CAP_FILES, ops->file_find != NULL, "file_find"},
        {SBX_CAP_FILES, ops->file_mkdir != NULL, "file_mkdir"},
        {SBX_CAP_FILES, ops->file_remove != NULL, "file_remove"},
        {SBX_CAP_FILES, ops->file_move != NULL, "file_move"},
        {SBX_CAP_FILES, ops->file_permissions != NULL, "file_permissions"},
        {SBX_CAP_FILES, ops->file_replace != NULL, "file_replace"},
        {SBX_CAP_FILES, ops->upload_files != NULL, "upload_files"},
        {SBX_CAP_FILES, ops->upload_tree != NULL, "upload_tree"},
        {SBX_CAP_FILES, ops->download_tree != NULL, "download_tree"},
        {SBX_CAP_CAPACITY, ops->capacity != NULL, "capacity"},
    };
    if (!ops->provider || !*ops->provider) return "provider";
    if (ops->caps & CAPS_WITHOUT_OPS) return "caps";
    for (size_t i = 0; i < sizeof(foundations) / sizeof(foundations[0]); i++)
        if ((ops->caps & foundations[i].cap) && !(ops->caps & foundations[i].needs)) return "caps";
    if (ops->isolation < SBX_ISOLATION_NONE || ops->isolation > SBX_ISOLATION_VM) return "isolation";
    for (size_t i = 0; i < sizeof(promises) / sizeof(promises[0]); i++) {
        int promised = promises[i].cap == 0 || (ops->caps & promises[i].cap) != 0;
        if (promised != promises[i].kept) return promises[i].op; /* guard: promise_broken */
    }
    return NULL;
}
