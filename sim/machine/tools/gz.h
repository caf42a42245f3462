/* gzip streams between descriptors, by zlib, in constant memory. */
#ifndef SIM_MACHINE_GZ_H
#define SIM_MACHINE_GZ_H

#include "sim/machine/inside.h"

struct sim_gz;

/** A writer to `fd`. @param name in the header; NULL = none. @param mtime_s 0 = none */
struct sim_gz *sim_gz_writer(struct sim_proc *p, int fd, int level, const char *name, int64_t mtime_s);
/** @return 0, or -errno of the write */
int sim_gz_write(struct sim_gz *z, const void *data, size_t len);

/** A reader of `fd`, whose first `have` bytes have been read already. */
struct sim_gz *sim_gz_reader(struct sim_proc *p, int fd, const void *data, size_t have);
/** @return bytes, 0 at the end, -1 where it is no gzip stream or damaged (sim_gz_why), or -errno of the read */
ptrdiff_t sim_gz_read(struct sim_gz *z, void *buf, size_t len);
const char *sim_gz_why(const struct sim_gz *z);
int64_t sim_gz_bytes_in(const struct sim_gz *z);

/** Ends it; a writer writes what it held back. @return 0, or -errno */
int sim_gz_finish(struct sim_gz *z);

#endif
