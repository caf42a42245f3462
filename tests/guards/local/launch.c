/* Guards of launches on this machine: names, ids, lifetimes, and what a failed one leaves. Rows L1, P9, P12. */
#include "local_world.h"

#include <stdio.h>
#include <sys/stat.h>

#include <stdio.h>

#define ACQ "0123456789abcdef0123456789abcdef"

static enum sbx_status launch(struct local_world *w, const char *acquisition, const char *name) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_sandbox *sb = NULL;
    opt.acquisition = acquisition;
    opt.name = name;
    enum sbx_status st = sbx_runtime_launch(w->rt, &opt, NULL, &sb, &w->err);
    if (!w->sb)
        w->sb = sb;
    else if (sb)
        T_STATUS(sbx_sandbox_destroy(sb, NULL, NULL), SBX_OK);
    if (sb != w->sb) sbx_sandbox_free(sb);
    return st;
}

/* ---- local_name_is_exclusive ---- */

static void must_fire_local_name_is_exclusive__in_use(void) {
    struct local_world *w = local_world_new(0);
    T_STATUS(launch(w, NULL, "blue"), SBX_OK);
    T_STATUS(launch(w, NULL, "blue"), SBX_ALREADY_EXISTS);
    T_EQ(w->err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(local_world_entries(w), 1);
    local_world_finish(w);
}

static void must_not_fire_local_name_is_exclusive__free_again(void) {
    struct local_world *w = local_world_new(0);
    T_STATUS(launch(w, NULL, "blue"), SBX_OK);
    T_STATUS(sbx_sandbox_destroy(w->sb, NULL, &w->err), SBX_OK);
    sbx_sandbox_free(w->sb);
    w->sb = NULL;
    T_STATUS(launch(w, NULL, "blue"), SBX_OK);
    T_EQ(local_world_entries(w), 1);
    local_world_finish(w);
}

/* ---- local_absent_stays_absent ---- */

static int32_t reconcile(struct local_world *w) {
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_list *list = NULL;
    int32_t verdict = -1;
    opt.acquisition = ACQ;
    T_STATUS(sbx_runtime_reconcile(w->rt, &opt, NULL, &verdict, &list, &w->err), SBX_OK);
    T_EQ(sbx_list_count(list), verdict == SBX_RECONCILE_FOUND);
    sbx_list_free(list);
    return verdict;
}

/* A program that slept between the decision to launch and the launch. */
static void must_fire_local_absent_stays_absent__given_up(void) {
    struct local_world *w = local_world_new(0);
    T_EQ(reconcile(w), SBX_RECONCILE_ABSENT);
    T_STATUS(launch(w, ACQ, NULL), SBX_ALREADY_EXISTS);
    T_EQ(local_world_entries(w), 0);
    local_world_finish(w);
}

static void must_not_fire_local_absent_stays_absent__launched_before(void) {
    struct local_world *w = local_world_new(0);
    T_STATUS(launch(w, ACQ, NULL), SBX_OK);
    T_EQ(reconcile(w), SBX_RECONCILE_FOUND);
    T_EQ(local_world_entries(w), 1);
    local_world_finish(w);
}

/* ---- local_failed_launch_deletes ---- */

static void must_fire_local_failed_launch_deletes__no_command_runs(void) {
    struct local_world *w = local_world_bare();
    w->opt.shell = "/bin/false";
    w->rt = local_world_runtime(w, SBX_LOCAL_ISOLATION_NONE);
    T_STATUS(launch(w, NULL, NULL), SBX_NOT_READY);
    T_EQ(w->err.outcome, SBX_OUTCOME_DONE);
    T_EQ(local_world_entries(w), 0);
    T_EQ(w->err.cleanup, SBX_CLEANUP_CONFIRMED);
    local_world_finish(w);
}

static void must_not_fire_local_failed_launch_deletes__commands_run(void) {
    struct local_world *w = local_world_bare();
    w->opt.shell = "/bin/sh";
    w->rt = local_world_runtime(w, SBX_LOCAL_ISOLATION_NONE);
    T_STATUS(launch(w, NULL, NULL), SBX_OK);
    T_EQ(local_world_entries(w), 1);
    local_world_finish(w);
}

/* ---- local_unknown_provider_option ---- */

static enum sbx_status launch_with(struct local_world *w, const char *name, const char *value) {
    const struct sbx_pair pair = {name, value};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.provider_options = &pair;
    opt.provider_option_count = 1;
    return sbx_runtime_launch(w->rt, &opt, NULL, &w->sb, &w->err);
}

static void must_fire_local_unknown_provider_option__name_and_value(void) {
    struct local_world *w = local_world_new(0);
    T_STATUS(launch_with(w, "lifetime", "1000"), SBX_INVALID_OPTIONS);
    T_STR(w->err.detail, "provider_options: expected sandbox_lifetime_ms");
    T_STATUS(launch_with(w, "sandbox_lifetime_ms", "0"), SBX_INVALID_OPTIONS);
    T_EQ(local_world_entries(w), 0);
    local_world_finish(w);
}

static void must_not_fire_local_unknown_provider_option__known(void) {
    struct local_world *w = local_world_new(0);
    T_STATUS(launch_with(w, "sandbox_lifetime_ms", "7200000"), SBX_OK);
    local_world_finish(w);
}

/* ---- local_lifetime_over ---- */

static enum sbx_status an_hour_after_a_launch_for(struct local_world *w, const char *lifetime_ms) {
    struct sbx_info *info = NULL;
    T_STATUS(launch_with(w, "sandbox_lifetime_ms", lifetime_ms), SBX_OK);
    local_world_an_hour_later(w);
    enum sbx_status st = sbx_sandbox_info(w->sb, NULL, &info, &w->err);
    sbx_info_free(info);
    return st;
}

static void must_fire_local_lifetime_over__an_hour_later(void) {
    struct local_world *w = local_world_new(0);
    struct sbx_sandbox *old = NULL;
    T_STATUS(an_hour_after_a_launch_for(w, "3600000"), SBX_NOT_FOUND);
    T_STR(w->err.detail, "the sandbox's lifetime is over");
    old = w->sb;
    w->sb = NULL;
    T_STATUS(launch(w, NULL, NULL), SBX_OK); /* takes away what is over */
    T_EQ(local_world_entries(w), 1);
    sbx_sandbox_free(old);
    local_world_finish(w);
}

static void must_not_fire_local_lifetime_over__it_has_two_hours(void) {
    struct local_world *w = local_world_new(0);
    T_STATUS(an_hour_after_a_launch_for(w, "7200000"), SBX_OK);
    local_world_finish(w);
}

/* ---- local_unread_is_not_absent ---- */

static enum sbx_status reconcile_with_record_of(struct local_world *w, mode_t mode, int32_t *verdict) {
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_list *list = NULL;
    char id[SBX_ID_SIZE], path[256];
    sbx_sandbox_id(w->sb, id);
    snprintf(path, sizeof(path), "%s/%s/record", w->root, id);
    T_EQ(chmod(path, mode), 0);
    opt.acquisition = id;
    const enum sbx_status st = sbx_runtime_reconcile(w->rt, &opt, NULL, verdict, &list, &w->err);
    sbx_list_free(list);
    T_EQ(chmod(path, 0600), 0);
    return st;
}

static void must_fire_local_unread_is_not_absent__it_cannot_be_read(void) {
    int32_t verdict = SBX_RECONCILE_UNDECIDED;
    nobody_become(); /* root reads whatever there is */
    struct local_world *w = local_world_launched(0);
    T_STATUS(reconcile_with_record_of(w, 0, &verdict), SBX_PROVIDER);
    T_EQ(verdict, SBX_RECONCILE_UNDECIDED);
    T_STR(local_world_says(w, "echo there"), "there\n");
    local_world_finish(w);
}

static void must_not_fire_local_unread_is_not_absent__it_can(void) {
    int32_t verdict = SBX_RECONCILE_UNDECIDED;
    nobody_become();
    struct local_world *w = local_world_launched(0);
    T_STATUS(reconcile_with_record_of(w, 0400, &verdict), SBX_OK);
    T_EQ(verdict, SBX_RECONCILE_FOUND);
    local_world_finish(w);
}

T_CASES(T_CASE(must_fire_local_name_is_exclusive__in_use), T_CASE(must_not_fire_local_name_is_exclusive__free_again),
        T_CASE(must_fire_local_absent_stays_absent__given_up),
        T_CASE(must_not_fire_local_absent_stays_absent__launched_before),
        T_CASE(must_fire_local_failed_launch_deletes__no_command_runs),
        T_CASE(must_not_fire_local_failed_launch_deletes__commands_run),
        T_CASE(must_fire_local_unknown_provider_option__name_and_value),
        T_CASE(must_not_fire_local_unknown_provider_option__known),
        T_CASE(must_fire_local_lifetime_over__an_hour_later),
        T_CASE(must_not_fire_local_lifetime_over__it_has_two_hours),
        T_CASE(must_fire_local_unread_is_not_absent__it_cannot_be_read),
        T_CASE(must_not_fire_local_unread_is_not_absent__it_can))
