/* What the daemon says of a file, and what its words about one mean. Rows P8, D14. */
#include "adapters/daytona/verbs.h"

#include <sandport/kit/text.h>
#include <string.h>

/* ---- when ---- */

/* Days from 1970-01-01 to a day of the Gregorian calendar. */
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day) {
    year -= month <= 2;
    const int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* @return the digits' number, -1 if it is none */
static int64_t stamp_number(const char **at, int digits) {
    int64_t value = 0;
    for (; digits > 0; digits--, ++*at) {
        if (**at < '0' || **at > '9') return -1;
        value = value * 10 + (**at - '0');
    }
    return value;
}

static int stamp_char(const char **at, const char *any) {
    if (!**at || !strchr(any, **at)) return 0;
    ++*at;
    return 1;
}

/* ".25" -> 250 */
static int64_t stamp_fraction_ms(const char **at) {
    int64_t ms = 0, unit = 100;
    if (!stamp_char(at, ".")) return 0;
    for (; **at >= '0' && **at <= '9'; ++*at, unit /= 10) ms += (**at - '0') * unit;
    return ms;
}

/* "Z", "+02:00" or "+0200". @return 0 if it is none */
static int stamp_zone_min(const char **at, int64_t *out) {
    *out = 0;
    if (stamp_char(at, "Z")) return 1;
    const int west = **at == '-';
    if (!stamp_char(at, "+-")) return 0;
    const int64_t hour = stamp_number(at, 2);
    (void)stamp_char(at, ":");
    const int64_t min = stamp_number(at, 2);
    if (hour < 0 || hour > 23 || min < 0 || min > 59) return 0;
    *out = (west ? -1 : 1) * (hour * 60 + min);
    return 1;
}

/* RFC 3339, and Go's "2026-01-01 00:00:00 +0000 UTC". @return INT64_MIN if it is neither */
static int64_t stamp_ms(const char *text) {
    const char *at = text;
    int64_t zone = 0;
    const int64_t year = stamp_number(&at, 4), m1 = stamp_char(&at, "-"), month = stamp_number(&at, 2);
    const int64_t m2 = stamp_char(&at, "-"), day = stamp_number(&at, 2), m3 = stamp_char(&at, "T ");
    const int64_t hour = stamp_number(&at, 2), m4 = stamp_char(&at, ":"), min = stamp_number(&at, 2);
    const int64_t m5 = stamp_char(&at, ":"), sec = stamp_number(&at, 2);
    if (year < 0 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || hour > 23) return INT64_MIN;
    if (min < 0 || min > 59 || sec < 0 || sec > 60 || !(m1 && m2 && m3 && m4 && m5)) return INT64_MIN;
    const int64_t ms = stamp_fraction_ms(&at);
    (void)stamp_char(&at, " ");
    if (!stamp_zone_min(&at, &zone)) return INT64_MIN;
    return (((days_from_civil(year, month, day) * 24 + hour) * 60 + min - zone) * 60 + sec) * 1000 + ms;
}

/* ---- what ---- */

/* A member that only describes: "" when it is absent, null or of another type. */
static const char *soft_text(struct sbx_json *js, const struct sbx_json_node *node, const char *key) {
    const struct sbx_json_node *member = sbx_json_member(node, key);
    return member && sbx_json_type(member) == SBX_JSON_STRING ? sbx_json_as_string(js, member) : "";
}

static int32_t info_mode(const char *octal) {
    int32_t mode = 0;
    size_t len = strlen(octal);
    if (len < 3 || len > 5) return -1;
    for (; *octal; octal++) {
        if (*octal < '0' || *octal > '7') return -1;
        mode = mode * 8 + (*octal - '0');
    }
    return mode & 0777;
}

/* Go's letters before the nine permissions: none but "-" for a regular file. */
static int32_t info_type(int is_dir, const char *mode) {
    if (is_dir) return SBX_FILE_DIRECTORY;
    if (strlen(mode) < 10) return SBX_FILE_TYPE_UNKNOWN;
    return strpbrk(mode, "LDpSc?") ? SBX_FILE_OTHER : SBX_FILE_REGULAR;
}

/* A name is one name: what a caller joins to a directory must not lead out of it. */
static int is_one_name(const char *name) {
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return 0;
    return !strchr(name, '/'); /* guard: file_name_stays_inside */
}

enum sbx_status daytona_file_info(struct sbx_json *js, const struct sbx_json_node *node, int listed,
                                  struct sbx_files *into, struct sbx_error *err) {
    struct sbx_file_draft draft = SBX_FILE_DRAFT_INIT;
    const int is_dir = sbx_json_bool(js, node, "isDir");
    draft.path = sbx_json_string(js, node, "name");
    draft.bytes = sbx_json_int(js, node, "size");
    if (sbx_json_status(js)) return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "answer: %s", sbx_json_error(js));
    const int is_start = strcmp(draft.path, "/") == 0 || strcmp(draft.path, ".") == 0;
    if (!is_one_name(draft.path) && (listed || !is_start))
        return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "answer: expected one name at $.name");
    if (draft.bytes < 0) return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "answer: expected 0 or more at $.size");
    const char *modified = soft_text(js, node, "modifiedAt");
    draft.type = info_type(is_dir, soft_text(js, node, "mode"));
    draft.mode = info_mode(soft_text(js, node, "permissions"));
    draft.modified_ms = stamp_ms(*modified ? modified : soft_text(js, node, "modTime"));
    draft.owner = soft_text(js, node, "owner");
    draft.group = soft_text(js, node, "group");
    return sbx_files_add(into, &draft) ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL) : SBX_OK;
}
