/* Sessions: shells that live on between commands. Row D9. */
#include "src/port/port.h"

#include <assert.h>
#include <sandport/kit/text.h>
#include <stdlib.h>

#define READ_MS      30000
#define SESSION_SIZE 33

struct sbx_session {
    struct sbx_sandbox *sb;
    struct sbx_identity who; /* of the sandbox that it was opened in: a replacement has none of it */
    struct turn turn;        /* commands go one after the other */
    int closed;              /* guarded by the handle's lock */
    char id[SESSION_SIZE];
};

static void session_lock(const struct sbx_session *session) {
    session->sb->rt->env->lock(session->sb->rt->env, session->sb->lock);
}
static void session_unlock(const struct sbx_session *session) {
    session->sb->rt->env->unlock(session->sb->rt->env, session->sb->lock);
}

static enum sbx_status session_enter(struct port_entry *entry, struct sbx_session *session, const char *operation,
                                     const struct sbx_call *call, int64_t default_ms, struct sbx_error *err) {
    struct sbx_identity now;
    return sbx_port_sandbox_enter(entry, session ? session->sb : NULL, operation, SBX_CAP_SESSIONS, call, default_ms,
                                  err, &now);
}

static enum sbx_status session_make(struct port_entry *entry, struct sbx_sandbox *sb, const struct sbx_identity *who,
                                    struct sbx_session **out) {
    unsigned char random[(SESSION_SIZE - 1) / 2];
    struct sbx_env *env = sb->rt->env;
    struct sbx_session *session = calloc(1, sizeof(*session));
    if (!session) return sbx_fail(&entry->err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    enum sbx_status st = env->random(env, random, sizeof(random));
    if (st) {
        free(session);
        return sbx_fail(&entry->err, st, SBX_OUTCOME_NOT_SENT, "no random bytes for a session's id");
    }
    sbx_hex(random, sizeof(random), session->id);
    session->sb = sb;
    session->who = *who;
    *out = session;
    return SBX_OK;
}

enum sbx_status sbx_session_open(struct sbx_sandbox *sb, const struct sbx_call *call, struct sbx_session **out,
                                 struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_identity who;
    struct sbx_session *session = NULL;
    enum sbx_status st = sbx_port_sandbox_enter(&entry, sb, "session_open", SBX_CAP_SESSIONS, call, READ_MS, err, &who);
    if (!st && !out) st = sbx_port_missing(&entry, "out");
    if (!st) st = session_make(&entry, sb, &who, &session);
    if (!st) st = sb->rt->ops.session_open(sb->rt->self, &who, session->id, &entry.call, &entry.err);
    if (st)
        free(session);
    else
        *out = session;
    return sbx_port_leave(&entry, st);
}

static int session_closed(const struct sbx_session *session) {
    session_lock(session);
    int closed = session->closed;
    session_unlock(session);
    return closed;
}

/* @return SBX_GONE for one that was closed */
static enum sbx_status session_take(struct port_entry *entry, struct sbx_session *session) {
    enum sbx_status st = sbx_turn_take(&session->turn, entry->rt->env, session->sb->lock, &entry->call);
    if (st) return sbx_fail(&entry->err, st, SBX_OUTCOME_NOT_SENT, "another command of the session is going on");
    if (!session_closed(session)) return SBX_OK;
    sbx_turn_give(&session->turn, entry->rt->env, session->sb->lock);
    return sbx_fail(&entry->err, SBX_GONE, SBX_OUTCOME_REFUSED, "the session has ended");
}

static void session_give(struct sbx_session *session, int closed) {
    if (closed) {
        session_lock(session);
        session->closed = 1;
        session_unlock(session);
    }
    sbx_turn_give(&session->turn, session->sb->rt->env, session->sb->lock);
}

static enum sbx_status session_check(struct port_entry *entry, const char *command,
                                     const struct sbx_exec_options *opt) {
    enum sbx_status st = sbx_port_check_exec(command, opt, &entry->err);
    if (st) return st;
    if (opt->mode == SBX_EXEC_WIRE)
        return sbx_fail(&entry->err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "mode: expected exact in a session");
    if (opt->output)
        return sbx_fail(&entry->err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "output: expected none in a session");
    return SBX_OK;
}

/* A command that outlived its time may still run: the shell goes, and all that it started. */
static int session_is_spent(enum sbx_status st, const struct sbx_error *err) {
    if (err->outcome == SBX_OUTCOME_REFUSED || err->outcome == SBX_OUTCOME_NOT_SENT) return st == SBX_GONE;
    return st == SBX_COMMAND_TIMEOUT || st == SBX_DEADLINE || st == SBX_CANCELLED || st == SBX_PROCESS_LOST;
}

static enum sbx_status session_exec_in(struct port_entry *entry, struct sbx_session *session, const char *command,
                                       const struct sbx_exec_options *opt, struct sbx_exec_result **out) {
    assert(session); /* entered */
    const struct sbx_runtime *rt = session->sb->rt;
    struct sbx_exec_result *result = sbx_exec_result_create();
    struct sbx_call cleanup;
    struct sbx_error quiet;
    if (!result) return sbx_fail(&entry->err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    enum sbx_status st = session_take(entry, session);
    if (st) {
        sbx_exec_result_free(result);
        return st;
    }
    st = rt->ops.session_exec(rt->self, &session->who, session->id, command, opt, &entry->call, result, &entry->err);
    int spent = session_is_spent(st, &entry->err);
    sbx_error_init(&quiet, sizeof(quiet));
    if (spent && sbx_call_for_cleanup(&entry->call, rt->env, &cleanup))
        (void)rt->ops.session_close(rt->self, &session->who, session->id, &cleanup, &quiet);
    session_give(session, spent);
    sbx_port_exec_result_give(result, st, &entry->err, out);
    return st;
}

enum sbx_status sbx_session_exec(struct sbx_session *session, const char *command, const struct sbx_exec_options *from,
                                 const struct sbx_call *call, struct sbx_exec_result **out, struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    enum sbx_status options = sbx_port_exec_options(from, &opt);
    int64_t default_ms = sbx_port_exec_default_ms(session ? session->sb : NULL, &opt);
    enum sbx_status st = session_enter(&entry, session, "session_exec", call, default_ms, err);
    assert(st || session);
    if (!st && options) st = sbx_port_size_wrong(&entry, "opt");
    if (!st && !out) st = sbx_port_missing(&entry, "out");
    if (!st) st = session_check(&entry, command, &opt);
    if (!st) st = session_exec_in(&entry, session, command, &opt, out);
    return sbx_port_leave(&entry, st);
}

enum sbx_status sbx_session_close(struct sbx_session *session, const struct sbx_call *call, struct sbx_error *err) {
    struct port_entry entry;
    enum sbx_status st = session_enter(&entry, session, "session_close", call, READ_MS, err);
    if (!st) st = session_take(&entry, session);
    if (st == SBX_GONE && session && session_closed(session)) return sbx_port_leave(&entry, SBX_OK);
    if (!st) {
        const struct sbx_runtime *rt = session->sb->rt;
        st = rt->ops.session_close(rt->self, &session->who, session->id, &entry.call, &entry.err);
        session_give(session, !st);
    }
    return sbx_port_leave(&entry, st);
}

void sbx_session_free(struct sbx_session *session) {
    free(session);
}
