/* What the measurements share: a served simulator as a child, what this process costs, the middle of several rounds,
 * and the lines of the table. */
#ifndef BENCH_RIG_H
#define BENCH_RIG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Ends the program with a message when something fails to run: a measurement of half of it says nothing. */
#define BENCH_NEED(what)                                                                                               \
    do {                                                                                                               \
        if (!(what)) bench_fail(__FILE__, __LINE__, #what);                                                            \
    } while (0)
_Noreturn void bench_fail(const char *file, int line, const char *what);

/* ---- a served simulator ---- */

struct bench_server {
    pid_t pid;
    int out;           /* its standard output */
    char api_url[128]; /* Daytona's */
    char api_key[128];
    char e2b_url[128]; /* both of its planes */
    char e2b_key[128];
    char admin[128];
};

/** Starts `sandport-sim serve`, which stands beside this program, and waits until it is ready. It ends with us. */
void bench_server_start(struct bench_server *server);
/** The same, with a scenario. @param scenario its JSON */
void bench_server_start_as(struct bench_server *server, const char *scenario);
void bench_server_stop(struct bench_server *server);
/** CPU time that a child has used. */
double bench_cpu_us_of(pid_t pid);

/** Starts this program again with these arguments, NULL-terminated; what it prints comes by *out, unless that is NULL.
 */
pid_t bench_again(char *const argv[], int *out);
/** Reads until the end and closes. @return bytes, text ended by a NUL */
size_t bench_read_all(int fd, char *text, size_t cap);
void bench_wait(pid_t pid);

/* ---- what it costs ---- */

double bench_wall_us(void);
/** CPU time of this process, user and system. */
double bench_cpu_us(void);
/** RssAnon and RssFile of a process, in KiB. @param pid 0 = this one */
int64_t bench_resident_kib(pid_t pid);

/* ---- the table ---- */

struct bench_spread {
    double least, middle, most;
};
struct bench_spread bench_spread_of(double *values, size_t n); /* sorts them */

/** "what   1.23 x   (1.20 to 1.31)   target: at most 1.5 x   against" */
void bench_line(const char *what, struct bench_spread is, const char *unit, const char *target, const char *against);
/** A line of progress for somebody who watches; nothing otherwise. */
void bench_progress(const char *what);

/** Fills with bytes that look like any: the same for the same position. */
void bench_bytes(void *to, uint64_t pos, size_t len);

#endif
