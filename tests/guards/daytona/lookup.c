/* Guards of finding: a list that repeats itself ends, and is no answer. Row D3. */
#include "daytona_world.h"

/* ---- repeated_cursor ---- */

static struct world three_sandboxes(void) {
    struct world w = world_new(SEED);
    for (int i = 0; i < 3; i++) {
        struct sbx_sandbox *sb = NULL;
        T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &sb, &w.err), SBX_OK);
        sbx_sandbox_free(sb);
    }
    sbx_sim_advance_ms(w.sim, 10000);
    sbx_sim_timeline_reset(w.sim);
    return w;
}

static int lists_sent(struct world *w) {
    int sent = 0;
    for (const char *at = sbx_sim_timeline(w->sim); (at = strstr(at, "/sandbox?")); at++) sent++;
    return sent;
}

static enum sbx_status count_by_one(struct world *w, int64_t *count) {
    struct sbx_query query = SBX_QUERY_INIT;
    query.page_size = 1;
    return sbx_runtime_count(w->rt, &query, NULL, count, &w->err);
}

static enum sbx_status find_by_one(struct world *w, struct sbx_list **list) {
    struct sbx_query query = SBX_QUERY_INIT;
    query.page_size = 1;
    return sbx_runtime_find(w->rt, &query, NULL, list, &w->err);
}

static void must_fire_repeated_cursor__loop(void) {
    struct world w = three_sandboxes();
    struct sbx_list *list = NULL;
    int64_t count = -1;
    world_fault(&w, "{'op':'daytona.sandbox.list','phase':'before','effect':{'kind':'list_loop'}}");
    T_STATUS(count_by_one(&w, &count), SBX_PROTOCOL);
    T_EQ(count, -1);
    T_STR(w.err.detail, "list: expected a new cursor");
    T_EQ(lists_sent(&w), 2);
    sbx_sim_faults_clear(w.sim);
    world_fault(&w, "{'op':'daytona.sandbox.list','phase':'before_commit','effect':{'kind':'list_loop'}}");
    T_STATUS(find_by_one(&w, &list), SBX_PROTOCOL);
    T_CONTAINS(w.err.detail, "cursor");
    T_TRUE(list == NULL);
    world_finish(&w);
}

static void must_not_fire_repeated_cursor__three_pages(void) {
    struct world w = three_sandboxes();
    struct sbx_list *list = NULL;
    int64_t count = -1;
    T_STATUS(count_by_one(&w, &count), SBX_OK);
    T_EQ(count, 3);
    T_EQ(lists_sent(&w), 3);
    T_STATUS(find_by_one(&w, &list), SBX_OK);
    T_EQ(sbx_list_count(list), 3);
    sbx_list_free(list);
    world_finish(&w);
}

T_CASES(T_CASE(must_fire_repeated_cursor__loop), T_CASE(must_not_fire_repeated_cursor__three_pages))
