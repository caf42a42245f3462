/* An env that plays a list of exchanges: what must be asked, and what is answered. Time is virtual and one thread has
 * it. */
#ifndef TESTS_SUPPORT_SCRIPT_ENV_H
#define TESTS_SUPPORT_SCRIPT_ENV_H

#include "t.h"

#include <sandport/kit/buf.h>
#include <sandport/kit/env.h>

struct script_step {
    const char *request;     /* "POST http://host/path": all of it */
    const char *head[4];     /* "Name: value" lines that must be among the headers; "!Name" must not be */
    const char *body;        /* part of the body; NULL = whatever it is */
    int32_t evidence;        /* enum sbx_evidence; DONE and PARTIAL come with what follows */
    int http_status;         /* of the answer; 0 = none */
    const char *answer_head; /* "Name: value\n" lines */
    const char *answer;      /* its body */
    size_t answer_len;       /* 0 = strlen(answer) */
    size_t piece;            /* bytes given at once; 0 = all */
    int64_t takes_ms;        /* until it is over */
    /** Makes the answer's body of the request's. NULL = `answer` */
    void (*answer_of)(const char *body, size_t len, struct sbx_buf *out);
};

struct script;

/** @param steps played in their order; asking for more, or for something else, fails the test. Kept by the caller */
struct script *script_new(const struct script_step *steps, size_t n);
struct sbx_env *script_env(struct script *script);
/** Sets the wall clock, which goes on with the other. */
void script_wall(struct script *script, int64_t wall_ms);
/** Plays these next, from their first on. */
void script_play(struct script *script, const struct script_step *steps, size_t n);
/** Fails the test if steps are left. */
void script_done(const struct script *script);
/** The whole of the last request's body. Lent. */
const char *script_body(const struct script *script, size_t *len);
void script_free(struct script *script);

#define SCRIPT(script, ...)                                                                                            \
    do {                                                                                                               \
        static const struct script_step steps_[] = {__VA_ARGS__};                                                      \
        script_play((script), steps_, sizeof(steps_) / sizeof(steps_[0]));                                             \
    } while (0)

#endif
