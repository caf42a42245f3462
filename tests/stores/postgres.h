/* The PostgreSQL server that CTest started for these tests, and a schema of it for each. */
#ifndef TESTS_STORES_POSTGRES_H
#define TESTS_STORES_POSTGRES_H

#include <sandport/store_postgres.h>

#define POSTGRES_TEXT_SIZE 256

/** The server's folder, where its socket is. Ends the program as skipped when there is none. */
const char *postgres_folder(void);

/** A connection string with more settings behind it; lent until some calls later. */
const char *postgres_connection(const char *more);

/** A schema's name that no other test has. @param out POSTGRES_TEXT_SIZE bytes */
void postgres_schema(char *out);

/** Runs statements as another client would; '@' is the schema. Fails the test if they fail.
 *  @return the first column of the first row, "" if there is none; lent until the next call */
const char *postgres_run(const char *schema, const char *sql);

/** Removes the schema. */
void postgres_drop(const char *schema);

/** Opens a store there. Fails the test if it cannot. */
struct sbx_store *postgres_open(struct sbx_env *env, const char *schema, const char *more);

#endif
