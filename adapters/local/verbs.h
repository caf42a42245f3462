/* The verbs of the adapter. Rows L1, P1. */
#ifndef ADAPTERS_LOCAL_VERBS_H
#define ADAPTERS_LOCAL_VERBS_H

#include "adapters/local/process.h"

#include <sandport/kit/work.h>

/* ---- lifecycle.c ---- */

/** Makes a stopped one run, and proves it. */
enum sbx_status sbx_local_begin(const struct local *l, const char *id, const struct sbx_call *call,
                                struct sbx_error *err);
/** Ends all of it, and removes it. One that is not there is success. */
enum sbx_status sbx_local_delete(const struct local *l, const char *id, const struct sbx_call *call,
                                 struct sbx_error *err);
/** Removes those whose lifetime is over, as far as that goes in 5 s. */
void sbx_local_reap_over(const struct local *l, const struct sbx_call *call);
enum sbx_status sbx_local_start(void *self, struct sbx_identity *who, const struct sbx_start_options *opt,
                                const struct sbx_call *call, struct sbx_start_result *result, struct sbx_error *err);
enum sbx_status sbx_local_stop(void *self, struct sbx_identity *who, const struct sbx_stop_options *opt,
                               const struct sbx_call *call, struct sbx_error *err);
enum sbx_status sbx_local_destroy(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                  struct sbx_error *err);

/* ---- launch.c ---- */

enum sbx_status sbx_local_launch(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                                 struct sbx_identity *out, struct sbx_error *err);

/** root/.names/<hash of the name>. @return 0 when memory runs out or it does not fit */
int sbx_local_name_path(const struct local *l, const char *name, char out[LOCAL_PATH_SIZE]);

/* ---- lookup.c ---- */

enum sbx_status sbx_local_attach(void *self, const char *id, const struct sbx_call *call, struct sbx_identity *out,
                                 struct sbx_error *err);
enum sbx_status sbx_local_info(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                               struct sbx_info **out, struct sbx_error *err);
enum sbx_status sbx_local_find(void *self, const struct sbx_query *query, const struct sbx_call *call,
                               struct sbx_list *into, struct sbx_error *err);
enum sbx_status sbx_local_count(void *self, const struct sbx_query *query, const struct sbx_call *call, int64_t *out,
                                struct sbx_error *err);
enum sbx_status sbx_local_capacity(void *self, uint32_t wanted, const struct sbx_call *call, struct sbx_usage *usage,
                                   struct sbx_error *err);
enum sbx_status sbx_local_reconcile(void *self, const struct sbx_reconcile_options *opt, const struct sbx_call *call,
                                    int32_t *verdict, struct sbx_list *into, struct sbx_error *err);
enum sbx_status sbx_local_home_dir(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                   struct sbx_buf *out, struct sbx_error *err);

/* ---- inside.c, files.c ---- */

enum sbx_status sbx_local_exec(void *self, const struct sbx_identity *who, const char *command,
                               const struct sbx_exec_options *opt, const struct sbx_call *call,
                               struct sbx_exec_result *result, struct sbx_error *err);
enum sbx_status sbx_local_submit(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                                 const char *command, const struct sbx_run_options *opt, const struct sbx_call *call,
                                 struct sbx_run_status *status, struct sbx_error *err);
enum sbx_status sbx_local_read_logs(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                                    const struct sbx_log_options *opt, const struct sbx_call *call,
                                    struct sbx_log *into, struct sbx_error *err);
enum sbx_status sbx_local_kill_run(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                                   const struct sbx_call *call, struct sbx_run_status *status, struct sbx_error *err);
enum sbx_status sbx_local_upload(void *self, const struct sbx_identity *who, const char *path,
                                 const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                 const struct sbx_call *call, struct sbx_error *err);
enum sbx_status sbx_local_download(void *self, const struct sbx_identity *who, const char *path,
                                   const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                   const struct sbx_call *call, struct sbx_error *err);

/* ---- file_look.c, file_change.c, file_tools.c ---- */

enum sbx_status sbx_local_file_stat(void *self, const struct sbx_identity *who, const char *path,
                                    const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
enum sbx_status sbx_local_file_list(void *self, const struct sbx_identity *who, const char *dir,
                                    const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
enum sbx_status sbx_local_file_mkdir(void *self, const struct sbx_identity *who, const char *path, int32_t mode,
                                     const struct sbx_call *call, struct sbx_error *err);
enum sbx_status sbx_local_file_remove(void *self, const struct sbx_identity *who, const char *path, int32_t recursive,
                                      const struct sbx_call *call, struct sbx_error *err);
enum sbx_status sbx_local_file_move(void *self, const struct sbx_identity *who, const char *from, const char *to,
                                    const struct sbx_call *call, struct sbx_error *err);
enum sbx_status sbx_local_file_search(void *self, const struct sbx_identity *who, const char *dir, const char *pattern,
                                      const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
enum sbx_status sbx_local_file_find(void *self, const struct sbx_identity *who, const char *dir, const char *text,
                                    const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
enum sbx_status sbx_local_file_permissions(void *self, const struct sbx_identity *who, const char *path, int32_t mode,
                                           const char *owner, const char *group, const struct sbx_call *call,
                                           struct sbx_error *err);
enum sbx_status sbx_local_file_replace(void *self, const struct sbx_identity *who, const char *const *paths,
                                       size_t count, const char *text, const char *with, const struct sbx_call *call,
                                       struct sbx_files *into, struct sbx_error *err);
enum sbx_status sbx_local_upload_files(void *self, const struct sbx_identity *who, const struct sbx_upload_file *files,
                                       size_t count, const struct sbx_transfer_options *opt,
                                       const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
enum sbx_status sbx_local_upload_tree(void *self, const struct sbx_identity *who, const char *dir,
                                      const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                      const struct sbx_call *call, struct sbx_error *err);
enum sbx_status sbx_local_download_tree(void *self, const struct sbx_identity *who, const char *dir,
                                        const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                        const struct sbx_call *call, struct sbx_error *err);

#endif
