/* The ledger: what each allocation has cost so far, in whole numbers. Row V2. */
#include "sim/kit/ledger.h"

#include "sim/kit/hash.h"
#include "sim/kit/sim.h"

#include <sandport/kit/json.h>
#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define US_PER_HOUR INT64_C(3600000000)

enum { TEXT_PROVIDER, TEXT_ACCOUNT, TEXT_ID, TEXT_NAME, TEXT_ACQUISITION, TEXT_COUNT };

struct entry {
    UT_hash_handle hh;
    char *texts[TEXT_COUNT]; /* in one block behind the struct; NULL for what was not given */
    char why[32];            /* it is gone, "" while it is not */
    int64_t price;           /* millionths of a cent an hour, since priced_ns */
    int64_t priced_ns;
    int64_t cost;
    int64_t rest; /* of the cost, in millionths of a cent x microseconds / hour: below US_PER_HOUR */
    int64_t made_ns, ended_ns;
    int64_t made_by, ended_by;
};

struct sim_ledger {
    struct sim *sim;
    struct entry *entries; /* in the order they were made */
    int64_t made;
    int64_t live;
};

struct sim_ledger *sim_ledger_new(struct sim *sim) {
    struct sim_ledger *ledger = calloc(1, sizeof(*ledger));
    if (ledger) ledger->sim = sim;
    return ledger;
}

void sim_ledger_free(struct sim_ledger *ledger) {
    struct entry *entry = NULL, *next = NULL;
    if (!ledger) return;
    entry = ledger->entries;
    HASH_CLEAR(hh, ledger->entries); /* which leaves them linked */
    for (; entry; entry = next) {
        next = entry->hh.next;
        free(entry);
    }
    free(ledger);
}

static int64_t ledger_now(const struct sim_ledger *ledger) {
    return sim_now(sim_world(ledger->sim));
}

/* Whole hours apart from the rest, so that no product leaves 64 bits for any price below ten dollars an hour. */
static void entry_charge(struct entry *entry, int64_t now_ns) {
    int64_t us = (now_ns - entry->priced_ns) / 1000;
    entry->rest += entry->price * (us % US_PER_HOUR);
    entry->cost += entry->price * (us / US_PER_HOUR) + entry->rest / US_PER_HOUR;
    entry->rest %= US_PER_HOUR;
    entry->priced_ns += us * 1000;
}

static struct entry *entry_find(const struct sim_ledger *ledger, const char *id) {
    struct entry *entry = NULL;
    HASH_FIND(hh, ledger->entries, id, (unsigned)strlen(id), entry);
    return entry;
}

static struct entry *entry_new(const char *const texts[TEXT_COUNT]) {
    size_t bytes = 0;
    for (int i = 0; i < TEXT_COUNT; i++) bytes += texts[i] ? strlen(texts[i]) + 1 : 0;
    struct entry *entry = calloc(1, sizeof(*entry) + bytes);
    char *at = entry ? (char *)(entry + 1) : NULL;
    for (int i = 0; entry && i < TEXT_COUNT; i++) {
        if (!texts[i]) continue;
        size_t len = strlen(texts[i]) + 1;
        entry->texts[i] = memcpy(at, texts[i], len);
        at += len;
    }
    return entry;
}

static void journal_entry(const struct sim_ledger *ledger, const char *kind, const struct entry *entry) {
    struct sim_journal *journal = sim_journal(ledger->sim);
    struct sbx_buf *line = sim_journal_begin(journal, kind);
    int is_free = entry->why[0] != 0;
    sbx_json_put_string(line, "provider", entry->texts[TEXT_PROVIDER]);
    sbx_json_put_string(line, "account", entry->texts[TEXT_ACCOUNT]);
    sbx_json_put_string(line, "sandbox", entry->texts[TEXT_ID]);
    sbx_json_put_string(line, "alias", sim_journal_alias(journal, entry->texts[TEXT_ID]));
    if (is_free) {
        sbx_json_put_string(line, "why", entry->why);
        sbx_json_put_int(line, "cost", entry->cost);
    } else {
        sbx_json_put_string(line, "name", entry->texts[TEXT_NAME]);
        sbx_json_put_string(line, "acquisition", entry->texts[TEXT_ACQUISITION]);
        sbx_json_put_int(line, "price", entry->price);
    }
    sbx_json_put_int(line, "exchange", is_free ? entry->ended_by : entry->made_by);
    sim_journal_end(journal);
}

