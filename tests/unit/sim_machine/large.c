/* Large files: what is beyond the part kept in memory reads back the same, costs the disk the same, and no memory. */
#include "rig.h"
#include "sim/machine/fs.h"

#include <errno.h>
#include <stdlib.h>

#define MIB INT64_C(1048576)

static int64_t no_time(void *ctx) {
    (void)ctx;
    return 0;
}

static char pattern_at(int64_t pos) {
    uint64_t x = (uint64_t)pos * UINT64_C(0x9e3779b97f4a7c15);
    return (char)(x >> 56);
}

static void pattern_fill(char *to, int64_t pos, size_t len) {
    for (size_t i = 0; i < len; i++) to[i] = pattern_at(pos + (int64_t)i);
}

/* In pieces that fit no boundary. @return bytes written */
static int64_t pattern_write(struct sim_fs_node *node, int64_t from, int64_t to, int *why) {
    char piece[10007];
    int64_t at = from;
    for (*why = 0; at < to && !*why;) {
        size_t want = to - at < (int64_t)sizeof(piece) ? (size_t)(to - at) : sizeof(piece);
        pattern_fill(piece, at, want);
        at += (int64_t)sim_fs_write(node, at, piece, want, why);
    }
    return at - from;
}

static void expect_pattern(struct sim_fs_node *node, int64_t from, int64_t to) {
    char got[70001], want[70001];
    for (int64_t at = from; at < to;) {
        size_t n = to - at < (int64_t)sizeof(got) ? (size_t)(to - at) : sizeof(got);
        pattern_fill(want, at, n);
        T_EQ(sim_fs_read(node, at, got, n), (ptrdiff_t)n);
        T_MEM(got, n, want, n);
        at += (int64_t)n;
    }
}

static void expect_zeros(struct sim_fs_node *node, int64_t from, size_t len) {
    char *got = malloc(len);
    T_TRUE(got != NULL);
    memset(got, 1, len);
    T_EQ(sim_fs_read(node, from, got, len), (ptrdiff_t)len);
    for (size_t i = 0; i < len; i++)
        if (got[i]) T_FAIL("byte %lld is not zero", (long long)(from + (int64_t)i));
    free(got);
}

static struct sim_fs_node *file_of(struct sim_fs *fs) {
    struct sim_fs_node *node = sim_fs_node(fs, 'f', 0644, 0, 0);
    T_TRUE(node != NULL);
    return node;
}

static void the_same_bytes_come_back(void) {
    struct sim_fs fs = {.blocks_max = INT64_MAX, .now_ns = no_time};
    struct sim_fs_node *node = file_of(&fs);
    int why;
    T_EQ(pattern_write(node, 0, 11 * MIB + 5, &why), 11 * MIB + 5);
    T_EQ(node->size, 11 * MIB + 5);
    expect_pattern(node, 0, 11 * MIB + 5);
    T_EQ(sim_fs_write(node, SIM_FS_MEMORY - 3, "across", 6, &why), 6);
    expect_pattern(node, 0, SIM_FS_MEMORY - 3);
    expect_pattern(node, SIM_FS_MEMORY + 3, 11 * MIB + 5);
    T_EQ(node->size, 11 * MIB + 5);
    sim_fs_release(node);
}

static void a_large_file_takes_no_memory_but_a_table(void) {
    struct sim_fs fs = {.blocks_max = INT64_MAX, .now_ns = no_time};
    struct sim_fs_node *node = file_of(&fs);
    size_t in_memory = 0;
    int why;
    T_EQ(pattern_write(node, 0, 32 * MIB, &why), 32 * MIB);
    for (size_t i = 0; i < node->chunk_count; i++) in_memory += node->chunks[i].data ? node->chunks[i].cap : 0;
    T_EQ(in_memory, SIM_FS_MEMORY);
    sim_fs_release(node);
}

static void what_was_cut_off_is_zeros_when_the_file_grows_again(void) {
    struct sim_fs fs = {.blocks_max = INT64_MAX, .now_ns = no_time};
    struct sim_fs_node *node = file_of(&fs);
    int why;
    T_EQ(pattern_write(node, 0, 10 * MIB, &why), 10 * MIB);
    T_EQ(sim_fs_truncate(node, 9 * MIB + 100), 0);
    T_EQ(sim_fs_truncate(node, 10 * MIB), 0);
    expect_pattern(node, 0, 9 * MIB + 100);
    expect_zeros(node, 9 * MIB + 100, (size_t)MIB - 100);
    T_EQ(sim_fs_truncate(node, 1), 0);
    T_EQ(sim_fs_write(node, 9 * MIB + 200, "x", 1, &why), 1);
    expect_zeros(node, 1, (size_t)(9 * MIB) + 199);
    sim_fs_release(node);
}

static void the_disk_is_charged_and_given_back(void) {
    struct sim_fs fs = {.blocks_max = 10 * MIB / SIM_FS_BLOCK, .now_ns = no_time};
    struct sim_fs_node *node = file_of(&fs);
    int why;
    T_EQ(pattern_write(node, 0, 12 * MIB, &why), 10 * MIB);
    T_EQ(why, ENOSPC);
    T_EQ(fs.blocks_used, fs.blocks_max);
    expect_pattern(node, 0, 10 * MIB);
    T_EQ(sim_fs_truncate(node, 9 * MIB), 0);
    T_EQ(fs.blocks_used, 9 * MIB / SIM_FS_BLOCK);
    sim_fs_release(node);
    T_EQ(fs.blocks_used, 0);
}

static void commands_see_one_file(void) {
    struct rig rig;
    struct rig_result r;
    struct sim_file *file = NULL;
    char piece[65536];
    rig_start(&rig, NULL);
    T_EQ(sim_open_write(rig.m, "big", 0644, 1, &file), 0);
    for (int64_t at = 0; at < 9 * MIB; at += (int64_t)sizeof(piece)) {
        pattern_fill(piece, at, sizeof(piece));
        T_EQ(sim_file_write(file, piece, sizeof(piece)), 0);
    }
    sim_file_close(file);
    rig_sh(&rig, "cp big copy && cmp big copy && wc -c < copy && tail -c 100000 big > end && wc -c < end", &r);
    T_STR(sbx_buf_text(&r.out), "9437184\n100000\n");
    rig_result_finish(&r);
    rig_finish(&rig);
}

T_CASES(T_CASE(the_same_bytes_come_back), T_CASE(a_large_file_takes_no_memory_but_a_table),
        T_CASE(what_was_cut_off_is_zeros_when_the_file_grows_again), T_CASE(the_disk_is_charged_and_given_back),
        T_CASE(commands_see_one_file))
