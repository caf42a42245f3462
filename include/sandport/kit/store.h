/* Mapping stores: where each launch is written down before it is made, and which sandbox a locator means.
 *
 * A record belongs to one acquisition, that is to one launch. It goes INTENT (before the launch) -> SENT -> ALLOCATED
 * (the provider's id is known) -> MAPPED (its locator has been handed out); ABSENT is proven never to have been made,
 * DESTROYING is to be deleted, DONE is proven gone. A record that is INTENT, SENT, ALLOCATED or DESTROYING is
 * unfinished: somebody must see to it, its owner or whoever claims it.
 *
 * Every change names the generation that it was decided on, and is refused with SBX_CONFLICT when the record has
 * another by now; every change but a renewal adds 1 to it. A claim names the lease too. A lease is a counter and no
 * time: the owner renews, and whoever has seen the counter unchanged for the lease's length on its own monotonic clock
 * may claim. An owner that was asleep learns of it by SBX_CONFLICT from its next change.
 *
 * Acknowledged: an operation that answered SBX_OK is on disk (SQLite: synced; PostgreSQL: committed, flushed by the
 * server) before it returns, and a process killed at any point later loses none of it. The memory store lives as long
 * as its process. A failed change says by its outcome what is known: NOT_SENT or REFUSED, the record is as it was;
 * UNKNOWN, it may have been made - sbx_store_get() tells.
 *
 * No record holds a credential: nothing that a caller puts into one may be secret. Rows R9, R10, R21, R22. */
#ifndef SANDPORT_KIT_STORE_H
#define SANDPORT_KIT_STORE_H

#include <sandport/runtime.h>

#define SBX_LOCATOR_SIZE 37  /* "sbx_", 32 lower-case hex digits and NUL */
#define SBX_OWNER_SIZE   33  /* 32 lower-case hex digits and NUL; made like an acquisition id */
#define SBX_POOL_SIZE    128 /* a pool's id, and the name of a request, with NUL */

struct sbx_store;   /* a store of any kind */
struct sbx_records; /* what a search found */

/** Stored as int32_t. The numbers are in files and databases, and never reused. */
enum sbx_record_state {
    SBX_RECORD_INTENT = 1,
    SBX_RECORD_SENT = 2,
    SBX_RECORD_ALLOCATED = 3,
    SBX_RECORD_MAPPED = 4,
    SBX_RECORD_ABSENT = 5,
    SBX_RECORD_DESTROYING = 6,
    SBX_RECORD_DONE = 7
};

/** A record. Given to put_intent its texts and labels are lent for the call; one that a store hands out is one piece of
 *  memory with all of its texts, yours: sbx_record_free(). Texts are UTF-8 without control characters, and "" rather
 *  than NULL when there is nothing. */
struct sbx_record {
    size_t size;
    const char *acquisition; /* 32 lower-case hex digits: the record's key */
    const char *locator; /* "sbx_" and 32 lower-case hex digits once it is MAPPED; "" before, and when another has it */
    const char *provider;          /* 1 to 23 bytes */
    const char *pool;              /* 1 to 127 bytes */
    const char *sandbox_id;        /* the provider's id, at most 127 bytes; "" as long as it is not known */
    const char *request;           /* name of the request that the launch was for, at most 127 bytes; may be "" */
    const char *owner;             /* who works on it: 32 lower-case hex digits, fresh for each process that does */
    const struct sbx_pair *labels; /* in the order given; names 1 to 4,096 bytes and none twice, values to 4,096 */
    size_t label_count;            /* at most 64 */
    int32_t attempt;               /* which launch of its request, from 1 */
    int32_t state;                 /* enum sbx_record_state */
    int64_t generation;            /* 1 after put_intent */
    int64_t lease;                 /* 1 after put_intent; renewals and changes of the owner add 1 */
};

/** What to do to a record that is there. Texts are lent for the call. Which members an operation reads is said there.
 */
