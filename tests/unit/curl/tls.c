/* TLS against `openssl s_server`, with certificates made on the spot: who cannot prove its name gets no byte of the
 * request. Row P4. */
#include "client.h"
#include "t.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define TLS_HOST "api.sandport.test"

struct tls {
    struct client *client;
    char dir[512];
    char ca[16384];
    char connect_to[64];
    pid_t server;
    int port;
};

static void tls_sh(const struct tls *tls, const char *script) {
    char command[2048];
    snprintf(command, sizeof(command), "cd '%s' && { %s; } >log 2>&1", tls->dir, script);
    if (system(command) != 0) T_FAIL("failed, see %s/log: %s", tls->dir, script);
}

/* A root of our own, a second one that nobody trusts, and certificates for the server. */
static void tls_make_certificates(struct tls *tls) {
    const char *build = getenv("SANDPORT_BINARY_DIR");
    snprintf(tls->dir, sizeof(tls->dir), "%s/tls.XXXXXX", build ? build : "/tmp");
    T_TRUE(mkdtemp(tls->dir));
    tls_sh(tls, "set -e; k='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'; "
                "openssl req -x509 $k -keyout ca.key -out ca.pem -days 30 -subj /CN=sandport-test-root; "
                "openssl req -x509 $k -keyout other.key -out other.pem -days 30 -subj /CN=another-root; "
                "mkdir ca; : >ca/index; echo 01 >ca/serial; "
                "printf '[ca]\\ndefault_ca=d\\n[d]\\ndatabase=ca/index\\nserial=ca/serial\\nnew_certs_dir=ca\\n"
                "default_md=sha256\\npolicy=p\\ncopy_extensions=copy\\nunique_subject=no\\n[p]\\ncommonName="
                "supplied\\n' >conf; "
                "make() { openssl req $k -keyout $1.key -out $1.csr -subj /CN=$2 -addext subjectAltName=DNS:$2; "
                "openssl ca -batch -config conf -cert ca.pem -keyfile ca.key -in $1.csr -out $1.pem -notext "
                "-startdate $3 -enddate $4; }; "
                "make good " TLS_HOST " 20200101000000Z 20990101000000Z; "
                "make wrong elsewhere.test 20200101000000Z 20990101000000Z; "
                "make expired " TLS_HOST " 20200101000000Z 20200201000000Z");
}

static const char *tls_read(const struct tls *tls, const char *name, char *text, size_t cap) {
    char path[600];
    snprintf(path, sizeof(path), "%s/%s", tls->dir, name);
    FILE *f = fopen(path, "rb");
    if (!f) T_FAIL("no %s", path);
    text[fread(text, 1, cap - 1, f)] = 0;
    fclose(f);
    return text;
}

static int tls_free_port(void) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    T_EQ(bind(fd, (struct sockaddr *)&at, len), 0);
    T_EQ(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    close(fd);
    return ntohs(at.sin_port);
}

/* s_server says ACCEPT once it listens. */
static void tls_await_ready(int out) {
    char text[256] = "";
    size_t len = 0;
    while (!strstr(text, "ACCEPT")) {
        struct pollfd fd = {out, POLLIN, 0};
        ssize_t n = poll(&fd, 1, 10000) == 1 ? read(out, text + len, sizeof(text) - 1 - len) : 0;
        if (n <= 0) T_FAIL("openssl s_server did not start: %s", text);
        len += (size_t)n;
        text[len] = 0;
    }
}

