/* The SQLite store for the suite: a file in a folder of its own, and an env that truly waits. */
#include "face.h"
#include "scratch.h"
#include "t.h"

#include <sandport/curl.h>
#include <sandport/store_sqlite.h>
#include <stdlib.h>

static struct sbx_store *open_store(struct store_face *face) {
    struct sbx_store_sqlite_options opt = SBX_STORE_SQLITE_OPTIONS_INIT;
    struct sbx_store *store = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    char path[SCRATCH_PATH_SIZE];
    opt.path = scratch_path(face->ctx, "store.db", path);
    enum sbx_status st = sbx_store_sqlite_create(&opt, face->env, NULL, &store, &err);
    if (st) T_FAIL("%s: %s", sbx_status_name((int32_t)st), err.detail);
    return store;
}

void store_face_open(struct store_face *face) {
    memset(face, 0, sizeof(*face));
    face->ctx = scratch_create();
    T_STATUS(sbx_curl_env_create(NULL, &face->env), SBX_OK);
    face->store = open_store(face);
}

struct sbx_store *store_face_again(struct store_face *face) {
    return open_store(face);
}

void store_face_close(struct store_face *face) {
    sbx_store_free(face->store);
    sbx_env_free(face->env);
    scratch_free(face->ctx);
}
