/* Pipes of the machine with one end outside: shells that are fed, outlets, feeds, and the end of a whole tree. */
#include "rig.h"

#include <errno.h>

struct taker {
    struct sbx_buf stream[4];
    int closed;
};

static void taker_output(void *ctx, int stream, const void *data, size_t len) {
    sbx_buf_append(&((struct taker *)ctx)->stream[stream], data, len);
}

static void taker_closed(void *ctx) {
    ((struct taker *)ctx)->closed++;
}

static void taker_finish(struct taker *t) {
    for (int i = 0; i < 4; i++) sbx_buf_finish(&t->stream[i]);
}

static void pass(struct rig *rig, int64_t ms) {
    struct sim_world *w = sim_world(rig->sim);
    sim_run_ready(w);
    sim_advance_to(w, sim_now(w) + ms * SIM_MS);
}

static struct sim_run *shell(struct rig *rig, struct taker *t) {
    static const char *const argv[] = {"bash", NULL};
    const struct sim_run_options opt = {.argv = argv, .stdin_stays = 1, .output = taker_output, .ctx = t};
    sim_errno why = 0;
    struct sim_run *run = sim_run_start(rig->m, &opt, &why);
    if (!run) T_FAIL("errno %d", why);
    return run;
}

static void feed(struct rig *rig, struct sim_run *run, const char *text) {
    T_EQ(sim_run_feed(run, text, strlen(text)), 0);
    pass(rig, 0);
}

static void a_shell_lives_on_between_what_it_is_fed(void) {
    struct rig rig;
    struct taker t = {0};
    int code, signal;
    rig_start(&rig, NULL);
    struct sim_run *run = shell(&rig, &t);
    feed(&rig, run, "cd /tmp; x=1; f() { echo \"f $x\"; }\n");
    pass(&rig, 1000);
    T_EQ(sim_run_exited(run, &code, &signal), 0);
    feed(&rig, run, "pwd; f\n");
    T_STR(sbx_buf_text(&t.stream[1]), "/tmp\nf 1\n");
    feed(&rig, run, "exit 3\n");
    T_EQ(sim_run_exited(run, &code, &signal), 1);
    T_EQ(code, 3);
    T_EQ(sim_run_feed(run, "true\n", 5), EPIPE);
    T_EQ(sim_run_alive(run), 0);
    sim_run_free(run);
    taker_finish(&t);
    rig_finish(&rig);
}

static void a_shell_let_go_sees_the_end_of_its_input(void) {
    struct rig rig;
    struct taker t = {0};
    struct sim_stat st;
    rig_start(&rig, NULL);
    struct sim_run *run = shell(&rig, &t);
    feed(&rig, run, "trap 'echo end > /tmp/ended' EXIT\n");
    sim_run_free(run);
    pass(&rig, 0);
    T_EQ(sim_stat(rig.m, "/tmp/ended", 1, &st), 0);
    taker_finish(&t);
    rig_finish(&rig);
}

static void a_tree_is_killed_whole_whoever_made_a_session_of_its_own(void) {
    struct rig rig;
    struct taker t = {0};
    struct sim_stat st;
    rig_start(&rig, NULL);
    struct sim_run *run = shell(&rig, &t);
    feed(&rig, run, "setsid sh -c 'sleep 5; echo late > /tmp/late' & (trap '' TERM; while :; do sleep 1; done) &\n");
    pass(&rig, 100);
    sim_run_kill_tree(run, 15);
    pass(&rig, 3000);
    T_EQ(sim_run_alive(run), 1);
    sim_run_kill_tree(run, 9);
    T_EQ(sim_run_alive(run), 0);
    pass(&rig, 20000);
    T_EQ(sim_stat(rig.m, "/tmp/late", 1, &st), ENOENT);
    sim_run_free(run);
    taker_finish(&t);
    rig_finish(&rig);
}

