/* What machines share must not be seen: the image's programs and scripts that were parsed before. */
#include "rig.h"

#include <stdio.h>

/** Two machines with one shelf, in one world, whose user is root. */
struct pair {
    struct rig a, b;
};

static void pair_start(struct pair *pair) {
    const struct sim_machine_options opt = {
        .hostname = "box", .user = "root", .home = "/root", .uid = 0, .shelf = sim_shelf_new()};
    T_TRUE(opt.shelf != NULL);
    rig_start(&pair->a, &opt);
    pair->b.sim = pair->a.sim;
    pair->b.m = sim_machine_new(pair->b.sim, &opt);
    T_TRUE(pair->b.m != NULL);
    sim_shelf_release(opt.shelf); /* machines hold it */
}

static void pair_finish(struct pair *pair) {
    sim_machine_halt(pair->b.m);
    sim_machine_free(pair->b.m);
    rig_finish(&pair->a);
}

static void said(struct rig *rig, const char *script, const char *out) {
    struct rig_result r;
    rig_sh(rig, script, &r);
    T_STR(sbx_buf_text(&r.err), "");
    T_STR(sbx_buf_text(&r.out), out);
    T_EQ(r.code, 0);
    rig_result_finish(&r);
}

static void a_program_changed_in_one_machine_is_whole_in_the_other(void) {
    struct pair pair;
    pair_start(&pair);
    said(&pair.a,
         "cd /usr/bin\n"
         "printf '#!/bin/sh\\necho mine\\n' >wc\n" /* written over */
         "printf x >>uniq\n"                       /* appended to */
         "truncate -s 3 head\n"                    /* cut */
         "rm cut\n"
         "mv tr tail\n"
         "chmod 600 sort\n"
         "wc; echo ab | tail a c; [ -e cut ] || echo gone; stat -c '%n %s' head",
         "mine\ncb\ngone\nhead 3\n");
    said(&pair.b,
         "cd /usr/bin\n"
         "echo a b | wc -w; echo u | uniq; echo h | head -n1; echo ab | cut -c2; echo t | tail -n1; echo a | tr a b\n"
         "stat -c %a sort",
         "2\nu\nh\nb\nt\nb\n755\n");
    pair_finish(&pair);
}

static void the_end_of_a_machine_is_not_the_end_of_the_shelf(void) {
    struct pair pair;
    pair_start(&pair);
    said(&pair.a, "printf x >/usr/bin/wc; rm /usr/bin/cut", "");
    sim_machine_halt(pair.a.m);
    sim_machine_free(pair.a.m);
    pair.a.m = pair.b.m;
    said(&pair.a, "echo a b | wc -w; echo ab | cut -c2", "2\nb\n");
    rig_finish(&pair.a);
}

/* ---- scripts, long enough to be kept ---- */

#define LONG                                                                                                           \
    "# a comment that makes this text one of those that are kept when they have been parsed, in all 128 bytes of it\n"

static void a_script_runs_again_as_it_ran(void) {
    static const char script[] = LONG "f() { local x=$1; echo \"f $x $#\"; }\n"
                                      "for i in 1 2; do f $i; done\n"
                                      "cat <<E\nhere $i\nE\n\n"
                                      "f() { echo other; }; f\n"
                                      "x=$(f; echo $i); echo \"$x\" | tail -n1; exit 0\nfi nonsense";
    struct pair pair;
    pair_start(&pair);
    for (int i = 0; i < 6; i++) said(i % 2 ? &pair.a : &pair.b, script, "f 1 1\nf 2 1\nhere 2\nother\n2\n");
    pair_finish(&pair);
}

static void the_same_text_means_another_thing_to_bash(void) {
    static const char script[] = LONG "echo $'a\\x41'\n";
    struct pair pair;
    struct rig_result r;
    pair_start(&pair);
    for (int i = 0; i < 4; i++) {
        const char *const argv[] = {i % 2 ? "bash" : "sh", "-c", script, NULL};
        rig_run(&pair.a, argv, NULL, &r);
        T_STR(sbx_buf_text(&r.out), i % 2 ? "aA\n" : "$a\\x41\n");
        rig_result_finish(&r);
    }
    pair_finish(&pair);
}

static void a_script_may_run_inside_of_itself(void) {
    struct pair pair;
    pair_start(&pair);
    for (int i = 0; i < 2; i++)
        said(&pair.a,
             "s='" LONG
             "n=$((n + 1)); echo in $n\n[ $n -ge 3 ] || eval \"$s\"\necho out $n; n=$((n - 1))\n'; n=0; eval \"$s\"",
             "in 1\nin 2\nin 3\nout 3\nout 2\nout 1\n");
    pair_finish(&pair);
}

static void a_syntax_error_is_one_each_time_and_after_what_ran(void) {
    struct pair pair;
    struct rig_result r;
    pair_start(&pair);
    for (int i = 0; i < 3; i++) {
        rig_sh(&pair.a, LONG "echo one\nif then\n", &r);
        T_STR(sbx_buf_text(&r.out), "one\n");
        T_CONTAINS(sbx_buf_text(&r.err), "sh: 3: Syntax error: \"then\" unexpected");
        T_EQ(r.code, 2);
        rig_result_finish(&r);
    }
    pair_finish(&pair);
}

static void more_scripts_than_are_kept_all_run(void) {
    struct pair pair;
    char script[256], out[32];
    pair_start(&pair);
    for (int i = 0; i < 100; i++) {
        snprintf(script, sizeof script, LONG "(sleep 0.01; echo late %d) & echo %d; wait\n", i, i % 40);
        snprintf(out, sizeof out, "%d\nlate %d\n", i % 40, i);
        said(&pair.a, script, out);
    }
    pair_finish(&pair);
}

/* ---- lines ---- */

static void a_line_longer_than_any_buffer_is_read_and_not_a_byte_beyond(void) {
    struct pair pair;
    pair_start(&pair);
    said(&pair.a,
         "i=0; x=0123456789; while [ $i -lt 6 ]; do x=$x$x$x; i=$((i + 1)); done\n"
         "{ echo a; echo $x; echo b; echo $x; printf c; } | { read p; read q; cat >/tmp/rest; echo $p ${#q}; }\n"
         "wc -c </tmp/rest; { read b; read q; read c; } </tmp/rest; echo $b ${#q} $c; echo $x >/tmp/x\n"
         "echo \"echo $x | wc -c; read y\" >/tmp/s; echo 'the rest' >>/tmp/s; echo 'echo $y' >>/tmp/s; bash </tmp/s",
         "a 7290\n7294\nb 7290 c\n7291\nthe rest\n");
    pair_finish(&pair);
}

T_CASES(T_CASE(a_program_changed_in_one_machine_is_whole_in_the_other),
        T_CASE(the_end_of_a_machine_is_not_the_end_of_the_shelf), T_CASE(a_script_runs_again_as_it_ran),
        T_CASE(the_same_text_means_another_thing_to_bash), T_CASE(a_script_may_run_inside_of_itself),
        T_CASE(a_syntax_error_is_one_each_time_and_after_what_ran), T_CASE(more_scripts_than_are_kept_all_run),
        T_CASE(a_line_longer_than_any_buffer_is_read_and_not_a_byte_beyond))
