/* One exchange of the conformance suite: the face, the request, and what came of it. */
#ifndef TESTS_SEAM_SEAM_H
#define TESTS_SEAM_SEAM_H

#include "face.h"

/** The receiver's side: what it does, and what it got. */
struct seam_got {
    struct seam_face *face;
    int stop_at_head;
    uint64_t stop_after;     /* body bytes, 0 = never */
    int64_t block_ms;        /* the first piece takes so long ... */
    uint64_t server_was_at;  /* ... and then the server had sent so much */
    struct sbx_cancel *fire; /* fired by the first piece */
    int heads;
    int pieces;
    int body_before_head;
    uint64_t bytes;
    uint64_t wrong;
    char header[64]; /* the value of X-Case */
};

/** The reader's side. */
struct seam_source {
    uint64_t length;
    uint64_t given;
    uint64_t abort_after; /* 0 = never */
};

struct seam {
    struct seam_face *face;
    char url[256];
    struct sbx_request req;
    struct sbx_receiver to;
    struct sbx_exchange_info info;
    struct seam_got got;
    struct seam_source source;
    struct sbx_reader reader;
    void *body;
    struct sbx_cancel *cancel;
    int64_t fired_ms;
};

/** A GET to a server that behaves so, due in 10 s. */
struct seam seam_begin(struct seam_behaviour behaviour);
void seam_end(struct seam *s);

/** Another behaviour from now on. */
void seam_arm(struct seam *s, struct seam_behaviour behaviour);

/** Makes it a POST with a body in memory. */
void seam_body(struct seam *s, size_t len);

/** Makes it a POST whose reader gives `length` bytes but says that it will give `named` (-1 = unknown). */
void seam_reader(struct seam *s, uint64_t length, int64_t named);

void seam_cancel_now(struct seam *s);
void seam_cancel_later(struct seam *s, int64_t ms);

enum sbx_evidence seam_go(struct seam *s);

/** The most memory that the process has had. */
uint64_t seam_memory(void);
void seam_expect_memory(const struct seam *s, uint64_t before);

#endif
