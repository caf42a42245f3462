/* What tests are written with: cmocka, a table of cases, and assertions that say what was expected.
 *
 *     static void must_fire_x__y(void) { T_STATUS(call(), SBX_UNAUTHORISED); }
 *     T_CASES(T_CASE(must_fire_x__y), T_CASE(must_not_fire_x__y))
 *
 * The program runs the cases named on its command line, or all; a name it does not have is an error. */
#ifndef TESTS_SUPPORT_T_H
#define TESTS_SUPPORT_T_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sandport/error.h>
#include <string.h>

struct t_case {
    const char *name;
    void (*run)(void);
};

int t_main(const struct t_case *cases, size_t n, int argc, char **argv);

/** Fails the running test with a message of one's own. */
_Noreturn void t_fail(const char *file, int line, const char *fmt, ...) SBX_PRINTF(3, 4);

void t_status(int32_t got, int32_t want, const char *what, const char *file, int line);
void t_int(int64_t got, int64_t want, const char *what, const char *file, int line);
void t_str(const char *got, const char *want, const char *what, const char *file, int line);
void t_mem(const void *got, size_t got_len, const void *want, size_t want_len, const char *what, const char *file,
           int line);
void t_contains(const char *got, const char *part, const char *what, const char *file, int line);

/** A file of the source tree in memory, NUL-terminated; free() it. Fails the test if it is not there. */
char *t_read_source(const char *path, size_t *len);

#define T_CASE(function)                                                                                               \
    { #function, function }
#define T_CASES(...)                                                                                                   \
    int main(int argc, char **argv) {                                                                                  \
        static const struct t_case cases[] = {__VA_ARGS__};                                                            \
        return t_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);                                            \
    }

#define T_STATUS(call, want)     t_status((int32_t)(call), (int32_t)(want), #call, __FILE__, __LINE__)
#define T_EQ(got, want)          t_int((int64_t)(got), (int64_t)(want), #got, __FILE__, __LINE__)
#define T_STR(got, want)         t_str((got), (want), #got, __FILE__, __LINE__)
#define T_MEM(got, gl, want, wl) t_mem((got), (gl), (want), (wl), #got, __FILE__, __LINE__)
#define T_CONTAINS(got, part)    t_contains((got), (part), #got, __FILE__, __LINE__)
#define T_TRUE(cond)                                                                                                   \
    do {                                                                                                               \
        if (!(cond)) t_fail(__FILE__, __LINE__, "expected %s", #cond);                                                 \
    } while (0)
#define T_FAIL(...) t_fail(__FILE__, __LINE__, __VA_ARGS__)

#endif
