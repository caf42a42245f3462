/* The machine itself: runs and their ends, limits, signals, what it does not know, files from outside. */
#include "rig.h"
#include "sim/machine/number.h"

#include <errno.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>

static void expect(struct rig *rig, const char *script, const char *out, int code) {
    struct rig_result r;
    rig_sh(rig, script, &r);
    T_STATUS(r.waited, SBX_OK);
    T_STR(sbx_buf_text(&r.out), out);
    T_EQ(r.signal ? 128 + r.signal : r.code, code);
    rig_result_finish(&r);
}

static void a_run_gives_output_and_code(void) {
    struct rig rig;
    struct rig_result r;
    rig_start(&rig, NULL);
    rig_sh(&rig, "echo out; echo err >&2; exit 7", &r);
    T_STATUS(r.waited, SBX_OK);
    T_STR(sbx_buf_text(&r.out), "out\n");
    T_STR(sbx_buf_text(&r.err), "err\n");
    T_EQ(r.code, 7);
    T_EQ(r.ms, 0);
    rig_result_finish(&r);
    rig_finish(&rig);
}

static void an_absent_program_or_directory_does_not_start(void) {
    struct rig rig;
    const char *const absent[] = {"nosuchprogram", NULL}, *const sh[] = {"sh", NULL};
    struct sim_run_options opt = {.argv = absent};
    sim_errno why;
    rig_start(&rig, NULL);
    T_TRUE(sim_run_start(rig.m, &opt, &why) == NULL);
    T_EQ(why, ENOENT);
    opt.argv = sh;
    opt.cwd = "/nowhere";
    T_TRUE(sim_run_start(rig.m, &opt, &why) == NULL);
    T_EQ(why, ENOENT);
    opt.cwd = "/etc/passwd";
    T_TRUE(sim_run_start(rig.m, &opt, &why) == NULL);
    T_EQ(why, ENOTDIR);
    rig_finish(&rig);
}

static void standard_input_is_the_script_of_bash_and_the_rest_is_its_commands(void) {
    struct rig rig;
    struct rig_result r;
    const char *const bash[] = {"bash", NULL};
    rig_start(&rig, NULL);
    rig_run(&rig, bash, "echo one\ncat\necho two\nthree\n", &r);
    T_STR(sbx_buf_text(&r.out), "one\necho two\nthree\n");
    rig_result_finish(&r);
    rig_run(&rig, bash, "read x\nhello\necho got $x; exit 4", &r);
    T_STR(sbx_buf_text(&r.out), "got hello\n");
    T_EQ(r.code, 4);
    rig_result_finish(&r);
    rig_finish(&rig);
}

static void background_children_hold_the_output(void) {
    struct rig rig;
    struct rig_result r;
    rig_start(&rig, NULL);
    rig_sh(&rig, "sleep 5 & echo now", &r);
    T_STR(sbx_buf_text(&r.out), "now\n");
    T_EQ(r.ms, 5000);
    rig_result_finish(&r);
    rig_sh(&rig, "sleep 5 >/dev/null 2>&1 & echo now", &r);
    T_EQ(r.ms, 0);
    rig_result_finish(&r);
    rig_finish(&rig);
}

static void forget(void *ctx, int stream, const void *data, size_t len) {
    (void)ctx, (void)stream, (void)data, (void)len;
}

static struct sim_run *start(struct rig *rig, const char *script) {
    const char *argv[] = {"sh", "-c", script, NULL};
    struct sim_run_options opt = {.argv = argv, .output = forget};
    sim_errno why;
    struct sim_run *run = sim_run_start(rig->m, &opt, &why);
    if (!run) T_FAIL("did not start: errno %d", why);
    return run;
}

static void a_deadline_leaves_it_running_and_a_kill_ends_its_group(void) {
    struct rig rig;
    int code, signal;
    rig_start(&rig, NULL);
    struct sim_run *run = start(&rig, "sleep 100 & sleep 100");
    T_STATUS(sim_run_wait(run, 1, 2 * SIM_SEC), SBX_DEADLINE);
    T_EQ(sim_run_exited(run, &code, &signal), 0);
    sim_run_kill(run, 9);
    T_STATUS(sim_run_wait(run, 1, SIM_NEVER), SBX_OK);
    T_EQ(sim_run_exited(run, &code, &signal), 1);
    T_EQ(signal, 9);
    T_EQ(sim_now(sim_world(rig.sim)), 2 * SIM_SEC);
    sim_run_free(run);
    rig_finish(&rig);
}

