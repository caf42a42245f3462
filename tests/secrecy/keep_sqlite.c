/* The SQLite store: its file, the journal beside it and the memory that its processes share, byte for byte. */
#include "keep.h"
#include "scratch.h"
#include "t.h"

#include <sandport/store_sqlite.h>
#include <stdio.h>
#include <stdlib.h>

const char *const keep_secret = NULL;

void keep_open(struct keep *keep, struct sbx_env *env) {
    struct sbx_store_sqlite_options opt = SBX_STORE_SQLITE_OPTIONS_INIT;
    char path[SCRATCH_PATH_SIZE];
    keep->ctx = scratch_create();
    opt.path = scratch_path(keep->ctx, "store.db", path);
    T_STATUS(sbx_store_sqlite_create(&opt, env, NULL, &keep->store, NULL), SBX_OK);
}

void keep_show(const struct keep *keep, void (*see)(void *ctx, const char *where, const void *data, size_t len),
               void *ctx) {
    static const char *const names[] = {"store.db", "store.db-wal", "store.db-shm"};
    size_t shown = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[SCRATCH_PATH_SIZE];
        FILE *file = fopen(scratch_path(keep->ctx, names[i], path), "rb");
        if (!file) continue; /* the last to close takes the other two away */
        T_EQ(fseek(file, 0, SEEK_END), 0);
        const long len = ftell(file);
        char *bytes = malloc((size_t)len + 1);
        rewind(file);
        T_TRUE(bytes && fread(bytes, 1, (size_t)len, file) == (size_t)len);
        fclose(file);
        see(ctx, names[i], bytes, (size_t)len);
        free(bytes);
        shown += (size_t)len;
    }
    T_TRUE(shown > 0);
}

void keep_finish(struct keep *keep) {
    scratch_free(keep->ctx);
}
