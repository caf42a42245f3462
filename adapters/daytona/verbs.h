/* The verbs that build on each other: waiting, probing, deleting, finding. Each file has the one of its name. */
#ifndef ADAPTERS_DAYTONA_VERBS_H
#define ADAPTERS_DAYTONA_VERBS_H

#include "adapters/daytona/body.h"

/** A sandbox as it was last read: zeroed before, daytona_view_finish() after. */
struct daytona_view {
    struct daytona_reply reply;
    struct daytona_dto is; /* lent by the reply */
};
void daytona_view_finish(struct daytona_view *view);

/** One GET, not repeated. @param id or name */
enum sbx_status daytona_view_once(struct daytona *d, const char *id, const struct sbx_call *call,
                                  struct daytona_view *view, struct sbx_error *err);
/** A GET that passing failures do not end. */
enum sbx_status daytona_view_read(struct daytona *d, const char *id, const struct sbx_call *call,
                                  struct daytona_view *view, struct sbx_error *err);

/* ---- wait.c ---- */

enum daytona_goal { DAYTONA_UNTIL_STARTED, DAYTONA_UNTIL_STOPPED, DAYTONA_UNTIL_GONE };
/** Reads the state until it is the goal, 50 ms doubling to 1 s. Passing failures of a read do not end it.
 *  UNTIL_STARTED ends with SBX_NOT_FOUND for one that is proven gone; for the others gone is the goal.
 *  @param view the last that was read; may be finished already when it is gone */
enum sbx_status daytona_wait_until(struct daytona *d, const char *id, enum daytona_goal goal,
                                   const struct sbx_call *call, struct daytona_view *view, struct sbx_error *err);

/* ---- probe.c ---- */

enum daytona_probe { DAYTONA_PROBE_ALIVE, DAYTONA_PROBE_DEAD, DAYTONA_PROBE_UNDECIDED };
/** Runs `true` until it is answered, or `window_ms` is over. DEAD only if every answer said so.
 *  @param err what the first undecided answer was, else SBX_NOT_READY */
enum daytona_probe daytona_probe(struct daytona *d, const struct sbx_identity *who, int64_t window_ms,
                                 const struct sbx_call *call, struct sbx_error *err);

/* ---- delete.c ---- */

/** Deletes and waits until it is proven gone. */
enum sbx_status daytona_delete(struct daytona *d, const char *id, const struct sbx_call *call, struct sbx_error *err);

/* ---- launch.c ---- */

/** What create made, or may have made. */
struct daytona_made {
    const char *name;        /* to look it up by */
    const char *acquisition; /* whose it must be */
    char id[SBX_ID_SIZE];    /* "" while not known */
};

/** Creates, waits, proves; on failure deletes what was made. @param who filled as far as known, also on failure */
enum sbx_status daytona_create_proven(struct daytona *d, const struct sbx_buf *body, struct daytona_made *made,
                                      int64_t create_ms, const struct sbx_call *call, struct sbx_identity *who,
                                      struct sbx_error *err);

/* ---- dirs.c ---- */

/** Asks for the toolbox's address if the identity has none. */
enum sbx_status daytona_address(struct daytona *d, struct sbx_identity *who, const struct sbx_call *call,
                                struct sbx_error *err);
/** @param which "/work-dir" or "/user-home-dir" */
enum sbx_status daytona_dir(struct daytona *d, const struct sbx_identity *who, const char *which,
                            const struct sbx_call *call, struct sbx_buf *out, struct sbx_error *err);

/* ---- lookup.c ---- */

/** Calls `each` with every sandbox of the list whose labels match, confirmed by a read of its own. */
enum sbx_status daytona_each(struct daytona *d, const struct sbx_query *query, const struct sbx_call *call,
                             enum sbx_status (*each)(void *ctx, struct daytona_view *view), void *ctx,
                             struct sbx_error *err);
/** Sees one item of the list. @return SBX_PROTOCOL with js complained to: the whole search fails with that */
typedef enum sbx_status (*daytona_listed_fn)(void *ctx, struct sbx_json *js, const struct daytona_dto *item);
/** Calls `each` with every item of the list, each id once, in whatever state the list says it is. */
enum sbx_status daytona_each_listed(struct daytona *d, const struct sbx_call *call, daytona_listed_fn each, void *ctx,
                                    struct sbx_error *err);

/* ---- file_info.c ---- */

/** Reads a FileInfo of the daemon's. What decides what a caller does with a file - its name, whether it is a directory,
 *  its size - is strict; what only describes it may be missing.
 *  @param listed in a directory, where the root and `.` are no names @return SBX_PROTOCOL, SBX_NO_MEMORY */
enum sbx_status daytona_file_info(struct sbx_json *js, const struct sbx_json_node *node, int listed,
                                  struct sbx_files *into, struct sbx_error *err);

/* ---- the ops ---- */

enum sbx_status daytona_launch(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                               struct sbx_identity *out, struct sbx_error *err);
enum sbx_status daytona_launch_detached(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                                        struct sbx_identity *out, struct sbx_error *err);
enum sbx_status daytona_attach(void *self, const char *id, const struct sbx_call *call, struct sbx_identity *out,
                               struct sbx_error *err);
