/* What is said instead of what is private. Texts are read from left to right: the longest known value wins, then what
 * has the looks of something private. */
#include "live/words.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_MIN  4
#define OPAQUE_MIN 24
#define TOKEN_MIN  16

void live_words_init(struct live_words *words, const char *key) {
    *words = (struct live_words){.key = key};
    live_words_add(words, "$key", key);
}

void live_words_finish(struct live_words *words) {
    for (size_t i = 0; i < words->n; i++) {
        explicit_bzero(words->all[i].value, words->all[i].len);
        free(words->all[i].value);
    }
    free(words->all);
    memset(words, 0, sizeof(*words));
}

/* ---- what is known ---- */

static const struct live_word *words_find(const struct live_words *words, const char *value, size_t len) {
    for (size_t i = 0; i < words->n; i++)
        if (words->all[i].len == len && memcmp(words->all[i].value, value, len) == 0) return &words->all[i];
    return NULL;
}

static int words_has_name(const struct live_words *words, const char *name) {
    for (size_t i = 0; i < words->n; i++)
        if (strcmp(words->all[i].name, name) == 0) return 1;
    return 0;
}

static const struct live_word *words_put(struct live_words *words, const char *name, const char *value, size_t len) {
    const struct live_word *found = words_find(words, value, len);
    char *copy = NULL;
    if (found) return found;
    if (words->n == words->cap) {
        size_t cap = words->cap ? words->cap * 2 : 16;
        struct live_word *more = realloc(words->all, cap * sizeof(*more));
        if (!more) goto failed;
        words->all = more;
        words->cap = cap;
    }
    copy = malloc(len + 1);
    if (!copy) goto failed;
    memcpy(copy, value, len);
    copy[len] = 0;
    struct live_word word = {.value = copy, .len = len};
    snprintf(word.name, sizeof(word.name), "%.24s", name);
    for (int i = 2; words_has_name(words, word.name); i++) snprintf(word.name, sizeof(word.name), "%.24s%d", name, i);
    words->all[words->n] = word;
    return &words->all[words->n++];
failed:
    words->failed = 1;
    return NULL;
}

void live_words_add(struct live_words *words, const char *name, const char *value) {
    if (value && strlen(value) >= VALUE_MIN) words_put(words, name, value, strlen(value));
}

/* ---- looks ---- */

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

static int is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int is_hex_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int is_run(char c) {
    return is_digit(c) || is_letter(c) || c == '_' || c == '-';
}

static size_t uuid_at(const char *text, size_t left) {
    if (left < 36) return 0;
    for (size_t i = 0; i < 36; i++) {
        int dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !is_hex_digit(text[i])) return 0;
    }
    return left > 36 && is_run(text[36]) ? 0 : 36;
}

/* The host and port behind "http://" or "https://"; *skip is the scheme. */
static size_t host_at(const char *text, size_t left, size_t *skip) {
    size_t n = 0;
    *skip = left > 8 && memcmp(text, "https://", 8) == 0 ? 8 : left > 7 && memcmp(text, "http://", 7) == 0 ? 7 : 0;
    if (!*skip) return 0;
    while (*skip + n < left && (is_run(text[*skip + n]) || strchr(".:@%[]", text[*skip + n])) && text[*skip + n]) n++;
    return n;
}

static size_t address_at(const char *text, size_t left) {
    size_t n = 0;
    for (int part = 0; part < 4; part++) {
        size_t digits = 0;
        if (part && (n == left || text[n++] != '.')) return 0;
        while (n < left && digits < 4 && is_digit(text[n])) n++, digits++;
        if (digits == 0 || digits > 3) return 0;
    }
    return n < left && (is_run(text[n]) || text[n] == '.') ? 0 : n;
}

static size_t mail_at(const char *text, size_t left) {
    size_t n = 0, dots = 0;
    while (n < left && (is_run(text[n]) || text[n] == '.' || text[n] == '+')) n++;
    if (n == 0 || n == left || text[n++] != '@') return 0;
    size_t host = n;
    while (n < left && (is_run(text[n]) || text[n] == '.')) dots += text[n++] == '.';
    return n > host && dots ? n : 0;
}

/* A JWT, or a key of Daytona's. */
static size_t token_at(const char *text, size_t left) {
    static const char *const starts[] = {"eyJ", "dtn_"};
    size_t n = 0;
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]) && !n; i++) {
        size_t len = strlen(starts[i]);
        if (left > len && memcmp(text, starts[i], len) == 0) n = len;
    }
    if (!n) return 0;
    while (n < left && (is_run(text[n]) || text[n] == '.')) n++;
    return n >= TOKEN_MIN ? n : 0;
}

static size_t opaque_at(const char *text, size_t left) {
    size_t n = 0, digits = 0, letters = 0;
    while (n < left && is_run(text[n])) {
        digits += (size_t)is_digit(text[n]);
        letters += (size_t)is_letter(text[n]);
        n++;
    }
    return n >= OPAQUE_MIN && digits && letters ? n : 0;
}

/* ---- texts ---- */

