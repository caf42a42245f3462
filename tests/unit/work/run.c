/* Durable runs on real shells: what comes of one, whatever is lost or sent again. Row D10. */
#include "run_host.h"
#include "t.h"

#include <string.h>

static void ends(struct shell_host *host, const char *id, const char *command, int32_t code) {
    T_STATUS(run_submit(host, id, command), SBX_OK);
    T_EQ(run_status.submitted, 1);
    run_await(host, id);
    T_EQ(run_status.state, SBX_RUN_EXITED);
    T_EQ(run_status.exit_code, code);
}

static void logs_are(struct shell_host *host, const char *id, const char *out, size_t out_len, const char *err,
                     size_t err_len) {
    struct sbx_log *log = NULL;
    size_t len = 0;
    T_STATUS(run_read(host, id, 0, 0, SBX_LOG_BYTES_MAX, &log), SBX_OK);
    const char *bytes = sbx_log_bytes(log, SBX_STDOUT, &len);
    T_MEM(bytes, len, out, out_len);
    bytes = sbx_log_bytes(log, SBX_STDERR, &len);
    T_MEM(bytes, len, err, err_len);
    sbx_log_free(log);
}

static void codes_on(struct shell_host *host) {
    ends(host, "zero", "printf 'a\\000b\\377'; printf 'e\\200' >&2", 0);
    logs_are(host, "zero", "a\0b\xff", 4, "e\x80", 2);
    T_EQ(run_status.stdout_bytes, 4);
    T_EQ(run_status.stderr_bytes, 2);
    ends(host, "three", "exit 3", 3);
    ends(host, "255", "exit 255", 255);
    ends(host, "set -e", "set -e; false; echo no", 1);
    ends(host, "term", "kill -TERM $$", 143);
    ends(host, "int", "trap 'echo got' INT; kill -INT $$; exit 4", 4); /* not ignored, as in a background job */
    logs_are(host, "int", "got\n", 4, "", 0);
    ends(host, "none", ":", 0);
    logs_are(host, "none", "", 0, "", 0);
    ends(host, "a/../b c\n'\"", "echo odd", 0); /* an id is any text */
    logs_are(host, "a/../b c\n'\"", "odd\n", 4, "", 0);
    ends(host, "group", "kill -TERM 0; sleep 60", 143); /* its group is its own */
}
static void ends_with_the_commands_code_and_bytes(void) {
    shell_host_each(codes_on);
}

static void goes_on_on(struct shell_host *host) {
    T_STATUS(run_submit(host, "r", "echo begun; while [ -d @ ] && [ ! -f @/go ]; do sleep 0.02; done; echo ended"),
             SBX_OK);
    T_EQ(run_status.state, SBX_RUN_RUNNING);
    T_EQ(run_status.exit_code, -1);
    T_STATUS(run_poll(host, "r"), SBX_OK);
    T_EQ(run_status.state, SBX_RUN_RUNNING);
    T_EQ(run_status.submitted, 0);
    run_outside(host, "touch @/go");
    run_await(host, "r");
    T_EQ(run_status.exit_code, 0);
    logs_are(host, "r", "begun\nended\n", 12, "", 0);
}
static void goes_on_when_the_request_has_ended(void) {
    shell_host_each(goes_on_on);
}

