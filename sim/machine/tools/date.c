/* Calendar dates of the machine's clock: the C library's would need a locale and a zone. */
#include "sim/machine/tools/date.h"
#include "sim/kit/world.h"
#include <string.h>

struct date {
    int64_t year, seconds;
    int month, day, hour, minute, second, weekday, yearday; /* month and yearday from 0, weekday from Sunday */
};

static int date_leap(int64_t year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static struct date date_of(int64_t ns) {
    static const int month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    struct date d = {.year = 1970, .seconds = ns / SIM_SEC - (ns % SIM_SEC < 0)};
    int64_t days = d.seconds / 86400, rest = d.seconds % 86400;
    if (rest < 0) {
        rest += 86400;
        days--;
    }
    d.hour = (int)(rest / 3600);
    d.minute = (int)(rest / 60 % 60);
    d.second = (int)(rest % 60);
    d.weekday = (int)(((days + 4) % 7 + 7) % 7);
    int64_t cycles = days / 146097 - (days % 146097 < 0); /* of 400 years, which are all alike */
    d.year += cycles * 400;
    days -= cycles * 146097;
    while (days >= 365 + date_leap(d.year)) days -= 365 + date_leap(d.year++);
    d.yearday = (int)days;
    while (days >= month_days[d.month] + (d.month == 1 && date_leap(d.year))) {
        days -= month_days[d.month] + (d.month == 1 && date_leap(d.year));
        d.month++;
    }
    d.day = (int)days + 1;
    return d;
}

static void date_number(struct sim_text *out, int64_t value, int width, char pad) {
    if (pad == '-')
        sim_text_printf(out, "%lld", (long long)value);
    else
        sim_text_printf(out, pad == ' ' ? "%*lld" : "%0*lld", width, (long long)value);
}

static int date_directive(struct sim_text *out, const struct date *d, int64_t ns, char c, char pad);

static int date_all(struct sim_text *out, const struct date *d, int64_t ns, const char *format) {
    for (const char *at = format; *at; at++) {
        char pad = 0;
        if (*at != '%') {
            sim_text_char(out, *at);
            continue;
        }
        at++;
        if ((*at == '-' || *at == '_' || *at == '0') && at[1]) pad = *at++ == '_' ? ' ' : at[-1];
        if (*at == '3' && at[1] == 'N') {
            sim_text_printf(out, "%03lld", (long long)((ns % SIM_SEC + SIM_SEC) % SIM_SEC / SIM_MS));
            at++;
        } else if (*at == ':' && at[1] == 'z') {
            sim_text_str(out, "+00:00");
            at++;
        } else if (!date_directive(out, d, ns, *at, pad)) {
            return 0;
        }
    }
    return 1;
}

/* The week that has the year's first Thursday is the first; days before it are of the year before. */
static int date_iso_week(const struct date *d, int64_t *out) {
    int monday = (d->weekday + 6) % 7, week = (d->yearday - monday + 10) / 7;
    int64_t year = d->year;
    int last = 52 + ((date_leap(year) ? 366 : 365) - d->yearday + monday > 0 && week == 53 &&
                     (d->yearday - monday + 3 < (date_leap(year) ? 366 : 365)));
    if (week < 1) {
        year--;
        int days = 365 + date_leap(year);
        week = (d->yearday + days - monday + 10) / 7;
    } else if (week > last) {
        week = 1;
        year++;
    }
    if (out) *out = year;
    return week;
}

static int date_name(struct sim_text *out, const struct date *d, char c) {
    static const char *const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
    static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};
    const char *name = c == 'a' || c == 'A' ? days[d->weekday] : months[d->month];
    sim_text_add(out, name, c == 'A' || c == 'B' ? strlen(name) : 3);
    return 1;
}

static int date_directive(struct sim_text *out, const struct date *d, int64_t ns, char c, char pad) {
    char zero = pad ? pad : '0', space = pad ? pad : ' ';
    int64_t year;
    switch (c) {
    case 'a':
    case 'A':
    case 'b':
    case 'B':
    case 'h':
        return date_name(out, d, c);
    case 'c':
        return date_all(out, d, ns, "%a %b %e %H:%M:%S %Y");
    case 'C':
        date_number(out, d->year / 100, 2, zero);
        break;
    case 'd':
        date_number(out, d->day, 2, zero);
        break;
    case 'D':
    case 'x':
        return date_all(out, d, ns, "%m/%d/%y");
    case 'e':
        date_number(out, d->day, 2, space);
        break;
    case 'F':
        return date_all(out, d, ns, "%Y-%m-%d");
    case 'H':
        date_number(out, d->hour, 2, zero);
        break;
    case 'I':
        date_number(out, (d->hour + 11) % 12 + 1, 2, zero);
        break;
    case 'j':
        date_number(out, d->yearday + 1, 3, zero);
        break;
    case 'k':
        date_number(out, d->hour, 2, space);
        break;
    case 'l':
        date_number(out, (d->hour + 11) % 12 + 1, 2, space);
        break;
    case 'm':
        date_number(out, d->month + 1, 2, zero);
        break;
    case 'M':
        date_number(out, d->minute, 2, zero);
        break;
    case 'n':
        sim_text_char(out, '\n');
        break;
    case 'N':
        sim_text_printf(out, "%09lld", (long long)((ns % SIM_SEC + SIM_SEC) % SIM_SEC));
        break;
    case 'p':
        sim_text_str(out, d->hour < 12 ? "AM" : "PM");
        break;
    case 'P':
        sim_text_str(out, d->hour < 12 ? "am" : "pm");
        break;
    case 'U':
        date_number(out, (d->yearday + 7 - d->weekday) / 7, 2, zero);
        break;
    case 'W':
        date_number(out, (d->yearday + 7 - (d->weekday + 6) % 7) / 7, 2, zero);
        break;
    case 'V':
        date_number(out, date_iso_week(d, NULL), 2, zero);
        break;
    case 'G':
    case 'g':
        date_iso_week(d, &year);
        date_number(out, c == 'G' ? year : year % 100, c == 'G' ? 4 : 2, zero);
        break;
    case 'r':
        return date_all(out, d, ns, "%I:%M:%S %p");
    case 'R':
        return date_all(out, d, ns, "%H:%M");
    case 's':
        sim_text_printf(out, "%lld", (long long)d->seconds);
        break;
    case 'S':
        date_number(out, d->second, 2, zero);
        break;
    case 't':
        sim_text_char(out, '\t');
        break;
    case 'T':
    case 'X':
        return date_all(out, d, ns, "%H:%M:%S");
    case 'u':
        date_number(out, (d->weekday + 6) % 7 + 1, 1, zero);
        break;
    case 'w':
        date_number(out, d->weekday, 1, zero);
        break;
    case 'y':
        date_number(out, d->year % 100, 2, zero);
        break;
    case 'Y':
        date_number(out, d->year, 4, pad ? pad : '0');
        break;
    case 'z':
        sim_text_str(out, "+0000");
        break;
    case 'Z':
        sim_text_str(out, "UTC");
        break;
    case '%':
        sim_text_char(out, '%');
        break;
    default:
        return 0;
    }
    return 1;
}

const char *sim_date_format(struct sim_proc *p, int64_t ns, const char *format) {
    struct sim_text out = {.p = p};
    struct date d = date_of(ns);
    return date_all(&out, &d, ns, format) ? sim_text_get(&out) : NULL;
}
