/* sort: lines, and the keys that they are ordered by. */
#ifndef SIM_MACHINE_SORT_H
#define SIM_MACHINE_SORT_H

#include "sim/machine/tools/tools.h"

struct sort_line {
    const char *text;
    size_t len;
};

struct sort_key {
    int64_t from, from_char, to, to_char; /* fields from 1; to = 0: the end */
    char kind;                            /* 0, or n g h V M R as the options are */
    int reverse, fold, from_blanks, to_blanks, dictionary, printable, own;
};

struct sort {
    struct sort_key keys[16];
    size_t n;
    struct sort_key global;
    int unique, stable;
    int separator; /* -1 = blanks */
    uint64_t salt; /* of -R */
};

/** @return negative, 0, positive */
int sim_sort_compare(const struct sort *s, const struct sort_line *a, const struct sort_line *b);
/** Plain bytes, perhaps without regard to case. */
int sim_sort_bytes(const char *a, size_t a_len, const char *b, size_t b_len, int fold);

#endif
