/* What the files that make up a sim_http share. Clouds and faces use http.h. */
#ifndef SIM_KIT_HTTP_INSIDE_H
#define SIM_KIT_HTTP_INSIDE_H

#include "sim/kit/http.h"
#include "sim/kit/secrets.h"

#define HTTP_HEADERS_MAX   16
#define HTTP_JOURNAL_BYTES 4096 /* a longer body goes into the journal as its length and hash */

struct http_query {
    struct http_query *next;
    char *name; /* decoded, in the same block as value */
    char *value;
};

/** How the answer stands. */
enum http_answer { HTTP_NONE, HTTP_BEGUN, HTTP_DONE, HTTP_ABORTED };

struct sim_http {
    struct sim *sim;
    struct sim_cloud *cloud;
    const struct sim_request *req;
    struct sim_link *link;
    int64_t number; /* of the exchange */
    int64_t start_ns;

    char *path;
    struct http_query *query;
    int query_parsed;
    struct sbx_buf body;
    int body_read;
    int body_is_file;
    enum sbx_status body_status;
    uint64_t body_bytes;
    struct sbx_sha256 *body_hash; /* of a body that is not kept */
    struct sbx_json *js;
    size_t json_at, json_len;    /* the part of the body that it was, when not all */
    struct sim_secrets *secrets; /* of this exchange alone; NULL = none */
    int secrets_lost;            /* there was no memory for one: the line must not be written */

    const char *op;
    struct sbx_buf subject[4]; /* sandbox, name, state, labels */
    struct sbx_buf faults;     /* JSON array members */
    struct sbx_buf notes;
    const char *unsupported;

    size_t header_names[HTTP_HEADERS_MAX]; /* where each begins in header_texts */
    size_t header_values[HTTP_HEADERS_MAX];
    size_t header_count;
    struct sbx_buf header_texts;
    enum http_answer answer;
    int status;
    uint64_t answer_bytes;
    struct sbx_buf answer_body; /* of a whole answer that goes into the journal as it is */
    int answer_is_json;         /* written by our own writer, and not changed since */
    uint64_t answer_length;
    char answer_hex[65]; /* of one that is too long for that */
    const char *ended;   /* "done", "reset", ... */

    int64_t cut_at; /* body bytes after which the answer is cut, -1 = not */
    enum sim_abort cut_how;
    int64_t slow_ms;
    const struct sim_effect *mutate;
};

/** Asks the rules of the two phases inside an answer, and remembers what they want of it. */
void sim_http_reply_faults(struct sim_http *x);
/** Writes the exchange's line and its timeline. */
void sim_http_journal(struct sim_http *x);
void sim_http_hash_body(struct sim_http *x, const void *data, size_t len);

#endif
