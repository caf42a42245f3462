/* Changes: read what they are about, let the rules decide, write, commit. Rows R9, R21. */
#include "src/store/sqlite/write.h"

#include "src/store/sqlite/room.h"

#include <sandport/kit/fail.h>

struct write {
    int32_t verb;                   /* enum sbx_store_verb; 0 = put_intent */
    const struct sbx_record *draft; /* put_intent */
    const struct sbx_store_change *change;
    struct sbx_record *made; /* as it now is */
};

/* The record that a statement finds by a key; NULL if there is none. @return also SBX_STORE_FAILED: see *rc */
static enum sbx_status read_one(struct sbx_sqlite_link *link, enum statement text, const char *key,
                                struct sbx_record **out, int *rc, struct sbx_error *err) {
    sqlite3_stmt *statement = NULL;
    enum sbx_status st = SBX_OK;
    *rc = sbx_sqlite_statement(link, text, &statement);
    if (*rc == SQLITE_OK) *rc = sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    if (*rc != SQLITE_OK) return SBX_STORE_FAILED;
    *rc = sqlite3_step(statement);
    if (*rc == SQLITE_ROW)
        st = sbx_sqlite_row(statement, out, err);
    else if (*rc != SQLITE_DONE)
        st = SBX_STORE_FAILED;
    sqlite3_reset(statement);
    if (st == SBX_NO_MEMORY) sbx_fail(err, st, SBX_OUTCOME_REFUSED, NULL);
    return st;
}

/* Runs a statement whose texts, all of them, are these. */
static int run_with(struct sbx_sqlite_link *link, enum statement text, const char *first, const char *second) {
    sqlite3_stmt *statement = NULL;
    int rc = sbx_sqlite_statement(link, text, &statement);
    if (rc == SQLITE_OK) rc = sqlite3_bind_text(statement, 1, first, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK && second) rc = sqlite3_bind_text(statement, 2, second, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK) rc = sqlite3_step(statement);
    if (statement) sqlite3_reset(statement);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int bind_record(sqlite3_stmt *statement, const struct sbx_record *record, const struct sbx_buf *labels) {
    const char *const texts[] = {record->acquisition, record->locator, record->provider, record->pool,
                                 record->sandbox_id,  record->request, record->owner,    sbx_buf_text(labels)};
    const int64_t numbers[] = {record->attempt, record->state, record->generation, record->lease};
    int rc = SQLITE_OK, column = 0;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && rc == SQLITE_OK; i++)
        rc = sqlite3_bind_text(statement, ++column, texts[i], -1, SQLITE_STATIC);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && rc == SQLITE_OK; i++)
        rc = sqlite3_bind_int64(statement, ++column, numbers[i]);
    return rc;
}

