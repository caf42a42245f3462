/* Exact exec on real shells: bytes, codes, limits, quoting, environment, tools. Rows P7, P11. */
#include "shell_host.h"
#include "t.h"

#include <sandport/kit/text.h>
#include <stdio.h>

#define MINE "$(dirname $(readlink /proc/$$/fd/1))" /* the directory of the command that asks */

static void runs(struct shell_host *host, const char *command, int exit_code, const char *out, size_t out_len) {
    size_t len = 0;
    T_STATUS(shell_host_exec(host, command), SBX_OK);
    T_EQ(host->err.outcome, SBX_OUTCOME_DONE);
    T_TRUE(sbx_exec_result_exit_known(host->result));
    T_EQ(sbx_exec_result_exit_code(host->result), exit_code);
    const char *got = sbx_exec_result_stdout(host->result, &len);
    T_MEM(got, len, out, out_len);
    T_TRUE(sbx_exec_result_bytes_exact(host->result));
    T_TRUE(!sbx_exec_result_streams_merged(host->result));
    T_EQ(host->requests, 1);
}

static void prints(struct shell_host *host, const char *command, const char *out) {
    runs(host, command, 0, out, strlen(out));
}

static void bytes_on(struct shell_host *host) {
    size_t len = 0;
    runs(host, "printf 'a\\000b\\377\\303('; printf 'e\\000\\200' >&2; exit 3", 3, "a\0b\xff\xc3(", 6);
    const char *err = sbx_exec_result_stderr(host->result, &len);
    T_MEM(err, len, "e\0\x80", 3);
    prints(host, "printf 'no newline'", "no newline");
    prints(host, ":", "");
    prints(host, "printf '\\n\\n'", "\n\n");
    prints(host, "printf 'sbx1 %s 9 0 0 b64 self\\n' 00112233445566778899aabbccddeeff",
           "sbx1 00112233445566778899aabbccddeeff 9 0 0 b64 self\n");
    prints(host, "echo out; echo one >&2; echo two >/dev/stderr", "out\n");
}
static void bytes_come_as_they_were(void) {
    shell_host_each(bytes_on);
}

static void codes_on(struct shell_host *host) {
    runs(host, "exit 0", 0, "", 0);
    runs(host, "exit 126", 126, "", 0);
    runs(host, "exit 255", 255, "", 0);
    runs(host, "set -e; false; echo not here", 1, "", 0);
    runs(host, "no-such-program-here 2>/dev/null", 127, "", 0);
    runs(host, "kill -KILL $$", 137, "", 0);
    T_EQ(sbx_exec_result_stderr_total(host->result), 0); /* no "Killed" of the shell around it */
    runs(host, "kill -TERM $$", 143, "", 0);
    runs(host, "kill -INT $$", 130, "", 0);
    runs(host, "trap 'echo got' INT; kill -INT $$; exit 4", 4, "got\n", 4); /* not ignored, as in a background job */
    runs(host, "kill -TERM 0; sleep 60", 143, "", 0);                       /* its group is its own */
    runs(host, "exec sh -c 'exit 9'", 9, "", 0);
}
static void codes_are_the_commands_own(void) {
    shell_host_each(codes_on);
}

static void limit_on(struct shell_host *host) {
    size_t len = 0;
    host->opt.output_bytes_max = 10;
    prints(host, "printf 0123456789", "0123456789");
    T_TRUE(!sbx_exec_result_truncated(host->result));
    prints(host, "printf 0123456789X; printf abcdefghijklm >&2", "0123456789");
    T_EQ(sbx_exec_result_stdout_total(host->result), 11);
    T_EQ(sbx_exec_result_stderr_total(host->result), 13);
    T_STR(sbx_exec_result_stderr(host->result, &len), "abcdefghij");
    T_TRUE(sbx_exec_result_truncated(host->result));
    host->opt.output_bytes_max = 70000;
    T_STATUS(shell_host_exec(host, "head -c 3000000 /dev/zero"), SBX_OK);
    T_EQ(sbx_exec_result_stdout_total(host->result), 3000000);
    sbx_exec_result_stdout(host->result, &len);
    T_EQ(len, 70000);
}
static void output_is_cut_at_the_limit_with_true_totals(void) {
    shell_host_each(limit_on);
}

static void quoting_on(struct shell_host *host) {
    prints(host, "printf '%s\\n' 'single' \"dou'ble\" `echo back` $(echo dollar) \\\\ '!x' \"\\$HOME\" a\\'b",
           "single\ndou'ble\nback\ndollar\n\\\n!x\n$HOME\na'b\n");
    prints(host, "\n\n# comment ' with \" quotes\necho one\n\necho two # '\n", "one\ntwo\n");
    prints(host, "cat <<'E'\n$x `y` \"z\" 'w'\nE", "$x `y` \"z\" 'w'\n");
}
static void any_text_is_a_command(void) {
    shell_host_each(quoting_on);
}

