/* A runtime over directories: the second adapter that keeps the port from taking the first one's shape. A sandbox is a
 * directory, its commands are processes in it. For tests: it isolates nothing. */
#ifndef TESTS_SUPPORT_TOY_H
#define TESTS_SUPPORT_TOY_H

#include <sandport/kit/ops.h>
#include <stdatomic.h>

/** What becomes of a request, after it has done what it does. */
enum toy_mishap {
    TOY_WELL,
    TOY_BAD_GATEWAY, /* it does nothing, and the answer is a 502 */
    TOY_RESET,       /* the connection is reset before the answer */
    TOY_OVERSIZE,    /* the answer is larger than allowed */
    TOY_SILENT       /* there is no answer: a deadline or a cancel ends the wait */
};

struct toy_options {
    const char *root;       /* an existing directory */
    uint64_t caps_more;     /* promised beyond what there is: sbx_runtime_create must refuse */
    int fail_destroy;       /* so many destroys fail first */
    int dead_at_start;      /* the next start gives the sandbox a new id */
    int rich;               /* durable runs, sessions and streamed output as well, by the library's own means */
    const char *mishap_of;  /* the request that has it: "launch", "exec", "run", "session_post", ... */
    enum toy_mishap mishap; /* ... and which */
    int mishap_times;       /* so often; -1 = always */
    int64_t mishaps;        /* out: how often */
    int64_t calls;          /* out: how many requests reached the adapter */
    int begun_counts;       /* waiting for a command that has made a file `begun` is waiting */
    atomic_int waiting;     /* out: a request waits for an answer that does not come */
};

enum sbx_status toy_create(struct toy_options *opt, struct sbx_env *env, struct sbx_runtime **out,
                           struct sbx_error *err);

/** Processes that have an entry in their environment that begins with `mark`. @param sig what they get; 0 = nothing */
int toy_marked(const char *mark, int sig);
/** Live processes of the sandboxes below `root`. */
int toy_processes(const char *root);
/** Ends them. */
void toy_processes_end(const char *root);

#endif
