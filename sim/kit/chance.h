/* Seeded chance: a stream per purpose, so that a draw added in one place does not move the draws of all others. */
#ifndef SIM_KIT_CHANCE_H
#define SIM_KIT_CHANCE_H

#include <stdint.h>

#define CHANCE_STREAMS_MAX 64

/** One stream: SplitMix64, whose state is a counter. */
struct chance_stream {
    const char *name; /* a literal */
    uint64_t state;
};

struct chance {
    uint64_t seed;
    int count;
    struct chance_stream streams[CHANCE_STREAMS_MAX];
};

uint64_t sim_chance_draw(struct chance *chance, const char *stream);
/** Uniform in [0, n); n > 0. */
uint64_t sim_chance_below(struct chance *chance, const char *stream, uint64_t n);

#endif
