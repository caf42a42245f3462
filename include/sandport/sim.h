/* The simulated clouds in this process: virtual time, seeded chance, faults on demand, a journal and a ledger.
 *
 * One thread: a sim and all that uses its env belong to the thread that made it; callers that run side by side are
 * fibers of it (sbx_sim_spawn). Same binary, seed and scenario: the same journal, byte for byte. Rows V1, V2.
 *
 * Clouds answer at http://<provider>.sim, Daytona's API at http://daytona.sim/api with the key SBX_SIM_DAYTONA_KEY,
 * E2B's at http://e2b.sim with SBX_SIM_E2B_KEY and its sandboxes there too, told by their headers, or at
 * http://<port>-<sandbox>.e2b.sim.
 * Precedence of faults: sim/kit/faults.h. What is not simulated: docs/limits.md. */
#ifndef SANDPORT_SIM_H
#define SANDPORT_SIM_H

#include <sandport/kit/env.h>

#define SBX_SIM_DAYTONA_ENDPOINT "http://daytona.sim/api"
#define SBX_SIM_DAYTONA_KEY      "dtn_sim_canary_0000000000000000000000000000"
#define SBX_SIM_E2B_ENDPOINT     "http://e2b.sim"
#define SBX_SIM_E2B_SANDBOX_URL  "http://e2b.sim"
#define SBX_SIM_E2B_KEY          "e2b_ca4a4ca4a4ca4a4ca4a4ca4a4ca4a4ca4a4ca4a4"

struct sbx_sim;

struct sbx_sim_options {
    size_t size;
    uint64_t seed;
    const char *scenario; /* JSON as in fixtures/schema/scenario.json; NULL = one account, healthy clouds */
    size_t scenario_len;
};

/** Which exchanges a fault is for, beyond its operation. Zero members do not matter. */
struct sbx_fault_where {
    const char *label;   /* "name=value" that the sandbox carries */
    const char *state;   /* the provider's word for the sandbox's state */
    const char *sandbox; /* its id, name, or alias "sb-1" by order of creation */
    int64_t after_ms;    /* not before this virtual time */
};

struct sbx_fault_effect {
    const char *kind;        /* status reset close hang late cut slow html mutate state dead_toolbox ... */
    int32_t status;          /* status, html */
    const char *body;        /* status: NULL = the provider's own body for that status */
    int64_t at_bytes;        /* cut: body bytes that still arrive */
    int64_t delay_ms;        /* late, slow; how long a state or a dead toolbox lasts, 0 = for ever */
    const char *state;       /* state: the state it is forced into */
    const char *dialect;     /* dead_toolbox: "502" or "coded" */
    const char *retry_after; /* status: value of Retry-After */
    const char *path;        /* mutate: the JSON path, e.g. "$.state" */
    const char *value;       /* mutate: the JSON put there, NULL = removed */
};

/** A fault rule; fixtures/schema/fault.json is the same in JSON. */
struct sbx_fault {
    size_t size;       /* 0 = this release's */
    const char *op;    /* e.g. "daytona.sandbox.create" */
    const char *phase; /* before, before_commit, after_commit, mid_reply, after */
    int64_t nth;       /* from the nth matching exchange on, 0 = 1 */
    int64_t times;     /* so often, 0 = always */
    double rate;       /* with this probability by the seed, 0 = always */
    struct sbx_fault_where where;
    struct sbx_fault_effect effect;
};

#define SBX_SIM_OPTIONS_INIT                                                                                           \
    { .size = sizeof(struct sbx_sim_options) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_sim_options_init(struct sbx_sim_options *opt, size_t size);

/** @param opt may be NULL
 *  @param why what is wrong with the scenario, up to why_cap bytes; may be NULL
 *  @return SBX_INVALID_ARGUMENT for a scenario that is not one */
SBX_API SBX_MUST_USE enum sbx_status sbx_sim_create(const struct sbx_sim_options *opt, struct sbx_sim **out, char *why,
                                                    size_t why_cap);

/** Ends every fiber and frees the clouds with their sandboxes. NULL is ignored. */
SBX_API void sbx_sim_free(struct sbx_sim *sim);

/** The env that reaches these clouds; lent, lives as long as the sim. */
SBX_API struct sbx_env *sbx_sim_env(struct sbx_sim *sim);

/** Adds a fault rule. @return its number, from 1; 0 if it is no rule (`why` says what is wrong) */
SBX_API int64_t sbx_sim_fault(struct sbx_sim *sim, const struct sbx_fault *fault);
/** The same in JSON. */
SBX_API int64_t sbx_sim_fault_json(struct sbx_sim *sim, const char *json, size_t len, char *why, size_t why_cap);
/** How often rule `number` has fired; -1 if there is none. */
SBX_API int64_t sbx_sim_fault_hits(const struct sbx_sim *sim, int64_t number);
SBX_API void sbx_sim_faults_clear(struct sbx_sim *sim);

/** Adds a played program: what sandboxes do for command lines and code of programs that they do not have, as in
 *  fixtures/schema/program.json. Sandboxes that run already have it too, under names that their image has.
 *  @return its number, from 1; 0 if it is none (`why` says what is wrong) */
SBX_API int64_t sbx_sim_program_json(struct sbx_sim *sim, const char *json, size_t len, char *why, size_t why_cap);
/** Forgets all of them, those of the scenario too. */
SBX_API void sbx_sim_programs_clear(struct sbx_sim *sim);

/** Starts a caller of its own as a fiber. @return SBX_NO_MEMORY */
SBX_API SBX_MUST_USE enum sbx_status sbx_sim_spawn(struct sbx_sim *sim, void (*run)(void *arg), void *arg);
/** Runs until every spawned caller has returned. @return SBX_DEADLINE if they wait for something that never comes */
SBX_API SBX_MUST_USE enum sbx_status sbx_sim_run(struct sbx_sim *sim);
/** Lets virtual time pass. */
SBX_API void sbx_sim_advance_ms(struct sbx_sim *sim, int64_t ms);

/** All journal lines so far; lent until the next call on the sim. */
SBX_API const char *sbx_sim_journal(struct sbx_sim *sim, size_t *len);
/** SHA-256 of them in hex. @param out 65 bytes */
SBX_API void sbx_sim_journal_hash(struct sbx_sim *sim, char *out);
/** The journal for people and tests: "[    15] POST /sandbox/sb-1/start -> 200" lines. Lent until the next call. */
SBX_API const char *sbx_sim_timeline(struct sbx_sim *sim);
/** Forgets the timeline so far, so that a test asserts on what follows. The journal stays. */
SBX_API void sbx_sim_timeline_reset(struct sbx_sim *sim);
/** What was used that the simulation does not know: machine.unsupported lines and refused routes. */
SBX_API int64_t sbx_sim_unsupported(const struct sbx_sim *sim);

/** Sandboxes that were made, that still cost money, and what all have cost, in millionths of a cent. */
SBX_API int64_t sbx_sim_ledger_made(const struct sbx_sim *sim);
SBX_API int64_t sbx_sim_ledger_live(const struct sbx_sim *sim);
SBX_API int64_t sbx_sim_ledger_cost(const struct sbx_sim *sim);
/** The ledger, and the state of the clouds, as JSON; lent until the next call. */
SBX_API const char *sbx_sim_ledger_json(struct sbx_sim *sim);
SBX_API const char *sbx_sim_state_json(struct sbx_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
