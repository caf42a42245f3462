/* Both ends of a load over loopback: a client with a few kept connections, and the least server that answers it. */
#ifndef BENCH_SERVE_LOAD_H
#define BENCH_SERVE_LOAD_H

#include <stddef.h>
#include <stdint.h>

/** A kept, blocking connection to 127.0.0.1. */
int load_connect(uint16_t port);
/** Sends a request and reads the whole answer, whose length its head says. @return bytes of the answer */
size_t load_ask(int fd, const char *request, char *answer, size_t cap);
/** Has `count` requests answered over `width` connections, one at a time on each. */
void load_run(uint16_t port, const char *request, size_t count, size_t width);

/** Listens on a port of the system's choice. */
int load_listen(uint16_t *port);
/** Answers each request with the same bytes, until it is killed. */
_Noreturn void load_serve(int listener, const char *answer, size_t len);

#endif
