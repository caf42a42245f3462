/* Pipes: bytes between processes, in a ring that grows to its limit. */
#include "sim/machine/fd.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sim_pipe *sim_pipe_new(size_t max) {
    struct sim_pipe *pipe = calloc(1, sizeof *pipe);
    if (pipe) pipe->max = max;
    return pipe;
}

void sim_pipe_free(struct sim_pipe *pipe) {
    if (!pipe) return;
    free(pipe->data);
    free(pipe);
}

static int pipe_grow(struct sim_pipe *pipe, size_t want) {
    size_t cap = pipe->cap ? pipe->cap : 256;
    while (cap < want) cap *= 2;
    char *data = malloc(cap);
    if (!data) return 0;
    size_t len = pipe->len;
    sim_pipe_get(pipe, data, len);
    free(pipe->data);
    pipe->data = data;
    pipe->cap = cap;
    pipe->start = 0;
    pipe->len = len;
    return 1;
}

ptrdiff_t sim_pipe_put(struct sim_pipe *pipe, const void *data, size_t len) {
    size_t room = pipe->max - pipe->len;
    if (len > room) len = room;
    if (pipe->len + len > pipe->cap && !pipe_grow(pipe, pipe->len + len)) return -ENOMEM;
    const char *from = data;
    for (size_t done = 0; done < len;) {
        size_t at = (pipe->start + pipe->len) % pipe->cap;
        size_t n = pipe->cap - at < len - done ? pipe->cap - at : len - done;
        memcpy(pipe->data + at, from + done, n);
        pipe->len += n;
        done += n;
    }
    return (ptrdiff_t)len;
}

size_t sim_pipe_get(struct sim_pipe *pipe, void *buf, size_t len) {
    char *to = buf;
    if (len > pipe->len) len = pipe->len;
    assert(pipe->len <= pipe->cap);
    for (size_t done = 0; done < len;) {
        size_t n = pipe->cap - pipe->start < len - done ? pipe->cap - pipe->start : len - done;
        memcpy(to + done, pipe->data + pipe->start, n);
        pipe->start += n;
        if (pipe->start == pipe->cap) pipe->start = 0;
        pipe->len -= n;
        done += n;
    }
    if (pipe->len == 0) pipe->start = 0;
    return len;
}

size_t sim_pipe_line(const struct sim_pipe *pipe, size_t max) {
    size_t len = max < pipe->len ? max : pipe->len;
    size_t first = pipe->cap - pipe->start < len ? pipe->cap - pipe->start : len; /* before the ring's end */
    if (len == 0) return 0;
    const char *at = memchr(pipe->data + pipe->start, '\n', first);
    if (at) return (size_t)(at - (pipe->data + pipe->start)) + 1;
    at = memchr(pipe->data, '\n', len - first);
    return at ? first + (size_t)(at - pipe->data) + 1 : len;
}
