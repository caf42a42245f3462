/* The seam: struct sbx_env is the only way to reach the world - requests, clocks, sleep, randomness, locks.
 *
 * Two implementations pass the same conformance suite: the production env over libcurl and the simulation's. Someone
 * who writes a third runs that suite (tests/seam). Rows P4, P9, P11. */
#ifndef SANDPORT_KIT_ENV_H
#define SANDPORT_KIT_ENV_H

#include <sandport/call.h>

struct sbx_event; /* an env's own: once set it stays set */
struct sbx_lock;  /* an env's own: not recursive, never held across a call of the env */

struct sbx_header {
    const char *name;
    const char *value;
};

/** Where a request body comes from when it is not in memory.
 *  `read` fills up to `cap` bytes and returns their number, 0 at the end, or -1 to abort. */
struct sbx_reader {
    void *ctx;
    ptrdiff_t (*read)(void *ctx, void *buf, size_t cap);
};

/** Where bytes go. `write` takes all of them and returns 0; anything else stops the transfer. It may block. */
struct sbx_sink {
    void *ctx;
    int (*write)(void *ctx, const void *data, size_t len);
};

/** Request flags. */
#define SBX_REQUEST_IDEMPOTENT 1u /* the env may send it again by itself when a reused connection proved dead */
#define SBX_REQUEST_CHUNKED    2u /* send the body without a length, so that no hop can replay it */

struct sbx_request {
    size_t size;
    const char *method;
    const char *url; /* absolute, http or https, without credentials */
    const struct sbx_header *headers;
    size_t header_count;
    const void *body; /* lent until exchange returns; NULL with body_len 0 is an empty body */
    size_t body_len;
    const struct sbx_reader *reader; /* used instead of body when not NULL */
    int64_t reader_len;              /* bytes the reader will give, -1 = unknown: sent chunked */
    uint32_t flags;
    int64_t deadline_ms;       /* absolute; SBX_NO_DEADLINE for none */
    int64_t stall_ms;          /* no byte in either direction for so long ends it as a deadline; 0 = no limit */
    struct sbx_event *cancel;  /* may be NULL */
    uint64_t answer_bytes_max; /* more body bytes than this end it as too_large; 0 = no limit */
};

/** Takes the answer as it comes, on the calling thread. */
struct sbx_receiver {
    void *ctx;
    /** Once, before any body. The texts are valid during the call. Non-zero stops the exchange. May be NULL. */
    int (*head)(void *ctx, int http_status, const struct sbx_header *headers, size_t header_count);
    /** In pieces of any size. Blocks the provider while it blocks. Non-zero stops the exchange. May be NULL: dropped.
     */
    int (*body)(void *ctx, const void *data, size_t len);
};

/** How an exchange ended: evidence, not a guess. The first that applies. */
enum sbx_evidence {
    SBX_EVIDENCE_DONE = 0,           /* a whole answer */
    SBX_EVIDENCE_RESOLVE = 1,        /* the host has no address */
    SBX_EVIDENCE_CONNECT = 2,        /* no connection */
    SBX_EVIDENCE_TLS = 3,            /* the peer could not prove who it is */
    SBX_EVIDENCE_SENT_NO_ANSWER = 4, /* the connection ended after sending began and before a status line */
    SBX_EVIDENCE_PARTIAL = 5,        /* the answer began and was cut off, or a callback stopped it */
    SBX_EVIDENCE_TOO_LARGE = 6,      /* headers or body beyond the limit */
    SBX_EVIDENCE_PROTOCOL = 7,       /* not HTTP; with sent_bytes 0: the request itself was malformed and not sent */
    SBX_EVIDENCE_DEADLINE = 8,       /* deadline or stall */
    SBX_EVIDENCE_CANCELLED = 9,
    SBX_EVIDENCE_MEMORY = 10
};

/** What else is known of an exchange. Set by every one. */
struct sbx_exchange_info {
    size_t size;
    int32_t http_status; /* 0 if no status line came */
    int32_t stopped;     /* 1: the receiver stopped it, 2: the reader did */
    uint64_t sent_bytes; /* request bytes given to the wire, head included; 0 = it provably never left */
    uint64_t got_bytes;  /* body bytes given to the receiver */
};

struct sbx_task {
    void (*run)(void *arg);
    void *arg;
};

