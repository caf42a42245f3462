/* One request about a run, put again where that is safe: what durable runs and streamed commands share. Row D10. */
#ifndef SRC_WORK_DURABLE_H
#define SRC_WORK_DURABLE_H

#include "src/work/run_line.h"

#include <sandport/kit/work.h>

#define DURABLE_LIFETIME_S_MAX (INT64_C(10) * 365 * 24 * 3600)

/** What a submit needs beside its texts. */
struct durable_order {
    struct run_order is;
    const struct sbx_pair *env;
    size_t env_count;
    char hash[SBX_SHA256_HEX];
    char nonce[RUN_NONCE_SIZE];
};

/** Hash, nonce and lifetime of an order. Texts are lent. */
enum sbx_status sbx_durable_order(struct sbx_env *env, const char *command, const char *cwd, int64_t lifetime_ms,
                                  struct durable_order *order, struct sbx_error *err);

/* Each is one request, put again at most twice when its answer was lost: none of them can run a command twice.
 * SBX_OK means an answer in `ans`, of whatever kind. `ans` is zeroed by them; sbx_run_answer_finish() it always. */
enum sbx_status sbx_durable_send(const struct sbx_work_host *host, const struct run_place *place,
                                 const struct durable_order *order, const struct sbx_call *call, struct run_answer *ans,
                                 struct sbx_error *err);
enum sbx_status sbx_durable_ask(const struct sbx_work_host *host, const struct run_place *place,
                                const struct run_piece *piece, const struct sbx_call *call, struct run_answer *ans,
                                struct sbx_error *err);
enum sbx_status sbx_durable_end(const struct sbx_work_host *host, const struct run_place *place, int64_t grace_ms,
                                const struct sbx_call *call, struct run_answer *ans, struct sbx_error *err);

#endif
