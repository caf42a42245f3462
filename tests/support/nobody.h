/* A user without privileges, for what refuses to be root. */
#ifndef TESTS_SUPPORT_NOBODY_H
#define TESTS_SUPPORT_NOBODY_H

#include "t.h"

#include <sys/prctl.h>
#include <unistd.h>

/** Where root runs the test, it goes on as nobody in particular; else as it is. */
static inline void nobody_become(void) {
    if (geteuid() != 0) return;
    T_TRUE(setresgid(65533, 65533, 65533) == 0 && setresuid(65533, 65533, 65533) == 0);
    T_EQ(prctl(PR_SET_DUMPABLE, 1), 0);
}

#endif
