/* Guards of files of this machine: links lead nowhere outside of a box, nothing is removed or replaced that was not
 * asked for, and what is there for the time being is the sandbox's own. Rows L1, P8, D14. */
#include "local_world.h"

#include <stdio.h>

static const char *says(struct local_world *w, const char *command) {
    return local_world_says(w, command);
}

/* ---- local_files_stay_in ---- */

/* The machine's file is the user's own, and no part of the sandbox. */
static struct local_world *world_with_link(const char *to) {
    struct local_world *w = local_world_launched(1);
    char path[128], command[256];
    snprintf(path, sizeof(path), "%s/secret", w->dir);
    FILE *f = fopen(path, "w");
    T_TRUE(f && fputs("the machine's own\n", f) >= 0 && fclose(f) == 0);
    snprintf(command, sizeof(command), "mkdir d; echo inside >own; ln -s %s d/link", to ? to : path);
    T_STR(says(w, command), "");
    return w;
}

static void must_fire_local_files_stay_in__a_link_to_the_machine(void) {
    struct local_world *w = world_with_link(NULL);
    struct sbx_files *files = NULL;
    T_STATUS(sbx_sandbox_stat(w->sb, "d/link", NULL, &files, &w->err), SBX_FILE_NOT_FOUND);
    T_STATUS(sbx_sandbox_list_dir(w->sb, "d", NULL, &files, &w->err), SBX_OK);
    T_EQ(sbx_files_count(files), 0);
    sbx_files_free(files);
    local_world_finish(w);
}

static void must_not_fire_local_files_stay_in__a_link_in_the_sandbox(void) {
    struct local_world *w = world_with_link("/home/user/own");
    struct sbx_files *files = NULL;
    T_STATUS(sbx_sandbox_stat(w->sb, "d/link", NULL, &files, &w->err), SBX_OK);
    T_EQ(sbx_files_size(files, 0), 7);
    sbx_files_free(files);
    files = NULL;
    T_STATUS(sbx_sandbox_list_dir(w->sb, "d", NULL, &files, &w->err), SBX_OK);
    T_EQ(sbx_files_count(files), 1);
    sbx_files_free(files);
    local_world_finish(w);
}

/* ---- local_remove_asked_for_all ---- */

static enum sbx_status remove_d(struct local_world *w, int32_t recursive) {
    const struct sbx_remove_options opt = {.size = sizeof(opt), .recursive = recursive};
    T_STR(says(w, "mkdir d; echo x >d/f"), "");
    return sbx_sandbox_remove(w->sb, "d", &opt, NULL, &w->err);
}

static void must_fire_local_remove_asked_for_all__not_asked(void) {
    struct local_world *w = local_world_launched(0);
    T_STATUS(remove_d(w, SBX_NO), SBX_INVALID_ARGUMENT);
    T_STR(says(w, "cat d/f"), "x\n");
    local_world_finish(w);
}

static void must_not_fire_local_remove_asked_for_all__asked(void) {
    struct local_world *w = local_world_launched(0);
    T_STATUS(remove_d(w, SBX_YES), SBX_OK);
    T_STR(says(w, "ls"), "");
    local_world_finish(w);
}

/* ---- local_move_replaces_nothing ---- */

static enum sbx_status move_to(struct local_world *w, const char *to) {
    T_STR(says(w, "echo one >a; echo two >b"), "");
    return sbx_sandbox_move(w->sb, "a", to, NULL, &w->err);
}

static void must_fire_local_move_replaces_nothing__a_file_is_there(void) {
    struct local_world *w = local_world_launched(0);
    T_STATUS(move_to(w, "b"), SBX_ALREADY_EXISTS);
    T_STR(says(w, "cat a b"), "one\ntwo\n");
    local_world_finish(w);
}

static void must_not_fire_local_move_replaces_nothing__nothing_is(void) {
    struct local_world *w = local_world_launched(0);
    T_STATUS(move_to(w, "c"), SBX_OK);
    T_STR(says(w, "cat b c"), "two\none\n");
    local_world_finish(w);
}

/* ---- local_tmp_is_its_own ---- */

/* While the tree is read it is where the sandbox's other files of that kind are. */
struct seen {
    struct local_world *w;
    struct sbx_sandbox *sb;
    char own[256];
};

static int look_for_archive(void *ctx, const void *data, size_t len) {
    struct seen *seen = ctx;
    struct sbx_exec_result *result = NULL;
    (void)data, (void)len;
    T_STATUS(sbx_sandbox_exec(seen->sb, "cd \"$TMPDIR\" && echo .sbx-tree-*/t", NULL, NULL, &result, &seen->w->err),
             SBX_OK);
    snprintf(seen->own, sizeof(seen->own), "%s", sbx_exec_result_stdout(result, NULL));
    sbx_exec_result_free(result);
    return 0;
}

static void archive_is_in_its_own(int isolated) {
    struct local_world *w = local_world_launched(isolated);
    struct seen seen = {.w = w};
    char id[SBX_ID_SIZE];
    const struct sbx_sink to = {&seen, look_for_archive};
    sbx_sandbox_id(w->sb, id);
    T_STATUS(sbx_runtime_attach(w->rt, id, NULL, &seen.sb, &w->err), SBX_OK);
    T_STR(says(w, "mkdir t; echo x >t/f"), "");
    T_STATUS(sbx_sandbox_download_tree(w->sb, "t", &to, NULL, NULL, NULL, &w->err), SBX_OK);
    T_TRUE(strncmp(seen.own, ".sbx-tree-", 10) == 0);
    T_TRUE(!strchr(seen.own, '*'));
    sbx_sandbox_free(seen.sb);
    local_world_finish(w);
}

static void must_fire_local_tmp_is_its_own__plain(void) {
    archive_is_in_its_own(0);
}

static void must_not_fire_local_tmp_is_its_own__isolated(void) {
    archive_is_in_its_own(1);
}

T_CASES(T_CASE(must_fire_local_files_stay_in__a_link_to_the_machine),
        T_CASE(must_not_fire_local_files_stay_in__a_link_in_the_sandbox),
        T_CASE(must_fire_local_remove_asked_for_all__not_asked),
        T_CASE(must_not_fire_local_remove_asked_for_all__asked),
        T_CASE(must_fire_local_move_replaces_nothing__a_file_is_there),
        T_CASE(must_not_fire_local_move_replaces_nothing__nothing_is), T_CASE(must_fire_local_tmp_is_its_own__plain),
        T_CASE(must_not_fire_local_tmp_is_its_own__isolated))
