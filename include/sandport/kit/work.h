/* Work done inside a sandbox by its own means, over a small table that any adapter can fill. Rows P7, P11. */
#ifndef SANDPORT_KIT_WORK_H
#define SANDPORT_KIT_WORK_H

#include <sandport/kit/ops.h>

/** How to reach one sandbox. */
struct sbx_work_host {
    size_t size;
    void *ctx;
    struct sbx_env *env;
    /** One request that has the sandbox run `line`, one line of POSIX sh, with `vars` added to the environment, in the
     *  working directory. The request is never repeated.
     *  @param lifetime_ms the provider may end the command after so long: SBX_COMMAND_TIMEOUT
     *  @param text_max    more answer text than this is SBX_TOO_LARGE
     *  @param text        what came back as output, stdout first where apart
     *  On failure err->outcome says whether it may have run. */
    enum sbx_status (*run)(void *ctx, const char *line, const struct sbx_pair *vars, size_t var_count,
                           int64_t lifetime_ms, const struct sbx_call *call, size_t text_max, struct sbx_buf *text,
                           struct sbx_error *err);
};

#ifdef __cplusplus
extern "C" {
#endif

/** Runs a command exactly (docs/exact-exec.md): at most once whatever is lost or replayed, bytes as they were. The
 * contract is that of the exec op. */
SBX_API SBX_MUST_USE enum sbx_status sbx_exact_exec(const struct sbx_work_host *host, const char *command,
                                                    const struct sbx_exec_options *opt, const struct sbx_call *call,
                                                    struct sbx_exec_result *result, struct sbx_error *err);

#ifdef __cplusplus
}
#endif
#endif
