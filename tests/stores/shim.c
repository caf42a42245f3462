/* A layer between SQLite and the disk: SQLite's own VFS behind one that counts, or fails. */
#include "shim.h"

#include "t.h"

#include <sqlite3.h>
#include <stdatomic.h>

static sqlite3_vfs *under;
static void (*on_step)(void);
static atomic_int left_to[3];
static int fails_with[3];

struct shim_file {
    sqlite3_file base;
    sqlite3_file *real; /* behind this struct */
};

static sqlite3_file *real(sqlite3_file *file) {
    return ((struct shim_file *)file)->real;
}

static void step(void) {
    if (on_step) on_step();
}

static int failing(enum shim_call call) {
    return fails_with[call] && atomic_fetch_sub(&left_to[call], 1) <= 1 ? fails_with[call] : SQLITE_OK;
}

static int shim_close(sqlite3_file *file) {
    return real(file)->pMethods->xClose(real(file));
}
static int shim_read(sqlite3_file *file, void *to, int n, sqlite3_int64 at) {
    step();
    return real(file)->pMethods->xRead(real(file), to, n, at);
}
static int shim_write(sqlite3_file *file, const void *from, int n, sqlite3_int64 at) {
    step();
    int rc = failing(SHIM_WRITE);
    return rc ? rc : real(file)->pMethods->xWrite(real(file), from, n, at);
}
static int shim_truncate(sqlite3_file *file, sqlite3_int64 size) {
    step();
    return real(file)->pMethods->xTruncate(real(file), size);
}
static int shim_sync(sqlite3_file *file, int flags) {
    step();
    int rc = failing(SHIM_SYNC);
    return rc ? rc : real(file)->pMethods->xSync(real(file), flags);
}
static int shim_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}
static int shim_lock(sqlite3_file *file, int level) {
    step();
    return real(file)->pMethods->xLock(real(file), level);
}
static int shim_unlock(sqlite3_file *file, int level) {
    step();
    return real(file)->pMethods->xUnlock(real(file), level);
}
static int shim_reserved(sqlite3_file *file, int *out) {
    return real(file)->pMethods->xCheckReservedLock(real(file), out);
}
static int shim_control(sqlite3_file *file, int op, void *arg) {
    return real(file)->pMethods->xFileControl(real(file), op, arg);
}
static int shim_sector(sqlite3_file *file) {
    return real(file)->pMethods->xSectorSize(real(file));
}
static int shim_traits(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}
static int shim_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
    step();
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, out);
}
static int shim_shm_lock(sqlite3_file *file, int offset, int n, int flags) {
    step();
    return real(file)->pMethods->xShmLock(real(file), offset, n, flags);
}
static void shim_barrier(sqlite3_file *file) {
    real(file)->pMethods->xShmBarrier(real(file));
}
static int shim_unmap(sqlite3_file *file, int remove) {
    return real(file)->pMethods->xShmUnmap(real(file), remove);
}

static const sqlite3_io_methods methods = {
    2,           shim_close,    shim_read,    shim_write,  shim_truncate, shim_sync, shim_size,     shim_lock,
    shim_unlock, shim_reserved, shim_control, shim_sector, shim_traits,   shim_map,  shim_shm_lock, shim_barrier,
    shim_unmap,  NULL,          NULL,
};

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
    struct shim_file *shim = (struct shim_file *)file;
    (void)vfs;
    step();
    shim->real = (sqlite3_file *)(void *)(shim + 1);
    int rc = under->xOpen(under, name, shim->real, flags, out);
    shim->base.pMethods = shim->real->pMethods ? &methods : NULL;
    return rc;
}

static void install(void) {
    static sqlite3_vfs vfs;
    if (under) return;
    under = sqlite3_vfs_find(NULL);
    if (!under) T_FAIL("SQLite has no VFS");
    vfs = *under; /* what it does not do itself it leaves to the one under it */
    vfs.zName = "shim";
    vfs.szOsFile = (int)sizeof(struct shim_file) + under->szOsFile;
    vfs.xOpen = shim_open;
    T_EQ(sqlite3_vfs_register(&vfs, 1), SQLITE_OK);
}

void shim_steps(void (*on)(void)) {
    install();
    on_step = on;
}

void shim_fail(enum shim_call call, int nth, int result) {
    install();
    atomic_store(&left_to[call], nth);
    fails_with[call] = result;
}
