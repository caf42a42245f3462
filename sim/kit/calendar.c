/* Days into dates. */
#include "sim/kit/calendar.h"

/* Years begin in March here, so that the leap day is a year's last. 1970-01-01 is day 719468 of such a calendar. */
struct sim_date sim_calendar(int64_t day) {
    const int64_t shifted = day + 719468;
    const int64_t era = shifted / 146097; /* days of 400 years */
    const int64_t of_era = shifted % 146097;
    const int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t march_month = (5 * of_year + 2) / 153;
    struct sim_date date = {0};
    date.day = (int)(of_year - (153 * march_month + 2) / 5 + 1);
    date.month = (int)(march_month < 10 ? march_month + 3 : march_month - 9);
    date.year = (int)(year_of_era + era * 400 + (date.month <= 2));
    return date;
}
