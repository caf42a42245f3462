/* Sessions of the daemon: shells that live on, and the commands that were run in them.
 *
 * A command's text is sourced in the session's shell, one command after the other. Its exit code is recorded when the
 * text has been sourced to its end and nobody holds its standard output or error open any more; so never when the shell
 * itself ends in it. Its output is kept line by line, each behind the marker of its stream. */
#ifndef SIM_DAYTONA_SESSION_H
#define SIM_DAYTONA_SESSION_H

#include "sim/daytona/sandbox.h"

#define DAY_MARK_BYTES 3 /* 01 01 01 before a line of standard output, 02 02 02 of standard error */

struct sim_day_session;

/** Somebody who wants to know of changes. */
struct sim_day_watch {
    struct sim_day_watch *next;
    struct sim_waitq *queue;
};

struct sim_day_command {
    struct sim_day_command *next;
    struct sim_day_session *session;
    char id[37];
    char *text;
    char *folder;   /* where its files are in the sandbox */
    int is_async;   /* its standard input stays open */
    int echoes;     /* what it is given as input is shown in its log */
    int loses_code; /* an effect: its exit code is never recorded */
    int started;    /* the shell has been told of it */
    int recorded;   /* it has an exit code ... */
    int noticed;    /* ... which somebody has looked up since */
    int64_t recorded_ns;
    int code;
    struct sim_outlet *outlet;
    struct sim_feed *input; /* NULL if it has none, or none any more */
    struct sim_file *log;   /* open for writing */
    char *log_path;
    struct sbx_buf line[2]; /* of each stream, what has no line end yet */
    struct sbx_buf status;  /* as the shell tells it */
    struct sim_day_watch *watches;
};

struct sim_day_session {
    struct sim_day_session *next;
    int refs;
    struct sim_machine *machine;
    struct sim_world *world;
    char *id;
    char folder[512];
    int64_t created_ns;
    int gone; /* deleted, or lost with the daemon */
    struct sim_run *shell;
    struct sim_day_command *commands, *last;
    struct sim_day_command *running; /* the shell is at it; NULL when it is idle */
};

/** NULL if there is none of that name. */
struct sim_day_session *sim_day_session_find(const struct sim_day_sandbox *sb, const char *id);
/** Starts a shell. @return an errno; *out is lent by the sandbox */
sim_errno sim_day_session_open(struct sim_day_sandbox *sb, const char *id, struct sim_day_session **out);
struct sim_day_session *sim_day_session_hold(struct sim_day_session *session);
void sim_day_session_release(struct sim_day_session *session);
/** Has the shell ended? Then nothing more can be run in it. */
int sim_day_session_ended(const struct sim_day_session *session);
/** Takes it from the sandbox's list, ends its shell with all that descends from it, which may take 5 s, and removes its
 * files. Whoever waits for a command of it is woken first. */
void sim_day_session_close(struct sim_day_sandbox *sb, struct sim_day_session *session);
/** Forgets all sessions, as a daemon does that ends. */
void sim_day_sessions_lose(struct sim_day_sandbox *sb);
/** Forgets those that were made before the daemon last died. */
void sim_day_sessions_check(struct sim_day_sandbox *sb);

struct sim_day_command *sim_day_command_find(const struct sim_day_session *session, const char *id);
/** Gives a command to the shell, behind those that it has not run yet.
 *  @return an errno: EPIPE when the shell has ended */
sim_errno sim_day_command_submit(struct sim_day_session *session, const char *text, int is_async, int echoes,
                                 struct sim_day_command **out);
/** Input for a command. @return an errno: EPIPE when nobody can read it */
sim_errno sim_day_command_input(struct sim_day_command *cmd, const char *data, size_t len);
void sim_day_command_watch(struct sim_day_command *cmd, struct sim_day_watch *watch, struct sim_waitq *queue);
void sim_day_command_unwatch(struct sim_day_command *cmd, struct sim_day_watch *watch);

/* session_log.c */
/** Takes output of a command as it comes: stream 1 or 2. */
void sim_day_log_take(struct sim_day_command *cmd, int stream, const char *data, size_t len);
/** A last line without an end gets one. */
void sim_day_log_finish(struct sim_day_command *cmd);
/** The whole log so far, with its markers. @return an errno */
sim_errno sim_day_log_read(const struct sim_day_command *cmd, struct sbx_buf *out);

/** What a client of a certain age is told. */
enum sim_day_log_shape {
    DAY_LOG_STREAMS, /* JSON with the streams apart */
    DAY_LOG_MARKED,  /* text with the markers in it */
    DAY_LOG_PLAIN    /* text alone */
};
enum sim_day_log_shape sim_day_log_shape(const char *sdk_version, const char *split_output);

/** Takes markers out of a log that comes in pieces. Zeroed to begin with. */
struct sim_day_unmark {
    char byte;
    int count;  /* of it in a row, not passed on yet */
    int stream; /* of the line that this is in, 0 = no marker has been seen */
};
/** Appends the text of one stream, or with `stream` 0 of both. At the end of the log call it with NULL. */
void sim_day_unmark(struct sim_day_unmark *un, int stream, const char *data, size_t len, struct sbx_buf *out);

#endif
