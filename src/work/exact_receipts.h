/* Nonces whose results have arrived and whose files may go. Row P11. */
#ifndef SRC_WORK_EXACT_RECEIPTS_H
#define SRC_WORK_EXACT_RECEIPTS_H

#include "src/work/exact_answer.h"

#include <sandport/kit/work.h>

#define EXACT_RECEIPTS_A_LINE 8

/** Keeps a nonce; the oldest goes when there is no room. NULL receipts or sandbox are ignored. */
void sbx_exact_receipts_add(struct sbx_exact_receipts *receipts, const char *sandbox, const char *nonce);

/** Takes out up to EXACT_RECEIPTS_A_LINE of a sandbox, oldest first. @return how many */
size_t sbx_exact_receipts_take(struct sbx_exact_receipts *receipts, const char *sandbox,
                               char nonces[EXACT_RECEIPTS_A_LINE][EXACT_NONCE_SIZE]);

#endif
