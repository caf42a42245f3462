/* How src/work reaches a sandbox of E2B's: lines of shell, each a process of the daemon's. Rows D10, P11, E5-E7. */
#ifndef ADAPTERS_E2B_INSIDE_H
#define ADAPTERS_E2B_INSIDE_H

#include "adapters/e2b/verbs.h"

/** Lives on the stack of one call, where e2b_inside_begin() left it. */
struct e2b_inside {
    struct e2b *e;
    const struct sbx_identity *who;
    struct sbx_work_host work;
};

void e2b_inside_begin(struct e2b_inside *in, struct e2b *e, const struct sbx_identity *who);

/** e2b_upload(), but whether the answer names the file is not looked at: for what is compared in the sandbox. */
enum sbx_status e2b_upload_unread(struct e2b *e, const struct sbx_identity *who, const char *path,
                                  const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                  const struct sbx_call *call, struct sbx_error *err);

/** A sandbox that cannot be reached, or whose stream was cut, may be paused or gone: a read says so.
 * @return st, or what explains it better; whether the command ran stays as it was known */
enum sbx_status e2b_explain(struct e2b *e, const struct sbx_identity *who, enum sbx_status st,
                            const struct sbx_call *call, struct sbx_error *err);

#endif
