/* What the files of the curl env share. Rows P4, P9, P11.
 *
 * Every wait of this env - for a server, for an event, for a time - is a curl_multi_poll() on a pooled handle, and
 * every way to end one early is a curl_multi_wakeup(): one mechanism, so nothing can be woken in one place and missed
 * in another. */
#ifndef SANDPORT_SRC_CURL_ROOM_H
#define SANDPORT_SRC_CURL_ROOM_H

#include <curl/curl.h>
#include <pthread.h>
#include <sandport/curl.h>
#include <sandport/kit/buf.h>
#include <sandport/kit/posix.h>

/* CURLOPT_QUICK_EXIT came with 7.87: without it a cancel waits for a resolver that hangs. */
#if LIBCURL_VERSION_NUM < 0x075700
#error "sandport needs libcurl 7.87 or newer"
#endif

/* ---- pool.c ---- */

/** An easy handle with a multi of its own, which holds its live connections. One exchange or wait uses it at a time. */
struct sbx_curl_slot {
    struct sbx_curl_slot *next;
    CURL *easy;
    CURLM *multi;
    uint64_t origin;      /* hash of the scheme and authority that it last spoke to, 0 = none */
    int64_t last_used_ms; /* monotonic */
};

struct sbx_curl_pool {
    pthread_mutex_t mutex;
    struct sbx_curl_slot *idle; /* last used first */
    size_t idle_count;
    int64_t idle_ms_max; /* connections idle for longer are closed */
};

int sbx_curl_pool_init(struct sbx_curl_pool *pool, int64_t idle_ms_max);
void sbx_curl_pool_finish(struct sbx_curl_pool *pool);

/** A slot of the caller's until put back, if possible one with a live connection to `origin`. NULL when memory or
 *  descriptors run out. */
struct sbx_curl_slot *sbx_curl_pool_take(struct sbx_curl_pool *pool, uint64_t origin);
void sbx_curl_pool_put(struct sbx_curl_pool *pool, struct sbx_curl_slot *slot);

/** Makes the slot's easy handle as good as new; its connections stay. @return 0 when memory runs out */
int sbx_curl_slot_renew(struct sbx_curl_slot *slot);

/** A hash of "https://host:port"; never 0. */
uint64_t sbx_curl_origin(const char *url);

/* ---- env.c ---- */

/** Copies of the options, in the form that libcurl takes. */
struct sbx_curl_settings {
    char *ca_pem;
    char *proxy; /* never NULL: "" keeps libcurl from asking the environment */
    struct curl_slist *connect_to;
    int64_t connect_ms;
    int64_t idle_connection_s;
    size_t header_bytes_max;
    int32_t threads;
};

struct sbx_curl_env {
    struct sbx_env table; /* first: a struct sbx_env * is one of these */
    struct sbx_curl_settings settings;
    struct sbx_curl_pool pool;
};

struct sbx_curl_env *sbx_curl_env_of(struct sbx_env *env);

/* ---- event.c ---- */

/** One place that waits for an event; on the waiter's stack. */
struct sbx_curl_waiter {
    struct sbx_curl_waiter *next;
    CURLM *multi;
};

struct sbx_event *sbx_curl_event_new(void);
void sbx_curl_event_free(struct sbx_event *event);
void sbx_curl_event_set(struct sbx_event *event);

/** NULL is an event that is never set, here and below. */
int sbx_curl_event_is_set(struct sbx_event *event);

/** From now until removed, setting the event wakes `waiter->multi`. */
void sbx_curl_event_add(struct sbx_event *event, struct sbx_curl_waiter *waiter);
void sbx_curl_event_remove(struct sbx_event *event, struct sbx_curl_waiter *waiter);

/** @return SBX_OK when `event` is set, SBX_CANCELLED when `cancel` is, SBX_DEADLINE */
enum sbx_status sbx_curl_event_wait(struct sbx_curl_pool *pool, struct sbx_event *event, int64_t deadline_ms,
                                    struct sbx_event *cancel);

/* ---- exchange.c, with its two directions in send.c and receive.c ---- */

