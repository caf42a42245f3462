/* Bytes that several adapters speak: whole answers, URLs with queries, multipart bodies. */
#ifndef SANDPORT_KIT_WIRE_H
#define SANDPORT_KIT_WIRE_H

#include <sandport/error.h>
#include <sandport/kit/buf.h>
#include <sandport/kit/env.h>
#include <sandport/kit/json.h>

/** An answer held in memory. */
struct sbx_answer {
    size_t size;
    int32_t evidence; /* enum sbx_evidence */
    int32_t http_status;
    uint64_t sent_bytes;
    struct sbx_buf head; /* "name: value\n" lines, names in lower case */
    struct sbx_buf body;
};

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_answer_init(struct sbx_answer *ans, size_t size);
SBX_API void sbx_answer_finish(struct sbx_answer *ans);

/** One exchange with its answer collected. Fills `ans`, which was init'ed. */
SBX_API void sbx_exchange_collect(struct sbx_env *env, const struct sbx_request *req, struct sbx_answer *ans);

/** One exchange whose body, when the status is 200, goes to a sink as it comes; the first 64 KiB or so of any other go
 * into `ans`, which was init'ed. Its head is not kept. */
SBX_API void sbx_exchange_to_sink(struct sbx_env *env, const struct sbx_request *req, const struct sbx_sink *to,
                                  struct sbx_answer *ans);

/** Parses the body. @param out set on SBX_OK: sbx_json_free() @return SBX_PROTOCOL or SBX_NO_MEMORY, outcome UNKNOWN */
SBX_API SBX_MUST_USE enum sbx_status sbx_answer_json(const struct sbx_answer *ans, struct sbx_json **out,
                                                     struct sbx_error *err);

/** The value of a header, copied. @param name in lower case @return 0 if there is none or it does not fit */
SBX_API int sbx_answer_header(const struct sbx_answer *ans, const char *name, char *out, size_t cap);

/** Is the answer's content type JSON? */
SBX_API int sbx_answer_is_json(const struct sbx_answer *ans);

/** The delay that `Retry-After` or any `Retry-After-<throttler>` asks for, the longest; -1 if none. Seconds only: a
 * date is ignored. */
SBX_API int64_t sbx_answer_retry_after_ms(const struct sbx_answer *ans);

/** Appends ?name=value or &name=value, percent-encoded. */
SBX_API void sbx_url_query(struct sbx_buf *url, const char *name, const char *value);

/** Is it an absolute http or https URL with a host and no credentials, query or fragment? As for an endpoint. */
SBX_API int sbx_url_is_base(const char *url);

#ifdef __cplusplus
}
#endif
#endif
