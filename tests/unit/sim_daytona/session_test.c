/* Sessions of the simulated Daytona: shells that live on, commands one after the other, exit codes and their loss. */
#include "ask.h"

#include <stdio.h>

#define SESSION "/toolbox/%s/process/session"

static void box(struct ask *a) {
    ask_init(a, NULL);
    ask_create_started(a, NULL);
    ask_header(a, "X-Daytona-SDK-Version", "0.205.1");
    T_EQ(ask(a, "POST", SESSION, "{\"sessionId\":\"s\"}"), 201);
    T_EQ(a->body.len, 0);
}

static int exec(struct ask *a, const char *command, const char *more) {
    char body[1024];
    snprintf(body, sizeof(body), "{\"command\":\"%s\"%s}", command, more);
    return ask(a, "POST", SESSION "/s/exec", body);
}

static void ran(struct ask *a, const char *command, int64_t code, const char *out) {
    T_EQ(exec(a, command, ""), 200);
    T_STR(ask_text(a, "stdout"), out);
    T_EQ(ask_int(a, "exitCode"), code);
}

/* @return its path, good until the next call */
static const char *submit(struct ask *a, const char *command, const char *more) {
    static char path[256];
    char all[64];
    snprintf(all, sizeof(all), ",\"runAsync\":true%s", more);
    T_EQ(exec(a, command, all), 202);
    snprintf(path, sizeof(path), "/toolbox/%%s/process/session/s/command/%s", ask_text(a, "cmdId"));
    return path;
}

static int below(struct ask *a, const char *method, const char *path, const char *last, const char *body) {
    char full[300];
    snprintf(full, sizeof(full), "%s%s", path, last);
    return ask(a, method, full, body);
}

static void day8_28_made_once_and_never_under_a_name_that_is_none(void) {
    struct ask a;
    char body[600], longest[400];
    box(&a);
    T_EQ(ask(&a, "POST", SESSION, "{\"sessionId\":\"s\"}"), 409);
    T_STR(ask_text(&a, "message"), "conflict: session already exists");
    const char *const none[] = {"", "entrypoint", "a/b", "/", "..", "."};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        snprintf(body, sizeof(body), "{\"sessionId\":\"%s\"}", none[i]);
        if (ask(&a, "POST", SESSION, body) != 400) T_FAIL("'%s': %d", none[i], a.status);
        T_STR(ask_text(&a, "code"), "BAD_REQUEST");
    }
    memset(longest, 'x', sizeof(longest));
    longest[256] = 0;
    snprintf(body, sizeof(body), "{\"sessionId\":\"%s\"}", longest);
    T_EQ(ask(&a, "POST", SESSION, body), 400);
    T_EQ(ask(&a, "POST", SESSION, "{\"sessionId\":\"\xff\"}"), 400);
    T_EQ(ask(&a, "POST", SESSION, "{\"sessionId\":7}"), 400);
    T_EQ(ask(&a, "POST", SESSION, "{}"), 400);
    T_EQ(ask(&a, "POST", SESSION, "nonsense"), 400);
    T_EQ(ask(&a, "GET", SESSION "/a%2Fb", NULL), 404);
    ask_finish(&a);
}

static void a_name_may_have_quotes_and_line_ends(void) {
    struct ask a;
    box(&a);
    T_EQ(ask(&a, "POST", SESSION, "{\"sessionId\":\"a'b\\\"\\n$(c) d\"}"), 201);
    T_EQ(ask(&a, "POST", SESSION "/a'b%22%0A$(c)%20d/exec", "{\"command\":\"echo here\"}"), 200);
    T_STR(ask_text(&a, "stdout"), "here\n");
    T_EQ(ask(&a, "DELETE", SESSION "/a'b%22%0A$(c)%20d", NULL), 204);
    ask_finish(&a);
}

