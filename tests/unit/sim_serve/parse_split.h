/* What a stream of request bytes parses to, as text, when it arrives in pieces. */
#ifndef TESTS_SIM_SERVE_PARSE_SPLIT_H
#define TESTS_SIM_SERVE_PARSE_SPLIT_H

#include <stddef.h>

/** Parses all requests in the stream, given in pieces that end at `cuts` (ascending, may be NULL) and at its end.
 *  "GET /a 1.1 keep\n  host: x\n  body 5: hello\n", then "bad 400: why\n" or "more\n" if the last one is not whole.
 *  @return text to free() */
char *parse_render(const char *bytes, size_t len, const size_t *cuts, size_t cut_count);

/** The same, one byte a piece. */
char *parse_render_bytewise(const char *bytes, size_t len);

#endif
