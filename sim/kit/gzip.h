/* gzip streams in memory: what comes in goes out, packed or unpacked, in pieces of any size. */
#ifndef SIM_KIT_GZIP_H
#define SIM_KIT_GZIP_H

#include <sandport/kit/buf.h>

struct sim_gzip;

enum sim_gzip_way { SIM_GZIP_PACK, SIM_GZIP_UNPACK };

/** NULL when memory runs out. */
struct sim_gzip *sim_gzip_new(enum sim_gzip_way way);
void sim_gzip_free(struct sim_gzip *z); /* NULL is ignored */
/** Appends what `data` comes to. @param last nothing follows
 *  @return SBX_OK, SBX_PROTOCOL for what is no gzip stream, SBX_NO_MEMORY */
enum sbx_status sim_gzip_put(struct sim_gzip *z, const void *data, size_t len, int last, struct sbx_buf *out);
/** Has an unpacked stream come to its end? */
int sim_gzip_done(const struct sim_gzip *z);

#endif
