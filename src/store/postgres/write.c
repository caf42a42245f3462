/* Changes: lock what they are about, let the rules decide, write, commit. A commit whose answer was lost is looked for
 * by the stamp that it wrote, so that a change is never made twice and never reported wrongly. Rows R9, R21. */
#include "src/store/postgres/write.h"

#include "src/store/postgres/room.h"

#include <sandport/kit/fail.h>
#include <stdio.h>
#include <string.h>

#define LABELS_MAX  64 /* more than that no record has */
#define NUMBER_SIZE 24

struct write {
    int32_t verb;                   /* enum sbx_store_verb; 0 = put_intent */
    const struct sbx_record *draft; /* put_intent */
    const struct sbx_store_change *change;
    char stamp[SBX_ACQUISITION_SIZE]; /* of this call: fresh */
    int in_doubt;                     /* a COMMIT was sent, and its answer lost */
    struct sbx_record *made;          /* as it now is */
};

/* What the transaction has locked. */
struct sight {
    struct sbx_record *now;
    struct sbx_record *holder;
    int has_stamp; /* `now` was written last by this very call */
};

static enum sbx_status short_of_memory(struct pg_round *round) {
    return sbx_fail(round->err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
}

/* Runs a statement with the schema in the place of each '@'. */
static enum sbx_status run(struct pg_round *round, const char *text, int count, const char *const *values,
                           PGresult **out) {
    struct sbx_buf sql = SBX_BUF_INIT;
    for (const char *at = text; *at; at++) {
        if (*at == '@')
            sbx_buf_text_append(&sql, round->self->schema);
        else
            sbx_buf_char(&sql, *at);
    }
    enum sbx_status st =
        sbx_buf_status(&sql) ? short_of_memory(round) : sbx_pg_run(round, sql.data, count, values, out);
    sbx_buf_finish(&sql);
    return st;
}

/* ---- looking ---- */

static enum sbx_status see_row(const struct pg_round *round, const struct write *write, const PGresult *rows, int row,
                               const char *key, struct sight *sight) {
    const char *acquisition = sbx_pg_text(rows, row, 0), *stamp = sbx_pg_text(rows, row, PG_COLUMN_STAMP);
    int is_it = acquisition && strcmp(acquisition, key) == 0;
    if (is_it) sight->has_stamp = stamp && strcmp(stamp, write->stamp) == 0;
    enum sbx_status st = sbx_pg_row(rows, row, is_it ? &sight->now : &sight->holder, round->err);
    return st == SBX_NO_MEMORY ? sbx_fail(round->err, st, SBX_OUTCOME_NOT_SENT, NULL) : st;
}

/* Locks in the order of the keys, so that two that move locators do not wait for each other. */
static enum sbx_status look(struct pg_round *round, const struct write *write, struct sight *sight) {
    static const char by_key[] = "SELECT " PG_COLUMNS " FROM @.record WHERE acquisition = $1 FOR UPDATE";
    static const char by_both[] = "SELECT " PG_COLUMNS " FROM @.record WHERE acquisition = $1 OR (locator = $2 AND "
                                  "locator <> '') ORDER BY acquisition FOR UPDATE";
    const char *key = write->draft ? write->draft->acquisition : write->change->acquisition;
    int both = write->verb == SBX_STORE_PUT_MAPPING;
    const char *values[] = {key, both ? write->change->locator : NULL};
    PGresult *rows = NULL;
    enum sbx_status st = run(round, both ? by_both : by_key, both ? 2 : 1, values, &rows);
    for (int i = 0; !st && i < PQntuples(rows); i++) st = see_row(round, write, rows, i, key, sight);
    PQclear(rows);
    return st;
}

/* ---- writing ---- */

static enum sbx_status insert(struct pg_round *round, const struct write *write, const struct sbx_record *next) {
    static const char text[] = "INSERT INTO @.record (" PG_COLUMNS ") VALUES ($1, '', $2, $3, $4, $5, $6, $7, $8, 1, "
                               "1, 1, $9)";
    struct sbx_buf labels = SBX_BUF_INIT;
    char attempt[NUMBER_SIZE];
    snprintf(attempt, sizeof(attempt), "%d", (int)next->attempt);
    sbx_store_labels_write(&labels, next);
    const char *values[] = {next->acquisition, next->provider, next->pool, next->sandbox_id,
                            next->request,     next->owner,    "",         attempt,
                            write->stamp};
    values[6] = sbx_buf_text(&labels);
    enum sbx_status st = sbx_buf_status(&labels) ? short_of_memory(round) : run(round, text, 9, values, NULL);
    sbx_buf_finish(&labels);
    return st;
}

static enum sbx_status insert_labels(struct pg_round *round, const struct sbx_record *next) {
    char keys[LABELS_MAX][SBX_SHA256_HEX];
    const char *values[LABELS_MAX + 1] = {next->acquisition};
    struct sbx_buf text = SBX_BUF_INIT;
    enum sbx_status st = SBX_OK;
    int count = 1;
    if (!next->label_count) return SBX_OK;
    sbx_buf_text_append(&text, "INSERT INTO @.label (acquisition, key) VALUES ");
    for (size_t i = 0; i < next->label_count && !st; i++) {
        st = sbx_store_label_key(&next->labels[i], keys[i]);
        values[count++] = keys[i];
        sbx_buf_printf(&text, "%s($1, $%d)", i ? ", " : "", count);
    }
    if (!st) st = sbx_buf_status(&text);
    st = st ? short_of_memory(round) : run(round, text.data, count, values, NULL);
    sbx_buf_finish(&text);
    return st;
}

static enum sbx_status update(struct pg_round *round, const struct write *write, const struct sbx_record *next) {
    static const char text[] = "UPDATE @.record SET locator = $2, sandbox_id = $3, owner = $4, state = $5, "
                               "generation = $6, lease = $7, stamp = $8 WHERE acquisition = $1";
    char state[NUMBER_SIZE], generation[NUMBER_SIZE], lease[NUMBER_SIZE];
    snprintf(state, sizeof(state), "%d", (int)next->state);
    snprintf(generation, sizeof(generation), "%lld", (long long)next->generation);
    snprintf(lease, sizeof(lease), "%lld", (long long)next->lease);
    const char *const values[] = {next->acquisition, next->locator, next->sandbox_id, next->owner, state,
                                  generation,        lease,         write->stamp};
    return run(round, text, 8, values, NULL);
}

static enum sbx_status delete (struct pg_round *round, const struct sbx_record *next) {
    enum sbx_status st = run(round, "DELETE FROM @.label WHERE acquisition = $1", 1, &next->acquisition, NULL);
    return st ? st : run(round, "DELETE FROM @.record WHERE acquisition = $1", 1, &next->acquisition, NULL);
}

static enum sbx_status write_verdict(struct pg_round *round, const struct write *write,
                                     const struct sbx_store_verdict *verdict) {
    enum sbx_status st = SBX_OK;
    if (!verdict->write) return st;
    if (write->verb == SBX_STORE_REMOVE) return delete (round, &verdict->next);
    if (write->draft) {
        st = insert(round, write, &verdict->next);
        return st ? st : insert_labels(round, &verdict->next);
    }
    if (verdict->has_replaced) st = update(round, write, &verdict->replaced);
    return st ? st : update(round, write, &verdict->next);
}

/* ---- one transaction ---- */

/* @return SBX_OK with *done when the change was there already */
static enum sbx_status change_in(struct pg_round *round, struct write *write, int *done) {
    struct sbx_store_verdict verdict = SBX_STORE_VERDICT_INIT;
    struct sight sight = {NULL, NULL, 0};
    enum sbx_status st = look(round, write, &sight);
    *done = !st && write->in_doubt && sight.now && sight.has_stamp; /* guard: store_postgres_lost_commit */
    if (*done) {
        write->made = sight.now;
        sight.now = NULL;
    } else {
        if (!st)
            st = write->draft
                     ? sbx_store_decide_intent(write->draft, sight.now, &verdict, round->err)
                     : sbx_store_decide(write->verb, write->change, sight.now, sight.holder, &verdict, round->err);
        if (!st && write->verb != SBX_STORE_REMOVE && !(write->made = sbx_record_create(&verdict.next)))
            st = short_of_memory(round);
        if (!st) st = write_verdict(round, write, &verdict);
    }
    sbx_record_free(sight.now);
    sbx_record_free(sight.holder);
    return st;
}

static enum sbx_status write_once(struct pg_round *round, void *ctx) {
    struct write *write = ctx;
    int done = 0;
    enum sbx_status st = sbx_pg_begin(round, "");
    if (!st) st = change_in(round, write, &done);
    if (!st && !done) st = sbx_pg_commit(round);
    write->in_doubt |= st && round->committing;
    sbx_pg_rollback(round);
    if (st) {
        sbx_record_free(write->made);
        write->made = NULL;
    }
    return st;
}

static enum sbx_status write_by(struct pg_store *self, struct write *write, const struct sbx_call *call,
                                struct sbx_record **out, struct sbx_error *err) {
    enum sbx_status st = sbx_acquisition_new(self->env, write->stamp);
    if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, "the env gave no random bytes");
    st = sbx_pg_try(self, write_once, write, call, err);
    if (st && write->in_doubt) err->outcome = SBX_OUTCOME_UNKNOWN; /* whatever was found out about it since */
    if (!st && out) *out = write->made;
    return st;
}

