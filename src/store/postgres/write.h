/* The operations that change something, each one transaction. */
#ifndef SRC_STORE_POSTGRES_WRITE_H
#define SRC_STORE_POSTGRES_WRITE_H

#include <sandport/kit/store.h>

enum sbx_status sbx_pg_put_intent(void *ctx, const struct sbx_record *draft, const struct sbx_call *call,
                                  struct sbx_record **out, struct sbx_error *err);
enum sbx_status sbx_pg_advance(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                               struct sbx_record **out, struct sbx_error *err);
enum sbx_status sbx_pg_put_mapping(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                                   struct sbx_record **out, struct sbx_error *err);
enum sbx_status sbx_pg_claim(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                             struct sbx_record **out, struct sbx_error *err);
enum sbx_status sbx_pg_renew(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                             struct sbx_record **out, struct sbx_error *err);
enum sbx_status sbx_pg_remove(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                              struct sbx_error *err);

#endif
