/* Does a name fit a pattern with * ? [a-z] [^x], \ taking the next character as it is? Characters are those of UTF-8;
 * a byte that is none stands for itself. Pure. Row D14. */
#ifndef SRC_WORK_NAME_MATCH_H
#define SRC_WORK_NAME_MATCH_H

#include <sandport/kit/buf.h>

/** Is it a pattern: does every [ and every \ end? */
int sbx_name_pattern_ok(const char *pattern);

/** @param pattern one that is ok */
int sbx_name_fits(const char *pattern, const char *name);

/** Appends a pattern for a shell's tools that fits at least the same names: * for whatever they may take otherwise. */
void sbx_name_pattern_coarse(struct sbx_buf *out, const char *pattern);

#endif
