/* awk: its program as a tree, its values, its records and streams. */
#ifndef SIM_MACHINE_AWK_H
#define SIM_MACHINE_AWK_H

#include "sim/machine/tool.h"
#include <regex.h>

/* ---- values ---- */

struct awk_string {
    int64_t refs;
    size_t len;
    char text[]; /* a NUL behind */
};

enum { AWK_NUMBER = 1, AWK_STRING = 2, AWK_INPUT = 4 /* from outside: it is a number too if it looks like one */ };

/** Zeroed it is the uninitialised value: 0 and "". */
struct awk_value {
    double number;
    struct awk_string *string; /* owned where AWK_STRING is set */
    unsigned has;
};

struct awk_entry {
    struct awk_entry *chain, *next, *previous; /* in its bucket; in order of making */
    uint64_t hash;
    struct awk_value value;
    size_t len;
    char key[];
};

struct awk_array {
    struct awk_entry **buckets, *first, *last;
    size_t bucket_count, count;
};

/** A variable: a value, or an array once it is used as one. */
struct awk_slot {
    struct awk_value value;
    struct awk_array *array;
    struct awk_slot *origin; /* of a parameter that was passed unset: where an array would be */
    int borrowed;            /* the array is somebody else's */
};

struct awk_regex {
    regex_t re;
    void *handle;
    struct awk_string *source;
};

/* ---- the program ---- */

enum awk_op {
    AWK_CONSTANT,
    AWK_REGEX,
    AWK_GLOBAL,
    AWK_LOCAL,
    AWK_INDEX,
    AWK_FIELD,
    AWK_GROUP, /* (a, b): operands of print, or a key */
    AWK_ASSIGN,
    AWK_BEFORE, /* ++x */
    AWK_AFTER,
    AWK_CONDITION,
    AWK_OR,
    AWK_AND,
    AWK_NOT,
    AWK_IN,
    AWK_MATCH,
    AWK_LESS,
    AWK_LESS_EQUAL,
    AWK_EQUAL,
    AWK_NOT_EQUAL,
    AWK_GREATER,
    AWK_GREATER_EQUAL,
    AWK_CONCAT,
    AWK_ADD,
    AWK_SUBTRACT,
    AWK_MULTIPLY,
    AWK_DIVIDE,
    AWK_MODULO,
    AWK_POWER,
    AWK_NEGATE,
    AWK_PLUS,
    AWK_CALL,
    AWK_BUILTIN,
    AWK_GETLINE,
    /* statements */
    AWK_EXPRESSION,
    AWK_BLOCK,
    AWK_IF,
    AWK_WHILE,
    AWK_DO,
    AWK_FOR,
    AWK_FOR_IN,
    AWK_BREAK,
    AWK_CONTINUE,
    AWK_NEXT,
    AWK_NEXT_FILE,
    AWK_EXIT,
    AWK_RETURN,
    AWK_DELETE,
    AWK_PRINT,
    AWK_PRINTF
};

enum awk_builtin {
    AWK_ATAN2,
    AWK_CLOSE,
    AWK_COS,
    AWK_EXP,
    AWK_FFLUSH,
    AWK_GSUB,
    AWK_INDEX_OF,
    AWK_INT,
    AWK_LENGTH,
    AWK_LOG,
    AWK_MATCH_FUNCTION,
    AWK_RAND,
    AWK_SIN,
    AWK_SPLIT,
    AWK_SPRINTF,
    AWK_SQRT,
    AWK_SRAND,
    AWK_SUB,
    AWK_SUBSTR,
    AWK_SYSTEM,
    AWK_TOLOWER,
    AWK_TOUPPER
};

/** Where a print goes, and where a getline comes from. */
enum awk_way { AWK_MAIN, AWK_FILE, AWK_APPEND, AWK_PIPE };

struct awk_node {
    enum awk_op op;
    int line;
    struct awk_node *a, *b, *c, *d;
    struct awk_node *next; /* in a list of statements or arguments */
    struct awk_value value;
    struct awk_regex *regex;
    int number; /* slot, function, builtin, operator of an assignment, way */
    int negate; /* !~ */
};

