/* gzip streams, by zlib. Its memory is the process's, so that a killed one leaves none. */
#include "sim/machine/tools/gz.h"
#include <errno.h>
#include <string.h>
#include <zlib.h>

#define GZ_BYTES 16384
#define GZ_BITS  (15 + 16) /* zlib's way to say gzip */

struct sim_gz {
    struct sim_proc *p;
    int fd, writes, ended, any;
    z_stream z;
    gz_header header;
    const char *why;
    int64_t bytes_in;
    unsigned char buf[GZ_BYTES];
};

static void *gz_alloc(void *p, unsigned n, unsigned size) {
    return sim_keep(p, (size_t)n * size);
}

static void gz_free(void *p, void *at) {
    sim_drop(p, at);
}

static struct sim_gz *gz_new(struct sim_proc *p, int fd) {
    struct sim_gz *z = sim_keep(p, sizeof *z);
    memset(z, 0, sizeof *z);
    z->p = p;
    z->fd = fd;
    z->z.zalloc = gz_alloc;
    z->z.zfree = gz_free;
    z->z.opaque = p;
    return z;
}

struct sim_gz *sim_gz_writer(struct sim_proc *p, int fd, int level, const char *name, int64_t mtime_s) {
    struct sim_gz *z = gz_new(p, fd);
    z->writes = 1;
    deflateInit2(&z->z, level, Z_DEFLATED, GZ_BITS, 8, Z_DEFAULT_STRATEGY);
    z->header.os = 3;
    z->header.time = (unsigned long)mtime_s;
    union {
        const char *text;
        unsigned char *bytes; /* zlib reads it only */
    } header_name = {.text = name};
    z->header.name = header_name.bytes;
    deflateSetHeader(&z->z, &z->header);
    z->z.next_out = z->buf;
    z->z.avail_out = GZ_BYTES;
    return z;
}

static int gz_empty(struct sim_gz *z) {
    size_t len = GZ_BYTES - z->z.avail_out;
    int e = len ? sim_sys_write(z->p, z->fd, z->buf, len) : 0;
    z->z.next_out = z->buf;
    z->z.avail_out = GZ_BYTES;
    return e;
}

int sim_gz_write(struct sim_gz *z, const void *data, size_t len) {
    unsigned char copy[4096]; /* zlib's pointer is not const */
    const char *from = data;
    while (len) {
        size_t n = len < sizeof copy ? len : sizeof copy;
        memcpy(copy, from, n);
        from += n;
        len -= n;
        z->z.next_in = copy;
        z->z.avail_in = (unsigned)n;
        while (z->z.avail_in) {
            deflate(&z->z, Z_NO_FLUSH);
            int e = z->z.avail_out ? 0 : gz_empty(z);
            if (e) return e;
        }
    }
    return 0;
}

struct sim_gz *sim_gz_reader(struct sim_proc *p, int fd, const void *data, size_t have) {
    struct sim_gz *z = gz_new(p, fd);
    inflateInit2(&z->z, GZ_BITS);
    if (have) memcpy(z->buf, data, have);
    z->z.next_in = z->buf;
    z->z.avail_in = (unsigned)have;
    z->bytes_in = (int64_t)have;
    return z;
}

/* More input, behind what is left of it. @return bytes that there are, or -errno */
static ptrdiff_t gz_fill(struct sim_gz *z, size_t least) {
    if (z->z.avail_in && z->z.next_in != z->buf) memmove(z->buf, z->z.next_in, z->z.avail_in);
    z->z.next_in = z->buf;
    while (z->z.avail_in < least) {
        ptrdiff_t n = sim_sys_read(z->p, z->fd, z->buf + z->z.avail_in, GZ_BYTES - z->z.avail_in);
        if (n < 0) return n;
        if (n == 0) break;
        z->z.avail_in += (unsigned)n;
        z->bytes_in += n;
    }
    return z->z.avail_in;
}

/* Another member may follow; zeros behind the last are padding. @return 1 if there is one */
static ptrdiff_t gz_next_member(struct sim_gz *z) {
    ptrdiff_t n = gz_fill(z, 2);
    if (n <= 0) return n;
    while (n > 0 && z->z.avail_in && *z->z.next_in == 0) {
        z->z.next_in++;
        if (--z->z.avail_in == 0) n = gz_fill(z, 2);
    }
    if (n <= 0 || z->z.avail_in == 0) return n;
    if (n < 2 || z->z.next_in[0] != 0x1f || z->z.next_in[1] != 0x8b) {
        z->why = "decompression OK, trailing garbage ignored";
        return 0;
    }
    inflateReset(&z->z);
    return 1;
}

ptrdiff_t sim_gz_read(struct sim_gz *z, void *buf, size_t len) {
    if (z->ended || !len) return 0;
    z->z.next_out = buf;
    z->z.avail_out = (unsigned)len;
    while (z->z.avail_out == len) {
        ptrdiff_t n = z->z.avail_in ? 1 : gz_fill(z, 1);
        if (n < 0) return n;
        if (n == 0) {
            z->why = z->any ? "unexpected end of file" : "";
            z->ended = 1;
            return z->any ? -1 : 0;
        }
        z->any = 1;
        int got = inflate(&z->z, Z_NO_FLUSH);
        if (got == Z_STREAM_END) {
            n = gz_next_member(z);
            if (n < 0) return n;
            if (n == 0) z->ended = 1;
            if (n == 0) break;
        } else if (got != Z_OK && got != Z_BUF_ERROR) {
            z->why = z->z.total_out == 0 && z->z.total_in < 10 ? "not in gzip format"
                                                               : "invalid compressed data--format violated";
            if (z->z.msg && strstr(z->z.msg, "data check")) z->why = "invalid compressed data--crc error";
            if (z->z.msg && strstr(z->z.msg, "length check")) z->why = "invalid compressed data--length error";
            z->ended = 1;
            return -1;
        }
    }
    return (ptrdiff_t)(len - z->z.avail_out);
}

const char *sim_gz_why(const struct sim_gz *z) {
    return z->why ? z->why : "";
}

int64_t sim_gz_bytes_in(const struct sim_gz *z) {
    return z->bytes_in;
}

int sim_gz_finish(struct sim_gz *z) {
    int e = 0;
    if (z->writes) {
        int got;
        do {
            got = deflate(&z->z, Z_FINISH);
            e = gz_empty(z);
        } while (!e && got == Z_OK);
        deflateEnd(&z->z);
    } else {
        inflateEnd(&z->z);
    }
    sim_drop(z->p, z);
    return e;
}
