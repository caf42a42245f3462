/* Memory runs out while files are looked at, changed, sent together, and while trees pass. Rows P8, P9, P11, D14. */
#include "sweep.h"

#include <sandport/kit/text.h>
#include <stdlib.h>

static struct sbx_files *files; /* of the run at hand */

static int nothing_was_done(const struct sbx_error *err) {
    return err->outcome == SBX_OUTCOME_NOT_SENT || err->outcome == SBX_OUTCOME_REFUSED;
}

static void launched(struct sweep *s) {
    char hex[65];
    T_TRUE(sbx_sha256_of("", 0, hex)); /* what libcrypto sets up at its first hash is no part of a transfer */
    files = NULL;
    sweep_launched(s);
    sweep_shell(s, "mkdir t; echo a >t/f; echo b >t/g");
}

static void files_done(struct sweep *s) {
    S_TRUE(s, s->st || files != NULL);
    sbx_files_free(files);
    files = NULL;
}

/* ---- looks ---- */

static enum sbx_status list_run(struct sweep *s) {
    enum sbx_status st = sbx_sandbox_list_dir(s->w.sb, "t", NULL, &files, &s->w.err);
    S_TRUE(s, (st == SBX_OK) == (files != NULL));
    if (!st) S_TRUE(s, sbx_files_count(files) == 2 && strcmp(sbx_files_path(files, 1), "g") == 0);
    sbx_files_free(files);
    files = NULL;
    return st;
}

static void listing(void) {
    static const struct operation op = {.name = "list_dir",
                                        .only_reads = 1,
                                        .requests_min = 8,
                                        .before = launched,
                                        .run = list_run,
                                        .after = sweep_destroy};
    sweep(&op);
}

static enum sbx_status find_run(struct sweep *s) {
    enum sbx_status st = sbx_sandbox_find_text(s->w.sb, "t", "b", NULL, &files, &s->w.err);
    S_TRUE(s, (st == SBX_OK) == (files != NULL));
    if (!st) S_TRUE(s, sbx_files_count(files) == 1 && sbx_files_line(files, 0) == 1);
    sbx_files_free(files);
    files = NULL;
    return st;
}

static void finding(void) {
    static const struct operation op = {.name = "find_text",
                                        .only_reads = 1,
                                        .requests_min = 8,
                                        .before = launched,
                                        .run = find_run,
                                        .after = sweep_destroy};
    sweep(&op);
}

/* ---- changes ---- */

static enum sbx_status move_run(struct sweep *s) {
    return sbx_sandbox_move(s->w.sb, "t/f", "t/h", NULL, &s->w.err);
}

static void move_after(struct sweep *s) {
    const struct sbx_error err = s->w.err;
    const int moved = strcmp(sweep_shell(s, "ls t"), "g\nh\n") == 0;
    if (!s->st) S_TRUE(s, moved);
    if (s->st && nothing_was_done(&err)) S_TRUE(s, !moved);
    sweep_destroy(s);
}

static void moving(void) {
    static const struct operation op = {
        .name = "move", .requests_min = 5, .before = launched, .run = move_run, .after = move_after};
    sweep(&op);
}

static enum sbx_status replace_run(struct sweep *s) {
    static const char *const paths[] = {"t/f", "t/g"};
    return sbx_sandbox_replace_text(s->w.sb, paths, 2, "b", "bb", NULL, &files, &s->w.err);
}

static void replace_after(struct sweep *s) {
    const struct sbx_error err = s->w.err;
    const char *text = sweep_shell(s, "cat t/g");
    if (!s->st) S_TRUE(s, strcmp(text, "bb\n") == 0);
    if (s->st && nothing_was_done(&err)) S_TRUE(s, strcmp(text, "b\n") == 0);
    files_done(s);
    sweep_destroy(s);
}

static void replacing(void) {
    static const struct operation op = {
        .name = "replace_text", .requests_min = 10, .before = launched, .run = replace_run, .after = replace_after};
    sweep(&op);
}

/* ---- many ---- */

