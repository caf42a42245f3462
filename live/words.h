/* What is said instead of what is private: credentials, ids of an account, hosts and tokens, each by a word that stays
 * the same throughout a transcript ("$key", "$id", "$uuid3"), as fixtures write it. */
#ifndef LIVE_WORDS_H
#define LIVE_WORDS_H

#include <sandport/kit/buf.h>
#include <sandport/kit/json.h>

struct live_word {
    char *value;
    size_t len;
    char name[40];
};

struct live_words {
    struct live_word *all;
    size_t n, cap;
    const char *key; /* lent: the credential, looked for in every encoding */
    int failed;      /* memory ran out: nothing that passed since may be shown */
};

/** @param key lent for the words' life */
void live_words_init(struct live_words *words, const char *key);
void live_words_finish(struct live_words *words);

/** Says `name` for `value` from now on, `name` with a number behind it if another value has that. Values of less than
 *  four bytes are no secret and are left alone. */
void live_words_add(struct live_words *words, const char *name, const char *value);

/** Appends `text` with all that is private replaced: what was added, and by their looks UUIDs, hosts of URLs, IPv4
 *  addresses, mail addresses and tokens. @param strict also every long run of letters and digits */
void live_words_text(struct live_words *words, struct sbx_buf *out, const char *text, size_t len, int strict);

/** Writes a JSON value with its texts cleaned. When strict, texts under names that speak of accounts, owners or secrets
 *  go, whatever they look like. @param key NULL for the outermost value */
void live_words_json(struct live_words *words, struct sbx_json *js, const struct sbx_json_node *node,
                     struct sbx_buf *out, const char *key, int strict);

/** Does the credential show in `text`, as it is, percent-encoded, JSON-escaped or in base64? Also if that could not be
 *  looked for. */
int live_words_leak(const struct live_words *words, const char *text, size_t len);

#endif