static void a_halt_ends_everything_and_files_stay(void) {
    struct rig rig;
    struct sim_stat st;
    rig_start(&rig, NULL);
    struct sim_run *run = start(&rig, "echo kept > f; sleep 1000");
    T_STATUS(sim_run_wait(run, 0, SIM_SEC), SBX_DEADLINE);
    sim_machine_halt(rig.m);
    T_STATUS(sim_run_wait(run, 1, SIM_NEVER), SBX_GONE);
    sim_run_free(run);
    T_EQ(sim_stat(rig.m, "f", 1, &st), 0);
    T_EQ(st.bytes, 5);
    expect(&rig, "cat f", "kept\n", 0);
    rig_finish(&rig);
}

static void a_run_let_go_runs_on(void) {
    struct rig rig;
    struct sim_stat st;
    rig_start(&rig, NULL);
    sim_run_free(start(&rig, "sleep 1; echo late; : > done"));
    sim_advance_to(sim_world(rig.sim), 2 * SIM_SEC);
    T_EQ(sim_stat(rig.m, "done", 1, &st), 0);
    rig_finish(&rig);
}

static void a_full_disk_is_the_commands_error(void) {
    const struct sim_machine_options small = {
        .user = "daytona", .home = "/home/daytona", .uid = 1000, .disk_bytes = 65536};
    struct rig rig;
    rig_start(&rig, &small);
    expect(&rig, "head -c 100000 /dev/zero > f; echo $?; wc -c < f", "1\n65536\n", 0);
    expect(&rig, "echo x > g; echo $?; mkdir d; echo $?; rm f; echo x > g; cat g", "1\n1\nx\n", 0);
    expect(&rig, "i=0; while [ $i -lt 16 ]; do echo x > f$i || break; i=$((i+1)); done; echo $i", "15\n", 0);
    rig_finish(&rig);
}

static void too_many_processes_cannot_fork(void) {
    const struct sim_machine_options small = {
        .user = "daytona", .home = "/home/daytona", .uid = 1000, .process_max = 10};
    struct rig rig;
    struct rig_result r;
    rig_start(&rig, &small);
    rig_sh(&rig, "f() { f | f & }; f", &r);
    T_CONTAINS(sbx_buf_text(&r.err), "Cannot fork");
    rig_result_finish(&r);
    expect(&rig, "echo still here", "still here\n", 0);
    rig_finish(&rig);
}

static void bash_tries_again_to_fork_and_ends(void) {
    const struct sim_machine_options small = {
        .user = "daytona", .home = "/home/daytona", .uid = 1000, .process_max = 1};
    struct rig rig;
    struct rig_result r;
    rig_start(&rig, &small);
    rig_sh(&rig, "exec bash -c '(echo no); echo no'", &r);
    T_CONTAINS(sbx_buf_text(&r.err), "fork: retry: Resource temporarily unavailable");
    T_EQ(r.code, 254);
    T_EQ(r.ms, 15000);
    rig_result_finish(&r);
    rig_finish(&rig);
}

static void what_takes_too_much_memory_is_killed(void) {
    const struct sim_machine_options small = {
        .user = "daytona", .home = "/home/daytona", .uid = 1000, .memory_bytes = 1 << 20};
    struct rig rig;
    rig_start(&rig, &small);
    expect(&rig, "sh -c 'x=$(yes); echo no'; echo $?", "137\n", 0);
    expect(&rig, "sh -c 'x=aaaaaaaa; while :; do x=$x$x; done'; echo $?", "137\n", 0);
    expect(&rig, "yes | head -n 1000000 | wc -l; echo $?", "1000000\n0\n", 0);
    rig_finish(&rig);
}

static void what_it_does_not_know_is_said_and_noted(void) {
    static const char *const scripts[] = {"python3 -c 'print(1)'",    "git clone x",
                                          "ls --nosuchoption",        "ulimit -v 5",
                                          "exec bash -c '[[ a ]]'",   "exec bash -c 'a=(1 2)'",
                                          "exec bash -c 'echo {a,b}'"};
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        struct rig rig;
        struct rig_result r;
        rig_start(&rig, NULL);
        rig_sh(&rig, scripts[i], &r);
        T_EQ(r.code, 2);
        T_CONTAINS(sbx_buf_text(&r.err), "not simulated");
        T_EQ(rig_unsupported(&rig), 1);
        rig_result_finish(&r);
        rig_finish(&rig);
    }
}

static void what_nobody_has_is_not_found(void) {
    struct rig rig;
    struct rig_result r;
    rig_start(&rig, NULL);
    rig_sh(&rig, "foo", &r);
    T_EQ(r.code, 127);
    T_STR(sbx_buf_text(&r.err), "sh: 1: foo: not found\n");
    T_EQ(rig_unsupported(&rig), 0);
    rig_result_finish(&r);
    rig_finish(&rig);
}

static void a_script_without_end_is_ended(void) {
    struct rig rig;
    struct rig_result r;
    rig_start(&rig, NULL);
    rig_sh(&rig, "while :; do :; done", &r);
    T_EQ(r.signal, 24);
    T_EQ(rig_unsupported(&rig), 1);
    rig_result_finish(&r);
    rig_finish(&rig);
}

