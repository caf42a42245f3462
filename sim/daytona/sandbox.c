/* The record of a sandbox: made, found by id or name, kept for the lagging search index, freed. */
#include "sim/daytona/sandbox.h"
#include "sim/daytona/cloud.h"
#include "sim/daytona/session.h"

#include <stdlib.h>
#include <string.h>

#define SANDBOX_KEEP_NS    (120 * SIM_SEC) /* the furthest that the search index can lag behind */
#define SANDBOX_PURGE_FROM 256             /* gone ones, before it is worth a walk */

static size_t sandbox_slot(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash & (DAY_INDEX - 1);
}

static char *sandbox_copy(const char *text, int *failed) {
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy) *failed = 1;
    return copy;
}

static void sandbox_free(struct sim_day_sandbox *sb) {
    struct sim_world *world = sim_world(sb->day->sim);
    sim_timer_clear(world, &sb->step_timer);
    sim_timer_clear(world, &sb->hold_timer);
    sim_timer_clear(world, &sb->sweep_timer);
    sim_day_sessions_lose(sb);
    if (sb->machine) {
        sim_machine_halt(sb->machine);
        sim_machine_free(sb->machine);
    }
    for (size_t i = 0; i < sb->version_count; i++) sim_day_map_drop(sb->version[i].labels);
    sim_day_map_drop(sb->env);
    sim_day_map_drop(sb->labels);
    free(sb->name);
    free(sb->name_before);
    free(sb->snapshot);
    free(sb->user);
    free(sb->target);
    free(sb->dockerfile);
    free(sb->allow_cidrs);
    free(sb->allow_domains);
    free(sb->volumes);
    free(sb);
}

/* @return 0 when memory ran out */
static int sandbox_fill(struct sim_day_sandbox *sb, const struct sim_day_wish *wish) {
    int failed = 0;
    sb->name = sandbox_copy(wish->name ? wish->name : sb->id, &failed);
    sb->snapshot = sandbox_copy(wish->snapshot, &failed);
    sb->user = sandbox_copy(wish->user, &failed);
    sb->target = sandbox_copy(wish->target, &failed);
    sb->dockerfile = sandbox_copy(wish->dockerfile, &failed);
    sb->allow_cidrs = sandbox_copy(wish->allow_cidrs, &failed);
    sb->allow_domains = sandbox_copy(wish->allow_domains, &failed);
    sb->volumes = sandbox_copy(wish->volumes, &failed);
    sb->env = sim_day_map_share(wish->env);
    sb->labels = sim_day_map_share(wish->labels);
    sb->cpu = wish->cpu;
    sb->memory = wish->memory;
    sb->disk = wish->disk;
    sb->auto_stop = wish->auto_stop;
    sb->auto_archive = wish->auto_archive;
    sb->auto_delete = wish->auto_delete;
    sb->is_public = wish->is_public;
    sb->block_all = wish->block_all;
    sb->created_ms = sb->updated_ms = sb->activity_ms = sim_day_wall_ms(sb->day);
    if (wish->ttl > 0) sb->destroy_at_ms = sb->created_ms + wish->ttl * 60000;
    return !failed;
}

static void sandbox_link_name(struct sim_day_sandbox *sb) {
    struct sim_day_sandbox **slot = &sb->day->by_name[sandbox_slot(sb->name)];
    sb->next_by_name = *slot;
    *slot = sb;
}

static void sandbox_unlink_name(struct sim_day_sandbox *sb) {
    struct sim_day_sandbox **link = &sb->day->by_name[sandbox_slot(sb->name)];
    while (*link != sb) link = &(*link)->next_by_name;
    *link = sb->next_by_name;
}

void sim_day_sandbox_free_name(struct sim_day_sandbox *sb) {
    struct sbx_buf name = SBX_BUF_INIT;
    sbx_buf_printf(&name, "DESTROYED_%s_%lld", sb->name, (long long)sim_day_wall_ms(sb->day));
    if (!sb->name_before && !sbx_buf_status(&name)) {
        sandbox_unlink_name(sb);
        sb->name_before = sb->name;
        sb->name = sbx_buf_take(&name, NULL);
        sandbox_link_name(sb);
    }
    sbx_buf_finish(&name);
}

static void sandbox_list(struct sim_day_sandbox *sb) {
    struct daytona *day = sb->day;
    struct sim_day_sandbox **id_slot = &day->by_id[sandbox_slot(sb->id)];
    sb->next_by_id = *id_slot;
    *id_slot = sb;
    sandbox_link_name(sb);
    sb->prev = day->last;
    if (day->last)
        day->last->next = sb;
    else
        day->first = sb;
    day->last = sb;
}

