/* Open structs keep their layout: old callers are a prefix of new ones. tests/arch/layout.txt is the promise.
 *
 * A change that is meant: the failing test leaves the new table in the build folder, as layout.txt, to be copied here.
 */
#include "layout_table.h"
#include "source.h"
#include "t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small values that are part of others or live on the caller's stack only; they never grow, so they have no size. */
static const char *const values[] = {
    "sbx_pair",           "sbx_buf",      "sbx_reader", "sbx_sink",        "sbx_memory_reader",
    "sbx_multipart_file", "sbx_bound",    "sbx_room",   "sbx_fault_where", "sbx_fault_effect",
    "sbx_header",         "sbx_receiver", "sbx_task",   "sbx_backoff",
};

static int is_value(const char *strct) {
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (strcmp(values[i], strct) == 0) return 1;
    return 0;
}

static void save(const char *text) {
    const char *folder = getenv("SANDPORT_BINARY_DIR");
    char path[1024];
    snprintf(path, sizeof(path), "%s/layout.txt", folder ? folder : ".");
    FILE *file = fopen(path, "w");
    if (!file) T_FAIL("cannot write %s", path);
    fputs(text, file);
    fclose(file);
}

static void open_structs_keep_their_layout(void) {
    struct sbx_buf table = SBX_BUF_INIT;
    for (size_t i = 0; i < layout_table_count; i++) {
        const struct layout_line *line = &layout_table[i];
        if (!line->member)
            sbx_buf_printf(&table, "%s %zu\n", line->strct, line->size);
        else
            sbx_buf_printf(&table, "    %s %zu+%zu %s\n", line->member, line->offset, line->size, line->type);
    }
    save(sbx_buf_text(&table));
    char *promised = t_read_source("tests/arch/layout.txt", NULL);
    T_STR(sbx_buf_text(&table), promised);
    free(promised);
    sbx_buf_finish(&table);
}

static void open_structs_start_with_their_size(void) {
    struct sbx_buf wrong = SBX_BUF_INIT;
    for (size_t i = 0; i + 1 < layout_table_count; i++) {
        const struct layout_line *first = &layout_table[i + 1];
        if (layout_table[i].member || is_value(layout_table[i].strct)) continue;
        if (!first->member || strcmp(first->member, "size") != 0 || strcmp(first->type, "size_t") != 0)
            sbx_buf_printf(&wrong, "%s does not start with size_t size\n", layout_table[i].strct);
    }
    source_report(&wrong);
}

/* A compiler may choose how large these are. */
static void no_member_is_a_bool_or_an_enum(void) {
    struct sbx_buf wrong = SBX_BUF_INIT;
    for (size_t i = 0; i < layout_table_count; i++) {
        const struct layout_line *line = &layout_table[i];
        if (!line->member) continue;
        if (strcmp(line->type, "bool") == 0 || source_starts_with(line->type, "enum "))
            sbx_buf_printf(&wrong, "%s.%s is a %s\n", line->strct, line->member, line->type);
    }
    source_report(&wrong);
}

static void the_table_has_the_structs_that_matter(void) {
    static const char *const known[] = {"sbx_call", "sbx_error", "sbx_launch_options", "sbx_exec_options"};
    for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
        int found = 0;
        for (size_t i = 0; i < layout_table_count; i++)
            found |= !layout_table[i].member && strcmp(layout_table[i].strct, known[k]) == 0;
        if (!found) T_FAIL("%s is not in the table", known[k]);
    }
}

T_CASES(T_CASE(open_structs_keep_their_layout), T_CASE(open_structs_start_with_their_size),
        T_CASE(no_member_is_a_bool_or_an_enum), T_CASE(the_table_has_the_structs_that_matter))
