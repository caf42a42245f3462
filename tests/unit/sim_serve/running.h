/* The program sandport-sim as a child process, and a client of raw bytes for it. Everything here fails the test when
 * the program does not do its part within 10 s. */
#ifndef TESTS_SIM_SERVE_RUNNING_H
#define TESTS_SIM_SERVE_RUNNING_H

#include <stddef.h>
#include <sys/types.h>

struct running {
    pid_t pid;
    char ready[4096]; /* the line it printed */
    int admin;        /* ports */
    int daytona;
};

/** `sandport-sim serve` with these options, NULL-terminated; ready when this returns. */
struct running running_start(const char *const *options);
/** With --time virtual. */
struct running running_virtual(void);
/** Ends it with SIGTERM. @return its exit status */
int running_stop(struct running *r);
/** Resident memory in KiB; 0 in a build with sanitizers, whose memory says nothing. */
long running_resident_kib(const struct running *r);

/** Runs the program to its end. @param out, err what it printed, up to 16 KiB each @return its exit status */
int program_run(const char *const *args, char out[16384], char err[16384]);

/* ---- raw bytes ---- */

int dial(int port);
void say(int fd, const char *text);
void say_bytes(int fd, const void *data, size_t len);

/** How the server left. */
enum heard { HEARD_FIN, HEARD_RESET };

/** All bytes until the server ends the connection, which it must; free() it. Closes fd. */
char *hear_end(int fd, enum heard *how);
/** One whole answer by its Content-Length, head included; free() it. @param head_only the answer of a HEAD */
char *hear_answer(int fd, int head_only);
/** Waits until at least `len` bytes are there and gives them, with no look at what they are; free() them. */
char *hear_bytes(int fd, size_t len);
/** Is there nothing to hear for a while? */
int hear_nothing(int fd);

/** One exchange on a connection of its own. @param head further header lines, each with CRLF @return the whole answer
 */
char *ask(int port, const char *method, const char *target, const char *head, const char *body);
/** The same, checked for its status. @return its body, in the memory of the answer: *answer is to be freed */
char *ask_ok(int port, const char *method, const char *target, const char *head, const char *body, int status,
             char **answer);
/** Adds a fault rule. */
void fault(const struct running *r, const char *json);
void advance(const struct running *r, int ms);

#define KEY_HEADER "Authorization: Bearer " SBX_SIM_DAYTONA_KEY "\r\n"

/** Creates a sandbox and lets it boot, on virtual time. @param id its id */
void make_sandbox(const struct running *r, char id[64]);

#endif
