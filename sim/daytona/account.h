/* Accounts: a key, what it may do, how much it may use, how often it may ask, what things cost it. */
#ifndef SIM_DAYTONA_ACCOUNT_H
#define SIM_DAYTONA_ACCOUNT_H

#include <sandport/status.h>
#include <stdint.h>

struct daytona;
struct sim_day_call;
struct sim_day_sandbox;

/** 0 = no limit. */
struct sim_day_quota {
    int64_t cpu, memory_gib, disk_gib, sandboxes;
    int64_t cpu_each, memory_gib_each, disk_gib_each; /* the most that one sandbox may ask for */
};

/** Requests a minute, 0 = no limit; `window_ns` is when the present minute began. */
struct sim_day_meter {
    int64_t limit;
    int64_t used;
    int64_t window_ns;
};

enum sim_day_meter_kind { DAY_METER_ALL, DAY_METER_CREATE, DAY_METER_LIFECYCLE, DAY_METER_COUNT };

/** Millionths of a cent an hour. */
struct sim_day_price {
    int64_t cpu, memory_gib, disk_gib;
};

struct sim_day_account {
    struct sim_day_account *next;
    char *name;
    char *api_key;
    char *suspended; /* NULL = no; else the reason, "" for none */
    char organization_id[37];
    int expired;
    int may_write, may_delete;
    int64_t created_ms;
    struct sim_day_quota quota;
    struct sim_day_meter meter[DAY_METER_COUNT];
    struct sim_day_price price;
};

/** What an account's sandboxes hold. */
struct sim_day_usage {
    int64_t cpu, memory_gib, disk_gib, sandboxes;
};

/** An account with the default price and no limits, put behind the others. NULL when memory runs out. */
struct sim_day_account *sim_day_account_add(struct daytona *day, const char *name, const char *api_key);
void sim_day_accounts_free(struct sim_day_account *first);
struct sim_day_account *sim_day_account_by_key(struct daytona *day, const char *api_key);

struct sim_day_usage sim_day_account_usage(const struct daytona *day, const struct sim_day_account *account);
/** Counts one request. @return 1 if it goes, else 0 with the seconds until the next minute */
int sim_day_meter_take(struct sim_day_meter *meter, int64_t now_ns, int64_t *wait_seconds);
/** Counts the request on its meters, adds the X-RateLimit headers, and answers 429 when one is spent.
 *  @return 1 if it has been answered */
int sim_day_account_throttled(struct sim_day_call *call);
/** What a sandbox costs in its present state. */
int64_t sim_day_account_price(const struct sim_day_account *account, const struct sim_day_sandbox *sb);

#endif
