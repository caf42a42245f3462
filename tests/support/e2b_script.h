/* An E2B runtime over a script of exchanges: what each verb puts on the wire, and what it makes of every answer. */
#ifndef TESTS_SUPPORT_E2B_SCRIPT_H
#define TESTS_SUPPORT_E2B_SCRIPT_H

#include "script_env.h"

#include <sandport/e2b.h>
#include <sandport/sandport.h>

#define KEY "e2b_canary"
#define API "http://api.test"
#define BOX "http://box.test"

struct scripted {
    struct script *script;
    struct sbx_env *env;
    struct sbx_runtime *rt;
    struct sbx_sandbox *sb;
    struct sbx_error err;
};

/** @param opt NULL = endpoint, key and sandbox URL of the script alone */
struct scripted scripted_new(const struct sbx_e2b_options *opt);
/** With an owned sandbox "i1", token "tok", launched. */
struct scripted scripted_launched(const struct sbx_e2b_options *opt);
void scripted_finish(struct scripted *w);

/** `echo hi` with a lifetime of a minute, over these exchanges: how it ended. */
struct ran {
    struct scripted w;
    enum sbx_status st;
    struct sbx_exec_result *result;
};
struct ran ran_with(const struct script_step *steps, size_t n);
void ran_finish(struct ran *r);
#define RUN(...)                                                                                                       \
    ran_with((const struct script_step[]){__VA_ARGS__},                                                                \
             sizeof((const struct script_step[]){__VA_ARGS__}) / sizeof(struct script_step))

/* Envelopes, to be put beside each other, and a stream of them as an answer. */
#define BEGUN                                                                                                          \
    "\000\0\0\000\035"                                                                                                 \
    "{\"event\":{\"start\":{\"pid\":7}}}"
#define ALIVE                                                                                                          \
    "\000\0\0\000\032"                                                                                                 \
    "{\"event\":{\"keepalive\":{}}}"
#define OUT_HI                                                                                                         \
    "\000\0\0\000\044"                                                                                                 \
    "{\"event\":{\"data\":{\"stdout\":\"aGkK\"}}}"
#define ERR_OH                                                                                                         \
    "\000\0\0\000\044"                                                                                                 \
    "{\"event\":{\"data\":{\"stderr\":\"b2gK\"}}}"
#define END_0                                                                                                          \
    "\000\0\0\000\072"                                                                                                 \
    "{\"event\":{\"end\":{\"exited\":true,\"status\":\"exit status 0\"}}}"
#define END_3                                                                                                          \
    "\000\0\0\000\137"                                                                                                 \
    "{\"event\":{\"end\":{\"exitCode\":3,\"exited\":true,\"status\":\"exit status 3\",\"error\":\"exit status 3\"}}}"
#define END_KILLED                                                                                                     \
    "\000\0\0\000\124"                                                                                                 \
    "{\"event\":{\"end\":{\"exitCode\":-1,\"status\":\"signal: killed\",\"error\":\"signal: killed\"}}}"
#define EOS                                                                                                            \
    "\002\0\0\000\002"                                                                                                 \
    "{}"
#define EOS_DEADLINE                                                                                                   \
    "\002\0\0\000\114"                                                                                                 \
    "{\"error\":{\"code\":\"deadline_exceeded\",\"message\":\"context deadline exceeded\"}}"
#define EOS_UNAVAILABLE                                                                                                \
    "\002\0\0\000\153"                                                                                                 \
    "{\"error\":{\"code\":\"unavailable\",\"message\":\"the connection to sandbox i1 ended before the stream "         \
    "completed\"}}"
#define EOS_CWD                                                                                                        \
    "\002\0\0\000\114"                                                                                                 \
    "{\"error\":{\"code\":\"invalid_argument\",\"message\":\"cwd '/nope' does not exist\"}}"
#define STREAM(envelopes)                                                                                              \
    .http_status = 200, .answer_head = "Content-Type: application/connect+json\n", .answer = (envelopes),              \
    .answer_len = sizeof(envelopes) - 1
#define JSON(status, text) .http_status = (status), .answer_head = "Content-Type: application/json\n", .answer = (text)

#define START_URL "POST " BOX "/process.Process/Start"
#define CREATED                                                                                                        \
    JSON(201, "{\"templateID\":\"t\",\"sandboxID\":\"i1\",\"clientID\":\"c\",\"envdVersion\":\"0.6.13\","              \
              "\"envdAccessToken\":\"tok\"}")
#define PROBED                                                                                                         \
    { .request = START_URL, STREAM(BEGUN END_0 EOS) }
#define GONE_TEXT "{\"code\":404,\"message\":\"Sandbox \\\"i1\\\" doesn't exist or you don't have access to it\"}"
#define GONE                                                                                                           \
    { .request = "GET " API "/sandboxes/i1", JSON(404, GONE_TEXT) }
#define STANDS(state)                                                                                                  \
    {                                                                                                                  \
        .request = "GET " API "/sandboxes/i1",                                                                         \
        JSON(200, "{\"sandboxID\":\"i1\",\"templateID\":\"t\",\"state\":\"" state "\",\"metadata\":{}}")               \
    }
/* What ends a command with its group, proven or not: the tag is the script's second argument. */
#define ENDING                                                                                                         \
    { .request = START_URL, .body = "e2b-end", STREAM(BEGUN END_0 EOS) }

#endif
