/* For people who write a store of another kind: what a change makes of a record, how rows are read, connections kept.
 *
 * A store reads the records that a change is about, asks the functions here what is to become of them, and writes that,
 * all in one transaction of its own. So every store allows the same steps and refuses in the same words. Row R21. */
#ifndef SANDPORT_KIT_STORE_RULES_H
#define SANDPORT_KIT_STORE_RULES_H

#include <sandport/kit/buf.h>
#include <sandport/kit/env.h>
#include <sandport/kit/store.h>
#include <sandport/kit/text.h>

/** The operations that change a record which is there. Stored as int32_t. */
enum sbx_store_verb {
    SBX_STORE_ADVANCE = 1,
    SBX_STORE_PUT_MAPPING = 2,
    SBX_STORE_CLAIM = 3,
    SBX_STORE_RENEW = 4,
    SBX_STORE_REMOVE = 5
};

/** What is to be written. The texts of both records are lent by what was given to the decision. */
struct sbx_store_verdict {
    size_t size;
    int32_t write;              /* 1: `next` is to be written (to be removed, for remove); 0: all is as it should be */
    int32_t has_replaced;       /* 1: so is `replaced`, in the same transaction and before `next` */
    struct sbx_record next;     /* the record as it is to be */
    struct sbx_record replaced; /* the one that gives up its locator */
};

#define SBX_STORE_VERDICT_INIT                                                                                         \
    { .size = sizeof(struct sbx_store_verdict) }

/** Connections that nobody is using. */
struct sbx_store_pool;

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_store_verdict_init(struct sbx_store_verdict *verdict, size_t size);

/** What put_intent does. @param now the record of that acquisition, NULL if there is none */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_decide_intent(const struct sbx_record *draft,
                                                             const struct sbx_record *now,
                                                             struct sbx_store_verdict *verdict, struct sbx_error *err);

/** What a change does.
 *  @param now the record that it names, NULL if there is none
 *  @param holder put_mapping: the record that has the locator, NULL if none has */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_decide(int32_t verb, const struct sbx_store_change *change,
                                                      const struct sbx_record *now, const struct sbx_record *holder,
                                                      struct sbx_store_verdict *verdict, struct sbx_error *err);

/** A copy in one piece of memory; sbx_record_free(). NULL texts are "". NULL when memory runs out. */
SBX_API struct sbx_record *sbx_record_create(const struct sbx_record *from);

/** Has it all labels of the query, and one of its states? */
SBX_API int sbx_record_matches(const struct sbx_record *record, const struct sbx_store_query *query);

/* Rows. Labels are kept as a JSON array of [name, value]; to find them, each has a key, a hash of fixed length. */
SBX_API void sbx_store_labels_write(struct sbx_buf *buf, const struct sbx_record *record);
/** @param out SBX_SHA256_HEX bytes @return SBX_OK or SBX_NO_MEMORY */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_label_key(const struct sbx_pair *label, char *out);

/** A record from the columns of a row, all of which are looked at.
 *  @param columns its labels are not read; a text is NULL where the column holds none
 *  @param labels the column of the labels, NULL where it holds no text
 *  @return SBX_STORE_CORRUPT, with the row and the column in err->detail, or SBX_NO_MEMORY */
SBX_API SBX_MUST_USE enum sbx_status sbx_store_row_read(const struct sbx_record *columns, const char *labels,
                                                        struct sbx_record **out, struct sbx_error *err);

/* What find and list_unfinished fill. */
SBX_API SBX_MUST_USE enum sbx_status sbx_records_take(struct sbx_records *records, struct sbx_record **record);
/** sbx_store_row_read() into the list; a row that cannot be read is counted. @return SBX_OK or SBX_NO_MEMORY */
SBX_API SBX_MUST_USE enum sbx_status sbx_records_take_row(struct sbx_records *records, const struct sbx_record *columns,
                                                          const char *labels, struct sbx_error *err);
/** Says that there is more behind the row of that key. @return SBX_OK or SBX_NO_MEMORY */
SBX_API SBX_MUST_USE enum sbx_status sbx_records_set_next(struct sbx_records *records, const char *key);

/** @param close frees a connection @return NULL when memory runs out */
SBX_API struct sbx_store_pool *sbx_store_pool_create(struct sbx_env *env, void (*close)(void *connection));
/** One that nobody uses, the caller's until he gives it back; NULL if there is none. */
SBX_API void *sbx_store_pool_take(struct sbx_store_pool *pool);
/** Back to the pool, or closed when it keeps enough. */
SBX_API void sbx_store_pool_give(struct sbx_store_pool *pool, void *connection);
/** Closes all. NULL is ignored. */
SBX_API void sbx_store_pool_free(struct sbx_store_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
