/* The one line that a request about a run carries. Row D10. */
#ifndef SRC_WORK_RUN_LINE_H
#define SRC_WORK_RUN_LINE_H

#include "src/work/run_answer.h"

/** A run, as its directory names it. Texts are lent. */
struct run_place {
    const char *parent; /* absolute, without a slash at its end */
    const char *prefix; /* of the directory's name: "" or ".sbx-" */
    const char *key;    /* RUN_KEY_SIZE */
};

/** A submit. */
struct run_order {
    const char *command;
    const char *cwd;    /* NULL = where it starts */
    int64_t lifetime_s; /* 0 = none */
    const char *hash;
    const char *nonce;
};

void sbx_run_line_submit(struct sbx_buf *line, const struct run_place *place, const struct run_order *order);
void sbx_run_line_read(struct sbx_buf *line, const struct run_place *place, const struct run_piece *piece);
void sbx_run_line_kill(struct sbx_buf *line, const struct run_place *place, int64_t grace_ms);
void sbx_run_line_drop(struct sbx_buf *line, const struct run_place *place);

#endif
