/* How the suite writes records down and changes them. */
#ifndef TESTS_STORES_STORES_H
#define TESTS_STORES_STORES_H

#include "face.h"
#include "t.h"

/* Two owners and a third. */
#define ANN  "a0000000000000000000000000000001"
#define BOB  "b0000000000000000000000000000002"
#define CLEO "c0000000000000000000000000000003"

/** 32 hex digits that end in `n`; lent until some calls later. */
const char *stores_id(int n);
/** "sbx_" and 32 hex digits that end in `n`; lent until some calls later. */
const char *stores_locator(int n);

/** A draft with no labels. */
struct sbx_record stores_draft(int n, const char *owner);

/** A change by `owner` of the record as it was seen. */
struct sbx_store_change stores_change(const struct sbx_record *seen, const char *owner);

/** Takes the record from where it is to another state, frees what was seen, and gives what is now. Fails the test if it
 *  is refused. @param state MAPPED by put_mapping, with the locator of the same number as `n` */
struct sbx_record *stores_to(struct sbx_store *store, struct sbx_record *seen, int32_t state);

/** A new record of that number, brought to that state by its owner. */
struct sbx_record *stores_bring(struct sbx_store *store, int n, const char *owner, int32_t state);

/** Reads it back. Fails the test if it is not there. */
struct sbx_record *stores_read(struct sbx_store *store, const char *key);

/** Are all members the same? Fails the test if not. */
void stores_same(const struct sbx_record *got, const struct sbx_record *want);

/* The cases of the other files. */
void every_step(void);
void every_other_change(void);
void two_callers_in_every_order(void);
void many_threads(void);
void claims_of_many_threads(void);

#endif
