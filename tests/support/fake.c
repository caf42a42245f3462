/* An account of a provider by script. It sends nothing. */
#include "fake.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>

#define FAKE_CAPS                                                                                                      \
    (SBX_CAP_DETACHED_LAUNCH | SBX_CAP_REATTACH | SBX_CAP_RECONCILE | SBX_CAP_EXEC | SBX_CAP_FILE_TRANSFER |           \
     SBX_CAP_LIFECYCLE | SBX_CAP_LAUNCH_RESOURCES)

static void fake_free(void *self) {
    (void)self; /* it is the test's */
}

static struct fake_sandbox *sandbox_of(struct fake *f, const char *id) {
    for (int i = 0; i < f->made; i++)
        if (strcmp(f->sandboxes[i].id, id) == 0) return &f->sandboxes[i];
    return NULL;
}

static struct fake_sandbox *sandbox_make(struct fake *f, const char *acquisition) {
    T_TRUE(f->made < FAKE_SANDBOXES_MAX);
    struct fake_sandbox *sb = &f->sandboxes[f->made++];
    snprintf(sb->id, sizeof(sb->id), "%s-sandbox-%d", f->provider ? f->provider : "fake", f->made);
    sbx_copy(sb->acquisition, sizeof(sb->acquisition), acquisition);
    sb->lives = sb->runs = 1;
    return sb;
}

static void launch_note(struct fake *f, const struct sbx_launch_options *opt, const struct sbx_call *call) {
    sbx_copy(f->name, sizeof(f->name), opt->name ? opt->name : "");
    sbx_copy(f->acquisition, sizeof(f->acquisition), opt->acquisition);
    for (size_t i = 0; i < opt->label_count; i++)
        if (strcmp(opt->labels[i].name, "team") == 0) sbx_copy(f->label, sizeof(f->label), opt->labels[i].value);
    for (size_t i = 0; i < opt->env_count; i++)
        if (strcmp(opt->env[i].name, "LANG") == 0) sbx_copy(f->env_value, sizeof(f->env_value), opt->env[i].value);
    f->cpu = opt->cpu;
    f->create_ms = opt->create_ms;
    f->deadline_ms = call->deadline_ms;
}

static enum sbx_status fake_launch(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                                   struct sbx_identity *out, struct sbx_error *err) {
    struct fake *f = self;
    T_TRUE(f->launched < FAKE_LAUNCHES_MAX);
    const struct fake_launch *script = &f->launches[f->launched++];
    launch_note(f, opt, call);
    if (f->on_launch) f->on_launch(f->on_launch_ctx, f);
    if (!script->status) {
        sbx_copy(out->id, sizeof(out->id), sandbox_make(f, opt->acquisition)->id);
        out->state = SBX_STATE_RUNNING;
        return SBX_OK;
    }
    if (script->leaves) sandbox_make(f, opt->acquisition);
    if (err) {
        err->cleanup = script->cleanup;
        err->http_status = script->http_status;
    }
    return sbx_fail(err, (enum sbx_status)script->status, (enum sbx_outcome)script->outcome,
                    "PROVIDER-TEXT-CANARY of a launch");
}

static enum sbx_status fake_launch_detached(void *self, const struct sbx_launch_options *opt,
                                            const struct sbx_call *call, struct sbx_identity *out,
                                            struct sbx_error *err) {
    ((struct fake *)self)->detached++;
    return fake_launch(self, opt, call, out, err);
}

static enum sbx_status fake_info(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                 struct sbx_info **out, struct sbx_error *err) {
    struct fake *f = self;
    struct fake_sandbox *sb = sandbox_of(f, who->id);
    struct sbx_info_draft draft = {.size = sizeof(draft), .id = who->id, .state = SBX_STATE_RUNNING};
    (void)call;
    if (!sb || !sb->lives) return sbx_fail(err, SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL);
    *out = sbx_info_create(&draft);
    return *out ? SBX_OK : SBX_NO_MEMORY;
}

static enum sbx_status fake_destroy(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                    struct sbx_error *err) {
    struct fake *f = self;
    struct fake_sandbox *sb = sandbox_of(f, who->id);
    (void)call;
    f->destroys++;
    if (f->fail_destroy > 0) {
        f->fail_destroy--;
        return sbx_fail(err, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, "PROVIDER-TEXT-CANARY of a destroy");
    }
    if (sb) sb->lives = 0;
    return SBX_OK;
}

static enum sbx_status fake_attach(void *self, const char *id, const struct sbx_call *call, struct sbx_identity *out,
                                   struct sbx_error *err) {
    struct fake *f = self;
    struct fake_sandbox *sb = sandbox_of(f, id);
    (void)call;
    f->attaches++;
    if (f->hidden_attaches > 0) {
        f->hidden_attaches--;
        return sbx_fail(err, SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, "PROVIDER-TEXT-CANARY");
    }
    if (!sb || !sb->lives) return sbx_fail(err, SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, "PROVIDER-TEXT-CANARY");
    sbx_copy(out->id, sizeof(out->id), id);
    out->state = SBX_STATE_RUNNING;
    return SBX_OK;
}

static enum sbx_status fake_reconcile(void *self, const struct sbx_reconcile_options *opt, const struct sbx_call *call,
                                      int32_t *verdict, struct sbx_list *into, struct sbx_error *err) {
    struct fake *f = self;
    (void)call, (void)err;
    f->reconciles++;
    *verdict = SBX_RECONCILE_UNDECIDED;
    if (f->fail_reconcile > 0) {
        f->fail_reconcile--;
        return SBX_OK;
    }
    *verdict = SBX_RECONCILE_ABSENT;
    for (int i = 0; i < f->made; i++) {
        struct sbx_info_draft draft = {.size = sizeof(draft), .id = f->sandboxes[i].id, .state = SBX_STATE_RUNNING};
        if (!f->sandboxes[i].lives || strcmp(f->sandboxes[i].acquisition, opt->acquisition) != 0) continue;
        struct sbx_info *info = sbx_info_create(&draft);
        *verdict = SBX_RECONCILE_FOUND;
        T_STATUS(sbx_list_take(into, &info), SBX_OK);
    }
    return SBX_OK;
}

