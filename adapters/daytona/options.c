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
    if ((st = sbx_launch_network_check(opt, NETWORK_ENTRIES_MAX, err))) return st;
    return volumes_check(opt, err);
}
