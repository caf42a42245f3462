/* What the parser makes of a script. A tree belongs to its arena, which is counted: a subshell in the background and a
 * function both outlive the command that they were read with. */
#ifndef SIM_MACHINE_SH_AST_H
#define SIM_MACHINE_SH_AST_H

#include "sim/machine/proc.h"

struct sh_ast_chunk;
struct sh_ast {
    int64_t refs;
    struct sh_ast_chunk *chunks;
};

enum sh_part_kind { SH_PART_TEXT, SH_PART_PARAM, SH_PART_COMMAND, SH_PART_ARITH };

/** What ${name OP word} does: the operators of the standard, then bash's. */
enum sh_param_op {
    SH_PARAM_PLAIN,
    SH_PARAM_LENGTH,
    SH_PARAM_DEFAULT,   /* - */
    SH_PARAM_ASSIGN,    /* = */
    SH_PARAM_ERROR,     /* ? */
    SH_PARAM_ALTERNATE, /* + */
    SH_PARAM_CUT_SUFFIX,
    SH_PARAM_CUT_SUFFIX_LONG,
    SH_PARAM_CUT_PREFIX,
    SH_PARAM_CUT_PREFIX_LONG,
    SH_PARAM_SLICE,   /* bash: ${x:offset:length} */
    SH_PARAM_REPLACE, /* bash: ${x/pattern/text} */
    SH_PARAM_REPLACE_ALL,
    SH_PARAM_BAD /* an error when it is expanded, not before */
};

struct sh_part {
    struct sh_part *next;
    enum sh_part_kind kind;
    int quoted;
    int braced;
    char *text; /* TEXT; PARAM: the name */
    enum sh_param_op op;
    int colon;
    struct sh_word *word;    /* PARAM: after the operator; ARITH: the expression */
    struct sh_word *word2;   /* SLICE: length; REPLACE: the text; may be NULL */
    struct sh_node *command; /* COMMAND: NULL if empty */
};

struct sh_word {
    struct sh_word *next;
    struct sh_part *parts;
    const char *raw; /* bash, in lists of `for` and as subject of `case`: as it was written */
};

struct sh_assign {
    struct sh_assign *next;
    char *name;
    int append; /* bash: name+=value */
    struct sh_word *value;
};

enum sh_redir_op {
    SH_REDIR_READ,
    SH_REDIR_WRITE,
    SH_REDIR_CLOBBER,
    SH_REDIR_APPEND,
    SH_REDIR_READ_WRITE,
    SH_REDIR_DUP,         /* <& and >& */
    SH_REDIR_HERE,        /* word is the body */
    SH_REDIR_HERE_STRING, /* bash */
    SH_REDIR_BOTH,        /* bash: &> */
    SH_REDIR_BOTH_APPEND
};

struct sh_redir {
    struct sh_redir *next;
    enum sh_redir_op op;
    int fd;
    struct sh_word *word;
};

enum sh_node_kind {
    SH_SIMPLE,
    SH_PIPE,
    SH_NOT,
    SH_AND,
    SH_OR,
    SH_SEQUENCE,
    SH_BACKGROUND,
    SH_SUBSHELL,
    SH_GROUP,
    SH_IF,
    SH_WHILE,
    SH_UNTIL,
    SH_FOR,
    SH_CASE,
    SH_FUNCTION,
    SH_CONDITION /* bash: [[ ]] */
};

struct sh_case {
    struct sh_case *next;
    struct sh_word *patterns;
    struct sh_node *body;
    int falls; /* bash: ;& */
};

/** Which members a kind uses is said beside them. */
struct sh_node {
    enum sh_node_kind kind;
    int line;
    struct sh_redir *redirs;   /* SIMPLE and the compound commands */
    struct sh_assign *assigns; /* SIMPLE */
    struct sh_word *words;     /* SIMPLE, CONDITION; FOR: the list; CASE: the subject */
    int has_list;              /* FOR: `in` was there */
    char *name;                /* FOR, FUNCTION */
    struct sh_node *left;      /* AND OR SEQUENCE: first; IF WHILE UNTIL: condition; others: body */
    struct sh_node *right;     /* AND OR SEQUENCE: second; IF: then; WHILE UNTIL: body */
    struct sh_node *otherwise; /* IF */
    struct sh_case *cases;     /* CASE */
    struct sh_node *next;      /* in a pipe */
    struct sh_node *first;     /* PIPE */
};

struct sh_ast *sim_sh_ast_new(struct sim_proc *p);
void sim_sh_ast_release(struct sh_ast *ast);
void *sim_sh_ast_alloc(struct sim_proc *p, struct sh_ast *ast, size_t size); /* zeroed */
char *sim_sh_ast_text(struct sim_proc *p, struct sh_ast *ast, const char *text, size_t len);
/** Keeps it for as long as the process lives, or until the handle is dropped with sim_sh_ast_unhold. */
void *sim_sh_ast_hold(struct sim_proc *p, struct sh_ast *ast);
void sim_sh_ast_unhold(struct sim_proc *p, void *handle, struct sh_ast *ast);

struct sh_alias;

/* Where script text comes from. */
struct sh_source {
    const char *text; /* what is at hand */
    size_t len, pos;
    int fd; /* more comes from here, a line at a time and not a byte further: -1 = no more */
    char *line;
    size_t line_cap;
    int number;              /* of the current line */
    int is_text;             /* of a command, and not shown by set -v */
    struct sh_source *outer; /* of an alias's text: where its name was */
    struct sh_alias *alias;
    struct sh_source *left; /* those that had ended when it began: in use as long as it is */
};

struct sh;
/** Parses one complete command. @return 1 with *node (NULL for a blank line), 0 at the end. A syntax error ends the
 * shell. */
int sim_sh_parse(struct sh *sh, struct sh_source *src, struct sh_ast *ast, struct sh_node **node);
/** A text as in double quotes, but that these are ordinary. */
struct sh_word *sim_sh_lex_text(struct sh *sh, struct sh_ast *ast, const char *text);
/** Is there nothing more but blanks? Of a source of text. */
int sim_sh_source_spent(const struct sh_source *src);

#endif
