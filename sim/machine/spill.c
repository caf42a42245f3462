/* Bytes of large files, in a temporary file of the host's: an upload of a gibibyte takes none of its memory. */
#include "sim/machine/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The C library knows where such files go on this host; the stream that it makes is not wanted. */
int sim_spill_open(void) {
    FILE *file = tmpfile();
    int spill = file ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
    if (file) fclose(file);
    return spill;
}

void sim_spill_close(int spill) {
    if (spill >= 0) close(spill);
}

int sim_spill_read(int spill, int64_t pos, void *buf, size_t len) {
    char *to = buf;
    while (len) {
        ssize_t n = pread(spill, to, len, (off_t)pos);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return EIO;
        if (n == 0) break;
        to += n;
        pos += n;
        len -= (size_t)n;
    }
    if (len) memset(to, 0, len);
    return 0;
}

int sim_spill_write(int spill, int64_t pos, const void *data, size_t len) {
    const char *from = data;
    while (len) {
        ssize_t n = pwrite(spill, from, len, (off_t)pos);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return EIO;
        from += n;
        pos += n;
        len -= (size_t)n;
    }
    return 0;
}

int sim_spill_cut(int spill, int64_t size) {
    return ftruncate(spill, (off_t)size) ? EIO : 0;
}
