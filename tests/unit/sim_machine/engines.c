/* What holds for a machine whatever its engine: programs, their ends and output. Files: engine_files.c. */
#include "engine_rig.h"

#include <errno.h>
#include <stdlib.h>

#define CASE(name)                                                                                                     \
    static void name##_body(struct engine *e);                                                                         \
    static void name(void) {                                                                                           \
        engine_case(name##_body);                                                                                      \
    }                                                                                                                  \
    static void name##_body(struct engine *e)

CASE(a_run_gives_streams_apart_and_its_code) {
    struct ran r;
    engine_sh(e, "echo out; echo err >&2; exit 7", &r);
    T_STATUS(r.waited, SBX_OK);
    T_STR(sbx_buf_text(&r.stream[1]), "out\n");
    T_STR(sbx_buf_text(&r.stream[2]), "err\n");
    T_EQ(r.code, 7);
    T_EQ(r.signal, 0);
    ran_finish(&r);
}

CASE(one_stream_keeps_the_order) {
    engine_expect(e, "for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done", "o1\ne1\no2\ne2\no3\ne3\no4\ne4\no5\ne5\n",
                  0);
}

CASE(a_signal_is_told_as_one) {
    struct ran r;
    engine_sh(e, "kill -9 $$", &r);
    T_EQ(r.signal, 9);
    ran_finish(&r);
    engine_sh(e, "sh -c 'kill -TERM $$'; echo $?", &r);
    T_STR(sbx_buf_text(&r.stream[1]), "143\n");
    T_EQ(r.signal, 0);
    ran_finish(&r);
}

CASE(an_absent_program_or_directory_does_not_start) {
    const char *const absent[] = {"nosuchprogram", NULL}, *const sh[] = {"sh", NULL};
    struct sim_run_options opt = {.argv = absent, .output = ran_take};
    sim_errno why = 0;
    T_TRUE(!sim_run_start(e->m, &opt, &why));
    T_EQ(why, ENOENT);
    opt.argv = sh;
    opt.cwd = "/nowhere";
    T_TRUE(!sim_run_start(e->m, &opt, &why));
    T_EQ(why, ENOENT);
    opt.cwd = "/etc/passwd";
    T_TRUE(!sim_run_start(e->m, &opt, &why));
    T_EQ(why, ENOTDIR);
    engine_put(e, "plain", "no program");
    const char *const plain[] = {"./plain", NULL};
    opt.argv = plain;
    opt.cwd = NULL;
    T_TRUE(!sim_run_start(e->m, &opt, &why));
    T_EQ(why, EACCES);
}

CASE(a_text_that_is_no_program_is_a_script) {
    static const char *const argv[] = {"./s", "a b", NULL};
    struct ran r = {.code = 0};
    const struct sim_run_options opt = {.argv = argv, .output = ran_take, .ctx = &r};
    sim_errno why = 0;
    engine_put(e, "s", "echo \"$1\"\n");
    T_EQ(sim_chmod(e->m, "s", 0755), 0);
    struct sim_run *run = sim_run_start(e->m, &opt, &why);
    T_EQ(why, 0);
    T_STATUS(sim_run_wait(run, 1, SIM_NEVER), SBX_OK);
    T_STR(sbx_buf_text(&r.stream[1]), "a b\n");
    sim_run_free(run);
    ran_finish(&r);
}

CASE(the_environment_is_the_machines_and_the_callers) {
    static const char *const argv[] = {"env", NULL}, *const env[] = {"A=1", "LANG=C", "A=2", NULL};
    struct ran r = {.code = 0};
    const struct sim_run_options opt = {.argv = argv, .env = env, .output = ran_take, .ctx = &r};
    sim_errno why = 0;
    struct sim_run *run = sim_run_start(e->m, &opt, &why);
    T_EQ(why, 0);
    T_STATUS(sim_run_wait(run, 1, SIM_NEVER), SBX_OK);
    sim_run_free(run);
    const char *text = sbx_buf_text(&r.stream[1]);
    T_CONTAINS(text, "HOME=/home/daytona\n");
    T_CONTAINS(text, "USER=daytona\n");
    T_CONTAINS(text, "HOSTNAME=box\n");
    T_CONTAINS(text, "LANG=C\n");
    T_CONTAINS(text, "A=2\n");
    T_TRUE(!strstr(text, "A=1") && !strstr(text, "C.UTF-8") && !strstr(text, "SANDPORT"));
    ran_finish(&r);
}

CASE(a_run_begins_at_home_as_the_user) {
    engine_expect(e, "pwd; id -u; id -un; hostname; cat /etc/hostname", "/home/daytona\n1000\ndaytona\nbox\nbox\n", 0);
    T_STR(sim_machine_home(e->m), "/home/daytona");
}

CASE(standard_input_is_given_and_ends) {
    static const char *const argv[] = {"bash", NULL};
    static const char text[] = "read x\nhello\necho got $x\ncat\nlast";
    struct ran r = {.code = 0};
    const struct sim_run_options opt = {
        .argv = argv, .stdin_text = text, .stdin_len = sizeof(text) - 1, .output = ran_take, .ctx = &r};
    sim_errno why = 0;
    struct sim_run *run = sim_run_start(e->m, &opt, &why);
    T_EQ(why, 0);
    T_STATUS(sim_run_wait(run, 1, SIM_NEVER), SBX_OK);
    T_STR(sbx_buf_text(&r.stream[1]), "got hello\nlast");
    sim_run_free(run);
    ran_finish(&r);
}

CASE(much_input_and_a_flood_of_output_come_whole) {
    static const char *const argv[] = {"cat", NULL};
    const size_t len = 3 << 20;
    struct ran r = {.code = 0};
    char *text = malloc(len);
    T_TRUE(text != NULL);
    for (size_t i = 0; i < len; i++) text[i] = (char)(i * 7 % 251);
    const struct sim_run_options opt = {
        .argv = argv, .stdin_text = text, .stdin_len = len, .output = ran_take, .ctx = &r};
    sim_errno why = 0;
    struct sim_run *run = sim_run_start(e->m, &opt, &why);
    T_EQ(why, 0);
    T_STATUS(sim_run_wait(run, 1, SIM_NEVER), SBX_OK);
    T_MEM(r.stream[1].data, r.stream[1].len, text, len);
    sim_run_free(run);
    ran_finish(&r);
    free(text);
}

CASE(who_gives_input_to_somebody_that_reads_none_is_not_kept) {
    static const char *const argv[] = {"true", NULL};
    const size_t len = 1 << 20;
    struct ran r = {.code = 0};
    char *text = calloc(1, len);
    const struct sim_run_options opt = {
        .argv = argv, .stdin_text = text, .stdin_len = len, .output = ran_take, .ctx = &r};
    sim_errno why = 0;
    struct sim_run *run = sim_run_start(e->m, &opt, &why);
    T_EQ(why, 0);
    T_STATUS(sim_run_wait(run, 1, SIM_NEVER), SBX_OK);
    sim_run_free(run);
    free(text);
}

CASE(background_children_hold_the_output) {
    struct ran r = {.code = 0};
    int code = 0, signal = 0;
    struct sim_run *run = engine_start(e, "sleep 0.3 & echo now", &r);
    T_STATUS(sim_run_wait(run, 0, SIM_NEVER), SBX_OK);
    T_EQ(sim_run_exited(run, &code, &signal), 1);
    T_EQ(sim_run_alive(run), 1);
    T_STATUS(sim_run_wait(run, 1, sim_now(sim_world(e->sim)) + 50 * SIM_MS), SBX_DEADLINE);
    T_STATUS(sim_run_wait(run, 1, SIM_NEVER), SBX_OK);
    T_STR(sbx_buf_text(&r.stream[1]), "now\n");
    sim_run_free(run);
    ran_finish(&r);
}

static int nobody(void *run) {
    return !sim_run_alive(run);
}

CASE(a_group_is_killed_whole) {
    struct ran r = {.code = 0};
    int code = 0, signal = 0;
    struct sim_run *run = engine_start(e, "trap '' TERM; sleep 1000 & sleep 1000 & echo up; wait; wait", &r);
    while (!r.stream[1].len) engine_pass(e, 5);
    T_STATUS(sim_run_wait(run, 1, sim_now(sim_world(e->sim)) + 20 * SIM_MS), SBX_DEADLINE);
    T_EQ(sim_run_exited(run, &code, &signal), 0);
    sim_run_kill(run, 15);
    T_STATUS(sim_run_wait(run, 0, sim_now(sim_world(e->sim)) + 20 * SIM_MS), SBX_DEADLINE);
    sim_run_kill(run, 9);
    T_STATUS(sim_run_wait(run, 1, SIM_NEVER), SBX_OK);
    T_EQ(sim_run_exited(run, &code, &signal), 1);
    T_EQ(signal, 9);
    engine_until(e, nobody, run);
    sim_run_free(run);
    ran_finish(&r);
}

CASE(a_tree_is_killed_whole_whoever_made_a_session_of_its_own) {
    struct ran r = {.code = 0};
    struct sim_stat st;
    struct sim_run *run =
        engine_start(e, "setsid sh -c 'echo $$ > /tmp/pid; sleep 1; echo late > /tmp/late' & echo up; sleep 1000", &r);
    while (sim_stat(e->m, "/tmp/pid", 1, &st) || !st.bytes) engine_pass(e, 5);
    sim_run_kill_tree(run, 9);
    engine_until(e, nobody, run);
    engine_expect(e, /* a dead one is still there until it is waited for */
                  "p=$(cat /tmp/pid) n=0\n"
                  "while kill -0 $p 2>/dev/null && [ $n -lt 500 ]; do sleep 0.01; n=$((n + 1)); done\n"
                  "kill -0 $p 2>/dev/null; echo $?; test -e /tmp/late; echo $?",
                  "1\n1\n", 0);
    sim_run_free(run);
    ran_finish(&r);
}

CASE(what_is_let_go_runs_on) {
    struct ran r = {.code = 0};
    struct sim_stat st;
    sim_run_free(engine_start(e, "sleep 0.1; echo text; echo text >&2; echo x > /tmp/done", &r));
    while (sim_stat(e->m, "/tmp/done", 1, &st)) engine_pass(e, 5);
    T_EQ(r.stream[1].len, 0);
    ran_finish(&r);
}

CASE(background_processes_of_one_run_are_seen_by_the_next) {
    engine_expect(e, "sleep 1000 >/dev/null 2>&1 & echo $! > /tmp/pid", "", 0);
    engine_expect(e, "kill -0 $(cat /tmp/pid); echo $?; kill -9 $(cat /tmp/pid); echo $?", "0\n0\n", 0);
}

CASE(a_halt_ends_everything_and_keeps_files) {
    struct ran r = {.code = 0};
    int code = 0, signal = 0;
    struct sim_run *run = engine_start(e, "echo kept > f; sleep 1000 & setsid sleep 1000 & echo up; wait", &r);
    while (!r.stream[1].len) engine_pass(e, 5);
    sim_machine_halt(e->m);
    T_STATUS(sim_run_wait(run, 1, SIM_NEVER), SBX_GONE);
    T_EQ(sim_run_exited(run, &code, &signal), 1);
    T_EQ(sim_run_alive(run), 0);
    sim_run_kill(run, 9);
    sim_run_free(run);
    ran_finish(&r);
    engine_expect(e, "cat f; ps ax | grep -c '[s]leep'", "kept\n0\n", 1);
}

/* ---- what is fed and taken from outside ---- */

static struct sim_run *shell(struct engine *e, struct ran *ran) {
    static const char *const argv[] = {"bash", NULL};
    const struct sim_run_options opt = {.argv = argv, .stdin_stays = 1, .output = ran_take, .ctx = ran};
    sim_errno why = 0;
    struct sim_run *run = sim_run_start(e->m, &opt, &why);
    if (!run) T_FAIL("errno %d", why);
    return run;
}

static void says(struct engine *e, const struct sbx_buf *buf, const char *text) {
    for (int tries = 0; buf->len < strlen(text) && tries < 1000; tries++) engine_pass(e, 10);
    T_STR(buf->data ? buf->data : "", text);
}

CASE(a_shell_lives_on_between_what_it_is_fed) {
    struct ran r = {.code = 0};
    int code = 0, signal = 0;
    struct sim_run *run = shell(e, &r);
    static const char first[] = "cd /tmp; x=1\n", second[] = "pwd; echo $x\n", last[] = "exit 3\n";
    T_EQ(sim_run_feed(run, first, sizeof(first) - 1), 0);
    engine_pass(e, 20);
    T_EQ(sim_run_exited(run, &code, &signal), 0);
    T_EQ(sim_run_feed(run, second, sizeof(second) - 1), 0);
    says(e, &r.stream[1], "/tmp\n1\n");
    T_EQ(sim_run_feed(run, last, sizeof(last) - 1), 0);
    T_STATUS(sim_run_wait(run, 1, SIM_NEVER), SBX_OK);
    T_EQ(sim_run_exited(run, &code, &signal), 1);
    T_EQ(code, 3);
    T_EQ(sim_run_feed(run, "true\n", 5), EPIPE);
    sim_run_free(run);
    ran_finish(&r);
}

static const struct sim_outlet_options three = {.path = {"/tmp/1", "/tmp/2", "/tmp/3"}, .output = ran_take};

CASE(an_outlet_takes_streams_apart_and_knows_when_nobody_holds_it) {
    struct ran r = {.code = 0};
    struct sim_outlet_options opt = three;
    sim_errno why = 0;
    opt.closed = ran_closed;
    opt.ctx = &r;
    struct sim_outlet *outlet = sim_outlet_new(e->m, &opt, &why);
    T_EQ(why, 0);
    T_TRUE(!sim_outlet_new(e->m, &opt, &why));
    T_EQ(why, EEXIST);
    T_EQ(sim_outlet_is_open(outlet), 0);
    engine_expect(e, "{ echo out; echo err >&2; sleep 0.3 & } >/tmp/1 2>/tmp/2; echo $? >/tmp/3", "", 0);
    says(e, &r.stream[1], "out\n");
    says(e, &r.stream[2], "err\n");
    says(e, &r.stream[3], "0\n");
    T_EQ(sim_outlet_is_open(outlet), 1);
    r.closed = 0;
    while (!r.closed) engine_pass(e, 10);
    T_EQ(sim_outlet_is_open(outlet), 0);
    engine_expect(e, "echo again >/tmp/1", "", 0);
    says(e, &r.stream[1], "out\nagain\n");
    sim_outlet_free(outlet);
    ran_finish(&r);
}

CASE(a_feed_is_read_without_waiting_for_a_writer) {
    struct ran r = {.code = 0};
    sim_errno why = 0;
    struct sim_feed *in = sim_feed_new(e->m, "/tmp/in", &why);
    T_EQ(why, 0);
    T_EQ(sim_feed_write(in, "early\n", 6), EPIPE);
    struct sim_run *run =
        engine_start(e, "{ echo up; read a; echo \"got $a\"; read b; echo \"then $b.\"; } </tmp/in", &r);
    says(e, &r.stream[1], "up\n");
    T_EQ(sim_feed_write(in, "one\n", 4), 0);
    says(e, &r.stream[1], "up\ngot one\n");
    sim_feed_free(in);
    T_STATUS(sim_run_wait(run, 1, SIM_NEVER), SBX_OK);
    T_STR(sbx_buf_text(&r.stream[1]), "up\ngot one\nthen .\n");
    sim_run_free(run);
    ran_finish(&r);
}

CASE(a_feed_that_nobody_empties_takes_no_more) {
    static char mega[1024 * 1024];
    struct ran r = {.code = 0};
    sim_errno why = 0, failed = 0;
    struct sim_feed *in = sim_feed_new(e->m, "/tmp/in", &why);
    struct sim_run *run = engine_start(e, "{ echo up; sleep 1000; } </tmp/in", &r);
    says(e, &r.stream[1], "up\n");
    T_EQ(sim_feed_write(in, mega, sizeof(mega)), 0);
    for (int i = 0; i < 3 && !failed; i++) failed = sim_feed_write(in, mega, sizeof(mega));
    T_EQ(failed, EAGAIN);
    sim_machine_halt(e->m);
    sim_feed_free(in);
    sim_run_free(run);
    ran_finish(&r);
}

T_CASES(T_CASE(a_run_gives_streams_apart_and_its_code), T_CASE(one_stream_keeps_the_order),
        T_CASE(a_signal_is_told_as_one), T_CASE(an_absent_program_or_directory_does_not_start),
        T_CASE(a_text_that_is_no_program_is_a_script), T_CASE(the_environment_is_the_machines_and_the_callers),
        T_CASE(a_run_begins_at_home_as_the_user), T_CASE(standard_input_is_given_and_ends),
        T_CASE(much_input_and_a_flood_of_output_come_whole),
        T_CASE(who_gives_input_to_somebody_that_reads_none_is_not_kept), T_CASE(background_children_hold_the_output),
        T_CASE(a_group_is_killed_whole), T_CASE(a_tree_is_killed_whole_whoever_made_a_session_of_its_own),
        T_CASE(what_is_let_go_runs_on), T_CASE(background_processes_of_one_run_are_seen_by_the_next),
        T_CASE(a_halt_ends_everything_and_keeps_files), T_CASE(a_shell_lives_on_between_what_it_is_fed),
        T_CASE(an_outlet_takes_streams_apart_and_knows_when_nobody_holds_it),
        T_CASE(a_feed_is_read_without_waiting_for_a_writer), T_CASE(a_feed_that_nobody_empties_takes_no_more))
