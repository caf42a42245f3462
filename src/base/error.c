/* The caller's error: set by a failed call, told to people in one line. */
#include <sandport/kit/fail.h>
#include <sandport/kit/text.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sbx_error_init(struct sbx_error *err, size_t size) {
    if (!err || size < sizeof(err->size)) return;
    memset(err, 0, size);
    err->size = size;
    if (size >= offsetof(struct sbx_error, retry_after_ms) + sizeof(err->retry_after_ms)) err->retry_after_ms = -1;
}

const char *sbx_outcome_name(int32_t outcome) {
    static const char *const names[] = {"NONE", "NOT_SENT", "REFUSED", "UNKNOWN", "DONE"};
    return outcome >= 0 && outcome <= SBX_OUTCOME_DONE ? names[outcome] : "?";
}

const char *sbx_cleanup_name(int32_t cleanup) {
    static const char *const names[] = {"NONE", "CONFIRMED", "UNCONFIRMED"};
    return cleanup >= 0 && cleanup <= SBX_CLEANUP_UNCONFIRMED ? names[cleanup] : "?";
}

enum sbx_status sbx_fail(struct sbx_error *err, enum sbx_status status, enum sbx_outcome outcome, const char *fmt,
                         ...) {
    if (!err) return status;
    err->status = (int32_t)status;
    err->outcome = (int32_t)outcome;
    if (fmt) {
        va_list args;
        va_start(args, fmt);
        vsnprintf(err->detail, sizeof(err->detail), fmt, args);
        va_end(args);
        err->detail[sbx_utf8_valid(err->detail, strlen(err->detail))] = 0;
    }
    return status;
}

size_t sbx_error_describe(const struct sbx_error *err, char *buf, size_t cap) {
    char http[32] = "", where[64] = "", id[SBX_ID_SIZE + 16] = "", cleanup[32] = "";
    if (!buf || cap == 0) return 0;
    buf[0] = 0;
    if (!err) return 0;
    if (err->operation[0]) snprintf(where, sizeof(where), "%s %s: ", err->provider, err->operation);
    if (err->http_status) snprintf(http, sizeof(http), ", HTTP %d", (int)err->http_status);
    if (err->sandbox_id[0]) snprintf(id, sizeof(id), ", sandbox %s", err->sandbox_id);
    if (err->cleanup) snprintf(cleanup, sizeof(cleanup), ", clean-up %s", sbx_cleanup_name(err->cleanup));
    int n = snprintf(buf, cap, "%s%s (%s; outcome %s%s%s%s)%s%s", where, sbx_status_text(err->status),
                     sbx_status_name(err->status), sbx_outcome_name(err->outcome), http, id, cleanup,
                     err->detail[0] ? ": " : "", err->detail);
    if (n < 0) return 0;
    return (size_t)n < cap ? (size_t)n : cap - 1;
}
