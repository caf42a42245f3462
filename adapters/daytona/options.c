/* What a launch may ask of Daytona, checked before anything is sent. Rows D1, D18 (at create), D20, P3. */
#include "adapters/daytona/body.h"

#include <sandport/kit/text.h>
#include <string.h>

#define NETWORK_ENTRIES_MAX 10
#define MINUTES_MAX         INT32_MAX

static enum sbx_status wrong(struct sbx_error *err, enum sbx_status st, const char *field, const char *expected) {
    return sbx_fail(err, st, SBX_OUTCOME_NONE, "%s: expected %s", field, expected);
}

/* ---- provider options ---- */

static enum sbx_status provider_options(const struct sbx_launch_options *opt, struct daytona_launch *out,
                                        struct sbx_error *err) {
    for (size_t i = 0; i < opt->provider_option_count; i++) {
        const struct sbx_pair *pair = &opt->provider_options[i];
        int64_t minutes = 0;
        if (strcmp(pair->name, "snapshot") == 0) {
            if (!*pair->value) return wrong(err, SBX_INVALID_OPTIONS, "provider_options.snapshot", "a name");
            out->snapshot = pair->value;
        } else if (strcmp(pair->name, "auto_stop_interval") == 0) {
            if (!sbx_text_int(pair->value, 0, MINUTES_MAX, &minutes))
                return wrong(err, SBX_INVALID_OPTIONS, "provider_options.auto_stop_interval", "whole minutes");
            out->auto_stop_min = (int32_t)minutes;
        } else { /* guard: unknown_provider_option */
            return wrong(err, SBX_INVALID_OPTIONS, "provider_options", "snapshot or auto_stop_interval");
        }
    }
    return SBX_OK;
}

/* ---- network lists: what Daytona could not enforce is refused here ---- */

static int is_ipv4(const char *text, size_t len) {
    int parts = 0;
    while (len) {
        size_t n = 0, value = 0;
        while (n < len && text[n] >= '0' && text[n] <= '9' && n < 3) value = value * 10 + (size_t)(text[n++] - '0');
        if (n == 0 || value > 255 || (n > 1 && text[0] == '0')) return 0;
        parts++;
        if (n == len) break;
        if (text[n] != '.' || n + 1 == len) return 0;
        text += n + 1;
        len -= n + 1;
    }
    return parts == 4;
}

static int is_cidr(const char *text, size_t len) {
    const char *slash = memchr(text, '/', len);
    size_t digits = slash ? (size_t)(text + len - slash) - 1 : 0;
    if (!slash || digits < 1 || digits > 2) return 0;
    int prefix = 0;
    for (size_t i = 1; i <= digits; i++) {
        if (slash[i] < '0' || slash[i] > '9') return 0;
        prefix = prefix * 10 + (slash[i] - '0');
    }
    return prefix <= 32 && is_ipv4(text, (size_t)(slash - text));
}

static int is_host(const char *text, size_t len) {
    size_t label = 0, dots = 0;
    if (len > 2 && text[0] == '*' && text[1] == '.') {
        text += 2;
        len -= 2;
    }
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        int plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (c == '.') {
            if (label == 0 || text[i - 1] == '-') return 0;
            label = 0;
            dots++;
        } else if (plain || (c == '-' && label > 0)) {
            label++;
        } else {
            return 0;
        }
        if (label > 63) return 0;
    }
    return len > 0 && len <= 253 && label > 0 && dots > 0;
}

static enum sbx_status list_check(const char *list, const char *field, int (*is_one)(const char *text, size_t len),
                                  const char *expected, struct sbx_error *err) {
    size_t n = 0;
    for (const char *at = list; at && *at;) {
        size_t len = strcspn(at, ",");
        if (!is_one(at, len)) return wrong(err, SBX_UNSUPPORTED, field, expected);
        if (++n > NETWORK_ENTRIES_MAX) return wrong(err, SBX_UNSUPPORTED, field, "at most 10 entries");
        at += len;
        if (*at && !*++at) return wrong(err, SBX_UNSUPPORTED, field, expected);
    }
    return SBX_OK;
}