struct sbx_store_change {
    size_t size;
    const char *acquisition;     /* which record */
    int64_t generation;          /* as the caller last saw it */
    int64_t lease;               /* claim: as the caller last saw it */
    const char *owner;           /* who acts */
    int32_t state;               /* advance: to which state */
    int32_t replaces_state;      /* put_mapping: what becomes of the one replaced, DESTROYING or DONE */
    const char *sandbox_id;      /* advance, put_mapping: NULL = as it is */
    const char *locator;         /* put_mapping */
    const char *replaces;        /* put_mapping: acquisition of the record that has the locator now; NULL = none */
    int64_t replaces_generation; /* of that record, as the caller last saw it */
};

/** What to look for. */
struct sbx_store_query {
    size_t size;
    const struct sbx_pair *labels; /* find: all must match; none = every record */
    size_t label_count;
    const int32_t *states; /* find: enum sbx_record_state; none = every state */
    size_t state_count;
    const char *after; /* where to go on: sbx_records_next() of the answer before; NULL or "" = from the beginning */
    int32_t max;       /* at most so many, 1 to 1,000; 0 = 1,000 */
};

#define SBX_RECORD_INIT                                                                                                \
    { .size = sizeof(struct sbx_record) }
#define SBX_STORE_CHANGE_INIT                                                                                          \
    { .size = sizeof(struct sbx_store_change) }
#define SBX_STORE_QUERY_INIT                                                                                           \
    { .size = sizeof(struct sbx_store_query) }

/** What a store of another kind implements. sbx_store_*() has checked everything before an op is called: records,
 *  changes and queries are whole and of this release's size, their texts are of the form required and never NULL but
 *  for `sandbox_id` and `replaces` of a change; `call` and `err` are never NULL, call->deadline_ms is absolute and
 * never 0; `out` is never NULL. Which changes are allowed and what they make of a record is decided by the functions of
 *  kit/store_rules.h, the same for every store. An op may be called from any thread and locks nothing across a call of
 *  the env. */
struct sbx_store_ops {
    size_t size;
    const char *kind; /* "memory", "sqlite", "postgres" */
    void (*free)(void *self);
    enum sbx_status (*put_intent)(void *self, const struct sbx_record *draft, const struct sbx_call *call,
                                  struct sbx_record **out, struct sbx_error *err);
    enum sbx_status (*advance)(void *self, const struct sbx_store_change *change, const struct sbx_call *call,
                               struct sbx_record **out, struct sbx_error *err);
    enum sbx_status (*put_mapping)(void *self, const struct sbx_store_change *change, const struct sbx_call *call,
                                   struct sbx_record **out, struct sbx_error *err);
    enum sbx_status (*get)(void *self, const char *key, const struct sbx_call *call, struct sbx_record **out,
                           struct sbx_error *err);
    enum sbx_status (*find)(void *self, const struct sbx_store_query *query, const struct sbx_call *call,
                            struct sbx_records *into, struct sbx_error *err);
    enum sbx_status (*remove)(void *self, const struct sbx_store_change *change, const struct sbx_call *call,
                              struct sbx_error *err);
    enum sbx_status (*list_unfinished)(void *self, const struct sbx_store_query *query, const struct sbx_call *call,
                                       struct sbx_records *into, struct sbx_error *err);
    enum sbx_status (*claim)(void *self, const struct sbx_store_change *change, const struct sbx_call *call,
                             struct sbx_record **out, struct sbx_error *err);
    enum sbx_status (*renew)(void *self, const struct sbx_store_change *change, const struct sbx_call *call,
                             struct sbx_record **out, struct sbx_error *err);
};

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_record_init(struct sbx_record *record, size_t size);
SBX_API void sbx_store_change_init(struct sbx_store_change *change, size_t size);
SBX_API void sbx_store_query_init(struct sbx_store_query *query, size_t size);

