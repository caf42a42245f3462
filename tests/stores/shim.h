/* A layer between SQLite and the disk, for this process: counts what is done there, and lets it fail. */
#ifndef TESTS_STORES_SHIM_H
#define TESTS_STORES_SHIM_H

enum shim_call { SHIM_WRITE = 1, SHIM_SYNC = 2 };

/** From now on `step` is called before each call that reaches the disk or another process. */
void shim_steps(void (*step)(void));

/** The nth call of that kind from now on, and those after it, answer `result`, a code of SQLite's; 0 = none does. */
void shim_fail(enum shim_call call, int nth, int result);

#endif
