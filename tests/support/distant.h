/* Processes that share a simulated cloud: one keeps the simulation, the others reach it, and its clock, by a socket.
 *
 * A distant process has one thread. Its env does tasks one after the other and knows bodies in memory only. Its
 * monotonic clock goes as fast as the simulation's and stands elsewhere; its wall clock has nothing to do with either.
 */
#ifndef TESTS_SUPPORT_DISTANT_H
#define TESTS_SUPPORT_DISTANT_H

#include <sandport/kit/env.h>
#include <sys/types.h>

/** What a distant process has to tell, as its test means it. */
struct distant_word {
    int32_t what;
    int32_t number;
    char text[64];
};

enum distant_event {
    DISTANT_TOLD,    /* a word came */
    DISTANT_STOPPED, /* it is stopped by SIGSTOP, and does nothing until distant_continue() */
    DISTANT_ENDED    /* it is gone, however it ended; `status` is waitpid's */
};

struct distant {
    pid_t pid;
    int socket;
    int status;
    struct sbx_env *env; /* the simulation's */
    void *clock;         /* which both can read */
};

/** Forks a process that runs `life` and exits with what that returns.
 *  @param env what its requests and waits are done by; lent until it has ended
 *  @param ahead_ms how far its clock is ahead of env's
 *  @param step called in the new process before each thing that its env does, and on the way of a request: before it
 *              leaves, once it has left, and once it is answered. May be NULL */
void distant_start(struct distant *d, struct sbx_env *env, int64_t ahead_ms, void (*step)(void),
                   int (*life)(struct sbx_env *env, void *arg), void *arg);

/** Does what it asks for, until there is something to say. What a killed process had asked for is done. */
enum distant_event distant_serve(struct distant *d, struct distant_word *word);
void distant_continue(struct distant *d);

/* In the distant process. */
void distant_tell(struct sbx_env *env, int32_t what, int32_t number, const char *text);
/** The same env for a store: steps are only when it takes or lets go of a lock, which is never in a transaction. Lent.
 */
struct sbx_env *distant_calm(struct sbx_env *env);
/** Stops this process until it is continued. */
void distant_stop(struct sbx_env *env);

#endif
