/* The served simulator: clouds and the admin API behind listeners on loopback, one loop, one thread. */
#ifndef SIM_SERVE_SERVE_H
#define SIM_SERVE_SERVE_H

#include "sim/kit/http.h"
#include "sim/kit/sim.h"

#define SERVE_LISTENERS_MAX 9 /* a cloud each, and the admin API */

struct serve;
struct sim_host;
struct serve_conn;

/** What epoll reports on: first member of whatever it is. */
struct serve_source {
    void (*ready)(struct serve *serve, struct serve_source *source, uint32_t events);
};

struct serve_listener {
    struct serve_source source; /* first */
    int fd;
    int port;
    struct sim_cloud *cloud; /* NULL = the admin API */
};

struct serve_options {
    const char *listen; /* a loopback address; NULL = 127.0.0.1 */
    const char *scenario_file;
    const char *journal_file;
    uint64_t seed;
    int seed_given;
    int virtual_time;
    int auto_advance;
    int exec_host;        /* real processes */
    int exec_plain;       /* of those: not isolated */
    int exec_network;     /* of those: with the host's network */
    char *const *command; /* of `run`, NULL-terminated */
    const char *url;      /* of `env` */
};

struct serve {
    struct sim *sim;
    struct sim_host *host; /* of real processes; NULL without */
    struct serve_source host_source;
    struct serve_options opt;
    int epoll;
    int running;
    struct serve_listener listeners[SERVE_LISTENERS_MAX];
    size_t listener_count;
    struct serve_conn *conns;
    struct serve_conn *dirty; /* with something to send */
    int64_t connections;      /* numbers them */
    int64_t in_flight;        /* requests being served, but for those of the admin API */
    int answered;             /* one has been since the clock was looked at */
    int64_t began_ns;         /* real monotonic time at virtual zero */
    int64_t advance_to_ns;    /* where POST /clock/advance wants the clock, 0 = nowhere */
    int spare;                /* a descriptor to turn clients away with when there is no other */
    void *journal;            /* FILE */
    uint64_t files_before;    /* the soft limit of descriptors that this process was given */
};

/* ---- loop.c ---- */

/** Opens listeners and epoll. @return 0, or an exit status after a message on stderr */
int serve_open(struct serve *serve);
/** Runs until serve->running is 0. */
void serve_loop(struct serve *serve);
void serve_close(struct serve *serve);
/** @return 0 on failure */
int serve_watch(struct serve *serve, int fd, uint32_t events, struct serve_source *source);
int serve_rewatch(struct serve *serve, int fd, uint32_t events, struct serve_source *source);

/** As many descriptors as there may be, or (not `all`) as many as were given. */
void serve_files(struct serve *serve, int all);

/* ---- host.c ---- */

/** Makes what real processes run on, if the options want it. @return 0, or an exit status after a message on stderr */
int serve_host_open(struct serve *serve);
/** After the sim has gone. */
void serve_host_close(struct serve *serve);

/* ---- conn.c ---- */

void serve_accept(struct serve *serve, struct serve_source *source, uint32_t events);
/** Sends what is due. */
void serve_flush(struct serve *serve);
void serve_conns_close(struct serve *serve);

/* ---- admin.c ---- */

struct serve_admin_request {
    const char *method;
    const char *target;
    const char *origin; /* NULL = none was sent */
    const char *host;
    const char *body;
    size_t len;
};

/** Answers a request of the admin API. Runs in a fiber, since the clock may have to move.
 *  @return the HTTP status; `out` is the JSON */
int serve_admin(struct serve *serve, const struct serve_admin_request *req, struct sbx_buf *out);
/** {"ready":true,"admin":...,"providers":{...}}: the members of an open object. */
void serve_ready_json(struct serve *serve, struct sbx_buf *json);

/* ---- options.c ---- */

/** @return 0 to go on, else the exit status with 128 added when all is said (--help: 128 + 0) */
int serve_options_read(int argc, char **argv, struct serve_options *opt);

/* ---- the commands ---- */

int serve_command_serve(const struct serve_options *opt);
int serve_command_run(const struct serve_options *opt);
int serve_command_env(const struct serve_options *opt);

/** Makes the sim of the options. @return NULL after a message on stderr; *status is the exit status */
struct sim *serve_sim_new(const struct serve_options *opt, int *status);
/** Calls `each` with every variable that a client of these clouds reads. @param ready the ready line */
int serve_variables(const char *ready, size_t len, void (*each)(void *ctx, const char *name, const char *value),
                    void *ctx);

#endif
