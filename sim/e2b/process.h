/* Processes that envd started: its table, who listens to them, their ends.
 *
 * A process is in the table from its start until its leader has exited and nobody holds its output open. Output that
 * nobody listens to is lost. An end is kept for a while, so that Connect can still tell it. */
#ifndef SIM_E2B_PROCESS_H
#define SIM_E2B_PROCESS_H

#include "sim/e2b/stream.h"

struct sim_e2b_process {
    struct sim_e2b_process *next;
    struct sim_e2b_sandbox *sb;
    int refs;     /* the table's, its watch's, and one for each stream */
    char *config; /* JSON as List tells it */
    char *tag;    /* NULL = none */
    int32_t pid;
    struct sim_run *run;    /* NULL once ended */
    struct sim_timer timer; /* its time, then the time its end is kept */
    int due;                /* its time ran out while it stood still */
    int has_stdin;
    int signalled; /* its output is not waited for any more */
    int ended, code, signal;
    int listed; /* it is in the table */
    struct sim_e2b_stream *streams;
    struct sim_e2b_stream *first; /* of the start that made it: its deadline is the process's too; NULL once gone */
    struct sim_waitq room;        /* a stream has room again */
};

/** What a start asks for. Texts are lent. */
struct sim_e2b_start {
    const char *const *argv;
    const char *const *env;
    const char *cwd; /* absolute */
    const char *config;
    const char *tag;
    int has_stdin;
    int64_t timeout_ms; /* of its life, -1 = none */
};

/** Starts one, with a reference for the caller. @return NULL with *why an errno */
struct sim_e2b_process *sim_e2b_process_new(struct sim_e2b_sandbox *sb, const struct sim_e2b_start *start,
                                            sim_errno *why);
void sim_e2b_process_release(struct sim_e2b_process *p);
struct sim_e2b_process *sim_e2b_process_hold(struct sim_e2b_process *p);
/** One that lives or, with `ended`, whose end is still kept. */
struct sim_e2b_process *sim_e2b_process_by_pid(const struct sim_e2b_sandbox *sb, int64_t pid, int ended);
struct sim_e2b_process *sim_e2b_process_by_tag(const struct sim_e2b_sandbox *sb, const char *tag, int ended);
/** The newest that lives, with a reference for the caller; NULL if none does. */
struct sim_e2b_process *sim_e2b_process_hold_newest(const struct sim_e2b_sandbox *sb);
int64_t sim_e2b_process_count(const struct sim_e2b_sandbox *sb);
void sim_e2b_process_attach(struct sim_e2b_process *p, struct sim_e2b_stream *stream);
void sim_e2b_process_detach(struct sim_e2b_process *p, struct sim_e2b_stream *stream);
/** The signal goes to the leader alone; from then on nobody waits for its output to be closed. */
void sim_e2b_process_signal(struct sim_e2b_process *p, int signal);
/** Its end as an event. */
void sim_e2b_process_end_event(const struct sim_e2b_process *p, struct sbx_buf *json);

/** It is gone without a record. Streams of it are cut. */
void sim_e2b_process_lose(struct sim_e2b_process *p);
/** All of them, as when the sandbox ends: their processes must be ended by the machine. */
void sim_e2b_processes_lose(struct sim_e2b_sandbox *sb);
/** After a pause: those whose time ran out in it end now. */
void sim_e2b_processes_awake(struct sim_e2b_sandbox *sb);
/** Cuts every stream of the sandbox. */
void sim_e2b_streams_cut(struct sim_e2b_sandbox *sb);

#endif
