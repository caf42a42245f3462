/* Nonces whose results have arrived and whose files may go: a short memory that may forget. What it forgets costs disk
 * in a sandbox, never a result. Row P11. */
#include "src/work/exact_receipts.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define RECEIPTS 64

struct receipt {
    char sandbox[SBX_ID_SIZE];
    char nonce[EXACT_NONCE_SIZE];
};

struct sbx_exact_receipts {
    struct sbx_env *env;
    struct sbx_lock *lock;
    struct receipt kept[RECEIPTS]; /* oldest first */
    size_t count;
};

struct sbx_exact_receipts *sbx_exact_receipts_create(struct sbx_env *env) {
    struct sbx_exact_receipts *receipts = env ? calloc(1, sizeof(*receipts)) : NULL;
    if (!receipts) return NULL;
    receipts->env = env;
    receipts->lock = env->lock_new(env);
    if (!receipts->lock) {
        free(receipts);
        return NULL;
    }
    return receipts;
}

void sbx_exact_receipts_free(struct sbx_exact_receipts *receipts) {
    if (!receipts) return;
    receipts->env->lock_free(receipts->env, receipts->lock);
    free(receipts);
}

static void receipts_drop(struct sbx_exact_receipts *receipts, size_t at) {
    receipts->count--;
    memmove(&receipts->kept[at], &receipts->kept[at + 1], (receipts->count - at) * sizeof(receipts->kept[0]));
}

void sbx_exact_receipts_add(struct sbx_exact_receipts *receipts, const char *sandbox, const char *nonce) {
    struct receipt one;
    if (!receipts || !sandbox || !sbx_copy(one.sandbox, sizeof(one.sandbox), sandbox)) return;
    if (!sbx_copy(one.nonce, sizeof(one.nonce), nonce)) return;
    receipts->env->lock(receipts->env, receipts->lock);
    if (receipts->count == RECEIPTS) receipts_drop(receipts, 0);
    receipts->kept[receipts->count++] = one;
    receipts->env->unlock(receipts->env, receipts->lock);
}

size_t sbx_exact_receipts_take(struct sbx_exact_receipts *receipts, const char *sandbox,
                               char nonces[EXACT_RECEIPTS_A_LINE][EXACT_NONCE_SIZE]) {
    size_t taken = 0, at = 0;
    if (!receipts || !sandbox) return 0;
    receipts->env->lock(receipts->env, receipts->lock);
    while (at < receipts->count && taken < EXACT_RECEIPTS_A_LINE) {
        if (strcmp(receipts->kept[at].sandbox, sandbox) != 0) {
            at++;
            continue;
        }
        memcpy(nonces[taken++], receipts->kept[at].nonce, EXACT_NONCE_SIZE);
        receipts_drop(receipts, at);
    }
    receipts->env->unlock(receipts->env, receipts->lock);
    return taken;
}