static enum sbx_status fake_exec(void *self, const struct sbx_identity *who, const char *command,
                                 const struct sbx_exec_options *opt, const struct sbx_call *call,
                                 struct sbx_exec_result *result, struct sbx_error *err) {
    struct fake *f = self;
    struct sbx_exec_draft draft = {.size = sizeof(draft), .exit_known = 1, .bytes_exact = 1};
    (void)opt, (void)call;
    f->execs++;
    snprintf(f->command, sizeof(f->command), "%s: %.128s", who->id, command);
    if (f->exec_status)
        return sbx_fail(err, (enum sbx_status)f->exec_status, SBX_OUTCOME_UNKNOWN, "PROVIDER-TEXT-CANARY of exec");
    draft.out = f->command;
    draft.out_len = draft.out_total = strlen(f->command);
    return sbx_exec_result_set(result, &draft);
}

static enum sbx_status fake_upload(void *self, const struct sbx_identity *who, const char *path,
                                   const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                   const struct sbx_call *call, struct sbx_error *err) {
    char bytes[64];
    (void)who, (void)path, (void)opt, (void)call, (void)err;
    ((struct fake *)self)->uploads++;
    while (from->read(from->ctx, bytes, sizeof(bytes)) > 0) {
    }
    return SBX_OK;
}

static enum sbx_status fake_download(void *self, const struct sbx_identity *who, const char *path,
                                     const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                     const struct sbx_call *call, struct sbx_error *err) {
    (void)path, (void)opt, (void)call, (void)err;
    ((struct fake *)self)->downloads++;
    to->write(to->ctx, who->id, strlen(who->id));
    return SBX_OK;
}

static enum sbx_status fake_start(void *self, struct sbx_identity *who, const struct sbx_start_options *opt,
                                  const struct sbx_call *call, struct sbx_start_result *result, struct sbx_error *err) {
    struct fake *f = self;
    (void)call, (void)err;
    f->starts++;
    struct fake_sandbox *old = sandbox_of(f, who->id);
    T_TRUE(old != NULL);
    if (f->start_replaces && opt->replace == SBX_YES) {
        static const char fresh[] = "0123456789abcdef0123456789abcdef";
        if (opt->on_replacing && opt->on_replacing(opt->on_replacing_ctx, fresh))
            return sbx_fail(err, SBX_CANCELLED, SBX_OUTCOME_NOT_SENT, NULL);
        old->lives = 0;
        sbx_copy(result->old_id, sizeof(result->old_id), who->id);
        result->replaced = result->old_deleted = 1;
        sbx_copy(who->id, sizeof(who->id), sandbox_make(f, fresh)->id);
    }
    return SBX_OK;
}

static enum sbx_status fake_stop(void *self, struct sbx_identity *who, const struct sbx_stop_options *opt,
                                 const struct sbx_call *call, struct sbx_error *err) {
    struct fake *f = self;
    (void)opt, (void)call, (void)err;
    f->stops++;
    struct fake_sandbox *sb = sandbox_of(f, who->id);
    if (sb) sb->runs = 0;
    return SBX_OK;
}

void fake_runtime(struct fake *fake, struct sbx_env *env, struct sbx_runtime **out) {
    const uint64_t caps = fake->caps ? fake->caps : FAKE_CAPS;
    const struct sbx_runtime_ops ops = {
        .size = sizeof(ops),
        .provider = fake->provider ? fake->provider : "fake",
        .caps = caps,
        .isolation = SBX_ISOLATION_VM,
        .free = fake_free,
        .launch = fake_launch,
        .info = fake_info,
        .destroy = fake_destroy,
        .launch_detached = caps & SBX_CAP_DETACHED_LAUNCH ? fake_launch_detached : NULL,
        .attach = caps & SBX_CAP_REATTACH ? fake_attach : NULL,
        .reconcile = caps & SBX_CAP_RECONCILE ? fake_reconcile : NULL,
        .exec = caps & SBX_CAP_EXEC ? fake_exec : NULL,
        .upload = caps & SBX_CAP_FILE_TRANSFER ? fake_upload : NULL,
        .download = caps & SBX_CAP_FILE_TRANSFER ? fake_download : NULL,
        .start = caps & SBX_CAP_LIFECYCLE ? fake_start : NULL,
        .stop = caps & SBX_CAP_LIFECYCLE ? fake_stop : NULL,
    };
    struct sbx_error err = SBX_ERROR_INIT;
    fake->env = env;
    if (sbx_runtime_create(&ops, fake, env, out, &err) != SBX_OK) T_FAIL("no runtime: %s", err.detail);
}

struct sbx_pool *fake_pool(struct fake *fake, struct sbx_env *env, const char *id, const struct sbx_profile *profile,
                           const struct sbx_signals *signals) {
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_pool *pool = NULL;
    fake_runtime(fake, env, &opt.runtime);
    opt.id = id;
    opt.owns_runtime = SBX_YES;
    opt.profile = profile;
    opt.signals = signals;
    if (sbx_pool_create(&opt, &pool, &err) != SBX_OK) T_FAIL("no pool: %s", err.detail);
    return pool;
}

int fake_live(const struct fake *fake) {
    int live = 0;
    for (int i = 0; i < fake->made; i++) live += fake->sandboxes[i].lives;
    return live;
}
