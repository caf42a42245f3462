/* What the verbs of the adapter share, and the verbs themselves. */
#ifndef ADAPTERS_E2B_VERBS_H
#define ADAPTERS_E2B_VERBS_H

#include "adapters/e2b/dto.h"

/** A sandbox as a read found it. Zeroed before, e2b_view_finish() after. */
struct e2b_view {
    struct e2b_reply reply;
    struct e2b_dto is; /* lent by reply */
};

void e2b_view_finish(struct e2b_view *view);

/* ---- lookup.c ---- */

/** Reads it by its id. What it says of its end is kept. */
enum sbx_status e2b_view_read(struct e2b *e, const char *id, const struct sbx_call *call, struct e2b_view *view,
                              struct sbx_error *err);
/** One try. */
enum sbx_status e2b_view_once(struct e2b *e, const char *id, const struct sbx_call *call, struct e2b_view *view,
                              struct sbx_error *err);

/** Calls `each` with every sandbox of the list that matches. */
enum sbx_status e2b_each(struct e2b *e, const struct sbx_query *query, const struct sbx_call *call,
                         enum sbx_status (*each)(void *ctx, struct sbx_json *js, const struct e2b_dto *dto), void *ctx,
                         struct sbx_error *err);

/* ---- body.c, options.c ---- */

/** A launch's options with the runtime's defaults and the provider options worked in. Texts are the options' own. */
struct e2b_launch {
    const struct sbx_launch_options *opt;
    const char *template_id;
    int64_t lifetime_ms; /* of the sandbox */
};

/** Checks what only E2B can check and fills in defaults. Nothing is sent.
 *  @return SBX_INVALID_OPTIONS for a provider option, SBX_UNSUPPORTED or SBX_INVALID_ARGUMENT for the rest */
enum sbx_status e2b_launch_options(const struct e2b *e, const struct sbx_launch_options *opt, struct e2b_launch *out,
                                   struct sbx_error *err);
void e2b_body_of_launch(const struct e2b *e, struct sbx_buf *body, const struct e2b_launch *launch);

/* ---- probe.c ---- */

/** Runs `true` until it has run, or `window_ms` is over. */
enum sbx_status e2b_probe(struct e2b *e, const struct sbx_identity *who, int64_t window_ms, const struct sbx_call *call,
                          struct sbx_error *err);

/* ---- change.c ---- */

/** Sends a change until it is accepted: again when it failed in passing, and for up to 30 s when another one is in its
 * way. `answer` is that of the last try. */
enum sbx_status e2b_change(struct e2b *e, enum e2b_op op, const char *method, const char *id, const char *rest,
                           const struct sbx_buf *body, const struct sbx_call *call, struct e2b_reply *answer,
                           struct sbx_error *err);

/* ---- delete.c ---- */

/** Deletes and waits until a read proves it gone. */
enum sbx_status e2b_delete(struct e2b *e, const char *id, const struct sbx_call *call, struct sbx_error *err);

/* ---- home.c ---- */

/** The home directory, asked from the sandbox. */
enum sbx_status e2b_home_dir(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                             struct sbx_buf *out, struct sbx_error *err);

/* ---- the ops ---- */

enum sbx_status e2b_launch(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                           struct sbx_identity *out, struct sbx_error *err);
enum sbx_status e2b_attach(void *self, const char *id, const struct sbx_call *call, struct sbx_identity *out,
                           struct sbx_error *err);
enum sbx_status e2b_info(void *self, const struct sbx_identity *who, const struct sbx_call *call, struct sbx_info **out,
                         struct sbx_error *err);
enum sbx_status e2b_find(void *self, const struct sbx_query *query, const struct sbx_call *call, struct sbx_list *into,
                         struct sbx_error *err);
enum sbx_status e2b_count(void *self, const struct sbx_query *query, const struct sbx_call *call, int64_t *out,
                          struct sbx_error *err);
enum sbx_status e2b_capacity(void *self, uint32_t wanted, const struct sbx_call *call, struct sbx_usage *usage,
                             struct sbx_error *err);
