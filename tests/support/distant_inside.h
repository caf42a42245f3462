/* What goes over the socket between a distant process and who keeps the simulation. */
#ifndef TESTS_SUPPORT_DISTANT_INSIDE_H
#define TESTS_SUPPORT_DISTANT_INSIDE_H

#include "distant.h"

#include <sandport/kit/buf.h>
#include <stdatomic.h>

enum question { ASK_EXCHANGE, ASK_SLEEP, ASK_RANDOM, ASK_WORD, ASK_STOP };
enum { HEADERS_MAX = 64 };

/* Texts follow, each with its NUL: method, URL, names and values of headers; then the body. */
struct ask {
    int32_t what;
    uint32_t flags;
    int64_t when_ms; /* on the simulation's clock */
    int64_t stall_ms;
    uint64_t answer_bytes_max;
    size_t header_count;
    size_t text_len;
    size_t body_len; /* of random bytes: how many */
    struct distant_word word;
};

/* As above: headers, and the body. */
struct answer {
    int32_t result; /* evidence or status */
    struct sbx_exchange_info info;
    size_t header_count;
    size_t text_len;
    size_t body_len;
};

/** @return 0 if the other side is gone */
int distant_send(int socket, const void *data, size_t len);
int distant_read(int socket, void *data, size_t len);

void distant_add_text(struct sbx_buf *buf, const char *text);
void distant_add_headers(struct sbx_buf *buf, const struct sbx_header *headers, size_t count);
const char *distant_next_text(const char **at);
void distant_take_headers(const char *at, struct sbx_header *headers, size_t count);

/** The distant process's part after the fork: does not return. */
_Noreturn void distant_live(int socket, atomic_int_least64_t *now_ms, int64_t ahead_ms, void (*step)(void),
                            int (*life)(struct sbx_env *env, void *arg), void *arg);

#endif
