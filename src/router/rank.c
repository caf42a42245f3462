/* Pools that meet a request, put in order by what they are compared by. What they can do is never part of a score.
 * Row R5. */
#include "src/router/rank.h"

#include <stdlib.h>
#include <string.h>

/* Of a balanced sum, in hundredths. */
#define WEIGHT_COST       35
#define WEIGHT_LATENCY    25
#define WEIGHT_COMPLETION 40
/* Steps between the best and the worst: whole ones, so that equal sums are equal on every machine. */
#define STEPS 1000000000

struct span {
    double least;
    double most;
};

static double latency_of(const struct sbx_signals *s, int32_t latency) {
    return latency == SBX_LATENCY_COLD_START ? s->cold_start_ms : s->ready_ms;
}

static void span_take(struct span *span, double value, int is_first) {
    if (is_first || value < span->least) span->least = value;
    if (is_first || value > span->most) span->most = value;
}

/* 0 for the least, STEPS for the most. */
static int64_t steps_from_least(const struct span *span, double value) {
    double width = span->most - span->least;
    if (!(width > 0)) return 0;
    return (int64_t)((value - span->least) / width * STEPS + 0.5);
}

static void score_balanced(struct route_entry *entries, size_t n, int32_t latency) {
    struct span cost = {0, 0}, wait = {0, 0}, completion = {0, 0};
    int is_first = 1;
    for (size_t i = 0; i < n; i++) {
        const struct sbx_signals *s = &entries[i].signals;
        if (entries[i].reasons) continue; /* guard: normalised_over_eligible */
        span_take(&cost, s->cost, is_first);
        span_take(&wait, latency_of(s, latency), is_first);
        span_take(&completion, s->completion_rate, is_first);
        is_first = 0;
    }
    for (size_t i = 0; i < n; i++) {
        const struct sbx_signals *s = &entries[i].signals;
        if (entries[i].reasons) continue;
        const int64_t missed = steps_from_least(&completion, completion.most) -
                               steps_from_least(&completion, s->completion_rate); /* the higher rate is the better */
        const int64_t sum = WEIGHT_COST * steps_from_least(&cost, s->cost) +
                            WEIGHT_LATENCY * steps_from_least(&wait, latency_of(s, latency)) +
                            WEIGHT_COMPLETION * missed; /* guard: balanced_weights */
        entries[i].key = (double)sum;
        entries[i].score = (double)sum / (100.0 * STEPS);
    }
}

void sbx_rank_score(struct route_entry *entries, size_t n, int32_t strategy, int32_t latency) {
    if (strategy == SBX_STRATEGY_BALANCED) score_balanced(entries, n, latency);
    for (size_t i = 0; i < n && strategy != SBX_STRATEGY_BALANCED; i++) {
        struct route_entry *e = &entries[i];
        if (strategy == SBX_STRATEGY_COST) e->key = e->score = e->signals.cost;
        if (strategy == SBX_STRATEGY_LATENCY) e->key = e->score = latency_of(&e->signals, latency);
        if (strategy == SBX_STRATEGY_RELIABILITY) {
            e->key = -e->signals.completion_rate;
            e->score = 1 - e->signals.completion_rate;
        }
    }
}

static int id_compare(const void *a, const void *b) {
    return strcmp(((const struct route_entry *)a)->id, ((const struct route_entry *)b)->id);
}

static int key_compare(const void *a, const void *b) {
    const struct route_entry *x = a, *y = b;
    if (!x->reasons != !y->reasons) return x->reasons ? 1 : -1;
    if (!x->reasons && x->key != y->key) return x->key < y->key ? -1 : 1;
    return id_compare(a, b); /* guard: ties_by_id */
}

void sbx_rank_by_id(struct route_entry *entries, size_t n) {
    qsort(entries, n, sizeof(*entries), id_compare);
}

void sbx_rank_by_key(struct route_entry *entries, size_t n) {
    qsort(entries, n, sizeof(*entries), key_compare);
}
