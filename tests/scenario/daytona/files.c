/* Lists, changes and searches of files on Daytona, in both of its dialects. Rows P8, P11, D14. */
#include "daytona_world.h"

#include <stdio.h>

static struct world dialect_world(const char *dialect) {
    char scenario[64];
    snprintf(scenario, sizeof(scenario), "{\"daytona\":{\"dialect\":\"%s\"}}", dialect);
    struct world w = world_new_with(SEED, scenario, NULL);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    return w;
}

static void shell(struct world *w, const char *command, const char *want) {
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_sandbox_exec(w->sb, command, NULL, NULL, &result, &w->err), SBX_OK);
    T_STR(sbx_exec_result_stderr(result, NULL), "");
    T_STR(sbx_exec_result_stdout(result, NULL), want);
    sbx_exec_result_free(result);
}

static void in_both(void (*test)(struct world *w)) {
    static const char *const dialects[] = {"v190", "coded"};
    for (size_t i = 0; i < 2; i++) {
        struct world w = dialect_world(dialects[i]);
        test(&w);
        T_EQ(sbx_sim_unsupported(w.sim), 0);
        world_finish(&w);
    }
}

/* ---- what is there ---- */

static void listed(struct world *w) {
    struct sbx_files *files = NULL;
    shell(w, "mkdir -p t/d; printf hello >t/f; chmod 640 t/f; touch t/-x; ln -s nowhere t/dangling", "");
    T_STATUS(sbx_sandbox_list_dir(w->sb, "t", NULL, &files, &w->err), SBX_OK);
    T_EQ(sbx_files_count(files), 3);
    T_STR(sbx_files_path(files, 0), "-x");
    T_STR(sbx_files_path(files, 1), "d");
    T_EQ(sbx_files_type(files, 1), SBX_FILE_DIRECTORY);
    T_STR(sbx_files_path(files, 2), "f");
    T_EQ(sbx_files_type(files, 2), SBX_FILE_REGULAR);
    T_EQ(sbx_files_size(files, 2), 5);
    T_EQ(sbx_files_mode(files, 2), 0640);
    T_STR(sbx_files_owner(files, 2), "1000");
    T_STR(sbx_files_group(files, 2), "1000");
    T_TRUE(sbx_files_modified_ms(files, 2) > INT64_C(1577836800000)); /* 2020 */
    T_EQ(sbx_files_status(files, 2), SBX_OK);
    sbx_files_free(files);
    files = NULL;
    T_STATUS(sbx_sandbox_stat(w->sb, "t/f", NULL, &files, &w->err), SBX_OK);
    T_EQ(sbx_files_count(files), 1);
    T_STR(sbx_files_path(files, 0), "f");
    T_EQ(sbx_files_size(files, 0), 5);
    sbx_files_free(files);
    files = NULL;
    T_STATUS(sbx_sandbox_stat(w->sb, "/", NULL, &files, &w->err), SBX_OK);
    T_EQ(sbx_files_type(files, 0), SBX_FILE_DIRECTORY);
    sbx_files_free(files);
    files = NULL;
    T_STATUS(sbx_sandbox_stat(w->sb, ".", NULL, &files, &w->err), SBX_OK);
    sbx_files_free(files);
    files = NULL;
    T_STATUS(sbx_sandbox_list_dir(w->sb, "t/d/", NULL, &files, &w->err), SBX_OK);
    T_EQ(sbx_files_count(files), 0);
    sbx_files_free(files);
    files = NULL;
    T_STATUS(sbx_sandbox_list_dir(w->sb, "t/f", NULL, &files, &w->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_list_dir(w->sb, "t/none", NULL, &files, &w->err), SBX_FILE_NOT_FOUND);
    T_STATUS(sbx_sandbox_stat(w->sb, "t/dangling", NULL, &files, &w->err), SBX_FILE_NOT_FOUND);
    T_EQ(w->err.outcome, SBX_OUTCOME_REFUSED);
    shell(w, "chmod 0 t/d", "");
    T_STATUS(sbx_sandbox_list_dir(w->sb, "t/d", NULL, &files, &w->err), SBX_FILE_DENIED);
    T_TRUE(files == NULL);
}

static void lists_and_single_paths(void) {
    in_both(listed);
}

static void odd(struct world *w) {
    static const char *const names[] = {"-rf",    "a b",          "a+b",     "100%",        "%41",   "qu'o\"te",
                                        "l1\nl2", "\xe2\x82\xac", "?x=1&y#", "back\\slash", "$(id)", "*"};
    struct sbx_files *files = NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char moved[64];
        snprintf(moved, sizeof(moved), "to/%s", names[i]);
        T_STATUS(sbx_sandbox_mkdir(w->sb, "to", NULL, NULL, &w->err), SBX_OK);
        T_STATUS(sbx_sandbox_mkdir(w->sb, names[i], NULL, NULL, &w->err), SBX_OK);
        T_STATUS(sbx_sandbox_stat(w->sb, names[i], NULL, &files, &w->err), SBX_OK);
        T_STR(sbx_files_path(files, 0), names[i]);
        T_EQ(sbx_files_type(files, 0), SBX_FILE_DIRECTORY);
        sbx_files_free(files);
        files = NULL;
        T_STATUS(sbx_sandbox_move(w->sb, names[i], moved, NULL, &w->err), SBX_OK);
        T_STATUS(sbx_sandbox_list_dir(w->sb, "to", NULL, &files, &w->err), SBX_OK);
        T_EQ(sbx_files_count(files), 1);
        T_STR(sbx_files_path(files, 0), names[i]);
        sbx_files_free(files);
        files = NULL;
        const struct sbx_remove_options all = {.size = sizeof(all), .recursive = SBX_YES};
        T_STATUS(sbx_sandbox_remove(w->sb, moved, &all, NULL, &w->err), SBX_OK);
    }
    shell(w, "ls -A to; ls", "to\n");
}