static void the_shell_keeps_what_commands_change(void) {
    struct ask a;
    box(&a);
    ran(&a, "pwd", 0, "/home/daytona\n");
    ran(&a, "cd /tmp; export A=1; f() { echo f $A; }", 0, "");
    ran(&a, "pwd; f; sh -c 'echo $A'", 0, "/tmp\nf 1\n1\n");
    ran(&a, "false", 1, "");
    ran(&a, "(exit 200)", 200, "");
    ran(&a, "cat; echo end", 0, "end\n"); /* its standard input is at its end */
    ran(&a, "nosuchprogram 2>/dev/null", 127, "");
    ask_finish(&a);
}

static void the_sandboxs_environment_is_the_shells(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create_started(&a, "{\"env\":{\"A\":\"b c\"}}");
    ask_header(&a, "X-Daytona-SDK-Version", "0.205.1");
    T_EQ(ask(&a, "POST", SESSION, "{\"sessionId\":\"s\"}"), 201);
    ran(&a, "echo \\\"$A\\\"", 0, "b c\n");
    ask_finish(&a);
}

static void streams_are_told_apart_line_by_line(void) {
    struct ask a;
    box(&a);
    T_EQ(exec(&a, "echo out; echo err >&2; printf last", ""), 200);
    T_STR(ask_text(&a, "output"), "\001\001\001out\n\002\002\002err\n\001\001\001last\n");
    T_STR(ask_text(&a, "stdout"), "out\nlast\n");
    T_STR(ask_text(&a, "stderr"), "err\n");
    ran(&a, "printf 'a\\\\000b\\\\377c'", 0,
        "ab\xef\xbf\xbd"
        "c\n");
    ask_finish(&a);
}

static void shapes_by_the_clients_version(void) {
    static const struct {
        const char *name, *value, *output, *logs;
        int streams;
    } clients[] = {
        {"X-Daytona-SDK-Version", "0.205.1", "\001\001\001o\n\002\002\002e\n", NULL, 1},
        {"X-Daytona-SDK-Version", "0.167.0", "\001\001\001o\n\002\002\002e\n", NULL, 1},
        {"X-Daytona-SDK-Version", "0.0.0-dev", "\001\001\001o\n\002\002\002e\n", NULL, 1},
        {"X-Daytona-SDK-Version", "0.166.9", "\001\001\001o\n\002\002\002e\n", "\001\001\001o\n\002\002\002e\n", 0},
        {"X-Daytona-SDK-Version", "0.27.0", "\001\001\001o\n\002\002\002e\n", "\001\001\001o\n\002\002\002e\n", 0},
        {"X-Daytona-SDK-Version", "0.26.9", "o\ne\n", "o\ne\n", 0},
        {"X-Daytona-Split-Output", "true", "\001\001\001o\n\002\002\002e\n", "\001\001\001o\n\002\002\002e\n", 0},
        {"X-Daytona-Nothing", "", "o\ne\n", "o\ne\n", 0},
    };
    struct ask a;
    box(&a);
    for (size_t i = 0; i < sizeof(clients) / sizeof(clients[0]); i++) {
        char path[256];
        a.more_count = 0;
        ask_header(&a, clients[i].name, clients[i].value);
        T_EQ(exec(&a, "echo o; echo e >&2", ""), 200);
        T_STR(ask_text(&a, "output"), clients[i].output);
        T_STR(ask_text(&a, "stdout"), clients[i].streams ? "o\n" : "");
        if (!clients[i].streams) T_CONTAINS(sbx_buf_text(&a.body), "\"stdout\":null,\"stderr\":null,\"exitCode\":0");
        snprintf(path, sizeof(path), "/toolbox/%%s/process/session/s/command/%s/logs", ask_text(&a, "cmdId"));
        T_EQ(ask(&a, "GET", path, NULL), 200);
        if (clients[i].streams) {
            T_CONTAINS(sbx_buf_text(&a.headers), "Content-Type: application/json");
            T_STR(ask_text(&a, "stderr"), "e\n");
            T_STR(ask_text(&a, "output"), clients[i].output);
        } else {
            T_CONTAINS(sbx_buf_text(&a.headers), "Content-Type: text/plain");
            T_STR(sbx_buf_text(&a.body), clients[i].logs);
        }
    }
    ask_finish(&a);
}

