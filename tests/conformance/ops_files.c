/* The operations on files and directories, as the conformance suite plays them. The files hold bytes that are no text.
 */
#include "scene.h"

#include <stdio.h>
#include <string.h>

#define ODD_SHELL  "'a\\000b\\377\\200c\\r\\n\\n'" /* ODD_OUT, for printf */
#define TREE       "mkdir -p d/e && printf " ODD_SHELL " >d/odd && printf 'one\\na needle\\n' >d/notes"
#define IS_ODD(f)  "printf " ODD_SHELL " | cmp -s - " f
#define IS_TREE(d) IS_ODD(d "/odd") " && cmp -s d/notes " d "/notes && [ -d " d "/e ]"

static int holds(struct scene *s, const char *condition) {
    char command[512];
    snprintf(command, sizeof(command), "if %s; then echo yes; else echo no; fi", condition);
    return strcmp(scene_shell(s, command), "yes\n") == 0;
}

static void has_tree(struct scene *s) {
    T_STR(scene_shell(s, TREE), "");
}

/* What a change leaves behind when it has been made. */
static void told(struct scene *s, enum sbx_status st, const char *made) {
    int is_made = holds(s, made);
    if (!st) T_TRUE(is_made);
    if (st && (s->err.outcome == SBX_OUTCOME_REFUSED || s->err.outcome == SBX_OUTCOME_NOT_SENT)) T_TRUE(!is_made);
}

/* ---- what is there ---- */

static void one_entry(struct scene *s, const char *path) {
    T_EQ(sbx_files_count(s->files), 1);
    T_STR(sbx_files_path(s->files, 0), path);
}

static enum sbx_status list_dir(struct scene *s) {
    return sbx_sandbox_list_dir(s->sb, "d", &s->call, &s->files, &s->err);
}

static void listed(struct scene *s) {
    static const char *const names[] = {"e", "notes", "odd"};
    T_EQ(sbx_files_count(s->files), 3);
    for (size_t i = 0; i < 3; i++) T_STR(sbx_files_path(s->files, i), names[i]);
    T_EQ(sbx_files_type(s->files, 0), SBX_FILE_DIRECTORY);
    T_EQ(sbx_files_type(s->files, 2), SBX_FILE_REGULAR);
    T_EQ(sbx_files_size(s->files, 2), ODD_OUT_LEN);
}

static enum sbx_status look(struct scene *s) {
    return sbx_sandbox_stat(s->sb, "d/odd", &s->call, &s->files, &s->err);
}

static void looked(struct scene *s) {
    one_entry(s, "odd");
    T_EQ(sbx_files_type(s->files, 0), SBX_FILE_REGULAR);
    T_EQ(sbx_files_size(s->files, 0), ODD_OUT_LEN);
    T_EQ(sbx_files_mode(s->files, 0), 0644);
}

static enum sbx_status search_files(struct scene *s) {
    return sbx_sandbox_search_files(s->sb, "d", "[a-n]*s", &s->call, &s->files, &s->err);
}

static void searched(struct scene *s) {
    one_entry(s, "d/notes");
}

/* A file with NUL in it is no text. */
static void has_needles(struct scene *s) {
    has_tree(s);
    T_STR(scene_shell(s, "printf 'needle\\000needle\\n' >d/e/binary"), "");
}

static enum sbx_status find_text(struct scene *s) {
    return sbx_sandbox_find_text(s->sb, "d", "needle", &s->call, &s->files, &s->err);
}

static void found(struct scene *s) {
    one_entry(s, "d/notes");
    T_EQ(sbx_files_line(s->files, 0), 2);
    T_STR(sbx_files_text(s->files, 0), "a needle");
}

const struct operation op_list_dir = {
    .name = "list_dir", .caps = SBX_CAP_FILES, .reads = 1, .before = has_tree, .run = list_dir, .done = listed};
const struct operation op_stat = {
    .name = "stat", .caps = SBX_CAP_FILES, .reads = 1, .before = has_tree, .run = look, .done = looked};
const struct operation op_search_files = {
    .name = "search_files", .caps = SBX_CAP_FILES, .before = has_tree, .run = search_files, .done = searched};
const struct operation op_find_text = {
    .name = "find_text", .caps = SBX_CAP_FILES, .before = has_needles, .run = find_text, .done = found};

/* ---- changes ---- */

static enum sbx_status make_dir(struct scene *s) {
    return sbx_sandbox_mkdir(s->sb, "d/new/deep", NULL, &s->call, &s->err);
}

static void make_dir_told(struct scene *s, enum sbx_status st) {
    told(s, st, "[ -d d/new/deep ]");
}

static enum sbx_status remove_tree(struct scene *s) {
    const struct sbx_remove_options all = {.size = sizeof(all), .recursive = SBX_YES};
    return sbx_sandbox_remove(s->sb, "d", &all, &s->call, &s->err);
}

static void remove_told(struct scene *s, enum sbx_status st) {
    told(s, st, "[ ! -e d ]");
}

static enum sbx_status move(struct scene *s) {
    return sbx_sandbox_move(s->sb, "d/odd", "d/e/moved", &s->call, &s->err);
}

static void move_told(struct scene *s, enum sbx_status st) {
    told(s, st, "[ ! -e d/odd ] && " IS_ODD("d/e/moved"));
}

static enum sbx_status set_permissions(struct scene *s) {
    const struct sbx_permission_options opt = {.size = sizeof(opt), .mode = 0640};
    return sbx_sandbox_set_permissions(s->sb, "d/odd", &opt, &s->call, &s->err);
}

