/* Lists, changes, searches, many files and trees on this machine, plain and isolated: the situations of every provider,
 * told the same. Rows L1, P8, P11, D14. */
#include "file_situations.h"
#include "local_world.h"

#include <sandport/kit/text.h>
#include <stdio.h>

/* Never as root: without isolation a situation that has to be refused would be done. */
static struct local_world *world(int isolated) {
    nobody_become();
    return local_world_launched(isolated);
}

static void in_both(void (*situation)(struct sbx_sandbox *sb)) {
    for (int isolated = 0; isolated < 2; isolated++) {
        struct local_world *w = world(isolated);
        situation(w->sb);
        local_world_finish(w);
    }
}

static void lists(struct sbx_sandbox *sb) {
    char owner[32];
    snprintf(owner, sizeof(owner), "%u", (unsigned)getuid());
    T_EQ(getuid(), getgid());
    situation_lists(sb, owner);
}

static void lists_and_single_paths(void) {
    in_both(lists);
}

static void names_of_any_letters(void) {
    in_both(situation_names);
}

static void names_and_texts_are_found(void) {
    in_both(situation_searches);
}

static void directories_are_made(void) {
    in_both(situation_directories);
}

static void files_are_removed_and_moved(void) {
    in_both(situation_removals);
    in_both(situation_moves);
}

static void permissions_are_set(void) {
    in_both(situation_permissions);
}

/* What was there for the time being was in the sandbox's own place, and is gone. */
static void replaces(struct sbx_sandbox *sb) {
    situation_replacements(sb);
    situation_shell(sb, "ls -A \"$TMPDIR\"", "");
}

static void texts_are_replaced_file_by_file(void) {
    in_both(replaces);
}

/* ---- what only this machine has ---- */

static const char *name_of(struct sbx_sandbox *sb, const char *path, struct sbx_files **files) {
    struct sbx_error err = SBX_ERROR_INIT;
    sbx_files_free(*files);
    *files = NULL;
    if (sbx_sandbox_stat(sb, path, NULL, files, &err)) T_FAIL("%s: %s", path, err.detail);
    return sbx_files_path(*files, 0);
}

static void names_of_paths(struct sbx_sandbox *sb) {
    struct sbx_files *files = NULL;
    situation_shell(sb, "mkdir -p d/e", "");
    T_STR(name_of(sb, "/", &files), "/");
    T_STR(name_of(sb, "//./", &files), "/");
    T_STR(name_of(sb, "d//e/./", &files), "e");
    T_STR(name_of(sb, "./d", &files), "d");
    T_CONTAINS("home user", name_of(sb, "./", &files));
    sbx_files_free(files);
}

static void a_path_has_a_last_name(void) {
    in_both(names_of_paths);
}

static void odd_entries(struct sbx_sandbox *sb) {
    struct sbx_files *files = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    situation_shell(sb, "mkdir t; printf x >t/\"$(printf 'a\\377b')\"; mkfifo t/pipe; ln -s loop t/loop", "");
    T_STATUS(sbx_sandbox_list_dir(sb, "t", NULL, &files, &err), SBX_OK);
    T_EQ(sbx_files_count(files), 2);
    T_STR(sbx_files_path(files, 0), "a\xef\xbf\xbd"
                                    "b");
    T_EQ(sbx_files_size(files, 0), 1);
    T_EQ(sbx_files_type(files, 1), SBX_FILE_OTHER);
    sbx_files_free(files);
    files = NULL;
    T_STATUS(sbx_sandbox_stat(sb, "t/loop", NULL, &files, &err), SBX_FILE_NOT_FOUND);
    situation_shell(sb, "mkdir closed; touch closed/f; chmod 400 closed", "");
    T_STATUS(sbx_sandbox_stat(sb, "closed/f", NULL, &files, &err), SBX_FILE_DENIED);
    T_STATUS(sbx_sandbox_list_dir(sb, "closed", NULL, &files, &err), SBX_OK); /* names are read, no more */
    T_EQ(sbx_files_count(files), 1);
    T_EQ(sbx_files_type(files, 0), SBX_FILE_TYPE_UNKNOWN);
    T_EQ(sbx_files_size(files, 0), -1);
    sbx_files_free(files);
    files = NULL;
    situation_shell(sb, "chmod 0 closed", "");
    T_STATUS(sbx_sandbox_list_dir(sb, "closed", NULL, &files, &err), SBX_FILE_DENIED);
    T_EQ(err.outcome, SBX_OUTCOME_REFUSED);
    situation_shell(sb, "chmod 700 closed", "");
}