static void day8_22_an_async_command_has_no_exit_code_until_it_is_over(void) {
    struct ask a;
    box(&a);
    const char *cmd = submit(&a, "echo begun; sleep 3; echo done; (exit 4)", "");
    T_CONTAINS(sbx_buf_text(&a.body), "\"output\":null,\"stdout\":null,\"stderr\":null,\"exitCode\":null");
    ask_pass_ms(&a, 1000);
    T_EQ(ask(&a, "GET", cmd, NULL), 200);
    T_STR(ask_text(&a, "command"), "echo begun; sleep 3; echo done; (exit 4)");
    T_TRUE(strstr(sbx_buf_text(&a.body), "exitCode") == NULL);
    T_EQ(below(&a, "GET", cmd, "/logs", NULL), 200);
    T_STR(ask_text(&a, "stdout"), "begun\n");
    ask_pass_ms(&a, 3000);
    T_EQ(ask(&a, "GET", cmd, NULL), 200);
    T_EQ(ask_int(&a, "exitCode"), 4);
    T_EQ(below(&a, "GET", cmd, "/logs", NULL), 200);
    T_STR(ask_text(&a, "stdout"), "begun\ndone\n");
    ask_finish(&a);
}

static void commands_run_one_after_the_other(void) {
    struct ask a;
    box(&a);
    submit(&a, "sleep 5; x=first", "");
    const int64_t before_ms = ask_now_ms(&a);
    ran(&a, "echo $x", 0, "first\n");
    T_EQ((ask_now_ms(&a) - before_ms) / 100, 50);
    T_EQ(ask(&a, "GET", SESSION "/s", NULL), 200);
    T_STR(ask_text(&a, "sessionId"), "s");
    T_EQ(sbx_json_count(sbx_json_member(sbx_json_root(a.js), "commands")), 2);
    T_EQ(ask(&a, "GET", SESSION, NULL), 200);
    T_EQ(sbx_json_count(sbx_json_root(a.js)), 1);
    ask_finish(&a);
}

/* The shell ends with the command: there is no exit code, and nothing more is run. */
static void lost_by(const char *command) {
    struct ask a;
    box(&a);
    const char *cmd = submit(&a, command, "");
    ask_pass_ms(&a, 60000);
    T_EQ(ask(&a, "GET", cmd, NULL), 200);
    T_TRUE(strstr(sbx_buf_text(&a.body), "exitCode") == NULL);
    T_EQ(below(&a, "GET", cmd, "/logs", NULL), 200);
    T_STR(ask_text(&a, "stdout"), "said\n");
    T_EQ(below(&a, "POST", cmd, "/input", "{\"data\":\"x\"}"), 410);
    T_STR(ask_text(&a, "message"), "gone: session process has exited");
    T_EQ(exec(&a, "true", ""), 500);
    T_STR(ask_text(&a, "message"), "failed to execute command: failed to write command: write |1: broken pipe");
    T_STR(ask_text(&a, "timestamp"), "0001-01-01T00:00:00Z");
    T_EQ(ask_execute(&a, "{\"command\":\"echo still here\"}"), 200);
    ask_finish(&a);
}
static void day8_21_exit_ends_the_shell(void) {
    lost_by("printf said; exit 3");
}
static void set_e_ends_the_shell(void) {
    lost_by("set -e; echo said; false; echo not said");
}

static void day8_21_a_synchronous_exit_never_answers(void) {
    struct ask a;
    box(&a);
    a.deadline_ms = 800000; /* later the sandbox is stopped for want of use */
    T_EQ(exec(&a, "exit 3", ""), 0);
    T_EQ(a.evidence, SBX_EVIDENCE_DEADLINE);
    ask_finish(&a);
}

static void day8_19_a_background_child_delays_the_exit_code(void) {
    struct ask a;
    box(&a);
    const int64_t before_ms = ask_now_ms(&a);
    ran(&a, "sleep 100 & echo done", 0, "done\n");
    T_EQ((ask_now_ms(&a) - before_ms) / 1000, 100);
    ran(&a, "sleep 100 >/dev/null 2>&1 & echo at once", 0, "at once\n");
    T_EQ((ask_now_ms(&a) - before_ms) / 1000, 100);
    ask_finish(&a);
}

