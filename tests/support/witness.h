/* How late this machine is at the moment: a thread that sleeps a millisecond again and again, and remembers by how much
 * it has overslept. What must be prompt is held against that, so that a busy machine fails nothing, and an idle one
 * hides nothing. */
#ifndef TESTS_SUPPORT_WITNESS_H
#define TESTS_SUPPORT_WITNESS_H

#include <stdint.h>

struct witness;

struct witness *witness_begin(void);

/** How late an end may be noticed: 100 ms as promised, and ten times the worst that has been seen since the beginning,
 *  since being woken takes several threads their turn. */
int64_t witness_late_ms(const struct witness *witness);

void witness_end(struct witness *witness);

#endif
