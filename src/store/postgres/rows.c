/* Rows: as records, one or many of them. */
#include "src/store/postgres/room.h"

#include <sandport/kit/fail.h>
#include <stdio.h>
#include <string.h>

const char *sbx_pg_text(const PGresult *rows, int row, int column) {
    return PQgetisnull(rows, row, column) ? NULL : PQgetvalue(rows, row, column);
}

/* -1, which no column may have, where it holds no number. */
static int64_t number_at(const PGresult *rows, int row, int column, int64_t max) {
    int64_t number = -1;
    const char *text = sbx_pg_text(rows, row, column);
    return text && sbx_text_int(text, 0, max, &number) ? number : -1;
}

static struct sbx_record columns_of(const PGresult *rows, int row) {
    struct sbx_record columns = SBX_RECORD_INIT;
    columns.acquisition = sbx_pg_text(rows, row, 0);
    columns.locator = sbx_pg_text(rows, row, 1);
    columns.provider = sbx_pg_text(rows, row, 2);
    columns.pool = sbx_pg_text(rows, row, 3);
    columns.sandbox_id = sbx_pg_text(rows, row, 4);
    columns.request = sbx_pg_text(rows, row, 5);
    columns.owner = sbx_pg_text(rows, row, 6);
    columns.attempt = (int32_t)number_at(rows, row, PG_COLUMN_ATTEMPT, INT32_MAX);
    columns.state = (int32_t)number_at(rows, row, PG_COLUMN_ATTEMPT + 1, INT32_MAX);
    columns.generation = number_at(rows, row, PG_COLUMN_ATTEMPT + 2, INT64_MAX);
    columns.lease = number_at(rows, row, PG_COLUMN_ATTEMPT + 3, INT64_MAX);
    return columns;
}

enum sbx_status sbx_pg_row(const PGresult *rows, int row, struct sbx_record **out, struct sbx_error *err) {
    struct sbx_record columns = columns_of(rows, row);
    return sbx_store_row_read(&columns, sbx_pg_text(rows, row, PG_COLUMN_LABELS), out, err);
}

enum sbx_status sbx_pg_row_into(const PGresult *rows, int row, struct sbx_records *into, struct sbx_error *err) {
    struct sbx_record columns = columns_of(rows, row);
    return sbx_records_take_row(into, &columns, sbx_pg_text(rows, row, PG_COLUMN_LABELS), err);
}

/* ---- one ---- */

struct reading {
    const char *key;
    struct sbx_record *found;
};

static enum sbx_status read_in(struct pg_round *round, struct reading *reading) {
    struct sbx_buf sql = SBX_BUF_INIT;
    PGresult *rows = NULL;
    int by_locator = strncmp(reading->key, "sbx_", 4) == 0;
    sbx_buf_printf(&sql, "SELECT " PG_COLUMNS " FROM %s.record WHERE %s = $1%s", round->self->schema,
                   by_locator ? "locator" : "acquisition", by_locator ? " AND locator <> ''" : "");
    enum sbx_status st = sbx_buf_status(&sql);
    if (!st) st = sbx_pg_run(round, sql.data, 1, &reading->key, &rows);
    sbx_buf_finish(&sql);
    if (!st && PQntuples(rows) == 0)
        st = sbx_fail(round->err, SBX_NOT_FOUND, SBX_OUTCOME_NONE, "key: it has no record");
    else if (!st)
        st = sbx_pg_row(rows, 0, &reading->found, round->err);
    PQclear(rows);
    return st;
}

static enum sbx_status read_once(struct pg_round *round, void *ctx) {
    enum sbx_status st = sbx_pg_begin(round, "");
    if (!st) st = read_in(round, ctx);
    sbx_pg_rollback(round);
    return st;
}

enum sbx_status sbx_pg_get(void *ctx, const char *key, const struct sbx_call *call, struct sbx_record **out,
                           struct sbx_error *err) {
    struct reading reading = {key, NULL};
    enum sbx_status st = sbx_pg_try(ctx, read_once, &reading, call, err);
    if (!st) *out = reading.found;
    return st;
}

/* ---- lists ---- */

#define LABELS_MAX 64 /* more than that no query has */

struct search {
    const struct sbx_store_query *query;
    struct sbx_records *into;
    int unfinished;
};

/* The statement's text: $1 is where to go on, $2 how many, and then a key for each label. */
static void search_text(const struct search *search, const char *schema, struct sbx_buf *sql) {
    const struct sbx_store_query *query = search->query;
    sbx_buf_printf(sql, "SELECT " PG_COLUMNS " FROM %s.record WHERE acquisition > $1", schema);
    if (search->unfinished) sbx_buf_text_append(sql, " AND state IN (1, 2, 3, 6)");
    for (size_t i = 0; !search->unfinished && i < query->label_count; i++)
        sbx_buf_printf(sql, " AND acquisition IN (SELECT acquisition FROM %s.label WHERE key = $%zu)", schema, i + 3);
    for (size_t i = 0; !search->unfinished && i < query->state_count; i++)
        sbx_buf_printf(sql, "%s%d", i ? ", " : " AND state IN (", (int)query->states[i]);
    if (!search->unfinished && query->state_count) sbx_buf_char(sql, ')');
    sbx_buf_text_append(sql, " ORDER BY acquisition LIMIT $2::int");
}

/* The rows, one more than asked for being the sign that there are more. */
static enum sbx_status take_rows(const struct search *search, const PGresult *rows, struct sbx_error *err) {
    int n = PQntuples(rows), max = (int)search->query->max;
    for (int row = 0; row < n && row < max; row++) {
        enum sbx_status st = sbx_pg_row_into(rows, row, search->into, err);
        if (st) return st;
    }
    return n > max ? sbx_records_set_next(search->into, PQgetvalue(rows, max - 1, 0)) : SBX_OK;
}

static enum sbx_status search_in(struct pg_round *round, const struct search *search) {
    char keys[LABELS_MAX][SBX_SHA256_HEX], limit[16];
    const char *values[LABELS_MAX + 2] = {search->query->after, limit};
    int count = 2;
    struct sbx_buf sql = SBX_BUF_INIT;
    PGresult *rows = NULL;
    search_text(search, round->self->schema, &sql);
    snprintf(limit, sizeof(limit), "%d", (int)search->query->max + 1);
    enum sbx_status st = sbx_buf_status(&sql);
    for (size_t i = 0; !search->unfinished && i < search->query->label_count && !st; i++) {
        st = sbx_store_label_key(&search->query->labels[i], keys[i]);
        values[count++] = keys[i];
    }
    if (!st) st = sbx_pg_run(round, sql.data, count, values, &rows);
    if (!st) st = take_rows(search, rows, round->err);
    PQclear(rows);
    sbx_buf_finish(&sql);
    return st;
}

static enum sbx_status search_once(struct pg_round *round, void *ctx) {
    enum sbx_status st = sbx_pg_begin(round, "");
    if (!st) st = search_in(round, ctx);
    sbx_pg_rollback(round);
    return st;
}

enum sbx_status sbx_pg_find(void *ctx, const struct sbx_store_query *query, const struct sbx_call *call,
                            struct sbx_records *into, struct sbx_error *err) {
    struct search search = {query, into, 0};
    return sbx_pg_try(ctx, search_once, &search, call, err);
}

enum sbx_status sbx_pg_list_unfinished(void *ctx, const struct sbx_store_query *query, const struct sbx_call *call,
                                       struct sbx_records *into, struct sbx_error *err) {
    struct search search = {query, into, 1};
    return sbx_pg_try(ctx, search_once, &search, call, err);
}
