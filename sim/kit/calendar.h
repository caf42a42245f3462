/* The calendar without the host's, since only virtual time may decide a byte. */
#ifndef SIM_KIT_CALENDAR_H
#define SIM_KIT_CALENDAR_H

#include <stdint.h>

struct sim_date {
    int year, month, day;
};

/** The date of a day, counted from 1970-01-01 as day 0. */
struct sim_date sim_calendar(int64_t day);

#endif
