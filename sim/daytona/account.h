/* Accounts: a key, what it may do, how much it may use, how often it may ask, what things cost it. */
#ifndef SIM_DAYTONA_ACCOUNT_H
#define SIM_DAYTONA_ACCOUNT_H

#include <sandport/status.h>
#include <stdint.h>

struct daytona;
struct day_call;
struct day_sandbox;

/** 0 = no limit. */
struct day_quota {
    int64_t cpu, memory_gib, disk_gib, sandboxes;
    int64_t cpu_each, memory_gib_each, disk_gib_each; /* the most that one sandbox may ask for */
};

/** Requests a minute, 0 = no limit; `window_ns` is when the present minute began. */
struct day_meter {
    int64_t limit;
    int64_t used;
    int64_t window_ns;
};

enum day_meter_kind { DAY_METER_ALL, DAY_METER_CREATE, DAY_METER_LIFECYCLE, DAY_METER_COUNT };

/** Millionths of a cent an hour. */
struct day_price {
    int64_t cpu, memory_gib, disk_gib;
};

struct day_account {
    struct day_account *next;
    char *name;
    char *api_key;
    char *suspended; /* NULL = no; else the reason, "" for none */
    char organization_id[37];
    int expired;
    int may_write, may_delete;
    int64_t created_ms;
    struct day_quota quota;
    struct day_meter meter[DAY_METER_COUNT];
    struct day_price price;
};

/** What an account's sandboxes hold. */
struct day_usage {
    int64_t cpu, memory_gib, disk_gib, sandboxes;
};

/** An account with the default price and no limits, put behind the others. NULL when memory runs out. */
struct day_account *day_account_add(struct daytona *day, const char *name, const char *api_key);
void day_accounts_free(struct day_account *first);
struct day_account *day_account_by_key(struct daytona *day, const char *api_key);

struct day_usage day_account_usage(const struct daytona *day, const struct day_account *account);
/** Counts one request. @return 1 if it goes, else 0 with the seconds until the next minute */
int day_meter_take(struct day_meter *meter, int64_t now_ns, int64_t *wait_seconds);
/** Counts the request on its meters, adds the X-RateLimit headers, and answers 429 when one is spent.
 *  @return 1 if it has been answered */
int day_account_throttled(struct day_call *call);
/** What a sandbox costs in its present state. */
int64_t day_account_price(const struct day_account *account, const struct day_sandbox *sb);

#endif
