/* A folder for one test, gone with it. */
#include "scratch.h"

#include "t.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct scratch {
    char folder[64];
};

struct scratch *scratch_create(void) {
    struct scratch *scratch = calloc(1, sizeof(*scratch));
    if (!scratch) T_FAIL("out of memory");
    snprintf(scratch->folder, sizeof(scratch->folder), "/tmp/sandport-stores-XXXXXX");
    if (!mkdtemp(scratch->folder)) T_FAIL("no folder below /tmp");
    return scratch;
}

const char *scratch_path(const struct scratch *scratch, const char *name, char *out) {
    snprintf(out, SCRATCH_PATH_SIZE, "%s/%s", scratch->folder, name);
    return out;
}

static int remove_one(const char *path, const struct stat *is, int kind, struct FTW *where) {
    (void)is;
    (void)kind;
    (void)where;
    return remove(path);
}

void scratch_free(struct scratch *scratch) {
    nftw(scratch->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(scratch);
}
