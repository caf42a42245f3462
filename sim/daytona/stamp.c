/* Points of wall time as texts. */
#include "sim/daytona/stamp.h"
#include "sim/kit/calendar.h"

#define DAY_SECONDS 86400

/* `digits` of a number, and what stands behind it. Every answer has several stamps: printf was a tenth of making one.
 */
static char *stamp_put(char *to, int number, int digits, const char *behind) {
    for (int at = digits; at-- > 0; number /= 10) to[at] = (char)('0' + number % 10);
    to += digits;
    while (*behind) *to++ = *behind++;
    return to;
}

static char *stamp_write(int64_t seconds, const char *between, const char *behind, char out[DAY_STAMP_SIZE]) {
    const struct sim_date date = sim_calendar(seconds / DAY_SECONDS);
    const int clock = (int)(seconds % DAY_SECONDS);
    char *to = stamp_put(out, date.year, 4, "-");
    to = stamp_put(to, date.month, 2, "-");
    to = stamp_put(to, date.day, 2, between);
    to = stamp_put(to, clock / 3600, 2, ":");
    to = stamp_put(to, clock / 60 % 60, 2, ":");
    to = stamp_put(to, clock % 60, 2, behind);
    *to = 0;
    return to;
}

void sim_day_stamp(int64_t wall_ms, char out[DAY_STAMP_SIZE]) {
    char *to = stamp_write(wall_ms / 1000, "T", ".", out);
    *stamp_put(to, (int)(wall_ms % 1000), 3, "Z") = 0;
}

void sim_day_stamp_seconds(int64_t seconds, char out[DAY_STAMP_SIZE]) {
    stamp_write(seconds, "T", "Z", out);
}

void sim_day_stamp_go(int64_t seconds, char out[DAY_STAMP_SIZE]) {
    stamp_write(seconds, " ", " +0000 UTC", out);
}
