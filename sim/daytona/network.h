/* Network lists as the server checks them. */
#ifndef SIM_DAYTONA_NETWORK_H
#define SIM_DAYTONA_NETWORK_H

#include <stddef.h>

/** A comma-separated list of IPv4 networks, at most 10. @return 0 if it is none: `why` has the server's words */
int sim_day_network_cidrs(const char *list, char *why, size_t why_cap);
/** The same for domains, with an optional "*." in front. */
int sim_day_network_domains(const char *list, char *why, size_t why_cap);

#endif
