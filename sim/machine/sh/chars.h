/* The characters of a script, one after the other: from a text, a descriptor, or an alias's text in between. */
#ifndef SIM_MACHINE_SH_CHARS_H
#define SIM_MACHINE_SH_CHARS_H

#include "sim/machine/sh/lex.h"
#include <string.h>

/** 0 at the end. */
int sim_sh_lex_refill(struct sh_lexer *lx);
int sim_sh_lex_leave_alias(struct sh_lexer *lx); /* 0: this text is none of an alias */

static inline int lex_peek(struct sh_lexer *lx) {
    while (lx->src->pos >= lx->src->len) {
        if (sim_sh_lex_leave_alias(lx)) continue;
        if (lx->src->fd < 0 || !sim_sh_lex_refill(lx)) return -1;
    }
    return (unsigned char)lx->src->text[lx->src->pos];
}

/* The character after the next, within the line. */
static inline int lex_peek2(struct sh_lexer *lx) {
    struct sh_source *src = lx->src;
    if (lex_peek(lx) < 0) return -1;
    if (src->pos + 1 >= src->len && (src->text[src->pos] == '\n' || src->fd < 0 || !sim_sh_lex_refill(lx))) return -1;
    return (unsigned char)src->text[src->pos + 1];
}

static inline int lex_get(struct sh_lexer *lx) {
    int c = lex_peek(lx);
    if (c < 0) return c;
    lx->src->pos++;
    if (c == '\n') lx->src->number++;
    return c;
}

/* Takes the `len` characters at hand. */
static inline void lex_take(struct sh_lexer *lx, size_t len) {
    struct sh_source *src = lx->src;
    const char *at = src->text + src->pos, *end = at + len;
    for (; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) src->number++;
    src->pos += len;
}

static inline int lex_continuation(struct sh_lexer *lx) {
    if (lex_peek(lx) != '\\' || lex_peek2(lx) != '\n') return 0;
    lex_get(lx);
    lex_get(lx);
    return 1;
}

static inline int lex_accept(struct sh_lexer *lx, int c) {
    while (lex_continuation(lx)) {
    }
    if (lex_peek(lx) != c) return 0;
    lex_get(lx);
    return 1;
}

#endif
