/* The body of a create. Only what was set is sent: Daytona refuses sizes beside a snapshot. Rows D1, D7. */
#include "adapters/daytona/body.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>

static void put_pairs(struct sbx_buf *body, const char *key, const struct sbx_pair *pairs, size_t n) {
    sbx_json_begin_object(body, key);
    for (size_t i = 0; i < n; i++) sbx_json_put_string(body, pairs[i].name, pairs[i].value);
    sbx_json_end_object(body);
}

static void put_labels(struct sbx_buf *body, const struct sbx_launch_options *opt) {
    sbx_json_begin_object(body, "labels");
    for (size_t i = 0; i < opt->label_count; i++) sbx_json_put_string(body, opt->labels[i].name, opt->labels[i].value);
    sbx_json_put_string(body, "sandport-acq", opt->acquisition);
    sbx_json_end_object(body);
}

static void put_volumes(struct sbx_buf *body, const struct sbx_launch_options *opt) {
    if (!opt->volume_count) return;
    sbx_json_begin_array(body, "volumes");
    for (size_t i = 0; i < opt->volume_count; i++) {
        sbx_json_begin_object(body, NULL);
        sbx_json_put_string(body, "volumeId", opt->volumes[i].volume);
        sbx_json_put_string(body, "mountPath", opt->volumes[i].mount_path);
        if (opt->volumes[i].subpath) sbx_json_put_string(body, "subpath", opt->volumes[i].subpath);
        sbx_json_end_object(body);
    }
    sbx_json_end_array(body);
}

/* An allow list that allows nothing blocks everything: an empty text would be no list at all to Daytona. */
static void put_network(struct sbx_buf *body, const struct sbx_launch_options *opt) {
    if (sbx_launch_blocks_all(opt)) {
        sbx_json_put_bool(body, "networkBlockAll", 1);
        return;
    }
    if (opt->network_allow_list) sbx_json_put_string(body, "networkAllowList", opt->network_allow_list);
    if (opt->domain_allow_list) sbx_json_put_string(body, "domainAllowList", opt->domain_allow_list);
}

void daytona_body_of_launch(struct sbx_buf *body, const struct daytona_launch *launch) {
    const struct sbx_launch_options *opt = launch->opt;
    sbx_json_begin_object(body, NULL);
    sbx_json_put_string(body, "name", launch->name);
    if (launch->snapshot) sbx_json_put_string(body, "snapshot", launch->snapshot);
    put_pairs(body, "env", opt->env, opt->env_count);
    put_labels(body, opt);
    if (launch->target) sbx_json_put_string(body, "target", launch->target);
    sbx_json_put_int(body, "autoStopInterval", launch->auto_stop_min);
    if (opt->auto_archive_min) sbx_json_put_int(body, "autoArchiveInterval", opt->auto_archive_min);
    if (opt->auto_delete_min)
        sbx_json_put_int(body, "autoDeleteInterval", opt->auto_delete_min == SBX_EPHEMERAL ? 0 : opt->auto_delete_min);
    if (opt->auto_pause_min) sbx_json_put_int(body, "autoPauseInterval", opt->auto_pause_min);
    if (opt->ttl_min) sbx_json_put_int(body, "ttlMinutes", opt->ttl_min);
    put_volumes(body, opt);
    put_network(body, opt);
    sbx_json_end_object(body);
}

/* ---- from the sandbox that is to be replaced ---- */

static void copy_member(struct sbx_buf *body, const struct sbx_json_node *from, const char *key) {
    struct sbx_buf one = SBX_BUF_INIT;
    const struct sbx_json_node *member = sbx_json_member(from, key);
    if (!member || sbx_json_type(member) == SBX_JSON_NULL) return;
    sbx_json_write_node(&one, member);
    sbx_json_put_raw(body, key, sbx_buf_text(&one), one.len);
    if (one.failed) body->failed = 1;
    sbx_buf_finish(&one);
}

static void copy_labels(struct sbx_buf *body, struct sbx_json *js, const struct daytona_dto *old,
                        const char *acquisition) {
    const struct sbx_json_node *labels = sbx_json_opt_object(js, old->node, "labels");
    const char *root = daytona_dto_label(js, old, "sandport-root");
    if (!root) root = daytona_dto_label(js, old, "sandport-acq");
    sbx_json_begin_object(body, "labels");
    for (const struct sbx_json_node *l = sbx_json_first(labels); l; l = sbx_json_next(l))
        if (strncmp(sbx_json_key(l), "sandport-", 9) != 0)
            sbx_json_put_string(body, sbx_json_key(l), sbx_json_as_string(js, l));
    sbx_json_put_string(body, "sandport-acq", acquisition);
    sbx_json_put_string(body, "sandport-replaces", old->id);
    if (root) sbx_json_put_string(body, "sandport-root", root);
    sbx_json_end_object(body);
}

