/* The served E2B: where it is told to be, and streams over sockets as they come, by chunks. */
#include "running.h"
#include "t.h"

#include <poll.h>
#include <sandport/kit/json.h>
#include <sandport/sim.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define E2B_KEY_HEADER "X-API-KEY: " SBX_SIM_E2B_KEY "\r\n"

struct box {
    struct running r;
    int port;
    char id[64], token[80];
    char headers[256]; /* that lead to it */
};

static void box_read(struct box *b, const char *answer) {
    struct sbx_json *js = NULL;
    const char *json = strstr(answer, "\r\n\r\n");
    T_CONTAINS(answer, "HTTP/1.1 201 ");
    T_STATUS(sbx_json_parse(json + 4, strlen(json + 4), 0, &js), SBX_OK);
    snprintf(b->id, sizeof(b->id), "%s", sbx_json_string(js, sbx_json_root(js), "sandboxID"));
    snprintf(b->token, sizeof(b->token), "%s", sbx_json_string(js, sbx_json_root(js), "envdAccessToken"));
    T_STATUS(sbx_json_status(js), SBX_OK);
    sbx_json_free(js);
    snprintf(b->headers, sizeof(b->headers), "E2b-Sandbox-Id: %s\r\nE2b-Sandbox-Port: 49983\r\nX-Access-Token: %s\r\n",
             b->id, b->token);
}

/* The body comes chunked, as the SDK sends it. */
static struct box box_make(void) {
    struct box b = {.r = running_virtual()};
    const char *at = strstr(b.r.ready, "\"sandbox_url\":\"http://127.0.0.1:");
    T_TRUE(at != NULL);
    b.port = (int)strtol(at + 32, NULL, 10);
    int fd = dial(b.port);
    say(fd, "POST /v2/sandboxes HTTP/1.1\r\nHost: h\r\n" E2B_KEY_HEADER
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            "15\r\n{\"templateID\":\"base\"}\r\n0\r\n\r\n");
    for (struct pollfd one = {.fd = fd, .events = POLLIN}; poll(&one, 1, 1) == 0;) advance(&b.r, 100);
    char *answer = hear_end(fd, NULL);
    box_read(&b, answer);
    free(answer);
    return b;
}

static void say_start(const struct box *b, int fd, const char *json) {
    char head[512];
    const unsigned char length[5] = {0, 0, 0, (unsigned char)(strlen(json) >> 8), (unsigned char)strlen(json)};
    snprintf(head, sizeof(head),
             "POST /process.Process/Start HTTP/1.1\r\nHost: h\r\n%sContent-Type: application/connect+json\r\n"
             "Content-Length: %zu\r\n\r\n",
             b->headers, strlen(json) + 5);
    say(fd, head);
    say_bytes(fd, length, sizeof(length));
    say(fd, json);
}

static void the_ready_line_and_env_say_where_it_is(void) {
    struct running r = running_virtual();
    char out[16384], err[16384];
    T_CONTAINS(r.ready, "\"e2b\":{\"api_url\":\"http://127.0.0.1:");
    T_CONTAINS(r.ready, "\"api_key\":\"" SBX_SIM_E2B_KEY "\"");
    T_EQ(running_stop(&r), 0);
    const char *const args[] = {"run", "--", "sh", "-c", "echo \"$E2B_API_URL $E2B_SANDBOX_URL $E2B_API_KEY\"", NULL};
    T_EQ(program_run(args, out, err), 0);
    T_CONTAINS(out, "http://127.0.0.1:");
    T_CONTAINS(out, " " SBX_SIM_E2B_KEY "\n");
}

static void an_event_is_sent_when_it_happens(void) {
    struct box b = box_make();
    int fd = dial(b.port);
    say_start(&b, fd, "{\"process\":{\"cmd\":\"/bin/sh\",\"args\":[\"-c\",\"sleep 5; echo hi\"]},\"stdin\":false}");
    char *heard = hear_bytes(fd, 129);
    T_CONTAINS(heard, "HTTP/1.1 200 OK\r\n");
    T_CONTAINS(heard, "Transfer-Encoding: chunked\r\n");
    T_TRUE(hear_nothing(fd));
    free(heard);
    advance(&b.r, 6000);
    heard = hear_bytes(fd, 100);
    T_TRUE(hear_nothing(fd)); /* whole: the connection stays */
    free(heard);
    close(fd);
    T_EQ(running_stop(&b.r), 0);
}

static void who_hangs_up_leaves_the_process_running(void) {
    struct box b = box_make();
    char head[512];
    char *answer = NULL;
    int fd = dial(b.port);
    say_start(&b, fd, "{\"process\":{\"cmd\":\"sleep\",\"args\":[\"100\"]},\"stdin\":false}");
    free(hear_bytes(fd, 129));
    close(fd);
    snprintf(head, sizeof(head), "%sContent-Type: application/json\r\n", b.headers);
    const char *body = ask_ok(b.port, "POST", "/process.Process/List", head, "{}", 200, &answer);
    T_CONTAINS(body, "\"cmd\":\"sleep\"");
    free(answer);
    T_EQ(running_stop(&b.r), 0);
}

static void a_host_that_names_the_sandbox_is_enough(void) {
    struct box b = box_make();
    char request[512];
    int fd = dial(b.port);
    snprintf(request, sizeof(request),
             "GET /health HTTP/1.1\r\nHost: 49983-%s.localhost:%d\r\nConnection: close\r\n\r\n", b.id, b.port);
    say(fd, request);
    char *answer = hear_end(fd, NULL);
    T_CONTAINS(answer, "HTTP/1.1 204 ");
    free(answer);
    T_EQ(running_stop(&b.r), 0);
}

T_CASES(T_CASE(the_ready_line_and_env_say_where_it_is), T_CASE(an_event_is_sent_when_it_happens),
        T_CASE(who_hangs_up_leaves_the_process_running), T_CASE(a_host_that_names_the_sandbox_is_enough))