static enum sbx_status change_by(struct pg_store *self, int32_t verb, const struct sbx_store_change *change,
                                 const struct sbx_call *call, struct sbx_record **out, struct sbx_error *err) {
    struct write write = {.verb = verb, .change = change};
    return write_by(self, &write, call, out, err);
}

enum sbx_status sbx_pg_put_intent(void *ctx, const struct sbx_record *draft, const struct sbx_call *call,
                                  struct sbx_record **out, struct sbx_error *err) {
    struct write write = {.draft = draft};
    return write_by(ctx, &write, call, out, err);
}

enum sbx_status sbx_pg_advance(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                               struct sbx_record **out, struct sbx_error *err) {
    return change_by(ctx, SBX_STORE_ADVANCE, change, call, out, err);
}

enum sbx_status sbx_pg_put_mapping(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                                   struct sbx_record **out, struct sbx_error *err) {
    return change_by(ctx, SBX_STORE_PUT_MAPPING, change, call, out, err);
}

enum sbx_status sbx_pg_claim(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                             struct sbx_record **out, struct sbx_error *err) {
    return change_by(ctx, SBX_STORE_CLAIM, change, call, out, err);
}

enum sbx_status sbx_pg_renew(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                             struct sbx_record **out, struct sbx_error *err) {
    return change_by(ctx, SBX_STORE_RENEW, change, call, out, err);
}

enum sbx_status sbx_pg_remove(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                              struct sbx_error *err) {
    return change_by(ctx, SBX_STORE_REMOVE, change, call, NULL, err);
}