static size_t known_at(const struct live_words *words, const char *text, size_t left, const struct live_word **hit) {
    size_t best = 0;
    for (size_t i = 0; i < words->n; i++) {
        const struct live_word *word = &words->all[i];
        if (word->len > best && word->len <= left && memcmp(word->value, text, word->len) == 0) {
            *hit = word;
            best = word->len;
        }
    }
    return best;
}

/* What begins here and is private: its length, and what is said for it. */
static size_t private_at(struct live_words *words, const char *text, size_t left, int starts_word, int strict,
                         const char **said) {
    const struct live_word *hit = NULL;
    size_t n = known_at(words, text, left, &hit);
    if (!n && starts_word) {
        if ((n = uuid_at(text, left)))
            hit = words_put(words, "$uuid", text, n);
        else if ((n = address_at(text, left)))
            hit = words_put(words, "$address", text, n);
        else if ((n = token_at(text, left)))
            hit = words_put(words, "$token", text, n);
        else if ((n = mail_at(text, left)))
            hit = words_put(words, "$mail", text, n);
        else if (strict && (n = opaque_at(text, left)))
            hit = words_put(words, "$opaque", text, n);
    }
    *said = hit ? hit->name : "$any:string";
    return n;
}

void live_words_text(struct live_words *words, struct sbx_buf *out, const char *text, size_t len, int strict) {
    for (size_t i = 0; i < len;) {
        const char *said = NULL;
        size_t skip = 0, n = private_at(words, text + i, len - i, i == 0 || !is_run(text[i - 1]), strict, &said);
        if (n) {
            sbx_buf_text_append(out, said);
        } else if ((n = host_at(text + i, len - i, &skip))) {
            const struct live_word *host = words_put(words, "$host", text + i + skip, n);
            sbx_buf_append(out, text + i, skip);
            sbx_buf_text_append(out, host ? host->name : "$any:string");
            n += skip;
        } else {
            sbx_buf_char(out, text[i]);
            n = 1;
        }
        i += n;
    }
    if (words->failed) out->failed = 1;
}

/* ---- JSON ---- */

static int name_holds(const char *name, const char *const *parts) {
    for (; *parts; parts++) {
        size_t len = strlen(*parts);
        for (const char *at = name; strlen(at) >= len; at++) {
            char piece[24];
            snprintf(piece, sizeof(piece), "%.*s", (int)len, at);
            if (sbx_text_equal_nocase(piece, *parts)) return 1;
        }
    }
    return 0;
}

static void words_member(struct live_words *words, const char *key, const char *text, struct sbx_buf *out, int strict) {
    static const char *const secrets[] = {"token", "secret", "password", "apikey", "credential", "cookie", NULL};
    static const char *const accounts[] = {"organization", "runner", "account",   "owner",   "email",
                                           "userid",       "tenant", "createdby", "billing", NULL};
    char name[32];
    if (strict && key && *text && name_holds(key, secrets)) {
        sbx_buf_text_append(out, "$any:string");
    } else if (strict && key && *text && name_holds(key, accounts)) {
        snprintf(name, sizeof(name), "$%.28s", key);
        const struct live_word *word = words_put(words, name, text, strlen(text));
        sbx_buf_text_append(out, word ? word->name : "$any:string");
    } else {
        live_words_text(words, out, text, strlen(text), strict);
    }
}

void live_words_json(struct live_words *words, struct sbx_json *js, const struct sbx_json_node *node,
                     struct sbx_buf *out, const char *key, int strict) {
    const enum sbx_json_type type = sbx_json_type(node);
    struct sbx_buf clean = SBX_BUF_INIT, clean_key = SBX_BUF_INIT;
    const char *shown = NULL;
    if (key) {
        live_words_text(words, &clean_key, key, strlen(key), strict);
        shown = sbx_buf_text(&clean_key);
    }
    if (type == SBX_JSON_OBJECT || type == SBX_JSON_ARRAY) {
        type == SBX_JSON_OBJECT ? sbx_json_begin_object(out, shown) : sbx_json_begin_array(out, shown);
        for (const struct sbx_json_node *it = sbx_json_first(node); it; it = sbx_json_next(it))
            live_words_json(words, js, it, out, sbx_json_key(it), strict);
        type == SBX_JSON_OBJECT ? sbx_json_end_object(out) : sbx_json_end_array(out);
    } else if (type == SBX_JSON_STRING) {
        words_member(words, key, sbx_json_as_string(js, node), &clean, strict);
        sbx_json_put_string(out, shown, sbx_buf_text(&clean));
    } else {
        sbx_json_write_node(&clean, node);
        sbx_json_put_raw(out, shown, sbx_buf_text(&clean), clean.len);
    }
    if (clean.failed || clean_key.failed || words->failed) out->failed = 1;
    sbx_buf_finish(&clean);
    sbx_buf_finish(&clean_key);
}

int live_words_leak(const struct live_words *words, const char *text, size_t len) {
    struct sbx_buf shown = SBX_BUF_INIT;
    sbx_redact(&shown, text, len, words->key, NULL);
    int leaks = shown.failed || shown.len != len || (len && memcmp(shown.data, text, len) != 0);
    sbx_buf_finish(&shown);
    return leaks;
}
