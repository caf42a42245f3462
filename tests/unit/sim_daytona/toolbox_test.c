/* The toolbox of the simulated Daytona: execute, directories, files, and who answers when it is not there. */
#include "ask.h"

static void box(struct ask *a) {
    ask_init(a, NULL);
    ask_create_started(a, NULL);
}

static void ran(struct ask *a, const char *body, int64_t code, const char *result) {
    T_EQ(ask_execute(a, body), 200);
    T_EQ(ask_int(a, "exitCode"), code);
    T_STR(ask_text(a, "result"), result);
}

static void execute_answers_code_and_merged_output(void) {
    struct ask a;
    box(&a);
    ran(&a, "{\"command\":\"echo hello\"}", 0, "hello\n");
    ran(&a, "{\"command\":\"echo out; echo err >&2; exit 3\"}", 3, "out\nerr\n");
    ran(&a, "{\"command\":\"echo $A; pwd\",\"cwd\":\"/tmp\",\"envs\":{\"A\":\"b c\"},\"timeout\":10}", 0,
        "b c\n/tmp\n");
    ran(&a, "{\"command\":\"pwd\"}", 0, "/home/daytona\n");
    ran(&a, "{\"command\":\"nosuchprogram 2>/dev/null\"}", 127, "");
    ask_finish(&a);
}

static void execute_has_the_sandboxs_environment_and_its_own_over_it(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create_started(&a, "{\"env\":{\"A\":\"sandbox\",\"B\":\"kept\"}}");
    ran(&a, "{\"command\":\"echo $A $B\"}", 0, "sandbox kept\n");
    ran(&a, "{\"command\":\"echo $A $B\",\"envs\":{\"A\":\"request\"}}", 0, "request kept\n");
    ran(&a, "{\"command\":\"echo $A $B\"}", 0, "sandbox kept\n");
    ask_finish(&a);
}

/* The command is the shell's standard input: who reads it eats the rest of the script. */
static void the_command_is_the_shells_standard_input(void) {
    struct ask a;
    box(&a);
    ran(&a, "{\"command\":\"cat\\necho not run\"}", 0, "echo not run");
    ask_finish(&a);
}

static void day8_18_bytes_that_are_no_text_are_lost(void) {
    struct ask a;
    box(&a);
    ran(&a, "{\"command\":\"printf 'a\\\\377b'\"}", 0,
        "a\xef\xbf\xbd"
        "b");
    ask_finish(&a);
}

static void a_bad_cwd_is_minus_one(void) {
    struct ask a;
    box(&a);
    ran(&a, "{\"command\":\"true\",\"cwd\":\"/nowhere\"}", -1, "chdir /nowhere: no such file or directory");
    ask_finish(&a);
}

static void a_signal_is_minus_one(void) {
    struct ask a;
    box(&a);
    ran(&a, "{\"command\":\"kill -9 $$\"}", -1, "");
    ask_finish(&a);
}

static void execute_refuses_what_is_no_request(void) {
    struct ask a;
    box(&a);
    T_EQ(ask_execute(&a, "{\"command\":\" \\n\"}"), 400);
    T_STR(ask_text(&a, "message"), "bad request: command cannot be empty or whitespace-only");
    T_EQ(ask_execute(&a, "{\"command\":\"true\",\"envs\":{\"A-B\":\"\"}}"), 400);
    T_STR(ask_text(&a, "message"), "bad request: invalid environment variable name: 'A-B'");
    T_EQ(ask_execute(&a, "{\"command\":1}"), 400);
    T_STR(ask_text(&a, "code"), "INVALID_REQUEST_BODY");
    T_EQ(ask_execute(&a, "nonsense"), 400);
    ask_finish(&a);
}

static void a_timeout_is_408_and_kills_the_group(void) {
    struct ask a;
    box(&a);
    const int64_t before_ms = ask_now_ms(&a);
    T_EQ(ask_execute(&a, "{\"command\":\"sleep 30; echo late > /tmp/late\",\"timeout\":2}"), 408);
    T_STR(ask_text(&a, "message"), "request timeout: command execution timeout");
    T_STR(ask_text(&a, "code"), "REQUEST_TIMEOUT");
    T_EQ((ask_now_ms(&a) - before_ms) / 100, 20);
    ask_pass_ms(&a, 60000);
    ran(&a, "{\"command\":\"test -e /tmp/late\"}", 1, "");
    ask_finish(&a);
}

