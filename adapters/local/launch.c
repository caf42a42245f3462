/* Launching: a directory that is filled where nobody looks, and appears at once under its id. Rows L1, P12.
 *
 * The id is the acquisition id, so what became of a launch is a look at one path. Names are links in .names, made and
 * looked at under the root's lock; one that leads to nobody is what a crash has left. */
#include "adapters/local/verbs.h"

#include <errno.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIFETIME_MS_MAX (INT64_C(10) * 365 * 24 * 3600 * 1000)

static enum sbx_status wrong(struct sbx_error *err, enum sbx_status st, const char *field, const char *expected) {
    return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, "%s: expected %s", field, expected);
}

static enum sbx_status options_check(const struct local *l, const struct sbx_launch_options *opt, int64_t *lifetime_ms,
                                     struct sbx_error *err) {
    *lifetime_ms = l->sandbox_lifetime_ms;
    if (opt->snapshot) return wrong(err, SBX_SNAPSHOT_NOT_FOUND, "snapshot", "none, since this machine has no other");
    if (opt->target) return wrong(err, SBX_UNSUPPORTED, "target", "none, since there are no regions");
    for (size_t i = 0; i < opt->provider_option_count; i++) {
        const struct sbx_pair *pair = &opt->provider_options[i];
        if (strcmp(pair->name, "sandbox_lifetime_ms") != 0) /* guard: local_unknown_provider_option */
            return wrong(err, SBX_INVALID_OPTIONS, "provider_options", "sandbox_lifetime_ms");
        if (!sbx_text_int(pair->value, 1, LIFETIME_MS_MAX, lifetime_ms))
            return wrong(err, SBX_INVALID_OPTIONS, "provider_options.sandbox_lifetime_ms", "1 or more");
    }
    return SBX_OK;
}

int sbx_local_name_path(const struct local *l, const char *name, char out[LOCAL_PATH_SIZE]) {
    char hash[SBX_SHA256_HEX];
    if (!sbx_sha256_of(name, strlen(name), hash)) return 0;
    int n = snprintf(out, LOCAL_PATH_SIZE, "%s/.names/%s", l->root, hash);
    return n > 0 && n < LOCAL_PATH_SIZE;
}

static int exists(const char *path) {
    struct stat is;
    return lstat(path, &is) == 0;
}

/* Under the root's lock. */
static enum sbx_status name_take(const struct local *l, const char *name, const char *id, struct sbx_error *err) {
    char link[LOCAL_PATH_SIZE], of[SBX_ACQUISITION_SIZE] = "", path[LOCAL_PATH_SIZE];
    if (!sbx_local_name_path(l, name, link)) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    ssize_t n = readlink(link, of, sizeof(of) - 1);
    if (n >= 0) of[n] = 0;
    if (n >= 0 && sbx_local_path(l, of, "", path) && exists(path)) /* guard: local_name_is_exclusive */
        return sbx_fail(err, SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED, "name: it is in use");
    (void)unlink(link);
    if (symlink(id, link) == 0) return SBX_OK;
    return sbx_fail(err, SBX_PROVIDER, SBX_OUTCOME_REFUSED, "root: a name could not be written");
}

static enum sbx_status fill(const struct local *l, const char *dir, const struct sbx_launch_options *opt,
                            const char *name, int64_t lifetime_ms, struct sbx_error *err) {
    static const char *const folders[] = {"", "/home", "/tmp"};
    const struct local_state is = {.state = SBX_STATE_STOPPED};
    char path[LOCAL_PATH_SIZE + 8];
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        snprintf(path, sizeof(path), "%s%s", dir, folders[i]);
        if (mkdir(path, 0700) != 0)
            return sbx_fail(err, errno == ENOSPC ? SBX_NO_SPACE : SBX_PROVIDER, SBX_OUTCOME_REFUSED,
                            "root: a directory could not be made");
    }
    enum sbx_status st = sbx_local_record_write(l, dir, opt, name, lifetime_ms, err);
    return st ? st : sbx_local_state_write(dir, &is, err);
}

/* Under the root's lock: all of it, or nothing. */
static enum sbx_status appear(const struct local *l, const struct sbx_launch_options *opt, int64_t lifetime_ms,
                              struct sbx_error *err) {
    char dir[LOCAL_PATH_SIZE], fresh[LOCAL_PATH_SIZE + 8], never[LOCAL_PATH_SIZE + 64], uuid[SBX_UUID_SIZE];
    const char *name = opt->name ? opt->name : uuid;
    sbx_uuid_from_hex(opt->acquisition, uuid);
    if (!sbx_local_path(l, opt->acquisition, "", dir))
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "root: expected a shorter path");
    snprintf(fresh, sizeof(fresh), "%s/.new-%s", l->root, opt->acquisition);
    snprintf(never, sizeof(never), "%s/.never/%s", l->root, opt->acquisition);
    if (exists(dir) || exists(never)) /* guard: local_absent_stays_absent */
        return sbx_fail(err, SBX_ALREADY_EXISTS, SBX_OUTCOME_REFUSED, "acquisition: it is in use, or was given up");
    (void)sbx_local_remove(fresh);
    enum sbx_status st = fill(l, fresh, opt, name, lifetime_ms, err);
    if (!st) st = name_take(l, name, opt->acquisition, err);
    if (!st && rename(fresh, dir) != 0)
        st = sbx_fail(err, SBX_PROVIDER, SBX_OUTCOME_REFUSED, "root: a directory could not be put in its place");
    if (st) (void)sbx_local_remove(fresh);
    return st;
}

static enum sbx_status launch_failed(const struct local *l, enum sbx_status st, const char *id,
                                     const struct sbx_call *call, struct sbx_error *err) {
    struct sbx_call cleanup;
    struct sbx_error quiet = SBX_ERROR_INIT;
    int removed = sbx_call_for_cleanup(call, l->env, &cleanup) && sbx_local_delete(l, id, &cleanup, &quiet) == SBX_OK;
    err->outcome = SBX_OUTCOME_DONE; /* it was made */
    err->cleanup = removed ? SBX_CLEANUP_CONFIRMED : SBX_CLEANUP_UNCONFIRMED;
    (void)!sbx_copy(err->sandbox_id, sizeof(err->sandbox_id), id);
    (void)!sbx_copy(err->acquisition, sizeof(err->acquisition), id);
    return st;
}

enum sbx_status sbx_local_launch(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                                 struct sbx_identity *out, struct sbx_error *err) {
    const struct local *l = self;
    const struct sbx_call bounded = opt->create_ms ? sbx_call_within(call, l->env, opt->create_ms) : *call;
    int64_t lifetime_ms = 0;
    int lock = -1;
    enum sbx_status st = options_check(l, opt, &lifetime_ms, err);
    if (!st) sbx_local_reap_over(l, &bounded);
    if (!st) st = sbx_local_lock_root(l, &bounded, &lock, err);
    if (st) return st;
    st = appear(l, opt, lifetime_ms, err);
    sbx_local_unlock(lock);
    if (st) return st;
    (void)!sbx_copy(out->id, sizeof(out->id), opt->acquisition);
    (void)!sbx_copy(out->acquisition, sizeof(out->acquisition), opt->acquisition);
    st = sbx_local_begin(l, out->id, &bounded, err);
    if (st) return launch_failed(l, st, out->id, call, err); /* guard: local_failed_launch_deletes */
    out->state = SBX_STATE_RUNNING;
    return SBX_OK;
}
