/* Points of wall time as texts: the calendar without the host's, since only virtual time may decide a byte. */
#include "sim/daytona/stamp.h"

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

/* `digits` of a number, and what stands behind it. Every answer has several stamps: printf was a tenth of making one.
 */
static char *stamp_put(char *to, int number, int digits, const char *behind) {
    for (int at = digits; at-- > 0; number /= 10) to[at] = (char)('0' + number % 10);
    to += digits;
    while (*behind) *to++ = *behind++;
    return to;
}

static char *stamp_write(int64_t seconds, const char *between, const char *behind, char out[DAY_STAMP_SIZE]) {
    const struct stamp_date date = stamp_date(seconds / DAY_SECONDS);
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
