/* Guards of files and trees, on real shells and a real tar: what arrived is what was sent. Rows P8, P11, D14. */
#include "shell_host.h"
#include "src/port/port.h"
#include "t.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A host with files, and a way to lose or change a byte of them. */
struct files_host {
    struct shell_host *host;
    struct sbx_work_files by;
    enum { AS_IT_IS, ONE_LESS, ONE_FLIPPED } harm;
};

static enum sbx_status files_write(struct files_host *f, const char *path, const struct sbx_reader *from) {
    struct sbx_buf data = SBX_BUF_INIT;
    char piece[1000];
    for (ptrdiff_t n = 1; n > 0;) {
        n = from->read(from->ctx, piece, sizeof(piece));
        T_TRUE(n >= 0);
        sbx_buf_append(&data, piece, (size_t)n);
    }
    T_TRUE(data.len > 1);
    if (f->harm == ONE_LESS) data.len--;
    if (f->harm == ONE_FLIPPED) data.data[data.len / 2] ^= 1;
    FILE *file = fopen(path, "we");
    T_TRUE(file != NULL);
    T_EQ(fwrite(data.data, 1, data.len, file), data.len);
    T_EQ(fclose(file), 0);
    sbx_buf_finish(&data);
    return SBX_OK;
}

static enum sbx_status files_upload(void *ctx, const char *path, const struct sbx_reader *from,
                                    const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                    struct sbx_error *err) {
    (void)opt, (void)call, (void)err;
    return files_write(ctx, path, from);
}

static enum sbx_status files_download(void *ctx, const char *path, const struct sbx_sink *to,
                                      const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                      struct sbx_error *err) {
    struct files_host *f = ctx;
    static char data[1 << 20];
    FILE *file = fopen(path, "re");
    (void)opt, (void)call, (void)err;
    T_TRUE(file != NULL);
    size_t len = fread(data, 1, sizeof(data), file);
    fclose(file);
    T_TRUE(len > 1 && len < sizeof(data));
    if (f->harm == ONE_LESS) len--;
    if (f->harm == ONE_FLIPPED) data[len / 2] ^= 1;
    T_EQ(to->write(to->ctx, data, len), 0);
    return SBX_OK;
}

static enum sbx_status files_many(void *ctx, const struct sbx_upload_file *files, size_t count,
                                  const struct sbx_transfer_options *opt, int32_t *statuses,
                                  const struct sbx_call *call, struct sbx_error *err) {
    (void)opt, (void)statuses, (void)call, (void)err;
    for (size_t i = 0; i < count; i++) (void)!files_write(ctx, files[i].path, files[i].from);
    return SBX_OK;
}

static struct files_host *files_host(struct shell_host *host) {
    static struct files_host f;
    f = (struct files_host){.host = host};
    f.by = (struct sbx_work_files){sizeof(f.by), &f, files_upload, files_download, files_many};
    return &f;
}

static void outside(struct shell_host *host, const char *command, int want) {
    char line[1024];
    snprintf(line, sizeof(line), "cd %s && %s", host->dir, command);
    int state = system(line);
    T_EQ(WEXITSTATUS(state), want);
}

/* ---- trees ---- */

static struct sbx_buf tar_of(struct shell_host *host) {
    struct sbx_buf tar = SBX_BUF_INIT;
    char path[96];
    outside(host, "mkdir t && echo one >t/one && mkdir 't/a b' && echo two >'t/a b/two' && tar -cf tar -C t .", 0);
    snprintf(path, sizeof(path), "%s/tar", host->dir);
    FILE *file = fopen(path, "re");
    T_TRUE(file != NULL);
    char *room = sbx_buf_reserve(&tar, 1 << 16);
    tar.len = fread(room, 1, 1 << 16, file);
    fclose(file);
    return tar;
}

static enum sbx_status up(struct files_host *f, const struct sbx_buf *tar) {
    char dir[96];
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, tar->data, tar->len);
    const struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    snprintf(dir, sizeof(dir), "%s/copy", f->host->dir);
    return sbx_work_upload_tree(&f->host->work, &f->by, dir, &from, &opt, &f->host->call, &f->host->err);
}

