/* What each runtime declares, as one table. */
#ifndef TESTS_CAPABILITIES_TABLE_H
#define TESTS_CAPABILITIES_TABLE_H

#include <sandport/kit/buf.h>

/** Appends the table in Markdown, read from runtimes that are made for it: one needs a directory, which is taken away
 * again. @return 0 when one could not be made */
int capability_table(struct sbx_buf *out);

#endif
