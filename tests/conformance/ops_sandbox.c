/* The operations of a runtime and of a sandbox's life, as the conformance suite plays them. */
#include "scene.h"

#include <string.h>

#define NOBODY "00000000000000000000000000000abc"

/* ---- launch ---- */

static enum sbx_status launch(struct scene *s) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    const struct sbx_pair label = {"case", "launch"};
    opt.labels = &label;
    opt.label_count = 1;
    return sbx_runtime_launch(s->rt, &opt, &s->call, &s->made, &s->err);
}

static enum sbx_status launch_detached(struct scene *s) {
    return sbx_runtime_launch_detached(s->rt, NULL, &s->call, &s->made, &s->err);
}

static void launched(struct scene *s) {
    T_EQ(sbx_sandbox_owned(s->made), 1);
    T_EQ(s->face->sandboxes(s->face), 1);
}

static void launch_proven(struct scene *s) {
    launched(s);
    T_EQ(sbx_sandbox_state(s->made), SBX_STATE_RUNNING);
    s->sb = s->made;
    s->made = NULL;
    T_STR(scene_shell(s, "echo here"), "here\n");
}

/* What a launch that failed says of what it left. */
static void launch_told(struct scene *s, enum sbx_status st) {
    if (!st) return;
    int64_t left = s->face->sandboxes(s->face);
    T_TRUE(s->made == NULL);
    if (s->err.cleanup == SBX_CLEANUP_CONFIRMED) T_EQ(left, 0);
    if (s->err.cleanup == SBX_CLEANUP_NONE) T_EQ(left, 0);
    if (s->err.outcome == SBX_OUTCOME_REFUSED || s->err.outcome == SBX_OUTCOME_NOT_SENT) T_EQ(left, 0);
    T_EQ(strlen(s->err.acquisition), 32);
}

const struct operation op_launch = {
    .name = "launch", .no_sandbox = 1, .run = launch, .done = launch_proven, .after = launch_told};
const struct operation op_launch_detached = {.name = "launch_detached",
                                             .caps = SBX_CAP_DETACHED_LAUNCH,
                                             .no_sandbox = 1,
                                             .run = launch_detached,
                                             .done = launched,
                                             .after = launch_told};

/* ---- look-ups ---- */

static enum sbx_status attach(struct scene *s) {
    return sbx_runtime_attach(s->rt, s->id, &s->call, &s->made, &s->err);
}

static void attached(struct scene *s) {
    char id[SBX_ID_SIZE];
    sbx_sandbox_id(s->made, id);
    T_STR(id, s->id);
    T_EQ(sbx_sandbox_owned(s->made), 0);
    T_STATUS(sbx_sandbox_destroy(s->made, NULL, &s->err), SBX_OK); /* forgets it, deletes nothing */
    T_EQ(s->face->sandboxes(s->face), 1);
}

/* Lists may lag. */
static void listed(struct scene *s) {
    T_STATUS(s->env->sleep_until(s->env, s->env->now_ms(s->env) + 2000, NULL), SBX_OK);
}

static enum sbx_status find(struct scene *s) {
    return sbx_runtime_find(s->rt, NULL, &s->call, &s->list, &s->err);
}

static void found(struct scene *s) {
    T_EQ(sbx_list_count(s->list), 1);
    T_STR(sbx_info_id(sbx_list_at(s->list, 0)), s->id);
}

static enum sbx_status count(struct scene *s) {
    s->number = -1;
    return sbx_runtime_count(s->rt, NULL, &s->call, &s->number, &s->err);
}

static void counted(struct scene *s) {
    T_EQ(s->number, 1);
}

static void count_untouched(struct scene *s, enum sbx_status st) {
    if (st) T_EQ(s->number, -1);
}

/* Whatever the provider measures: a limit that it does not measure makes all of it unknown, so each is asked alone. */
static enum sbx_status capacity(struct scene *s) {
    enum sbx_status st = SBX_OK;
    for (int i = 0; i < SBX_RESOURCE_COUNT && !st; i++) {
        struct sbx_capacity_options opt = SBX_CAPACITY_OPTIONS_INIT;
        opt.bound[i] = (struct sbx_bound){.limit = 1e6, .required = 1};
        sbx_capacity_init(&s->capacity, sizeof(s->capacity));
        st = sbx_runtime_capacity(s->rt, &opt, &s->call, &s->capacity, &s->err);
        if (s->capacity.known) return st;
    }
    return st;
}

static void measured(struct scene *s) {
    int rooms = 0;
    T_EQ(s->capacity.known, 1);
    T_EQ(s->capacity.reason, SBX_CAPACITY_NONE);
    for (int i = 0; i < SBX_RESOURCE_COUNT; i++) {
        const struct sbx_room *room = &s->capacity.room[i];
        if (!room->measured) continue;
        T_TRUE(room->used > 0 && room->headroom == room->limit - room->used && room->required == 1);
        rooms++;
    }
    T_EQ(rooms, 1);
}

/* Unknown, with a reason, and no number that could be taken for one. */
static void unmeasured(struct scene *s, enum sbx_status st) {
    if (!st) return;
    T_EQ(s->capacity.known, 0);
    T_TRUE(s->capacity.reason != SBX_CAPACITY_NONE);
    for (int i = 0; i < SBX_RESOURCE_COUNT; i++) T_EQ(s->capacity.room[i].measured, 0);
}

static enum sbx_status info(struct scene *s) {
    return sbx_sandbox_info(s->sb, &s->call, &s->info, &s->err);
}

static void informed(struct scene *s) {
    T_STR(sbx_info_id(s->info), s->id);
    T_EQ(sbx_info_state(s->info), SBX_STATE_RUNNING);
}

