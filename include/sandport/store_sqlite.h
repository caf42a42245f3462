/* The mapping store in a file: the default for one host, shared by any number of its processes. Row R21. */
#ifndef SANDPORT_STORE_SQLITE_H
#define SANDPORT_STORE_SQLITE_H

#include <sandport/kit/store.h>

struct sbx_store_sqlite_options {
    size_t size;
    const char *path; /* required: a file on a local disk, made if it is not there; its directory is */
};

#define SBX_STORE_SQLITE_OPTIONS_INIT                                                                                  \
    { .size = sizeof(struct sbx_store_sqlite_options) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_store_sqlite_options_init(struct sbx_store_sqlite_options *opt, size_t size);

/** Opens the file and makes its tables if it is new. Waits while another process holds its lock, until
 * call->deadline_ms (default 30 s) or a cancel. A process that forks must not use the store on both sides.
 *  @param env lent for the store's life
 *  @param call may be NULL
 *  @param out yours: sbx_store_free()
 *  @return SBX_FILE_DENIED if the file cannot be made, read or written; SBX_STORE_CORRUPT if it is no database;
 *          SBX_STORE_VERSION if it is another program's or another release's; the statuses of kit/store.h besides */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_sqlite_create(const struct sbx_store_sqlite_options *opt,
                                                             struct sbx_env *env, const struct sbx_call *call,
                                                             struct sbx_store **out, struct sbx_error *err);

#ifdef __cplusplus
}
#endif
#endif
