/* The version of the library that is linked. */
#include <sandport/api.h>

#define TEXT_OF(x)       #x
#define VERSION(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

const char *sbx_version(void) {
    return VERSION(SBX_VERSION_MAJOR, SBX_VERSION_MINOR, SBX_VERSION_PATCH);
}