static void an_outlet_takes_streams_apart_and_knows_when_nobody_holds_it(void) {
    struct rig rig;
    struct taker t = {0};
    struct rig_result r;
    sim_errno why = 0;
    const struct sim_outlet_options opt = {
        .path = {"/tmp/1", "/tmp/2", "/tmp/3"}, .output = taker_output, .closed = taker_closed, .ctx = &t};
    rig_start(&rig, NULL);
    struct sim_outlet *outlet = sim_outlet_new(rig.m, &opt, &why);
    T_TRUE(outlet != NULL);
    T_TRUE(sim_outlet_new(rig.m, &opt, &why) == NULL);
    T_EQ(why, EEXIST);
    rig_sh(&rig, "{ echo out; echo err >&2; sleep 10 & } >/tmp/1 2>/tmp/2; echo $? >/tmp/3", &r);
    T_STR(sbx_buf_text(&t.stream[1]), "out\n");
    T_STR(sbx_buf_text(&t.stream[2]), "err\n");
    T_STR(sbx_buf_text(&t.stream[3]), "0\n");
    rig_result_finish(&r);
    T_EQ(sim_outlet_is_open(outlet), 1);
    t.closed = 0;
    pass(&rig, 11000);
    T_EQ(sim_outlet_is_open(outlet), 0);
    T_EQ(t.closed, 1);
    rig_sh(&rig, "echo more >/tmp/1; (sleep 10 >/tmp/2) & exit", &r);
    rig_result_finish(&r);
    sim_outlet_free(outlet);
    taker_finish(&t);
    rig_finish(&rig);
}

static void a_feed_is_read_without_waiting_for_a_writer(void) {
    struct rig rig;
    struct taker t = {0};
    sim_errno why = 0;
    rig_start(&rig, NULL);
    struct sim_feed *in = sim_feed_new(rig.m, "/tmp/in", &why);
    T_TRUE(in != NULL);
    T_EQ(sim_feed_write(in, "early\n", 6), EPIPE);
    struct sim_run *run = shell(&rig, &t);
    feed(&rig, run, "{ read a; echo \"got $a\"; read b; echo \"then $b.\"; } </tmp/in\n");
    T_EQ(sim_feed_write(in, "one\n", 4), 0);
    pass(&rig, 0);
    T_STR(sbx_buf_text(&t.stream[1]), "got one\n");
    sim_feed_free(in);
    pass(&rig, 0);
    T_STR(sbx_buf_text(&t.stream[1]), "got one\nthen .\n");
    sim_run_free(run);
    taker_finish(&t);
    rig_finish(&rig);
}

static void a_feed_that_nobody_empties_takes_no_more(void) {
    static char mega[1024 * 1024];
    struct rig rig;
    struct taker t = {0};
    sim_errno why = 0;
    rig_start(&rig, NULL);
    struct sim_feed *in = sim_feed_new(rig.m, "/tmp/in", &why);
    struct sim_run *run = shell(&rig, &t);
    feed(&rig, run, "sleep 100 </tmp/in\n");
    T_EQ(sim_feed_write(in, mega, sizeof mega), 0);
    T_EQ(sim_feed_write(in, "x", 1), EAGAIN);
    sim_machine_halt(rig.m);
    sim_feed_free(in);
    sim_run_free(run);
    taker_finish(&t);
    rig_finish(&rig);
}

static void files_are_given_to_oneself_only(void) {
    struct rig rig;
    int64_t id = -1;
    rig_start(&rig, NULL);
    rig_put(&rig, "f", "x", 1, 0644);
    T_EQ(sim_chown(rig.m, "f", 1000, 1000), 0);
    T_EQ(sim_chown(rig.m, "f", 0, -1), EPERM);
    T_EQ(sim_chown(rig.m, "f", -1, 0), EPERM);
    T_EQ(sim_chown(rig.m, "/etc/passwd", 1000, -1), EPERM);
    T_EQ(sim_chown(rig.m, "nothing", 1000, -1), ENOENT);
    T_EQ(sim_machine_id(rig.m, "daytona", &id), 1);
    T_EQ(id, 1000);
    T_EQ(sim_machine_id(rig.m, "root", &id), 1);
    T_EQ(id, 0);
    T_EQ(sim_machine_id(rig.m, "77", &id), 1);
    T_EQ(id, 77);
    T_EQ(sim_machine_id(rig.m, "nobody-here", &id), 0);
    rig_finish(&rig);
}

T_CASES(T_CASE(a_shell_lives_on_between_what_it_is_fed), T_CASE(a_shell_let_go_sees_the_end_of_its_input),
        T_CASE(a_tree_is_killed_whole_whoever_made_a_session_of_its_own),
        T_CASE(an_outlet_takes_streams_apart_and_knows_when_nobody_holds_it),
        T_CASE(a_feed_is_read_without_waiting_for_a_writer), T_CASE(a_feed_that_nobody_empties_takes_no_more),
        T_CASE(files_are_given_to_oneself_only))