static void what_names_and_links_may_be(void) {
    in_both(odd_entries);
}

/* A box's /tmp and its home directory are two file systems: what is moved is copied. */
static void moves_to_tmp(struct sbx_sandbox *sb) {
    struct sbx_error err = SBX_ERROR_INIT;
    char command[] = "cat \"$TMPDIR/x/f\"; ls";
    struct sbx_exec_result *tmp = NULL;
    char to[512];
    situation_shell(sb, "mkdir d; echo one >d/f; echo two >g", "");
    T_STATUS(sbx_sandbox_exec(sb, "printf %s \"$TMPDIR\"", NULL, NULL, &tmp, &err), SBX_OK);
    snprintf(to, sizeof(to), "%s/x", sbx_exec_result_stdout(tmp, NULL));
    sbx_exec_result_free(tmp);
    T_STATUS(sbx_sandbox_move(sb, "d", to, NULL, &err), SBX_OK);
    situation_shell(sb, command, "one\ng\n");
    T_STATUS(sbx_sandbox_move(sb, "g", to, NULL, &err), SBX_ALREADY_EXISTS);
    T_EQ(err.outcome, SBX_OUTCOME_REFUSED);
    situation_shell(sb, command, "one\ng\n");
}

static void a_move_to_the_other_place(void) {
    in_both(moves_to_tmp);
}

static void many_files(struct sbx_sandbox *sb) {
    static const char *const paths[] = {"up/a b", "dir", "file/x", "-x'", "empty"};
    static const enum sbx_status want[] = {SBX_OK, SBX_INVALID_ARGUMENT, SBX_INVALID_ARGUMENT, SBX_OK, SBX_OK};
    struct sbx_memory_reader memory[5];
    struct sbx_reader from[5];
    struct sbx_upload_file files[5];
    struct sbx_files *told = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    situation_shell(sb, "mkdir dir; touch file", "");
    for (size_t i = 0; i < 5; i++) {
        from[i] = sbx_memory_reader_init(&memory[i], "a\0b", i < 4 ? 3 : 0);
        files[i] = (struct sbx_upload_file){.size = sizeof(files[i]), .path = paths[i], .from = &from[i], .mode = 0600};
    }
    T_STATUS(sbx_sandbox_upload_files(sb, files, 5, NULL, NULL, &told, &err), SBX_INVALID_ARGUMENT);
    T_EQ(err.outcome, SBX_OUTCOME_DONE);
    T_EQ(sbx_files_count(told), 5);
    for (size_t i = 0; i < 5; i++) {
        T_EQ(sbx_files_status(told, i), want[i]);
        T_EQ(sbx_files_verified(told, i), want[i] == SBX_OK);
    }
    sbx_files_free(told);
    situation_shell(sb, "stat -c '%a %s' 'up/a b' ./-x* empty", "600 3\n600 3\n600 0\n");
}

static void each_file_of_many_has_its_status(void) {
    in_both(many_files);
}

