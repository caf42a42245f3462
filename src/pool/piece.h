/* Copies of texts and lists in one piece of memory: measured first, then filled by the same calls. */
#ifndef SRC_POOL_PIECE_H
#define SRC_POOL_PIECE_H

#include <sandport/runtime.h>

struct piece {
    char *at;     /* NULL while it is measured */
    size_t bytes; /* so far */
};

const char *sbx_piece_text(struct piece *piece, const char *text);
const char *const *sbx_piece_words(struct piece *piece, const char *const *words, size_t count);
const struct sbx_pair *sbx_piece_pairs(struct piece *piece, const struct sbx_pair *pairs, size_t count);
const struct sbx_volume *sbx_piece_volumes(struct piece *piece, const struct sbx_volume *volumes, size_t count);

#endif