static void day8_19_a_background_child_holds_the_answer(void) {
    struct ask a;
    box(&a);
    const int64_t before_ms = ask_now_ms(&a);
    ran(&a, "{\"command\":\"sleep 100 & echo done\"}", 0, "done\n");
    T_EQ((ask_now_ms(&a) - before_ms) / 100, 1000);
    ask_finish(&a);
}

static void replay(int chunked, const char *want) {
    const struct sbx_fault fault = {
        .op = "daytona.toolbox.execute", .phase = "before", .times = 1, .effect = {.kind = "replay"}};
    struct ask a;
    box(&a);
    ask_fault(&a, &fault);
    a.chunked = chunked;
    T_EQ(ask_execute(&a, "{\"command\":\"echo x >> /tmp/runs\"}"), 200);
    a.chunked = 0;
    ran(&a, "{\"command\":\"cat /tmp/runs\"}", 0, want);
    ask_finish(&a);
}

static void day8_20_a_hop_replays_a_body_of_known_length(void) {
    replay(0, "x\nx\n");
}
static void a_chunked_body_is_not_replayed(void) {
    replay(1, "x\n");
}

#define EDGE "--b\r\nContent-Disposition: form-data; name="

static int upload(struct ask *a, const char *body) {
    a->chunked = 1;
    const int status =
        ask_raw(a, "POST", "/toolbox/%s/files/bulk-upload", "multipart/form-data; boundary=b", body, strlen(body));
    a->chunked = 0;
    return status;
}

static void an_upload_comes_back(void) {
    struct ask a;
    box(&a);
    T_EQ(upload(&a, EDGE "\"files[0].path\"\r\n\r\n/tmp/x y/a.txt\r\n" EDGE
                         "\"files[0].file\"; filename=\"a.txt\"\r\n\r\nhello\r\n--b--\r\n"),
         200);
    T_STR(sbx_buf_text(&a.body), "{\"files\":[{\"path\":\"/tmp/x y/a.txt\",\"bytes\":5}]}");
    T_EQ(ask(&a, "POST", "/toolbox/%s/files/bulk-download", "{\"paths\":[\"/tmp/x y/a.txt\",\"/nope\"]}"), 200);
    T_CONTAINS(sbx_buf_text(&a.headers), "multipart/form-data; boundary=DAYTONA-FILE-BOUNDARY");
    T_CONTAINS(sbx_buf_text(&a.body), "name=\"file\"; filename=\"/tmp/x y/a.txt\"");
    T_CONTAINS(sbx_buf_text(&a.body), "Content-Length: 5\r\n");
    T_CONTAINS(sbx_buf_text(&a.body), "\r\n\r\nhello\r\n--DAYTONA-FILE-BOUNDARY\r\n");
    T_CONTAINS(sbx_buf_text(&a.body), "name=\"error\"; filename=\"/nope\"");
    T_CONTAINS(sbx_buf_text(&a.body), "\r\n--DAYTONA-FILE-BOUNDARY--\r\n");
    T_EQ(ask(&a, "GET", "/toolbox/%s/files/download?path=%2Ftmp%2Fx+y%2Fa.txt", NULL), 200);
    T_STR(sbx_buf_text(&a.body), "hello");
    ask_finish(&a);
}

static void day8_35_a_file_before_its_path_is_an_error(void) {
    struct ask a;
    box(&a);
    T_EQ(upload(&a, EDGE "\"files[0].file\"; filename=\"a\"\r\n\r\nhello\r\n" EDGE
                         "\"files[0].path\"\r\n\r\n/tmp/a\r\n--b--\r\n"),
         400);
    T_STR(sbx_buf_text(&a.body), "{\"errors\":[\"file[0]: missing .path metadata\"],\"files\":null}");
    ask_finish(&a);
}

static void day8_35_an_upload_can_succeed_in_part(void) {
    struct ask a;
    box(&a);
    T_EQ(upload(&a, EDGE "\"files[0].path\"\r\n\r\n/tmp\r\n" EDGE "\"files[0].file\"; filename=\"a\"\r\n\r\nx\r\n" EDGE
                         "\"files[1].path\"\r\n\r\n /tmp/b \r\n" EDGE
                         "\"files[1].file\"; filename=\"b\"\r\n\r\n\r\n--b--\r\n"),
         400);
    T_STR(sbx_buf_text(&a.body),
          "{\"errors\":[\"/tmp: is a directory\"],\"files\":[{\"path\":\"/tmp/b\",\"bytes\":0}]}");
    ask_finish(&a);
}

