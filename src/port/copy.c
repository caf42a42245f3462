/* Copies of what an adapter lends, in the memory of a result. */
#include "src/port/port.h"

#include <stdlib.h>
#include <string.h>

char *sbx_port_bytes_copy(const void *data, size_t len) {
    char *copy = malloc(len + 1);
    if (!copy) return NULL;
    if (len) memcpy(copy, data, len);
    copy[len] = 0;
    return copy;
}

size_t sbx_port_text_size(const char *text) {
    return text ? strlen(text) + 1 : 1;
}

const char *sbx_port_text_put(char **at, const char *text) {
    size_t size = sbx_port_text_size(text);
    char *to = *at;
    memcpy(to, text ? text : "", size);
    *at += size;
    return to;
}
