/* How src/work reaches a Daytona sandbox: lines of shell by the toolbox's one-shot execute. Rows D9, D10, P11. */
#ifndef ADAPTERS_DAYTONA_INSIDE_H
#define ADAPTERS_DAYTONA_INSIDE_H

#include "adapters/daytona/verbs.h"

/** Lives on the stack of one call, where daytona_inside_begin() left it. */
struct daytona_inside {
    struct daytona *d;
    struct sbx_identity where; /* with the toolbox's address */
    struct sbx_work_host work;
};

/** Asks for the toolbox's address if need be. */
enum sbx_status daytona_inside_begin(struct daytona_inside *in, struct daytona *d, const struct sbx_identity *who,
                                     const struct sbx_call *call, struct sbx_error *err);

/** A toolbox that cannot be reached answers in words that change; what the sandbox's state is does not depend on them.
 * @return st, or what explains it better; whether the command ran stays as it was known */
enum sbx_status daytona_inside_end(const struct daytona_inside *in, enum sbx_status st, const struct sbx_call *call,
                                   struct sbx_error *err);

/** Many files in one request, as struct sbx_work_files wants it. @param ctx a struct daytona_inside */
enum sbx_status daytona_upload_many(void *ctx, const struct sbx_upload_file *files, size_t count,
                                    const struct sbx_transfer_options *opt, int32_t *statuses,
                                    const struct sbx_call *call, struct sbx_error *err);

/** What execute answered. */
struct daytona_executed {
    int32_t exit_known;
    int32_t exit_code;
    struct sbx_buf text;
};

/** One execute. @param cwd NULL = the working directory @param out zeroed; its text is the caller's to finish */
enum sbx_status daytona_execute(struct daytona *d, const struct sbx_identity *who, const char *command, const char *cwd,
                                const struct sbx_pair *vars, size_t var_count, int64_t lifetime_ms, size_t text_max,
                                const struct sbx_call *call, struct daytona_executed *out, struct sbx_error *err);

#endif
