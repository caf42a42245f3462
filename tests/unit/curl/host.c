/* The production env as a guest: what it takes from the process around it, and what it does to it. Rows P3, P4, P9. */
#include "client.h"
#include "t.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#define OK_BODY "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

/* ---- the environment ---- */

static const char *const proxy_names[] = {"http_proxy", "https_proxy", "all_proxy",
                                          "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"};

static void host_set_proxies(const char *value) {
    for (size_t i = 0; i < sizeof(proxy_names) / sizeof(proxy_names[0]); i++)
        if (value)
            setenv(proxy_names[i], value, 1);
        else
            unsetenv(proxy_names[i]);
}

static void no_proxy_is_taken_from_the_environment(void) {
    struct client *c = client_begin(NULL);
    client_script_one(c, OK_BODY, RAW_KEEP);
    host_set_proxies("http://127.0.0.1:1");
    enum sbx_evidence evidence = client_go(c);
    host_set_proxies(NULL);
    T_EQ(evidence, SBX_EVIDENCE_DONE);
    client_end(c);
}

static void a_proxy_is_an_option_and_no_proxy_of_the_environment_is_not_asked(void) {
    struct raw_server *proxy = raw_server_start();
    const struct raw_step step = {.answer = OK_BODY};
    struct sbx_curl_options opt;
    char at[64];
    raw_server_script(proxy, &step, 1);
    snprintf(at, sizeof(at), "http://127.0.0.1:%d", raw_server_port(proxy));
    sbx_curl_options_init(&opt, sizeof(opt));
    opt.proxy = at;
    struct client *c = client_begin(&opt);
    client_script(c, &step, 1);
    setenv("no_proxy", "*", 1);
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    unsetenv("no_proxy");
    T_EQ(raw_server_counts(proxy).executions, 1);
    T_EQ(raw_server_counts(c->server).connections, 0);
    client_end(c);
    raw_server_stop(proxy);
}