static void once_on(struct shell_host *host) {
    static const struct shell_step twice[] = {{.kind = SHELL_REPEAT, .count = 3}};
    static const struct shell_step at_once[] = {{.kind = SHELL_AT_ONCE, .count = 5}};
    static const struct shell_step lost[] = {{SHELL_LOSE, SBX_CONNECTION_LOST, SBX_OUTCOME_UNKNOWN, 0}};
    host->steps = twice;
    host->step_count = 1;
    T_STATUS(run_submit(host, "repeated", "echo x >>@/count"), SBX_OK);
    T_EQ(run_status.submitted, 1);
    run_await(host, "repeated");
    T_EQ(shell_host_count(host), 1);
    host->steps = at_once;
    T_STATUS(run_submit(host, "at once", "echo x >>@/count"), SBX_OK);
    run_await(host, "at once");
    T_EQ(shell_host_count(host), 2);
    host->steps = lost;
    T_STATUS(run_submit(host, "lost", "echo x >>@/count"), SBX_OK);
    T_EQ(run_status.submitted, 1); /* by this very call, although its first reply was lost */
    T_EQ(host->requests, 2);
    run_await(host, "lost");
    T_EQ(shell_host_count(host), 3);
    host->step_count = 0;
    T_STATUS(run_submit(host, "lost", "echo x >>@/count"), SBX_OK);
    T_EQ(run_status.submitted, 0);
    T_EQ(run_status.state, SBX_RUN_EXITED);
    T_EQ(shell_host_count(host), 3);
}
static void runs_once_for_its_id(void) {
    shell_host_each(once_on);
}

static void other_on(struct shell_host *host) {
    ends(host, "r", "echo x >>@/count", 0);
    T_STATUS(run_submit(host, "r", "echo y"), SBX_ALREADY_EXISTS);
    T_EQ(host->err.outcome, SBX_OUTCOME_REFUSED);
    host->opt.cwd = "/";
    T_STATUS(run_submit(host, "r", "echo x >>@/count"), SBX_ALREADY_EXISTS);
    T_EQ(shell_host_count(host), 1);
    T_STATUS(run_poll(host, "another"), SBX_RUN_NOT_FOUND);
}
static void an_id_belongs_to_its_command(void) {
    shell_host_each(other_on);
}

static void lost_on(struct shell_host *host) {
    T_STATUS(run_submit(host, "r", "echo some; while :; do sleep 0.05; done"), SBX_OK);
    run_outside(host, "d=$(echo " RUNS "/*); until [ -s $d/group ]; do sleep 0.01; done; read -r p x <$d/keeper; "
                      "read -r g x <$d/group; kill -KILL $p; kill -KILL $g; while kill -0 $p 2>/dev/null && "
                      "! grep -q ') Z' /proc/$p/stat; do sleep 0.01; done");
    run_await(host, "r");
    T_EQ(run_status.state, SBX_RUN_LOST);
    T_EQ(run_status.exit_code, 255);
    T_STATUS(run_submit(host, "r", "echo some; while :; do sleep 0.05; done"), SBX_OK); /* and is never run again */
    T_EQ(run_status.state, SBX_RUN_LOST);
}
static void gone_without_a_code_is_lost(void) {
    shell_host_each(lost_on);
}

static void orphan_on(struct shell_host *host) {
    T_STATUS(run_submit(host, "r", "while [ -d @ ] && [ ! -f @/go ]; do sleep 0.02; done; exit 7"), SBX_OK);
    run_outside(host, "d=$(echo " RUNS
                      "/*); until [ -s $d/group ]; do sleep 0.01; done; read -r p x <$d/keeper; kill -KILL $p");
    T_STATUS(run_poll(host, "r"), SBX_OK);
    T_EQ(run_status.state, SBX_RUN_RUNNING); /* the command lives, though nobody will note its code */
    run_outside(host, "touch @/go");
    run_await(host, "r");
    T_EQ(run_status.state, SBX_RUN_LOST);
}
static void a_command_without_keeper_runs_until_it_is_lost(void) {
    shell_host_each(orphan_on);
}

static void restart_on(struct shell_host *host) {
    T_STATUS(run_submit(host, "r", "while [ -d @ ] && [ ! -f @/go ]; do sleep 0.02; done"), SBX_OK);
    ends(host, "ended", "exit 9", 9);
    run_outside(host, "for a in " RUNS "/*/admission; do sed -i 's, \\([^ ]*\\)/\\([0-9]*\\) , other/1 ,' $a; done");
    T_STATUS(run_poll(host, "r"), SBX_OK);
    T_EQ(run_status.state, SBX_RUN_LOST); /* whatever has those numbers now is another process */
    T_STATUS(run_poll(host, "ended"), SBX_OK);
    T_EQ(run_status.state, SBX_RUN_EXITED);
    T_EQ(run_status.exit_code, 9);
    run_outside(host, "touch @/go");
}
static void a_restart_loses_what_ran_and_keeps_what_ended(void) {
    shell_host_each(restart_on);
}