static void permissions_told(struct scene *s, enum sbx_status st) {
    told(s, st, "[ $(stat -c %a d/odd) = 640 ] && " IS_ODD("d/odd"));
}

static enum sbx_status replace_text(struct scene *s) {
    static const char *const paths[] = {"d/odd", "d/notes"};
    return sbx_sandbox_replace_text(s->sb, paths, 2, "b", "&b\\", &s->call, &s->files, &s->err);
}

static void replaced(struct scene *s) {
    T_EQ(sbx_files_count(s->files), 2);
    T_STR(sbx_files_path(s->files, 0), "d/odd");
    T_EQ(sbx_files_status(s->files, 0), SBX_OK);
    T_EQ(sbx_files_status(s->files, 1), SBX_OK);
}

static void replace_told(struct scene *s, enum sbx_status st) {
    told(s, st, "printf 'a\\000&b\\\\\\377\\200c\\r\\n\\n' | cmp -s - d/odd");
}

const struct operation op_mkdir = {
    .name = "mkdir", .caps = SBX_CAP_FILES, .before = has_tree, .run = make_dir, .after = make_dir_told};
const struct operation op_remove = {
    .name = "remove", .caps = SBX_CAP_FILES, .before = has_tree, .run = remove_tree, .after = remove_told};
const struct operation op_move = {
    .name = "move", .caps = SBX_CAP_FILES, .before = has_tree, .run = move, .after = move_told};
const struct operation op_set_permissions = {.name = "set_permissions",
                                             .caps = SBX_CAP_FILES,
                                             .before = has_tree,
                                             .run = set_permissions,
                                             .after = permissions_told};
const struct operation op_replace_text = {.name = "replace_text",
                                          .caps = SBX_CAP_FILES,
                                          .before = has_tree,
                                          .run = replace_text,
                                          .done = replaced,
                                          .after = replace_told};

/* ---- many files, whole directories ---- */

static enum sbx_status upload_files(struct scene *s) {
    struct sbx_memory_reader memory[2];
    const struct sbx_reader from[2] = {sbx_memory_reader_init(&memory[0], ODD_OUT, ODD_OUT_LEN),
                                       sbx_memory_reader_init(&memory[1], "", 0)};
    struct sbx_upload_file files[2] = {SBX_UPLOAD_FILE_INIT, SBX_UPLOAD_FILE_INIT};
    files[0].path = "up/a b";
    files[0].mode = 0600;
    files[1].path = "up/empty";
    for (size_t i = 0; i < 2; i++) files[i].from = &from[i];
    return sbx_sandbox_upload_files(s->sb, files, 2, NULL, &s->call, &s->files, &s->err);
}

static void all_uploaded(struct scene *s) {
    T_EQ(sbx_files_count(s->files), 2);
    T_EQ(sbx_files_size(s->files, 0), ODD_OUT_LEN);
    for (size_t i = 0; i < 2; i++) {
        T_EQ(sbx_files_status(s->files, i), SBX_OK);
        T_EQ(sbx_files_verified(s->files, i), 1);
    }
}

static void upload_files_told(struct scene *s, enum sbx_status st) {
    told(s, st, IS_ODD("'up/a b'") " && [ $(stat -c %a 'up/a b') = 600 ] && [ -f up/empty ] && [ ! -s up/empty ]");
}

/* Whatever happened, nothing of what was there for the time being is left. */
static void nothing_temporary(struct scene *s, enum sbx_status st) {
    T_STR(scene_shell(s, "ls -d /tmp/.sbx-tree-* \"$TMPDIR\"/.sbx-tree-* 2>/dev/null || true"), "");
    if (st) T_EQ(s->err.cleanup, SBX_CLEANUP_CONFIRMED);
}

static enum sbx_status down(struct scene *s, struct sbx_buf *into, const struct sbx_call *call) {
    const struct sbx_sink to = sbx_buf_sink(into);
    return sbx_sandbox_download_tree(s->sb, "d", &to, NULL, call, NULL, &s->err);
}

static enum sbx_status up(struct scene *s, const struct sbx_buf *tar, const struct sbx_call *call) {
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, sbx_buf_text(tar), tar->len);
    return sbx_sandbox_upload_tree(s->sb, "copy", &from, NULL, call, NULL, &s->err);
}

static void has_tar(struct scene *s) {
    has_tree(s);
    T_STATUS(down(s, &s->bytes[0], NULL), SBX_OK);
}

static enum sbx_status upload_tree(struct scene *s) {
    return up(s, &s->bytes[0], &s->call);
}

static void upload_tree_told(struct scene *s, enum sbx_status st) {
    nothing_temporary(s, st);
    told(s, st, IS_TREE("copy"));
}

static enum sbx_status download_tree(struct scene *s) {
    return down(s, &s->bytes[0], &s->call);
}

static void tree_downloaded(struct scene *s) {
    T_STATUS(up(s, &s->bytes[0], NULL), SBX_OK);
    T_TRUE(holds(s, IS_TREE("copy")));
}

const struct operation op_upload_files = {.name = "upload_files",
                                          .caps = SBX_CAP_FILES,
                                          .run = upload_files,
                                          .done = all_uploaded,
                                          .after = upload_files_told};
const struct operation op_upload_tree = {
    .name = "upload_tree", .caps = SBX_CAP_FILES, .before = has_tar, .run = upload_tree, .after = upload_tree_told};
const struct operation op_download_tree = {.name = "download_tree",
                                           .caps = SBX_CAP_FILES,
                                           .before = has_tree,
                                           .run = download_tree,
                                           .done = tree_downloaded,
                                           .after = nothing_temporary};