static void input_goes_to_the_command_and_is_shown(void) {
    struct ask a;
    box(&a);
    const char *cmd = submit(&a, "read a; read b; echo got $a $b", "");
    T_EQ(below(&a, "POST", cmd, "/input", "{\"data\":\"one\"}"), 204);
    T_EQ(below(&a, "POST", cmd, "/input", "{\"data\":\"two\\n\"}"), 204);
    ask_pass_ms(&a, 10);
    T_EQ(below(&a, "GET", cmd, "/logs", NULL), 200);
    T_STR(ask_text(&a, "stdout"), "one\ntwo\ngot one two\n");
    cmd = submit(&a, "read a; echo got $a", ",\"suppressInputEcho\":true");
    T_EQ(below(&a, "POST", cmd, "/input", "{\"data\":\"quiet\"}"), 204);
    ask_pass_ms(&a, 10);
    T_EQ(below(&a, "GET", cmd, "/logs", NULL), 200);
    T_STR(ask_text(&a, "stdout"), "got quiet\n");
    ask_finish(&a);
}

static void day8_27_input_for_what_is_over(void) {
    struct ask a;
    box(&a);
    const char *cmd = submit(&a, "(exit 3)", "");
    ask_pass_ms(&a, 100);
    T_EQ(below(&a, "POST", cmd, "/input", "{\"data\":\"x\"}"), 500); /* nobody has noticed yet */
    T_EQ(ask(&a, "GET", cmd, NULL), 200);
    T_EQ(below(&a, "POST", cmd, "/input", "{\"data\":\"x\"}"), 410);
    T_STR(ask_text(&a, "message"), "gone: command has already completed with exit code 3");
    T_EQ(below(&a, "POST", cmd, "/input", "{\"data\":1}"), 400);
    T_EQ(below(&a, "POST", cmd, "/input", "{}"), 400);
    T_EQ(ask(&a, "POST", SESSION "/s/command/nobody/input", "{\"data\":\"x\"}"), 404);
    T_STR(ask_text(&a, "message"), "not found: command not found");
    ask_finish(&a);
}

static void delete_ends_children_and_removes_files(void) {
    struct ask a;
    box(&a);
    submit(&a, "(trap '' TERM; while :; do sleep 1; done) & setsid sh -c 'sleep 20; echo late >/tmp/late' &", "");
    ask_pass_ms(&a, 1000);
    const int64_t before_ms = ask_now_ms(&a);
    T_EQ(ask(&a, "DELETE", SESSION "/s", NULL), 204);
    T_EQ((ask_now_ms(&a) - before_ms) / 1000, 5);
    T_EQ(ask(&a, "GET", SESSION "/s", NULL), 404);
    T_STR(ask_text(&a, "message"), "not found: session not found");
    T_EQ(ask(&a, "DELETE", SESSION "/s", NULL), 404);
    ask_pass_ms(&a, 60000);
    T_EQ(ask_execute(&a, "{\"command\":\"test -e /tmp/late || ls ~/.daytona/sessions | wc -l\"}"), 200);
    T_STR(ask_text(&a, "result"), "0\n");
    T_EQ(ask(&a, "POST", SESSION, "{\"sessionId\":\"s\"}"), 201); /* the name is free */
    ask_finish(&a);
}

/** Two callers at one simulation. */
struct pair {
    struct ask a, b;
};

static void waits_for_the_command(void *arg) {
    struct pair *pair = arg;
    exec(&pair->a, "sleep 1000", "");
}

static void deletes_the_session(void *arg) {
    struct pair *pair = arg;
    T_EQ(ask(&pair->b, "DELETE", SESSION "/s", NULL), 204);
}

