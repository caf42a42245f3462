/* The record of a sandbox: made, found, freed. */
#include "sim/e2b/sandbox.h"
#include "sim/e2b/cloud.h"
#include "sim/e2b/process.h"
#include "sim/e2b/watch.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

static const char *const sandbox_states[] = {"starting", "running", "pausing", "paused", "resuming", "killing", "gone"};

const char *sim_e2b_state_name(enum sim_e2b_state state) {
    return sandbox_states[state];
}

int sim_e2b_state_parse(const char *name, enum sim_e2b_state *out) {
    for (int i = 0; i <= E2B_GONE; i++)
        if (strcmp(sandbox_states[i], name) == 0) {
            *out = (enum sim_e2b_state)i;
            return 1;
        }
    return 0;
}

int sim_e2b_sandbox_visible(const struct sim_e2b_sandbox *sb) {
    return sb->state != E2B_STARTING && sb->state != E2B_KILLING && sb->state != E2B_GONE;
}

const char *sim_e2b_sandbox_shown(const struct sim_e2b_sandbox *sb) {
    return sb->state == E2B_RUNNING ? "running" : "paused";
}

int sim_e2b_sandbox_takes_slot(const struct sim_e2b_sandbox *sb) {
    return sb->state == E2B_STARTING || sb->state == E2B_RUNNING || sb->state == E2B_RESUMING;
}

static size_t sandbox_slot(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash & (E2B_INDEX - 1);
}

static void sandbox_free(struct sim_e2b_sandbox *sb) {
    struct sim_world *world = sim_world(sb->e2b->sim);
    sim_timer_clear(world, &sb->step);
    sim_timer_clear(world, &sb->end);
    sim_e2b_processes_lose(sb);
    sim_e2b_watchers_free(sb);
    if (sb->machine) {
        sim_machine_halt(sb->machine);
        sim_machine_free(sb->machine);
    }
    sim_e2b_map_free(sb->metadata);
    sim_e2b_map_free(sb->env);
    free(sb->template_id);
    free(sb->alias);
    free(sb->network);
    free(sb);
}

static char *sandbox_copy(const char *text, int *failed) {
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy) *failed = 1;
    return copy;
}

static void sandbox_list(struct sim_e2b_sandbox *sb) {
    struct sim_e2b *e2b = sb->e2b;
    struct sim_e2b_sandbox **slot = &e2b->by_id[sandbox_slot(sb->id)];
    sb->next_by_id = *slot;
    *slot = sb;
    sb->prev = e2b->last;
    *(e2b->last ? &e2b->last->next : &e2b->first) = sb;
    e2b->last = sb;
}

static void sandbox_token(struct sim_e2b *e2b, char out[E2B_TOKEN_SIZE]) {
    unsigned char bytes[32];
    sim_draw_bytes(sim_world(e2b->sim), "e2b.token", bytes, sizeof(bytes));
    sbx_hex(bytes, sizeof(bytes), out);
}

void sim_e2b_sandbox_new_token(struct sim_e2b_sandbox *sb) {
    if (sb->token[0]) sandbox_token(sb->e2b, sb->token);
}

struct sim_e2b_sandbox *sim_e2b_sandbox_new(struct sim_e2b *e2b, struct sim_e2b_account *account,
                                            struct sim_e2b_wish *wish) {
    struct sim_e2b_sandbox *sb = calloc(1, sizeof(*sb));
    int failed = 0;
    if (!sb) return NULL;
    sb->e2b = e2b;
    sb->account = account;
    sb->refs = 1;
    sb->id[0] = 'i';
    sim_draw_token(sim_world(e2b->sim), "e2b.sandbox", sb->id + 1, E2B_ID_SIZE - 2);
    if (wish->secure) sandbox_token(e2b, sb->token);
    if (!wish->public_traffic) sandbox_token(e2b, sb->traffic_token);
    sb->template_id = sandbox_copy(wish->template_id, &failed);
    sb->alias = sandbox_copy(wish->alias, &failed);
    sb->network = sandbox_copy(wish->network, &failed);
    if (failed) {
        sandbox_free(sb);
        return NULL;
    }
    sb->metadata = wish->metadata;
    sb->env = wish->env;
    wish->metadata = wish->env = NULL;
    sb->auto_pause = wish->auto_pause;
    sb->auto_pause_memory = wish->auto_pause_memory;
    sb->auto_resume = wish->auto_resume;
    sb->public_traffic = wish->public_traffic;
    sb->internet = wish->internet;
    sb->timeout_ns = wish->timeout_s * SIM_SEC;
    sandbox_list(sb);
    return sb;
}

struct sim_e2b_sandbox *sim_e2b_sandbox_pin(struct sim_e2b_sandbox *sb) {
    sb->refs++;
    return sb;
}

void sim_e2b_sandbox_unpin(struct sim_e2b_sandbox *sb) {
    if (sb && --sb->refs == 0) sandbox_free(sb);
}

struct sim_e2b_sandbox *sim_e2b_sandbox_find(const struct sim_e2b *e2b, const char *id) {
    struct sim_e2b_sandbox *sb = e2b->by_id[sandbox_slot(id)];
    while (sb && (sb->state == E2B_GONE || strcmp(sb->id, id) != 0)) sb = sb->next_by_id;
    return sb;
}

static void sandbox_unlink(struct sim_e2b_sandbox *sb) {
    struct sim_e2b *e2b = sb->e2b;
    struct sim_e2b_sandbox **link = &e2b->by_id[sandbox_slot(sb->id)];
    while (*link != sb) link = &(*link)->next_by_id;
    *link = sb->next_by_id;
    *(sb->prev ? &sb->prev->next : &e2b->first) = sb->next;
    *(sb->next ? &sb->next->prev : &e2b->last) = sb->prev;
}

void sim_e2b_sandboxes_purge(struct sim_e2b *e2b, int all) {
    struct sim_e2b_sandbox *next = NULL;
    for (struct sim_e2b_sandbox *sb = e2b->first; sb; sb = next) {
        next = sb->next;
        if (!all && sb->state != E2B_GONE) continue;
        sandbox_unlink(sb);
        sim_e2b_sandbox_unpin(sb);
    }
}
