/* Programs that a scenario plays: what a command line or a piece of code says, writes and takes, for programs that the
 * simulated machines do not have.
 *
 * Rules are tried in the order in which they were added; the first that fits and has not spent its times is taken. */
#ifndef SIM_KIT_PROGRAMS_H
#define SIM_KIT_PROGRAMS_H

#include <sandport/kit/buf.h>
#include <sandport/kit/json.h>
#include <stddef.h>
#include <stdint.h>

struct sim_programs;

struct sim_program_file {
    struct sim_program_file *next;
    char *path; /* absolute, or relative to the working directory */
    char *text;
};

struct sim_program {
    struct sim_program *next;
    int64_t number; /* from 1 */
    char *run;      /* pattern of command lines, * and ? as in names of files; NULL = any */
    char *code;     /* pattern of the code that a program is given to run; NULL = any or none */
    char *out, *err;
    struct sim_program_file *files;
    int64_t duration_ms;
    int exit_code;
    int64_t times, hits; /* 0 times = always */
    int of_scenario;     /* stays at a reset */
};

/** Asked for the code only when a rule wants to know it. @return NULL if there is none */
typedef const char *sim_program_code_fn(void *ctx);

struct sim_programs *sim_programs_new(void);
void sim_programs_free(struct sim_programs *programs);
/** A rule as in fixtures/schema/program.json. @return its number; 0 with `why` */
int64_t sim_programs_add_json(struct sim_programs *programs, struct sbx_json *js, const struct sbx_json_node *node,
                              int of_scenario, char *why, size_t why_cap);
/** Number 0 = all. @return how many there were */
size_t sim_programs_remove(struct sim_programs *programs, int64_t number);
/** As the scenario made them. */
void sim_programs_reset(struct sim_programs *programs);
/** The rule for a command line; NULL if there is none. It is not counted yet. */
struct sim_program *sim_programs_find(struct sim_programs *programs, const char *line, sim_program_code_fn *code,
                                      void *ctx);
const struct sim_program *sim_programs_first(const struct sim_programs *programs);
/** All of them, with their hits, as an array. */
void sim_programs_json(const struct sim_programs *programs, struct sbx_buf *json, const char *key);
/** Does the pattern match all of the text? Any text is one; a backslash takes the next character as it is. */
int sim_pattern_fits(const char *pattern, const char *text);

#endif
