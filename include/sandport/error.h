/* What went wrong and what is known to have happened. The struct is the caller's, has no heap and never holds a
 * provider's text or a credential. */
#ifndef SANDPORT_ERROR_H
#define SANDPORT_ERROR_H

#include <sandport/status.h>

#define SBX_ID_SIZE          128 /* a provider's sandbox id with its NUL */
#define SBX_ACQUISITION_SIZE 33  /* 32 lower-case hex digits and NUL */

/** What the request did, apart from how it ended. */
enum sbx_outcome {
    SBX_OUTCOME_NONE = 0,     /* no request belongs to the error */
    SBX_OUTCOME_NOT_SENT = 1, /* it provably never left */
    SBX_OUTCOME_REFUSED = 2,  /* the provider said no and did nothing */
    SBX_OUTCOME_UNKNOWN = 3,  /* it may have happened */
    SBX_OUTCOME_DONE = 4      /* it happened; for a launch `sandbox_id` says which */
};

/** What became of a thing that a failed call had made. */
enum sbx_cleanup {
    SBX_CLEANUP_NONE = 0,       /* nothing needed cleaning up */
    SBX_CLEANUP_CONFIRMED = 1,  /* proven gone */
    SBX_CLEANUP_UNCONFIRMED = 2 /* may live on: `acquisition` is what sbx_runtime_reconcile() takes */
};

struct sbx_error {
    size_t size;            /* sizeof(struct sbx_error), set by sbx_error_init */
    int32_t status;         /* enum sbx_status */
    int32_t outcome;        /* enum sbx_outcome */
    int32_t cleanup;        /* enum sbx_cleanup */
    int32_t http_status;    /* of the answer that decided, 0 if there was none */
    int64_t retry_after_ms; /* what the provider asked for, -1 if it did not */
    char provider[24];
    char operation[24];
    char sandbox_id[SBX_ID_SIZE];
    char acquisition[SBX_ACQUISITION_SIZE];
    char detail[168]; /* our own words: the field, member or route that was wrong, and what was expected */
    int32_t cause; /* enum sbx_status of what a status of the router stands for: its provider's, its store's; else 0 */
};

/** Readies one of the size that this file knows. */
#define SBX_ERROR_INIT                                                                                                 \
    { .size = sizeof(struct sbx_error), .retry_after_ms = -1 }

#ifdef __cplusplus
extern "C" {
#endif

/** Readies `err` for a call. @param size sizeof(struct sbx_error) as the caller was compiled. NULL is ignored. */
SBX_API void sbx_error_init(struct sbx_error *err, size_t size);

/** "NOT_SENT" for SBX_OUTCOME_NOT_SENT. Static text. */
SBX_API const char *sbx_outcome_name(int32_t outcome);

/** "CONFIRMED" for SBX_CLEANUP_CONFIRMED. Static text. */
SBX_API const char *sbx_cleanup_name(int32_t cleanup);

/** One line for people: operation, status, outcome, HTTP status, detail. At most `cap` bytes with the NUL.
 *  @return the bytes written without the NUL */
SBX_API size_t sbx_error_describe(const struct sbx_error *err, char *buf, size_t cap);

#ifdef __cplusplus
}
#endif
#endif
