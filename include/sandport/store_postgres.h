/* The mapping store in a PostgreSQL database, shared by any number of hosts. Row R21. */
#ifndef SANDPORT_STORE_POSTGRES_H
#define SANDPORT_STORE_POSTGRES_H

#include <sandport/kit/store.h>

struct sbx_store_postgres_options {
    size_t size;
    /** Required: a connection string or URI as libpq takes it. TLS is as it says: sslmode=verify-full and sslrootcert
     *  for a server that is to prove who it is. What it leaves open libpq takes from its own variables (PGHOST,
     *  PGPASSWORD, ...), ~/.pgpass and its service file. It is copied, wiped with the store, and in no error. */
    const char *connection;
    const char *schema; /* [a-z_][a-z0-9_]*, at most 48 bytes; NULL = "sandport". Made if it is not there */
    /** How long a call looks for a server that is not there or went away, within its own deadline; 0 = 5,000. */
    int64_t reconnect_ms;
};

#define SBX_STORE_POSTGRES_OPTIONS_INIT                                                                                \
    { .size = sizeof(struct sbx_store_postgres_options) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_store_postgres_options_init(struct sbx_store_postgres_options *opt, size_t size);

/** Makes the store; nothing is sent before the first operation, which connects, and makes the tables if they are not
 *  there. Calls wait for the server until their deadline, or at most 100 ms after a cancel; but a host's name is looked
 *  up by the system, which neither ends. A process that forks must not use the store on both sides.
 *  @param env lent for the store's life
 *  @param out yours: sbx_store_free()
 *  @return SBX_INVALID_ARGUMENT if libpq does not take the connection string */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_postgres_create(const struct sbx_store_postgres_options *opt,
                                                               struct sbx_env *env, struct sbx_store **out,
                                                               struct sbx_error *err);

#ifdef __cplusplus
}
#endif
#endif