static void trees(struct sbx_sandbox *sb) {
    struct sbx_buf tar = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&tar);
    struct sbx_memory_reader memory;
    struct sbx_error err = SBX_ERROR_INIT;
    situation_shell(sb, "mkdir -p 't/a b/c'; printf 'x\\000y' >'t/a b/f'; chmod 750 t/'a b'; ln -s f 't/a b/l'", "");
    T_STATUS(sbx_sandbox_download_tree(sb, "t", &to, NULL, NULL, NULL, &err), SBX_OK);
    struct sbx_reader from = sbx_memory_reader_init(&memory, tar.data, tar.len);
    T_STATUS(sbx_sandbox_upload_tree(sb, "new/copy", &from, NULL, NULL, NULL, &err), SBX_OK);
    situation_shell(sb,
                    "cmp 't/a b/f' 'new/copy/a b/f' && stat -c %a 'new/copy/a b' && readlink 'new/copy/a b/l'; ls -A "
                    "\"$TMPDIR\"",
                    "750\nf\n");
    from = sbx_memory_reader_init(&memory, "no tar", 6);
    T_STATUS(sbx_sandbox_upload_tree(sb, "other", &from, NULL, NULL, NULL, &err), SBX_INVALID_ARGUMENT);
    T_EQ(err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_STATUS(sbx_sandbox_download_tree(sb, "none", &to, NULL, NULL, NULL, &err), SBX_FILE_NOT_FOUND);
    T_STATUS(sbx_sandbox_download_tree(sb, "t/a b/f", &to, NULL, NULL, NULL, &err), SBX_INVALID_ARGUMENT);
    sbx_buf_finish(&tar);
}

static void trees_go_up_and_down(void) {
    in_both(trees);
}

static ptrdiff_t fire_and_give(void *ctx, void *buf, size_t cap) {
    sbx_cancel_fire(ctx);
    memset(buf, 'x', cap);
    return (ptrdiff_t)cap;
}

static void a_tree_that_is_cancelled_on_its_way(void) {
    struct local_world *w = world(0);
    const struct sbx_reader from = {w->cancel, fire_and_give};
    const struct sbx_call call = {.size = sizeof(call), .cancel = w->cancel};
    T_STATUS(sbx_sandbox_upload_tree(w->sb, "t", &from, NULL, &call, NULL, &w->err), SBX_CANCELLED);
    T_EQ(w->err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(w->err.cleanup, SBX_CLEANUP_CONFIRMED);
    situation_shell(w->sb, "ls -A t \"$TMPDIR\" | grep -v :", "\n");
    local_world_finish(w);
}

static void a_sandbox_that_is_stopped(void) {
    for (int isolated = 0; isolated < 2; isolated++) {
        struct local_world *w = world(isolated);
        struct sbx_files *files = NULL;
        T_STATUS(sbx_sandbox_stop(w->sb, NULL, NULL, &w->err), SBX_OK);
        T_STATUS(sbx_sandbox_list_dir(w->sb, ".", NULL, &files, &w->err), SBX_NOT_READY);
        T_STATUS(sbx_sandbox_move(w->sb, "a", "b", NULL, &w->err), SBX_NOT_READY);
        T_EQ(w->err.outcome, SBX_OUTCOME_REFUSED);
        T_STATUS(sbx_sandbox_search_files(w->sb, ".", "*", NULL, &files, &w->err), SBX_NOT_READY);
        T_TRUE(files == NULL);
        local_world_finish(w);
    }
}

T_CASES(T_CASE(lists_and_single_paths), T_CASE(names_of_any_letters), T_CASE(names_and_texts_are_found),
        T_CASE(directories_are_made), T_CASE(files_are_removed_and_moved), T_CASE(permissions_are_set),
        T_CASE(texts_are_replaced_file_by_file), T_CASE(a_path_has_a_last_name), T_CASE(what_names_and_links_may_be),
        T_CASE(a_move_to_the_other_place), T_CASE(each_file_of_many_has_its_status), T_CASE(trees_go_up_and_down),
        T_CASE(a_tree_that_is_cancelled_on_its_way), T_CASE(a_sandbox_that_is_stopped))
