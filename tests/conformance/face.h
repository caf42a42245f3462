/* What the port's conformance suite needs of an adapter and the provider behind it: a world of its own, in which
 * requests go wrong on demand, seen from outside. An adapter brings one file that defines conformance_face_open(); the
 * suite is linked once with each. */
#ifndef TESTS_CONFORMANCE_FACE_H
#define TESTS_CONFORMANCE_FACE_H

#include <sandport/sandport.h>

/** What befalls an operation. */
enum condition {
    HAPPY,
    CANCEL,   /* it is cancelled from outside while its request, or its command, goes on */
    DEADLINE, /* its deadline comes meanwhile */
    HTTP_502, /* every request of its kind is answered 502, and does nothing */
    RESET,    /* its request does what it does, and the connection is reset before the answer: once */
    OVERSIZE, /* the same, and the answer is larger than any that it could be: once */
    NUL,      /* the same, and the answer has a NUL where texts belong: once */
    CONDITION_COUNT
};

/** Where a cancel or a deadline finds the operation. */
enum waiting {
    WAITING_SILENT, /* its request has been done, and no answer comes */
    WAITING_COMMAND /* its command has made a file `begun` where commands start, and goes on */
};

/** What an adapter cannot be put into. */
struct conformance_cannot {
    const char *operation; /* "*" = each; NULL ends the table */
    enum condition condition;
    const char *why;
};

struct conformance_face {
    struct sbx_env *env;
    struct sbx_runtime *rt;
    const struct conformance_cannot *cannot;
    const char *const *by_command; /* those on files that are commands in the sandbox, and NULL; NULL = none */
    int wire_exact;                /* is the output of SBX_EXEC_WIRE byte for byte, and are its streams apart? */
    int streamed_by_wire;          /* is output that is given while a command runs the wire's own? */
    int wire_killed;               /* does a deadline or cancel of SBX_EXEC_WIRE end the command? */
    int64_t due_ms; /* when a cancel was fired or a deadline came, by the env's clock; 0 = its time is no measure */
    /** From now on the requests of an operation are treated so: HTTP_502, RESET, OVERSIZE, NUL, or for CANCEL and
     * DEADLINE the next gets no answer. */
    void (*inject)(struct conformance_face *face, const char *operation, enum condition condition);
    /** Requests behave again. @return how often one did not */
    int64_t (*clear)(struct conformance_face *face);
    /** Fires it while the next operation waits. */
    void (*cancel_while)(struct conformance_face *face, enum waiting waiting, struct sbx_cancel *cancel);
    /** Sets a deadline that comes while the next operation waits. */
    void (*deadline_while)(struct conformance_face *face, enum waiting waiting, struct sbx_call *call);
    void (*join)(struct conformance_face *face);         /* returns once what was arranged has happened */
    int64_t (*requests)(struct conformance_face *face);  /* that have reached the provider */
    int64_t (*sandboxes)(struct conformance_face *face); /* that it has and that cost something */
    int64_t (*strays)(struct conformance_face *face);    /* what else is left: processes, things that were not known */
    void (*close)(struct conformance_face *face);        /* after the runtime has been freed */
};

struct conformance_face *conformance_face_open(void);

const char *condition_name(enum condition condition);

#endif
