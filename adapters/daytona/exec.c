/* Commands: exact, streamed, or as the wire has them. Rows D9, P7, P11. */
#include "adapters/daytona/inside.h"

#include <string.h>

#define WIRE_TEXT_MAX (16 * 1024 * 1024 / 6 - 4096) /* in JSON no more than its reader takes */

/* What the daemon itself gives: both outputs in one text, in which bytes that are no UTF-8 are lost. */
static enum sbx_status exec_wire(const struct daytona_inside *in, const char *command,
                                 const struct sbx_exec_options *opt, const struct sbx_call *call,
                                 struct sbx_exec_result *result, struct sbx_error *err) {
    struct daytona_executed got = {0};
    struct sbx_exec_draft draft = {.size = sizeof(draft), .exit_code = -1, .streams_merged = 1};
    size_t kept = (size_t)opt->output_bytes_max;
    enum sbx_status st =
        daytona_execute(in->d, &in->where, command, opt->cwd, opt->env, opt->env_count,
                        opt->lifetime_ms ? opt->lifetime_ms : SBX_LIFETIME_MS, WIRE_TEXT_MAX, call, &got, err);
    if (!st || st == SBX_COMMAND_TIMEOUT) {
        draft.exit_known = got.exit_known;
        draft.exit_code = got.exit_known ? got.exit_code : -1;
        draft.out = sbx_buf_text(&got.text);
        draft.out_len = got.text.len < kept ? got.text.len : kept;
        draft.out_total = got.text.len;
        if (sbx_exec_result_set(result, &draft)) st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL);
        sbx_fail(err, st, SBX_OUTCOME_DONE, NULL);
    }
    sbx_buf_finish(&got.text);
    return st;
}

enum sbx_status daytona_exec(void *self, const struct sbx_identity *who, const char *command,
                             const struct sbx_exec_options *opt, const struct sbx_call *call,
                             struct sbx_exec_result *result, struct sbx_error *err) {
    struct daytona_inside in;
    if (opt->mode == SBX_EXEC_WIRE && opt->output)
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT,
                        "output: expected none with SBX_EXEC_WIRE, which answers at the end");
    enum sbx_status st = daytona_inside_begin(&in, self, who, call, err);
    if (st) return st;
    if (opt->mode == SBX_EXEC_WIRE)
        st = exec_wire(&in, command, opt, call, result, err);
    else if (opt->output)
        st = sbx_stream_exec(&in.work, command, opt, call, result, err);
    else
        st = sbx_exact_exec(&in.work, command, opt, call, result, err);
    return st ? daytona_inside_end(&in, st, call, err) : SBX_OK;
}
