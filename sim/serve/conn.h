/* A connection as the files of this room share it: conn.c moves its bytes, request.c takes requests out of them, link.c
 * is the face that a cloud speaks to. */
#ifndef SIM_SERVE_CONN_H
#define SIM_SERVE_CONN_H

#include "sim/serve/http_parse.h"
#include "sim/serve/serve.h"

#define CONN_IN_MAX  (128 * 1024) /* received and not yet used: no more is taken from the socket */
#define CONN_OUT_MAX (128 * 1024) /* to be sent: a cloud waits */

/** How a connection ends once all that was said is sent. */
enum conn_closing { CONN_STAYS, CONN_CLOSES, CONN_RESETS };

struct serve_conn {
    struct serve_source source; /* first */
    struct sim_link link;
    struct serve *serve;
    struct sim_cloud *cloud; /* NULL = the admin API */
    struct serve_conn *next, *prev;
    struct serve_conn *next_dirty;
    int is_dirty;
    int fd; /* -1 once closed */
    int64_t number;
    uint32_t events; /* watched for */

    struct sbx_buf in;
    size_t in_at;              /* used up so far */
    int in_ended;              /* the client sends no more */
    struct serve_head *head;   /* of the request being read or served; NULL while idle */
    struct sbx_buf head_bytes; /* of the one being served */
    struct serve_body body;
    int body_done;
    struct sim_waitq more_in;

    struct sbx_buf out;
    size_t out_at; /* sent so far */
    struct sim_waitq out_room;
    int upgraded;    /* to another protocol: bytes pass as they are, and HTTP never comes back */
    int chunked;     /* the answer is */
    int bodiless;    /* a HEAD's is */
    int close_after; /* the answer is the last */

    int serving; /* a fiber is at it */
    enum conn_closing closing;
    int lingering; /* our half is ended; what the client still says is thrown away until it ends its own */
    int hung;      /* nothing more is served, nor the connection ended by us */
};

/* ---- conn.c ---- */

struct sim_world *serve_conn_world(const struct serve_conn *c);
/** Sends, watches and closes what is due at the end of the loop's turn. */
void serve_conn_dirty(struct serve_conn *c);
/** `n` received bytes have been used. */
void serve_conn_used(struct serve_conn *c, size_t n);
void serve_conn_close(struct serve_conn *c, int reset);

/* ---- request.c ---- */

/** Serves the next request if a whole head of one is there. */
void serve_conn_next(struct serve_conn *c);

/* ---- link.c ---- */

extern const struct sim_link serve_link;

#endif
