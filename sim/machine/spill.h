/* Bytes of large files that are kept on the host's disk instead of in its memory. */
#ifndef SIM_MACHINE_SPILL_H
#define SIM_MACHINE_SPILL_H

#include <stddef.h>
#include <stdint.h>

/** A temporary file without a name: nobody else sees it, and it goes when it is closed or the process ends.
 *  @return its descriptor, or -1 when the host has no room for one */
int sim_spill_open(void);
void sim_spill_close(int spill); /* -1 is harmless */

/** What was never written reads as zeros. @return 0 or EIO: the host's disk failed */
int sim_spill_read(int spill, int64_t pos, void *buf, size_t len);
int sim_spill_write(int spill, int64_t pos, const void *data, size_t len);
/** Forgets everything from `size` on. @return 0 or EIO */
int sim_spill_cut(int spill, int64_t size);

#endif
