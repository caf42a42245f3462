/* A sed script as a list of commands, and the state it runs on. */
#ifndef SIM_MACHINE_SED_H
#define SIM_MACHINE_SED_H

#include "sim/machine/tools/tools.h"
#include <regex.h>

enum sed_address_kind { SED_NONE, SED_LINE, SED_LAST, SED_REGEX, SED_STEP, SED_PLUS, SED_MULTIPLE };

struct sed_address {
    enum sed_address_kind kind;
    int64_t line, step;
    regex_t *re; /* NULL: the last one used */
};

struct sed_command {
    struct sed_address from, to;
    int negate, in_range;
    int64_t range_end;
    char name;
    char *text; /* a i c : b t w y */
    regex_t *re;
    int global, print, nth;
    int out;            /* w: a descriptor */
    unsigned char *map; /* y */
    size_t jump;        /* { b t: index of the next command */
};

struct sed {
    struct sim_proc *p;
    struct sed_command *commands;
    size_t n, cap;
    int quiet, extended, separate, in_place;
    const char *suffix;
    regex_t *last_re;
    struct sim_text pattern, hold, append, scratch;
    int64_t line;
    int substituted, quit, code;
    const char *wrong; /* what no sed would take; NULL where it is only not known here */
    int wrong_code;
    char separator;                      /* of lines: -z makes it NUL */
    unsigned char lacks[SIM_FD_MAX / 8]; /* outputs whose last line had no newline */
    /* input */
    char **files;
    struct sim_lines lines;
    int open, is_last, newline;
    char *next; /* kept: one line ahead */
    size_t next_len;
    int next_newline, have_next;
    const char *current; /* file, for -i */
    int target;          /* descriptor that output goes to, -1 = standard output */
    int failed;
};

/** Adds the commands of a script. @return 0 if it is none that is known */
int sim_sed_compile(struct sed *s, const char *script);

#endif
