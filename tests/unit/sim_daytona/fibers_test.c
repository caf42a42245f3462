/* Many callers of the simulated Daytona side by side: the same journal for the same seed, and an end in the middle. */
#include "ask.h"

#include <stdio.h>

#define CALLERS 40

struct caller {
    struct sbx_sim *sim;
    int number;
    int ended;
};

static int request(struct caller *c, const char *method, const char *path, const char *body) {
    struct sbx_env *env = sbx_sim_env(c->sim);
    struct sbx_exchange_info info = {.size = sizeof(info)};
    const struct sbx_header auth = {"Authorization", "Bearer " SBX_SIM_DAYTONA_KEY};
    char url[256];
    snprintf(url, sizeof(url), "http://daytona.sim%s", path);
    const struct sbx_request req = {.size = sizeof(req),
                                    .method = method,
                                    .url = url,
                                    .headers = &auth,
                                    .header_count = 1,
                                    .body = body,
                                    .body_len = body ? strlen(body) : 0,
                                    .deadline_ms = env->now_ms(env) + 60000};
    (void)env->exchange(env, &req, NULL, &info);
    return info.http_status;
}

/* A whole life: create, list, stop, start, delete. */
static void live(void *arg) {
    struct caller *c = arg;
    char path[64], body[64];
    snprintf(body, sizeof(body), "{\"name\":\"n%d\"}", c->number);
    int good = request(c, "POST", "/api/sandbox", body) == 200;
    good = good && request(c, "GET", "/api/sandbox?limit=5", NULL) == 200;
    snprintf(path, sizeof(path), "/api/sandbox/n%d/stop", c->number);
    good = good && request(c, "POST", path, NULL) == 200;
    snprintf(path, sizeof(path), "/api/sandbox/n%d/start", c->number);
    good = good && request(c, "POST", path, NULL) == 409;
    struct sbx_env *env = sbx_sim_env(c->sim);
    if (env->sleep_until(env, env->now_ms(env) + 1000 + c->number, NULL)) return;
    good = good && request(c, "POST", path, NULL) == 200;
    snprintf(path, sizeof(path), "/api/sandbox/n%d", c->number);
    good = good && request(c, "DELETE", path, NULL) == 200;
    if (good) c->ended = 1;
}

static struct sbx_sim *spawn_all(uint64_t seed, struct caller callers[CALLERS]) {
    const struct sbx_sim_options opt = {.size = sizeof(opt), .seed = seed};
    struct sbx_sim *sim = NULL;
    T_STATUS(sbx_sim_create(&opt, &sim, NULL, 0), SBX_OK);
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (struct caller){sim, i, 0};
        T_STATUS(sbx_sim_spawn(sim, live, &callers[i]), SBX_OK);
    }
    return sim;
}

static void play(uint64_t seed, char hash[SBX_SHA256_HEX]) {
    struct caller callers[CALLERS];
    struct sbx_sim *sim = spawn_all(seed, callers);
    T_STATUS(sbx_sim_run(sim), SBX_OK);
    for (int i = 0; i < CALLERS; i++) T_TRUE(callers[i].ended);
    sbx_sim_advance_ms(sim, 1000);
    T_EQ(sbx_sim_ledger_made(sim), CALLERS);
    T_EQ(sbx_sim_ledger_live(sim), 0);
    sbx_sim_journal_hash(sim, hash);
    sbx_sim_free(sim);
}

static void a_seed_gives_one_journal(void) {
    char first[SBX_SHA256_HEX], again[SBX_SHA256_HEX], other[SBX_SHA256_HEX];
    play(11, first);
    play(11, again);
    play(12, other);
    T_STR(again, first);
    T_TRUE(strcmp(first, other) != 0);
}

/* Cut off at any moment, everything unwinds: under a sanitizer nothing is left and nothing is used after it went. */
static void the_world_can_end_at_any_moment(void) {
    for (int64_t ms = 0; ms < 2200; ms += 97) {
        struct caller callers[CALLERS];
        struct sbx_sim *sim = spawn_all(3, callers);
        sbx_sim_advance_ms(sim, ms);
        T_TRUE(sbx_sim_ledger_live(sim) <= CALLERS);
        sbx_sim_free(sim);
    }
}

T_CASES(T_CASE(a_seed_gives_one_journal), T_CASE(the_world_can_end_at_any_moment))
