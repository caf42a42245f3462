/* Points of wall time as texts, in UTC and whatever the host's time zone. */
#ifndef SIM_DAYTONA_STAMP_H
#define SIM_DAYTONA_STAMP_H

#include <stdint.h>

#define DAY_STAMP_SIZE 64

/** 2026-06-01T12:00:00.000Z */
void sim_day_stamp(int64_t wall_ms, char out[DAY_STAMP_SIZE]);
/** 2026-06-01T12:00:00Z */
void sim_day_stamp_seconds(int64_t seconds, char out[DAY_STAMP_SIZE]);
/** 2026-06-01 12:00:00 +0000 UTC, as Go writes it. */
void sim_day_stamp_go(int64_t seconds, char out[DAY_STAMP_SIZE]);

#endif