static void files_are_told_moved_and_deleted(void) {
    struct ask a;
    box(&a);
    T_EQ(ask(&a, "POST", "/toolbox/%s/files/folder?path=%2Ftmp%2Fd&mode=755", NULL), 201);
    ran(&a, "{\"command\":\"printf abc > /tmp/d/f\"}", 0, "");
    T_EQ(ask(&a, "GET", "/toolbox/%s/files/info?path=%2Ftmp%2Fd%2Ff", NULL), 200);
    T_STR(ask_text(&a, "name"), "f");
    T_EQ(ask_int(&a, "size"), 3);
    T_EQ(ask(&a, "POST", "/toolbox/%s/files/permissions?path=%2Ftmp%2Fd%2Ff&mode=600", NULL), 200);
    T_EQ(ask(&a, "GET", "/toolbox/%s/files?path=%2Ftmp%2Fd", NULL), 200);
    const struct sbx_json_node *first = sbx_json_first(sbx_json_root(a.js));
    T_STR(sbx_json_string(a.js, first, "permissions"), "0600");
    T_STR(sbx_json_string(a.js, first, "mode"), "-rw-------");
    T_EQ(ask(&a, "POST", "/toolbox/%s/files/move?source=%2Ftmp%2Fd%2Ff&destination=%2Ftmp%2Fd%2Fg", NULL), 200);
    T_EQ(ask(&a, "POST", "/toolbox/%s/files/move?source=%2Ftmp%2Fd%2Ff&destination=%2Ftmp%2Fd%2Fh", NULL), 404);
    T_EQ(ask(&a, "DELETE", "/toolbox/%s/files?path=%2Ftmp%2Fd", NULL), 400);
    T_EQ(ask(&a, "DELETE", "/toolbox/%s/files?path=%2Ftmp%2Fd&recursive=true", NULL), 204);
    T_EQ(ask(&a, "GET", "/toolbox/%s/files/info?path=%2Ftmp%2Fd", NULL), 404);
    T_EQ(a.body.len, 0); /* the older daemon's file routes answer the status alone */
    ask_finish(&a);
}

static void files_survive_a_restart_and_processes_do_not(void) {
    struct ask a;
    box(&a);
    ran(&a, "{\"command\":\"echo kept > f; sleep 1000 >/dev/null 2>&1 & echo $! > /tmp/pid\"}", 0, "");
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/stop", NULL), 200);
    ask_pass_ms(&a, 500);
    T_EQ(ask_execute(&a, "{\"command\":\"true\"}"), 400);
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/start", NULL), 200);
    ran(&a, "{\"command\":\"cat f; kill -0 $(cat /tmp/pid) 2>/dev/null\"}", 1, "kept\n");
    ask_finish(&a);
}

static void routes_that_are_not_simulated_say_so(void) {
    struct ask a;
    box(&a);
    T_EQ(ask(&a, "POST", "/toolbox/%s/process/pty", "{\"id\":\"p\"}"), 501);
    T_EQ(sbx_sim_unsupported(a.sim), 1);
    ask_finish(&a);
}

T_CASES(T_CASE(execute_answers_code_and_merged_output),
        T_CASE(execute_has_the_sandboxs_environment_and_its_own_over_it),
        T_CASE(the_command_is_the_shells_standard_input), T_CASE(day8_18_bytes_that_are_no_text_are_lost),
        T_CASE(a_bad_cwd_is_minus_one), T_CASE(a_signal_is_minus_one), T_CASE(execute_refuses_what_is_no_request),
        T_CASE(a_timeout_is_408_and_kills_the_group), T_CASE(day8_19_a_background_child_holds_the_answer),
        T_CASE(day8_20_a_hop_replays_a_body_of_known_length), T_CASE(a_chunked_body_is_not_replayed),
        T_CASE(an_upload_comes_back), T_CASE(day8_35_a_file_before_its_path_is_an_error),
        T_CASE(day8_35_an_upload_can_succeed_in_part), T_CASE(files_are_told_moved_and_deleted),
        T_CASE(files_survive_a_restart_and_processes_do_not), T_CASE(routes_that_are_not_simulated_say_so))
