/* What tools share: options as GNU's getopt reads them, inputs, lines. */
#ifndef SIM_MACHINE_TOOL_H
#define SIM_MACHINE_TOOL_H

#include "sim/machine/inside.h"

struct sim_long_option {
    const char *name;
    char c; /* the short option it stands for */
};

/** Options in any order, operands collected. */
struct sim_opts {
    struct sim_proc *p;
    int argc;
    char **argv;
    const char *spec;                    /* "an:m::" as getopt; a leading + stops at the first operand */
    const struct sim_long_option *longs; /* NULL name at the end; may be NULL */
    int index;
    const char *cluster; /* rest of -abc */
    int ended;           /* -- was seen */
    const char *arg;     /* of the option */
    const char *bad;     /* what '?' is about */
    int missing;         /* it lacks its argument */
    char **operands;
    int n;
};

void sim_opts_start(struct sim_opts *o, struct sim_proc *p, int argc, char **argv, const char *spec,
                    const struct sim_long_option *longs);
/** @return the next option's character, '?' for one that is not known, -1 when all are read */
int sim_opts_next(struct sim_opts *o);
/** "Not simulated": for '?'. Gives 2. */
int sim_opts_bad(struct sim_opts *o);

/** A whole number with an optional K, M, G (1024) or kB, MB (1000) suffix. @return 0 if it is none */
int sim_tool_number(const char *text, int64_t *out);
/** Does it for every operand, or for standard input. */
int sim_tool_each(struct sim_opts *o, int (*one)(struct sim_opts *o, const char *name, int fd, void *ctx), void *ctx);
/** Opens an operand for reading; "-" is standard input. Says why and gives -1 if it cannot. */
int sim_tool_open(struct sim_proc *p, const char *who, const char *path);
void sim_tool_close(struct sim_proc *p, int fd);
/** "who: what: why" on standard error; gives 1. @param e as -errno */
int sim_tool_fail(struct sim_proc *p, const char *who, const char *what, int e);
/** Everything that is to be read; in scratch memory, a NUL behind. NULL after saying why. */
char *sim_tool_read_all(struct sim_proc *p, const char *who, const char *name, int fd, size_t *len);

/** The same up to `max` bytes. */
char *sim_tool_read_some(struct sim_proc *p, const char *who, const char *name, int fd, size_t max, size_t *len);

/** Lines of a descriptor. */
struct sim_lines {
    struct sim_proc *p;
    int fd;
    char *buf; /* kept */
    size_t cap, start, end;
    int eof, error;
    char *line; /* the line, NUL-terminated, without its newline */
    size_t len;
    int newline;    /* it had one */
    char separator; /* '\n' */
};
void sim_lines_start(struct sim_lines *l, struct sim_proc *p, int fd);
int sim_lines_next(struct sim_lines *l); /* 0 at the end */
/** Bytes that have been read and not been given yet, at the start some. */
size_t sim_lines_peek(struct sim_lines *l, const char **data);
void sim_lines_finish(struct sim_lines *l);

/** Runs another program in a child on this stack, or by a new fiber. @return its status as $? has it */
int sim_tool_run(struct sim_proc *p, char **argv);
/** Becomes another program; returns its exit code, 127 or 126 after saying why. */
int sim_tool_become(struct sim_proc *p, const char *who, char **argv, char **env);
const char *sim_base_name(const char *path); /* behind the last slash; lent */

/** What is at a path, held until the process ends. @return 0 or -errno */
int sim_file_node(struct sim_proc *p, const char *path, int follow, struct sim_fs_node **out);
/** The type of what is at a path, 0 if nothing. */
int sim_file_type(struct sim_proc *p, const char *path, int follow);
int sim_file_is_dir(struct sim_proc *p, const char *path);
char *sim_file_join(struct sim_proc *p, const char *dir, const char *name);
char *sim_file_last(struct sim_proc *p, const char *path); /* its last component, without slashes at the end */

#endif
