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

/* Four of these are in every sandbox's object, so they are written without printf. */
static char *stamp_digits(char *to, int value, int digits) {
    for (int i = digits - 1; i >= 0; i--, value /= 10) to[i] = (char)('0' + value % 10);
    return to + digits;
}

static char *stamp_text(char *to, const char *text) {
    while (*text) *to++ = *text++;
    return to;
}

/* @return where the text goes on */
static char *stamp_write(int64_t seconds, const char *between, char out[DAY_STAMP_SIZE]) {
    const struct stamp_date date = stamp_date(seconds / DAY_SECONDS);
    const int clock = (int)(seconds % DAY_SECONDS);
    char *to = stamp_text(stamp_digits(out, date.year, 4), "-");
    to = stamp_text(stamp_digits(to, date.month, 2), "-");
    to = stamp_text(stamp_digits(to, date.day, 2), between);
    to = stamp_text(stamp_digits(to, clock / 3600, 2), ":");
    to = stamp_text(stamp_digits(to, clock / 60 % 60, 2), ":");
    return stamp_digits(to, clock % 60, 2);
}

void sim_day_stamp(int64_t wall_ms, char out[DAY_STAMP_SIZE]) {
    char *to = stamp_text(stamp_write(wall_ms / 1000, "T", out), ".");
    *stamp_text(stamp_digits(to, (int)(wall_ms % 1000), 3), "Z") = 0;
}

void sim_day_stamp_seconds(int64_t seconds, char out[DAY_STAMP_SIZE]) {
    *stamp_text(stamp_write(seconds, "T", out), "Z") = 0;
}

void sim_day_stamp_go(int64_t seconds, char out[DAY_STAMP_SIZE]) {
    *stamp_text(stamp_write(seconds, " ", out), " +0000 UTC") = 0;
}
