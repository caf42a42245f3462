/* What a list asks for, and whether a sandbox is among it. */
#ifndef SIM_DAYTONA_FILTER_H
#define SIM_DAYTONA_FILTER_H

#include "sim/daytona/cloud.h"

enum sim_day_sort { DAY_SORT_NAME, DAY_SORT_CPU, DAY_SORT_MEMORY, DAY_SORT_DISK, DAY_SORT_ACTIVITY, DAY_SORT_CREATED };

struct sim_day_filter {
    const char *id, *name;      /* prefixes, any case */
    struct sim_day_map *labels; /* all must be there */
    unsigned states;            /* a bit a state, 0 = any */
    int with_hidden;            /* deletions that failed, too */
    int64_t limit, page;
    enum sim_day_sort sort;
    int descending;
};

/** One sandbox of a list: as the search index has it. */
struct sim_day_hit {
    struct sim_day_sandbox *sb;
    struct sim_day_version as;
};

struct sim_day_hits {
    struct sim_day_hit *hit;
    size_t count;
};

/** Reads the query. @return 1 if it was refused */
int sim_day_filter_read(struct sim_day_filter *filter, struct sim_day_call *call);
void sim_day_filter_finish(struct sim_day_filter *filter);
/** Every match, sorted; pinned until sim_day_hits_finish(). @param lag_ns how far the index is behind, 0 = the truth
 *  @return SBX_NO_MEMORY */
enum sbx_status sim_day_filter_collect(const struct sim_day_filter *filter, struct sim_day_call *call, int64_t lag_ns,
                                       struct sim_day_hits *out);
void sim_day_hits_finish(struct sim_day_hits *hits);
/** The value that a hit is sorted by, as text. */
void sim_day_filter_key(const struct sim_day_filter *filter, const struct sim_day_hit *hit, struct sbx_buf *out);

#endif
