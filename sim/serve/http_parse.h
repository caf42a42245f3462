/* A strict, incremental reader of HTTP/1.1 requests: any split of the bytes gives the same result.
 *
 * The head is read in place: the bytes stay in the caller's buffer, which may move between calls, and each text is
 * ended there by a NUL. What is refused: a line not ended by CRLF, a folded header, white space before a colon, control
 * characters, no Host or two, both Content-Length and Transfer-Encoding, any coding but one "chunked", and whatever is
 * beyond the limits below. */
#ifndef SIM_SERVE_HTTP_PARSE_H
#define SIM_SERVE_HTTP_PARSE_H

#include <stddef.h>
#include <stdint.h>

#define SERVE_LINE_MAX       16384 /* a request line or a header, without its CRLF */
#define SERVE_HEAD_MAX       65536
#define SERVE_FIELDS_MAX     128
#define SERVE_METHOD_MAX     32
#define SERVE_TRAILER_MAX    8192 /* all lines behind the last chunk */
#define SERVE_CHUNK_LINE_MAX 256

enum serve_parse {
    SERVE_MORE, /* as far as it goes it is good */
    SERVE_DATA, /* bodies only: a piece of it */
    SERVE_DONE,
    SERVE_BAD
};

/** A header field: where its texts begin in the buffer. */
struct serve_field {
    uint32_t name_at;
    uint32_t value_at;
};

/** A head being read; zeroed to begin with. */
struct serve_head {
    uint32_t line_at; /* the line being collected begins here */
    uint32_t scan_at; /* and holds no end before here */
    uint32_t bytes;   /* of the whole head, once done */
    uint32_t method_at;
    uint32_t target_at;
    int minor;       /* HTTP/1.minor */
    int64_t length;  /* of the body; -1 = chunked */
    int keep_alive;  /* may the connection serve another request? */
    int expects_100; /* the client waits for 100 Continue */
    int host_count, length_count, coding_count;
    int bad_status;  /* when refused: the answer that says so */
    const char *why; /* and static text */
    uint32_t field_count;
    struct serve_field fields[SERVE_FIELDS_MAX];
};

/** Goes on with `len` bytes that have been received since the request began, those of earlier calls among them.
 *  @return SERVE_MORE, SERVE_DONE (h->bytes of them are the head) or SERVE_BAD */
enum serve_parse serve_head_read(struct serve_head *h, char *data, size_t len);

/** The value of a field, any case; NULL if absent. `data` as given to serve_head_read(). */
const char *serve_head_field(const struct serve_head *h, const char *data, const char *name);

/** A body being read. */
struct serve_body {
    int state;
    int64_t left;  /* of the body, or of the chunk */
    size_t digits; /* of the chunk's length so far */
    size_t line;   /* bytes of the line, or of all trailers, so far */
};

/** @param length as in the head: -1 = chunked */
void serve_body_begin(struct serve_body *b, int64_t length);

/** Takes from `in` up to the end of the next piece of the body.
 *  @param used   how many bytes were taken, set always
 *  @param piece  with SERVE_DATA: where in `in` the piece is, piece_len bytes
 *  @return SERVE_DATA: call again; SERVE_MORE: all was taken; SERVE_DONE: what is left belongs to the next request */
enum serve_parse serve_body_read(struct serve_body *b, const char *in, size_t len, size_t *used, const char **piece,
                                 size_t *piece_len);

/** Would serve_body_read() end the body without another byte? */
int serve_body_whole(const struct serve_body *b);

#endif
