/* A client of the scripted server, for tests of the production env: one env, one exchange, what came of it. */
#ifndef TESTS_UNIT_CURL_CLIENT_H
#define TESTS_UNIT_CURL_CLIENT_H

#include "raw_server.h"
#include "witness.h"

#include <sandport/curl.h>

struct client {
    struct sbx_env *env;
    struct raw_server *server;
    struct witness *witness;
    char url[128];
    struct sbx_request req; /* a GET of /x, due in 10 s, unless changed */
    struct sbx_exchange_info info;
    int heads;
    char headers[4096]; /* "name=value\n" of the last head */
    char body[4096];
    size_t body_len;
};

struct client *client_begin(const struct sbx_curl_options *opt);
void client_end(struct client *c);

/** The server's next steps. */
void client_script(struct client *c, const struct raw_step *steps, size_t n);
void client_script_one(struct client *c, const char *answer, enum raw_end end);

enum sbx_evidence client_go(struct client *c);

/** Fails the test unless the exchange ends so. */
void client_expect(struct client *c, enum sbx_evidence want, const char *file, int line);
#define CLIENT_EXPECT(c, want) client_expect((c), (want), __FILE__, __LINE__)

#endif
