/* The PostgreSQL store: every row of every table of its schema, as the server shows them; and a password of its own,
 * which a server that trusts everybody takes as any other. */
#include "keep.h"
#include "postgres.h"
#include "t.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>

#define PASSWORD "pg_ca\"na\\ry/4+%&<~>?"

const char *const keep_secret = PASSWORD;

void keep_open(struct keep *keep, struct sbx_env *env) {
    keep->ctx = calloc(1, POSTGRES_TEXT_SIZE);
    T_TRUE(keep->ctx != NULL);
    postgres_folder();
    postgres_schema(keep->ctx);
    keep->store = postgres_open(env, keep->ctx, "password='pg_ca\"na\\\\ry/4+%&<~>?'");
}

static void show_table(PGconn *conn, const char *schema, const char *table,
                       void (*see)(void *ctx, const char *where, const void *data, size_t len), void *ctx) {
    char sql[2 * POSTGRES_TEXT_SIZE];
    snprintf(sql, sizeof(sql), "SELECT t::text FROM %s.%s t", schema, table);
    PGresult *rows = PQexec(conn, sql);
    T_EQ(PQresultStatus(rows), PGRES_TUPLES_OK);
    for (int i = 0; i < PQntuples(rows); i++) see(ctx, table, PQgetvalue(rows, i, 0), strlen(PQgetvalue(rows, i, 0)));
    PQclear(rows);
}

void keep_show(const struct keep *keep, void (*see)(void *ctx, const char *where, const void *data, size_t len),
               void *ctx) {
    static const char *const tables[] = {"record", "label", "version"};
    const char *schema = keep->ctx;
    T_STR(postgres_run(schema, "SELECT count(*) FROM information_schema.tables WHERE table_schema = '@'"), "3");
    PGconn *conn = PQconnectdb(postgres_connection(NULL));
    T_EQ(PQstatus(conn), CONNECTION_OK);
    for (size_t i = 0; i < 3; i++) show_table(conn, schema, tables[i], see, ctx);
    PQfinish(conn);
}

void keep_finish(struct keep *keep) {
    postgres_drop(keep->ctx);
    free(keep->ctx);
}