/** A sized ops table; `size` says how much of it the env knows. Safe from many threads, but for `free`. */
struct sbx_env {
    size_t size;

    /** One HTTP exchange. Blocks until the answer is whole, or as the evidence says. Never follows a redirect, never
     *  repeats a request unless SBX_REQUEST_IDEMPOTENT. @param to may be NULL @param info may be NULL */
    enum sbx_evidence (*exchange)(struct sbx_env *env, const struct sbx_request *req, const struct sbx_receiver *to,
                                  struct sbx_exchange_info *info);

    /** Runs the tasks side by side where the env can, at most `width` at once, and returns when all have ended. */
    void (*run_all)(struct sbx_env *env, const struct sbx_task *tasks, size_t n, size_t width);

    int64_t (*now_ms)(struct sbx_env *env);  /* monotonic; every deadline is on it */
    int64_t (*wall_ms)(struct sbx_env *env); /* since 1970, for stamps that people or other hosts read */

    /** @return SBX_OK at the time, SBX_CANCELLED when `cancel` (may be NULL) is set first */
    enum sbx_status (*sleep_until)(struct sbx_env *env, int64_t when_ms, struct sbx_event *cancel);

    /** Fills `buf` with unpredictable bytes; in the simulation, with the seed's. @return SBX_OK or SBX_PROVIDER */
    enum sbx_status (*random)(struct sbx_env *env, void *buf, size_t len);

    struct sbx_lock *(*lock_new)(struct sbx_env *env); /* NULL when memory runs out */
    void (*lock)(struct sbx_env *env, struct sbx_lock *lock);
    void (*unlock)(struct sbx_env *env, struct sbx_lock *lock);
    void (*lock_free)(struct sbx_env *env, struct sbx_lock *lock);

    struct sbx_event *(*event_new)(struct sbx_env *env); /* NULL when memory runs out */
    void (*event_set)(struct sbx_env *env, struct sbx_event *event);
    /** @return SBX_OK when set, SBX_DEADLINE, or SBX_CANCELLED when `cancel` (may be NULL) is set first */
    enum sbx_status (*event_wait)(struct sbx_env *env, struct sbx_event *event, int64_t deadline_ms,
                                  struct sbx_event *cancel);
    void (*event_free)(struct sbx_env *env, struct sbx_event *event);

    /** A line on what was decided and why, for the simulation's journal; the production env has none. May be NULL.
     *  Never carries a credential or a provider's text. */
    void (*note)(struct sbx_env *env, const char *text);

    /** Frees the env; nothing may be using it. */
    void (*free)(struct sbx_env *env);
};

#ifdef __cplusplus
extern "C" {
#endif

/** Frees what sbx_curl_env_create() or sbx_sim_env() gave; NULL is ignored. */
SBX_API void sbx_env_free(struct sbx_env *env);

/** The event behind a token, for a request's `cancel`; NULL for NULL. Lent. */
SBX_API struct sbx_event *sbx_cancel_event(const struct sbx_cancel *cancel);

/** "sent_no_answer" for SBX_EVIDENCE_SENT_NO_ANSWER. Static text. */
SBX_API const char *sbx_evidence_name(int32_t evidence);

/** Is this request one that an env may send? Checks method, URL (absolute, http or https, a host, no credentials, no
 *  control characters or spaces), header names (tokens) and values (no CR, LF, NUL). Every env asks this first and ends
 *  as `protocol` with nothing sent when it is not.
 *  @param why set to static text on failure; may be NULL */
SBX_API enum sbx_status sbx_request_check(const struct sbx_request *req, const char **why);

/** A wait that grows: next() gives first_ms, then twice as much each time, up to max_ms. */
struct sbx_backoff {
    int64_t next_ms;
    int64_t max_ms;
};
SBX_API void sbx_backoff_init(struct sbx_backoff *backoff, int64_t first_ms, int64_t max_ms);

/** Sleeps the next wait, but not beyond `deadline_ms`.
 *  @return SBX_OK, SBX_CANCELLED, or SBX_DEADLINE when the deadline has come */
SBX_API enum sbx_status sbx_backoff_sleep(struct sbx_backoff *backoff, struct sbx_env *env, int64_t deadline_ms,
                                          struct sbx_event *cancel);

#ifdef __cplusplus
}
#endif
#endif
