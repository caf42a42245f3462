/* Handles, and what changes or reads the sandbox behind one. Rows P9, P10, D4-D8, D16. */
#include "src/port/port.h"

#include <assert.h>
#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define READ_MS      30000
#define LIFECYCLE_MS 60000
#define REPLACE_MS   120000
#define EXEC_MORE_MS 30000

/* ---- the handle ---- */

struct sbx_sandbox *sbx_port_sandbox_new(struct sbx_runtime *rt, int owned) {
    struct sbx_sandbox *sb = calloc(1, sizeof(*sb));
    if (!sb) return NULL;
    sb->rt = rt;
    sb->who.size = sizeof(sb->who);
    sb->who.owned = owned;
    sb->lock = rt->env->lock_new(rt->env);
    if (!sb->lock) {
        free(sb);
        return NULL;
    }
    return sb;
}

void sbx_sandbox_free(struct sbx_sandbox *sb) {
    if (!sb) return;
    sb->rt->env->lock_free(sb->rt->env, sb->lock);
    explicit_bzero(sb->who.token, sizeof(sb->who.token));
    free(sb->home_dir);
    free(sb);
}

struct sbx_env *sbx_sandbox_env(const struct sbx_sandbox *sb) {
    return sb ? sb->rt->env : NULL;
}

static void sandbox_lock(const struct sbx_sandbox *sb) {
    sb->rt->env->lock(sb->rt->env, sb->lock);
}
static void sandbox_unlock(const struct sbx_sandbox *sb) {
    sb->rt->env->unlock(sb->rt->env, sb->lock);
}

void sbx_sandbox_id(const struct sbx_sandbox *sb, char *out) {
    if (!out) return;
    out[0] = 0;
    if (!sb) return;
    sandbox_lock(sb);
    memcpy(out, sb->who.id, SBX_ID_SIZE);
    sandbox_unlock(sb);
}

int sbx_sandbox_owned(const struct sbx_sandbox *sb) {
    if (!sb) return 0;
    sandbox_lock(sb);
    int owned = sb->who.owned;
    sandbox_unlock(sb);
    return owned;
}

int32_t sbx_sandbox_state(const struct sbx_sandbox *sb) {
    if (!sb) return SBX_STATE_UNKNOWN;
    sandbox_lock(sb);
    int32_t state = sb->who.state;
    sandbox_unlock(sb);
    return state;
}

void sbx_sandbox_adopt(struct sbx_sandbox *sb) {
    if (!sb) return;
    sandbox_lock(sb);
    sb->who.owned = 1;
    sandbox_unlock(sb);
}

static void sandbox_state_set(struct sbx_sandbox *sb, int32_t state) {
    sandbox_lock(sb);
    sb->who.state = state;
    sandbox_unlock(sb);
}

/* ---- entering a call on a handle ---- */

static enum sbx_status sandbox_enter(struct port_entry *entry, struct sbx_sandbox *sb, const char *operation,
                                     uint64_t cap, const struct sbx_call *call, int64_t default_ms,
                                     struct sbx_error *err) {
    enum sbx_status st = sbx_port_enter(entry, sb ? sb->rt : NULL, operation, cap, call, default_ms, err);
    assert(st || sb);
    return st;
}

/* The identity as it is now. @return SBX_GONE once the handle was destroyed */
static enum sbx_status sandbox_who(struct port_entry *entry, struct sbx_sandbox *sb, struct sbx_identity *who) {
    sandbox_lock(sb);
    *who = sb->who;
    int closed = sb->closed;
    sandbox_unlock(sb);
    memcpy(entry->err.sandbox_id, who->id, sizeof(who->id));
    if (closed) return sbx_fail(&entry->err, SBX_GONE, SBX_OUTCOME_NOT_SENT, "the handle was destroyed");
    return SBX_OK;
}

/* ---- reads ---- */

static enum sbx_status info_in(struct port_entry *entry, struct sbx_sandbox *sb, struct sbx_info **out) {
    struct sbx_identity who;
    if (!out) return sbx_port_missing(entry, "out");
    enum sbx_status st = sandbox_who(entry, sb, &who);
    if (st) return st;
    st = sb->rt->ops.info(sb->rt->self, &who, &entry->call, out, &entry->err);
    if (!st) sandbox_state_set(sb, sbx_info_state(*out));
    return st;
}

enum sbx_status sbx_sandbox_info(struct sbx_sandbox *sb, const struct sbx_call *call, struct sbx_info **out,
                                 struct sbx_error *err) {
    struct port_entry entry;
    enum sbx_status st = sandbox_enter(&entry, sb, "info", 0, call, READ_MS, err);
    if (!st) st = info_in(&entry, sb, out);
    return sbx_port_leave(&entry, st);
}

static char *text_copy(const char *text) {
    return sbx_port_bytes_copy(text, strlen(text));
}

