/* Copies of texts and lists in one piece of memory. */
#include "src/pool/piece.h"

#include <string.h>

#define ALIGN sizeof(max_align_t)

/* Room for so many bytes; NULL while it is measured. */
static void *piece_take(struct piece *piece, size_t bytes) {
    const size_t whole = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    char *to = piece->at;
    piece->bytes += whole;
    if (to) piece->at += whole;
    return to;
}

const char *sbx_piece_text(struct piece *piece, const char *text) {
    if (!text) return NULL;
    const size_t len = strlen(text) + 1;
    char *to = piece_take(piece, len);
    if (to) memcpy(to, text, len);
    return to;
}

const char *const *sbx_piece_words(struct piece *piece, const char *const *words, size_t count) {
    const char **to = count ? piece_take(piece, count * sizeof(*to)) : NULL;
    for (size_t i = 0; i < count; i++) {
        const char *copy = sbx_piece_text(piece, words[i]);
        if (to) to[i] = copy;
    }
    return to;
}

const struct sbx_pair *sbx_piece_pairs(struct piece *piece, const struct sbx_pair *pairs, size_t count) {
    struct sbx_pair *to = count ? piece_take(piece, count * sizeof(*to)) : NULL;
    for (size_t i = 0; i < count; i++) {
        const struct sbx_pair copy = {sbx_piece_text(piece, pairs[i].name), sbx_piece_text(piece, pairs[i].value)};
        if (to) to[i] = copy;
    }
    return to;
}

const struct sbx_volume *sbx_piece_volumes(struct piece *piece, const struct sbx_volume *volumes, size_t count) {
    struct sbx_volume *to = count ? piece_take(piece, count * sizeof(*to)) : NULL;
    for (size_t i = 0; i < count; i++) {
        struct sbx_volume copy = SBX_VOLUME_INIT;
        copy.volume = sbx_piece_text(piece, volumes[i].volume);
        copy.mount_path = sbx_piece_text(piece, volumes[i].mount_path);
        copy.subpath = sbx_piece_text(piece, volumes[i].subpath);
        if (to) to[i] = copy;
    }
    return to;
}