static void dash_on(struct shell_host *host) {
    T_STATUS(shell_host_exec(host, "-c"), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(host->result), 127);
    T_STATUS(shell_host_exec(host, "--version"), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(host->result), 127);
}
static void a_leading_dash_is_no_option(void) {
    shell_host_each(dash_on);
}

static void long_on(struct shell_host *host) {
    static char command[SBX_COMMAND_BYTES_MAX + 2];
    memset(command, '#', sizeof(command));
    memcpy(command, "printf long\n   ", 15);
    command[SBX_COMMAND_BYTES_MAX] = 0;
    prints(host, command, "long");
    command[SBX_COMMAND_BYTES_MAX] = '#';
    command[SBX_COMMAND_BYTES_MAX + 1] = 0;
    T_STATUS(shell_host_exec(host, command), SBX_INVALID_ARGUMENT);
    T_EQ(host->err.outcome, SBX_OUTCOME_NONE);
    T_EQ(host->requests, 0);
    host->opt.output_bytes_max = INT64_MAX;
    T_STATUS(shell_host_exec(host, "true"), SBX_INVALID_ARGUMENT);
    T_CONTAINS(host->err.detail, "output_bytes_max");
    T_EQ(host->requests, 0);
}
static void a_command_has_at_most_96_kib(void) {
    shell_host_each(long_on);
}

static void cwd_on(struct shell_host *host) {
    const struct sbx_pair cdpath = {"CDPATH", "/usr"};
    char odd[160], want[200];
    host->opt.cwd = "/";
    prints(host, "pwd", "/\n");
    T_STATUS(shell_host_exec(host, "cd @; mkdir -- \"-o'd\nd \\\"\""), SBX_OK);
    snprintf(odd, sizeof(odd), "%s/-o'd\nd \"", host->dir);
    snprintf(want, sizeof(want), "%s\n", odd);
    host->opt.cwd = odd;
    prints(host, "pwd", want);
    host->opt.cwd = "tests/../tests";
    host->opt.env = &cdpath; /* looks elsewhere first, and prints where */
    host->opt.env_count = 1;
    prints(host, "test -d support && echo here", "here\n");
    host->opt.cwd = "lib"; /* /usr/lib would do by CDPATH */
    T_STATUS(shell_host_exec(host, "echo x >>@/count"), SBX_INVALID_ARGUMENT);
    T_EQ(host->err.outcome, SBX_OUTCOME_REFUSED);
    T_CONTAINS(host->err.detail, "cwd");
    T_EQ(shell_host_count(host), 0);
    host->opt.cwd = "-"; /* is a name, not the directory before */
    T_STATUS(shell_host_exec(host, "echo x >>@/count"), SBX_INVALID_ARGUMENT);
    T_EQ(host->requests, 1);
    shell_host_replay(host, NULL);
    T_EQ(shell_host_count(host), 0);
}
static void a_cwd_is_any_name_and_must_be_there(void) {
    shell_host_each(cwd_on);
}

static void env_on(struct shell_host *host) {
    const struct sbx_pair vars[] = {{"PATH", "/nowhere:/bin:/usr/bin"},
                                    {"d", "1"},
                                    {"code", "2"},
                                    {"nonce", "3"},
                                    {"limit", "4"},
                                    {"out", "5"},
                                    {"err", "6"},
                                    {"stat", "7"},
                                    {"group", "8"},
                                    {"tool", "9"},
                                    {"old", "q'\n"},
                                    {"naps", "11"},
                                    {"IFS", "x"},
                                    {"CANARY", "c"}};
    host->opt.env = vars;
    host->opt.env_count = sizeof(vars) / sizeof(vars[0]);
    prints(host, "echo $PATH; printf '%s' \"$d$code$nonce$limit$out$err$stat$group$tool$old$naps\"",
           "/nowhere:/bin:/usr/bin\n123456789q'\n11");
    T_TRUE(strstr(host->last_line, "CANARY") == NULL);
    T_TRUE(strstr(host->last_line, "/nowhere") == NULL);
    prints(host, "env | grep -c ^CANARY=c$", "1\n");
    const struct sbx_pair none = {"PATH", "/nowhere"}; /* ours is not the caller's */
    host->opt.env = &none;
    host->opt.env_count = 1;
    host->outer[0] = 0;
    strcat(host->outer, "/bin/bash");
    T_STATUS(shell_host_exec(host, "cat /dev/null 2>/dev/null; echo $?"), SBX_OK);
    T_STR(sbx_exec_result_stdout(host->result, NULL), "127\n");
}
static void the_environment_is_the_callers(void) {
    shell_host_each(env_on);
}

static void outer_on(struct shell_host *host) {
    snprintf(host->outer, sizeof(host->outer), "dash");
    prints(host, "cat; echo \"it's\"; exec 0<&-", "it's\n"); /* and standard input is empty */
}
static void another_shell_may_read_the_line(void) {
    shell_host_each(outer_on);
}

