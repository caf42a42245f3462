/* The same seed, the same journal, byte for byte: committed hashes of whole lives, and a hundred callers twice.
 * SANDPORT_GOLDEN_WRITE=<file> writes the hashes instead, after a change that is meant to change them.
 * SANDPORT_GOLDEN_POINT is what the locale must have for a decimal point: without it, a locale that is not there would
 * be taken for one that changes nothing. Row V1. */
#include "daytona_world.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#define SEEDS     20
#define HASH_SIZE 65

struct caller {
    struct sbx_runtime *rt;
    int number;
    enum sbx_status st;
    int32_t exit_code;
};

/* A whole life: launched, used, stopped, started, used, gone. */
static void caller_run(void *arg) {
    struct caller *c = arg;
    struct sbx_sandbox *sb = NULL;
    struct sbx_exec_result *result = NULL;
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "exit $1\n", 8);
    char command[32];
    snprintf(command, sizeof(command), "sh a/run.sh %d", c->number % 7);
    c->st = sbx_runtime_launch(c->rt, NULL, NULL, &sb, NULL);
    if (!c->st) c->st = sbx_sandbox_upload(sb, "a/run.sh", &from, NULL, NULL, NULL, NULL);
    if (!c->st) c->st = sbx_sandbox_stop(sb, NULL, NULL, NULL);
    if (!c->st) c->st = sbx_sandbox_start(sb, NULL, NULL, NULL, NULL);
    if (!c->st) c->st = sbx_sandbox_exec(sb, command, NULL, NULL, &result, NULL);
    if (!c->st) c->exit_code = sbx_exec_result_exit_code(result);
    if (!c->st) c->st = sbx_sandbox_destroy(sb, NULL, NULL);
    sbx_exec_result_free(result);
    sbx_sandbox_free(sb);
}

static void callers_run(uint64_t seed, const char *scenario, int callers, char hash[HASH_SIZE]) {
    struct world w = world_new_with(seed, scenario, NULL);
    struct caller *all = calloc((size_t)callers, sizeof(*all));
    T_TRUE(all != NULL);
    for (int i = 0; i < callers; i++) {
        all[i] = (struct caller){w.rt, i, SBX_PROTOCOL, -1};
        T_STATUS(sbx_sim_spawn(w.sim, caller_run, &all[i]), SBX_OK);
    }
    T_STATUS(sbx_sim_run(w.sim), SBX_OK);
    for (int i = 0; i < callers; i++) {
        T_STATUS(all[i].st, SBX_OK);
        T_EQ(all[i].exit_code, i % 7);
    }
    T_EQ(sbx_sim_ledger_made(w.sim), callers);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    T_EQ(sbx_sim_unsupported(w.sim), 0);
    sbx_sim_journal_hash(w.sim, hash);
    free(all);
    world_finish(&w);
}

static void lives_are_as_committed(void) {
    struct sbx_buf lines = SBX_BUF_INIT;
    const char *write = getenv("SANDPORT_GOLDEN_WRITE");
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        char hash[HASH_SIZE];
        callers_run(seed, NULL, 5, hash);
        sbx_buf_printf(&lines, "%2llu %s\n", (unsigned long long)seed, hash);
    }
    T_STATUS(sbx_buf_status(&lines), SBX_OK);
    if (write) {
        FILE *f = fopen(write, "wb");
        T_TRUE(f && fwrite(lines.data, 1, lines.len, f) == lines.len && fclose(f) == 0);
    } else {
        char *want = t_read_source("tests/scenario/daytona/golden.txt", NULL);
        T_STR(sbx_buf_text(&lines), want);
        free(want);
    }
    sbx_buf_finish(&lines);
}

static void a_hundred_callers(void) {
    static const char roomy[] = "{\"daytona\":{\"accounts\":[{\"name\":\"a\",\"api_key\":\"" SBX_SIM_DAYTONA_KEY
                                "\",\"quota\":{\"cpu\":1000,\"memory_gib\":1000,\"disk_gib\":1000,\"sandboxes\":1000},"
                                "\"rate\":{\"authenticated\":1000000,\"create\":1000000,\"lifecycle\":1000000}}]}}";
    char first[HASH_SIZE], again[HASH_SIZE], other[HASH_SIZE];
    callers_run(SEED, roomy, 100, first);
    callers_run(SEED, roomy, 100, again);
    callers_run(SEED + 1, roomy, 100, other);
    T_STR(again, first);
    T_TRUE(strcmp(other, first) != 0);
}

static void the_locale_is_the_one_asked_for(void) {
    const char *point = getenv("SANDPORT_GOLDEN_POINT");
    char want[16], got[16];
    snprintf(want, sizeof(want), "0%s5", point ? point : localeconv()->decimal_point);
    snprintf(got, sizeof(got), "%.1f", 0.5);
    T_STR(got, want);
}

T_CASES(T_CASE(lives_are_as_committed), T_CASE(a_hundred_callers), T_CASE(the_locale_is_the_one_asked_for))
