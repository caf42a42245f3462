/* The memory store for the suite. */
#include "face.h"
#include "real_env.h"
#include "t.h"

void store_face_open(struct store_face *face) {
    memset(face, 0, sizeof(*face));
    face->env = real_env_create();
    T_STATUS(sbx_store_memory_create(face->env, &face->store, NULL), SBX_OK);
}

struct sbx_store *store_face_again(struct store_face *face, struct sbx_env *env) {
    (void)face;
    (void)env;
    return NULL;
}

void store_face_close(struct store_face *face) {
    sbx_store_free(face->store);
    sbx_env_free(face->env);
}
