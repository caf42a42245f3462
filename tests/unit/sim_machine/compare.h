/* The same script on the machine and on this host: the same output, exit code and files. */
#ifndef TESTS_UNIT_SIM_MACHINE_COMPARE_H
#define TESTS_UNIT_SIM_MACHINE_COMPARE_H

#include "host.h"

/** Scripts that are compared together. */
struct compare {
    const char *shell; /* sh or bash */
    struct host host;
    char **names, **texts;
    size_t count, cap;
    int shows_text;       /* of a script that differed */
    struct sbx_buf wrong; /* what differed */
    size_t wrong_count;
};

void compare_start(struct compare *c, const char *shell);
void compare_add(struct compare *c, const char *name, const char *text); /* copies */
void compare_run(struct compare *c);
void compare_finish(struct compare *c);

#endif
