/* What the seam's conformance suite needs of the world behind an env: a server that behaves as told, seen from outside.
 *
 * Each env brings one file that defines seam_face_open(); the suite is linked once with each. */
#ifndef TESTS_SEAM_FACE_H
#define TESTS_SEAM_FACE_H

#include <sandport/kit/env.h>

/** How the server treats the requests to come. */
enum seam_kind {
    SEAM_ANSWER,    /* 200, with body_bytes of seam_pattern() */
    SEAM_NO_HOST,   /* the name has no address */
    SEAM_REFUSED,   /* nobody listens */
    SEAM_CLOSE,     /* reads the request, ends the connection */
    SEAM_RESET,     /* reads the request, resets the connection */
    SEAM_CUT,       /* announces body_bytes, sends cut_bytes of them, ends the connection */
    SEAM_STALL,     /* the same, but holds the connection and says nothing more */
    SEAM_SILENT,    /* reads the request, says nothing */
    SEAM_GARBAGE,   /* answers what is no HTTP */
    SEAM_BIG_HEADER /* 200 with a header of body_bytes */
};

struct seam_behaviour {
    enum seam_kind kind;
    uint64_t body_bytes;
    uint64_t cut_bytes;
    int chunked; /* the answer has no length */
};

/** What reached the server since it was armed. */
struct seam_seen {
    uint64_t requests;      /* whose head arrived */
    uint64_t executions;    /* that arrived whole */
    uint64_t request_bytes; /* on the wire; 0 where there is none to measure */
    uint64_t body_bytes;
    uint64_t body_wrong;   /* bytes that are not seam_pattern() */
    uint64_t answer_bytes; /* that the server could get rid of */
};

struct seam_face {
    struct sbx_env *env;
    int64_t soon_ms;           /* long enough for an exchange to be under way */
    uint64_t memory_bytes_max; /* that streaming may add to the process; 0 = not measured */
    /** @param url where to send the request */
    void (*arm)(struct seam_face *face, const struct seam_behaviour *behaviour, char *url, size_t cap);
    struct seam_seen (*seen)(struct seam_face *face);
    int64_t (*late_ms)(struct seam_face *face); /* how late a deadline or cancel may be noticed */
    /** Runs `run` once, `ms` from now, beside whatever the test waits for. */
    void (*later)(struct seam_face *face, int64_t ms, void (*run)(void *arg), void *arg);
    void (*later_join)(struct seam_face *face); /* returns once it has run */
    void (*close)(struct seam_face *face);
};

struct seam_face *seam_face_open(void);

/** The byte at place `at` of every body. */
unsigned char seam_pattern(uint64_t at);

#endif