static void nothing_left(struct shell_host *host) {

    T_TRUE(strstr(host->last_line, "rm -rf /tmp/.sbx-tree-") != NULL);
    T_EQ(host->err.cleanup, SBX_CLEANUP_CONFIRMED);
}

static void up_harmed(struct shell_host *host, int harm, int few) {
    struct files_host *f = files_host(host);
    struct sbx_buf tar = tar_of(host);
    f->harm = harm == ONE_LESS ? ONE_LESS : harm == ONE_FLIPPED ? ONE_FLIPPED : AS_IT_IS;
    if (few) shell_host_commands(host, "sh tar mkdir rm wc");
    if (harm == AS_IT_IS) {
        T_STATUS(up(f, &tar), SBX_OK);
        outside(host, "diff -r t copy", 0);
    } else {
        T_STATUS(up(f, &tar), SBX_CONNECTION_LOST);
        T_EQ(host->err.outcome, SBX_OUTCOME_REFUSED);
        outside(host, "test -z \"$(ls -A copy)\"", 0);
    }
    nothing_left(host);
    sbx_buf_finish(&tar);
}

static void up_less_on(struct shell_host *host) {
    up_harmed(host, ONE_LESS, 0);
}
static void up_flipped_on(struct shell_host *host) {
    up_harmed(host, ONE_FLIPPED, 0);
}
static void up_less_few_on(struct shell_host *host) {
    up_harmed(host, ONE_LESS, 1);
}
static void up_whole_on(struct shell_host *host) {
    up_harmed(host, AS_IT_IS, 0);
}
static void up_whole_few_on(struct shell_host *host) {
    up_harmed(host, AS_IT_IS, 1);
}
static void must_fire_tree_up_verified__one_byte_less(void) {
    shell_host_each(up_less_on);
    shell_host_each(up_less_few_on);
}
static void must_fire_tree_up_verified__one_bit_else(void) {
    shell_host_each(up_flipped_on);
}
static void must_not_fire_tree_up_verified__as_sent(void) {
    shell_host_each(up_whole_on);
    shell_host_each(up_whole_few_on);
}

static enum sbx_status down(struct files_host *f, struct sbx_buf *got) {
    char dir[96];
    const struct sbx_sink to = sbx_buf_sink(got);
    const struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    snprintf(dir, sizeof(dir), "%s/t", f->host->dir);
    return sbx_work_download_tree(&f->host->work, &f->by, dir, &to, &opt, &f->host->call, &f->host->err);
}

static void down_harmed(struct shell_host *host, int harm) {
    struct files_host *f = files_host(host);
    struct sbx_buf tar = tar_of(host), got = SBX_BUF_INIT;
    f->harm = harm == ONE_LESS ? ONE_LESS : harm == ONE_FLIPPED ? ONE_FLIPPED : AS_IT_IS;
    T_STATUS(down(f, &got), harm == AS_IT_IS ? SBX_OK : SBX_CONNECTION_LOST);
    nothing_left(host);
    if (harm == AS_IT_IS) T_STATUS(up(f, &got), SBX_OK);
    if (harm == AS_IT_IS) outside(host, "diff -r t copy", 0);
    sbx_buf_finish(&tar);
    sbx_buf_finish(&got);
}

static void down_less_on(struct shell_host *host) {
    down_harmed(host, ONE_LESS);
}
static void down_flipped_on(struct shell_host *host) {
    down_harmed(host, ONE_FLIPPED);
}
static void down_whole_on(struct shell_host *host) {
    down_harmed(host, AS_IT_IS);
}
static void must_fire_tree_down_verified__one_byte_less(void) {
    shell_host_each(down_less_on);
}
static void must_fire_tree_down_verified__one_bit_else(void) {
    shell_host_each(down_flipped_on);
}
static void must_not_fire_tree_down_verified__as_made(void) {
    shell_host_each(down_whole_on);
}

static void no_tar_on(struct shell_host *host) {
    struct files_host *f = files_host(host);
    struct sbx_buf tar = tar_of(host), got = SBX_BUF_INIT;
    shell_host_commands(host, "sh mkdir rm wc");
    T_STATUS(up(f, &tar), SBX_TOOL_MISSING);
    T_STR(host->err.detail, "tar");
    T_EQ(host->err.outcome, SBX_OUTCOME_REFUSED);
    outside(host, "test -e copy", 1);
    T_STATUS(down(f, &got), SBX_TOOL_MISSING);
    T_EQ(got.len, 0);
    sbx_buf_finish(&tar);
}
static void without_a_tar(void) {
    shell_host_each(no_tar_on);
}

