/* Lists, changes, searches, many files and trees on E2B: the same situations as on Daytona, told the same. Rows P8,
 * P11, D14. */
#include "e2b_world.h"
#include "file_situations.h"

#include <stdio.h>

static void shell(struct world *w, const char *command, const char *want) {
    situation_shell(w->sb, command, want);
}

static void finish(struct world *w) {
    T_EQ(sbx_sim_unsupported(w->sim), 0);
    world_finish(w);
}

/* ---- what is there, and changes ---- */

static void lists_and_single_paths(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_files *files = NULL;
    situation_lists(w.sb, "user");
    shell(&w, "ln -s d t/link; chmod 0 t/d", "");
    T_STATUS(sbx_sandbox_list_dir(w.sb, "t/d", NULL, &files, &w.err), SBX_OK); /* the daemon is root */
    sbx_files_free(files);
    files = NULL;
    T_STATUS(sbx_sandbox_stat(w.sb, "t/link", NULL, &files, &w.err), SBX_OK);
    T_EQ(sbx_files_type(files, 0), SBX_FILE_DIRECTORY);
    T_EQ(sbx_files_mode(files, 0), 0);
    sbx_files_free(files);
    finish(&w);
}

static void in_a_sandbox(void (*situation)(struct sbx_sandbox *sb)) {
    struct world w = world_with_running_sandbox(SEED);
    situation(w.sb);
    finish(&w);
}

static void names_of_any_letters(void) {
    in_a_sandbox(situation_names);
}

static void names_and_texts_are_found(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_files *files = NULL;
    situation_searches(w.sb);
    T_STATUS(sbx_sandbox_search_files(w.sb, ".", "a.*", NULL, &files, &w.err), SBX_OK);
    T_EQ(sbx_files_count(files), 1);
    T_STR(sbx_files_path(files, 0), "t/a.txt");
    sbx_files_free(files);
    files = NULL;
    T_STATUS(sbx_sandbox_find_text(w.sb, "none", "x", NULL, &files, &w.err), SBX_FILE_NOT_FOUND);
    shell(&w, "mkdir closed; chmod 0 closed; touch f; chmod 0 f", "");
    T_STATUS(sbx_sandbox_find_text(w.sb, "closed", "x", NULL, &files, &w.err), SBX_FILE_DENIED);
    T_STATUS(sbx_sandbox_find_text(w.sb, "f", "x", NULL, &files, &w.err), SBX_FILE_DENIED);
    T_TRUE(files == NULL);
    finish(&w);
}

static void directories_are_made(void) {
    struct world w = world_with_running_sandbox(SEED);
    situation_directories(w.sb);
    shell(&w, "stat -c %U a/b/c a/new", "user\nuser\n");
    finish(&w);
}

/* Digest 8, 38: the daemon calls a path that is not there removed, removes directories whole, replaces a file that a
 * move meets, and makes directories on the way. */
static void e2b8_38_what_the_daemon_does_too_much(void) {
    in_a_sandbox(situation_removals);
    in_a_sandbox(situation_moves);
}

static void permissions_are_set(void) {
    in_a_sandbox(situation_permissions);
}

static void texts_are_replaced_file_by_file(void) {
    struct world w = world_with_running_sandbox(SEED);
    situation_replacements(w.sb);
    shell(&w, "ls -A /tmp | grep sbx-edit || true", "");
    finish(&w);
}

/* ---- many files, trees ---- */

static void each_file_of_many_has_its_status(void) {
    static const char *const paths[] = {"up/a b", "dir", "file/x", "~x", "empty"};
    static const enum sbx_status want[] = {SBX_OK, SBX_INVALID_ARGUMENT, SBX_INVALID_ARGUMENT, SBX_OK, SBX_OK};
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_memory_reader memory[5];
    struct sbx_reader from[5];
    struct sbx_upload_file files[5];
    struct sbx_files *told = NULL;
    shell(&w, "mkdir dir; touch file", "");
    for (size_t i = 0; i < 5; i++) {
        from[i] = sbx_memory_reader_init(&memory[i], "a\0b", i < 4 ? 3 : 0);
        files[i] = (struct sbx_upload_file){.size = sizeof(files[i]), .path = paths[i], .from = &from[i], .mode = 0600};
    }
    T_STATUS(sbx_sandbox_upload_files(w.sb, files, 5, NULL, NULL, &told, &w.err), SBX_INVALID_ARGUMENT);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(sbx_files_count(told), 5);
    for (size_t i = 0; i < 5; i++) {
        T_EQ(sbx_files_status(told, i), want[i]);
        T_EQ(sbx_files_verified(told, i), want[i] == SBX_OK);
    }
    sbx_files_free(told);
    shell(&w, "stat -c '%a %s' 'up/a b' ./~x empty", "600 3\n600 3\n600 0\n");
    finish(&w);
}

