/* A TCP server on loopback that plays a script: any bytes, at any pace, ended in any way. It understands just enough
 * HTTP to know when a request is whole, counts what it sees, and lets a test wait for a count instead of for time. */
#ifndef TESTS_SUPPORT_RAW_SERVER_H
#define TESTS_SUPPORT_RAW_SERVER_H

#include <stddef.h>
#include <stdint.h>

struct raw_server;

/** What a step reads before it answers. */
enum raw_read {
    RAW_READ_ALL, /* the whole request */
    RAW_READ_HEAD,
    RAW_READ_NONE /* nothing, but its first byte is there */
};

/** How a step leaves the connection. */
enum raw_end {
    RAW_KEEP, /* open for the next request, and the next step */
    RAW_CLOSE,
    RAW_RESET,
    RAW_HALF_CLOSE, /* ends its own direction and waits for the client to go */
    RAW_SILENT      /* does nothing more until the client goes */
};

/** One request and what becomes of it. Zero members do not matter. */
struct raw_step {
    enum raw_read read;
    const char *answer; /* copied with the script */
    size_t answer_len;  /* 0 = up to its NUL */
    uint64_t fill;      /* so many bytes of raw_pattern() behind the answer */
    size_t cut;         /* only the first so many bytes of the answer, 0 = all */
    size_t piece;       /* in pieces of so many bytes ... */
    int pause_ms;       /* ... with this pause between them */
    enum raw_end end;
};

/** Counts since the last script. */
struct raw_counts {
    uint64_t connections;
    uint64_t heads;         /* request heads that arrived whole */
    uint64_t executions;    /* requests that arrived whole */
    uint64_t request_bytes; /* head, framing and body */
    uint64_t body_bytes;    /* decoded */
    uint64_t body_wrong;    /* body bytes that are not raw_pattern() */
    uint64_t sent_bytes;    /* given to the socket */
    uint64_t gone;          /* connections that the client ended */
    uint64_t closed;        /* connections whose socket is closed, whoever began */
};

/** Listens on a port of the system's choice. Fails the test if it cannot. */
struct raw_server *raw_server_start(void);
void raw_server_stop(struct raw_server *server);
int raw_server_port(const struct raw_server *server);

/** The steps of the requests to come, in order of arrival; the last one repeats. Resets the counts. Copied. */
void raw_server_script(struct raw_server *server, const struct raw_step *steps, size_t n);

struct raw_counts raw_server_counts(struct raw_server *server);
/** Waits until so many connections have been closed. Fails the test after 10 s. */
void raw_server_await_closed(struct raw_server *server, uint64_t closed);

/** The head of the last request, as it came. Lent until the next request. */
const char *raw_server_head(struct raw_server *server);

/** The byte at place `at` of every test body. */
unsigned char raw_pattern(uint64_t at);

#endif
