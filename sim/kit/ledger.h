/* The ledger: who asked for each allocation, what it cost by the account's price, who deleted it, what is left. It
 * judges the client; no cloud reads it. */
#ifndef SIM_KIT_LEDGER_H
#define SIM_KIT_LEDGER_H

#include <sandport/kit/buf.h>
#include <stdint.h>

struct sim;
struct sim_ledger;

struct sim_ledger *sim_ledger_new(struct sim *sim);
void sim_ledger_free(struct sim_ledger *ledger);

/** An allocation that costs `price` millionths of a cent an hour from now on. `request` says who asked: the number of
 * the exchange. */
void sim_ledger_open(struct sim_ledger *ledger, const char *provider, const char *account, const char *id,
                     const char *name, const char *acquisition, int64_t price, int64_t request);
/** Another price from now on, as when stopped. */
void sim_ledger_price(struct sim_ledger *ledger, const char *id, int64_t price);
/** It is gone; `why` e.g. "delete", "ttl". */
void sim_ledger_close(struct sim_ledger *ledger, const char *id, const char *why, int64_t request);

int64_t sim_ledger_made(const struct sim_ledger *ledger);
int64_t sim_ledger_live(const struct sim_ledger *ledger);
int64_t sim_ledger_cost(const struct sim_ledger *ledger);
/** A JSON array of all entries, or of those still open. */
void sim_ledger_json(const struct sim_ledger *ledger, struct sbx_buf *json, const char *key, int only_open);

#endif
