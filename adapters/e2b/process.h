/* A process in a sandbox: started once, heard to its end. Rows E3, E8, P7, P11. */
#ifndef ADAPTERS_E2B_PROCESS_H
#define ADAPTERS_E2B_PROCESS_H

#include "adapters/e2b/verbs.h"

#define E2B_TAG_SIZE 33

/* ---- events.c: one message of a process's stream. Pure. ---- */

enum e2b_event_kind {
    E2B_EVENT_OTHER, /* a sign of life, or something newer than this release */
    E2B_EVENT_BEGUN, /* pid */
    E2B_EVENT_DATA,  /* stream, bytes */
    E2B_EVENT_END    /* exit_known, exit_code, signalled */
};

struct e2b_event {
    enum e2b_event_kind kind;
    int64_t pid;
    int32_t stream; /* enum sbx_stream */
    struct sbx_buf bytes;
    int32_t exit_known;
    int32_t exit_code; /* 0-255; 128 + N when signal N ended it */
    int32_t signalled;
};

/** @param out its bytes are cleared first and keep their memory: sbx_buf_finish(&out->bytes) at last
 *  @return SBX_OK, SBX_PROTOCOL for what no such message can be, SBX_NO_MEMORY */
enum sbx_status e2b_event_read(const char *text, size_t len, struct e2b_event *out);

/* ---- process.c ---- */

/** What to start: /bin/sh with these arguments, without input. */
struct e2b_order {
    const char *const *args;
    size_t arg_count;
    const char *cwd; /* NULL = the working directory */
    const struct sbx_pair *vars;
    size_t var_count;
    int64_t lifetime_ms; /* of the process, on the wire as it is: at least 1 */
    const char *tag;     /* NULL = none */
};

/** Takes its output as it comes. Returns 0 to go on; anything else stops the hearing, not the process. */
struct e2b_hearer {
    void *ctx;
    int (*data)(void *ctx, int32_t stream, const void *data, size_t len);
};

/** All that is known of it when its stream is over. */
struct e2b_heard {
    int32_t begun; /* it runs, or ran */
    int64_t pid;
    int32_t ended; /* its end has been told */
    int32_t exit_known;
    int32_t exit_code;
    int32_t signalled;
    int32_t stopped;         /* by the hearer */
    int32_t ending;          /* enum sbx_connect_ending */
    int32_t garbled;         /* a message was no event */
    int32_t too_large;       /* more than any answer could have */
    int32_t out_of_memory;   /* ours */
    int32_t lifetime_over;   /* it has had all of its lifetime, by our clock */
    int32_t silent;          /* no byte for longer than signs of life are apart */
    struct e2b_evidence got; /* code and message are those of the end, where it named an error */
};

/** Starts it and hears it to its end: one exchange, never repeated.
 *  @param out zeroed; filled whatever comes back
 *  @return SBX_OK only if its end was told. Else err->outcome is DONE if it is known to have begun */
enum sbx_status e2b_process_run(struct e2b *e, const struct sbx_identity *who, const struct e2b_order *order,
                                const struct e2b_hearer *to, const struct sbx_call *call, struct e2b_heard *out,
                                struct sbx_error *err);

/** /bin/sh -c with that line, its standard output collected up to `text_max` bytes. */
enum sbx_status e2b_process_text(struct e2b *e, const struct sbx_identity *who, const struct e2b_order *order,
                                 size_t text_max, const struct sbx_call *call, struct sbx_buf *text,
                                 struct e2b_heard *out, struct sbx_error *err);

/* ---- verdict.c ---- */

/** What a stream that is over means. Pure. */
struct e2b_meaning e2b_heard_meaning(const struct e2b_heard *heard);

/* ---- end.c ---- */

/** Ends what was started under `tag`, with its children, on the time for clean-up.
 *  @param pid 0 = not known: looked for among the daemon's processes by its tag, and set
 *  @return is it proven that nobody of it is alive? */
int e2b_process_end(struct e2b *e, const struct sbx_identity *who, const char *tag, int64_t *pid,
                    const struct sbx_call *call);

#endif