static enum sbx_status many_run(struct sweep *s) {
    struct sbx_memory_reader memory[2];
    const struct sbx_reader readers[2] = {sbx_memory_reader_init(&memory[0], "one", 3),
                                          sbx_memory_reader_init(&memory[1], "two!", 4)};
    const struct sbx_upload_file manifest[2] = {
        {.size = sizeof(manifest[0]), .path = "m/one", .from = &readers[0], .mode = 0600},
        {.size = sizeof(manifest[0]), .path = "m/two", .from = &readers[1]}};
    return sbx_sandbox_upload_files(s->w.sb, manifest, 2, NULL, NULL, &files, &s->w.err);
}

static void many_after(struct sweep *s) {
    const struct sbx_error err = s->w.err;
    const char *text = sweep_shell(s, "cat m/one m/two 2>/dev/null; true");
    if (!s->st) S_TRUE(s, strcmp(text, "onetwo!") == 0);
    if (s->st && err.outcome == SBX_OUTCOME_NOT_SENT) S_TRUE(s, strcmp(text, "") == 0);
    if (!s->st) S_TRUE(s, sbx_files_verified(files, 0) && sbx_files_verified(files, 1));
    files_done(s);
    sweep_destroy(s);
}

static void uploading_many(void) {
    static const struct operation op = {
        .name = "upload_files", .requests_min = 25, .before = launched, .run = many_run, .after = many_after};
    sweep(&op);
}

/* ---- trees ---- */

static char tar[16384];
static size_t tar_len;

static int tar_write(void *ctx, const void *data, size_t len) {
    (void)ctx;
    if (len > sizeof(tar) - tar_len) return -1;
    memcpy(tar + tar_len, data, len);
    tar_len += len;
    return 0;
}

static enum sbx_status down_run(struct sweep *s) {
    const struct sbx_sink to = {NULL, tar_write};
    tar_len = 0;
    return sbx_sandbox_download_tree(s->w.sb, "t", &to, NULL, NULL, NULL, &s->w.err);
}

/* Our own directory is gone, or it is said that it may not be. */
static void tree_is_tidy(struct sweep *s, const struct sbx_error *err) {
    const int left = *sweep_shell(s, "ls -d /tmp/.sbx-tree-* 2>/dev/null; true") != 0;
    if (s->st) S_TRUE(s, !left || err->cleanup == SBX_CLEANUP_UNCONFIRMED);
}

static void down_after(struct sweep *s) {
    const struct sbx_error err = s->w.err;
    if (!s->st) S_TRUE(s, tar_len >= 1024);
    tree_is_tidy(s, &err);
    sweep_destroy(s);
}

static void a_tree_down(void) {
    static const struct operation op = {
        .name = "download_tree", .requests_min = 30, .before = launched, .run = down_run, .after = down_after};
    sweep(&op);
}

static void up_before(struct sweep *s) {
    launched(s);
    T_STATUS(down_run(s), SBX_OK);
}

static enum sbx_status up_run(struct sweep *s) {
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, tar, tar_len);
    return sbx_sandbox_upload_tree(s->w.sb, "copy", &from, NULL, NULL, NULL, &s->w.err);
}

static void up_after(struct sweep *s) {
    const struct sbx_error err = s->w.err;
    const char *names = sweep_shell(s, "ls copy 2>/dev/null; true");
    if (!s->st) S_TRUE(s, strcmp(names, "f\ng\n") == 0);
    if (s->st && nothing_was_done(&err)) S_TRUE(s, strcmp(names, "") == 0);
    tree_is_tidy(s, &err);
    sweep_destroy(s);
}

static void a_tree_up(void) {
    static const struct operation op = {
        .name = "upload_tree", .requests_min = 40, .before = up_before, .run = up_run, .after = up_after};
    sweep(&op);
}

T_CASES(T_CASE(listing), T_CASE(finding), T_CASE(moving), T_CASE(replacing), T_CASE(uploading_many),
        T_CASE(a_tree_down), T_CASE(a_tree_up))