static void tls_serve(struct tls *tls, const char *certificate) {
    char accept[32], cert[600], key[600];
    static char words[][12] = {"openssl", "s_server", "-accept", "-cert", "-key", "-www"};
    char *argv[] = {words[0], words[1], words[2], accept, words[3], cert, words[4], key, words[5], NULL};
    posix_spawn_file_actions_t actions;
    int out[2];
    tls->port = tls_free_port();
    snprintf(accept, sizeof(accept), "127.0.0.1:%d", tls->port);
    snprintf(cert, sizeof(cert), "%s/%s.pem", tls->dir, certificate);
    snprintf(key, sizeof(key), "%s/%s.key", tls->dir, certificate);
    T_EQ(pipe(out), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_addclose(&actions, out[0]);
    T_EQ(posix_spawnp(&tls->server, "openssl", &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    tls_await_ready(out[0]);
    close(out[0]);
}

/* @param authority a file of the folder, NULL = the system's */
static struct tls tls_begin(const char *certificate, const char *authority) {
    struct tls tls = {0};
    struct sbx_curl_options opt;
    tls_make_certificates(&tls);
    tls_serve(&tls, certificate);
    snprintf(tls.connect_to, sizeof(tls.connect_to), "::127.0.0.1:%d", tls.port);
    sbx_curl_options_init(&opt, sizeof(opt));
    opt.connect_to = tls.connect_to;
    if (authority) opt.ca_pem = tls_read(&tls, authority, tls.ca, sizeof(tls.ca));
    tls.client = client_begin(&opt);
    tls.client->req.url = "https://" TLS_HOST "/";
    return tls;
}

static void tls_end(struct tls *tls) {
    char command[600];
    client_end(tls->client);
    kill(tls->server, SIGTERM);
    waitpid(tls->server, NULL, 0);
    snprintf(command, sizeof(command), "rm -rf '%s'", tls->dir);
    T_EQ(system(command), 0);
}

static void tls_expect_refused(const char *certificate, const char *authority) {
    struct tls tls = tls_begin(certificate, authority);
    CLIENT_EXPECT(tls.client, SBX_EVIDENCE_TLS);
    T_EQ(tls.client->info.sent_bytes, 0);
    T_EQ(tls.client->info.http_status, 0);
    T_EQ(tls.client->heads, 0);
    tls_end(&tls);
}

static void a_private_authority_can_be_trusted(void) {
    struct tls tls = tls_begin("good", "ca.pem");
    CLIENT_EXPECT(tls.client, SBX_EVIDENCE_DONE);
    T_EQ(tls.client->info.http_status, 200);
    T_TRUE(tls.client->info.sent_bytes > 0);
    tls_end(&tls);
}

static void another_hosts_certificate_is_refused(void) {
    tls_expect_refused("wrong", "ca.pem");
}

static void an_expired_certificate_is_refused(void) {
    tls_expect_refused("expired", "ca.pem");
}

static void an_authority_that_is_not_the_one_trusted_is_refused(void) {
    tls_expect_refused("good", "other.pem");
}

static void an_authority_that_the_system_does_not_know_is_refused(void) {
    tls_expect_refused("good", NULL);
}

static void authorities_that_cannot_be_read_are_refused(void) {
    tls_expect_refused("good", "good.key");
}

static void a_server_that_speaks_no_tls_is_refused(void) {
    struct sbx_curl_options opt;
    char url[64];
    sbx_curl_options_init(&opt, sizeof(opt));
    struct client *c = client_begin(&opt);
    client_script(
        c, (const struct raw_step[]){{.read = RAW_READ_NONE, .answer = "HTTP/1.1 400 Bad\r\n\r\n", .end = RAW_CLOSE}},
        1);
    snprintf(url, sizeof(url), "https://127.0.0.1:%d/", raw_server_port(c->server));
    c->req.url = url;
    CLIENT_EXPECT(c, SBX_EVIDENCE_TLS);
    T_EQ(c->info.sent_bytes, 0);
    client_end(c);
}

/* A peer that takes the connection and then says nothing: the handshake is not exempt from the deadline. Nothing else
 * ends it for ten minutes; the seconds given to it here are for a busy machine to read the authorities in. */
static void a_handshake_that_hangs_ends_at_the_deadline(void) {
    struct sbx_curl_options opt;
    sbx_curl_options_init(&opt, sizeof(opt));
    opt.connect_ms = 600000;
    struct client *c = client_begin(&opt);
    char url[64];
    client_script(c, (const struct raw_step[]){{.read = RAW_READ_NONE, .end = RAW_SILENT}}, 1);
    snprintf(url, sizeof(url), "https://127.0.0.1:%d/", raw_server_port(c->server));
    c->req.url = url;
    c->req.deadline_ms = c->env->now_ms(c->env) + 50;
    CLIENT_EXPECT(c, SBX_EVIDENCE_DEADLINE);
    T_TRUE(c->env->now_ms(c->env) - c->req.deadline_ms <= 30000);
    T_EQ(c->info.sent_bytes, 0);
    client_end(c);
}

T_CASES(T_CASE(a_private_authority_can_be_trusted), T_CASE(another_hosts_certificate_is_refused),
        T_CASE(an_expired_certificate_is_refused), T_CASE(an_authority_that_is_not_the_one_trusted_is_refused),
        T_CASE(an_authority_that_the_system_does_not_know_is_refused),
        T_CASE(authorities_that_cannot_be_read_are_refused), T_CASE(a_server_that_speaks_no_tls_is_refused),
        T_CASE(a_handshake_that_hangs_ends_at_the_deadline))
