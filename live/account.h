/* The account that a live run spends on: a file of NAME=value lines, read once, strictly, and wiped after use. */
#ifndef LIVE_ACCOUNT_H
#define LIVE_ACCOUNT_H

#include <stddef.h>

struct live_account {
    char api_key[1024];
    char api_url[512];  /* the official endpoint unless given */
    char target[128];   /* "" = the organisation's default */
    char snapshot[256]; /* "" = the provider's default */
};

/** Reads DAYTONA_API_KEY (required), DAYTONA_API_URL, DAYTONA_TARGET and DAYTONA_SNAPSHOT. Each at most once, nothing
 *  else but empty lines and lines that begin with #; the value is all behind the first =, with no quotes.
 *  Refused: a file that anybody but its owner may use, an address without TLS that is not this host's own.
 *  @param why what is wrong and where; holds nothing that stands in the file
 *  @return 0 if it is none; then `out` is wiped */
int live_account_read(const char *path, struct live_account *out, char *why, size_t why_cap);

/** Leaves nothing of it in memory. */
void live_account_wipe(struct live_account *account);

#endif
