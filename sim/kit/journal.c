/* The journal: lines as they happen, secrets removed, hashed as they go. Row V2. */
#include "sim/kit/journal.h"

#include "sim/kit/alias.h"
#include "sim/kit/secrets.h"
#include "sim/kit/sim.h"

#include <sandport/kit/json.h>
#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

struct sim_journal {
    struct sim *sim;
    struct sbx_buf line; /* the one that is open */
    struct sbx_buf text;
    struct sbx_buf timeline;
    int timeline_ended;
    struct sbx_sha256 *hash;
    struct sim_secrets secrets;
    struct sim_aliases aliases;
    int64_t unsupported;
    int broken; /* memory ran out: a line, a secret or an alias is missing, and the journal vouches for nothing */
    void (*tee)(void *ctx, const char *text, size_t len);
    void *tee_ctx;
};

struct sim_journal *sim_journal_new(struct sim *sim) {
    struct sim_journal *journal = calloc(1, sizeof(*journal));
    if (!journal) return NULL;
    journal->sim = sim;
    journal->hash = sbx_sha256_create();
    if (journal->hash) return journal;
    free(journal);
    return NULL;
}

void sim_journal_free(struct sim_journal *journal) {
    if (!journal) return;
    sbx_buf_finish(&journal->line);
    sbx_buf_finish(&journal->text);
    sbx_buf_finish(&journal->timeline);
    sbx_sha256_free(journal->hash);
    sim_secrets_finish(&journal->secrets);
    sim_aliases_finish(&journal->aliases);
    free(journal);
}

/* ---- lines ---- */

struct sbx_buf *sim_journal_begin(struct sim_journal *journal, const char *kind) {
    sbx_buf_clear(&journal->line);
    sbx_json_begin_object(&journal->line, NULL);
    sbx_json_put_int(&journal->line, "t", sim_now(sim_world(journal->sim)));
    sbx_json_put_string(&journal->line, "kind", kind);
    return &journal->line;
}

void sim_journal_end(struct sim_journal *journal) {
    size_t from = journal->text.len;
    sbx_json_end_object(&journal->line);
    sbx_buf_char(&journal->line, '\n');
    if (journal->line.failed) {
        journal->broken = 1;
        return;
    }
    sim_secrets_scrub(&journal->secrets, journal->line.data, journal->line.len, &journal->text);
    if (journal->text.failed) {
        journal->broken = 1;
        return;
    }
    const char *line = journal->text.data + from;
    sbx_sha256_add(journal->hash, line, journal->text.len - from);
    if (journal->tee) journal->tee(journal->tee_ctx, line, journal->text.len - from);
}

void sim_journal_secret(struct sim_journal *journal, const char *secret) {
    if (sim_secrets_add(&journal->secrets, secret)) journal->broken = 1;
}

void sim_journal_state(struct sim_journal *journal, const char *provider, const char *sandbox, const char *from,
                       const char *to, const char *why) {
    struct sbx_buf *line = sim_journal_begin(journal, "state");
    sbx_json_put_string(line, "provider", provider);
    sbx_json_put_string(line, "sandbox", sandbox);
    sbx_json_put_string(line, "alias", sim_journal_alias(journal, sandbox));
    sbx_json_put_string(line, "from", from);
    sbx_json_put_string(line, "to", to);
    sbx_json_put_string(line, "why", why);
    sim_journal_end(journal);
}

void sim_journal_note(struct sim_journal *journal, const char *text) {
    struct sbx_buf *line = sim_journal_begin(journal, "note");
    sbx_json_put_text(line, "text", text, sbx_utf8_valid(text, strlen(text)));
    sim_journal_end(journal);
}

void sim_journal_unsupported(struct sim_journal *journal, const char *kind, const char *what, int harmless) {
    struct sbx_buf *line = sim_journal_begin(journal, kind);
    sbx_json_put_text(line, "what", what, sbx_utf8_valid(what, strlen(what)));
    sbx_json_put_bool(line, "harmless", harmless);
    sim_journal_end(journal);
    if (!harmless) journal->unsupported++;
}

int64_t sim_journal_unsupported_count(const struct sim_journal *journal) {
    return journal->unsupported;
}

/* ---- what is read of it ---- */

const char *sim_journal_text(const struct sim_journal *journal, size_t *len) {
    if (len) *len = journal->text.len;
    return sbx_buf_text(&journal->text);
}

void sim_journal_hash(struct sim_journal *journal, char out[65]) {
    out[0] = 0;
    if (!journal->broken) sbx_sha256_hex(journal->hash, out);
}

void sim_journal_clear(struct sim_journal *journal) {
    sbx_buf_finish(&journal->text);
    sbx_buf_finish(&journal->timeline);
}

size_t sim_journal_held(const struct sim_journal *journal) {
    return journal->text.cap + journal->timeline.cap;
}

void sim_journal_tee(struct sim_journal *journal, void (*line)(void *ctx, const char *text, size_t len), void *ctx) {
    journal->tee = line;
    journal->tee_ctx = ctx;
}

/* ---- aliases and the timeline ---- */

const char *sim_journal_alias(const struct sim_journal *journal, const char *id) {
    return id ? sim_aliases_find(&journal->aliases, id, strlen(id)) : NULL;
}

void sim_journal_alias_add(struct sim_journal *journal, const char *prefix, const char *id, const char *name) {
    if (sim_aliases_add(&journal->aliases, prefix, id, name)) journal->broken = 1;
}

void sim_journal_timeline_add(struct sim_journal *journal, const char *text) {
    struct sbx_buf line = SBX_BUF_INIT;
    if (journal->timeline_ended) return;
    long long ms = (long long)(sim_now(sim_world(journal->sim)) / SIM_MS);
    sbx_buf_printf(&line, "[%6lld] ", ms);
    sim_aliases_replace(&journal->aliases, text, &line);
    sbx_buf_char(&line, '\n');
    if (line.failed)
        journal->broken = 1;
    else
        sim_secrets_scrub(&journal->secrets, line.data, line.len, &journal->timeline);
    sbx_buf_finish(&line);
}

const char *sim_journal_timeline(struct sim_journal *journal) {
    return sbx_buf_text(&journal->timeline);
}

void sim_journal_timeline_reset(struct sim_journal *journal) {
    sbx_buf_clear(&journal->timeline);
}

void sim_journal_timeline_end(struct sim_journal *journal) {
    sbx_buf_finish(&journal->timeline);
    journal->timeline_ended = 1;
}

int sim_journal_has_timeline(const struct sim_journal *journal) {
    return !journal->timeline_ended;
}
