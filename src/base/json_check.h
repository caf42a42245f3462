/* Is a text JSON by RFC 8259, valid UTF-8, without an escaped NUL and not too deep? Builds nothing. */
#ifndef SRC_BASE_JSON_CHECK_H
#define SRC_BASE_JSON_CHECK_H

#include <stddef.h>

/** @param where the byte at which it went wrong
 *  @return NULL if it is, else what was expected there; static text */
const char *sbx_json_check(const char *text, size_t len, int depth_max, size_t *where);

#endif
