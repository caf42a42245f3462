/* The journal: JSON lines of all that happened, credentials removed, and its rendering as a timeline.
 *
 * Every line starts {"t":<ns>,"kind":"..."}; the kinds and members are in fixtures/schema/journal.json. No address,
 * hash order, wall clock, locale or thread decides a byte of it. */
#ifndef SIM_KIT_JOURNAL_H
#define SIM_KIT_JOURNAL_H

#include <sandport/kit/buf.h>
#include <stdint.h>

struct sim;
struct sim_journal;

struct sim_journal *sim_journal_new(struct sim *sim);
void sim_journal_free(struct sim_journal *journal);

/** Opens a line: {"t":now,"kind":kind ... Append members with sbx_json_put_*, then end it. One line at a time. */
struct sbx_buf *sim_journal_begin(struct sim_journal *journal, const char *kind);
void sim_journal_end(struct sim_journal *journal);

/** A text that must never show: keys and tokens. Every line is searched for it and each hit replaced. Copied. */
void sim_journal_secret(struct sim_journal *journal, const char *secret);

/** Common lines. */
void sim_journal_state(struct sim_journal *journal, const char *provider, const char *sandbox, const char *from,
                       const char *to, const char *why);
void sim_journal_note(struct sim_journal *journal, const char *text);
void sim_journal_unsupported(struct sim_journal *journal, const char *kind, const char *what, int harmless);
int64_t sim_journal_unsupported_count(const struct sim_journal *journal);

/** An alias for an id, "sb-1" by order of creation; NULL for an id that was never created. Lent. */
const char *sim_journal_alias(const struct sim_journal *journal, const char *id);
void sim_journal_alias_add(struct sim_journal *journal, const char *prefix, const char *id, const char *name);

const char *sim_journal_text(const struct sim_journal *journal, size_t *len);
void sim_journal_hash(struct sim_journal *journal, char out[65]);
const char *sim_journal_timeline(struct sim_journal *journal);
void sim_journal_timeline_reset(struct sim_journal *journal);
/** From now on there is none: where nobody can read it, it would only grow. */
void sim_journal_timeline_end(struct sim_journal *journal);
int sim_journal_has_timeline(const struct sim_journal *journal);
/** Adds a line to the timeline: "[ms] text", ids in it replaced by their aliases. Exchanges do this
 * themselves. */
void sim_journal_timeline_add(struct sim_journal *journal, const char *text);
/** Forgets the lines and the timeline and gives their memory back (the served face, on request); the hash goes on. */
void sim_journal_clear(struct sim_journal *journal);
/** The bytes of memory that lines and timeline take. */
size_t sim_journal_held(const struct sim_journal *journal);
/** A file that gets each line as it is written; NULL stops. */
void sim_journal_tee(struct sim_journal *journal, void (*line)(void *ctx, const char *text, size_t len), void *ctx);

#endif