/* A build is named by its content; only then may sizes be given, and must be, since they are no part of it. */
static void copy_build(struct sbx_buf *body, const struct daytona_dto *old, const struct sbx_json_node *build) {
    sbx_json_begin_object(body, "buildInfo");
    copy_member(body, build, "dockerfileContent");
    copy_member(body, build, "contextHashes");
    sbx_json_end_object(body);
    copy_member(body, old->node, "cpu");
    copy_member(body, old->node, "memory");
    copy_member(body, old->node, "disk");
}

static int is_object(const struct sbx_json_node *from, const char *key) {
    const struct sbx_json_node *member = sbx_json_member(from, key);
    return member && sbx_json_type(member) == SBX_JSON_OBJECT;
}

enum sbx_status daytona_replaceable(struct sbx_json *js, const struct daytona_dto *old, struct sbx_error *err) {
    const struct sbx_json_node *build =
        is_object(old->node, "buildInfo") ? sbx_json_member(old->node, "buildInfo") : NULL;
    const char *missing = NULL;
    if (!is_object(old->node, "env")) missing = "env";
    if (!is_object(old->node, "labels")) missing = "labels";
    if (build ? !*sbx_json_opt_string(js, build, "dockerfileContent", "") : !*old->snapshot)
        missing = "snapshot or buildInfo"; /* guard: replacement_is_the_same */
    if (!missing) return SBX_OK;
    return sbx_fail(err, SBX_NOT_READY, SBX_OUTCOME_DONE, "proven dead, and not replaced: Daytona does not say its %s",
                    missing);
}

/* Minutes from a fixed day to "2026-06-01T10:00:00.000Z"; -1 if it is no such stamp. Years begin in March here, so that
 * the leap day comes last. */
static int64_t stamp_minutes(const char *text) {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, used = 0;
    if (!text || sscanf(text, "%4d-%2d-%2dT%2d:%2d:%n", &year, &month, &day, &hour, &minute, &used) != 5 || !used)
        return -1;
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || hour > 23) return -1;
    if (minute < 0 || minute > 59) return -1;
    int64_t y = month < 3 ? year - 1 : year, m = month < 3 ? month + 9 : month - 3;
    int64_t days = y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day;
    return (days * 24 + hour) * 60 + minute;
}

/* The time-to-live that the old one was launched with, whole: both stamps are Daytona's, so no clock of ours decides.
 */
static void copy_ttl(struct sbx_buf *body, struct sbx_json *js, const struct daytona_dto *old) {
    int64_t from = stamp_minutes(sbx_json_opt_string(js, old->node, "createdAt", NULL));
    int64_t to = stamp_minutes(sbx_json_opt_string(js, old->node, "autoDestroyAt", NULL));
    if (from >= 0 && to > from) sbx_json_put_int(body, "ttlMinutes", to - from);
}

void daytona_body_of_replacement(struct sbx_buf *body, struct sbx_json *js, const struct daytona_dto *old,
                                 const char *acquisition) {
    static const char *const kept[] = {"env",
                                       "user",
                                       "public",
                                       "target",
                                       "autoStopInterval",
                                       "autoArchiveInterval",
                                       "autoDeleteInterval",
                                       "autoPauseInterval",
                                       "volumes",
                                       "networkBlockAll",
                                       "networkAllowList",
                                       "domainAllowList"};
    const struct sbx_json_node *build = sbx_json_opt_object(js, old->node, "buildInfo");
    char name[SBX_UUID_SIZE];
    sbx_uuid_from_hex(acquisition, name);
    sbx_json_begin_object(body, NULL);
    sbx_json_put_string(body, "name", name);
    if (build)
        copy_build(body, old, build);
    else if (*old->snapshot)
        sbx_json_put_string(body, "snapshot", old->snapshot);
    copy_labels(body, js, old, acquisition);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) copy_member(body, old->node, kept[i]);
    copy_ttl(body, js, old);
    sbx_json_end_object(body);
}
