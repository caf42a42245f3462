/* Pools that meet a request, put in order. */
#ifndef SRC_ROUTER_RANK_H
#define SRC_ROUTER_RANK_H

#include <sandport/router_pool.h>
#include <sandport/router_request.h>

/** A pool on its way through the routing. */
struct route_entry {
    const struct sbx_pool *pool;
    const char *id;
    uint64_t reasons; /* 0 = it is still in */
    double key;       /* what it is ordered by: least first */
    double score;     /* as told to people */
    struct sbx_signals signals;
};

/** Gives every entry that is still in its key and score. */
void sbx_rank_score(struct route_entry *entries, size_t n, int32_t strategy, int32_t latency);

/** By the bytes of the ids. */
void sbx_rank_by_id(struct route_entry *entries, size_t n);

/** Those still in by key, then id; the others behind them by id. */
void sbx_rank_by_key(struct route_entry *entries, size_t n);

#endif