/* ---- many files ---- */

static void many_harmed(struct shell_host *host, int harm, int few) {
    struct files_host *f = files_host(host);
    struct sbx_files *told = sbx_port_files_new();
    struct sbx_memory_reader memory[2];
    struct sbx_reader readers[2];
    struct sbx_upload_file files[2];
    char paths[2][96];
    const struct sbx_transfer_options opt = SBX_TRANSFER_OPTIONS_INIT;
    static const enum sbx_status harmed[] = {SBX_OK, SBX_CONNECTION_LOST, SBX_CONNECTION_LOST};
    /* a bit else is found only where there is a sha256sum */
    const enum sbx_status want = few && harm == ONE_FLIPPED ? SBX_OK : harmed[harm];
    f->harm = harm == ONE_LESS ? ONE_LESS : harm == ONE_FLIPPED ? ONE_FLIPPED : AS_IT_IS;
    if (few) shell_host_commands(host, "sh wc chmod");
    for (size_t i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof(paths[i]), "%s/it's %zu", host->dir, i);
        readers[i] = sbx_memory_reader_init(&memory[i], "four", 4);
        files[i] = (struct sbx_upload_file){
            .size = sizeof(files[i]), .path = paths[i], .from = &readers[i], .bytes = 4, .mode = i ? 0600 : 0};
    }
    T_STATUS(sbx_work_upload_files(&f->host->work, &f->by, files, 2, &opt, &host->call, told, &host->err), want);
    T_EQ(sbx_files_count(told), 2);
    for (size_t i = 0; i < 2; i++) {
        T_EQ(sbx_files_status(told, i), want);
        T_EQ(sbx_files_verified(told, i), harm == AS_IT_IS && !few);
        T_EQ(sbx_files_size(told, i), 4);
    }
    if (harm == AS_IT_IS)
        outside(host, "test \"$(stat -c %a \"it's 1\")\" = 600 && test \"$(cat \"it's 0\")\" = four", 0);
    sbx_files_free(told);
}

static void many_less_on(struct shell_host *host) {
    many_harmed(host, ONE_LESS, 0);
}
static void many_flipped_on(struct shell_host *host) {
    many_harmed(host, ONE_FLIPPED, 0);
}
static void many_less_few_on(struct shell_host *host) {
    many_harmed(host, ONE_LESS, 1);
}
static void many_flipped_few_on(struct shell_host *host) {
    many_harmed(host, ONE_FLIPPED, 1);
}
static void many_whole_on(struct shell_host *host) {
    many_harmed(host, AS_IT_IS, 0);
}
static void many_whole_few_on(struct shell_host *host) {
    many_harmed(host, AS_IT_IS, 1);
}
static void must_fire_upload_files_verified__one_byte_less(void) {
    shell_host_each(many_less_on);
    shell_host_each(many_less_few_on);
}
static void must_fire_upload_files_verified__one_bit_else(void) {
    shell_host_each(many_flipped_on);
}
static void must_not_fire_upload_files_verified__as_sent(void) {
    shell_host_each(many_whole_on);
}
static void without_a_sha256sum_only_the_size_is_known(void) {
    shell_host_each(many_whole_few_on);
    shell_host_each(many_flipped_few_on);
}

T_CASES(T_CASE(must_fire_tree_up_verified__one_byte_less), T_CASE(must_fire_tree_up_verified__one_bit_else),
        T_CASE(must_not_fire_tree_up_verified__as_sent), T_CASE(must_fire_tree_down_verified__one_byte_less),
        T_CASE(must_fire_tree_down_verified__one_bit_else), T_CASE(must_not_fire_tree_down_verified__as_made),
        T_CASE(without_a_tar), T_CASE(must_fire_upload_files_verified__one_byte_less),
        T_CASE(must_fire_upload_files_verified__one_bit_else), T_CASE(must_not_fire_upload_files_verified__as_sent),
        T_CASE(without_a_sha256sum_only_the_size_is_known))
