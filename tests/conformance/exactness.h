/* The cases of exactness, for each way of running a command. */
#ifndef TESTS_CONFORMANCE_EXACTNESS_H
#define TESTS_CONFORMANCE_EXACTNESS_H

enum way { EXACT, WIRE, STREAMED, SESSION, RUN };

void exactness_nul(enum way way);
void exactness_invalid_utf8(enum way way);
void exactness_no_final_newline(enum way way);
void exactness_empty(enum way way);
void exactness_at_the_limit(enum way way);
void exactness_above_the_limit(enum way way);
void exactness_interleaved(enum way way);
void exactness_exit_0(enum way way);
void exactness_exit_3(enum way way);
void exactness_exit_255(enum way way);
void exactness_killed(enum way way);
void exactness_timed_out(enum way way);

#endif
