/* Calendar dates of the machine's clock, always UTC, in no locale. */
#ifndef SIM_MACHINE_DATE_H
#define SIM_MACHINE_DATE_H

#include "sim/machine/mem.h"

/** A time (ns since 1970) as date(1) prints it by `format`; NULL for a directive that is not known. In scratch memory.
 */
const char *sim_date_format(struct sim_proc *p, int64_t ns, const char *format);

/** Reads a time as date -d takes it, as far as it is unambiguous. @return 0 if it is none that is known */
int sim_date_parse(struct sim_proc *p, const char *text, int64_t now_ns, int64_t *out);

#endif
