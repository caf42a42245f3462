/* A runtime over directories: the second adapter that keeps the port from taking the first one's shape. A sandbox is a
 * directory, its commands are processes in it. For tests: it isolates nothing. */
#ifndef TESTS_SUPPORT_TOY_H
#define TESTS_SUPPORT_TOY_H

#include <sandport/kit/ops.h>

struct toy_options {
    const char *root;   /* an existing directory */
    uint64_t caps_more; /* promised beyond what there is: sbx_runtime_create must refuse */
    int fail_destroy;   /* so many destroys fail first */
    int dead_at_start;  /* the next start gives the sandbox a new id */
    int64_t calls;      /* out: how many operations reached the adapter */
};

enum sbx_status toy_create(struct toy_options *opt, struct sbx_env *env, struct sbx_runtime **out,
                           struct sbx_error *err);

#endif
