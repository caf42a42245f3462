/* Points of wall time as texts: the calendar without the host's, since only virtual time may decide a byte. */
#include "sim/daytona/stamp.h"

#include <stdio.h>

#define DAY_SECONDS 86400

struct stamp_date {
    int year, month, day;
};

/* Years begin in March here, so that the leap day is a year's last. 1970-01-01 is day 719468 of such a calendar. */
static struct stamp_date stamp_date(int64_t day) {
    const int64_t shifted = day + 719468;
    const int64_t era = shifted / 146097; /* days of 400 years */
    const int64_t of_era = shifted % 146097;
    const int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t march_month = (5 * of_year + 2) / 153;
    struct stamp_date date = {0};
    date.day = (int)(of_year - (153 * march_month + 2) / 5 + 1);
    date.month = (int)(march_month < 10 ? march_month + 3 : march_month - 9);
    date.year = (int)(year_of_era + era * 400 + (date.month <= 2));
    return date;
}

static void stamp_write(int64_t seconds, const char *between, const char *behind, char out[DAY_STAMP_SIZE]) {
    const struct stamp_date date = stamp_date(seconds / DAY_SECONDS);
    const int clock = (int)(seconds % DAY_SECONDS);
    snprintf(out, DAY_STAMP_SIZE, "%04d-%02d-%02d%s%02d:%02d:%02d%s", date.year, date.month, date.day, between,
             clock / 3600, clock / 60 % 60, clock % 60, behind);
}

void sim_day_stamp(int64_t wall_ms, char out[DAY_STAMP_SIZE]) {
    char behind[8];
    snprintf(behind, sizeof(behind), ".%03dZ", (int)(wall_ms % 1000));
    stamp_write(wall_ms / 1000, "T", behind, out);
}

void sim_day_stamp_seconds(int64_t seconds, char out[DAY_STAMP_SIZE]) {
    stamp_write(seconds, "T", "Z", out);
}

void sim_day_stamp_go(int64_t seconds, char out[DAY_STAMP_SIZE]) {
    stamp_write(seconds, " ", " +0000 UTC", out);
}
