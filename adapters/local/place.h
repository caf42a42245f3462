/* Where a sandbox is on the disk, what is written there, and the locks between processes. Rows L1, P12. */
#ifndef ADAPTERS_LOCAL_PLACE_H
#define ADAPTERS_LOCAL_PLACE_H

#include <sandport/kit/json.h>
#include <sandport/kit/ops.h>
#include <sandport/local.h>
#include <sys/types.h>

#define LOCAL_PATH_SIZE 1024
#define LOCAL_BOX_HOME  "/home/user" /* of an isolated sandbox, as it sees it */

/** One directory of sandboxes. Texts are ours. */
struct local {
    struct sbx_env *env;
    char *root; /* without a slash at its end */
    char *shell;
    char *bwrap;
    char *nsenter;
    int isolated; /* sandboxes that are launched are */
    int required; /* and others are not used */
    int network;
    int64_t run_budget_ms;
    int64_t sandbox_lifetime_ms;
};

/** A process, told from a later one of its number by when it started. */
struct local_process {
    int64_t pid; /* 0 = none */
    uint64_t start;
};

/** What changes of a sandbox. */
struct local_state {
    int32_t state; /* SBX_STATE_RUNNING, _STOPPED or _DESTROYING, as somebody wanted it */
    int64_t generation;
    struct local_process box; /* the first process of an isolated one that runs */
};

/** A sandbox as it was read. Zeroed before, sbx_local_view_finish() after. */
struct local_view {
    char id[SBX_ACQUISITION_SIZE];
    char home[LOCAL_PATH_SIZE]; /* as the sandbox sees it */
    struct sbx_json *record;
    const char *name; /* lent by record */
    const struct sbx_json_node *labels;
    const struct sbx_json_node *env;
    int isolated;
    int network;
    int64_t expires_ms; /* wall clock; 0 = never */
    struct local_state is;
};

void sbx_local_view_finish(struct local_view *view);

/* ---- place.c ---- */

/** root/id/name, or root/id. @return 0 if it does not fit, or the id is none of ours */
int sbx_local_path(const struct local *l, const char *id, const char *name, char out[LOCAL_PATH_SIZE]);

/** @return 0 and errno */
int sbx_local_file_write(const char *path, const char *text, size_t len);
int sbx_local_file_read(const char *path, size_t max, struct sbx_buf *out);
/** A text of less than `cap` bytes, without a request for memory. @return 0 and errno */
int sbx_local_text_read(const char *path, char *out, size_t cap);

/** Waits for a lock that others, in this process or another, may hold. @param path a file, made if need be
 *  @param fd sbx_local_unlock() it @return SBX_DEADLINE, SBX_CANCELLED, SBX_NOT_FOUND: no such directory */
enum sbx_status sbx_local_lock(const struct local *l, const char *path, const struct sbx_call *call, int *fd);
void sbx_local_unlock(int fd);

/** The lock of the root: who is there, and which names are taken. */
enum sbx_status sbx_local_lock_root(const struct local *l, const struct sbx_call *call, int *fd, struct sbx_error *err);

/** Removes a directory and all in it. @return 0 if something is left */
int sbx_local_remove(const char *path);

/* ---- record.c ---- */

/** Writes what never changes, into a directory that nobody sees yet. */
enum sbx_status sbx_local_record_write(const struct local *l, const char *dir, const struct sbx_launch_options *opt,
                                       const char *name, int64_t lifetime_ms, struct sbx_error *err);
enum sbx_status sbx_local_state_write(const char *dir, const struct local_state *is, struct sbx_error *err);

/** Reads a sandbox, whatever its state. @return SBX_NOT_FOUND, REFUSED: none of that id, or its lifetime is over */
enum sbx_status sbx_local_view_read(const struct local *l, const char *id, struct local_view *view,
                                    struct sbx_error *err);
/** The same for one that is to be used: SBX_FORBIDDEN without the isolation that is required, SBX_NOT_READY if it does
 * not run. */
enum sbx_status sbx_local_view_running(const struct local *l, const char *id, struct local_view *view,
                                       struct sbx_error *err);
/** enum sbx_state: as somebody wanted it, and as it is. */
int32_t sbx_local_state_of(const struct local_view *view);

#endif
