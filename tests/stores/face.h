/* What one kind of store gives the suite. Each program of the suite links one file that defines this. */
#ifndef TESTS_STORES_FACE_H
#define TESTS_STORES_FACE_H

#include <sandport/kit/env.h>
#include <sandport/kit/store.h>

struct store_face {
    struct sbx_env *env;
    struct sbx_store *store; /* empty, and only for this test */
    void *ctx;
};

/** Fails the test if it cannot. */
void store_face_open(struct store_face *face);

/** Another store over the same records, as another process would have; NULL where that cannot be.
 *  @param env the face's own, or one around it */
struct sbx_store *store_face_again(struct store_face *face, struct sbx_env *env);

/** The same for a process that stays: store_face_settle() does not wait for what it does. */
struct sbx_store *store_face_stay(struct store_face *face, struct sbx_env *env);

/** From now on store_face_again() opens a store where there was none before. */
void store_face_blank(struct store_face *face);

/** From now on `step` is called before everything that this process does to the disk; where that shows. */
void store_face_steps(void (*step)(void));

/** After a process with a store of store_face_again() was killed: returns when nothing of it goes on by itself. */
void store_face_settle(struct store_face *face);

void store_face_close(struct store_face *face);

#endif
