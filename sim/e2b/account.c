/* Accounts of E2B's cloud, and who is asking: a key implies its team. */
#include "sim/e2b/cloud.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCOUNT_CONCURRENCY 20
#define ACCOUNT_MAX_S       3600
#define ACCOUNT_PRICE       INT64_C(10890000) /* of the order of the public price list: two cores and half a GiB */

struct sim_e2b_account *sim_e2b_account_add(struct sim_e2b *e2b, const char *name, const char *api_key) {
    struct sim_e2b_account *account = calloc(1, sizeof(*account));
    struct sim_e2b_account **end = &e2b->accounts;
    if (!account) return NULL;
    account->name = strdup(name);
    account->api_key = strdup(api_key);
    if (!account->name || !account->api_key) {
        sim_e2b_accounts_free(account);
        return NULL;
    }
    account->concurrency = ACCOUNT_CONCURRENCY;
    account->max_s = ACCOUNT_MAX_S;
    account->price_running = ACCOUNT_PRICE;
    account->meter[E2B_METER_CREATE].window_s = 1;
    account->meter[E2B_METER_LIFECYCLE].window_s = 30;
    sim_journal_secret(sim_journal(e2b->sim), api_key);
    while (*end) end = &(*end)->next;
    *end = account;
    return account;
}

void sim_e2b_accounts_free(struct sim_e2b_account *first) {
    while (first) {
        struct sim_e2b_account *next = first->next;
        free(first->name);
        free(first->api_key);
        free(first->blocked);
        free(first);
        first = next;
    }
}

struct sim_e2b_account *sim_e2b_account_by_key(const struct sim_e2b *e2b, const char *api_key) {
    struct sim_e2b_account *account = e2b->accounts;
    while (account && strcmp(account->api_key, api_key) != 0) account = account->next;
    return account;
}

int64_t sim_e2b_account_running(const struct sim_e2b *e2b, const struct sim_e2b_account *account) {
    int64_t count = 0;
    for (const struct sim_e2b_sandbox *sb = e2b->first; sb; sb = sb->next)
        count += sb->account == account && sim_e2b_sandbox_takes_slot(sb);
    return count;
}

int sim_e2b_account_full(struct sim_e2b_call *call) {
    const struct sim_e2b_account *account = call->account;
    if (!call->twist.no_slots && sim_e2b_account_running(call->e2b, account) < account->concurrency) return 0;
    sim_e2b_refuse(call, 429, NULL,
                   "you have reached the maximum number of concurrent E2B sandboxes (%lld). If you need more, please "
                   "visit 'https://e2b.dev/docs/billing'",
                   (long long)account->concurrency);
    return 1;
}

/* ---- who asks ---- */

struct sim_e2b_account *sim_e2b_auth_peek(const struct sim_e2b_call *call) {
    const char *key = sim_http_header(call->x, "X-API-KEY");
    return key ? sim_e2b_account_by_key(call->e2b, key) : NULL;
}

static void auth_header(struct sim_e2b_call *call, const char *name, int64_t value) {
    char text[24];
    snprintf(text, sizeof(text), "%lld", (long long)value);
    sim_http_header_add(call->x, name, text);
}

/* @return 1 if the rate has been spent, and that answered */
static int auth_throttled(struct sim_e2b_call *call) {
    struct sim_e2b_meter *meter = &call->account->meter[call->route->meter];
    const int64_t now_ns = sim_e2b_now(call->e2b), window_ns = meter->window_s * SIM_SEC;
    if (meter->limit == 0) return 0;
    if (now_ns - meter->began_ns >= window_ns) {
        meter->began_ns = now_ns;
        meter->used = 0;
    }
    const int goes = meter->used < meter->limit;
    const int64_t wait_s = (meter->began_ns + window_ns - now_ns + SIM_SEC - 1) / SIM_SEC;
    if (goes) meter->used++;
    auth_header(call, "RateLimit-Limit", meter->limit);
    auth_header(call, "RateLimit-Remaining", meter->limit - meter->used);
    auth_header(call, "RateLimit-Reset", wait_s);
    if (goes) return 0;
    auth_header(call, "Retry-After", wait_s);
    sim_e2b_refuse(call, 429, NULL, "Rate limit exceeded");
    return 1;
}

static int auth_is_hex(const char *text) {
    const size_t len = strlen(text);
    return len > 0 && len % 2 == 0 && strspn(text, "0123456789abcdefABCDEF") == len;
}

#define AUTH_INVALID "Invalid API key, please visit https://e2b.dev/docs/api-key for more information.\n"

/* @return 1 if it has been answered */
static int auth_key_refused(struct sim_e2b_call *call) {
    const char *key = sim_http_header(call->x, "X-API-KEY");
    call->account = sim_e2b_auth_peek(call);
    if (call->account) return 0;
    if (!key)
        sim_e2b_refuse(call, 401, NULL, "authorization header is missing");
    else if (strncmp(key, "e2b_", 4) != 0)
        sim_e2b_refuse(call, 401, NULL, "authorization header is malformed");
    else if (!auth_is_hex(key + 4))
        sim_e2b_refuse(call, 401, NULL, AUTH_INVALID "Invalid API key format");
    else
        sim_e2b_refuse(call, 401, NULL, AUTH_INVALID "Cannot get the team for the given API key");
    return 1;
}

int sim_e2b_auth_check(struct sim_e2b_call *call) {
    if (auth_key_refused(call)) return 1;
    const struct sim_e2b_account *account = call->account;
    if (account->banned) {
        sim_e2b_refuse(call, 403, NULL, "team is banned");
        return 1;
    }
    if (account->blocked && !(call->route->flags & E2B_READS)) {
        sim_e2b_refuse(call, 403, NULL, "team is blocked%s%s", account->blocked[0] ? ": " : "", account->blocked);
        return 1;
    }
    return auth_throttled(call);
}
