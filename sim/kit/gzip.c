/* gzip streams in memory, by zlib. No stamp and no name in them, so that the same bytes give the same bytes. */
#include "sim/kit/gzip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define GZIP_PIECE 16384
#define GZIP_BITS  (15 + 16) /* zlib's way to say gzip */

struct sim_gzip {
    z_stream z;
    enum sim_gzip_way way;
    int done;
};

struct sim_gzip *sim_gzip_new(enum sim_gzip_way way) {
    struct sim_gzip *z = calloc(1, sizeof(*z));
    int failed = Z_MEM_ERROR;
    if (!z) return NULL;
    z->way = way;
    if (way == SIM_GZIP_PACK)
        failed = deflateInit2(&z->z, 6, Z_DEFLATED, GZIP_BITS, 8, Z_DEFAULT_STRATEGY);
    else
        failed = inflateInit2(&z->z, GZIP_BITS);
    if (failed == Z_OK) return z;
    free(z);
    return NULL;
}

void sim_gzip_free(struct sim_gzip *z) {
    if (!z) return;
    if (z->way == SIM_GZIP_PACK)
        (void)deflateEnd(&z->z);
    else
        (void)inflateEnd(&z->z);
    free(z);
}

static int gzip_step(struct sim_gzip *z, int flush) {
    return z->way == SIM_GZIP_PACK ? deflate(&z->z, flush) : inflate(&z->z, Z_NO_FLUSH);
}

/* All of one piece of input. */
static enum sbx_status gzip_piece(struct sim_gzip *z, unsigned char *data, size_t len, int flush, struct sbx_buf *out) {
    z->z.next_in = data;
    z->z.avail_in = (unsigned)len;
    for (;;) {
        char *room = sbx_buf_reserve(out, GZIP_PIECE);
        if (!room) return SBX_NO_MEMORY;
        z->z.next_out = (unsigned char *)room;
        z->z.avail_out = GZIP_PIECE;
        const int how = gzip_step(z, flush);
        out->len += GZIP_PIECE - z->z.avail_out;
        if (how == Z_STREAM_END) z->done = 1;
        if (how == Z_MEM_ERROR) return SBX_NO_MEMORY;
        if (how != Z_OK && how != Z_STREAM_END && how != Z_BUF_ERROR) return SBX_PROTOCOL;
        if (z->done || z->z.avail_out) return z->done && z->z.avail_in ? SBX_PROTOCOL : SBX_OK;
    }
}

enum sbx_status sim_gzip_put(struct sim_gzip *z, const void *data, size_t len, int last, struct sbx_buf *out) {
    unsigned char copy[GZIP_PIECE]; /* zlib's pointer is not const */
    const char *from = data;
    enum sbx_status st = SBX_OK;
    do {
        const size_t n = len < sizeof(copy) ? len : sizeof(copy);
        if (n && z->done) return SBX_PROTOCOL;
        if (n) memcpy(copy, from, n);
        len -= n;
        if (from) from += n;
        st = gzip_piece(z, copy, n, last && !len ? Z_FINISH : Z_NO_FLUSH, out);
    } while (len && !st);
    return st;
}

int sim_gzip_done(const struct sim_gzip *z) {
    return z->done;
}
