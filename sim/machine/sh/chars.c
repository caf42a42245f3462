/* Where the lexer's characters come from when those at hand are used up. */
#include "sim/machine/sh/chars.h"
#include <errno.h>

#define LEX_BLOCK 8192

/* More text behind what has not been taken yet. bash takes no byte beyond the line, so that a command may read the
 * rest; dash takes what there is. */
int sim_sh_lex_refill(struct sh_lexer *lx) {
    struct sh_source *src = lx->src;
    size_t before = src->len - src->pos, want = LEX_BLOCK;
    int by_line = lx->sh->bash;
    if (before) memmove(src->line, src->text + src->pos, before);
    src->pos = 0;
    src->len = before;
    while (src->fd >= 0) {
        if (src->len + want >= src->line_cap) {
            size_t cap = (src->line_cap + want) * 2;
            char *line = sim_keep(lx->p, cap);
            if (src->len) memcpy(line, src->line, src->len);
            sim_drop(lx->p, src->line);
            src->line = line;
            src->line_cap = cap;
        }
        char *to = src->line + src->len;
        ptrdiff_t n = by_line ? sim_sys_read_line(lx->p, src->fd, to, want) : sim_sys_read(lx->p, src->fd, to, want);
        if (n == -EINTR) continue; /* a trap waits, and is run between commands */
        if (n <= 0)
            src->fd = -1;
        else
            src->len += (size_t)n;
        if (n > 0 && (!by_line || src->line[src->len - 1] == '\n')) break;
    }
    src->text = src->line;
    return src->len > before;
}

/* At the end of an alias the text goes on behind its name. */
int sim_sh_lex_leave_alias(struct sh_lexer *lx) {
    struct sh_source *src = lx->src;
    if (!src->outer) return 0;
    struct sh_source **tail = &src->left;
    while (*tail) tail = &(*tail)->left;
    *tail = lx->left;
    lx->left = src;
    lx->alias_next = src->len && (src->text[src->len - 1] == ' ' || src->text[src->len - 1] == '\t');
    lx->src = src->outer;
    return 1;
}
