/* code-run and other programs that the machine does not have: played by the scenario, or said to be missing. */
#include "ask.h"

#include <stdio.h>

static const char scenario[] =
    "{\"programs\":["
    "{\"code\":\"*print(42)*\",\"stdout\":\"42\\n\"},"
    "{\"run\":\"python3 -c raise*\",\"stderr\":\"Traceback\\n\",\"exit_code\":1},"
    "{\"run\":\"node *\",\"code\":\"*console.log(*)*\",\"stdout\":\"js\\n\",\"duration_ms\":1500},"
    "{\"run\":\"ts-node *\",\"stdout\":\"ts\\n\"},"
    "{\"run\":\"npm install*\",\"times\":1,\"stderr\":\"npm ERR! network\\n\",\"exit_code\":254},"
    "{\"run\":\"npm install*\",\"stdout\":\"added 3 packages\\n\",\"duration_ms\":2000,"
    "\"files\":{\"node_modules/a/index.js\":\"a\",\"/tmp/npm.log\":\"ok\\n\"}},"
    "{\"run\":\"git clone https://*\",\"files\":{\"repo/README\":\"hello\\n\"}},"
    "{\"run\":\"agent run ?*\",\"stdout\":\"done\\n\"},"
    "{\"run\":\"sed p\",\"stdout\":\"not sed\\n\"}]}";

static void box(struct ask *a, const char *text) {
    ask_init_whole(a, text);
    ask_create_started(a, NULL);
}

static void ran(struct ask *a, const char *path, const char *body, int64_t code, const char *result) {
    T_EQ(ask(a, "POST", path, body), 200);
    T_EQ(ask_int(a, "exitCode"), code);
    T_STR(ask_text(a, "result"), result);
}
#define CODE    "/toolbox/%s/process/code-run"
#define EXECUTE "/toolbox/%s/process/execute"

static void code_of_three_languages_is_played(void) {
    struct ask a;
    box(&a, scenario);
    ran(&a, CODE, "{\"code\":\"print(42)\",\"language\":\"python\"}", 0, "42\n");
    ran(&a, CODE, "{\"code\":\"print(42)\"}", 0, "42\n");
    ran(&a, CODE, "{\"code\":\"raise X\",\"language\":\"python\"}", 1, "Traceback\n");
    const int64_t before_ms = ask_now_ms(&a);
    ran(&a, CODE, "{\"code\":\"console.log(1)\",\"language\":\"javascript\",\"argv\":[\"a\"],\"envs\":{\"A\":\"b\"}}",
        0, "js\n");
    T_EQ((ask_now_ms(&a) - before_ms) / 100, 15);
    ran(&a, CODE, "{\"code\":\"let x: number\",\"language\":\"typescript\"}", 0, "ts\n");
    T_EQ(sbx_sim_unsupported(a.sim), 0);
    ask_finish(&a);
}

static void code_that_takes_too_long_is_408(void) {
    struct ask a;
    box(&a, scenario);
    T_EQ(ask(&a, "POST", CODE, "{\"code\":\"console.log(1)\",\"language\":\"javascript\",\"timeout\":1}"), 408);
    ask_finish(&a);
}

static void code_that_nobody_plays_is_not_found_and_noted(void) {
    struct ask a;
    box(&a, scenario);
    ran(&a, CODE, "{\"code\":\"print(43)\",\"language\":\"python\"}", 127,
        "bash: line 1: python3: command not found\n");
    T_EQ(sbx_sim_unsupported(a.sim), 1);
    T_CONTAINS(sbx_sim_journal(a.sim, NULL), "machine.unsupported");
    ask_finish(&a);
}

static void what_is_no_code_is_400(void) {
    static const char *const bad[] = {"{}",
                                      "{\"code\":\"\"}",
                                      "{\"code\":7}",
                                      "{\"code\":\"x\",\"language\":\"cobol\"}",
                                      "{\"code\":\"x\",\"timeout\":-1}",
                                      "{\"code\":\"x\",\"argv\":[7]}",
                                      "{\"code\":\"x\",\"envs\":{\"a b\":\"\"}}",
                                      "nonsense"};
    struct ask a;
    box(&a, scenario);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (ask(&a, "POST", CODE, bad[i]) != 400) T_FAIL("%s: %d", bad[i], a.status);
    ask_finish(&a);
}

static void programs_write_files_take_time_and_fail_first(void) {
    struct ask a;
    box(&a, scenario);
    ran(&a, EXECUTE, "{\"command\":\"npm install --silent\"}", 254, "npm ERR! network\n");
    const int64_t before_ms = ask_now_ms(&a);
    ran(&a, EXECUTE, "{\"command\":\"mkdir p; cd p; npm install; cat node_modules/a/index.js /tmp/npm.log\"}", 0,
        "added 3 packages\naok\n");
    T_EQ((ask_now_ms(&a) - before_ms) / 100, 20);
    ran(&a, EXECUTE, "{\"command\":\"git clone https://example.com/repo && cat repo/README\"}", 0, "hello\n");
    T_EQ(sbx_sim_unsupported(a.sim), 0);
    ran(&a, EXECUTE, "{\"command\":\"git status\"}", 2, "sandport-sim: not simulated: program git\n");
    T_EQ(sbx_sim_unsupported(a.sim), 1);
    ask_finish(&a);
}

