/* What the files of the store room share: the handle, lists, and the checks of arguments and rows. */
#ifndef SRC_STORE_STORE_H
#define SRC_STORE_STORE_H

#include <sandport/kit/store_rules.h>

#define STORE_LABELS_MAX      64
#define STORE_LABEL_BYTES_MAX 4096
#define STORE_LIST_MAX        1000

struct sbx_store {
    struct sbx_store_ops ops; /* the whole table, whatever its release's size was */
    void *self;
    struct sbx_env *env;
};

struct sbx_records {
    struct sbx_record **items;
    size_t count;
    size_t cap;
    size_t broken;
    char *next; /* NULL = no more */
};

/** What is wrong with a record: "labels: expected each name once"; NULL if nothing is. Static text.
 *  @param whole a row, all of whose members count; else a draft of put_intent */
const char *sbx_store_record_wrong(const struct sbx_record *record, int whole);

/** The same for a change, with the members that the operation reads. */
const char *sbx_store_change_wrong(const struct sbx_store_change *change, int32_t verb);
const char *sbx_store_query_wrong(const struct sbx_store_query *query);

int sbx_store_is_locator(const char *text);

struct sbx_records *sbx_records_new(void);

#endif
