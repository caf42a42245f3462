/* The version of the library that is linked. */
#include <sandport/api.h>

const char *sbx_version(void) {
    return SBX_VERSION_TEXT;
}
