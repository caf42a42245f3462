/* Scripts run by this host's own shells, many at a time, in a scratch directory and, where bubblewrap is there, inside
 * it: no script can touch the machine. */
#ifndef TESTS_UNIT_SIM_MACHINE_HOST_H
#define TESTS_UNIT_SIM_MACHINE_HOST_H

#include <sandport/kit/buf.h>
#include <stddef.h>

struct host {
    const char *shell;
    char scratch[64];
    size_t count;
};

/** What a script did: output, exit code (128 and more: a signal), and every name below its directory. */
struct host_result {
    struct sbx_buf out, files;
    int code;
};

void host_start(struct host *host, const char *shell);
void host_add(struct host *host, const char *text);
/** Runs all of them, each as `shell ../script one 'two words'` in an empty directory of its own. */
void host_run(struct host *host);
void host_result(const struct host *host, size_t i, struct host_result *out);
void host_result_finish(struct host_result *result);
void host_finish(struct host *host);

#endif