static void code_comes_from_a_file_a_flag_or_standard_input(void) {
    struct ask a;
    box(&a, scenario);
    ran(&a, EXECUTE, "{\"command\":\"echo 'print(42)' > /tmp/p.py; python3 -u /tmp/p.py arg\"}", 0, "42\n");
    ran(&a, EXECUTE, "{\"command\":\"echo 'x; print(42)' | python3 -\"}", 0, "42\n");
    ran(&a, EXECUTE, "{\"command\":\"echo 'print(42)' | python3\"}", 0, "42\n");
    ran(&a, EXECUTE, "{\"command\":\"python3 -c 'print(42)'\"}", 0, "42\n");
    ran(&a, EXECUTE, "{\"command\":\"python3 /nowhere 2>/dev/null\"}", 2, "");
    ask_finish(&a);
}

/* A program of the caller's own is there because the scenario plays it; one that the machine has is played over it. */
static void programs_of_any_name(void) {
    struct ask a;
    box(&a, scenario);
    ran(&a, EXECUTE, "{\"command\":\"agent run x; command -v agent\"}", 0, "done\n/usr/bin/agent\n");
    ran(&a, EXECUTE, "{\"command\":\"echo a | sed p; echo b | sed -n p\"}", 0, "not sed\nb\n");
    ran(&a, EXECUTE, "{\"command\":\"agents run x 2>/dev/null\"}", 127, "");
    ask_finish(&a);
}

static void what_cannot_be_written_is_the_programs_error(void) {
    struct ask a;
    box(&a, "{\"programs\":[{\"run\":\"git*\",\"files\":{\"/etc/x/y\":\"\"}}]}");
    ran(&a, EXECUTE, "{\"command\":\"git init\"}", 1, "/etc/x/y: Permission denied\n");
    ask_finish(&a);
}

static void a_program_that_is_none_is_no_scenario(void) {
    static const struct {
        const char *program, *why;
    } bad[] = {
        {"{}", "run"},
        {"{\"run\":7}", "run"},
        {"{\"run\":\"x\",\"exit_code\":256}", "exit_code"},
        {"{\"run\":\"x\",\"duration_ms\":-1}", "duration_ms"},
        {"{\"run\":\"x\",\"other\":1}", "other"},
        {"{\"run\":\"x\",\"files\":{\"\":\"\"}}", "files"},
        {"{\"run\":\"x\",\"files\":[]}", "files"},
        {"[]", "program"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[256], why[256] = "";
        struct sbx_sim_options opt = SBX_SIM_OPTIONS_INIT;
        struct sbx_sim *sim = NULL;
        snprintf(text, sizeof(text), "{\"programs\":[%s]}", bad[i].program);
        opt.scenario = text;
        opt.scenario_len = strlen(text);
        T_STATUS(sbx_sim_create(&opt, &sim, why, sizeof(why)), SBX_INVALID_ARGUMENT);
        T_CONTAINS(why, bad[i].why);
    }
}

static void programs_are_added_and_removed_while_it_runs(void) {
    static const char rule[] = "{\"code\":\"*\",\"stdout\":\"any\\n\"}";
    struct ask a;
    char why[256] = "";
    box(&a, NULL);
    const int64_t number = sbx_sim_program_json(a.sim, rule, sizeof(rule) - 1, why, sizeof(why));
    T_EQ(number, 1);
    ran(&a, CODE, "{\"code\":\"x\"}", 0, "any\n");
    T_EQ(sbx_sim_program_json(a.sim, "{}", 2, why, sizeof(why)), 0);
    T_CONTAINS(why, "run");
    T_EQ(sbx_sim_program_json(a.sim, "nonsense", 8, why, sizeof(why)), 0);
    T_EQ(sbx_sim_program_json(NULL, rule, sizeof(rule) - 1, why, sizeof(why)), 0);
    T_EQ(sbx_sim_program_json(a.sim, NULL, 0, NULL, 0), 0);
    sbx_sim_programs_clear(a.sim);
    ran(&a, CODE, "{\"code\":\"x\"}", 127, "bash: line 1: python3: command not found\n");
    ask_finish(&a);
}

T_CASES(T_CASE(code_of_three_languages_is_played), T_CASE(code_that_takes_too_long_is_408),
        T_CASE(code_that_nobody_plays_is_not_found_and_noted), T_CASE(what_is_no_code_is_400),
        T_CASE(programs_write_files_take_time_and_fail_first), T_CASE(code_comes_from_a_file_a_flag_or_standard_input),
        T_CASE(programs_of_any_name), T_CASE(what_cannot_be_written_is_the_programs_error),
        T_CASE(a_program_that_is_none_is_no_scenario), T_CASE(programs_are_added_and_removed_while_it_runs))
