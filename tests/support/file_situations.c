/* Situations with files that every provider has to tell the same. Rows P8, D14. */
#include "file_situations.h"

#include <stdio.h>

static struct sbx_error err = SBX_ERROR_INIT; /* of the last call */

void situation_shell(struct sbx_sandbox *sb, const char *command, const char *want) {
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_sandbox_exec(sb, command, NULL, NULL, &result, &err), SBX_OK);
    T_STR(sbx_exec_result_stderr(result, NULL), "");
    T_STR(sbx_exec_result_stdout(result, NULL), want);
    sbx_exec_result_free(result);
}

static void refused(enum sbx_status st, enum sbx_status want, const char *detail) {
    T_STATUS(st, want);
    T_CONTAINS(err.detail, detail);
    T_EQ(err.outcome, SBX_OUTCOME_REFUSED);
}

/* Sets *files anew. */
static void renew(struct sbx_files **files) {
    sbx_files_free(*files);
    *files = NULL;
}

static void is_directory(struct sbx_sandbox *sb, const char *path) {
    struct sbx_files *files = NULL;
    T_STATUS(sbx_sandbox_stat(sb, path, NULL, &files, &err), SBX_OK);
    T_EQ(sbx_files_count(files), 1);
    T_EQ(sbx_files_type(files, 0), SBX_FILE_DIRECTORY);
    sbx_files_free(files);
}

void situation_lists(struct sbx_sandbox *sb, const char *owner) {
    struct sbx_files *files = NULL;
    situation_shell(sb, "mkdir -p t/d; printf hello >t/f; chmod 640 t/f; touch t/-x; ln -s nowhere t/dangling", "");
    T_STATUS(sbx_sandbox_list_dir(sb, "t", NULL, &files, &err), SBX_OK);
    T_EQ(sbx_files_count(files), 3);
    T_STR(sbx_files_path(files, 0), "-x");
    T_EQ(sbx_files_size(files, 0), 0);
    T_STR(sbx_files_path(files, 1), "d");
    T_EQ(sbx_files_type(files, 1), SBX_FILE_DIRECTORY);
    T_STR(sbx_files_path(files, 2), "f");
    T_EQ(sbx_files_type(files, 2), SBX_FILE_REGULAR);
    T_EQ(sbx_files_size(files, 2), 5);
    T_EQ(sbx_files_mode(files, 2), 0640);
    T_STR(sbx_files_owner(files, 2), owner);
    T_STR(sbx_files_group(files, 2), owner);
    T_TRUE(sbx_files_modified_ms(files, 2) > INT64_C(1577836800000)); /* 2020 */
    T_EQ(sbx_files_status(files, 2), SBX_OK);
    renew(&files);
    T_STATUS(sbx_sandbox_stat(sb, "t/f", NULL, &files, &err), SBX_OK);
    T_EQ(sbx_files_count(files), 1);
    T_STR(sbx_files_path(files, 0), "f");
    T_EQ(sbx_files_size(files, 0), 5);
    renew(&files);
    is_directory(sb, "/");
    is_directory(sb, ".");
    T_STATUS(sbx_sandbox_list_dir(sb, "t/d/", NULL, &files, &err), SBX_OK);
    T_EQ(sbx_files_count(files), 0);
    renew(&files);
    refused(sbx_sandbox_list_dir(sb, "t/f", NULL, &files, &err), SBX_INVALID_ARGUMENT, "");
    refused(sbx_sandbox_list_dir(sb, "t/none", NULL, &files, &err), SBX_FILE_NOT_FOUND, "");
    refused(sbx_sandbox_stat(sb, "t/dangling", NULL, &files, &err), SBX_FILE_NOT_FOUND, "");
    refused(sbx_sandbox_stat(sb, "t/f/x", NULL, &files, &err), SBX_INVALID_ARGUMENT, "");
    T_TRUE(files == NULL);
}

