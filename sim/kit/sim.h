/* A simulation: a world with clouds in it, fault rules, a journal and a ledger. struct sbx_sim is this. */
#ifndef SIM_KIT_SIM_H
#define SIM_KIT_SIM_H

#include "sim/kit/faults.h"
#include "sim/kit/journal.h"
#include "sim/kit/ledger.h"
#include "sim/kit/programs.h"
#include "sim/kit/world.h"
#include <sandport/kit/buf.h>
#include <sandport/kit/json.h>
#include <sandport/sim.h>

struct sim;
struct sim_http;
struct sim_cloud;
struct sim_host; /* sim/machine/host/host.h */

/** A cloud, first member of the provider's own struct. */
struct sim_cloud {
    const char *provider;   /* "daytona" */
    const char *const *ops; /* names of its operations, NULL at the end: fault rules are checked against them */
    char base_url[128];     /* without a slash at the end: "http://daytona.sim", set by the face */
    /** Serves one request: must reply, begin or abort. */
    void (*serve)(struct sim_cloud *cloud, struct sim_http *x);
    /** Applies a fault effect of the cloud's own to the sandbox `subject` (id). @return 0 if it does not know it */
    int (*effect)(struct sim_cloud *cloud, const char *subject, const struct sim_effect *effect);
    /** Does it know this effect kind for this operation? For checking rules. */
    int (*knows_effect)(struct sim_cloud *cloud, const char *op, const char *kind);
    /** The body that this cloud sends with an error status, for faults that name none. May be NULL. */
    void (*error_body)(struct sim_cloud *cloud, struct sim_http *x, int status, struct sbx_buf *json);
    int owns_hosts;         /* names below its own are its too: "x.e2b.sim" */
    const char *api_prefix; /* left out of paths in the timeline, e.g. "/api"; may be NULL */
    /** Writes its members into an open JSON object. */
    void (*state)(struct sim_cloud *cloud, struct sbx_buf *json);
    /** Members of the served ready line and of `env`: api_url, api_key, accounts. */
    void (*describe)(struct sim_cloud *cloud, struct sbx_buf *json);
    /** Reads its part of a scenario, {"accounts":[...],"snapshots":[...],...}. @return SBX_INVALID_ARGUMENT with js
     * complaining */
    enum sbx_status (*configure)(struct sim_cloud *cloud, struct sbx_json *js, const struct sbx_json_node *part);
    /** Back to what configure made of it. */
    void (*reset)(struct sim_cloud *cloud);
    void (*free)(struct sim_cloud *cloud);
};

struct sim *sim_new(uint64_t seed);
/** Ends the world, then frees clouds and all. */
void sim_free(struct sim *sim);
/** Takes the cloud. @return SBX_NO_MEMORY (also for a NULL cloud) */
enum sbx_status sim_add_cloud(struct sim *sim, struct sim_cloud *cloud);
size_t sim_cloud_count(const struct sim *sim);
struct sim_cloud *sim_cloud_at(struct sim *sim, size_t index);
/** Reads a scenario, {"daytona":{...},"faults":[...],"programs":[...]}. @return SBX_INVALID_ARGUMENT with `why` */
enum sbx_status sim_configure(struct sim *sim, const char *json, size_t len, char *why, size_t why_cap);
/** The seed that a scenario names: it must be known before the world begins. */
uint64_t sim_scenario_seed(const char *json, size_t len, uint64_t otherwise);
/** Back to what configure made of it; the clock goes on. */
void sim_reset(struct sim *sim);
/** A caller in a fiber of its own, counted. @return SBX_NO_MEMORY */
enum sbx_status sim_spawn_caller(struct sim *sim, void (*run)(void *arg), void *arg);
/** Runs until all callers have returned. @return SBX_DEADLINE if they wait for what never comes */
enum sbx_status sim_run_callers(struct sim *sim);
/** Numbers exchanges from 1. */
int64_t sim_next_exchange(struct sim *sim);
/** The in-process env; lent. */
struct sbx_env *sim_env(struct sim *sim);
/** Everything of the ledger, the clouds' state: JSON objects. */
void sim_state_json(struct sim *sim, struct sbx_buf *json);

struct sim_world *sim_world(struct sim *sim);
struct sim_journal *sim_journal(struct sim *sim);
struct sim_faults *sim_faults(struct sim *sim);
struct sim_ledger *sim_ledger(struct sim *sim);
struct sim_programs *sim_programs(struct sim *sim);
/** Looks a cloud up by provider; NULL if there is none. */
struct sim_cloud *sim_cloud(struct sim *sim, const char *provider);
/** For the served face: how boots and the like are scaled; 1000 = as configured, 100 = a tenth. */
int64_t sim_scale(const struct sim *sim, int64_t ns);
void sim_set_scale(struct sim *sim, int64_t permille);
/** What real processes run on, for machines that are made from now on; lent. NULL, as at first: machines are virtual.
 */
void sim_set_host(struct sim *sim, struct sim_host *host);
struct sim_host *sim_host(const struct sim *sim);

#endif
