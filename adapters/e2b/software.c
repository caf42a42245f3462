/* What a daemon of some version can do: only that decides, never a try. Row R12. */
#include "adapters/e2b/dto.h"

#include <sandport/kit/text.h>
#include <string.h>

/* Digits until a dot or whatever else. @return -1 if there are none */
static int64_t part(const char **at) {
    char digits[10] = "";
    int64_t value = -1;
    const size_t len = strspn(*at, "0123456789");
    if (len == 0 || len >= sizeof(digits)) return -1;
    memcpy(digits, *at, len);
    if (!sbx_text_int(digits, 0, INT64_MAX, &value)) return -1;
    *at += len;
    if (**at == '.') ++*at;
    return value;
}

int e2b_software_since(const char *software, int64_t major, int64_t minor, int64_t patch) {
    const int64_t want[] = {major, minor, patch};
    if (*software == 'v') software++;
    for (size_t i = 0; i < 3; i++) {
        const int64_t is = part(&software);
        if (is != want[i]) return is > want[i];
    }
    return 1;
}
