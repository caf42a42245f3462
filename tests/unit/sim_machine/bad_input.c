/* What scripts and callers do that no machine should suffer from: what never ends, what floods, what forks without
 * end, and names of every kind. */
#include "rig.h"

#include <errno.h>
#include <stdio.h>

static void expect(struct rig *rig, const char *script, const char *output, int code) {
    struct rig_result r;
    rig_sh(rig, script, &r);
    if (strcmp(sbx_buf_text(&r.out), output) != 0 || r.code != code)
        T_FAIL("%s\n  wanted %d: %s\n  got %d: %s (%s)", script, code, output, r.code, sbx_buf_text(&r.out),
               sbx_buf_text(&r.err));
    rig_result_finish(&r);
}

static void a_timeout_ends_what_never_waits(void) {
    struct rig rig;
    struct rig_result r;
    rig_start(&rig, NULL);
    rig_sh(&rig, "timeout 1 sh -c 'while :; do :; done'; echo $?", &r);
    T_STR(sbx_buf_text(&r.out), "124\n");
    T_TRUE(r.ms >= 1000 && r.ms < 1100);
    T_EQ(rig_unsupported(&rig), 0);
    rig_result_finish(&r);
    expect(&rig, "timeout 0.1 yes >/dev/null; echo $?; timeout 0.1 yes | tail -1; timeout 0.1 cat /dev/zero >/dev/null",
           "124\ny\n", 124);
    rig_finish(&rig);
}

static void others_get_on_beside_what_never_waits(void) {
    struct rig rig;
    rig_start(&rig, NULL);
    expect(&rig, "while :; do :; done & sleep 0.1; echo here; kill $!; wait $!; echo $?", "here\n143\n", 0);
    expect(&rig, "while :; do :; done & exec sh -c 'sleep 0.05; kill $0; echo done' $!", "done\n", 0);
    rig_finish(&rig);
}

/* However many it starts: it meets the limit of processes, its parts end, and the machine goes on. */
static void a_fork_bomb_ends(void) {
    static const struct sim_machine_options small = {
        .hostname = "box", .user = "daytona", .home = "/home/daytona", .uid = 1000, .process_max = 64};
    struct rig rig;
    struct rig_result r;
    rig_start(&rig, &small);
    rig_sh(&rig, "bomb() { bomb | bomb & }; bomb", &r);
    T_STATUS(r.waited, SBX_OK);
    rig_result_finish(&r);
    rig_sh(&rig, "echo 'sh ./bomb & sh ./bomb' >bomb; sh ./bomb 2>/dev/null; exit 0", &r);
    T_STATUS(r.waited, SBX_OK);
    rig_result_finish(&r);
    expect(&rig, "echo alive; (exit 3)", "alive\n", 3);
    rig_finish(&rig);
}

static void flood_count(void *ctx, int stream, const void *data, size_t len) {
    (void)stream, (void)data;
    *(uint64_t *)ctx += len;
}

static void a_flood_of_output_is_ended(void) {
    static const char *const argv[] = {"sh", "-c", "while :; do echo flood; done", NULL};
    struct rig rig;
    uint64_t bytes = 0;
    struct sim_run_options opt = {.argv = argv, .output = flood_count, .ctx = &bytes};
    sim_errno why;
    int code, signal;
    rig_start(&rig, NULL);
    struct sim_run *run = sim_run_start(rig.m, &opt, &why);
    T_TRUE(run != NULL);
    T_STATUS(sim_run_wait(run, 1, SIM_NEVER), SBX_OK);
    T_TRUE(sim_run_exited(run, &code, &signal));
    T_EQ(signal, 24);
    T_TRUE(bytes > 1000000);
    sim_run_free(run);
    rig_finish(&rig);
}

static void a_very_deep_tree_is_walked_or_refused(void) {
    struct rig rig;
    struct rig_result r;
    rig_start(&rig, NULL);
    expect(&rig, "i=0; while [ $i -lt 3000 ]; do mkdir d && cd -P d || exit 9; i=$((i+1)); done", "", 0);
    rig_sh(&rig, "ls -R d | wc -l", &r); /* more than a path holds: said, not guessed */
    T_TRUE(r.code == 0 || rig_unsupported(&rig) > 0);
    rig_result_finish(&r);
    rig_finish(&rig);
}

static void names_of_every_kind_from_outside(void) {
    static const char *const names[] = {"new\nline",   "it's", "say \"x\"",  "-rf",  "--",        " ",
                                        "\377\376",    "\\",   "$(touch x)", "a;b",  "\001\033[", "*",
                                        "caf\303\251", "~",    "#",          "a\tb", "...",       "="};
    struct rig rig;
    struct sim_stat st;
    char script[120];
    rig_start(&rig, NULL);
    T_EQ(sim_mkdir(rig.m, "n", 0755, 0), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "n/%s", names[i]);
        rig_put(&rig, path, names[i], strlen(names[i]), 0644);
        T_EQ(sim_stat(rig.m, path, 0, &st), 0);
        T_EQ(st.type, 'f');
    }
    snprintf(script, sizeof script,
             "ls -A n | wc -l; for f in n/* n/...; do [ \"$(cat \"$f\")\" = \"${f#n/}\" ] || echo \"$f\"; done; ls -A");
    /* one name has a newline in it, and $(...) cuts none off here */
    expect(&rig, script, "19\nn\n", 0);
    expect(&rig, "rm -r n; ls -A", "", 0);
    rig_finish(&rig);
}

/* Above the root there is the root, and a link is the sandbox's own. */
static void ways_out_lead_back_in(void) {
    struct rig rig;
    struct sim_stat st, root;
    struct sim_file *file = NULL;
    rig_start(&rig, NULL);
    T_EQ(sim_stat(rig.m, "/", 0, &root), 0);
    T_EQ(sim_stat(rig.m, "../../../../../../../..", 0, &st), 0);
    T_EQ(st.type, 'd');
    T_EQ(sim_stat(rig.m, "../../../../../../../../etc/hostname", 0, &st), 0);
    expect(&rig, "ln -s /etc out; ln -s ../../../../../../../../../root up; cat out/hostname; ls up 2>/dev/null",
           "box\n", 2);
    T_EQ(sim_open_write(rig.m, "out/hostname", 0644, 1, &file), EACCES);
    T_EQ(sim_open_write(rig.m, "up/x", 0644, 1, &file), EACCES);
    expect(&rig, "cd /../../..; pwd; cd /proc/..; pwd; [ /.. -ef / ] && echo same", "/\n/\nsame\n", 0);
    rig_finish(&rig);
}

T_CASES(T_CASE(a_timeout_ends_what_never_waits), T_CASE(others_get_on_beside_what_never_waits),
        T_CASE(a_fork_bomb_ends), T_CASE(a_flood_of_output_is_ended), T_CASE(a_very_deep_tree_is_walked_or_refused),
        T_CASE(names_of_every_kind_from_outside), T_CASE(ways_out_lead_back_in))