static void kill_on(struct shell_host *host) {
    T_STATUS(run_submit(host, "r", "sleep 600 & echo $! >@/child; echo out; sleep 600"), SBX_OK);
    run_outside(host, "until [ -s @/child ]; do sleep 0.01; done");
    T_STATUS(run_kill(host, "r"), SBX_OK);
    T_EQ(run_status.state, SBX_RUN_EXITED);
    T_EQ(run_status.exit_code, 143);
    T_EQ(run_status.kill_asked, 1);
    T_EQ(run_status.killed_confirmed, 1);
    run_outside(host, "p=$(cat @/child); ! kill -0 $p 2>/dev/null || grep -q ') Z' /proc/$p/stat");
    logs_are(host, "r", "out\n", 4, "", 0);
    ends(host, "over", "exit 5", 5);
    T_STATUS(run_kill(host, "over"), SBX_OK);
    T_EQ(run_status.exit_code, 5);
    T_EQ(run_status.kill_asked, 0);
    T_STATUS(run_kill(host, "none"), SBX_RUN_NOT_FOUND);
}
static void a_kill_ends_the_children_too(void) {
    shell_host_each(kill_on);
}

static void late_on(struct shell_host *host) {
    host->edit_find = "sleep $2 ||";
    host->edit_with = "sleep 0.05 ||";
    T_STATUS(run_submit(host, "r", "echo begun; sleep 600"), SBX_OK);
    host->edit_find = NULL;
    run_await(host, "r");
    T_EQ(run_status.state, SBX_RUN_EXITED);
    T_EQ(run_status.exit_code, 137);
    T_EQ(run_status.timed_out, 1);
    ends(host, "in time", "exit 3", 3);
    T_EQ(run_status.timed_out, 0);
    run_outside(
        host,
        "for i in 1 2 3 4 5 6 7 8 9; do ! pgrep -f 'sb[x] @/.sandport' >/dev/null && exit; sleep 0.05; done; false");
}
static void a_lifetime_ends_it(void) {
    shell_host_each(late_on);
}

static void refused_on(struct shell_host *host) {
    host->opt.cwd = "/no/such/place";
    T_STATUS(run_submit(host, "r", "echo x >>@/count"), SBX_INVALID_ARGUMENT);
    T_EQ(host->err.outcome, SBX_OUTCOME_REFUSED);
    T_CONTAINS(host->err.detail, "cwd");
    T_STATUS(run_poll(host, "r"), SBX_OK);
    T_EQ(run_status.state, SBX_RUN_REFUSED);
    T_EQ(run_status.exit_code, -1);
    T_STATUS(run_submit(host, "r", "echo x >>@/count"), SBX_INVALID_ARGUMENT); /* for good */
    host->opt.cwd = NULL;
    shell_host_tools(host, "mkdir head wc mv base64 sleep tail rm");
    run_outside(host, "rm @/tools/tail");
    host->ask_find = host->ask_with = NULL;
    T_STATUS(run_submit(host, "t", "echo x >>@/count"), SBX_TOOL_MISSING);
    T_STR(host->err.detail, "tail");
    T_EQ(shell_host_count(host), 0);
}
static void what_cannot_start_is_refused_for_good(void) {
    shell_host_each(refused_on);
}