void sbx_text_free(char *text) {
    free(text);
}

static char *home_dir_known(struct sbx_sandbox *sb, int *known) {
    sandbox_lock(sb);
    *known = sb->home_dir != NULL;
    char *copy = sb->home_dir ? text_copy(sb->home_dir) : NULL;
    sandbox_unlock(sb);
    return copy;
}

enum sbx_status sbx_port_home_dir(struct port_entry *entry, struct sbx_sandbox *sb, const struct sbx_identity *who,
                                  char **out) {
    struct sbx_buf text = SBX_BUF_INIT;
    int known = 0;
    char *copy = home_dir_known(sb, &known), *keep = NULL;
    enum sbx_status st = SBX_OK;
    if (!known) {
        st = sb->rt->ops.home_dir(sb->rt->self, who, &entry->call, &text, &entry->err);
        if (st) goto done;
        copy = text_copy(sbx_buf_text(&text));
        keep = text_copy(sbx_buf_text(&text));
        sandbox_lock(sb);
        if (!sb->home_dir) {
            sb->home_dir = keep;
            keep = NULL;
        }
        sandbox_unlock(sb);
    }
    if (copy)
        *out = copy;
    else
        st = sbx_fail(&entry->err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
done:
    free(keep);
    sbx_buf_finish(&text);
    return st;
}

enum sbx_status sbx_sandbox_home_dir(struct sbx_sandbox *sb, const struct sbx_call *call, char **out,
                                     struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_identity who;
    enum sbx_status st = sandbox_enter(&entry, sb, "home_dir", SBX_CAP_HOME_DIR, call, READ_MS, err);
    if (!st && !out) st = sbx_port_missing(&entry, "out");
    if (!st) st = sandbox_who(&entry, sb, &who);
    if (!st) st = sbx_port_home_dir(&entry, sb, &who, out);
    return sbx_port_leave(&entry, st);
}

/* ---- changes, one after the other ---- */

static void sandbox_who_set(struct sbx_sandbox *sb, const struct sbx_identity *who, int32_t owned) {
    sandbox_lock(sb);
    int same = strcmp(sb->who.id, who->id) == 0;
    sb->who = *who;
    sb->who.owned = owned;
    char *old_home = same ? NULL : sb->home_dir;
    if (!same) sb->home_dir = NULL;
    sandbox_unlock(sb);
    free(old_home);
}

/* A start that failed may have given the sandbox a new credential all the same. */
static void sandbox_token_set(struct sbx_sandbox *sb, const struct sbx_identity *who) {
    sandbox_lock(sb);
    if (strcmp(sb->who.id, who->id) == 0) memcpy(sb->who.token, who->token, sizeof(who->token));
    sandbox_unlock(sb);
}

static enum sbx_status turn_enter(struct port_entry *entry, struct sbx_sandbox *sb) {
    enum sbx_status st = sbx_turn_take(&sb->turn, sb->rt->env, sb->lock, &entry->call);
    return st ? sbx_fail(&entry->err, st, SBX_OUTCOME_NOT_SENT, "another start, stop or destroy is going on") : SBX_OK;
}

static void turn_leave(struct sbx_sandbox *sb) {
    sbx_turn_give(&sb->turn, sb->rt->env, sb->lock);
}

static enum sbx_status start_options(struct port_entry *entry, const struct sbx_start_options *from,
                                     struct sbx_start_options *opt) {
    if (sbx_options_take(opt, sizeof(*opt), from, sizeof(*opt))) return sbx_port_size_wrong(entry, "opt");
    if (opt->probe_window_ms < 0)
        return sbx_fail(&entry->err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "probe_window_ms: expected 0 or more");
    enum sbx_status st = sbx_port_check_choice(opt->replace, "replace", &entry->err);
    return st ? st : sbx_port_check_choice(opt->keep_dead, "keep_dead", &entry->err);
}

static enum sbx_status start_in(struct port_entry *entry, struct sbx_sandbox *sb, const struct sbx_start_options *from,
                                struct sbx_start_result *callers) {
    struct sbx_start_options opt = SBX_START_OPTIONS_INIT;
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    struct sbx_identity who;
    if (callers && callers->size < sizeof(result)) return sbx_port_size_wrong(entry, "result");
    enum sbx_status st = start_options(entry, from, &opt);
    if (!st) st = turn_enter(entry, sb);
    if (st) return st;
    st = sandbox_who(entry, sb, &who);
    if (!st) {
        int32_t owned = who.owned;
        if (!owned && opt.replace == SBX_DEFAULT) opt.replace = SBX_NO; /* guard: attached_start_replaces */
        st = sb->rt->ops.start(sb->rt->self, &who, &opt, &entry->call, &result, &entry->err);
        if (!st) {
            sandbox_who_set(sb, &who, owned);
            memcpy(entry->err.sandbox_id, who.id, sizeof(who.id));
            if (callers) memcpy(callers, &result, sizeof(result));
        } else {
            sandbox_token_set(sb, &who);
        }
    }
    turn_leave(sb);
    return st;
}

enum sbx_status sbx_sandbox_start(struct sbx_sandbox *sb, const struct sbx_start_options *opt,
                                  const struct sbx_call *call, struct sbx_start_result *result, struct sbx_error *err) {
    struct port_entry entry;
    int may_replace = sb && (sbx_sandbox_owned(sb) || (opt && opt->replace == SBX_YES));
    enum sbx_status st =
        sandbox_enter(&entry, sb, "start", SBX_CAP_LIFECYCLE, call, LIFECYCLE_MS + (may_replace ? REPLACE_MS : 0), err);
    if (!st) st = start_in(&entry, sb, opt, result);
    return sbx_port_leave(&entry, st);
}

static enum sbx_status stop_in(struct port_entry *entry, struct sbx_sandbox *sb, const struct sbx_stop_options *from) {
    struct sbx_stop_options opt = SBX_STOP_OPTIONS_INIT;
    struct sbx_identity who;
    if (sbx_options_take(&opt, sizeof(opt), from, sizeof(opt))) return sbx_port_size_wrong(entry, "opt");
    enum sbx_status st = sbx_port_check_choice(opt.force, "force", &entry->err);
    if (!st) st = turn_enter(entry, sb);
    if (st) return st;
    st = sandbox_who(entry, sb, &who);
    if (!st) {
        st = sb->rt->ops.stop(sb->rt->self, &who, &opt, &entry->call, &entry->err);
        if (!st) sandbox_state_set(sb, who.state);
    }
    turn_leave(sb);
    return st;
}

enum sbx_status sbx_sandbox_stop(struct sbx_sandbox *sb, const struct sbx_stop_options *opt,
                                 const struct sbx_call *call, struct sbx_error *err) {
    struct port_entry entry;
    enum sbx_status st = sandbox_enter(&entry, sb, "stop", SBX_CAP_LIFECYCLE, call, LIFECYCLE_MS, err);
    if (!st) st = stop_in(&entry, sb, opt);
    return sbx_port_leave(&entry, st);
}

static void sandbox_close(struct sbx_sandbox *sb, int destroyed) {
    sandbox_lock(sb);
    sb->closed = 1;
    if (destroyed) sb->who.state = SBX_STATE_DESTROYED;
    sandbox_unlock(sb);
}

static enum sbx_status destroy_in(struct port_entry *entry, struct sbx_sandbox *sb) {
    struct sbx_identity who;
    enum sbx_status st = turn_enter(entry, sb);
    if (st) return st;
    st = sandbox_who(entry, sb, &who);
    if (st == SBX_GONE) {
        st = SBX_OK;         /* destroyed before: nothing is left to do */
    } else if (!who.owned) { /* guard: attached_never_deletes */
        sandbox_close(sb, 0);
    } else {
        st = sb->rt->ops.destroy(sb->rt->self, &who, &entry->call, &entry->err);
        if (!st) sandbox_close(sb, 1); /* guard: failed_destroy_keeps_handle */
    }
    turn_leave(sb);
    return st;
}

enum sbx_status sbx_sandbox_destroy(struct sbx_sandbox *sb, const struct sbx_call *call, struct sbx_error *err) {
    struct port_entry entry;
    enum sbx_status st = sandbox_enter(&entry, sb, "destroy", 0, call, LIFECYCLE_MS, err);
    if (!st) st = destroy_in(&entry, sb);
    return sbx_port_leave(&entry, st);
}

/* ---- for the files of the port that work inside a sandbox ---- */

enum sbx_status sbx_port_sandbox_enter(struct port_entry *entry, struct sbx_sandbox *sb, const char *operation,
                                       uint64_t cap, const struct sbx_call *call, int64_t default_ms,
                                       struct sbx_error *err, struct sbx_identity *who) {
    enum sbx_status st = sandbox_enter(entry, sb, operation, cap, call, default_ms, err);
    return st ? st : sandbox_who(entry, sb, who);
}

int64_t sbx_port_exec_default_ms(const struct sbx_sandbox *sb, const struct sbx_exec_options *opt) {
    int64_t lifetime_ms = opt->lifetime_ms;
    if (lifetime_ms == 0)
        lifetime_ms = sb && sb->rt->ops.exec_lifetime_ms ? sb->rt->ops.exec_lifetime_ms : SBX_LIFETIME_MS;
    return lifetime_ms > 0 && lifetime_ms < INT64_MAX / 2 ? lifetime_ms + EXEC_MORE_MS : SBX_NO_DEADLINE;
}