struct awk_function {
    struct sim_text name;
    struct awk_node *body;
    int parameter_count, defined;
};

struct awk_rule {
    struct awk_node *from, *to, *body; /* NULL body: print */
    int in_range, is_range;
};

/** Special variables have the first slots. */
enum {
    AWK_V_NF,
    AWK_V_NR,
    AWK_V_FNR,
    AWK_V_FS,
    AWK_V_OFS,
    AWK_V_RS,
    AWK_V_ORS,
    AWK_V_SUBSEP,
    AWK_V_CONVFMT,
    AWK_V_OFMT,
    AWK_V_RSTART,
    AWK_V_RLENGTH,
    AWK_V_FILENAME,
    AWK_V_ENVIRON,
    AWK_V_ARGC,
    AWK_V_ARGV,
    AWK_V_COUNT
};

/* ---- running ---- */

/** Bytes of a descriptor, cut into records. */
struct awk_input {
    int fd;
    char *buf; /* kept */
    size_t cap, start, end;
    int eof, error;
};

struct awk_stream {
    struct awk_stream *next;
    enum awk_way way;
    int reads;
    struct awk_string *name;
    int fd; /* -1: standard output */
    int32_t pid;
    struct awk_input in;
    char *out; /* kept */
    size_t out_len;
    int failed;
};

#define AWK_REGEX_CACHE 64

struct awk {
    struct sim_proc *p;
    /* the program */
    struct awk_function *functions;
    size_t function_count, function_cap;
    char **names; /* of globals */
    size_t name_count, name_cap;
    struct awk_rule *rules;
    size_t rule_count, rule_cap;
    struct awk_node *begin, *begin_last, *end, *end_last; /* blocks */
    /* its state */
    struct awk_slot *globals, *locals;
    struct awk_value result; /* of return */
    int levels, calls;       /* of evaluation on this stack; of functions at all */
    int exit_code;
    uint64_t random;
    double seed;
    struct awk_regex *cache[AWK_REGEX_CACHE];
    struct awk_stream *streams;
    /* the record */
    struct awk_value record;
    struct awk_value *fields; /* kept; [0] is not used */
    size_t field_count, field_cap;
    int split, joined; /* fields are of the record; the record is of the fields */
    /* main input */
    struct awk_input in;
    int in_open, in_ended, in_any;
    int64_t in_next; /* of ARGV */
    int64_t nr, fnr;
};

_Noreturn void sim_awk_fail(struct awk *a, const char *fmt, ...) SBX_PRINTF(2, 3);

/* value.c */
struct awk_string *sim_awk_string_new(struct awk *a, const char *text, size_t len);
struct awk_string *sim_awk_string_hold(struct awk_string *s);
void sim_awk_string_drop(struct awk *a, struct awk_string *s);
void sim_awk_drop(struct awk *a, struct awk_value *v); /* it becomes uninitialised */
void sim_awk_copy(struct awk *a, struct awk_value *to, const struct awk_value *from);
void sim_awk_set_number(struct awk *a, struct awk_value *v, double number);
void sim_awk_set_text(struct awk *a, struct awk_value *v, const char *text, size_t len, unsigned more);
double sim_awk_number(struct awk_value *v);
/** A text as awk takes it for a number: its longest prefix that is one. @param whole set if all of it is */
double sim_awk_parse_number(const char *text, size_t len, int *whole);
int sim_awk_truth(struct awk_value *v);
int sim_awk_compare(struct awk *a, struct awk_value *x, struct awk_value *y);
/** Held; drop it. @param format slot of CONVFMT or OFMT */
struct awk_string *sim_awk_text(struct awk *a, const struct awk_value *v, int format);
void sim_awk_set_global(struct awk *a, int slot, double number);