static void who_waits_for_a_command_hears_of_the_delete(void) {
    struct pair pair = {0};
    box(&pair.a);
    pair.b.sim = pair.a.sim;
    pair.b.key = pair.a.key;
    T_TRUE(sbx_copy(pair.b.id, sizeof(pair.b.id), pair.a.id));
    T_STATUS(sbx_sim_spawn(pair.a.sim, waits_for_the_command, &pair), SBX_OK);
    ask_pass_ms(&pair.a, 1000);
    T_STATUS(sbx_sim_spawn(pair.a.sim, deletes_the_session, &pair), SBX_OK);
    T_STATUS(sbx_sim_run(pair.a.sim), SBX_OK);
    T_EQ(pair.a.status, 500);
    T_STR(ask_text(&pair.a, "message"), "failed to execute command: session cancelled");
    pair.b.sim = NULL;
    ask_finish(&pair.b);
    ask_finish(&pair.a);
}

static void a_graceful_shell_is_deleted_at_once(void) {
    struct ask a;
    box(&a);
    submit(&a, "sleep 1000", "");
    const int64_t before_ms = ask_now_ms(&a);
    T_EQ(ask(&a, "DELETE", SESSION "/s", NULL), 204);
    T_TRUE(ask_now_ms(&a) - before_ms < 200);
    ask_finish(&a);
}

static void who_is_not_there_is_not_found(void) {
    struct ask a;
    box(&a);
    T_EQ(ask(&a, "POST", SESSION "/nobody/exec", "{\"command\":\"true\"}"), 500);
    T_STR(ask_text(&a, "message"), "failed to execute command: not found: session not found");
    T_EQ(ask(&a, "GET", SESSION "/nobody/command/x", NULL), 404);
    T_EQ(ask(&a, "GET", SESSION "/s/command/x", NULL), 404);
    T_STR(ask_text(&a, "message"), "not found: command not found");
    T_EQ(ask(&a, "GET", SESSION "/s/command/x/logs", NULL), 404);
    T_EQ(exec(&a, " \\n", ""), 400);
    T_EQ(a.body.len, 0);
    T_EQ(exec(&a, "true", ",\"runAsync\":\"yes\""), 400);
    ask_finish(&a);
    ask_init(&a, "{\"dialect\":\"coded\"}");
    ask_create_started(&a, NULL);
    T_EQ(ask(&a, "POST", SESSION "/nobody/exec", "{\"command\":\"true\"}"), 404);
    T_STR(ask_text(&a, "message"), "session not found");
    T_EQ(ask(&a, "POST", SESSION, "{\"sessionId\":\"s\"}"), 201);
    const char *cmd = submit(&a, "exit 1", "");
    ask_pass_ms(&a, 100);
    T_EQ(below(&a, "POST", cmd, "/input", "{\"data\":\"x\"}"), 410);
    T_STR(ask_text(&a, "code"), "SESSION_ENDED");
    T_EQ(exec(&a, "true", ""), 410);
    T_STR(ask_text(&a, "code"), "SESSION_ENDED");
    ask_finish(&a);
}

static void the_entrypoint_is_there_and_takes_nothing(void) {
    struct ask a;
    box(&a);
    T_EQ(ask(&a, "GET", SESSION "/entrypoint", NULL), 200);
    T_STR(ask_text(&a, "sessionId"), "entrypoint");
    T_EQ(ask(&a, "GET", SESSION "/entrypoint/logs", NULL), 200);
    T_STR(ask_text(&a, "output"), "");
    T_EQ(ask(&a, "POST", SESSION "/entrypoint/exec", "{\"command\":\"true\"}"), 400);
    T_EQ(ask(&a, "DELETE", SESSION "/entrypoint", NULL), 400);
    T_EQ(ask(&a, "GET", SESSION, NULL), 200);
    T_EQ(sbx_json_count(sbx_json_root(a.js)), 1);
    ask_finish(&a);
}

static void day8_25_a_stop_loses_sessions_and_keeps_files(void) {
    struct ask a;
    box(&a);
    submit(&a, "echo kept > /tmp/f; sleep 100", "");
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/stop", NULL), 200);
    ask_pass_ms(&a, 1000);
    T_EQ(ask(&a, "GET", SESSION "/s", NULL), 400);
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/start", NULL), 200);
    T_EQ(ask(&a, "GET", SESSION "/s", NULL), 404);
    T_EQ(ask_execute(&a, "{\"command\":\"cat /tmp/f\"}"), 200);
    T_STR(ask_text(&a, "result"), "kept\n");
    ask_finish(&a);
}

