/* The page says what the runtimes declare, no more and no less. Row P5. */
#include "t.h"
#include "table.h"

#include <stdio.h>
#include <stdlib.h>

static void the_page_is_the_table(void) {
    struct sbx_buf table = SBX_BUF_INIT, page = SBX_BUF_INIT;
    char path[512], piece[4096];
    snprintf(path, sizeof(path), "%s/docs/capabilities.md", getenv("SANDPORT_SOURCE_DIR"));
    FILE *file = fopen(path, "r");
    T_TRUE(file != NULL);
    for (size_t n; (n = fread(piece, 1, sizeof(piece), file)) > 0;) sbx_buf_append(&page, piece, n);
    fclose(file);
    T_TRUE(capability_table(&table));
    T_CONTAINS(sbx_buf_text(&table), "| EXEC | yes | yes | yes |\n");
    T_CONTAINS(sbx_buf_text(&page), sbx_buf_text(&table));
    sbx_buf_finish(&table);
    sbx_buf_finish(&page);
}

T_CASES(T_CASE(the_page_is_the_table))
