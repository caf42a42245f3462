/* Accounts: a team's key, how much it may hold, how often it may ask, what things cost it. */
#ifndef SIM_E2B_ACCOUNT_H
#define SIM_E2B_ACCOUNT_H

#include <sandport/status.h>
#include <stdint.h>

struct sim_e2b;
struct sim_e2b_call;

/** Requests in a window of time; limit 0 = none. */
struct sim_e2b_meter {
    int64_t limit;
    int64_t window_s;
    int64_t used;
    int64_t began_ns;
};

enum sim_e2b_meter_kind { E2B_METER_NONE, E2B_METER_CREATE, E2B_METER_LIFECYCLE, E2B_METER_COUNT };

struct sim_e2b_account {
    struct sim_e2b_account *next;
    char *name;
    char *api_key;
    char *blocked; /* NULL = no; else the reason, "" for none */
    int banned;
    int64_t concurrency; /* sandboxes that run at once */
    int64_t max_s;       /* the longest that one may run */
    struct sim_e2b_meter meter[E2B_METER_COUNT];
    int64_t price_running, price_paused; /* millionths of a cent an hour */
};

/** An account of the smallest plan without rate limits, put behind the others. NULL when memory runs out. */
struct sim_e2b_account *sim_e2b_account_add(struct sim_e2b *e2b, const char *name, const char *api_key);
void sim_e2b_accounts_free(struct sim_e2b_account *first);
struct sim_e2b_account *sim_e2b_account_by_key(const struct sim_e2b *e2b, const char *api_key);
/** How many of its sandboxes take a slot. */
int64_t sim_e2b_account_running(const struct sim_e2b *e2b, const struct sim_e2b_account *account);

/** The account of the key sent, with nothing decided; NULL if it is nobody's. */
struct sim_e2b_account *sim_e2b_auth_peek(const struct sim_e2b_call *call);
/** Checks key, team and rate; sets call->account. @return 1 if it has been answered */
int sim_e2b_auth_check(struct sim_e2b_call *call);
/** Is there no slot for one more? Answers 429 then. @return 1 if it has been answered */
int sim_e2b_account_full(struct sim_e2b_call *call);

#endif
