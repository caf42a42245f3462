/* What a whole sandbox's life costs in-process - launch with its boot, exec, upload, destroy, journal, ledger and
 * checks on - in "json units": one print and one parse by cJSON of Daytona's sandbox object, measured in the same run,
 * for every cloud.
 */
#include "json_unit.h"
#include "rig.h"

#include <sandport/daytona.h>
#include <sandport/e2b.h>
#include <sandport/sandport.h>
#include <sandport/sim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 15
#define LIVES  70

static int one_life(struct sbx_runtime *rt) {
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "echo hello\n", 11);
    struct sbx_exec_result *result = NULL;
    struct sbx_sandbox *sb = NULL;
    int ok = sbx_runtime_launch(rt, NULL, NULL, &sb, NULL) == SBX_OK &&
             sbx_sandbox_upload(sb, "run.sh", &from, NULL, NULL, NULL, NULL) == SBX_OK &&
             sbx_sandbox_exec(sb, "sh run.sh", NULL, NULL, &result, NULL) == SBX_OK &&
             strcmp(sbx_exec_result_stdout(result, NULL), "hello\n") == 0 &&
             sbx_sandbox_destroy(sb, NULL, NULL) == SBX_OK;
    sbx_exec_result_free(result);
    sbx_sandbox_free(sb);
    return ok;
}

static enum sbx_status daytona_open(struct sbx_env *env, struct sbx_runtime **out) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    opt.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    opt.api_key = SBX_SIM_DAYTONA_KEY;
    return sbx_daytona_create(&opt, env, out, NULL);
}

static enum sbx_status e2b_open(struct sbx_env *env, struct sbx_runtime **out) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    opt.endpoint = opt.sandbox_url = SBX_SIM_E2B_ENDPOINT;
    opt.api_key = SBX_SIM_E2B_KEY;
    return sbx_e2b_create(&opt, env, out, NULL);
}

static const struct cloud {
    const char *name;
    enum sbx_status (*open)(struct sbx_env *env, struct sbx_runtime **out);
} clouds[] = {{"Daytona", daytona_open}, {"E2B", e2b_open}};

static double life_us(const struct cloud *cloud) {
    struct sbx_sim *sim = NULL;
    struct sbx_runtime *rt = NULL;
    double took = -1;
    if (sbx_sim_create(NULL, &sim, NULL, 0) || cloud->open(sbx_sim_env(sim), &rt)) goto done;
    double began = bench_cpu_us();
    for (int i = 0; i < LIVES; i++)
        if (!one_life(rt)) goto done;
    took = (bench_cpu_us() - began) / LIVES;
done:
    sbx_runtime_free(rt);
    sbx_sim_free(sim);
    return took;
}

static int by_size(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int measure(const struct cloud *cloud) {
    double ratios[ROUNDS], unit = 0, life = 0;
    for (int i = 0; i < ROUNDS; i++) {
        unit = bench_json_unit_us();
        life = life_us(cloud);
        if (life < 0) {
            fprintf(stderr, "bench: a life on %s failed\n", cloud->name);
            return 0;
        }
        ratios[i] = life / unit;
    }
    qsort(ratios, ROUNDS, sizeof(ratios[0]), by_size);
    printf("lifecycle in-process, %s: %.1f json units (least %.1f, most %.1f; at most 60); a unit %.1f us, a life %.0f "
           "us\n",
           cloud->name, ratios[ROUNDS / 2], ratios[0], ratios[ROUNDS - 1], unit, life);
    return 1;
}

int main(void) {
    for (size_t i = 0; i < sizeof(clouds) / sizeof(clouds[0]); i++)
        if (!measure(&clouds[i])) return 1;
    return 0;
}