struct sim_day_sandbox *sim_day_sandbox_new(struct daytona *day, struct sim_day_account *account,
                                            const struct sim_day_wish *wish) {
    struct sim_day_sandbox *sb = calloc(1, sizeof(*sb));
    if (!sb) return NULL;
    sb->day = day;
    sb->account = account;
    sb->refs = 1;
    sb->stored = sb->told = wish->dockerfile ? DAY_PENDING_BUILD : DAY_UNKNOWN;
    sb->want = DAY_WANT_STARTED;
    sim_draw_uuid(sim_world(day->sim), "daytona.sandbox", sb->id);
    if (!sandbox_fill(sb, wish)) {
        sandbox_free(sb);
        return NULL;
    }
    if (day->gone_count >= SANDBOX_PURGE_FROM) sim_day_sandboxes_purge(day, 0);
    sandbox_list(sb);
    return sb;
}

struct sim_day_sandbox *sim_day_sandbox_pin(struct sim_day_sandbox *sb) {
    sb->refs++;
    return sb;
}

void sim_day_sandbox_unpin(struct sim_day_sandbox *sb) {
    if (sb && --sb->refs == 0) sandbox_free(sb);
}

void sim_day_sandbox_end(struct sim_day_sandbox *sb) {
    struct daytona *day = sb->day;
    struct sim_world *world = sim_world(day->sim);
    if (sb->gone) return;
    sim_timer_clear(world, &sb->step_timer);
    sim_timer_clear(world, &sb->hold_timer);
    sim_timer_clear(world, &sb->sweep_timer);
    if (sb->machine) sim_machine_wipe(sb->machine);
    sb->stored = DAY_DESTROYED;
    sb->gone = 1;
    sim_day_sessions_lose(sb);
    sb->gone_ns = sim_day_now(day);
    day->gone_count++;
    sim_ledger_close(sim_ledger(day->sim), sb->id, sb->ended_why ? sb->ended_why : "reset", sb->ended_by);
    sim_wake_all(world, &sb->changed);
}

static void sandbox_unlink(struct sim_day_sandbox *sb) {
    struct daytona *day = sb->day;
    struct sim_day_sandbox **id_link = &day->by_id[sandbox_slot(sb->id)];
    while (*id_link != sb) id_link = &(*id_link)->next_by_id;
    *id_link = sb->next_by_id;
    sandbox_unlink_name(sb);
    *(sb->prev ? &sb->prev->next : &day->first) = sb->next;
    *(sb->next ? &sb->next->prev : &day->last) = sb->prev;
}

void sim_day_sandboxes_purge(struct daytona *day, int all) {
    struct sim_day_sandbox *next = NULL;
    for (struct sim_day_sandbox *sb = day->first; sb; sb = next) {
        next = sb->next;
        if (!all && (!sb->gone || sim_day_now(day) - sb->gone_ns < SANDBOX_KEEP_NS)) continue;
        if (sb->gone) day->gone_count--;
        sandbox_unlink(sb);
        sim_day_sandbox_unpin(sb);
    }
}

struct sim_day_sandbox *sim_day_sandbox_by_id(const struct daytona *day, const char *id) {
    struct sim_day_sandbox *sb = day->by_id[sandbox_slot(id)];
    while (sb && (sb->gone || strcmp(sb->id, id) != 0)) sb = sb->next_by_id;
    return sb;
}

static struct sim_day_sandbox *sandbox_by_name(const struct daytona *day, const struct sim_day_account *account,
                                               const char *name) {
    struct sim_day_sandbox *sb = day->by_name[sandbox_slot(name)];
    while (sb && (sb->gone || sb->account != account || strcmp(sb->name, name) != 0)) sb = sb->next_by_name;
    return sb;
}

struct sim_day_sandbox *sim_day_sandbox_find(const struct daytona *day, const struct sim_day_account *account,
                                             const char *id_or_name) {
    struct sim_day_sandbox *sb = sim_day_sandbox_by_id(day, id_or_name);
    if (sb && sb->account == account) return sb;
    return sandbox_by_name(day, account, id_or_name);
}

enum sim_day_state sim_day_sandbox_shown(const struct sim_day_sandbox *sb) {
    return sim_day_state_shown(sb->stored, sb->want);
}

struct sim_day_situation sim_day_sandbox_situation(const struct sim_day_sandbox *sb) {
    struct sim_day_situation at = {sb->stored, sb->want, sb->pending, sb->auto_delete == 0, sb->recoverable};
    return at;
}

void sim_day_sandbox_note_version(struct sim_day_sandbox *sb) {
    if (sb->version_count == DAY_VERSIONS) {
        sim_day_map_drop(sb->version[0].labels);
        memmove(&sb->version[0], &sb->version[1], (DAY_VERSIONS - 1) * sizeof(sb->version[0]));
        sb->version_count--;
    }
    sb->version[sb->version_count++] =
        (struct sim_day_version){sim_day_now(sb->day), sb->stored, sb->want, sim_day_map_share(sb->labels), sb->name};
}

const struct sim_day_version *sim_day_sandbox_version(const struct sim_day_sandbox *sb, int64_t now_ns,
                                                      int64_t lag_ns) {
    const int64_t as_of = now_ns - lag_ns;
    if (sb->gone && sb->gone_ns <= as_of) return NULL;
    for (size_t i = sb->version_count; i-- > 0;)
        if (sb->version[i].since_ns <= as_of) return &sb->version[i];
    return NULL;
}
