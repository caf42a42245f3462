/* The order of pools: against an order worked out in another way, over all small sets of signals. Row R5. */
#include "pools.h"

#include "src/router/rank.h"

#include <stdlib.h>

#define POOLS 3
#define GRID  3

static const char *const ids[POOLS] = {"a", "b", "c"};

/* Is x better than y? In whole numbers: the grid's values are whole, and spans divide out. */
struct whole {
    int64_t cost, cold, ready, rate; /* rate in halves */
};

static int64_t least(const struct whole *w, size_t member) {
    int64_t best = INT64_MAX;
    for (int i = 0; i < POOLS; i++) {
        const int64_t v[] = {w[i].cost, w[i].cold, w[i].ready, w[i].rate};
        if (v[member] < best) best = v[member];
    }
    return best;
}

static int64_t most(const struct whole *w, size_t member) {
    int64_t worst = INT64_MIN;
    for (int i = 0; i < POOLS; i++) {
        const int64_t v[] = {w[i].cost, w[i].cold, w[i].ready, w[i].rate};
        if (v[member] > worst) worst = v[member];
    }
    return worst;
}

/* 35/25/40 of fractions with a common denominator of 4: spans of the grid are 0, 1 or 2. */
static int64_t balanced(const struct whole *w, int i, int32_t latency) {
    const size_t wait = latency == SBX_LATENCY_COLD_START ? 1 : 2;
    const int64_t v[] = {w[i].cost, w[i].cold, w[i].ready, w[i].rate};
    const int64_t spans[] = {most(w, 0) - least(w, 0), most(w, wait) - least(w, wait), most(w, 3) - least(w, 3)};
    const int64_t above[] = {v[0] - least(w, 0), v[wait] - least(w, wait), most(w, 3) - v[3]};
    const int64_t weights[] = {35, 25, 40};
    int64_t sum = 0;
    for (int k = 0; k < 3; k++)
        if (spans[k]) sum += weights[k] * above[k] * (4 / spans[k]);
    return sum;
}

static int64_t worth(const struct whole *w, int i, int32_t strategy, int32_t latency) {
    if (strategy == SBX_STRATEGY_COST) return w[i].cost;
    if (strategy == SBX_STRATEGY_LATENCY) return latency == SBX_LATENCY_COLD_START ? w[i].cold : w[i].ready;
    if (strategy == SBX_STRATEGY_RELIABILITY) return -w[i].rate;
    return balanced(w, i, latency);
}

static void check_order(const struct whole *w, int32_t strategy, int32_t latency, int first) {
    struct route_entry entries[POOLS] = {{0}};
    for (int k = 0; k < POOLS; k++) {
        const int i = (first + k) % POOLS; /* however they come */
        entries[k].id = ids[i];
        entries[k].signals.cost = (double)w[i].cost;
        entries[k].signals.cold_start_ms = (double)w[i].cold;
        entries[k].signals.ready_ms = (double)w[i].ready;
        entries[k].signals.completion_rate = (double)w[i].rate / 2;
    }
    sbx_rank_score(entries, POOLS, strategy, latency);
    sbx_rank_by_key(entries, POOLS);
    for (int k = 1; k < POOLS; k++) {
        const int x = entries[k - 1].id[0] - 'a', y = entries[k].id[0] - 'a';
        const int64_t of_x = worth(w, x, strategy, latency), of_y = worth(w, y, strategy, latency);
        if (of_x > of_y || (of_x == of_y && x > y))
            T_FAIL("strategy %d: %s before %s", (int)strategy, entries[k - 1].id, entries[k].id);
    }
}

static void every_small_set_of_signals(void) {
    int all = 1;
    for (int i = 0; i < POOLS * 3; i++) all *= GRID;
    for (int n = 0; n < all; n++) {
        struct whole w[POOLS];
        int digits = n;
        for (int i = 0; i < POOLS; i++) {
            w[i].cost = digits % GRID;
            w[i].ready = digits / GRID % GRID;
            w[i].rate = digits / GRID / GRID % GRID;
            w[i].cold = GRID - 1 - w[i].ready; /* the other way round */
            digits /= GRID * GRID * GRID;
        }
        for (int32_t strategy = SBX_STRATEGY_BALANCED; strategy <= SBX_STRATEGY_RELIABILITY; strategy++)
            for (int32_t latency = SBX_LATENCY_READY; latency <= SBX_LATENCY_COLD_START; latency++)
                check_order(w, strategy, latency, n % POOLS);
    }
}

static struct sbx_signals signals(double cost, double ready_ms, double rate) {
    struct sbx_signals s = SBX_SIGNALS_INIT;
    s.cost = cost;
    s.ready_ms = ready_ms;
    s.completion_rate = rate;
    return s;
}

/* The source's own numbers: 35, 25 and 40 hundredths show in the scores. */
static void weights_show_in_scores(void) {
    struct pools *p = pools_new();
    const struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    const struct sbx_signals dear = signals(2, 1, 1), slow = signals(1, 2, 1), frail = signals(1, 1, 0.5);
    pools_add(p, "dear", NULL, &dear);
    pools_add(p, "slow", NULL, &slow);
    pools_add(p, "frail", NULL, &frail);
    T_STATUS(pools_route(p, &req, NULL), SBX_OK);
    T_STR(pools_order(p), "slow dear frail|");
    T_EQ((int64_t)(sbx_route_score(p->route, 0) * 100 + 0.5), 25);
    T_EQ((int64_t)(sbx_route_score(p->route, 1) * 100 + 0.5), 35);
    T_EQ((int64_t)(sbx_route_score(p->route, 2) * 100 + 0.5), 40);
    pools_free(p);
}

static void spans_without_end_overflow_nothing(void) {
    struct pools *p = pools_new();
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    const struct sbx_signals huge = signals(1.7e308, 1.7e308, 0), tiny = signals(5e-324, 0, 1);
    pools_add(p, "huge", NULL, &huge);
    pools_add(p, "tiny", NULL, &tiny);
    for (req.strategy = SBX_STRATEGY_BALANCED; req.strategy <= SBX_STRATEGY_RELIABILITY; req.strategy++) {
        T_STATUS(pools_route(p, &req, NULL), SBX_OK);
        T_STR(pools_order(p), "tiny huge|");
    }
    pools_free(p);
}

static void ids_are_compared_by_bytes(void) {
    struct pools *p = pools_new();
    const struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    pools_add(p, "\xc3\xa4", NULL, NULL); /* behind all of ASCII, whatever the locale thinks */
    pools_add(p, "a", NULL, NULL);
    pools_add(p, "B", NULL, NULL);
    pools_add(p, "a-", NULL, NULL);
    T_STATUS(pools_route(p, &req, NULL), SBX_OK);
    T_STR(pools_order(p), "B a a- \xc3\xa4|");
    pools_free(p);
}

T_CASES(T_CASE(every_small_set_of_signals), T_CASE(weights_show_in_scores), T_CASE(spans_without_end_overflow_nothing),
        T_CASE(ids_are_compared_by_bytes))
