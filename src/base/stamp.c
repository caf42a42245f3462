/* A time as APIs write it. */
#include <sandport/kit/text.h>

#include <string.h>

/* Days from 1970-01-01 to a day of the Gregorian calendar. */
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day) {
    year -= month <= 2;
    const int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* @return the digits' number, -1 if it is none */
static int64_t stamp_number(const char **at, int digits) {
    int64_t value = 0;
    for (; digits > 0; digits--, ++*at) {
        if (**at < '0' || **at > '9') return -1;
        value = value * 10 + (**at - '0');
    }
    return value;
}

static int stamp_char(const char **at, const char *any) {
    if (!**at || !strchr(any, **at)) return 0;
    ++*at;
    return 1;
}

/* ".25" -> 250 */
static int64_t stamp_fraction_ms(const char **at) {
    int64_t ms = 0, unit = 100;
    if (!stamp_char(at, ".")) return 0;
    for (; **at >= '0' && **at <= '9'; ++*at, unit /= 10) ms += (**at - '0') * unit;
    return ms;
}

/* "Z", "+02:00" or "+0200". @return 0 if it is none */
static int stamp_zone_min(const char **at, int64_t *out) {
    *out = 0;
    if (stamp_char(at, "Z")) return 1;
    const int west = **at == '-';
    if (!stamp_char(at, "+-")) return 0;
    const int64_t hour = stamp_number(at, 2);
    (void)stamp_char(at, ":");
    const int64_t min = stamp_number(at, 2);
    if (hour < 0 || hour > 23 || min < 0 || min > 59) return 0;
    *out = (west ? -1 : 1) * (hour * 60 + min);
    return 1;
}

int64_t sbx_stamp_ms(const char *text) {
    const char *at = text;
    int64_t zone = 0;
    const int64_t year = stamp_number(&at, 4), m1 = stamp_char(&at, "-"), month = stamp_number(&at, 2);
    const int64_t m2 = stamp_char(&at, "-"), day = stamp_number(&at, 2), m3 = stamp_char(&at, "T ");
    const int64_t hour = stamp_number(&at, 2), m4 = stamp_char(&at, ":"), min = stamp_number(&at, 2);
    const int64_t m5 = stamp_char(&at, ":"), sec = stamp_number(&at, 2);
    if (year < 0 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || hour > 23) return INT64_MIN;
    if (min < 0 || min > 59 || sec < 0 || sec > 60 || !(m1 && m2 && m3 && m4 && m5)) return INT64_MIN;
    const int64_t ms = stamp_fraction_ms(&at);
    (void)stamp_char(&at, " ");
    if (!stamp_zone_min(&at, &zone)) return INT64_MIN;
    return (((days_from_civil(year, month, day) * 24 + hour) * 60 + min - zone) * 60 + sec) * 1000 + ms;
}
