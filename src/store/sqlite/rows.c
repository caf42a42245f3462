/* Rows: as records, one or many of them. */
#include "src/store/sqlite/room.h"

#include <sandport/kit/fail.h>
#include <string.h>

enum { COLUMN_LABELS = 7, COLUMN_ATTEMPT = 8, COLUMN_STATE = 9, COLUMN_GENERATION = 10, COLUMN_LEASE = 11 };

/* NULL where the column holds anything but a text without NUL. */
static const char *text_at(sqlite3_stmt *row, int column) {
    if (sqlite3_column_type(row, column) != SQLITE_TEXT) return NULL;
    const char *text = (const char *)sqlite3_column_text(row, column);
    if (!text || strlen(text) != (size_t)sqlite3_column_bytes(row, column)) return NULL;
    return text;
}

/* -1, which no column may have, where it holds no number or one that does not fit. */
static int64_t number_at(sqlite3_stmt *row, int column, int64_t max) {
    if (sqlite3_column_type(row, column) != SQLITE_INTEGER) return -1;
    int64_t number = sqlite3_column_int64(row, column);
    return number < 0 || number > max ? -1 : number;
}

static struct sbx_record columns_of(sqlite3_stmt *row) {
    struct sbx_record columns = SBX_RECORD_INIT;
    columns.acquisition = text_at(row, 0);
    columns.locator = text_at(row, 1);
    columns.provider = text_at(row, 2);
    columns.pool = text_at(row, 3);
    columns.sandbox_id = text_at(row, 4);
    columns.request = text_at(row, 5);
    columns.owner = text_at(row, 6);
    columns.attempt = (int32_t)number_at(row, COLUMN_ATTEMPT, INT32_MAX);
    columns.state = (int32_t)number_at(row, COLUMN_STATE, INT32_MAX);
    columns.generation = number_at(row, COLUMN_GENERATION, INT64_MAX);
    columns.lease = number_at(row, COLUMN_LEASE, INT64_MAX);
    return columns;
}

enum sbx_status sbx_sqlite_row(sqlite3_stmt *row, struct sbx_record **out, struct sbx_error *err) {
    struct sbx_record columns = columns_of(row);
    return sbx_store_row_read(&columns, text_at(row, COLUMN_LABELS), out, err);
}

enum sbx_status sbx_sqlite_row_into(sqlite3_stmt *row, struct sbx_records *into, struct sbx_error *err) {
    struct sbx_record columns = columns_of(row);
    return sbx_records_take_row(into, &columns, text_at(row, COLUMN_LABELS), err);
}

/* ---- lists ---- */

struct search {
    const struct sbx_store_query *query;
    struct sbx_records *into;
    int unfinished;
};

/* The statement's text: `?1` is where to go on, `?2` how many, and then a key for each label. */
static void search_text(const struct search *search, struct sbx_buf *sql) {
    const struct sbx_store_query *query = search->query;
    sbx_buf_text_append(sql, "SELECT " RECORD_COLUMNS " FROM record WHERE acquisition > ?1");
    if (search->unfinished) sbx_buf_text_append(sql, " AND state IN (1, 2, 3, 6)");
    for (size_t i = 0; !search->unfinished && i < query->label_count; i++)
        sbx_buf_printf(sql, " AND acquisition IN (SELECT acquisition FROM label WHERE key = ?%zu)", i + 3);
    for (size_t i = 0; !search->unfinished && i < query->state_count; i++)
        sbx_buf_printf(sql, "%s%d", i ? ", " : " AND state IN (", (int)query->states[i]);
    if (!search->unfinished && query->state_count) sbx_buf_char(sql, ')');
    sbx_buf_text_append(sql, " ORDER BY acquisition LIMIT ?2");
}

static enum sbx_status bind_search(const struct search *search, sqlite3_stmt *statement, int *rc) {
    const struct sbx_store_query *query = search->query;
    *rc = sqlite3_bind_text(statement, 1, query->after, -1, SQLITE_STATIC);
    if (*rc == SQLITE_OK) *rc = sqlite3_bind_int64(statement, 2, (int64_t)query->max + 1);
    for (size_t i = 0; !search->unfinished && i < query->label_count && *rc == SQLITE_OK; i++) {
        char key[SBX_SHA256_HEX];
        enum sbx_status st = sbx_store_label_key(&query->labels[i], key);
        if (st) return st;
        *rc = sqlite3_bind_text(statement, (int)i + 3, key, -1, SQLITE_TRANSIENT);
    }
    return *rc == SQLITE_OK ? SBX_OK : SBX_STORE_FAILED;
}

/* The rows that there are, one more than asked for being the sign that there are more. */
static enum sbx_status read_rows(const struct search *search, sqlite3_stmt *statement, int *rc, struct sbx_error *err) {
    char last[SBX_POOL_SIZE] = "";
    int32_t n = 0;
    while ((*rc = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *key = text_at(statement, 0);
        if (n++ == search->query->max) return last[0] ? sbx_records_set_next(search->into, last) : SBX_OK;
        if (key && sqlite3_column_bytes(statement, 0) < (int)sizeof(last)) sbx_copy(last, sizeof(last), key);
        enum sbx_status st = sbx_sqlite_row_into(statement, search->into, err);
        if (st) return st;
    }
    if (n && sbx_sqlite_is_busy(*rc)) *rc = SQLITE_ABORT; /* no second try over a list that has rows */
    return *rc == SQLITE_DONE ? SBX_OK : SBX_STORE_FAILED;
}

static enum sbx_status search_once(struct sbx_sqlite_store *self, struct sbx_sqlite_link *link, void *ctx, int *rc,
                                   struct sbx_error *err) {
    struct search *search = ctx;
    struct sbx_buf sql = SBX_BUF_INIT;
    sqlite3_stmt *statement = NULL;
    (void)self;
    search_text(search, &sql);
    enum sbx_status st = sbx_buf_status(&sql);
    if (st) goto done;
    *rc = sqlite3_prepare_v2(link->db, sql.data, (int)sql.len, &statement, NULL);
    st = *rc == SQLITE_OK ? bind_search(search, statement, rc) : SBX_STORE_FAILED;
    if (!st) st = read_rows(search, statement, rc, err);
done:
    if (st == SBX_STORE_FAILED) st = sbx_sqlite_status(link->db, *rc, SBX_OUTCOME_NONE, err);
    if (st == SBX_NO_MEMORY) sbx_fail(err, st, SBX_OUTCOME_NONE, NULL);
    sqlite3_finalize(statement);
    sbx_buf_finish(&sql);
    return st;
}

enum sbx_status sbx_sqlite_find(void *ctx, const struct sbx_store_query *query, const struct sbx_call *call,
                                struct sbx_records *into, struct sbx_error *err) {
    struct search search = {query, into, 0};
    return sbx_sqlite_try(ctx, search_once, &search, call, err);
}

enum sbx_status sbx_sqlite_list_unfinished(void *ctx, const struct sbx_store_query *query, const struct sbx_call *call,
                                           struct sbx_records *into, struct sbx_error *err) {
    struct search search = {query, into, 1};
    return sbx_sqlite_try(ctx, search_once, &search, call, err);
}