static void a_mode_of_a_single_upload(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    struct sbx_memory_reader memory;
    struct sbx_reader from = sbx_memory_reader_init(&memory, "x", 1);
    opt.mode = 0700;
    T_STATUS(sbx_sandbox_upload(w.sb, "run.sh", &from, &opt, NULL, NULL, &w.err), SBX_OK);
    shell(&w, "stat -c %a run.sh", "700\n");
    world_fault(&w, "{'op':'e2b.process.start','phase':'before','times':0,'effect':{'kind':'status','status':429}}");
    from = sbx_memory_reader_init(&memory, "y", 1);
    T_STATUS(sbx_sandbox_upload(w.sb, "run.sh", &from, &opt, NULL, NULL, &w.err), SBX_RATE_LIMITED);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_CONTAINS(w.err.detail, "mode");
    finish(&w);
}

static void trees_go_up_and_down(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_buf tar = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&tar);
    struct sbx_memory_reader memory;
    shell(&w, "mkdir -p 't/a b/c'; printf 'x\\000y' >'t/a b/f'; chmod 750 t/'a b'; ln -s f 't/a b/l'", "");
    T_STATUS(sbx_sandbox_download_tree(w.sb, "t", &to, NULL, NULL, NULL, &w.err), SBX_OK);
    struct sbx_reader from = sbx_memory_reader_init(&memory, tar.data, tar.len);
    T_STATUS(sbx_sandbox_upload_tree(w.sb, "new/copy", &from, NULL, NULL, NULL, &w.err), SBX_OK);
    shell(&w,
          "cmp 't/a b/f' 'new/copy/a b/f' && stat -c '%a %U' 'new/copy/a b' && readlink 'new/copy/a b/l'; ls -A /tmp | "
          "grep sbx-tree || true",
          "750 user\nf\n");
    from = sbx_memory_reader_init(&memory, "no tar", 6);
    T_STATUS(sbx_sandbox_upload_tree(w.sb, "other", &from, NULL, NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_STATUS(sbx_sandbox_download_tree(w.sb, "none", &to, NULL, NULL, NULL, &w.err), SBX_FILE_NOT_FOUND);
    T_STATUS(sbx_sandbox_download_tree(w.sb, "t/a b/f", &to, NULL, NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    sbx_buf_finish(&tar);
    finish(&w);
}

static void a_full_disk(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "x", 1);
    const struct sbx_upload_file file = {.size = sizeof(file), .path = "big", .from = &from};
    struct sbx_files *told = NULL;
    world_fault(&w, "{'op':'e2b.files.write','phase':'before','effect':{'kind':'status','status':507}}");
    T_STATUS(sbx_sandbox_upload_files(w.sb, &file, 1, NULL, NULL, &told, &w.err), SBX_NO_SPACE);
    T_EQ(w.err.outcome, SBX_OUTCOME_UNKNOWN);
    T_TRUE(told == NULL);
    finish(&w);
}

/* A daemon before 0.5.7, in a sandbox of one's own and in one of somebody else's: single files, many, trees. */
static void an_old_daemon_gets_forms(void) {
    static char bytes[300000];
    struct world w = world_new_with(SEED, "{\"e2b\":{\"envd_version\":\"0.5.6\"}}", NULL);
    struct sbx_runtime *rt = NULL;
    struct sbx_buf tar = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&tar);
    struct sbx_memory_reader memory;
    struct sbx_files *told = NULL;
    for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (char)(i * 7 + (i >> 8));
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    struct sbx_sandbox *elsewhere = world_elsewhere(&w, &rt);
    struct sbx_reader from = sbx_memory_reader_init(&memory, bytes, sizeof(bytes));
    T_STATUS(sbx_sandbox_upload(elsewhere, "t/q\"\xc3\xbc .bin", &from, NULL, NULL, NULL, &w.err), SBX_OK);
    from = sbx_memory_reader_init(&memory, bytes, sizeof(bytes));
    const struct sbx_upload_file file = {.size = sizeof(file), .path = "t/many", .from = &from};
    T_STATUS(sbx_sandbox_upload_files(w.sb, &file, 1, NULL, NULL, &told, &w.err), SBX_OK);
    T_EQ(sbx_files_verified(told, 0), 1);
    sbx_files_free(told);
    T_STATUS(sbx_sandbox_download_tree(w.sb, "t", &to, NULL, NULL, NULL, &w.err), SBX_OK);
    from = sbx_memory_reader_init(&memory, tar.data, tar.len);
    T_STATUS(sbx_sandbox_upload_tree(w.sb, "copy", &from, NULL, NULL, NULL, &w.err), SBX_OK);
    shell(&w, "cmp t/q*.bin t/many && cmp copy/q*.bin t/many && wc -c <copy/many", "300000\n");
    from = sbx_memory_reader_init(&memory, "", 0);
    T_STATUS(sbx_sandbox_upload(w.sb, "copy", &from, NULL, NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    sbx_buf_finish(&tar);
    sbx_sandbox_free(elsewhere);
    sbx_runtime_free(rt);
    finish(&w);
}

/* ---- what the wire may do ---- */

/* A command that has not begun when its time is over, and never will. */
static void commands_that_never_begin(void) {
    static const char *const paths[] = {"a"};
    for (int i = 0; i < 3; i++) {
        struct world w = world_with_running_sandbox(SEED);
        struct sbx_call call = SBX_CALL_INIT;
        struct sbx_files *files = NULL;
        const struct sbx_permission_options mode = {.size = sizeof(mode), .mode = 0600};
        shell(&w, "echo x >a", "");
        world_fault(&w, "{'op':'e2b.process.start','phase':'before','times':1,'effect':{'kind':'hang'}}");
        call.deadline_ms = w.env->now_ms(w.env) + 3000;
        enum sbx_status st = i == 0   ? sbx_sandbox_replace_text(w.sb, paths, 1, "x", "y", &call, &files, &w.err)
                             : i == 1 ? sbx_sandbox_search_files(w.sb, ".", "a", &call, &files, &w.err)
                                      : sbx_sandbox_set_permissions(w.sb, "a", &mode, &call, &w.err);
        T_STATUS(st, SBX_DEADLINE);
        T_TRUE(files == NULL && w.err.outcome != SBX_OUTCOME_DONE);
        shell(&w, "cat a; stat -c %a a; ls -A /tmp | grep sbx-edit || true", "x\n644\n");
        finish(&w);
    }
}

static void a_sandbox_that_is_paused(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_files *files = NULL;
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_list_dir(w.sb, ".", NULL, &files, &w.err), SBX_NOT_READY);
    T_CONTAINS(w.err.detail, "PAUSED");
    T_STATUS(sbx_sandbox_mkdir(w.sb, "d", NULL, NULL, &w.err), SBX_NOT_READY);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_STATUS(sbx_sandbox_search_files(w.sb, ".", "*", NULL, &files, &w.err), SBX_NOT_READY);
    T_TRUE(files == NULL);
    finish(&w);
}

static void members_of_other_types(void) {
    static const struct {
        const char *path, *value;
        int32_t status;
    } rows[] = {{"$.entry.name", "5", SBX_PROTOCOL},
                {"$.entry.name", "'../x'", SBX_PROTOCOL},
                {"$.entry.name", "null", SBX_PROTOCOL},
                {"$.entry.type", "1", SBX_PROTOCOL},
                {"$.entry.type", "'FILE_TYPE_NEW'", SBX_OK},
                {"$.entry.size", "'-1'", SBX_PROTOCOL},
                {"$.entry.size", "'5x'", SBX_PROTOCOL},
                {"$.entry.size", "5", SBX_OK},
                {"$.entry.mode", "null", SBX_OK},
                {"$.entry.owner", "7", SBX_OK},
                {"$.entry.modifiedTime", "'soon'", SBX_OK},
                {"$.entry", "null", SBX_PROTOCOL},
                {"$.entry", "[]", SBX_PROTOCOL}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        struct sbx_files *files = NULL;
        char fault[256];
        shell(&w, "echo x >f", "");
        snprintf(fault, sizeof(fault),
                 "{'op':'e2b.filesystem.stat','phase':'mid_reply','effect':{'kind':'mutate','path':'%s','value':%s}}",
                 rows[i].path, rows[i].value);
        world_fault(&w, fault);
        if ((int32_t)sbx_sandbox_stat(w.sb, "f", NULL, &files, &w.err) != rows[i].status)
            T_FAIL("%s %s: %d %s", rows[i].path, rows[i].value, w.err.status, w.err.detail);
        sbx_files_free(files);
        finish(&w);
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
                {"{'kind':'status','status':200,'body':'null'}", SBX_PROTOCOL},
                {"{'kind':'status','status':200,'body':'{\\\"entries\\\":5}'}", SBX_PROTOCOL},
                {"{'kind':'cut','at_bytes':9}", SBX_CONNECTION_LOST}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        struct sbx_files *files = NULL;
        char fault[256];
        snprintf(fault, sizeof(fault), "{'op':'e2b.filesystem.list_dir','phase':'%s','effect':%s}",
                 strstr(rows[i].effect, "cut") ? "mid_reply" : "before", rows[i].effect);
        world_fault(&w, fault);
        if ((int32_t)sbx_sandbox_list_dir(w.sb, "/etc", NULL, &files, &w.err) != rows[i].status)
            T_FAIL("%s: %d %s", rows[i].effect, w.err.status, w.err.detail);
        T_TRUE(files == NULL);
        finish(&w);
    }
}

T_CASES(T_CASE(lists_and_single_paths), T_CASE(names_of_any_letters), T_CASE(names_and_texts_are_found),
        T_CASE(directories_are_made), T_CASE(e2b8_38_what_the_daemon_does_too_much), T_CASE(permissions_are_set),
        T_CASE(texts_are_replaced_file_by_file), T_CASE(each_file_of_many_has_its_status),
        T_CASE(a_mode_of_a_single_upload), T_CASE(trees_go_up_and_down), T_CASE(a_full_disk),
        T_CASE(commands_that_never_begin), T_CASE(a_sandbox_that_is_paused), T_CASE(members_of_other_types),
        T_CASE(answers_of_other_kinds), T_CASE(an_old_daemon_gets_forms))