static void a_daemon_that_comes_back_knows_no_sessions(void) {
    const struct sbx_fault dead = {.op = "daytona.sandbox.get",
                                   .phase = "before",
                                   .times = 1,
                                   .effect = {.kind = "dead_toolbox", .delay_ms = 5000}};
    struct ask a;
    box(&a);
    ask_fault(&a, &dead);
    T_STR(ask_state(&a), "started");
    T_EQ(ask(&a, "GET", SESSION "/s", NULL), 502);
    ask_pass_ms(&a, 6000);
    T_EQ(ask(&a, "GET", SESSION "/s", NULL), 404);
    T_EQ(ask(&a, "POST", SESSION, "{\"sessionId\":\"s\"}"), 201);
    T_EQ(ask(&a, "GET", SESSION "/s", NULL), 200);
    ask_finish(&a);
}

static void a_killed_shell_leaves_a_session_that_takes_nothing(void) {
    const struct sbx_fault lost = {
        .op = "daytona.toolbox.session.get", .phase = "before", .times = 1, .effect = {.kind = "lost_process"}};
    struct ask a;
    box(&a);
    const char *cmd = submit(&a, "sleep 100", "");
    ask_fault(&a, &lost);
    T_EQ(ask(&a, "GET", SESSION "/s", NULL), 200);
    T_EQ(ask(&a, "GET", cmd, NULL), 200);
    T_TRUE(strstr(sbx_buf_text(&a.body), "exitCode") == NULL);
    T_EQ(exec(&a, "true", ""), 500);
    ask_finish(&a);
}

static void an_exit_code_may_be_lost_and_logs_be_empty(void) {
    const struct sbx_fault lost = {
        .op = "daytona.toolbox.session.exec", .phase = "before", .times = 1, .effect = {.kind = "exit_code_lost"}};
    const struct sbx_fault empty = {
        .op = "daytona.toolbox.session.logs", .phase = "before", .times = 1, .effect = {.kind = "logs_empty"}};
    struct ask a;
    box(&a);
    ask_fault(&a, &lost);
    ask_fault(&a, &empty);
    const char *cmd = submit(&a, "echo said", "");
    ask_pass_ms(&a, 1000);
    T_EQ(ask(&a, "GET", cmd, NULL), 200);
    T_TRUE(strstr(sbx_buf_text(&a.body), "exitCode") == NULL);
    T_EQ(below(&a, "GET", cmd, "/logs", NULL), 200);
    T_STR(ask_text(&a, "output"), "");
    T_EQ(below(&a, "GET", cmd, "/logs", NULL), 200);
    T_STR(ask_text(&a, "stdout"), "said\n");
    ran(&a, "echo next", 0, "next\n");
    ask_finish(&a);
}

/* F050: a record whose exit code is null, or is no number, though the command is over. */
static void f050_exit_codes_that_are_none(void) {
    static const char *const values[] = {"null", "\"0\"", NULL};
    struct ask a;
    box(&a);
    const char *cmd = submit(&a, "true", "");
    ask_pass_ms(&a, 100);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        const struct sbx_fault fault = {.op = "daytona.toolbox.session.command",
                                        .phase = "before",
                                        .times = 1,
                                        .effect = {.kind = "mutate", .path = "$.exitCode", .value = values[i]}};
        ask_fault(&a, &fault);
        T_EQ(ask(&a, "GET", cmd, NULL), 200);
        const struct sbx_json_node *code = sbx_json_member(sbx_json_root(a.js), "exitCode");
        T_EQ(code == NULL, values[i] == NULL);
        if (code) T_TRUE(sbx_json_type(code) != SBX_JSON_NUMBER);
    }
    T_EQ(ask(&a, "GET", cmd, NULL), 200);
    T_EQ(ask_int(&a, "exitCode"), 0);
    ask_finish(&a);
}