void sim_ledger_open(struct sim_ledger *ledger, const char *provider, const char *account, const char *id,
                     const char *name, const char *acquisition, int64_t price, int64_t request) {
    const char *const texts[TEXT_COUNT] = {provider, account, id, name, acquisition};
    struct entry *entry = entry_new(texts);
    ledger->made++;
    ledger->live++; /* stays so if there is no memory for the entry: better a leak that is none than one not seen */
    if (!entry) return;
    entry->price = price;
    entry->made_by = request;
    entry->made_ns = entry->priced_ns = ledger_now(ledger);
    HASH_ADD_KEYPTR(hh, ledger->entries, entry->texts[TEXT_ID], (unsigned)strlen(id), entry);
    if (!entry->hh.tbl) {
        free(entry);
        return;
    }
    journal_entry(ledger, "alloc", entry);
}

void sim_ledger_price(struct sim_ledger *ledger, const char *id, int64_t price) {
    struct entry *entry = entry_find(ledger, id);
    if (!entry || entry->why[0]) return;
    entry_charge(entry, ledger_now(ledger));
    entry->price = price;
}

void sim_ledger_close(struct sim_ledger *ledger, const char *id, const char *why, int64_t request) {
    struct entry *entry = entry_find(ledger, id);
    if (!entry || entry->why[0]) return;
    entry_charge(entry, ledger_now(ledger));
    entry->price = 0;
    entry->ended_ns = ledger_now(ledger);
    entry->ended_by = request;
    sbx_copy(entry->why, sizeof(entry->why), why && why[0] ? why : "gone");
    if (!entry->why[0]) sbx_copy(entry->why, sizeof(entry->why), "gone"); /* it did not fit */
    ledger->live--;
    journal_entry(ledger, "free", entry);
}

int64_t sim_ledger_made(const struct sim_ledger *ledger) {
    return ledger->made;
}
int64_t sim_ledger_live(const struct sim_ledger *ledger) {
    return ledger->live;
}

int64_t sim_ledger_cost(const struct sim_ledger *ledger) {
    int64_t cost = 0;
    for (struct entry *entry = ledger->entries; entry; entry = entry->hh.next) {
        entry_charge(entry, ledger_now(ledger));
        cost += entry->cost;
    }
    return cost;
}

static void put_entry(struct sbx_buf *json, const struct entry *entry) {
    static const char *const keys[TEXT_COUNT] = {"provider", "account", "sandbox", "name", "acquisition"};
    sbx_json_begin_object(json, NULL);
    for (int i = 0; i < TEXT_COUNT; i++) sbx_json_put_string(json, keys[i], entry->texts[i]);
    sbx_json_put_int(json, "made_ms", entry->made_ns / SIM_MS);
    sbx_json_put_int(json, "made_by", entry->made_by);
    sbx_json_put_int(json, "price", entry->price);
    sbx_json_put_int(json, "cost", entry->cost);
    if (entry->why[0]) {
        sbx_json_put_int(json, "ended_ms", entry->ended_ns / SIM_MS);
        sbx_json_put_int(json, "ended_by", entry->ended_by);
        sbx_json_put_string(json, "why", entry->why);
    }
    sbx_json_end_object(json);
}

void sim_ledger_json(const struct sim_ledger *ledger, struct sbx_buf *json, const char *key, int only_open) {
    (void)sim_ledger_cost(ledger); /* brings every entry's cost up to now */
    sbx_json_begin_array(json, key);
    for (const struct entry *entry = ledger->entries; entry; entry = entry->hh.next)
        if (!only_open || !entry->why[0]) put_entry(json, entry);
    sbx_json_end_array(json);
}
