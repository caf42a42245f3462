/* Played programs: the list, its rules read strictly, and which of them a command line gets. */
#include "sim/kit/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM_MS_MAX (INT64_C(31) * 24 * 3600 * 1000)

struct sim_programs {
    struct sim_program *first;
    int64_t numbers;
};

/* ---- matching ---- */

/* One character of a pattern against one of the text. @return its length, 0 if it does not fit */
static size_t pattern_step(const char *pattern, char c) {
    const size_t len = *pattern == '\\' && pattern[1] ? 2 : 1;
    if (*pattern == '?') return 1;
    return pattern[len - 1] == c ? len : 0;
}

/* What the last * takes grows by one whenever what follows does not fit: no recursion, whatever the pattern. */
int sim_pattern_fits(const char *pattern, const char *text) {
    const char *star = NULL, *from = NULL;
    while (*text) {
        const size_t step = *pattern && *pattern != '*' ? pattern_step(pattern, *text) : 0;
        if (*pattern == '*') {
            star = ++pattern;
            from = text;
        } else if (step) {
            pattern += step;
            text++;
        } else if (star) {
            pattern = star;
            text = ++from;
        } else {
            return 0;
        }
    }
    return pattern[strspn(pattern, "*")] == 0;
}

static int program_fits_line(const struct sim_program *p, const char *line) {
    if (p->times && p->hits >= p->times) return 0;
    return !p->run || sim_pattern_fits(p->run, line);
}

struct sim_program *sim_programs_find(struct sim_programs *programs, const char *line, sim_program_code_fn *code,
                                      void *ctx) {
    const struct sim_program *asks = programs->first;
    while (asks && !(asks->code && program_fits_line(asks, line))) asks = asks->next;
    const char *text = asks ? code(ctx) : NULL; /* that may wait, and the rules change meanwhile */
    for (struct sim_program *p = programs->first; p; p = p->next)
        if (program_fits_line(p, line) && (!p->code || (text && sim_pattern_fits(p->code, text)))) return p;
    return NULL;
}

/* ---- the list ---- */

struct sim_programs *sim_programs_new(void) {
    return calloc(1, sizeof(struct sim_programs));
}

static void program_free(struct sim_program *p) {
    while (p->files) {
        struct sim_program_file *next = p->files->next;
        free(p->files->path);
        free(p->files->text);
        free(p->files);
        p->files = next;
    }
    free(p->run);
    free(p->code);
    free(p->out);
    free(p->err);
    free(p);
}

static size_t programs_drop(struct sim_programs *programs, int64_t number, int keep_scenario) {
    struct sim_program **at = &programs->first;
    size_t dropped = 0;
    while (*at) {
        struct sim_program *p = *at;
        if ((number && p->number != number) || (keep_scenario && p->of_scenario)) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        program_free(p);
        dropped++;
    }
    return dropped;
}

void sim_programs_free(struct sim_programs *programs) {
    if (!programs) return;
    programs_drop(programs, 0, 0);
    free(programs);
}

size_t sim_programs_remove(struct sim_programs *programs, int64_t number) {
    return programs_drop(programs, number, 0);
}

void sim_programs_reset(struct sim_programs *programs) {
    programs_drop(programs, 0, 1);
    for (struct sim_program *p = programs->first; p; p = p->next) p->hits = 0;
}

const struct sim_program *sim_programs_first(const struct sim_programs *programs) {
    return programs->first;
}

void sim_programs_json(const struct sim_programs *programs, struct sbx_buf *json, const char *key) {
    sbx_json_begin_array(json, key);
    for (const struct sim_program *p = programs->first; p; p = p->next) {
        sbx_json_begin_object(json, NULL);
        sbx_json_put_int(json, "program", p->number);
        if (p->run) sbx_json_put_string(json, "run", p->run);
        if (p->code) sbx_json_put_string(json, "code", p->code);
        sbx_json_put_int(json, "exit_code", p->exit_code);
        sbx_json_put_int(json, "hits", p->hits);
        sbx_json_end_object(json);
    }
    sbx_json_end_array(json);
}

/* ---- reading ---- */

static int program_copy(char **out, const char *text) {
    *out = text ? strdup(text) : NULL;
    return !text || *out;
}

static int program_file(struct sim_program *p, const char *path, const char *text) {
    struct sim_program_file *file = calloc(1, sizeof(*file)), **end = &p->files;
    if (!file) return 0;
    while (*end) end = &(*end)->next;
    *end = file;
    return program_copy(&file->path, path) && program_copy(&file->text, text);
}

static const char *const program_members[] = {"run",       "code",        "stdout", "stderr",
                                              "exit_code", "duration_ms", "files",  "times"};

/* Members that are no rule's are complained about. */
static void program_known(struct sbx_json *js, const struct sbx_json_node *object) {
    const size_t count = sizeof(program_members) / sizeof(program_members[0]);
    for (const struct sbx_json_node *it = object ? sbx_json_first(object) : NULL; it; it = sbx_json_next(it)) {
        size_t i = 0;
        while (i < count && strcmp(program_members[i], sbx_json_key(it)) != 0) i++;
        if (i == count) sbx_json_complain(js, it, NULL, "no such member in a program");
    }
}

static int64_t program_count(struct sbx_json *js, const struct sbx_json_node *object, const char *key, int64_t max) {
    const int64_t value = sbx_json_opt_int(js, object, key, 0);
    if (value >= 0 && value <= max) return value;
    sbx_json_complain(js, object, key, "a number within its limits");
    return 0;
}

/* @return 0 when memory runs out */
static int program_read(struct sim_program *p, struct sbx_json *js, const struct sbx_json_node *object) {
    const struct sbx_json_node *files = sbx_json_opt_object(js, object, "files");
    int ok = program_copy(&p->run, sbx_json_opt_string(js, object, "run", NULL)) &&
             program_copy(&p->code, sbx_json_opt_string(js, object, "code", NULL)) &&
             program_copy(&p->out, sbx_json_opt_string(js, object, "stdout", "")) &&
             program_copy(&p->err, sbx_json_opt_string(js, object, "stderr", ""));
    p->exit_code = (int)program_count(js, object, "exit_code", 255);
    p->duration_ms = program_count(js, object, "duration_ms", PROGRAM_MS_MAX);
    p->times = program_count(js, object, "times", INT64_MAX);
    for (const struct sbx_json_node *it = files ? sbx_json_first(files) : NULL; it && ok; it = sbx_json_next(it)) {
        const char *text = sbx_json_as_string(js, it);
        if (!*sbx_json_key(it)) sbx_json_complain(js, object, "files", "paths that are not empty");
        ok = program_file(p, sbx_json_key(it), text ? text : "");
    }
    if (!p->run && !p->code) sbx_json_complain(js, object, "run", "a pattern there or in \"code\"");
    return ok;
}

int64_t sim_programs_add_json(struct sim_programs *programs, struct sbx_json *js, const struct sbx_json_node *node,
                              int of_scenario, char *why, size_t why_cap) {
    const struct sbx_json_node *object = sbx_json_as_object(js, node);
    struct sim_program *p = calloc(1, sizeof(*p)), **end = &programs->first;
    const char *wrong = "out of memory";
    program_known(js, object);
    if (p && program_read(p, js, object)) wrong = sbx_json_status(js) ? sbx_json_error(js) : NULL;
    if (wrong) {
        if (why && why_cap) snprintf(why, why_cap, "program: %s", wrong);
        if (p) program_free(p);
        return 0;
    }
    p->of_scenario = of_scenario;
    p->number = ++programs->numbers;
    while (*end) end = &(*end)->next;
    *end = p;
    return p->number;
}