/** A store of a kind of one's own.
 *  @param self handed to each op; freed by ops->free, also when this fails
 *  @param env lent for the store's life: deadlines, waits, locks and chance come from it alone
 *  @return SBX_INVALID_ARGUMENT if an op is missing, with err->detail naming it */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_create(const struct sbx_store_ops *ops, void *self, struct sbx_env *env,
                                                      struct sbx_store **out, struct sbx_error *err);

/** The reference store: in this process's memory, gone with it. Nothing in it ever waits.
 *  @param env lent for the store's life @param out yours: sbx_store_free() */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_memory_create(struct sbx_env *env, struct sbx_store **out,
                                                             struct sbx_error *err);

/** Frees the store in this process; what it holds stays, but for the memory store. No call may be using it. NULL is
 *  ignored. */
SBX_API void sbx_store_free(struct sbx_store *store);

/** "memory", "sqlite", "postgres". Lent by the store. */
SBX_API const char *sbx_store_kind(const struct sbx_store *store);

/* The operations. Each may be called from any thread, and blocks while it waits for another process's lock (SQLite) or
 * for the server (PostgreSQL), until call->deadline_ms (default 30 s) or a cancel: SBX_DEADLINE, SBX_CANCELLED. `call`
 * and `err` may be NULL. So may `out` of a change: else it gets the record as it now is, yours: sbx_record_free(); it
 * is untouched on failure.
 *
 * Besides the statuses said there each may answer
 *   SBX_INVALID_ARGUMENT  a member is not of the form required, or the step is none that leads from the record's state
 *   SBX_NO_SPACE          the store's disk is full; nothing was changed
 *   SBX_FILE_DENIED       the store may not be written, or not be read
 *   SBX_CONNECT_FAILED, SBX_CONNECTION_LOST, SBX_UNAUTHORISED   PostgreSQL
 *   SBX_STORE_CORRUPT     err->detail names the row that no release of sandport can have written
 *   SBX_STORE_VERSION     the schema is of another release
 *   SBX_STORE_FAILED      whatever else SQLite or PostgreSQL reports; err->detail has its number */

/** Writes a launch down before it is made: reads acquisition, provider, pool, sandbox_id (mostly ""), request, owner,
 *  labels and attempt; the rest is set. The same draft again is success while nothing else has happened to the record.
 *  @return SBX_ALREADY_EXISTS if the acquisition has another record */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_put_intent(struct sbx_store *store, const struct sbx_record *draft,
                                                          const struct sbx_call *call, struct sbx_record **out,
                                                          struct sbx_error *err);

/** Takes a record to another state: reads acquisition, generation, owner, state and sandbox_id of the change.
 *
 *      INTENT     -> SENT, ALLOCATED, ABSENT, DESTROYING
 *      SENT       -> ALLOCATED, ABSENT, DESTROYING
 *      ALLOCATED  -> DESTROYING
 *      MAPPED     -> DESTROYING
 *      DESTROYING -> DONE, or DESTROYING with another sandbox_id
 *
 *  ALLOCATED needs a sandbox_id, here or before. An unfinished record is advanced by its owner alone; a MAPPED one by
 *  anybody, who is its owner from then on. The locator stays and finds the record in every later state.
 *  @return SBX_CONFLICT if its generation is another or the caller is not its owner; SBX_NOT_FOUND */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_advance(struct sbx_store *store, const struct sbx_store_change *change,
                                                       const struct sbx_call *call, struct sbx_record **out,
                                                       struct sbx_error *err);

/** Makes a record the one that its locator finds: reads acquisition, generation, owner, locator, sandbox_id and the
 * three about `replaces`. From SENT or ALLOCATED by its owner; from MAPPED by anybody, with the locator that it has, to
 * give it another sandbox_id. With `replaces` the locator leaves that record, which is MAPPED, and comes here, in one
 * step with the change of its state to replaces_state and of its owner to the caller.
 *  @return SBX_CONFLICT as for advance, for both records; SBX_ALREADY_EXISTS if another record has the locator;
 *          SBX_NOT_FOUND */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_put_mapping(struct sbx_store *store,
                                                           const struct sbx_store_change *change,
                                                           const struct sbx_call *call, struct sbx_record **out,
                                                           struct sbx_error *err);