static enum sbx_status network_check(const struct sbx_launch_options *opt, struct sbx_error *err) {
    int cidrs = opt->network_allow_list && *opt->network_allow_list;
    int hosts = opt->domain_allow_list && *opt->domain_allow_list;
    if (cidrs && hosts) return wrong(err, SBX_UNSUPPORTED, "domain_allow_list", "no list of CIDR ranges beside it");
    if (opt->network_block_all == SBX_YES && (cidrs || hosts))
        return wrong(err, SBX_INVALID_ARGUMENT, "network_block_all", "no allow list beside it");
    enum sbx_status st = list_check(opt->network_allow_list, "network_allow_list", is_cidr,
                                    "IPv4 ranges with a prefix length, like 10.0.0.0/8", err);
    return st ? st
              : list_check(opt->domain_allow_list, "domain_allow_list", is_host, "host names, *. allowed first", err);
}

/* ---- the rest ---- */

static int mount_path_ok(const char *path) {
    static const char *const reserved[] = {"/proc", "/sys", "/dev", "/boot", "/etc", "/bin", "/sbin", "/lib", "/lib64"};
    if (path[0] != '/' || !path[1] || strstr(path, "//")) return 0;
    for (const char *part = path; part; part = strchr(part + 1, '/'))
        if (strncmp(part, "/./", 3) == 0 || strncmp(part, "/../", 4) == 0 || strcmp(part, "/.") == 0 ||
            strcmp(part, "/..") == 0)
            return 0;
    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
        size_t len = strlen(reserved[i]);
        if (strncmp(path, reserved[i], len) == 0 && (path[len] == '/' || !path[len])) return 0;
    }
    return 1;
}

static enum sbx_status volumes_check(const struct sbx_launch_options *opt, struct sbx_error *err) {
    for (size_t i = 0; i < opt->volume_count; i++)
        if (!mount_path_ok(opt->volumes[i].mount_path))
            return wrong(err, SBX_INVALID_ARGUMENT, "volumes.mount_path", "an absolute path outside of system folders");
    return SBX_OK;
}

/* A name is also a path segment of look-ups: what would change the path is refused. */
static enum sbx_status name_check(const char *name, struct sbx_error *err) {
    if (strlen(name) > SBX_ID_SIZE * 2 - 1 || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return wrong(err, SBX_INVALID_ARGUMENT, "name", "at most 255 bytes and no /");
    return SBX_OK;
}

enum sbx_status daytona_launch_options(const struct daytona *d, const struct sbx_launch_options *opt,
                                       struct daytona_launch *out, struct sbx_error *err) {
    enum sbx_status st = SBX_OK;
    memset(out, 0, sizeof(*out));
    out->opt = opt;
    out->snapshot = opt->snapshot ? opt->snapshot : d->snapshot;
    out->target = opt->target ? opt->target : d->target;
    out->auto_stop_min = opt->auto_stop_min;
    if (opt->name && (st = name_check(opt->name, err))) return st;
    if (opt->name)
        (void)!sbx_copy(out->name, sizeof(out->name), opt->name);
    else
        sbx_uuid_from_hex(opt->acquisition, out->name);
    if ((st = provider_options(opt, out, err))) return st;
    if (out->auto_stop_min && opt->auto_pause_min)
        return wrong(err, SBX_INVALID_ARGUMENT, "auto_pause_min", "0 beside an auto-stop interval");
    if (opt->auto_pause_min && opt->auto_delete_min == SBX_EPHEMERAL)
        return wrong(err, SBX_INVALID_ARGUMENT, "auto_pause_min", "0 for one that is deleted at its stop");
    if ((st = network_check(opt, err))) return st;
    return volumes_check(opt, err);
}
