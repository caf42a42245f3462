/* What a list asks for, and whether a sandbox is among it. */
#ifndef SIM_DAYTONA_FILTER_H
#define SIM_DAYTONA_FILTER_H

#include "sim/daytona/cloud.h"

enum day_sort { DAY_SORT_NAME, DAY_SORT_CPU, DAY_SORT_MEMORY, DAY_SORT_DISK, DAY_SORT_ACTIVITY, DAY_SORT_CREATED };

struct day_filter {
    const char *id, *name;  /* prefixes, any case */
    struct day_map *labels; /* all must be there */
    unsigned states;        /* a bit a state, 0 = any */
    int64_t limit, page;
    enum day_sort sort;
    int descending;
};

/** One sandbox of a list: as the search index has it. */
struct day_hit {
    struct day_sandbox *sb;
    struct day_version as;
};

struct day_hits {
    struct day_hit *hit;
    size_t count;
};

/** Reads the query. @return 1 if it was refused */
int day_filter_read(struct day_filter *filter, struct day_call *call);
void day_filter_finish(struct day_filter *filter);
/** Every match, sorted; pinned until day_hits_finish(). @param lag_ns how far the index is behind, 0 = the truth
 *  @return SBX_NO_MEMORY */
enum sbx_status day_filter_collect(const struct day_filter *filter, struct day_call *call, int64_t lag_ns,
                                   struct day_hits *out);
void day_hits_finish(struct day_hits *hits);
/** The value that a hit is sorted by, as text. */
void day_filter_key(const struct day_filter *filter, const struct day_hit *hit, struct sbx_buf *out);

#endif