static int put_record(struct sbx_sqlite_link *link, const struct sbx_record *record) {
    struct sbx_buf labels = SBX_BUF_INIT;
    sqlite3_stmt *statement = NULL;
    sbx_store_labels_write(&labels, record);
    int rc = sbx_buf_status(&labels) ? SQLITE_NOMEM : sbx_sqlite_statement(link, STATEMENT_PUT, &statement);
    if (rc == SQLITE_OK) rc = bind_record(statement, record, &labels);
    if (rc == SQLITE_OK) rc = sqlite3_step(statement);
    if (statement) sqlite3_reset(statement);
    sbx_buf_finish(&labels);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int put_labels(struct sbx_sqlite_link *link, const struct sbx_record *record) {
    int rc = SQLITE_OK;
    for (size_t i = 0; i < record->label_count && rc == SQLITE_OK; i++) {
        char key[SBX_SHA256_HEX];
        rc = sbx_store_label_key(&record->labels[i], key)
                 ? SQLITE_NOMEM
                 : run_with(link, STATEMENT_PUT_LABEL, key, record->acquisition);
    }
    return rc;
}

static int write_verdict(struct sbx_sqlite_link *link, const struct write *write,
                         const struct sbx_store_verdict *verdict) {
    const struct sbx_record *next = &verdict->next;
    int rc = SQLITE_OK;
    if (!verdict->write) return rc;
    if (write->verb == SBX_STORE_REMOVE) {
        rc = run_with(link, STATEMENT_REMOVE_LABELS, next->acquisition, NULL);
        return rc == SQLITE_OK ? run_with(link, STATEMENT_REMOVE, next->acquisition, NULL) : rc;
    }
    if (verdict->has_replaced) rc = put_record(link, &verdict->replaced);
    if (rc == SQLITE_OK) rc = put_record(link, next);
    if (rc == SQLITE_OK && write->verb == 0) rc = put_labels(link, next);
    return rc;
}

/* A full disk is found out before the commit's mark is written; of a commit that failed otherwise nobody knows. */
static enum sbx_status commit(struct sbx_sqlite_link *link, int *rc, struct sbx_error *err) {
    *rc = sbx_sqlite_run(link, STATEMENT_COMMIT);
    int unknown = (*rc & 0xff) == SQLITE_IOERR;
    return sbx_sqlite_status(link->db, *rc, unknown ? SBX_OUTCOME_UNKNOWN : SBX_OUTCOME_REFUSED, err);
}

static enum sbx_status write_in(struct sbx_sqlite_link *link, struct write *write, int *rc, struct sbx_error *err) {
    struct sbx_store_verdict verdict = SBX_STORE_VERDICT_INIT;
    struct sbx_record *now = NULL, *holder = NULL, *made = NULL;
    const char *key = write->draft ? write->draft->acquisition : write->change->acquisition;
    enum sbx_status st = read_one(link, STATEMENT_BY_ACQUISITION, key, &now, rc, err);
    if (!st && write->verb == SBX_STORE_PUT_MAPPING)
        st = read_one(link, STATEMENT_BY_LOCATOR, write->change->locator, &holder, rc, err);
    if (!st)
        st = write->draft ? sbx_store_decide_intent(write->draft, now, &verdict, err)
                          : sbx_store_decide(write->verb, write->change, now, holder, &verdict, err);
    if (!st && write->verb != SBX_STORE_REMOVE && !(made = sbx_record_create(&verdict.next)))
        st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_REFUSED, NULL);
    if (!st && (*rc = write_verdict(link, write, &verdict)) != SQLITE_OK) st = SBX_STORE_FAILED;
    if (st == SBX_STORE_FAILED) st = sbx_sqlite_status(link->db, *rc, SBX_OUTCOME_REFUSED, err);
    if (!st) st = commit(link, rc, err);
    if (!st)
        write->made = made;
    else
        sbx_record_free(made);
    sbx_record_free(now);
    sbx_record_free(holder);
    return st;
}

static enum sbx_status write_once(struct sbx_sqlite_store *self, struct sbx_sqlite_link *link, void *ctx, int *rc,
                                  struct sbx_error *err) {
    (void)self;
    *rc = sbx_sqlite_run(link, STATEMENT_BEGIN);
    if (*rc != SQLITE_OK) return sbx_sqlite_status(link->db, *rc, SBX_OUTCOME_REFUSED, err);
    enum sbx_status st = write_in(link, ctx, rc, err);
    if (!sqlite3_get_autocommit(link->db)) sbx_sqlite_run(link, STATEMENT_ROLLBACK);
    return st;
}

static enum sbx_status change_by(struct sbx_sqlite_store *self, int32_t verb, const struct sbx_store_change *change,
                                 const struct sbx_call *call, struct sbx_record **out, struct sbx_error *err) {
    struct write write = {.verb = verb, .change = change};
    enum sbx_status st = sbx_sqlite_try(self, write_once, &write, call, err);
    if (!st && out) *out = write.made;
    return st;
}

enum sbx_status sbx_sqlite_put_intent(void *ctx, const struct sbx_record *draft, const struct sbx_call *call,
                                      struct sbx_record **out, struct sbx_error *err) {
    struct write write = {.draft = draft};
    enum sbx_status st = sbx_sqlite_try(ctx, write_once, &write, call, err);
    if (!st) *out = write.made;
    return st;
}

enum sbx_status sbx_sqlite_advance(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                                   struct sbx_record **out, struct sbx_error *err) {
    return change_by(ctx, SBX_STORE_ADVANCE, change, call, out, err);
}

enum sbx_status sbx_sqlite_put_mapping(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                                       struct sbx_record **out, struct sbx_error *err) {
    return change_by(ctx, SBX_STORE_PUT_MAPPING, change, call, out, err);
}

enum sbx_status sbx_sqlite_claim(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                                 struct sbx_record **out, struct sbx_error *err) {
    return change_by(ctx, SBX_STORE_CLAIM, change, call, out, err);
}

enum sbx_status sbx_sqlite_renew(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                                 struct sbx_record **out, struct sbx_error *err) {
    return change_by(ctx, SBX_STORE_RENEW, change, call, out, err);
}

enum sbx_status sbx_sqlite_remove(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                                  struct sbx_error *err) {
    return change_by(ctx, SBX_STORE_REMOVE, change, call, NULL, err);
}
