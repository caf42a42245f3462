/* The system's clocks and its randomness. Row P4. */
#include <sandport/kit/posix.h>

#include <time.h>
#include <unistd.h>

static int64_t clock_read(clockid_t clock) {
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t sbx_posix_now_ms(void) {
    return clock_read(CLOCK_MONOTONIC);
}

int64_t sbx_posix_wall_ms(void) {
    return clock_read(CLOCK_REALTIME);
}

int sbx_posix_poll_ms(int64_t when_ms) {
    int64_t now = sbx_posix_now_ms();
    if (when_ms <= now) return 0;
    return when_ms - now < 60000 ? (int)(when_ms - now) : 60000;
}

/* getentropy gives at most 256 bytes a call. */
enum sbx_status sbx_posix_random(void *buf, size_t len) {
    unsigned char *at = buf;
    while (len) {
        size_t piece = len < 256 ? len : 256;
        if (getentropy(at, piece) != 0) return SBX_PROVIDER;
        at += piece;
        len -= piece;
    }
    return SBX_OK;
}
