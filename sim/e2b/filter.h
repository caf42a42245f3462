/* What a list is narrowed to: metadata in its triple encoding, states, a template. */
#ifndef SIM_E2B_FILTER_H
#define SIM_E2B_FILTER_H

#include "sim/e2b/cloud.h"

/** Zeroed fits nothing until it is read. */
struct sim_e2b_filter {
    struct sim_e2b_map *metadata; /* all must be there and equal; NULL = any sandbox */
    int running, paused;
    const char *template_id; /* or alias; NULL = any. Lent by the exchange */
};

/** @return 1 if it has been answered */
int sim_e2b_filter_read(struct sim_e2b_call *call, struct sim_e2b_filter *out);
void sim_e2b_filter_finish(struct sim_e2b_filter *filter);
int sim_e2b_filter_fits(const struct sim_e2b_filter *filter, const struct sim_e2b_sandbox *sb);

/** Metadata as the query has it after its own decoding: unescaped as a whole, split at &, each split at = into exactly
 *  two, and these unescaped again. @param out yours on success, NULL for an empty text
 *  @return SBX_PROTOCOL if it is none, SBX_NO_MEMORY */
enum sbx_status sim_e2b_metadata_parse(const char *text, struct sim_e2b_map **out);

#endif
