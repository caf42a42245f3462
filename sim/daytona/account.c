/* Accounts of Daytona's cloud: what their sandboxes hold and cost, and how often they may ask. */
#include "sim/daytona/cloud.h"
#include "sim/daytona/errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Figures of the order of the public price list, not a quotation: 5 cents an hour for a core. */
static const struct sim_day_price account_price_default = {5040000, 1620000, 10800};

struct sim_day_account *sim_day_account_add(struct daytona *day, const char *name, const char *api_key) {
    struct sim_day_account *account = calloc(1, sizeof(*account));
    struct sim_day_account **end = &day->accounts;
    if (!account) return NULL;
    account->name = strdup(name);
    account->api_key = strdup(api_key);
    if (!account->name || !account->api_key) {
        sim_day_accounts_free(account);
        return NULL;
    }
    sim_draw_uuid(sim_world(day->sim), "daytona.organization", account->organization_id);
    account->may_write = account->may_delete = 1;
    account->created_ms = sim_day_wall_ms(day);
    account->price = account_price_default;
    sim_journal_secret(sim_journal(day->sim), api_key);
    while (*end) end = &(*end)->next;
    *end = account;
    return account;
}

void sim_day_accounts_free(struct sim_day_account *first) {
    while (first) {
        struct sim_day_account *next = first->next;
        free(first->name);
        free(first->api_key);
        free(first->suspended);
        free(first);
        first = next;
    }
}

struct sim_day_account *sim_day_account_by_key(struct daytona *day, const char *api_key) {
    for (struct sim_day_account *a = day->accounts; a; a = a->next)
        if (strcmp(a->api_key, api_key) == 0) return a;
    return NULL;
}

struct sim_day_usage sim_day_account_usage(const struct daytona *day, const struct sim_day_account *account) {
    struct sim_day_usage usage = {0};
    for (const struct sim_day_sandbox *sb = day->first; sb; sb = sb->next) {
        if (sb->gone || sb->account != account) continue;
        usage.sandboxes++;
        if (sim_day_state_holds_cpu(sb->stored)) usage.cpu += sb->cpu;
        if (sim_day_state_holds_cpu(sb->stored)) usage.memory_gib += sb->memory;
        if (sim_day_state_holds_disk(sb->stored)) usage.disk_gib += sb->disk;
    }
    return usage;
}

int64_t sim_day_account_price(const struct sim_day_account *account, const struct sim_day_sandbox *sb) {
    int64_t price = 0;
    if (sim_day_state_holds_cpu(sb->stored))
        price += account->price.cpu * sb->cpu + account->price.memory_gib * sb->memory;
    if (sim_day_state_holds_disk(sb->stored)) price += account->price.disk_gib * sb->disk;
    return price;
}

int sim_day_meter_take(struct sim_day_meter *meter, int64_t now_ns, int64_t *wait_seconds) {
    const int64_t minute = 60 * SIM_SEC;
    if (now_ns - meter->window_ns >= minute) {
        meter->window_ns = now_ns;
        meter->used = 0;
    }
    *wait_seconds = (meter->window_ns + minute - now_ns + SIM_SEC - 1) / SIM_SEC;
    if (meter->limit == 0) return 1;
    if (meter->used >= meter->limit) return 0;
    meter->used++;
    return 1;
}

static void account_header(struct sim_day_call *call, const char *name, int64_t value) {
    char text[24];
    snprintf(text, sizeof(text), "%lld", (long long)value);
    sim_http_header_add(call->x, name, text);
}

/* @return 1 if this meter lets the request through */
static int account_meter(struct sim_day_call *call, enum sim_day_meter_kind kind) {
#define ACCOUNT_HEADERS(throttler)                                                                                     \
    {                                                                                                                  \
        "X-RateLimit-Limit-" throttler, "X-RateLimit-Remaining-" throttler, "X-RateLimit-Reset-" throttler,            \
            "Retry-After-" throttler                                                                                   \
    }
    static const struct {
        const char *limit, *remaining, *reset, *retry_after;
    } names[] = {ACCOUNT_HEADERS("authenticated"), ACCOUNT_HEADERS("sandbox-create"),
                 ACCOUNT_HEADERS("sandbox-lifecycle")};
#undef ACCOUNT_HEADERS
    struct sim_day_meter *meter = &call->account->meter[kind];
    int64_t wait_seconds = 0;
    const int goes = sim_day_meter_take(meter, sim_day_now(call->day), &wait_seconds);
    if (meter->limit == 0) return 1;
    account_header(call, names[kind].limit, meter->limit);
    account_header(call, names[kind].remaining, meter->limit - meter->used);
    account_header(call, names[kind].reset, wait_seconds);
    if (!goes) account_header(call, names[kind].retry_after, wait_seconds);
    return goes;
}

int sim_day_account_throttled(struct sim_day_call *call) {
    int goes = account_meter(call, DAY_METER_ALL);
    if (goes && call->route->throttle == DAY_THROTTLE_CREATE) goes = account_meter(call, DAY_METER_CREATE);
    if (goes && call->route->throttle == DAY_THROTTLE_LIFECYCLE) goes = account_meter(call, DAY_METER_LIFECYCLE);
    if (goes) return 0;
    sim_day_refuse(call, 429, NULL, "ThrottlerException: Too Many Requests");
    return 1;
}
