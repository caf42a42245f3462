/* The SQLite store for the suite: a file in a folder of its own, and an env that truly waits. */
#include "face.h"
#include "scratch.h"
#include "shim.h"
#include "t.h"

#include <sandport/posix.h>
#include <sandport/store_sqlite.h>
#include <stdio.h>
#include <stdlib.h>

struct sqlite_face {
    struct scratch *scratch;
    int blanks;
};

struct sbx_store *store_face_again(struct store_face *face, struct sbx_env *env) {
    struct sqlite_face *self = face->ctx;
    struct sbx_store_sqlite_options opt = SBX_STORE_SQLITE_OPTIONS_INIT;
    struct sbx_store *store = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    char path[SCRATCH_PATH_SIZE], name[32];
    snprintf(name, sizeof(name), "store-%d.db", self->blanks);
    opt.path = scratch_path(self->scratch, name, path);
    enum sbx_status st = sbx_store_sqlite_create(&opt, env, NULL, &store, &err);
    if (st) T_FAIL("%s: %s", sbx_status_name((int32_t)st), err.detail);
    return store;
}

struct sbx_store *store_face_stay(struct store_face *face, struct sbx_env *env) {
    return store_face_again(face, env);
}

void store_face_open(struct store_face *face) {
    struct sqlite_face *self = calloc(1, sizeof(*self));
    if (!self) T_FAIL("out of memory");
    memset(face, 0, sizeof(*face));
    self->scratch = scratch_create();
    face->ctx = self;
    T_STATUS(sbx_posix_env_create(&face->env), SBX_OK);
    face->store = store_face_again(face, face->env);
}

void store_face_blank(struct store_face *face) {
    ((struct sqlite_face *)face->ctx)->blanks++;
}

void store_face_steps(void (*step)(void)) {
    shim_steps(step);
}

void store_face_settle(struct store_face *face) {
    (void)face; /* what a killed process had not done yet is not done */
}

void store_face_close(struct store_face *face) {
    struct sqlite_face *self = face->ctx;
    sbx_store_free(face->store);
    sbx_env_free(face->env);
    scratch_free(self->scratch);
    free(self);
}
