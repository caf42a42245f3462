/* find: an expression as a tree, and what it is asked about. */
#ifndef SIM_MACHINE_FIND_H
#define SIM_MACHINE_FIND_H

#include "sim/machine/tools/tools.h"
#include <regex.h>

enum find_kind {
    FIND_AND,
    FIND_OR,
    FIND_NOT,
    FIND_NAME,
    FIND_INAME,
    FIND_PATH,
    FIND_IPATH,
    FIND_REGEX,
    FIND_LINK_NAME,
    FIND_XTYPE,
    FIND_SAME_FILE,
    FIND_INODE,
    FIND_GROUP,
    FIND_ACCESS,
    FIND_COMMA,
    FIND_TYPE,
    FIND_SIZE,
    FIND_EMPTY,
    FIND_NEWER,
    FIND_PERM,
    FIND_USER,
    FIND_MTIME,
    FIND_LINKS,
    FIND_TRUE,
    FIND_FALSE,
    FIND_PRUNE,
    FIND_PRINT,
    FIND_PRINT0,
    FIND_PRINTF,
    FIND_DELETE,
    FIND_EXEC,
    FIND_EXEC_MANY,
    FIND_EXEC_DIR,
    FIND_QUIT
};

struct find_node {
    enum find_kind kind;
    struct find_node *left, *right;
    const char *text;
    int64_t number, unit;
    int sign; /* + and - before a number */
    regex_t *regex;
    const struct sim_fs_node *same; /* held */
    char **argv;
    int argc;
    char **many; /* -exec {} +: kept, as are the paths in it */
    size_t many_count, many_cap, many_bytes;
};

struct find {
    struct sim_proc *p;
    char **v;
    int n, at;
    int64_t max_depth, min_depth;
    int depth_first, follow, follow_named, acts, quit, prune, status;
    const char *regex_type;
    const char *wrong; /* what find would not take either */
    struct find_node *expression;
    struct find_node *collecting[8];
    size_t collecting_count;
};

struct find_entry {
    const char *path;
    const struct sim_fs_node *node;
    int64_t depth;
    size_t root_len;
};

/** Reads the expression; NULL if it is none, with `wrong` where no find would take it. */
struct find_node *sim_find_parse(struct find *f);
int sim_find_ask(struct find *f, struct find_node *node, const struct find_entry *e);
/** Runs what -exec {} + still has. */
void sim_find_run_collected(struct find *f);

#endif
