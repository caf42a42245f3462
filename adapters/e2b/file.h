/* Files by the daemon's own calls. Rows P8, D14. */
#ifndef ADAPTERS_E2B_FILE_H
#define ADAPTERS_E2B_FILE_H

#include "adapters/e2b/inside.h"

/** What the daemon says of one path; texts are lent by the document. */
struct e2b_file {
    struct sbx_file_draft draft;
    int32_t leads_nowhere; /* a link: to callers it is not there */
};

/** Pure. Complains in js. @param listed of a directory's list: its name is one that is in a directory */
void e2b_file_info(struct sbx_json *js, const struct sbx_json_node *node, int listed, struct e2b_file *out);

/** A path as the daemon takes it: to it, unlike to us, a ~ at the beginning is the home directory. */
void e2b_put_path(struct sbx_buf *out, const char *path);

/** One of its calls about files. @param body JSON, finished here
 *  @return as e2b_send(), or as e2b_read_by() for one that only reads */
enum sbx_status e2b_file_call(struct e2b *e, const struct sbx_identity *who, enum e2b_op op, struct sbx_buf *body,
                              const struct sbx_call *call, struct e2b_reply *reply, struct sbx_error *err);

/** What is there. A failure has changed nothing: its outcome is REFUSED at most, or that of a read.
 *  @param reply zeroed; e2b_reply_finish() it; it lends texts to `out` */
enum sbx_status e2b_file_look(struct e2b *e, const struct sbx_identity *who, const char *path,
                              const struct sbx_call *call, struct e2b_reply *reply, struct e2b_file *out,
                              struct sbx_error *err);

#endif