/** Who ended an exchange before libcurl did. */
enum sbx_curl_stop {
    SBX_CURL_STOP_NONE,
    SBX_CURL_STOP_RECEIVER,
    SBX_CURL_STOP_READER,
    SBX_CURL_STOP_TOO_LARGE,
    SBX_CURL_STOP_REPLAY,
    SBX_CURL_STOP_DEADLINE,
    SBX_CURL_STOP_CANCEL,
    SBX_CURL_STOP_MEMORY
};

/** The request on its way out. */
struct sbx_curl_send {
    const void *body;
    size_t body_len;
    const struct sbx_reader *reader; /* instead of body when not NULL */
    int64_t length;                  /* -1 = unknown or not to be told: chunked */
    uint64_t taken;                  /* body bytes that libcurl has taken */
    int idempotent;
    uint32_t attempts; /* how often libcurl began to send the request */
    uint64_t base;     /* what libcurl had counted as sent before the first attempt: a proxy's CONNECT */
    uint64_t sent_max; /* by attempts before the last: libcurl counts a body anew with each */
};

/** The answer on its way in. */
struct sbx_curl_receive {
    const struct sbx_receiver *to; /* may be NULL */
    struct sbx_buf lines;          /* name NUL value NUL, of the head that is coming in */
    size_t line_count;
    int head_given;
    int32_t http_status; /* of the final answer, 0 = no status line of one yet */
    uint64_t head_bytes; /* of all heads and trailers */
    size_t head_bytes_max;
    uint64_t got_bytes;
    uint64_t body_bytes_max; /* 0 = no limit */
};

struct sbx_curl_exchange {
    CURL *easy;
    struct sbx_curl_send send;
    struct sbx_curl_receive receive;
    enum sbx_curl_stop stop;
};

enum sbx_evidence sbx_curl_exchange(struct sbx_curl_env *env, const struct sbx_request *req,
                                    const struct sbx_receiver *to, struct sbx_exchange_info *info);

void sbx_curl_send_init(struct sbx_curl_send *send, const struct sbx_request *req);

/** Would this attempt be a second copy of a request that may have been received? Ends the exchange if so. */
int sbx_curl_send_refused(struct sbx_curl_exchange *x);

/** CURLOPT_READFUNCTION, SEEKFUNCTION, RESOLVER_START_FUNCTION, PREREQFUNCTION; `arg` is the struct sbx_curl_exchange.
 */
size_t sbx_curl_send_read(char *buf, size_t size, size_t n, void *arg);
int sbx_curl_send_seek(void *arg, curl_off_t offset, int origin);
int sbx_curl_send_resolve(void *resolver, void *reserved, void *arg);
int sbx_curl_send_begin(void *arg, char *peer, char *local, int peer_port, int local_port);

/** Request bytes, head included, that were given to the wire. */
uint64_t sbx_curl_send_count(const struct sbx_curl_exchange *x);

/** CURLOPT_HEADERFUNCTION and CURLOPT_WRITEFUNCTION. */
size_t sbx_curl_receive_head(char *line, size_t size, size_t n, void *arg);
size_t sbx_curl_receive_body(char *data, size_t size, size_t n, void *arg);
void sbx_curl_receive_finish(struct sbx_curl_receive *receive);

/* ---- options.c ---- */
enum sbx_status sbx_curl_settings_init(struct sbx_curl_settings *settings, const struct sbx_curl_options *opt);
void sbx_curl_settings_finish(struct sbx_curl_settings *settings);

/** Readies the easy handle, which is as good as new, for the request. @param headers set to what must be freed once the
 * exchange has ended */
CURLcode sbx_curl_options_apply(const struct sbx_curl_settings *settings, const struct sbx_request *req,
                                struct sbx_curl_exchange *x, struct curl_slist **headers);

/* ---- evidence.c ---- */

/** What is known of an exchange that has ended. */
struct sbx_curl_facts {
    CURLcode code;
    enum sbx_curl_stop stop;
    int32_t http_status;
    int head_whole; /* the final answer's head came to its end */
    uint64_t sent_bytes;
};

enum sbx_evidence sbx_curl_evidence(const struct sbx_curl_facts *facts);

#endif