static void never_on(struct shell_host *host) {
    host->edit_find = "then setsid -f";
    host->edit_with = "then true";
    T_STATUS(run_submit(host, "r", "echo x >>@/count"), SBX_OK);
    host->edit_find = NULL;
    T_STATUS(run_poll(host, "r"), SBX_OK);
    T_EQ(run_status.state, SBX_RUN_REFUSED); /* its launcher died before there was a keeper */
    T_STATUS(run_submit(host, "r", "echo x >>@/count"), SBX_PROCESS_LOST);
    T_EQ(host->err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(shell_host_count(host), 0);
}
static void what_was_never_started_never_will_be(void) {
    shell_host_each(never_on);
}

static void env_on(struct shell_host *host) {
    const struct sbx_pair vars[] = {{"PATH", "/nowhere:/bin:/usr/bin"},
                                    {"d", "1"},
                                    {"line", "2"},
                                    {"born", "3"},
                                    {"group", "4"},
                                    {"code", "5"},
                                    {"era", "6"},
                                    {"stat", "7"},
                                    {"CANARY_VALUE", "canary-7f3a"},
                                    {"boot", "8\n"}};
    host->opt.env = vars;
    host->opt.env_count = sizeof(vars) / sizeof(vars[0]);
    ends(host, "r", "echo $PATH; printf %s \"$d$line$born$group$code$era$stat$boot${#CANARY_VALUE}\"", 0);
    logs_are(host, "r", "/nowhere:/bin:/usr/bin\n12345678\n11", 34, "", 0);
    T_TRUE(strstr(host->last_line, "canary-7f3a") == NULL);
    run_outside(host, "! grep -r canary-7f3a @/.sandport");
}
static void the_environment_is_the_callers_and_nowhere_written(void) {
    shell_host_each(env_on);
}

static void pieces_on(struct shell_host *host) {
    struct sbx_log *log = NULL;
    size_t len = 0;
    ends(host, "r", "printf 0123456789; printf abc >&2", 0);
    T_STATUS(run_read(host, "r", 4, SBX_LOG_NONE, 3, &log), SBX_OK);
    T_STR(sbx_log_bytes(log, SBX_STDOUT, &len), "456");
    T_EQ(sbx_log_from(log, SBX_STDOUT), 4);
    T_STR(sbx_log_bytes(log, SBX_STDERR, &len), "");
    sbx_log_free(log);
    T_STATUS(run_read(host, "r", SBX_LOG_TAIL, SBX_LOG_TAIL, 4, &log), SBX_OK);
    T_STR(sbx_log_bytes(log, SBX_STDOUT, &len), "6789");
    T_EQ(sbx_log_from(log, SBX_STDOUT), 6);
    T_STR(sbx_log_bytes(log, SBX_STDERR, &len), "abc");
    T_EQ(sbx_log_from(log, SBX_STDERR), 0);
    sbx_log_free(log);
    T_STATUS(run_read(host, "r", 10, 99, 4, &log), SBX_OK);
    T_STR(sbx_log_bytes(log, SBX_STDOUT, &len), "");
    sbx_log_free(log);
    shell_host_tools(host, "mkdir head tail wc mv od sleep setsid");
    ends(host, "hex", "printf 'a\\000\\377'", 0);
    logs_are(host, "hex", "a\0\xff", 3, "", 0);
}
static void output_is_read_in_pieces(void) {
    shell_host_each(pieces_on);
}

T_CASES(T_CASE(ends_with_the_commands_code_and_bytes), T_CASE(goes_on_when_the_request_has_ended),
        T_CASE(runs_once_for_its_id), T_CASE(an_id_belongs_to_its_command), T_CASE(gone_without_a_code_is_lost),
        T_CASE(a_command_without_keeper_runs_until_it_is_lost), T_CASE(a_restart_loses_what_ran_and_keeps_what_ended),
        T_CASE(a_kill_ends_the_children_too), T_CASE(a_lifetime_ends_it), T_CASE(what_cannot_start_is_refused_for_good),
        T_CASE(what_was_never_started_never_will_be), T_CASE(the_environment_is_the_callers_and_nowhere_written),
        T_CASE(output_is_read_in_pieces))