static enum sbx_status home_dir(struct scene *s) {
    return sbx_sandbox_home_dir(s->sb, &s->call, &s->text, &s->err);
}

static void homed(struct scene *s) {
    T_TRUE(s->text[0] == '/');
}

static enum sbx_status reconcile(struct scene *s) {
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    opt.acquisition = NOBODY;
    s->verdict = -1;
    return sbx_runtime_reconcile(s->rt, &opt, &s->call, &s->verdict, &s->list, &s->err);
}

/* Nobody is never taken for proven absent while the list does not answer. */
static void reconciled(struct scene *s) {
    T_EQ(s->verdict,
         s->condition == HTTP_502 || s->condition == DEADLINE ? SBX_RECONCILE_UNDECIDED : SBX_RECONCILE_ABSENT);
    T_EQ(sbx_list_count(s->list), 0);
}

const struct operation op_attach = {
    .name = "attach", .caps = SBX_CAP_REATTACH, .reads = 1, .run = attach, .done = attached};
const struct operation op_find = {
    .name = "find", .caps = SBX_CAP_LABEL_SEARCH, .reads = 1, .before = listed, .run = find, .done = found};
const struct operation op_count = {.name = "count",
                                   .caps = SBX_CAP_LABEL_SEARCH,
                                   .reads = 1,
                                   .before = listed,
                                   .run = count,
                                   .done = counted,
                                   .after = count_untouched};
const struct operation op_capacity = {.name = "capacity",
                                      .caps = SBX_CAP_CAPACITY,
                                      .reads = 1,
                                      .before = listed,
                                      .run = capacity,
                                      .done = measured,
                                      .after = unmeasured};
const struct operation op_info = {.name = "info", .reads = 1, .run = info, .done = informed};
const struct operation op_home_dir = {
    .name = "home_dir", .caps = SBX_CAP_HOME_DIR, .reads = 1, .run = home_dir, .done = homed};
const struct operation op_reconcile = {
    .name = "reconcile", .caps = SBX_CAP_RECONCILE, .reads = 1, .run = reconcile, .done = reconciled};

/* ---- changes ---- */

static int32_t state_now(struct scene *s) {
    struct sbx_info *is = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    T_STATUS(sbx_sandbox_info(s->sb, NULL, &is, &err), SBX_OK);
    int32_t state = sbx_info_state(is);
    sbx_info_free(is);
    return state;
}

static void stopped(struct scene *s) {
    T_STATUS(sbx_sandbox_stop(s->sb, NULL, NULL, &s->err), SBX_OK);
}

static enum sbx_status start(struct scene *s) {
    return sbx_sandbox_start(s->sb, NULL, &s->call, NULL, &s->err);
}

static void started(struct scene *s) {
    char id[SBX_ID_SIZE];
    sbx_sandbox_id(s->sb, id);
    T_STR(id, s->id);
    T_EQ(state_now(s), SBX_STATE_RUNNING);
    T_STR(scene_shell(s, "echo here"), "here\n");
}

/* What a stop leads to: a provider that keeps memory pauses. */
static int32_t stopped_state(const struct scene *s) {
    return sbx_runtime_capabilities(s->rt) & SBX_CAP_PAUSE_KEEPS_MEMORY ? SBX_STATE_PAUSED : SBX_STATE_STOPPED;
}

/* A start or a stop that failed in whatever way can be asked for again. */
static void start_again(struct scene *s, enum sbx_status st) {
    if (st && (s->err.outcome == SBX_OUTCOME_REFUSED || s->err.outcome == SBX_OUTCOME_NOT_SENT))
        T_EQ(state_now(s), stopped_state(s));
    T_STATUS(start(s), SBX_OK);
    started(s);
}

static enum sbx_status stop(struct scene *s) {
    return sbx_sandbox_stop(s->sb, NULL, &s->call, &s->err);
}

static void is_stopped(struct scene *s) {
    T_EQ(sbx_sandbox_state(s->sb), stopped_state(s));
    T_EQ(state_now(s), stopped_state(s));
}

static void stop_again(struct scene *s, enum sbx_status st) {
    if (st && (s->err.outcome == SBX_OUTCOME_REFUSED || s->err.outcome == SBX_OUTCOME_NOT_SENT))
        T_EQ(state_now(s), SBX_STATE_RUNNING);
    T_STATUS(stop(s), SBX_OK);
    is_stopped(s);
}

static enum sbx_status destroy(struct scene *s) {
    return sbx_sandbox_destroy(s->sb, &s->call, &s->err);
}

static void destroyed(struct scene *s) {
    T_EQ(s->face->sandboxes(s->face), 0);
    T_EQ(sbx_sandbox_state(s->sb), SBX_STATE_DESTROYED);
}

static void destroy_again(struct scene *s, enum sbx_status st) {
    if (st && (s->err.outcome == SBX_OUTCOME_REFUSED || s->err.outcome == SBX_OUTCOME_NOT_SENT))
        T_EQ(s->face->sandboxes(s->face), 1);
    T_STATUS(destroy(s), SBX_OK);
    destroyed(s);
}

const struct operation op_start = {
    .name = "start", .caps = SBX_CAP_LIFECYCLE, .before = stopped, .run = start, .done = started, .after = start_again};
const struct operation op_stop = {
    .name = "stop", .caps = SBX_CAP_LIFECYCLE, .run = stop, .done = is_stopped, .after = stop_again};
const struct operation op_destroy = {.name = "destroy", .run = destroy, .done = destroyed, .after = destroy_again};
