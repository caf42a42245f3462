/* Commands of the library's own in a sandbox: a script by exact exec, and streams that are hashed on their way. */
#ifndef SRC_WORK_TOOL_H
#define SRC_WORK_TOOL_H

#include <sandport/kit/text.h>
#include <sandport/kit/work.h>

/** How a script ended: zeroed before, sbx_tool_finish() after. */
struct tool_end {
    struct sbx_exec_result *result;
    int32_t code;
    const char *out;
    size_t out_len;
    const char *err;
};

/** Runs a script exactly, LC_ALL=C set for it. @return SBX_OK whatever the code; SBX_TOO_LARGE beyond 16 MiB of output.
 * On failure err->outcome is never DONE: how far a script of our own came is not known. */
enum sbx_status sbx_tool_run(const struct sbx_work_host *host, const char *script, const struct sbx_call *call,
                             struct tool_end *end, struct sbx_error *err);
void sbx_tool_finish(struct tool_end *end);

/** Appends a path quoted for a shell, so that it is no option of a tool's. */
void sbx_tool_path(struct sbx_buf *script, const char *path);

/** A directory in the sandbox for the time being, with a random name, which only its owner can enter: files made by a
 * provider's own means can often be read by all. */
struct tool_tmp {
    const struct sbx_work_host *host;
    const struct sbx_call *call;
    char dir[80];
    int made; /* it may be there */
};
/** Gives it a name; the script makes it. @param what a word in its name */
enum sbx_status sbx_tool_tmp_begin(struct tool_tmp *tmp, const char *what, struct sbx_error *err);
/** After the script that makes it: may it be there? */
void sbx_tool_tmp_made(struct tool_tmp *tmp, enum sbx_status st, const struct sbx_error *err);
/** Removes it, on the time for clean-up: the call's may be over. A failure before it is still what is told.
 *  @return st */
enum sbx_status sbx_tool_tmp_end(struct tool_tmp *tmp, enum sbx_status st, struct sbx_error *err);

/** What passes through: counted and hashed. */
struct tool_sum {
    const struct sbx_reader *from; /* or */
    const struct sbx_sink *to;
    struct sbx_sha256 *hash;
    uint64_t bytes;
};
/** @return SBX_NO_MEMORY */
enum sbx_status sbx_tool_sum_begin(struct tool_sum *sum);
struct sbx_reader sbx_tool_sum_reader(struct tool_sum *sum);
struct sbx_sink sbx_tool_sum_sink(struct tool_sum *sum);
/** Ends it. @param sha256 SBX_SHA256_HEX bytes @return SBX_NO_MEMORY when the hash did not come about */
enum sbx_status sbx_tool_sum_end(struct tool_sum *sum, char *sha256);

#endif