void situation_names(struct sbx_sandbox *sb) {
    static const char *const names[] = {"-rf", "a b",    "a+b",          "100%",    "%41",         "qu'o\"te", "~",
                                        "~x",  "l1\nl2", "\xe2\x82\xac", "?x=1&y#", "back\\slash", "$(id)",    "*"};
    struct sbx_files *files = NULL;
    T_STATUS(sbx_sandbox_mkdir(sb, "to", NULL, NULL, &err), SBX_OK);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct sbx_remove_options all = {.size = sizeof(all), .recursive = SBX_YES};
        char moved[64];
        snprintf(moved, sizeof(moved), "to/%s", names[i]);
        T_STATUS(sbx_sandbox_mkdir(sb, names[i], NULL, NULL, &err), SBX_OK);
        T_STATUS(sbx_sandbox_stat(sb, names[i], NULL, &files, &err), SBX_OK);
        T_STR(sbx_files_path(files, 0), names[i]);
        T_EQ(sbx_files_type(files, 0), SBX_FILE_DIRECTORY);
        renew(&files);
        T_STATUS(sbx_sandbox_move(sb, names[i], moved, NULL, &err), SBX_OK);
        T_STATUS(sbx_sandbox_list_dir(sb, "to", NULL, &files, &err), SBX_OK);
        T_EQ(sbx_files_count(files), 1);
        T_STR(sbx_files_path(files, 0), names[i]);
        renew(&files);
        T_STATUS(sbx_sandbox_remove(sb, moved, &all, NULL, &err), SBX_OK);
    }
    situation_shell(sb, "ls -A to; ls", "to\n");
}

/* One entry, or none: *files is renewed. */
static void found(struct sbx_files **files, enum sbx_status st, const char *path, int64_t line, const char *text) {
    T_STATUS(st, SBX_OK);
    T_EQ(sbx_files_count(*files), path != NULL);
    if (path) {
        T_STR(sbx_files_path(*files, 0), path);
        T_EQ(sbx_files_line(*files, 0), line);
        T_STR(sbx_files_text(*files, 0), text);
    }
    renew(files);
}