enum sbx_status e2b_reconcile(void *self, const struct sbx_reconcile_options *opt, const struct sbx_call *call,
                              int32_t *verdict, struct sbx_list *into, struct sbx_error *err);
enum sbx_status e2b_exec(void *self, const struct sbx_identity *who, const char *command,
                         const struct sbx_exec_options *opt, const struct sbx_call *call,
                         struct sbx_exec_result *result, struct sbx_error *err);
enum sbx_status e2b_upload(void *self, const struct sbx_identity *who, const char *path, const struct sbx_reader *from,
                           const struct sbx_transfer_options *opt, const struct sbx_call *call, struct sbx_error *err);
enum sbx_status e2b_download(void *self, const struct sbx_identity *who, const char *path, const struct sbx_sink *to,
                             const struct sbx_transfer_options *opt, const struct sbx_call *call,
                             struct sbx_error *err);
enum sbx_status e2b_start(void *self, struct sbx_identity *who, const struct sbx_start_options *opt,
                          const struct sbx_call *call, struct sbx_start_result *result, struct sbx_error *err);
enum sbx_status e2b_stop(void *self, struct sbx_identity *who, const struct sbx_stop_options *opt,
                         const struct sbx_call *call, struct sbx_error *err);
enum sbx_status e2b_submit(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                           const char *command, const struct sbx_run_options *opt, const struct sbx_call *call,
                           struct sbx_run_status *status, struct sbx_error *err);
enum sbx_status e2b_read_logs(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                              const struct sbx_log_options *opt, const struct sbx_call *call, struct sbx_log *into,
                              struct sbx_error *err);
enum sbx_status e2b_kill_run(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                             const struct sbx_call *call, struct sbx_run_status *status, struct sbx_error *err);
enum sbx_status e2b_destroy(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                            struct sbx_error *err);
enum sbx_status e2b_file_list(void *self, const struct sbx_identity *who, const char *dir, const struct sbx_call *call,
                              struct sbx_files *into, struct sbx_error *err);
enum sbx_status e2b_file_stat(void *self, const struct sbx_identity *who, const char *path, const struct sbx_call *call,
                              struct sbx_files *into, struct sbx_error *err);
enum sbx_status e2b_file_search(void *self, const struct sbx_identity *who, const char *dir, const char *pattern,
                                const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
enum sbx_status e2b_file_find(void *self, const struct sbx_identity *who, const char *dir, const char *text,
                              const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
enum sbx_status e2b_file_mkdir(void *self, const struct sbx_identity *who, const char *path, int32_t mode,
                               const struct sbx_call *call, struct sbx_error *err);
enum sbx_status e2b_file_remove(void *self, const struct sbx_identity *who, const char *path, int32_t recursive,
                                const struct sbx_call *call, struct sbx_error *err);
enum sbx_status e2b_file_move(void *self, const struct sbx_identity *who, const char *from, const char *to,
                              const struct sbx_call *call, struct sbx_error *err);
enum sbx_status e2b_file_permissions(void *self, const struct sbx_identity *who, const char *path, int32_t mode,
                                     const char *owner, const char *group, const struct sbx_call *call,
                                     struct sbx_error *err);
enum sbx_status e2b_file_replace(void *self, const struct sbx_identity *who, const char *const *paths, size_t count,
                                 const char *text, const char *with, const struct sbx_call *call,
                                 struct sbx_files *into, struct sbx_error *err);
enum sbx_status e2b_upload_files(void *self, const struct sbx_identity *who, const struct sbx_upload_file *files,
                                 size_t count, const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                 struct sbx_files *into, struct sbx_error *err);
enum sbx_status e2b_upload_tree(void *self, const struct sbx_identity *who, const char *dir,
                                const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                const struct sbx_call *call, struct sbx_error *err);
enum sbx_status e2b_download_tree(void *self, const struct sbx_identity *who, const char *dir,
                                  const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                  const struct sbx_call *call, struct sbx_error *err);

#endif
