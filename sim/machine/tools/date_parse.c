/* Times as people write them: the forms of date -d that mean one thing only. Always UTC unless a zone is given. */
#include "sim/kit/world.h"
#include "sim/machine/tools/date.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct date_reader {
    struct sim_proc *p;
    const char *at;
    int64_t year, month, day; /* month and day from 1 */
    int64_t seconds, ns;      /* of the day */
    int64_t offset;           /* seconds to take off for the zone */
    int64_t months, moved;    /* relative: months, and seconds */
    int has_date, has_time, absolute;
    int64_t epoch_ns;
};

/* Days since 1970 of a date in the calendar that goes on for ever. */
static int64_t date_days(int64_t y, int64_t m, int64_t d) {
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    int64_t of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int date_number_of(struct date_reader *r, int most, int64_t *out) {
    int n = 0;
    *out = 0;
    while (n < most && isdigit((unsigned char)*r->at)) {
        *out = *out * 10 + (*r->at++ - '0');
        n++;
    }
    return n;
}

static void date_blanks(struct date_reader *r) {
    while (isspace((unsigned char)*r->at) || *r->at == ',') r->at++;
}

/* A fraction of a second behind its dot. */
static void date_fraction(struct date_reader *r) {
    int64_t scale = SIM_SEC / 10;
    for (r->at++; isdigit((unsigned char)*r->at); r->at++, scale /= 10) r->ns += (*r->at - '0') * scale;
}

/* Z, UTC, GMT, +02:00, -0530. */
static int date_zone(struct date_reader *r) {
    int64_t hours, minutes = 0;
    if (strncasecmp(r->at, "UTC", 3) == 0 || strncasecmp(r->at, "GMT", 3) == 0) {
        r->at += 3;
    } else if (*r->at == 'Z' || *r->at == 'z') {
        r->at++;
    } else if ((*r->at == '+' || *r->at == '-') && isdigit((unsigned char)r->at[1])) {
        int sign = *r->at++ == '-' ? -1 : 1;
        if (date_number_of(r, 2, &hours) != 2) return 0;
        if (*r->at == ':') r->at++;
        if (isdigit((unsigned char)*r->at) && date_number_of(r, 2, &minutes) != 2) return 0;
        r->offset = sign * (hours * 3600 + minutes * 60);
    }
    return 1;
}

/* HH:MM[:SS[.frac]][ZONE] */
static int date_clock(struct date_reader *r) {
    int64_t hour, minute, second = 0;
    if (r->has_time || !date_number_of(r, 2, &hour) || *r->at++ != ':' || date_number_of(r, 2, &minute) != 2) return 0;
    if (*r->at == ':') {
        r->at++;
        if (date_number_of(r, 2, &second) != 2) return 0;
        if (*r->at == '.') date_fraction(r);
    }
    if (hour > 23 || minute > 59 || second > 60) return 0;
    r->seconds = hour * 3600 + minute * 60 + second;
    r->has_time = 1;
    if (*r->at != ' ') return date_zone(r);
    if (strncasecmp(r->at, " UTC", 4) == 0 || strncasecmp(r->at, " GMT", 4) == 0 ||
        ((r->at[1] == '+' || r->at[1] == '-') && strspn(r->at + 2, "0123456789:") >= 4)) {
        r->at++;
        return date_zone(r);
    }
    return 1;
}

static int date_set(struct date_reader *r, int64_t y, int64_t m, int64_t d) {
    static const int month_days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (r->has_date || m < 1 || m > 12 || d < 1 || d > month_days[m - 1]) return 0;
    if (m == 2 && d == 29 && (y % 4 || (y % 100 == 0 && y % 400))) return 0;
    r->year = y;
    r->month = m;
    r->day = d;
    r->has_date = 1;
    return 1;
}

/* YYYY-MM-DD, YYYY/MM/DD, YYYYMMDD; a T and a time may follow. */
static int date_day(struct date_reader *r) {
    int64_t y, m, d;
    if (strspn(r->at, "0123456789") == 8) {
        date_number_of(r, 4, &y);
        date_number_of(r, 2, &m);
        date_number_of(r, 2, &d);
    } else {
        if (date_number_of(r, 4, &y) != 4) return 0;
        char mark = *r->at++;
        if ((mark != '-' && mark != '/') || !date_number_of(r, 2, &m) || *r->at++ != mark || !date_number_of(r, 2, &d))
            return 0;
    }
    if (!date_set(r, y, m, d)) return 0;
    if ((*r->at == 'T' || *r->at == 't') && isdigit((unsigned char)r->at[1])) {
        r->at++;
        return date_clock(r);
    }
    return 1;
}

static int date_month(const char *word, size_t len) {
    static const char *const months[] = {"january", "february", "march",     "april",   "may",      "june",
                                         "july",    "august",   "september", "october", "november", "december"};
    for (int i = 0; i < 12; i++)
        if (len >= 3 && len <= strlen(months[i]) && strncasecmp(months[i], word, len) == 0) return i + 1;
    return 0;
}

static int date_weekday(const char *word, size_t len) {
    static const char *const days[] = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
    for (int i = 0; i < 7; i++)
        if (len >= 3 && len <= strlen(days[i]) && strncasecmp(days[i], word, len) == 0) return 1;
    return 0;
}

/* N units: "2 days", "-1 week ago". */
static int date_unit(struct date_reader *r, int64_t n, const char *word, size_t len) {
    static const struct {
        const char *name;
        int64_t seconds; /* 0: a month */
        int64_t months;
    } units[] = {{"second", 1, 0},  {"sec", 1, 0},       {"minute", 60, 0},         {"min", 60, 0},  {"hour", 3600, 0},
                 {"day", 86400, 0}, {"week", 604800, 0}, {"fortnight", 1209600, 0}, {"month", 0, 1}, {"year", 0, 12}};
    if (len > 1 && tolower((unsigned char)word[len - 1]) == 's') len--;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i].name) != len || strncasecmp(units[i].name, word, len) != 0) continue;
        const char *ago = r->at + strspn(r->at, " ");
        if (strncasecmp(ago, "ago", 3) == 0 && !isalpha((unsigned char)ago[3])) {
            n = -n;
            r->at = ago + 3;
        }
        r->moved += n * units[i].seconds;
        r->months += n * units[i].months;
        return 1;
    }
    return 0;
}