void situation_searches(struct sbx_sandbox *sb) {
    struct sbx_files *files = NULL;
    situation_shell(sb,
                    "mkdir -p t/d; printf 'one\\nneedle a+b\\n' >t/a.txt; printf 'x\\nneedle' >t/d/b.txt; printf "
                    "'n\\000needle' >t/c",
                    "");
    T_STATUS(sbx_sandbox_search_files(sb, "t", "*.txt", NULL, &files, &err), SBX_OK);
    T_EQ(sbx_files_count(files), 2);
    T_STR(sbx_files_path(files, 0), "t/a.txt");
    T_STR(sbx_files_path(files, 1), "t/d/b.txt");
    renew(&files);
    T_STATUS(sbx_sandbox_find_text(sb, "t", "needle", NULL, &files, &err), SBX_OK);
    T_EQ(sbx_files_count(files), 2);
    T_STR(sbx_files_path(files, 0), "t/a.txt");
    T_EQ(sbx_files_line(files, 0), 2);
    T_STR(sbx_files_text(files, 0), "needle a+b");
    T_STR(sbx_files_path(files, 1), "t/d/b.txt");
    T_EQ(sbx_files_line(files, 1), 2);
    renew(&files);
    found(&files, sbx_sandbox_search_files(sb, "t", "[^b].txt", NULL, &files, &err), "t/a.txt", 0, "");
    found(&files, sbx_sandbox_search_files(sb, "t", "nothing", NULL, &files, &err), NULL, 0, NULL);
    found(&files, sbx_sandbox_find_text(sb, "t", "a+b", NULL, &files, &err), "t/a.txt", 2, "needle a+b");
    found(&files, sbx_sandbox_find_text(sb, "t/d/b.txt", "needle", NULL, &files, &err), "t/d/b.txt", 2, "needle");
    T_STATUS(sbx_sandbox_search_files(sb, "t", "[a", NULL, &files, &err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(err.detail, "pattern");
    T_STATUS(sbx_sandbox_search_files(sb, "t", "", NULL, &files, &err), SBX_INVALID_ARGUMENT);
    T_TRUE(sbx_sandbox_find_text(sb, "none", "x", NULL, &files, &err) != SBX_OK);
    T_TRUE(files == NULL);
}

void situation_directories(struct sbx_sandbox *sb) {
    struct sbx_mkdir_options opt = SBX_MKDIR_OPTIONS_INIT;
    opt.mode = 0700;
    T_STATUS(sbx_sandbox_mkdir(sb, "a/b/c", &opt, NULL, &err), SBX_OK);
    situation_shell(sb, "stat -c %a a/b/c", "700\n");
    T_STATUS(sbx_sandbox_mkdir(sb, "a/b/c", NULL, NULL, &err), SBX_OK);
    T_STATUS(sbx_sandbox_mkdir(sb, "a/new", NULL, NULL, &err), SBX_OK);
    situation_shell(sb, "touch a/f; stat -c %a a/b/c a/new", "700\n755\n");
    refused(sbx_sandbox_mkdir(sb, "a/f/g", NULL, NULL, &err), SBX_INVALID_ARGUMENT, "path");
    refused(sbx_sandbox_mkdir(sb, "a/f", NULL, NULL, &err), SBX_INVALID_ARGUMENT, "path");
    refused(sbx_sandbox_mkdir(sb, "/etc/x", &opt, NULL, &err), SBX_FILE_DENIED, "");
    opt.mode = 01000;
    T_STATUS(sbx_sandbox_mkdir(sb, "x", &opt, NULL, &err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(err.detail, "mode");
}

void situation_removals(struct sbx_sandbox *sb) {
    struct sbx_remove_options opt = SBX_REMOVE_OPTIONS_INIT;
    situation_shell(sb, "mkdir -p d/e empty; touch d/f f", "");
    T_STATUS(sbx_sandbox_remove(sb, "f", NULL, NULL, &err), SBX_OK);
    refused(sbx_sandbox_remove(sb, "f", NULL, NULL, &err), SBX_FILE_NOT_FOUND, "");
    refused(sbx_sandbox_remove(sb, "d", NULL, NULL, &err), SBX_INVALID_ARGUMENT, "recursive");
    refused(sbx_sandbox_remove(sb, "empty", NULL, NULL, &err), SBX_INVALID_ARGUMENT, "recursive");
    situation_shell(sb, "ls d; ls", "e\nf\nd\nempty\n");
    opt.recursive = SBX_YES;
    T_STATUS(sbx_sandbox_remove(sb, "d", &opt, NULL, &err), SBX_OK);
    situation_shell(sb, "ls", "empty\n");
}

void situation_moves(struct sbx_sandbox *sb) {
    situation_shell(sb, "mkdir -p d/e; echo one >a; echo two >b", "");
    refused(sbx_sandbox_move(sb, "a", "b", NULL, &err), SBX_ALREADY_EXISTS, "to");
    refused(sbx_sandbox_move(sb, "a", "d", NULL, &err), SBX_ALREADY_EXISTS, "to");
    refused(sbx_sandbox_move(sb, "none", "c", NULL, &err), SBX_FILE_NOT_FOUND, "from");
    refused(sbx_sandbox_move(sb, "a", "no/such/dir", NULL, &err), SBX_FILE_NOT_FOUND, "to");
    refused(sbx_sandbox_move(sb, "a", "b/c", NULL, &err), SBX_INVALID_ARGUMENT, "");
    refused(sbx_sandbox_move(sb, "d", "d/e/d", NULL, &err), SBX_INVALID_ARGUMENT, "to");
    situation_shell(sb, "cat a b; ls", "one\ntwo\na\nb\nd\n");
    T_STATUS(sbx_sandbox_move(sb, "a", "d/c", NULL, &err), SBX_OK);
    T_STATUS(sbx_sandbox_move(sb, "d", "g", NULL, &err), SBX_OK);
    situation_shell(sb, "ls; cat g/c", "b\ng\none\n");
    T_STATUS(sbx_sandbox_move(sb, "", "c", NULL, &err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(err.detail, "from");
}

void situation_permissions(struct sbx_sandbox *sb) {
    struct sbx_permission_options opt = SBX_PERMISSION_OPTIONS_INIT;
    struct sbx_exec_result *own = NULL;
    char group[32] = "";
    situation_shell(sb, "touch f", "");
    T_STATUS(sbx_sandbox_exec(sb, "id -g", NULL, NULL, &own, &err), SBX_OK);
    T_EQ(sscanf(sbx_exec_result_stdout(own, NULL), "%31[0-9]", group), 1);
    sbx_exec_result_free(own);
    T_STATUS(sbx_sandbox_set_permissions(sb, "f", &opt, NULL, &err), SBX_INVALID_ARGUMENT);
    opt.mode = 0751;
    opt.group = group;
    T_STATUS(sbx_sandbox_set_permissions(sb, "f", &opt, NULL, &err), SBX_OK);
    situation_shell(sb, "stat -c %a f", "751\n");
    opt.mode = SBX_MODE_NONE;
    T_STATUS(sbx_sandbox_set_permissions(sb, "f", &opt, NULL, &err), SBX_OK);
    situation_shell(sb, "stat -c %a f", "0\n");
    refused(sbx_sandbox_set_permissions(sb, "none", &opt, NULL, &err), SBX_FILE_NOT_FOUND, "");
    refused(sbx_sandbox_set_permissions(sb, "/etc/passwd", &opt, NULL, &err), SBX_FILE_DENIED, "");
    opt.owner = "nobody-here";
    refused(sbx_sandbox_set_permissions(sb, "f", &opt, NULL, &err), SBX_INVALID_ARGUMENT, "owner");
    opt.owner = "root";
    T_STATUS(sbx_sandbox_set_permissions(sb, "f", &opt, NULL, &err), SBX_FILE_DENIED);
}

void situation_replacements(struct sbx_sandbox *sb) {
    static const char *const paths[] = {"a", "none", "/etc/passwd", "b", "d"}, *const twice[] = {"a", "a"};
    static const int32_t want[] = {SBX_OK, SBX_FILE_NOT_FOUND, SBX_FILE_DENIED, SBX_OK, SBX_INVALID_ARGUMENT};
    struct sbx_files *files = NULL;
    situation_shell(sb, "echo 'x x' >a; echo y >b; mkdir d", "");
    T_STATUS(sbx_sandbox_replace_text(sb, paths, 1, "x", "xx \"q\"", NULL, &files, &err), SBX_OK);
    T_EQ(sbx_files_count(files), 1);
    renew(&files);
    situation_shell(sb, "cat a", "xx \"q\" xx \"q\"\n");
    T_STATUS(sbx_sandbox_replace_text(sb, paths, 5, "y\n", "", NULL, &files, &err), SBX_FILE_NOT_FOUND);
    T_EQ(err.outcome, SBX_OUTCOME_DONE);
    T_CONTAINS(err.detail, "paths[1]");
    T_EQ(sbx_files_count(files), 5);
    for (size_t i = 0; i < 5; i++) {
        T_STR(sbx_files_path(files, i), paths[i]);
        T_EQ(sbx_files_status(files, i), want[i]);
    }
    renew(&files);
    situation_shell(sb, "cat b", "");
    T_STATUS(sbx_sandbox_replace_text(sb, paths, 0, "y", "", NULL, &files, &err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_replace_text(sb, paths, 1, "", "", NULL, &files, &err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_replace_text(sb, paths, 1, "y", NULL, NULL, &files, &err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_replace_text(sb, twice, 2, "y", "z", NULL, &files, &err), SBX_INVALID_ARGUMENT);
}
