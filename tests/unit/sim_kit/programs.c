/* Played programs: patterns, which rule is taken, how often, and what a reset leaves. */
#include "sim/kit/programs.h"
#include "t.h"

#include <stdlib.h>

static void patterns(void) {
    static const struct {
        const char *pattern, *text;
        int fits;
    } rows[] = {
        {"", "", 1},
        {"", "a", 0},
        {"*", "", 1},
        {"*", "a\nb", 1},
        {"a*", "a", 1},
        {"a*", "ba", 0},
        {"*a", "bca", 1},
        {"*a", "bcab", 0},
        {"*a*", "bab", 1},
        {"?", "a", 1},
        {"?", "", 0},
        {"??*", "a", 0},
        {"a?c", "abc", 1},
        {"\\*", "*", 1},
        {"\\*", "a", 0},
        {"a\\?b", "a?b", 1},
        {"a\\?b", "axb", 0},
        {"a\\", "a\\", 1},
        {"*ab*cd*", "xabycdz", 1},
        {"*ab*cd*", "xcdyabz", 0},
        {"a**b", "ab", 1},
        {"a*b*c", "abbcbc", 1},
        {"npm i*", "npm install x", 1},
        {"*x", "xx", 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (sim_pattern_fits(rows[i].pattern, rows[i].text) != rows[i].fits)
            T_FAIL("'%s' on '%s'", rows[i].pattern, rows[i].text);
}

/* Patterns that make a naive matcher run for ever. */
static void a_hostile_pattern_ends(void) {
    char text[4001], pattern[201];
    memset(text, 'a', 4000);
    text[4000] = 0;
    for (int i = 0; i < 200; i += 2) memcpy(pattern + i, "*a", 2);
    memcpy(pattern + 198, "*b", 3);
    T_EQ(sim_pattern_fits(pattern, text), 0);
}

static int64_t add(struct sim_programs *programs, const char *json, int of_scenario) {
    struct sbx_json *js = NULL;
    char why[128] = "";
    T_STATUS(sbx_json_parse(json, strlen(json), 0, &js), SBX_OK);
    const int64_t number = sim_programs_add_json(programs, js, sbx_json_root(js), of_scenario, why, sizeof(why));
    T_EQ(number != 0, *why == 0);
    sbx_json_free(js);
    return number;
}

static const char *code_given(void *ctx) {
    return ctx;
}

static const char *code_never(void *ctx) {
    (void)ctx;
    T_FAIL("nobody wants to know");
    return NULL;
}

static int64_t found(struct sim_programs *programs, const char *line, const char *code) {
    char *text = code ? strdup(code) : NULL;
    const struct sim_program *p = sim_programs_find(programs, line, code_given, text);
    free(text);
    return p ? p->number : 0;
}

static void the_first_that_fits_and_is_not_spent(void) {
    struct sim_programs *programs = sim_programs_new();
    T_EQ(add(programs, "{\"run\":\"npm *\",\"times\":2}", 0), 1);
    T_EQ(add(programs, "{\"run\":\"npm install*\"}", 0), 2);
    T_TRUE(sim_programs_find(programs, "npm install", code_never, NULL) != NULL);
    T_EQ(add(programs, "{\"run\":\"python3*\",\"code\":\"*42*\"}", 0), 3);
    T_EQ(add(programs, "{\"code\":\"*\"}", 0), 4);
    T_EQ(found(programs, "npm install", NULL), 1);
    sim_programs_find(programs, "npm install", code_given, NULL)->hits = 2;
    T_EQ(found(programs, "npm install", NULL), 2);
    T_EQ(found(programs, "npm test", NULL), 0);
    T_EQ(found(programs, "python3 -c x", "print(42)"), 3);
    T_EQ(found(programs, "python3 -c x", "print(7)"), 4);
    T_EQ(found(programs, "python3 -c x", NULL), 0);
    T_EQ(found(programs, "node", ""), 4);
    sim_programs_free(programs);
}

static void a_reset_leaves_what_the_scenario_made(void) {
    struct sim_programs *programs = sim_programs_new();
    struct sbx_buf json = SBX_BUF_INIT;
    T_EQ(add(programs, "{\"run\":\"a\",\"times\":1}", 1), 1);
    T_EQ(add(programs, "{\"run\":\"b\",\"exit_code\":3}", 0), 2);
    sim_programs_find(programs, "a", code_never, NULL)->hits = 1;
    T_EQ(found(programs, "a", NULL), 0);
    sim_programs_reset(programs);
    T_EQ(found(programs, "a", NULL), 1);
    T_EQ(found(programs, "b", NULL), 0);
    sbx_json_begin_object(&json, NULL);
    sim_programs_json(programs, &json, "programs");
    sbx_json_end_object(&json);
    T_STR(sbx_buf_text(&json), "{\"programs\":[{\"program\":1,\"run\":\"a\",\"exit_code\":0,\"hits\":0}]}");
    sbx_buf_finish(&json);
    T_EQ(sim_programs_remove(programs, 7), 0);
    T_EQ(sim_programs_remove(programs, 0), 1);
    sim_programs_free(programs);
}

T_CASES(T_CASE(patterns), T_CASE(a_hostile_pattern_ends), T_CASE(the_first_that_fits_and_is_not_spent),
        T_CASE(a_reset_leaves_what_the_scenario_made))
