/* Lists, changes and searches of files on Daytona, in both of its dialects. Rows P8, P11, D14. */
#include "daytona_world.h"
#include "file_situations.h"

#include <stdio.h>

static struct world dialect_world(const char *dialect) {
    char scenario[64];
    snprintf(scenario, sizeof(scenario), "{\"daytona\":{\"dialect\":\"%s\"}}", dialect);
    struct world w = world_new_with(SEED, scenario, NULL);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    return w;
}

static void shell(struct world *w, const char *command, const char *want) {
    situation_shell(w->sb, command, want);
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
    situation_lists(w->sb, "1000");
    shell(w, "chmod 0 t/d", "");
    T_STATUS(sbx_sandbox_list_dir(w->sb, "t/d", NULL, &files, &w->err), SBX_FILE_DENIED);
    T_TRUE(files == NULL);
}

static void lists_and_single_paths(void) {
    in_both(listed);
}

static void odd(struct world *w) {
    situation_names(w->sb);
}

static void names_of_any_letters(void) {
    in_both(odd);
}

static void found(struct world *w) {
    situation_searches(w->sb);
}

static void names_and_texts_are_found(void) {
    in_both(found);
}

/* ---- changes ---- */

static void made(struct world *w) {
    situation_directories(w->sb);
    T_STATUS(sbx_sandbox_mkdir(w->sb, "/etc/x", NULL, NULL, &w->err), SBX_FILE_DENIED);
}

static void directories_are_made(void) {
    in_both(made);
}

static void removed(struct world *w) {
    situation_removals(w->sb);
    T_STATUS(sbx_sandbox_remove(w->sb, "/etc/passwd", NULL, NULL, &w->err), SBX_FILE_DENIED);
}

static void day8_37_a_directory_goes_only_if_asked(void) {
    in_both(removed);
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
    situation_moves(w->sb);
    T_STATUS(sbx_sandbox_move(w->sb, "/etc/passwd", "c", NULL, &w->err), SBX_FILE_DENIED);
}

static void moves_keep_what_is_there(void) {
    in_both(moved);
}

static void permitted(struct world *w) {
    situation_permissions(w->sb);
}

static void permissions_are_set(void) {
    in_both(permitted);
}

static void replaced(struct world *w) {
    situation_replacements(w->sb);
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
        T_CASE(directories_are_made), T_CASE(day8_37_a_directory_goes_only_if_asked),
        T_CASE(day8_37_an_old_daemon_knows_no_removal), T_CASE(moves_keep_what_is_there), T_CASE(permissions_are_set),
        T_CASE(texts_are_replaced_file_by_file), T_CASE(a_lost_reply_is_unknown), T_CASE(a_lost_list_is_asked_again),
        T_CASE(day8_42_members_of_other_types), T_CASE(times_are_read_in_both_forms), T_CASE(answers_of_other_kinds),
        T_CASE(arguments_are_checked_first))