/** One record, in whatever state: by its acquisition id or by its locator.
 *  @param out yours: sbx_record_free()
 *  @return SBX_NOT_FOUND */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_get(struct sbx_store *store, const char *key,
                                                   const struct sbx_call *call, struct sbx_record **out,
                                                   struct sbx_error *err);

/** The records that have all labels of the query, in the order of the acquisition ids' bytes.
 *  @param out yours: sbx_records_free(); set on SBX_OK, maybe empty, and also on SBX_STORE_CORRUPT, which says that
 *         sbx_records_broken() rows were passed over; err->detail names the first of them */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_find(struct sbx_store *store, const struct sbx_store_query *query,
                                                    const struct sbx_call *call, struct sbx_records **out,
                                                    struct sbx_error *err);

/** The unfinished records, as for sbx_store_find(). @param query may be NULL; reads `after` and `max` */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_list_unfinished(struct sbx_store *store,
                                                               const struct sbx_store_query *query,
                                                               const struct sbx_call *call, struct sbx_records **out,
                                                               struct sbx_error *err);

/** Forgets a record that is ABSENT or DONE: reads acquisition and generation. One in any other state is refused, since
 *  with it a sandbox would be lost. One that is not there counts as forgotten. @return SBX_CONFLICT as for advance */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_remove(struct sbx_store *store, const struct sbx_store_change *change,
                                                      const struct sbx_call *call, struct sbx_error *err);

/** Takes an unfinished record over: reads acquisition, generation, lease and owner, the new one. Who was its owner can
 *  change and renew it no more.
 *  @return SBX_CONFLICT if its generation or its lease is another; SBX_NOT_FOUND */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_claim(struct sbx_store *store, const struct sbx_store_change *change,
                                                     const struct sbx_call *call, struct sbx_record **out,
                                                     struct sbx_error *err);

/** Shows that an unfinished record's owner is alive: reads acquisition and owner. Adds 1 to the lease and nothing to
 * the generation, so that it disturbs no change that the owner is making.
 *  @return SBX_CONFLICT if the caller is not its owner, or the record is finished; SBX_NOT_FOUND */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_renew(struct sbx_store *store, const struct sbx_store_change *change,
                                                     const struct sbx_call *call, struct sbx_record **out,
                                                     struct sbx_error *err);

/** Frees a record that a store handed out; NULL is ignored. */
SBX_API void sbx_record_free(struct sbx_record *record);
/** The value of a label, NULL if it has no such. Lent by the record. */
SBX_API const char *sbx_record_label(const struct sbx_record *record, const char *name);
/** Must somebody see to a record in this state? */
SBX_API int sbx_record_unfinished(int32_t state);
/** "ALLOCATED" for SBX_RECORD_ALLOCATED; "?" for a number that is no state. Static text. */
SBX_API const char *sbx_record_state_name(int32_t state);
/** A fresh locator. @param out SBX_LOCATOR_SIZE bytes */
SBX_API SBX_MUST_USE enum sbx_status sbx_locator_new(struct sbx_env *env, char *out);

SBX_API size_t sbx_records_count(const struct sbx_records *records);
/** Lent by the list; NULL beyond the end. */
SBX_API const struct sbx_record *sbx_records_at(const struct sbx_records *records, size_t index);
/** What `after` of the next query is; "" when there is no more. Lent by the list. */
SBX_API const char *sbx_records_next(const struct sbx_records *records);
/** How many rows could not be read and were passed over. */
SBX_API size_t sbx_records_broken(const struct sbx_records *records);
SBX_API void sbx_records_free(struct sbx_records *records);

#ifdef __cplusplus
}
#endif
#endif
