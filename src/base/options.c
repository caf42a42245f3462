/* Open structs of callers of any release: how one begins, and how one is taken. */
#include <sandport/kit/options.h>

#include <string.h>

void sbx_options_init(void *opt, size_t size) {
    if (!opt || size < sizeof(size_t)) return;
    memset(opt, 0, size);
    memcpy(opt, &size, sizeof(size));
}

enum sbx_status sbx_options_take(void *to, size_t size, const void *from, size_t size_first) {
    size_t given = 0;
    if (!from) return SBX_OK;
    memcpy(&given, from, sizeof(given));
    if (given < size_first) return SBX_INVALID_ARGUMENT;
    for (size_t i = size; i < given; i++)
        if (((const char *)from)[i]) return SBX_INVALID_ARGUMENT;
    memcpy(to, from, given < size ? given : size);
    memcpy(to, &size, sizeof(size));
    return SBX_OK;
}
