/* Chance: SplitMix64 streams seeded by the seed and the stream's name. Integers only decide. */
#include "sim/kit/chance.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t name_hash(const char *name) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++) h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return h;
}

static struct chance_stream *stream_of(struct chance *chance, const char *name) {
    for (int i = 0; i < chance->count; i++)
        if (chance->streams[i].name == name || strcmp(chance->streams[i].name, name) == 0) return &chance->streams[i];
    if (chance->count == CHANCE_STREAMS_MAX) abort(); /* streams are literals of ours: too many is our bug */
    struct chance_stream *stream = &chance->streams[chance->count++];
    stream->name = name;
    stream->state = mix(chance->seed + UINT64_C(0x9e3779b97f4a7c15)) ^ name_hash(name);
    return stream;
}

uint64_t sim_chance_draw(struct chance *chance, const char *stream) {
    struct chance_stream *s = stream_of(chance, stream);
    s->state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(s->state);
}

uint64_t sim_chance_below(struct chance *chance, const char *stream, uint64_t n) {
    uint64_t limit = UINT64_MAX - UINT64_MAX % n, drawn = 0;
    do drawn = sim_chance_draw(chance, stream);
    while (drawn >= limit);
    return drawn % n;
}