/* array.c */
struct awk_array *sim_awk_array_new(struct awk *a);
void sim_awk_array_free(struct awk *a, struct awk_array *array);
void sim_awk_array_clear(struct awk *a, struct awk_array *array);
struct awk_entry *sim_awk_array_find(const struct awk_array *array, const char *key, size_t len);
struct awk_value *sim_awk_array_at(struct awk *a, struct awk_array *array, const char *key, size_t len); /* makes it */
void sim_awk_array_remove(struct awk *a, struct awk_array *array, const char *key, size_t len);
struct awk_array *sim_awk_slot_array(struct awk *a, struct awk_slot *slot);
void sim_awk_slot_finish(struct awk *a, struct awk_slot *slot);

/* regex.c */
/** Compiles awk's syntax. @return NULL with *why, what is wrong; `*unsupported` is set where awks disagree */
struct awk_regex *sim_awk_regex_new(struct awk *a, const char *text, size_t len, const char **why, int *unsupported);
void sim_awk_regex_free(struct awk *a, struct awk_regex *regex);
/** Of a text at run time; lent until some others have been asked for. */
struct awk_regex *sim_awk_regex_of(struct awk *a, const char *text, size_t len);
int sim_awk_regex_find(const struct awk_regex *regex, const char *text, size_t len, size_t from, regmatch_t *m);

/* lex.c */
enum awk_token {
    AWK_T_END,
    AWK_T_NEWLINE,
    AWK_T_NUMBER,
    AWK_T_STRING,
    AWK_T_NAME,
    AWK_T_CALL, /* a name with ( right behind */
    AWK_T_BUILTIN,
    AWK_T_KEYWORD,
    AWK_T_OPERATOR, /* `op` has its characters */
    AWK_T_BAD
};

enum awk_keyword {
    AWK_K_BEGIN,
    AWK_K_END,
    AWK_K_FUNCTION,
    AWK_K_IF,
    AWK_K_ELSE,
    AWK_K_WHILE,
    AWK_K_FOR,
    AWK_K_DO,
    AWK_K_BREAK,
    AWK_K_CONTINUE,
    AWK_K_NEXT,
    AWK_K_NEXTFILE,
    AWK_K_EXIT,
    AWK_K_RETURN,
    AWK_K_DELETE,
    AWK_K_IN,
    AWK_K_GETLINE,
    AWK_K_PRINT,
    AWK_K_PRINTF
};

struct awk_lexer {
    struct sim_proc *p;
    const char *at, *start; /* of the token */
    int line;
    enum awk_token token;
    int which; /* keyword, builtin */
    char op[4];
    double number;
    char *text; /* of a string, a name */
    size_t len;
};

void sim_awk_lex(struct awk_lexer *lx);
/** The token is / or /=: reads the regular expression that it begins. @return 0 if it does not end */
int sim_awk_lex_regex(struct awk_lexer *lx);
/** Escapes of a string, as in the program. */
char *sim_awk_unescape(struct sim_proc *p, const char *text, size_t len, size_t *out_len);

/* parse.c, expr.c */
struct awk_parser {
    struct awk *a;
    struct sim_proc *p;
    struct awk_lexer lx;
    char **parameters; /* of the function being read */
    int parameter_count;
    int in_function, loops, levels, depth;
    int no_in, no_greater; /* `in` ends a for's expression, > a print's */
};

/** Reads a program, or gives an exit code after saying why. */
int sim_awk_parse(struct awk *a, const char *text);
_Noreturn void sim_awk_syntax(struct awk_parser *ps);
struct awk_node *sim_awk_node(struct awk_parser *ps, enum awk_op op, struct awk_node *left, struct awk_node *right);
struct awk_node *sim_awk_parse_expression(struct awk_parser *ps);
struct awk_node *sim_awk_parse_concat(struct awk_parser *ps); /* without comparisons: where a print goes */
int sim_awk_is(const struct awk_parser *ps, const char *op);
int sim_awk_take(struct awk_parser *ps, const char *op);
void sim_awk_need(struct awk_parser *ps, const char *op);
int sim_awk_is_keyword(const struct awk_parser *ps, enum awk_keyword k);
void sim_awk_skip_newlines(struct awk_parser *ps);
int sim_awk_function_find(struct awk *a, struct sim_proc *p, const char *name, size_t len);
int sim_awk_global_find(struct awk *a, const char *name, int make);

