/* diff: lines of two files, which of them changed, and how that is shown. */
#ifndef SIM_MACHINE_DIFF_H
#define SIM_MACHINE_DIFF_H

#include "sim/machine/tools/tools.h"

struct diff_line {
    const char *text;
    size_t len; /* without the newline */
    int class_; /* equal lines have equal numbers, in both files */
    int newline;
};

struct diff_file {
    const char *name, *label;
    struct diff_line *lines;
    size_t n;
    char *changed; /* by line, with a 0 before the first and behind the last */
    int64_t mtime_ns;
    int type; /* 0: not there */
};

/** Lines from `a` of one file that lines from `b` of the other stand for. */
struct diff_change {
    size_t a, deleted, b, inserted;
};

enum diff_style { DIFF_NORMAL, DIFF_UNIFIED, DIFF_BRIEF };

struct diff {
    struct sim_proc *p;
    enum diff_style style;
    int fold, ignore_space, ignore_amount, recursive, new_file, report_same, text;
    int64_t context;
    const char *labels[2];
    int label_count;
    struct sim_list exclude;
    const char *options; /* as given, for the title of a pair in a tree */
    int status;
};

/** Marks what changed. */
void sim_diff_compare(struct sim_proc *p, struct diff_file f[2]);
/** The changes in order; n = 0 if there are none. In scratch memory. */
struct diff_change *sim_diff_changes(struct sim_proc *p, const struct diff_file f[2], size_t *n);
void sim_diff_print_normal(struct sim_proc *p, const struct diff_file f[2], const struct diff_change *c, size_t n);
void sim_diff_print_unified(struct sim_proc *p, const struct diff_file f[2], const struct diff_change *c, size_t n,
                            int64_t context);

#endif
