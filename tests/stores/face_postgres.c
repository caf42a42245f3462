/* The PostgreSQL store for the suite: a schema of its own, and an env that truly waits. */
#include "face.h"
#include "postgres.h"
#include "t.h"

#include <sandport/posix.h>
#include <stdio.h>
#include <stdlib.h>

void store_face_open(struct store_face *face) {
    memset(face, 0, sizeof(*face));
    postgres_folder();
    face->ctx = calloc(1, POSTGRES_TEXT_SIZE);
    if (!face->ctx) T_FAIL("out of memory");
    postgres_schema(face->ctx);
    T_STATUS(sbx_posix_env_create(&face->env), SBX_OK);
    face->store = postgres_open(face->env, face->ctx, NULL);
}

/* The other one's transactions are serialisable, as a server may have it by default. */
struct sbx_store *store_face_again(struct store_face *face, struct sbx_env *env) {
    char more[2 * POSTGRES_TEXT_SIZE];
    snprintf(more, sizeof(more), "options='-c default_transaction_isolation=serializable' application_name=%s",
             (const char *)face->ctx);
    return postgres_open(env, face->ctx, more);
}

struct sbx_store *store_face_stay(struct store_face *face, struct sbx_env *env) {
    return postgres_open(env, face->ctx, NULL);
}

void store_face_blank(struct store_face *face) {
    postgres_drop(face->ctx);
    postgres_schema(face->ctx);
}

void store_face_steps(void (*step)(void)) {
    (void)step; /* every wait for the server looks at the env's clock, which counts already */
}

/* The server may have been sent a COMMIT that it has not read yet. */
void store_face_settle(struct store_face *face) {
    while (strcmp(postgres_run(face->ctx, "SELECT count(*) FROM pg_stat_activity WHERE application_name = '@'"), "0") !=
           0)
        continue;
}

void store_face_close(struct store_face *face) {
    sbx_store_free(face->store);
    sbx_env_free(face->env);
    postgres_drop(face->ctx);
    free(face->ctx);
}