/* The tunnel is asked for in the proxy's own words: nothing of the request, least of all the credential, is in them. */
static void a_proxy_that_refuses_the_tunnel_saw_no_credential(void) {
    const struct sbx_header key = {"Authorization", "Bearer canary"};
    struct raw_server *proxy = raw_server_start();
    const struct raw_step step = {.answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", .end = RAW_CLOSE};
    struct sbx_curl_options opt;
    char at[64];
    raw_server_script(proxy, &step, 1);
    snprintf(at, sizeof(at), "http://127.0.0.1:%d", raw_server_port(proxy));
    sbx_curl_options_init(&opt, sizeof(opt));
    opt.proxy = at;
    struct client *c = client_begin(&opt);
    c->req.url = "https://api.test/x";
    c->req.headers = &key;
    c->req.header_count = 1;
    CLIENT_EXPECT(c, SBX_EVIDENCE_CONNECT);
    T_EQ(c->info.sent_bytes, 0);
    T_EQ(c->info.http_status, 0);
    T_EQ(c->heads, 0);
    T_CONTAINS(raw_server_head(proxy), "CONNECT api.test:443");
    T_TRUE(!strstr(raw_server_head(proxy), "canary"));
    client_end(c);
    raw_server_stop(proxy);
}

static void a_name_can_be_led_elsewhere(void) {
    struct sbx_curl_options opt;
    struct raw_server *there = raw_server_start();
    const struct raw_step step = {.answer = OK_BODY};
    char to[64];
    raw_server_script(there, &step, 1);
    snprintf(to, sizeof(to), "::127.0.0.1:%d", raw_server_port(there));
    sbx_curl_options_init(&opt, sizeof(opt));
    opt.connect_to = to;
    struct client *c = client_begin(&opt);
    c->req.url = "http://api.sandport.invalid/x";
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    T_CONTAINS(raw_server_head(there), "Host: api.sandport.invalid\r\n");
    client_end(c);
    raw_server_stop(there);
}

/* ---- descriptors and signals ---- */

static int host_head(void *ctx, int http_status, const struct sbx_header *headers, size_t n) {
    int *found = ctx;
    (void)http_status, (void)headers, (void)n;
    for (int fd = 0; fd < 256; fd++) {
        struct sockaddr_in peer = {0};
        socklen_t len = sizeof(peer);
        if (getpeername(fd, (struct sockaddr *)&peer, &len) != 0 || peer.sin_family != AF_INET) continue;
        found[0]++;
        found[1] += (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
    }
    return 0;
}

static void connections_are_not_inherited_by_programs_started_meanwhile(void) {
    int found[2] = {0, 0};
    const struct sbx_receiver to = {found, host_head, NULL};
    struct client *c = client_begin(NULL);
    client_script_one(c, OK_BODY, RAW_KEEP);
    T_EQ(c->env->exchange(c->env, &c->req, &to, NULL), SBX_EVIDENCE_DONE);
    T_TRUE(found[0] >= 1);
    T_EQ(found[1], found[0]);
    client_end(c);
}

/* With SIGPIPE at its default action, an upload into a connection that the peer has reset would end the process. */
static void a_peer_that_leaves_raises_no_sigpipe(void) {
    static char body[8 << 20];
    const struct raw_step step = {.read = RAW_READ_HEAD, .end = RAW_RESET};
    struct client *c = client_begin(NULL);
    signal(SIGPIPE, SIG_DFL);
    client_script(c, &step, 1);
    c->req.method = "POST";
    c->req.body = body;
    c->req.body_len = sizeof(body);
    for (int i = 0; i < 10; i++) CLIENT_EXPECT(c, SBX_EVIDENCE_SENT_NO_ANSWER);
    client_end(c);
}

static void no_signal_handler_is_left_behind(void) {
    struct sigaction before, after;
    struct client *c = client_begin(NULL);
    client_script_one(c, OK_BODY, RAW_KEEP);
    for (int n = 1; n < NSIG; n++) {
        if (sigaction(n, NULL, &before) != 0) continue;
        if (n == 1) CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
        T_EQ(sigaction(n, NULL, &after), 0);
        T_TRUE(before.sa_handler == after.sa_handler);
    }
    client_end(c);
}

/* ---- threads ---- */

struct host_worker {
    struct client *client;
    struct sbx_cancel *cancel;
    int done;
    int cancelled;
};

static void host_work(void *arg) {
    struct host_worker *worker = arg;
    struct sbx_env *env = worker->client->env;
    struct sbx_request req = worker->client->req;
    req.cancel = sbx_cancel_event(worker->cancel);
    for (int i = 0; i < 50; i++) {
        enum sbx_evidence evidence = env->exchange(env, &req, NULL, NULL);
        worker->done += evidence == SBX_EVIDENCE_DONE;
        worker->cancelled += evidence == SBX_EVIDENCE_CANCELLED;
    }
}

static void host_fire(void *arg) {
    struct host_worker *worker = arg;
    sbx_cancel_fire(worker->cancel);
}

static void many_threads_share_an_env(void) {
    struct client *c = client_begin(NULL);
    struct host_worker workers[8];
    struct sbx_task tasks[8];
    client_script_one(c, OK_BODY, RAW_KEEP);
    for (size_t i = 0; i < 8; i++) {
        workers[i] = (struct host_worker){.client = c};
        tasks[i] = (struct sbx_task){host_work, &workers[i]};
    }
    c->env->run_all(c->env, tasks, 8, 8);
    for (size_t i = 0; i < 8; i++) T_EQ(workers[i].done, 50);
    T_EQ(raw_server_counts(c->server).executions, 400);
    T_TRUE(raw_server_counts(c->server).connections <= 8);
    client_end(c);
}

/* One token ends the exchanges of many threads, those under way and those still to come. */
static void one_token_ends_the_exchanges_of_many_threads(void) {
    const struct raw_step silent = {.end = RAW_SILENT};
    struct client *c = client_begin(NULL);
    struct sbx_cancel *cancel = sbx_cancel_create(c->env);
    struct host_worker workers[9];
    struct sbx_task tasks[9];
    client_script(c, &silent, 1);
    c->req.deadline_ms = SBX_NO_DEADLINE; /* nothing but the token ends one */
    for (size_t i = 0; i < 9; i++) {
        workers[i] = (struct host_worker){.client = c, .cancel = cancel};
        tasks[i] = (struct sbx_task){i < 8 ? host_work : host_fire, &workers[i]};
    }
    c->env->run_all(c->env, tasks, 9, 9);
    for (size_t i = 0; i < 8; i++) T_EQ(workers[i].cancelled, 50);
    sbx_cancel_free(cancel);
    client_end(c);
}

T_CASES(T_CASE(no_proxy_is_taken_from_the_environment),
        T_CASE(a_proxy_is_an_option_and_no_proxy_of_the_environment_is_not_asked),
        T_CASE(a_proxy_that_refuses_the_tunnel_saw_no_credential), T_CASE(a_name_can_be_led_elsewhere),
        T_CASE(connections_are_not_inherited_by_programs_started_meanwhile),
        T_CASE(a_peer_that_leaves_raises_no_sigpipe), T_CASE(no_signal_handler_is_left_behind),
        T_CASE(many_threads_share_an_env), T_CASE(one_token_ends_the_exchanges_of_many_threads))
