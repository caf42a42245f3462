/* Where each member of each open struct lies: the table that layout_gen makes. */
#ifndef TESTS_ARCH_LAYOUT_TABLE_H
#define TESTS_ARCH_LAYOUT_TABLE_H

#include <stddef.h>

struct layout_line {
    const char *strct;
    const char *member; /* NULL: the line is about the whole struct */
    const char *type;   /* as written; "function" for a pointer to one */
    size_t offset;
    size_t size;
};

extern const struct layout_line layout_table[];
extern const size_t layout_table_count;

#endif