/* record.c */
typedef void awk_field_fn(void *ctx, const char *text, size_t len);
/** Splits by a separator as FS has it. */
void sim_awk_split(struct awk *a, const char *text, size_t len, const char *separator, size_t separator_len,
                   int lines_too, awk_field_fn *each, void *ctx);
void sim_awk_split_regex(const struct awk_regex *regex, const char *text, size_t len, awk_field_fn *each, void *ctx);
void sim_awk_record_set(struct awk *a, const char *text, size_t len);
void sim_awk_record_join(struct awk *a);
void sim_awk_record_fields(struct awk *a); /* makes them, and NF */
const struct awk_value *sim_awk_field(struct awk *a, double number);
void sim_awk_field_set(struct awk *a, double number, const struct awk_value *value);
void sim_awk_field_count_set(struct awk *a); /* NF was assigned */

/* input.c */
void sim_awk_input_start(struct awk *a, struct awk_input *in, int fd);
void sim_awk_input_finish(struct awk *a, struct awk_input *in);
/** The next record by RS. @return 0 at the end, -1 when reading fails */
int sim_awk_input_next(struct awk *a, struct awk_input *in, const char **text, size_t *len);
/** The next record of the files in ARGV. */
int sim_awk_main_next(struct awk *a, const char **text, size_t *len);
void sim_awk_main_next_file(struct awk *a);
/** name=value as an operand or -v. @return 0 if it is none */
int sim_awk_assign_operand(struct awk *a, const char *text);

/* stream.c */
struct awk_stream *sim_awk_stream_out(struct awk *a, enum awk_way way, struct awk_string *name);
struct awk_stream *sim_awk_stream_in(struct awk *a, enum awk_way way, struct awk_string *name); /* NULL: not there */
void sim_awk_stream_write(struct awk *a, struct awk_stream *stream, const char *data, size_t len);
int sim_awk_stream_close(struct awk *a, const struct awk_string *name); /* -1: there is none */
void sim_awk_streams_flush(struct awk *a);
void sim_awk_streams_finish(struct awk *a);

/* eval.c */
void sim_awk_eval(struct awk *a, const struct awk_node *n, struct awk_value *out);
struct awk_string *sim_awk_eval_text(struct awk *a, const struct awk_node *n); /* held */
double sim_awk_eval_number(struct awk *a, const struct awk_node *n);
int sim_awk_eval_truth(struct awk *a, const struct awk_node *n);
struct awk_slot *sim_awk_slot_of(struct awk *a, const struct awk_node *n);
struct awk_string *sim_awk_key(struct awk *a, const struct awk_node *n); /* of an index; held */
void sim_awk_store(struct awk *a, const struct awk_node *target, const struct awk_value *value);
double sim_awk_calculate(struct awk *a, enum awk_op op, double x, double y);

/* function.c, replace.c, format.c */
void sim_awk_builtin(struct awk *a, const struct awk_node *n, struct awk_value *out);
/** sub and gsub. @return replacements made */
int64_t sim_awk_replace(struct awk *a, const struct awk_node *n);
struct awk_regex *sim_awk_regex_eval(struct awk *a, const struct awk_node *n);
void sim_awk_format(struct awk *a, const struct awk_string *format, struct awk_value *args, size_t n,
                    struct sim_text *out);

/* run.c */
enum awk_flow { AWK_GO_ON, AWK_DO_BREAK, AWK_DO_CONTINUE, AWK_DO_NEXT, AWK_DO_NEXT_FILE, AWK_DO_EXIT, AWK_DO_RETURN };
void sim_awk_call(struct awk *a, const struct awk_node *n, struct awk_value *out);
int sim_awk_run(struct awk *a); /* gives the exit code */

extern const struct sim_tool sim_tools_awk[];

#endif
