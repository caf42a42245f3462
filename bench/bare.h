/* The loop to compare with: a libcurl easy handle that is kept, and nothing else. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <curl/curl.h>
#include <sandport/kit/buf.h>
#include <sandport/kit/env.h>

struct bare {
    CURL *easy;
    struct sbx_buf answer;
};

/** A request as the adapter made it. */
struct bare_request {
    char method[8];
    char *url;
    struct curl_slist *headers;
    struct sbx_buf body;
};

void bare_init(struct bare *bare);
void bare_finish(struct bare *bare);

/** Sends it; a body goes chunked. The answer is collected in bare->answer. @return the HTTP status */
long bare_send(struct bare *bare, const struct bare_request *req);
/** Sends a body from `from`, chunked, as a POST; the answer goes to `to`. */
long bare_transfer(struct bare *bare, const struct bare_request *req, const struct sbx_reader *from,
                   const struct sbx_sink *to);

/** Copies the parts of a request. */
void bare_request_copy(const struct sbx_request *req, struct bare_request *out);
void bare_request_finish(struct bare_request *req);

/** From now on every request of this env is also copied to records[] while there is room. @return how many there are,
 *  kept up to date */
const size_t *bare_record(struct sbx_env *env, struct bare_request *records, size_t cap);
/** No more. */
void bare_record_end(struct sbx_env *env);

#endif
