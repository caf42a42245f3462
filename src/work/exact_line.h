/* The one line that a request carries. Row P11. */
#ifndef SRC_WORK_EXACT_LINE_H
#define SRC_WORK_EXACT_LINE_H

#include "src/work/exact_receipts.h"

/** exec /bin/sh -c '<script>' sbx '<command>' <nonce> '<cwd>' <limit> <received>... @param cwd NULL = where it starts
 */
void sbx_exact_line_run(struct sbx_buf *line, const char *command, const char *nonce, const char *cwd, int64_t limit,
                        char received[EXACT_RECEIPTS_A_LINE][EXACT_NONCE_SIZE], size_t received_count);

/** exec /bin/sh -c '<script>' sbx <nonce> <limit> <patience> <grace> */
void sbx_exact_line_ask(struct sbx_buf *line, const char *nonce, int64_t limit, int64_t patience_ms, int64_t grace_ms);

#endif
