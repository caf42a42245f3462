/* Guards of files: nothing is removed that was not named, nothing said to be done that was not. Rows P8, P11, D14. */
#include "daytona_world.h"

static void shell(struct world *w, const char *command, const char *want) {
    struct sbx_exec_result *result = NULL;
    sbx_sim_faults_clear(w->sim);
    T_STATUS(sbx_sandbox_exec(w->sb, command, NULL, NULL, &result, &w->err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), want);
    sbx_exec_result_free(result);
}

static enum sbx_status removed(struct world *w, const char *path, int32_t recursive) {
    const struct sbx_remove_options opt = {.size = sizeof(opt), .recursive = recursive};
    return sbx_sandbox_remove(w->sb, path, &opt, NULL, &w->err);
}

/* ---- remove_asked_for_all: a directory goes only with a word for it ---- */

static void must_fire_remove_asked_for_all__not_asked(void) {
    struct world w = world_with_running_sandbox(SEED);
    shell(&w, "mkdir d; touch d/f", "");
    T_STATUS(removed(&w, "d", SBX_DEFAULT), SBX_INVALID_ARGUMENT);
    T_STATUS(removed(&w, "d", SBX_NO), SBX_INVALID_ARGUMENT);
    shell(&w, "ls d", "f\n");
    world_finish(&w);
}

static void must_not_fire_remove_asked_for_all__asked(void) {
    struct world w = world_with_running_sandbox(SEED);
    shell(&w, "mkdir d; touch d/f", "");
    T_STATUS(removed(&w, "d", SBX_YES), SBX_OK);
    shell(&w, "ls", "");
    world_finish(&w);
}

/* ---- remove_not_everything: the root and the working directory are nobody's to remove ---- */

static void must_fire_remove_not_everything__names_of_all(void) {
    static const char *const all[] = {"/", ".", "./", "//", "/.", "./."};
    struct world w = world_with_running_sandbox(SEED);
    shell(&w, "touch f", "");
    sbx_sim_timeline_reset(w.sim);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        T_STATUS(removed(&w, all[i], SBX_YES), SBX_INVALID_ARGUMENT);
        T_CONTAINS(w.err.detail, "path");
    }
    T_TIMELINE(w.sim, "");
    world_finish(&w);
}

static void must_not_fire_remove_not_everything__a_name(void) {
    struct world w = world_with_running_sandbox(SEED);
    shell(&w, "mkdir .d", "");
    T_STATUS(removed(&w, "./.d", SBX_YES), SBX_OK);
    shell(&w, "ls -A", "");
    world_finish(&w);
}

/* ---- file_route_missing: a route that is not there says nothing about a file ---- */

static enum sbx_status removed_by(const char *body) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_fault fault = {
        .op = "daytona.toolbox.delete", .phase = "before", .effect = {.kind = "status", .status = 404}};
    shell(&w, "touch f", "");
    fault.effect.body = body;
    T_TRUE(sbx_sim_fault(w.sim, &fault) > 0);
    const enum sbx_status st = removed(&w, "f", SBX_DEFAULT);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    shell(&w, "ls", "f\n");
    world_finish(&w);
    return st;
}

static void must_fire_file_route_missing__page_not_found(void) {
    T_STATUS(removed_by("404 page not found"), SBX_UNSUPPORTED);
}

static void must_not_fire_file_route_missing__empty_body(void) {
    T_STATUS(removed_by(""), SBX_FILE_NOT_FOUND);
}

/* ---- file_change_is_chunked: no hop can replace twice ---- */

static void replaced(int replay) {
    static const char *const paths[] = {"f"};
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_files *files = NULL;
    size_t len = 0;
    shell(&w, "echo a >f", "");
    if (replay) world_fault(&w, "{'op':'daytona.toolbox.replace','phase':'before','effect':{'kind':'replay'}}");
    T_STATUS(sbx_sandbox_replace_text(w.sb, paths, 1, "a", "aa", NULL, &files, &w.err), SBX_OK);
    sbx_files_free(files);
    if (strstr(sbx_sim_journal(w.sim, &len), "a hop replayed this request"))
        T_FAIL("the daemon saw the change twice, expected once");
    shell(&w, "cat f", "aa\n");
    world_finish(&w);
}

static void must_fire_file_change_is_chunked__replaying_hop(void) {
    replaced(1);
}
static void must_not_fire_file_change_is_chunked__healthy(void) {
    replaced(0);
}

/* ---- file_name_stays_inside: a name that leads out of its directory is no name ---- */

static enum sbx_status listed_as(const char *value) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_files *files = NULL;
    struct sbx_fault fault = {.op = "daytona.toolbox.list", .phase = "mid_reply", .effect = {.kind = "mutate"}};
    shell(&w, "touch f", "");
    fault.effect.path = "$[0].name";
    fault.effect.value = value;
    T_TRUE(sbx_sim_fault(w.sim, &fault) > 0);
    const enum sbx_status st = sbx_sandbox_list_dir(w.sb, ".", NULL, &files, &w.err);
    T_TRUE((st == SBX_OK) == (files != NULL));
    sbx_files_free(files);
    world_finish(&w);
    return st;
}

static void must_fire_file_name_stays_inside__a_slash(void) {
    T_STATUS(listed_as("\"../../etc/passwd\""), SBX_PROTOCOL);
    T_STATUS(listed_as("\"/etc/passwd\""), SBX_PROTOCOL);
    T_STATUS(listed_as("\"/\""), SBX_PROTOCOL);
}
static void must_not_fire_file_name_stays_inside__no_slash(void) {
    T_STATUS(listed_as("\"..etc-passwd\""), SBX_OK);
}

/* ---- replace_success_not_made_up ---- */

static enum sbx_status replaced_as(const char *value) {
    static const char *const paths[] = {"f"};
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_files *files = NULL;
    struct sbx_fault fault = {.op = "daytona.toolbox.replace", .phase = "mid_reply", .effect = {.kind = "mutate"}};
    shell(&w, "echo a >f", "");
    fault.effect.path = "$[0].success";
    fault.effect.value = value;
    T_TRUE(sbx_sim_fault(w.sim, &fault) > 0);
    const enum sbx_status st = sbx_sandbox_replace_text(w.sb, paths, 1, "a", "b", NULL, &files, &w.err);
    sbx_files_free(files);
    world_finish(&w);
    return st;
}

static void must_fire_replace_success_not_made_up__not_said(void) {
    static const char *const values[] = {NULL, "null", "false"};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) T_STATUS(replaced_as(values[i]), SBX_PROVIDER);
    T_STATUS(replaced_as("\"true\""), SBX_PROTOCOL);
}
static void must_not_fire_replace_success_not_made_up__said(void) {
    T_STATUS(replaced_as("true"), SBX_OK);
}

T_CASES(T_CASE(must_fire_remove_asked_for_all__not_asked), T_CASE(must_not_fire_remove_asked_for_all__asked),
        T_CASE(must_fire_remove_not_everything__names_of_all), T_CASE(must_not_fire_remove_not_everything__a_name),
        T_CASE(must_fire_file_route_missing__page_not_found), T_CASE(must_not_fire_file_route_missing__empty_body),
        T_CASE(must_fire_file_change_is_chunked__replaying_hop), T_CASE(must_not_fire_file_change_is_chunked__healthy),
        T_CASE(must_fire_file_name_stays_inside__a_slash), T_CASE(must_not_fire_file_name_stays_inside__no_slash),
        T_CASE(must_fire_replace_success_not_made_up__not_said),
        T_CASE(must_not_fire_replace_success_not_made_up__said))
