/* The Connect protocol's streams, fed piece by piece: envelopes of a flag byte, a length and a payload. Row E8.
 *
 * A stream ends well only by an envelope that says so. A connection that is cut, and one that ends without such an
 * envelope, prove nothing, and are told apart from an end that names an error. */
#ifndef SANDPORT_KIT_CONNECT_H
#define SANDPORT_KIT_CONNECT_H

#include <sandport/kit/buf.h>
#include <sandport/kit/env.h>

#define SBX_CONNECT_MESSAGE_MAX  (16u * 1024 * 1024) /* the default limit of one payload */
#define SBX_CONNECT_CODE_SIZE    32
#define SBX_CONNECT_MESSAGE_SIZE 256

struct sbx_connect_decoder;

/** Takes a message: the payload of one envelope, NUL-terminated behind it, lent during the call. Returns 0 to go on;
 * anything else ends it as SBX_STREAM. */
struct sbx_connect_sink {
    size_t size;
    void *ctx;
    int (*message)(void *ctx, const char *data, size_t len);
};

/** How a stream ended. Stored as int32_t. */
enum sbx_connect_ending {
    SBX_CONNECT_WELL = 0,   /* an end envelope without an error, and nothing behind it */
    SBX_CONNECT_ERROR = 1,  /* an end envelope with one: code and message say which */
    SBX_CONNECT_RESET = 2,  /* cut off before the end envelope: the evidence of the exchange says so */
    SBX_CONNECT_SHORT = 3,  /* ended in good order and without an end envelope, or inside of one */
    SBX_CONNECT_BROKEN = 4, /* not the protocol */
    SBX_CONNECT_STOPPED = 5 /* by the sink, a limit, or memory */
};

/** The error of an end envelope, or of an answer to a call that is no stream. A provider's text: for matching, never to
 * be passed on. */
struct sbx_connect_error {
    size_t size;
    char code[SBX_CONNECT_CODE_SIZE];       /* "not_found"; "" if not said */
    char message[SBX_CONNECT_MESSAGE_SIZE]; /* cut to fit */
    int64_t number;                         /* `code` as a number, as proxies in front write it; 0 if it is none */
};

#ifdef __cplusplus
extern "C" {
#endif

/** Appends one envelope with no flags: the request of a stream. */
SBX_API void sbx_connect_envelope(struct sbx_buf *buf, const void *payload, size_t len);

/** @param sink copied
 *  @param message_max longer payloads are SBX_TOO_LARGE, found at their length; 0 = SBX_CONNECT_MESSAGE_MAX
 *  @return NULL when memory runs out */
SBX_API struct sbx_connect_decoder *sbx_connect_decoder_create(const struct sbx_connect_sink *sink, size_t message_max);
SBX_API void sbx_connect_decoder_free(struct sbx_connect_decoder *decoder);

/** Takes the next bytes; where they are cut makes no difference. After a failure the same failure comes again.
 *  @return SBX_OK, SBX_PROTOCOL (unknown flags, bytes behind the end, an end that is not what it should be),
 *          SBX_TOO_LARGE, SBX_STREAM or SBX_NO_MEMORY */
SBX_API SBX_MUST_USE enum sbx_status sbx_connect_feed(struct sbx_connect_decoder *decoder, const void *data,
                                                      size_t len);

/** What it all came to, once the exchange is over. @param evidence enum sbx_evidence @return enum sbx_connect_ending */
SBX_API int32_t sbx_connect_ending(const struct sbx_connect_decoder *decoder, int32_t evidence);

/** The error that the end envelope named; its code is "" unless the ending is SBX_CONNECT_ERROR. Lent. */
SBX_API const struct sbx_connect_error *sbx_connect_error(const struct sbx_connect_decoder *decoder);

/** Reads {"code":...,"message":...}: an error's body. @param out size set by the caller
 *  @return SBX_OK, SBX_PROTOCOL if it is no JSON object, SBX_NO_MEMORY */
SBX_API SBX_MUST_USE enum sbx_status sbx_connect_error_read(const char *text, size_t len,
                                                            struct sbx_connect_error *out);

/** Is it the content type of a stream of JSON messages, whatever parameters follow? */
SBX_API int sbx_connect_is_stream(const char *content_type);

#ifdef __cplusplus
}
#endif
#endif