static void recursion_goes_deep_and_ends(void) {
    struct rig rig;
    struct rig_result r;
    rig_start(&rig, NULL);
    expect(&rig, "exec bash -c 'f() { [ $1 -eq 0 ] && return; f $(($1-1)); }; f 2000; echo $?'", "0\n", 0);
    expect(&rig, "f() { [ $1 -eq 0 ] && return; f $(($1-1)); }; f 999; echo $?", "0\n", 0);
    expect(&rig, "f() { if [ $1 -gt 0 ]; then echo $(f $(($1-1)))x; fi; }; f 100 | wc -c", "101\n", 0);
    rig_sh(&rig, "f() { f; }; f", &r);
    T_CONTAINS(sbx_buf_text(&r.err), "Maximum function recursion depth (1000) reached");
    T_EQ(r.code, 2);
    rig_result_finish(&r);
    rig_sh(&rig, "exec bash -c 'f() { f; }; f'", &r);
    T_EQ(r.signal, 11);
    rig_result_finish(&r);
    rig_finish(&rig);
}

static void strangers_files_are_out_of_reach(void) {
    struct rig rig;
    rig_start(&rig, NULL);
    expect(&rig,
           "echo x > /etc/passwd; echo $?; ls /root; echo $?; rm -f /etc/hostname; echo $?; mkdir /opt/x; echo $?",
           "2\n2\n1\n1\n", 0);
    expect(&rig, "umask 077; echo a > f; chmod 0 f; cat f; echo $?; chmod 755 f; cat f", "1\na\n", 0);
    rig_finish(&rig);
}

static void a_tool_is_a_file(void) {
    struct rig rig;
    rig_start(&rig, NULL);
    expect(&rig, "command -v cat; cp /bin/echo e; ./e hi; chmod -x e; ./e; echo $?", "/usr/bin/cat\nhi\n126\n", 0);
    expect(&rig, "PATH=$PWD; echo 'echo mine' > cat; /bin/chmod +x cat; cat", "mine\n", 0);
    rig_finish(&rig);
}

static void uploaded_scripts_run(void) {
    static const char script[] = "#!/bin/bash\necho \"args: $@\"\nexit 5\n";
    struct rig rig;
    rig_start(&rig, NULL);
    rig_put(&rig, "run.sh", script, strlen(script), 0755);
    expect(&rig, "./run.sh a 'b c'", "args: a b c\n", 5);
    expect(&rig, "bash run.sh; echo $?", "args: \n5\n", 0);
    rig_finish(&rig);
}

static void files_from_outside_follow_the_rules_of_inside(void) {
    struct rig rig;
    struct sim_stat st;
    struct sim_file *file = NULL;
    char buf[16];
    rig_start(&rig, NULL);
    T_EQ(sim_mkdir(rig.m, "a/b", 0755, 0), ENOENT);
    T_EQ(sim_mkdir(rig.m, "a/b", 0755, 1), 0);
    T_EQ(sim_mkdir(rig.m, "a", 0755, 0), EEXIST);
    rig_put(&rig, "a/b/f", "bytes\0x", 7, 0600);
    T_EQ(sim_stat(rig.m, "/home/daytona/a/b/f", 1, &st), 0);
    T_EQ(st.type, 'f');
    T_EQ(st.mode, 0600);
    T_EQ(st.bytes, 7);
    T_EQ(sim_open_read(rig.m, "a/b/f", &file), 0);
    T_EQ(sim_file_size(file), 7);
    T_EQ(sim_file_read(file, buf, sizeof buf), 7);
    T_MEM(buf, 7, "bytes\0x", 7);
    T_EQ(sim_file_read(file, buf, sizeof buf), 0);
    sim_file_close(file);
    T_EQ(sim_rename(rig.m, "a/b/f", "a/g"), 0);
    T_EQ(sim_stat(rig.m, "a/b/f", 1, &st), ENOENT);
    T_EQ(sim_unlink(rig.m, "a", 0), EISDIR);
    T_EQ(sim_open_write(rig.m, "/etc/passwd", 0644, 1, &file), EACCES);
    T_EQ(sim_open_read(rig.m, "a", &file), EISDIR);
    T_EQ(sim_unlink(rig.m, "a", 1), 0);
    T_EQ(sim_stat(rig.m, "a", 0, &st), ENOENT);
    T_EQ(sim_unlink(rig.m, "a", 1), ENOENT);
    rig_finish(&rig);
}