static void background_on(struct shell_host *host) {
    char pid[32];
    prints(host, "sleep 600 & echo $! >@/pid; echo done", "done\n");
    T_STATUS(shell_host_exec(host, "kill -0 $(cat @/pid) && kill -KILL $(cat @/pid) && echo alive"), SBX_OK);
    snprintf(pid, sizeof(pid), "%s", sbx_exec_result_stdout(host->result, NULL));
    T_STR(pid, "alive\n");
}
static void a_child_left_behind_holds_nothing_up(void) {
    shell_host_each(background_on);
}

static void noise_on(struct shell_host *host) {
    host->before = "Welcome to the machine\nsbx1 0 0 0 b64 self\nno newline here";
    host->after = "\nlogout\nsbx1 ";
    prints(host, "echo clean", "clean\n");
}
static void noise_around_it_is_ignored(void) {
    shell_host_each(noise_on);
}

static void hex_on(struct shell_host *host) {
    shell_host_tools(host, "mkdir head wc mv od sleep setsid");
    runs(host, "printf 'a\\000\\377\\n%s' 0123456789abcdefghij; exit 5", 5, "a\0\xff\n0123456789abcdefghij", 24);
}
static void od_stands_in_for_base64(void) {
    shell_host_each(hex_on);
}

static void lacks(struct shell_host *host, const char *tools, const char *missing) {
    char command[160];
    snprintf(command, sizeof(command), "rm -rf %s/tools", host->dir);
    host->edit_find = host->ask_find = NULL;
    T_STATUS(shell_host_exec(host, command), SBX_OK);
    shell_host_tools(host, tools);
    T_STATUS(shell_host_exec(host, "echo x >>@/count"), SBX_TOOL_MISSING);
    T_EQ(host->err.outcome, SBX_OUTCOME_REFUSED);
    T_CONTAINS(host->err.detail, missing);
    T_EQ(host->requests, 1);
    T_EQ(shell_host_count(host), 0);
}
static void lacks_on(struct shell_host *host) {
    lacks(host, "head wc mv base64", "mkdir:");
    lacks(host, "mkdir wc mv base64", "head:");
    lacks(host, "mkdir head mv base64", "wc:");
    lacks(host, "mkdir head wc base64", "mv:");
    lacks(host, "mkdir head wc mv", "base64:");
}
static void a_missing_tool_is_named_and_nothing_runs(void) {
    shell_host_each(lacks_on);
}

static void room_on(struct shell_host *host) {
    host->edit_find = "/tmp/.sbx-";
    host->edit_with = "/proc/none/.sbx-";
    T_STATUS(shell_host_exec(host, "echo x >>@/count"), SBX_NO_SPACE);
    T_EQ(host->err.outcome, SBX_OUTCOME_REFUSED);
    host->edit_find = "exec 2>/dev/null\n"; /* a disk that takes names but no bytes */
    host->edit_with = "exec 2>/dev/null\ntrap \"\" XFSZ\nulimit -f 0\nsleep() { true; }\n";
    T_STATUS(shell_host_exec(host, "echo x >>@/count"), SBX_NO_SPACE);
    T_EQ(host->err.outcome, SBX_OUTCOME_REFUSED);
    shell_host_replay(host, NULL);
    T_EQ(shell_host_count(host), 0);
}
static void without_room_nothing_runs(void) {
    shell_host_each(room_on);
}

static void cleans_on(struct shell_host *host) {
    T_STATUS(shell_host_exec(host, "echo gone; rm -rf " MINE "; exit 6"), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(host->result), 6);
    T_TRUE(!sbx_exec_result_bytes_exact(host->result)); /* the code is known, the bytes went */
    T_STATUS(shell_host_exec(host, "echo gone; find " MINE " -type f -delete; exit 7"), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(host->result), 7);
    T_TRUE(!sbx_exec_result_bytes_exact(host->result));
    T_TRUE(shell_host_has(host, ""));
}
static void a_command_that_empties_tmp_loses_its_bytes_only(void) {
    shell_host_each(cleans_on);
}

static void mode_on(struct shell_host *host) {
    T_STATUS(shell_host_exec(host, "stat -c %a " MINE), SBX_OK);
    T_STR(sbx_exec_result_stdout(host->result, NULL), "700\n");
}
static void the_directory_is_private(void) {
    shell_host_each(mode_on);
}

T_CASES(T_CASE(bytes_come_as_they_were), T_CASE(codes_are_the_commands_own),
        T_CASE(output_is_cut_at_the_limit_with_true_totals), T_CASE(any_text_is_a_command),
        T_CASE(a_leading_dash_is_no_option), T_CASE(a_command_has_at_most_96_kib),
        T_CASE(a_cwd_is_any_name_and_must_be_there), T_CASE(the_environment_is_the_callers),
        T_CASE(another_shell_may_read_the_line), T_CASE(a_child_left_behind_holds_nothing_up),
        T_CASE(noise_around_it_is_ignored), T_CASE(od_stands_in_for_base64),
        T_CASE(a_missing_tool_is_named_and_nothing_runs), T_CASE(without_room_nothing_runs),
        T_CASE(a_command_that_empties_tmp_loses_its_bytes_only), T_CASE(the_directory_is_private))