static size_t date_word_len(const char *at) {
    size_t n = 0;
    while (isalpha((unsigned char)at[n])) n++;
    return n;
}

static int date_word_is(const char *word, size_t len, const char *name) {
    return strlen(name) == len && strncasecmp(word, name, len) == 0;
}

static int date_word(struct date_reader *r) {
    const char *word = r->at;
    size_t len = date_word_len(word);
    int64_t day, year;
    r->at += len;
    if (date_word_is(word, len, "now") || date_word_is(word, len, "today")) return 1;
    if (date_word_is(word, len, "utc") || date_word_is(word, len, "gmt") || date_word_is(word, len, "z")) return 1;
    if (date_word_is(word, len, "yesterday")) return r->moved -= 86400, 1;
    if (date_word_is(word, len, "tomorrow")) return r->moved += 86400, 1;
    if (date_word_is(word, len, "next") || date_word_is(word, len, "last")) {
        int64_t n = tolower((unsigned char)*word) == 'n' ? 1 : -1;
        date_blanks(r);
        const char *unit = r->at;
        r->at += date_word_len(unit);
        return date_unit(r, n, unit, (size_t)(r->at - unit));
    }
    int month = date_month(word, len);
    if (month) { /* Jan 15 2024, Jan 15, 2024 */
        date_blanks(r);
        if (!date_number_of(r, 2, &day)) return 0;
        date_blanks(r);
        year = r->year;
        if (strspn(r->at, "0123456789") == 4 && r->at[4] != ':') date_number_of(r, 4, &year);
        return date_set(r, year, month, day);
    }
    if (date_weekday(word, len)) { /* "Mon, 15 Jan 2024": beside a date it says nothing new */
        date_blanks(r);
        return isdigit((unsigned char)*r->at) || date_month(r->at, date_word_len(r->at));
    }
    return date_unit(r, 1, word, len);
}

static int date_digits(struct date_reader *r) {
    size_t digits = strspn(r->at, "0123456789");
    const char *behind = r->at + digits;
    int64_t n, year;
    if (digits <= 2 && *behind == ':') return date_clock(r);
    if (digits == 8 || (digits == 4 && (*behind == '-' || *behind == '/'))) return date_day(r);
    if (digits > 9) return 0;
    date_number_of(r, 9, &n);
    date_blanks(r);
    const char *word = r->at;
    size_t len = date_word_len(word);
    r->at += len;
    int month = date_month(word, len);
    if (!month) return len && date_unit(r, n, word, len);
    date_blanks(r); /* 15 Jan 2024 */
    year = r->year;
    if (strspn(r->at, "0123456789") == 4 && r->at[4] != ':') date_number_of(r, 4, &year);
    return date_set(r, year, month, n);
}

static int date_part(struct date_reader *r) {
    if (*r->at == '@') {
        char *end;
        r->epoch_ns = strtoll(r->at + 1, &end, 10) * SIM_SEC;
        if (end == r->at + 1) return 0;
        r->at = end;
        if (*r->at == '.') {
            int negative = r->epoch_ns < 0;
            date_fraction(r);
            r->epoch_ns += negative ? -r->ns : r->ns;
        }
        r->absolute = 1;
        return 1;
    }
    if (isdigit((unsigned char)*r->at)) return date_digits(r);
    if ((*r->at == '+' || *r->at == '-') && isdigit((unsigned char)r->at[1 + strspn(r->at + 1, " ")])) {
        int64_t n, sign = *r->at++ == '-' ? -1 : 1;
        date_blanks(r);
        if (!date_number_of(r, 9, &n)) return 0;
        date_blanks(r);
        const char *word = r->at;
        r->at += date_word_len(word);
        return date_unit(r, sign * n, word, (size_t)(r->at - word));
    }
    return isalpha((unsigned char)*r->at) && date_word(r);
}

int sim_date_parse(struct sim_proc *p, const char *text, int64_t now_ns, int64_t *out) {
    struct date_reader r = {.p = p, .at = text};
    const char *today = sim_date_format(p, now_ns, "%Y-%m-%d");
    r.year = strtoll(today, NULL, 10);
    r.month = strtoll(today + 5, NULL, 10);
    r.day = strtoll(today + 8, NULL, 10);
    int64_t of_day = now_ns - date_days(r.year, r.month, r.day) * 86400 * SIM_SEC;
    for (date_blanks(&r); *r.at; date_blanks(&r))
        if (!date_part(&r)) return 0;
    if (r.absolute) {
        *out = r.epoch_ns + r.moved * SIM_SEC;
        return !r.months && !r.has_date && !r.has_time;
    }
    int64_t month = r.month - 1 + r.months, year = r.year + month / 12;
    month %= 12;
    if (month < 0) {
        month += 12;
        year--;
    }
    int64_t days = date_days(year, month + 1, r.day);
    if (r.has_time || r.has_date || !*text) of_day = r.seconds * SIM_SEC + r.ns;
    *out = days * 86400 * SIM_SEC + of_day + (r.moved - r.offset) * SIM_SEC;
    return 1;
}