/* F064: whatever bytes a command says, the answer is JSON; what is no UTF-8 is lost, and NULs are. */
static void f064_every_byte_value(void) {
    struct ask a;
    box(&a);
    T_EQ(exec(&a,
              "i=0; while [ $i -lt 256 ]; do printf \\\\\\\\$(printf %o $i); i=$((i+1)); done; printf "
              "'\\\\355\\\\240\\\\200'",
              ""),
         200);
    T_TRUE(a.js != NULL);
    const char *out = ask_text(&a, "stdout");
    T_EQ(strncmp(out, "\001\002\003\004", 4), 0);
    T_CONTAINS(out, "xyz{|}~\x7f\xef\xbf\xbd");
    T_TRUE(sbx_utf8_valid(out, strlen(out)) == strlen(out));
    ask_finish(&a);
}

static void a_replayed_exec_runs_twice(void) {
    const struct sbx_fault replay = {
        .op = "daytona.toolbox.session.exec", .phase = "before", .times = 1, .effect = {.kind = "replay"}};
    struct ask a;
    box(&a);
    ask_fault(&a, &replay);
    ran(&a, "echo x >>/tmp/runs", 0, "");
    ran(&a, "cat /tmp/runs", 0, "x\nx\n");
    ask_finish(&a);
}

static void a_syntax_error_is_the_commands_own(void) {
    struct ask a;
    box(&a);
    T_EQ(exec(&a, "if true; then (", ""), 200);
    T_TRUE(ask_int(&a, "exitCode") > 0);
    T_TRUE(strlen(ask_text(&a, "stderr")) > 3);
    ran(&a, "echo alive", 0, "alive\n");
    ask_finish(&a);
}

static void two_megabytes_come_whole(void) {
    struct ask a;
    box(&a);
    T_EQ(exec(&a, "i=0; while [ $i -lt 2 ]; do head -c 1048575 /dev/zero | tr '\\\\0' x; echo; i=$((i+1)); done", ""),
         200);
    T_EQ(strlen(ask_text(&a, "stdout")), 2097152);
    ask_finish(&a);
}

static void day8_45_a_session_of_another_sandbox_is_not_found(void) {
    struct ask a;
    box(&a);
    ask_create_started(&a, NULL);
    T_EQ(ask(&a, "GET", SESSION "/s", NULL), 404);
    T_EQ(ask(&a, "GET", SESSION "/s/command/x/logs?follow=true", NULL), 404);
    ask_finish(&a);
}

T_CASES(T_CASE(day8_28_made_once_and_never_under_a_name_that_is_none), T_CASE(a_name_may_have_quotes_and_line_ends),
        T_CASE(the_shell_keeps_what_commands_change), T_CASE(the_sandboxs_environment_is_the_shells),
        T_CASE(streams_are_told_apart_line_by_line), T_CASE(shapes_by_the_clients_version),
        T_CASE(day8_22_an_async_command_has_no_exit_code_until_it_is_over), T_CASE(commands_run_one_after_the_other),
        T_CASE(day8_21_exit_ends_the_shell), T_CASE(set_e_ends_the_shell),
        T_CASE(day8_21_a_synchronous_exit_never_answers), T_CASE(day8_19_a_background_child_delays_the_exit_code),
        T_CASE(input_goes_to_the_command_and_is_shown), T_CASE(day8_27_input_for_what_is_over),
        T_CASE(delete_ends_children_and_removes_files), T_CASE(who_waits_for_a_command_hears_of_the_delete),
        T_CASE(a_graceful_shell_is_deleted_at_once), T_CASE(who_is_not_there_is_not_found),
        T_CASE(the_entrypoint_is_there_and_takes_nothing), T_CASE(day8_25_a_stop_loses_sessions_and_keeps_files),
        T_CASE(a_daemon_that_comes_back_knows_no_sessions), T_CASE(a_killed_shell_leaves_a_session_that_takes_nothing),
        T_CASE(an_exit_code_may_be_lost_and_logs_be_empty), T_CASE(f050_exit_codes_that_are_none),
        T_CASE(f064_every_byte_value), T_CASE(a_replayed_exec_runs_twice), T_CASE(a_syntax_error_is_the_commands_own),
        T_CASE(two_megabytes_come_whole), T_CASE(day8_45_a_session_of_another_sandbox_is_not_found))