static void names_of_any_letters(void) {
    in_both(odd);
}

static void found(struct world *w) {
    struct sbx_files *files = NULL;
    shell(w,
          "mkdir -p t/d; printf 'one\\nneedle a+b\\n' >t/a.txt; printf 'x\\nneedle' >t/d/b.txt; printf 'n\\000needle' "
          ">t/c",
          "");
    T_STATUS(sbx_sandbox_search_files(w->sb, "t", "*.txt", NULL, &files, &w->err), SBX_OK);
    T_EQ(sbx_files_count(files), 2);
    T_STR(sbx_files_path(files, 0), "t/a.txt");
    T_STR(sbx_files_path(files, 1), "t/d/b.txt");
    sbx_files_free(files);
    files = NULL;
    T_STATUS(sbx_sandbox_find_text(w->sb, "t", "needle", NULL, &files, &w->err), SBX_OK);
    T_EQ(sbx_files_count(files), 2);
    T_STR(sbx_files_path(files, 0), "t/a.txt");
    T_EQ(sbx_files_line(files, 0), 2);
    T_STR(sbx_files_text(files, 0), "needle a+b");
    T_EQ(sbx_files_line(files, 1), 2);
    sbx_files_free(files);
    files = NULL;
    T_STATUS(sbx_sandbox_find_text(w->sb, "t", "a+b", NULL, &files, &w->err), SBX_OK);
    T_EQ(sbx_files_count(files), 1);
    sbx_files_free(files);
    files = NULL;
    T_STATUS(sbx_sandbox_search_files(w->sb, "t", "nothing", NULL, &files, &w->err), SBX_OK);
    T_EQ(sbx_files_count(files), 0);
    sbx_files_free(files);
    files = NULL;
    T_STATUS(sbx_sandbox_search_files(w->sb, "t", "[a", NULL, &files, &w->err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w->err.detail, "pattern");
    T_STATUS(sbx_sandbox_search_files(w->sb, "t", "", NULL, &files, &w->err), SBX_INVALID_ARGUMENT);
    T_TRUE(sbx_sandbox_find_text(w->sb, "none", "x", NULL, &files, &w->err) != SBX_OK);
    T_TRUE(files == NULL);
}

static void names_and_texts_are_found(void) {
    in_both(found);
}

/* ---- changes ---- */

static void made_and_removed(struct world *w) {
    struct sbx_mkdir_options opt = SBX_MKDIR_OPTIONS_INIT;
    opt.mode = 0700;
    T_STATUS(sbx_sandbox_mkdir(w->sb, "a/b/c", &opt, NULL, &w->err), SBX_OK);
    shell(w, "stat -c %a a/b/c", "700\n");
    T_STATUS(sbx_sandbox_mkdir(w->sb, "a/b/c", NULL, NULL, &w->err), SBX_OK);
    shell(w, "touch a/f; stat -c %a a/b/c", "700\n");
    T_STATUS(sbx_sandbox_mkdir(w->sb, "a/f/g", NULL, NULL, &w->err), SBX_INVALID_ARGUMENT);
    T_EQ(w->err.outcome, SBX_OUTCOME_REFUSED);
    T_STATUS(sbx_sandbox_mkdir(w->sb, "a/f", NULL, NULL, &w->err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w->err.detail, "path");
    T_STATUS(sbx_sandbox_mkdir(w->sb, "/etc/x", NULL, NULL, &w->err), SBX_FILE_DENIED);
    T_STATUS(sbx_sandbox_remove(w->sb, "a/f", NULL, NULL, &w->err), SBX_OK);
    T_STATUS(sbx_sandbox_remove(w->sb, "a/f", NULL, NULL, &w->err), SBX_FILE_NOT_FOUND);
    T_STATUS(sbx_sandbox_remove(w->sb, "/etc/passwd", NULL, NULL, &w->err), SBX_FILE_DENIED);
    opt.mode = 01000;
    T_STATUS(sbx_sandbox_mkdir(w->sb, "x", &opt, NULL, &w->err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w->err.detail, "mode");
}

static void directories_come_and_files_go(void) {
    in_both(made_and_removed);
}

static void removed_37(struct world *w) {
    struct sbx_remove_options opt = SBX_REMOVE_OPTIONS_INIT;
    shell(w, "mkdir -p d/e empty; touch d/f", "");
    T_STATUS(sbx_sandbox_remove(w->sb, "d", NULL, NULL, &w->err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w->err.detail, "recursive");
    T_EQ(w->err.outcome, SBX_OUTCOME_REFUSED);
    T_STATUS(sbx_sandbox_remove(w->sb, "empty", NULL, NULL, &w->err), SBX_INVALID_ARGUMENT);
    shell(w, "ls d; ls", "e\nf\nd\nempty\n");
    opt.recursive = SBX_YES;
    T_STATUS(sbx_sandbox_remove(w->sb, "d", &opt, NULL, &w->err), SBX_OK);
    shell(w, "ls", "empty\n");
}

static void day8_37_a_directory_goes_only_if_asked(void) {
    in_both(removed_37);
}

static void day8_37_an_old_daemon_knows_no_removal(void) {
    struct world w = world_new_with(SEED, "{\"daytona\":{\"daemon\":\"v0.187.0\"}}", NULL);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    shell(&w, "touch f", "");
    T_STATUS(sbx_sandbox_remove(w.sb, "f", NULL, NULL, &w.err), SBX_UNSUPPORTED);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_CONTAINS(w.err.detail, "too old");
    shell(&w, "ls", "f\n");
    world_finish(&w);
}

static void moved(struct world *w) {
    shell(w, "mkdir d; echo one >a; echo two >b", "");
    T_STATUS(sbx_sandbox_move(w->sb, "a", "b", NULL, &w->err), SBX_ALREADY_EXISTS);
    T_CONTAINS(w->err.detail, "to");
    shell(w, "cat a b", "one\ntwo\n");
    T_STATUS(sbx_sandbox_move(w->sb, "none", "c", NULL, &w->err), SBX_FILE_NOT_FOUND);
    T_STATUS(sbx_sandbox_move(w->sb, "a", "no/such/dir", NULL, &w->err), SBX_FILE_NOT_FOUND);
    T_STATUS(sbx_sandbox_move(w->sb, "/etc/passwd", "c", NULL, &w->err), SBX_FILE_DENIED);
    T_STATUS(sbx_sandbox_move(w->sb, "a", "d/c", NULL, &w->err), SBX_OK);
    shell(w, "ls; cat d/c", "b\nd\none\n");
    T_STATUS(sbx_sandbox_move(w->sb, "", "c", NULL, &w->err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w->err.detail, "from");
}

static void moves_keep_what_is_there(void) {
    in_both(moved);
}

static void permitted(struct world *w) {
    struct sbx_permission_options opt = SBX_PERMISSION_OPTIONS_INIT;
    shell(w, "touch f", "");
    T_STATUS(sbx_sandbox_set_permissions(w->sb, "f", &opt, NULL, &w->err), SBX_INVALID_ARGUMENT);
    opt.mode = 0751;
    opt.group = "1000";
    T_STATUS(sbx_sandbox_set_permissions(w->sb, "f", &opt, NULL, &w->err), SBX_OK);
    shell(w, "stat -c %a f", "751\n");
    opt.mode = SBX_MODE_NONE;
    T_STATUS(sbx_sandbox_set_permissions(w->sb, "f", &opt, NULL, &w->err), SBX_OK);
    shell(w, "stat -c %a f", "0\n");
    T_STATUS(sbx_sandbox_set_permissions(w->sb, "none", &opt, NULL, &w->err), SBX_FILE_NOT_FOUND);
    T_STATUS(sbx_sandbox_set_permissions(w->sb, "/etc/passwd", &opt, NULL, &w->err), SBX_FILE_DENIED);
    opt.owner = "nobody-here";
    T_STATUS(sbx_sandbox_set_permissions(w->sb, "f", &opt, NULL, &w->err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w->err.detail, "owner");
    opt.owner = "root";
    T_STATUS(sbx_sandbox_set_permissions(w->sb, "f", &opt, NULL, &w->err), SBX_FILE_DENIED);
}

static void permissions_are_set(void) {
    in_both(permitted);
}

static void replaced(struct world *w) {
    static const char *const paths[] = {"a", "none", "/etc/passwd", "b"};
    struct sbx_files *files = NULL;
    shell(w, "echo 'x x' >a; echo y >b", "");
    T_STATUS(sbx_sandbox_replace_text(w->sb, paths, 1, "x", "xx \"q\"", NULL, &files, &w->err), SBX_OK);
    T_EQ(sbx_files_count(files), 1);
    sbx_files_free(files);
    files = NULL;
    shell(w, "cat a", "xx \"q\" xx \"q\"\n");
    T_STATUS(sbx_sandbox_replace_text(w->sb, paths, 4, "y", "", NULL, &files, &w->err), SBX_FILE_NOT_FOUND);
    T_EQ(w->err.outcome, SBX_OUTCOME_DONE);
    T_CONTAINS(w->err.detail, "paths[1]");
    T_EQ(sbx_files_count(files), 4);
    T_EQ(sbx_files_status(files, 0), SBX_OK);
    T_EQ(sbx_files_status(files, 1), SBX_FILE_NOT_FOUND);
    T_EQ(sbx_files_status(files, 2), SBX_FILE_DENIED);
    T_STR(sbx_files_path(files, 3), "b");
    T_EQ(sbx_files_status(files, 3), SBX_OK);
    sbx_files_free(files);
    files = NULL;
    shell(w, "cat b", "\n");
    T_STATUS(sbx_sandbox_replace_text(w->sb, paths, 0, "y", "", NULL, &files, &w->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_replace_text(w->sb, paths, 1, "", "", NULL, &files, &w->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_replace_text(w->sb, paths, 1, "y", NULL, NULL, &files, &w->err), SBX_INVALID_ARGUMENT);
    static const char *const twice[] = {"a", "a"};
    T_STATUS(sbx_sandbox_replace_text(w->sb, twice, 2, "y", "z", NULL, &files, &w->err), SBX_INVALID_ARGUMENT);
}

static void texts_are_replaced_file_by_file(void) {
    in_both(replaced);
}

/* ---- what the wire may do ---- */

/* A change whose reply was lost is not sent again, and not said to have failed. */
static void a_lost_reply_is_unknown(void) {
    static const char *const ops[] = {"move", "folder", "delete", "permissions", "replace"};
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        static const char *const paths[] = {"a"};
        const struct sbx_permission_options mode = {.size = sizeof(mode), .mode = 0600};
        struct sbx_files *files = NULL;
        char rule[160];
        enum sbx_status st = SBX_OK;
        shell(&w, "echo x >a", "");
        snprintf(rule, sizeof(rule),
                 "{'op':'daytona.toolbox.%s','phase':'after_commit','times':1,'effect':{'kind':'reset'}}", ops[i]);
        int64_t number = world_fault(&w, rule);
        if (i == 0) st = sbx_sandbox_move(w.sb, "a", "b", NULL, &w.err);
        if (i == 1) st = sbx_sandbox_mkdir(w.sb, "d", NULL, NULL, &w.err);
        if (i == 2) st = sbx_sandbox_remove(w.sb, "a", NULL, NULL, &w.err);
        if (i == 3) st = sbx_sandbox_set_permissions(w.sb, "a", &mode, NULL, &w.err);
        if (i == 4) st = sbx_sandbox_replace_text(w.sb, paths, 1, "x", "xx", NULL, &files, &w.err);
        T_STATUS(st, SBX_CONNECTION_LOST);
        T_EQ(w.err.outcome, SBX_OUTCOME_UNKNOWN);
        T_EQ(sbx_sim_fault_hits(w.sim, number), 1);
        if (i == 4) shell(&w, "cat a", "xx\n");
        world_finish(&w);
    }
}

/* A read is asked again. */
static void a_lost_list_is_asked_again(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_files *files = NULL;
    world_fault(&w, "{'op':'daytona.toolbox.list','phase':'after_commit','times':2,'effect':{'kind':'reset'}}");
    T_STATUS(sbx_sandbox_list_dir(w.sb, ".", NULL, &files, &w.err), SBX_OK);
    sbx_files_free(files);
    world_finish(&w);
}

/* 8.42: what decides what is done with a file is strict, the rest may be missing. */
static void day8_42_members_of_other_types(void) {
    static const struct {
        const char *path, *value;
        int32_t status;
    } rows[] = {{"$.name", "5", SBX_PROTOCOL},
                {"$.name", "'../x'", SBX_PROTOCOL},
                {"$.name", "'..'", SBX_PROTOCOL},
                {"$.name", "''", SBX_PROTOCOL},
                {"$.name", "null", SBX_PROTOCOL},
                {"$.isDir", "'true'", SBX_PROTOCOL},
                {"$.isDir", "null", SBX_PROTOCOL},
                {"$.size", "1.5", SBX_PROTOCOL},
                {"$.size", "-1", SBX_PROTOCOL},
                {"$.size", "'5'", SBX_PROTOCOL},
                {"$.permissions", "null", SBX_OK},
                {"$.permissions", "'rwx'", SBX_OK},
                {"$.permissions", "420", SBX_OK},
                {"$.owner", "1000", SBX_OK},
                {"$.group", "null", SBX_OK},
                {"$.modifiedAt", "null", SBX_OK},
                {"$.modifiedAt", "'yesterday'", SBX_OK},
                {"$.mode", "null", SBX_OK}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        struct sbx_files *files = NULL;
        char fault[256];
        shell(&w, "touch f", "");
        snprintf(fault, sizeof(fault),
                 "{'op':'daytona.toolbox.info','phase':'mid_reply','effect':{'kind':'mutate','path':'%s','value':%s}}",
                 rows[i].path, rows[i].value);
        world_fault(&w, fault);
        if ((int32_t)sbx_sandbox_stat(w.sb, "f", NULL, &files, &w.err) != rows[i].status)
            T_FAIL("%s %s: %d %s", rows[i].path, rows[i].value, w.err.status, w.err.detail);
        if (files && strcmp(rows[i].path, "$.permissions") == 0) T_EQ(sbx_files_mode(files, 0), -1);
        if (files && strcmp(rows[i].path, "$.owner") == 0) T_STR(sbx_files_owner(files, 0), "");
        if (files && strcmp(rows[i].value, "'yesterday'") == 0) T_EQ(sbx_files_modified_ms(files, 0), INT64_MIN);
        if (files && strcmp(rows[i].path, "$.mode") == 0) T_EQ(sbx_files_type(files, 0), SBX_FILE_TYPE_UNKNOWN);
        sbx_files_free(files);
        world_finish(&w);
    }
}

static void times_are_read_in_both_forms(void) {
    static const struct {
        const char *member, *value;
        int64_t ms;
    } rows[] = {{"modifiedAt", "2026-01-01T00:00:00Z", INT64_C(1767225600000)},
                {"modifiedAt", "2026-01-01T02:30:00.25+02:30", INT64_C(1767225600250)},
                {"modifiedAt", "1969-12-31T23:59:59Z", -1000},
                {"modifiedAt", "2024-02-29T12:00:00-01:00", INT64_C(1709211600000)},
                {"modTime", "2026-01-01 00:00:00 +0000 UTC", INT64_C(1767225600000)},
                {"modTime", "2026-01-01 00:00:00.5 +0100 CET", INT64_C(1767222000500)},
                {"modTime", "2026-13-01 00:00:00 +0000 UTC", INT64_MIN}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        struct sbx_files *files = NULL;
        char fault[256];
        shell(&w, "touch f", "");
        snprintf(fault, sizeof(fault),
                 "{'op':'daytona.toolbox.info','phase':'before','effect':{'kind':'status','status':200,'body':"
                 "'{\\\"name\\\":\\\"f\\\",\\\"size\\\":1,\\\"isDir\\\":false,\\\"%s\\\":\\\"%s\\\"}'}}",
                 rows[i].member, rows[i].value);
        world_fault(&w, fault);
        T_STATUS(sbx_sandbox_stat(w.sb, "f", NULL, &files, &w.err), SBX_OK);
        T_EQ(sbx_files_modified_ms(files, 0), rows[i].ms);
        sbx_files_free(files);
        world_finish(&w);
    }
}

static void answers_of_other_kinds(void) {
    static const struct {
        const char *effect;
        int32_t status;
    } rows[] = {{"{'kind':'html','status':200}", SBX_PROTOCOL},
                {"{'kind':'html','status':404}", SBX_PROVIDER},
                {"{'kind':'status','status':401}", SBX_UNAUTHORISED},
                {"{'kind':'status','status':429}", SBX_RATE_LIMITED},
                {"{'kind':'status','status':200,'body':'{}'}", SBX_PROTOCOL},
                {"{'kind':'status','status':200,'body':'null'}", SBX_PROTOCOL},
                {"{'kind':'status','status':404,'body':'404 page not found'}", SBX_UNSUPPORTED}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        struct sbx_files *files = NULL;
        char fault[256];
        snprintf(fault, sizeof(fault), "{'op':'daytona.toolbox.list','phase':'before','effect':%s}", rows[i].effect);
        world_fault(&w, fault);
        T_STATUS(sbx_sandbox_list_dir(w.sb, ".", NULL, &files, &w.err), rows[i].status);
        T_TRUE(files == NULL);
        world_finish(&w);
    }
}

/* ---- what is refused here ---- */

static void arguments_are_checked_first(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_files *files = NULL;
    char longest[4200];
    memset(longest, 'a', sizeof(longest));
    longest[sizeof(longest) - 1] = 0;
    static const char *const bad[] = {NULL, "", "a/../b", "..", "\xff"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        T_STATUS(sbx_sandbox_list_dir(w.sb, bad[i], NULL, &files, &w.err), SBX_INVALID_ARGUMENT);
        T_CONTAINS(w.err.detail, "dir: expected");
        T_STATUS(sbx_sandbox_stat(w.sb, bad[i], NULL, &files, &w.err), SBX_INVALID_ARGUMENT);
        T_STATUS(sbx_sandbox_mkdir(w.sb, bad[i], NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
        T_STATUS(sbx_sandbox_remove(w.sb, bad[i], NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
        T_STATUS(sbx_sandbox_move(w.sb, "a", bad[i], NULL, &w.err), SBX_INVALID_ARGUMENT);
        T_CONTAINS(w.err.detail, "to: expected");
    }
    T_STATUS(sbx_sandbox_stat(w.sb, longest, NULL, &files, &w.err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_stat(NULL, "a", NULL, &files, &w.err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_stat(w.sb, "a", NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sandbox_find_text(w.sb, ".", "\xff", NULL, &files, &w.err), SBX_INVALID_ARGUMENT);
    struct sbx_remove_options opt = {.size = 3};
    T_STATUS(sbx_sandbox_remove(w.sb, "a", &opt, NULL, &w.err), SBX_INVALID_ARGUMENT);
    T_TIMELINE(w.sim, "");
    world_finish(&w);
}

T_CASES(T_CASE(lists_and_single_paths), T_CASE(names_of_any_letters), T_CASE(names_and_texts_are_found),
        T_CASE(directories_come_and_files_go), T_CASE(day8_37_a_directory_goes_only_if_asked),
        T_CASE(day8_37_an_old_daemon_knows_no_removal), T_CASE(moves_keep_what_is_there), T_CASE(permissions_are_set),
        T_CASE(texts_are_replaced_file_by_file), T_CASE(a_lost_reply_is_unknown), T_CASE(a_lost_list_is_asked_again),
        T_CASE(day8_42_members_of_other_types), T_CASE(times_are_read_in_both_forms), T_CASE(answers_of_other_kinds),
        T_CASE(arguments_are_checked_first))
