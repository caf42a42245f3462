/* Prints the table of abilities, for people: `./dev test` ends with it. */
#include "table.h"

#include <stdio.h>

int main(void) {
    struct sbx_buf table = SBX_BUF_INIT;
    const int made = capability_table(&table);
    if (made)
        fputs(sbx_buf_text(&table), stdout);
    else
        fputs("capability_table: a runtime could not be made\n", stderr);
    sbx_buf_finish(&table);
    return !made;
}