static void a_hundred_thousand_names_and_a_deep_tree(void) {
    struct rig rig;
    rig_start(&rig, NULL);
    expect(&rig, "mkdir d; cd d; seq 100000 | xargs touch; ls | wc -l; cd ..; rm -r d; ls", "100000\n", 0);
    expect(&rig, "i=0; while [ $i -lt 500 ]; do mkdir d && cd d; i=$((i+1)); done; cd; find . | wc -l; rm -r d; ls",
           "501\n", 0);
    rig_finish(&rig);
}

static void the_same_seed_runs_the_same(void) {
    char first[65] = "", hash[65];
    for (int i = 0; i < 2; i++) {
        struct rig rig;
        struct rig_result r;
        rig_start(&rig, NULL);
        rig_sh(&rig,
               "for i in 1 2 3 4 5; do (echo $i; sleep 0.$i; mktemp -u) & done; wait; od -An -tx1 -N8 /dev/urandom",
               &r);
        T_EQ(sbx_sha256_of(r.out.data, r.out.len, hash), 1);
        if (i == 0) memcpy(first, hash, sizeof first);
        T_STR(hash, first);
        rig_result_finish(&r);
        rig_finish(&rig);
    }
}

static void only_root_gives_files_away(void) {
    struct sim_machine_options root = {.hostname = "box", .user = "root", .home = "/root", .uid = 0};
    struct rig rig;
    rig_start(&rig, NULL);
    expect(&rig, "touch f; chown 0 f; echo $?; chown root:root f; echo $?; chgrp 0 f; echo $?; stat -c '%u %g' f",
           "1\n1\n1\n1000 1000\n", 0);
    expect(&rig, "chown daytona:daytona f; echo $?; chown 1000 /etc/passwd; echo $?; chown 1000 nofile; echo $?",
           "0\n1\n1\n", 0);
    rig_finish(&rig);
    rig_start(&rig, &root);
    expect(&rig, "touch f; chown 7:8 f; stat -c '%u %g' f; chmod 600 f; chown -R nobody .; stat -c %U f",
           "7 8\nnobody\n", 0);
    rig_finish(&rig);
}

static void floods_take_no_memory(void) {
    struct rig rig;
    rig_start(&rig, NULL);
    expect(&rig, "head -c 600000000 /dev/zero | tail -c 5 | wc -c", "5\n", 0);
    expect(&rig, "yes | xargs -n 2 echo | head -2; yes | sed s/y/n/ | head -1; yes | grep -B 2 y | head -1",
           "y y\ny y\nn\ny\n", 0);
    expect(&rig, "head -c 2000000 /dev/zero | base64 | base64 -d | gzip | gunzip | wc -c", "2000000\n", 0);
    rig_finish(&rig);
}

/* ./dev golden runs it with a comma for the locale's point, too. */
static void numbers_have_a_point_in_every_locale(void) {
    static const struct {
        const char *text;
        double value;
        const char *rest;
    } numbers[] = {{"3.25x", 3.25, "x"}, {"-.5", -0.5, ""},  {"7,5", 7, ",5"},     {"1.5,5", 1.5, ",5"},
                   {"1.5.5", 1.5, ".5"}, {" 2e3", 2000, ""}, {"1.5e2 ", 150, " "}, {"x", 0, "x"}};
    char text[32];
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        char *end = NULL;
        if (sim_double(numbers[i].text, &end) != numbers[i].value) T_FAIL("'%s'", numbers[i].text);
        T_STR(end, numbers[i].rest);
    }
    snprintf(text, sizeof(text), "%9.2f|", -12.5);
    T_STR(sim_double_point(text), "   -12.50|");
}

T_CASES(T_CASE(numbers_have_a_point_in_every_locale), T_CASE(only_root_gives_files_away), T_CASE(floods_take_no_memory),
        T_CASE(a_run_gives_output_and_code), T_CASE(an_absent_program_or_directory_does_not_start),
        T_CASE(standard_input_is_the_script_of_bash_and_the_rest_is_its_commands),
        T_CASE(background_children_hold_the_output), T_CASE(a_deadline_leaves_it_running_and_a_kill_ends_its_group),
        T_CASE(a_halt_ends_everything_and_files_stay), T_CASE(a_run_let_go_runs_on),
        T_CASE(a_full_disk_is_the_commands_error), T_CASE(too_many_processes_cannot_fork),
        T_CASE(bash_tries_again_to_fork_and_ends), T_CASE(what_takes_too_much_memory_is_killed),
        T_CASE(what_it_does_not_know_is_said_and_noted), T_CASE(what_nobody_has_is_not_found),
        T_CASE(a_script_without_end_is_ended), T_CASE(recursion_goes_deep_and_ends),
        T_CASE(strangers_files_are_out_of_reach), T_CASE(a_tool_is_a_file), T_CASE(uploaded_scripts_run),
        T_CASE(files_from_outside_follow_the_rules_of_inside), T_CASE(a_hundred_thousand_names_and_a_deep_tree),
        T_CASE(the_same_seed_runs_the_same))
