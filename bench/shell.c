/* How fast the simulated shell runs simple commands: loops of builtins in one sandbox, timed from outside. The ratio is
 * against a "decimal round", a number written and read by the C library, in the same run.
 */
#include <sandport/daytona.h>
#include <sandport/sandport.h>
#include <sandport/sim.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS   5
#define DECIMALS 1000000

struct loop {
    const char *name, *script, *out;
    double commands;
};

static const struct loop loops[] = {
    {"counting", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; echo $i", "50000\n", 100003},
    {"true",
     "for a in 0 1 2 3 4 5 6 7 8 9; do for b in 0 1 2 3 4 5 6 7 8 9; do for c in 0 1 2 3 4 5 6 7 8 9; do\n"
     "for d in 0 1 2 3 4 5 6 7 8 9; do true; true; true; true; true; true; true; true; true; true; done\n"
     "done; done; done; echo $a$b$c$d",
     "9999\n", 100001},
    {"functions",
     "f() { case $1 in *9) x=${1%9}; return 0 ;; esac; }\n"
     "i=0; while [ $i -lt 20000 ]; do f $i; i=$((i+1)); done; echo $x",
     "1999\n", 64003},
    {"programs", "i=0; while [ $i -lt 5000 ]; do cat /dev/null; i=$((i+1)); done; echo $i", "5000\n", 15003},
};
#define LOOPS (sizeof(loops) / sizeof(loops[0]))

static double cpu_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double decimals_per_s(void) {
    char text[24];
    int64_t sum = 0;
    double began = cpu_s();
    for (int64_t i = 0; i < DECIMALS; i++) {
        snprintf(text, sizeof(text), "%lld", (long long)(i * 7919));
        sum += strtoll(text, NULL, 10);
    }
    double took = cpu_s() - began;
    return sum ? DECIMALS / took : 0;
}

/* @return commands a second, -1 on failure */
static double loop_run(struct sbx_sandbox *sb, const struct loop *loop) {
    struct sbx_exec_result *result = NULL;
    double began = cpu_s();
    int ok = sbx_sandbox_exec(sb, loop->script, NULL, NULL, &result, NULL) == SBX_OK &&
             strcmp(sbx_exec_result_stdout(result, NULL), loop->out) == 0;
    double took = cpu_s() - began;
    sbx_exec_result_free(result);
    return ok ? loop->commands / took : -1;
}

static int by_size(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int loop_measure(struct sbx_sandbox *sb, const struct loop *loop) {
    double rates[ROUNDS], ratios[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double decimals = decimals_per_s();
        rates[i] = loop_run(sb, loop);
        if (rates[i] < 0) return 0;
        ratios[i] = decimals / rates[i];
    }
    qsort(rates, ROUNDS, sizeof(rates[0]), by_size);
    qsort(ratios, ROUNDS, sizeof(ratios[0]), by_size);
    printf("shell, %s: %.0f commands/s (least %.0f, most %.0f; at least 200000); a command is %.1f decimal rounds "
           "(least %.1f, most %.1f)\n",
           loop->name, rates[ROUNDS / 2], rates[0], rates[ROUNDS - 1], ratios[ROUNDS / 2], ratios[0],
           ratios[ROUNDS - 1]);
    return 1;
}

int main(void) {
    struct sbx_sim *sim = NULL;
    struct sbx_runtime *rt = NULL;
    struct sbx_sandbox *sb = NULL;
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    int ok = 0;
    opt.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    opt.api_key = SBX_SIM_DAYTONA_KEY;
    if (sbx_sim_create(NULL, &sim, NULL, 0) || sbx_daytona_create(&opt, sbx_sim_env(sim), &rt, NULL) ||
        sbx_runtime_launch(rt, NULL, NULL, &sb, NULL))
        goto done;
    ok = 1;
    for (size_t i = 0; ok && i < LOOPS; i++) ok = loop_measure(sb, &loops[i]);
    ok = sbx_sandbox_destroy(sb, NULL, NULL) == SBX_OK && ok;
done:
    if (!ok) fprintf(stderr, "bench: a loop failed\n");
    sbx_sandbox_free(sb);
    sbx_runtime_free(rt);
    sbx_sim_free(sim);
    return !ok;
}
