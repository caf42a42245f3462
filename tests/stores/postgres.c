/* The PostgreSQL server that CTest started for these tests, and a schema of it for each. */
#include "postgres.h"

#include "t.h"

#include <libpq-fe.h>
#include <sandport/kit/buf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *postgres_folder(void) {
    static char folder[POSTGRES_TEXT_SIZE];
    const char *where = getenv("SANDPORT_POSTGRES_FILE");
    FILE *file = where ? fopen(where, "r") : NULL;
    if (!file || !fgets(folder, sizeof(folder), file)) {
        printf("no PostgreSQL server was started: skipped\n");
        fflush(NULL);
        _exit(77);
    }
    fclose(file);
    folder[strcspn(folder, "\n")] = 0;
    return folder;
}

const char *postgres_connection(const char *more) {
    static char texts[4][2 * POSTGRES_TEXT_SIZE];
    static unsigned at;
    char *out = texts[at++ % 4];
    snprintf(out, sizeof(texts[0]), "host=%s user=postgres dbname=postgres %s", postgres_folder(), more ? more : "");
    return out;
}

void postgres_schema(char *out) {
    static int n;
    snprintf(out, POSTGRES_TEXT_SIZE, "t_%ld_%d", (long)getpid(), n++);
}

const char *postgres_run(const char *schema, const char *sql) {
    static char first[POSTGRES_TEXT_SIZE];
    struct sbx_buf text = SBX_BUF_INIT;
    PGconn *conn = PQconnectdb(postgres_connection(NULL));
    if (PQstatus(conn) != CONNECTION_OK) T_FAIL("%s", PQerrorMessage(conn));
    PQclear(PQexec(conn, "SET client_min_messages = error"));
    for (const char *at = sql; *at; at++) {
        if (*at == '@')
            sbx_buf_text_append(&text, schema);
        else
            sbx_buf_char(&text, *at);
    }
    PGresult *result = PQexec(conn, sbx_buf_text(&text));
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) T_FAIL("%s: %s", text.data, PQerrorMessage(conn));
    snprintf(first, sizeof(first), "%s", PQntuples(result) ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    PQfinish(conn);
    sbx_buf_finish(&text);
    return first;
}

void postgres_drop(const char *schema) {
    postgres_run(schema, "DROP SCHEMA IF EXISTS @ CASCADE");
}

struct sbx_store *postgres_open(struct sbx_env *env, const char *schema, const char *more) {
    struct sbx_store_postgres_options opt = SBX_STORE_POSTGRES_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_store *store = NULL;
    opt.connection = postgres_connection(more);
    opt.schema = schema;
    enum sbx_status st = sbx_store_postgres_create(&opt, env, &store, &err);
    if (st) T_FAIL("%s: %s", sbx_status_name((int32_t)st), err.detail);
    return store;
}
