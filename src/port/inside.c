/* Commands in a sandbox. Rows P7, P11. */
#include "src/port/port.h"

#include <assert.h>
#include <sandport/kit/text.h>
#include <string.h>

/* Output of a command that ran is worth having, whatever ended the call; one that could not be held is not there. */
static int exec_result_counts(const struct sbx_exec_result *result, enum sbx_status st, const struct sbx_error *err) {
    if (st == SBX_OK) return 1;
    return err->outcome == SBX_OUTCOME_DONE && st != SBX_NO_MEMORY && sbx_port_exec_result_is_set(result);
}

void sbx_port_exec_result_give(struct sbx_exec_result *result, enum sbx_status st, const struct sbx_error *err,
                               struct sbx_exec_result **out) {
    if (exec_result_counts(result, st, err))
        *out = result;
    else
        sbx_exec_result_free(result);
}

static enum sbx_status exec_in(struct port_entry *entry, struct sbx_sandbox *sb, const struct sbx_identity *who,
                               const char *command, const struct sbx_exec_options *opt, struct sbx_exec_result **out) {
    assert(sb); /* entered */
    struct sbx_exec_result *result = sbx_exec_result_create();
    if (!result) return sbx_fail(&entry->err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    enum sbx_status st = sb->rt->ops.exec(sb->rt->self, who, command, opt, &entry->call, result, &entry->err);
    sbx_port_exec_result_give(result, st, &entry->err, out);
    return st;
}

/* The options come first, since the default deadline follows from the command's lifetime. */
enum sbx_status sbx_port_exec_options(const struct sbx_exec_options *from, struct sbx_exec_options *opt) {
    if (sbx_options_take(opt, sizeof(*opt), from, sizeof(*opt))) return SBX_INVALID_ARGUMENT;
    if (opt->output_bytes_max == 0) opt->output_bytes_max = SBX_OUTPUT_BYTES_DEFAULT;
    return SBX_OK;
}

enum sbx_status sbx_sandbox_exec(struct sbx_sandbox *sb, const char *command, const struct sbx_exec_options *from,
                                 const struct sbx_call *call, struct sbx_exec_result **out, struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_identity who;
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    enum sbx_status options = sbx_port_exec_options(from, &opt);
    int64_t default_ms = sbx_port_exec_default_ms(sb, &opt);
    enum sbx_status st = sbx_port_sandbox_enter(&entry, sb, "exec", SBX_CAP_EXEC, call, default_ms, err, &who);
    assert(st || sb);
    if (!st && options) st = sbx_port_size_wrong(&entry, "opt");
    if (!st && !out) st = sbx_port_missing(&entry, "out");
    if (!st) st = sbx_port_check_exec(command, &opt, &entry.err);
    if (!st && opt.output && !(sb->rt->ops.caps & SBX_CAP_STREAMING_OUTPUT)) /* guard: exec_output_undeclared */
        st = sbx_fail(&entry.err, SBX_UNSUPPORTED, SBX_OUTCOME_NOT_SENT, "output: STREAMING_OUTPUT is not declared");
    if (!st) st = exec_in(&entry, sb, &who, command, &opt, out);
    return sbx_port_leave(&entry, st);
}