enum sbx_status daytona_info(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                             struct sbx_info **out, struct sbx_error *err);
enum sbx_status daytona_find(void *self, const struct sbx_query *query, const struct sbx_call *call,
                             struct sbx_list *into, struct sbx_error *err);
enum sbx_status daytona_count(void *self, const struct sbx_query *query, const struct sbx_call *call, int64_t *out,
                              struct sbx_error *err);
enum sbx_status daytona_capacity(void *self, uint32_t wanted, const struct sbx_call *call, struct sbx_usage *usage,
                                 struct sbx_error *err);
enum sbx_status daytona_reconcile(void *self, const struct sbx_reconcile_options *opt, const struct sbx_call *call,
                                  int32_t *verdict, struct sbx_list *into, struct sbx_error *err);
enum sbx_status daytona_exec(void *self, const struct sbx_identity *who, const char *command,
                             const struct sbx_exec_options *opt, const struct sbx_call *call,
                             struct sbx_exec_result *result, struct sbx_error *err);
enum sbx_status daytona_upload(void *self, const struct sbx_identity *who, const char *path,
                               const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                               const struct sbx_call *call, struct sbx_error *err);
enum sbx_status daytona_download(void *self, const struct sbx_identity *who, const char *path,
                                 const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                 const struct sbx_call *call, struct sbx_error *err);
enum sbx_status daytona_home_dir(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                 struct sbx_buf *out, struct sbx_error *err);
enum sbx_status daytona_start(void *self, struct sbx_identity *who, const struct sbx_start_options *opt,
                              const struct sbx_call *call, struct sbx_start_result *result, struct sbx_error *err);
enum sbx_status daytona_stop(void *self, struct sbx_identity *who, const struct sbx_stop_options *opt,
                             const struct sbx_call *call, struct sbx_error *err);
enum sbx_status daytona_submit(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                               const char *command, const struct sbx_run_options *opt, const struct sbx_call *call,
                               struct sbx_run_status *status, struct sbx_error *err);
enum sbx_status daytona_read_logs(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                                  const struct sbx_log_options *opt, const struct sbx_call *call, struct sbx_log *into,
                                  struct sbx_error *err);
enum sbx_status daytona_kill_run(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                                 const struct sbx_call *call, struct sbx_run_status *status, struct sbx_error *err);
enum sbx_status daytona_session_open(void *self, const struct sbx_identity *who, const char *id,
                                     const struct sbx_call *call, struct sbx_error *err);
enum sbx_status daytona_session_exec(void *self, const struct sbx_identity *who, const char *id, const char *command,
                                     const struct sbx_exec_options *opt, const struct sbx_call *call,
                                     struct sbx_exec_result *result, struct sbx_error *err);
enum sbx_status daytona_session_close(void *self, const struct sbx_identity *who, const char *id,
                                      const struct sbx_call *call, struct sbx_error *err);
enum sbx_status daytona_file_list(void *self, const struct sbx_identity *who, const char *dir,
                                  const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
enum sbx_status daytona_file_stat(void *self, const struct sbx_identity *who, const char *path,
                                  const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
enum sbx_status daytona_file_search(void *self, const struct sbx_identity *who, const char *dir, const char *pattern,
                                    const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
enum sbx_status daytona_file_find(void *self, const struct sbx_identity *who, const char *dir, const char *text,
                                  const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
enum sbx_status daytona_file_mkdir(void *self, const struct sbx_identity *who, const char *path, int32_t mode,
                                   const struct sbx_call *call, struct sbx_error *err);
enum sbx_status daytona_file_remove(void *self, const struct sbx_identity *who, const char *path, int32_t recursive,
                                    const struct sbx_call *call, struct sbx_error *err);
enum sbx_status daytona_file_move(void *self, const struct sbx_identity *who, const char *from, const char *to,
                                  const struct sbx_call *call, struct sbx_error *err);
enum sbx_status daytona_file_permissions(void *self, const struct sbx_identity *who, const char *path, int32_t mode,
                                         const char *owner, const char *group, const struct sbx_call *call,
                                         struct sbx_error *err);
enum sbx_status daytona_file_replace(void *self, const struct sbx_identity *who, const char *const *paths, size_t count,
                                     const char *text, const char *with, const struct sbx_call *call,
                                     struct sbx_files *into, struct sbx_error *err);
enum sbx_status daytona_upload_files(void *self, const struct sbx_identity *who, const struct sbx_upload_file *files,
                                     size_t count, const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                     struct sbx_files *into, struct sbx_error *err);
enum sbx_status daytona_upload_tree(void *self, const struct sbx_identity *who, const char *dir,
                                    const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                    const struct sbx_call *call, struct sbx_error *err);
enum sbx_status daytona_download_tree(void *self, const struct sbx_identity *who, const char *dir,
                                      const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                      const struct sbx_call *call, struct sbx_error *err);
enum sbx_status daytona_destroy(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                struct sbx_error *err);

#endif
