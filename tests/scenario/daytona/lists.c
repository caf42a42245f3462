/* Finding by state: what the list is asked for, what is read, and what counts, in each of Daytona's list formats.
 * Row D3. */
#include "daytona_world.h"

#include <stdio.h>

#define CURSOR "{\"daytona\":{\"list\":\"cursor\"}}"
#define PAGE   "{\"daytona\":{\"list\":\"page\"}}"
#define ARRAY  "{\"daytona\":{\"list\":\"array\"}}"

/* sb-1 and sb-3 run, sb-2 is stopped; the list has caught up. */
static struct world three(const char *scenario) {
    struct world w = world_new_with(SEED, scenario, NULL);
    for (int i = 0; i < 3; i++) {
        struct sbx_sandbox *sb = NULL;
        T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &sb, &w.err), SBX_OK);
        if (i == 1) T_STATUS(sbx_sandbox_stop(sb, NULL, NULL, &w.err), SBX_OK);
        sbx_sandbox_free(sb);
    }
    sbx_sim_advance_ms(w.sim, 1000);
    sbx_sim_timeline_reset(w.sim);
    return w;
}

static int64_t count_in(struct world *w, int32_t state) {
    struct sbx_query query = SBX_QUERY_INIT;
    int64_t count = -1;
    query.states = &state;
    query.state_count = 1;
    T_STATUS(sbx_runtime_count(w->rt, &query, NULL, &count, &w->err), SBX_OK);
    return count;
}

static int sent(struct world *w, const char *what) {
    int n = 0;
    for (const char *at = sbx_sim_timeline(w->sim); (at = strstr(at, what)); at++) n++;
    return n;
}

static void only_the_wanted_are_read(const char *scenario) {
    struct world w = three(scenario);
    T_EQ(count_in(&w, SBX_STATE_RUNNING), 2);
    T_CONTAINS(sbx_sim_timeline(w.sim), "&states=started&states=resizing&states=snapshotting&states=forking -> 200\n");
    T_EQ(sent(&w, "GET  /sandbox/"), 2);
    T_EQ(sent(&w, "GET  /sandbox/sb-2"), 0);
    sbx_sim_timeline_reset(w.sim);
    T_EQ(count_in(&w, SBX_STATE_STOPPED), 1);
    T_CONTAINS(sbx_sim_timeline(w.sim), "&states=archiving&states=stopped -> 200\n");
    T_EQ(sent(&w, "GET  /sandbox/"), 1);
    sbx_sim_timeline_reset(w.sim);
    T_EQ(count_in(&w, SBX_STATE_FAILED), 0);
    T_EQ(sent(&w, "\n"), 1);
    world_finish(&w);
}

static void cursor_lists(void) {
    only_the_wanted_are_read(CURSOR);
}

static void page_lists(void) {
    only_the_wanted_are_read(PAGE);
}

/* A server so old that it knows no filter of states. */
static void array_lists(void) {
    only_the_wanted_are_read(ARRAY);
}

static void every_page_is_asked_with_the_filter(const char *scenario) {
    struct world w = three(scenario);
    struct sbx_query query = SBX_QUERY_INIT;
    const int32_t states[] = {SBX_STATE_RUNNING, SBX_STATE_STOPPED};
    int64_t count = -1;
    query.states = states;
    query.state_count = 2;
    query.page_size = 1;
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &count, &w.err), SBX_OK);
    T_EQ(count, 3);
    T_EQ(sent(&w, "/sandbox?"), 3);
    T_EQ(sent(&w, "states=stopped"), 3);
    world_finish(&w);
}

static void filter_and_pages(void) {
    every_page_is_asked_with_the_filter(CURSOR);
    every_page_is_asked_with_the_filter(PAGE);
}

static void no_state_no_filter(void) {
    struct world w = three(CURSOR);
    struct sbx_query query = SBX_QUERY_INIT;
    int64_t count = -1;
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &count, &w.err), SBX_OK);
    T_EQ(count, 3);
    T_EQ(sent(&w, "states="), 0);
    T_EQ(count_in(&w, SBX_STATE_DESTROYING), 0); /* any may read so: all are asked for */
    T_EQ(sent(&w, "states="), 0);
    world_finish(&w);
}

/* The list stores where a sandbox is, a read shows where it is going. */
static void on_its_way_is_listed_as_before(void) {
    struct world w =
        world_new_with(SEED, "{\"daytona\":{\"list_lag_ms\":0,\"runner_ms\":5000,\"stop_ms\":5000}}", NULL);
    struct sbx_call brief = SBX_CALL_INIT;
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    sbx_call_init_after(&brief, sizeof(brief), w.env, 1000);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, &brief, &w.err), SBX_DEADLINE);
    T_EQ(count_in(&w, SBX_STATE_STOPPING), 1);
    T_EQ(count_in(&w, SBX_STATE_RUNNING), 0); /* it is listed as started, and read */
    world_finish(&w);
}

static void stopped_since_it_was_listed(void) {
    struct world w = world_new_with(SEED, "{\"daytona\":{\"list_lag_ms\":60000}}", NULL);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    sbx_sim_advance_ms(w.sim, 61000);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    sbx_sim_timeline_reset(w.sim);
    T_EQ(count_in(&w, SBX_STATE_RUNNING), 0);
    T_EQ(sent(&w, "GET  /sandbox/sb-1 -> 200"), 1);
    world_finish(&w);
}

/* A word that the server does not know makes it refuse the filter. */
static void a_refused_filter_is_left_out(void) {
    struct world w = three(CURSOR);
    world_fault(&w, "{'op':'daytona.sandbox.list','phase':'before','times':1,'effect':{'kind':'status','status':400}}");
    T_EQ(count_in(&w, SBX_STATE_RUNNING), 2);
    T_EQ(sent(&w, "/sandbox?"), 2);
    T_EQ(sent(&w, "states=started"), 1);
    T_EQ(sent(&w, "GET  /sandbox/"), 2); /* what is listed as stopped is not read */
    world_finish(&w);
}

static void a_list_that_is_refused_anyway(void) {
    struct world w = three(CURSOR);
    struct sbx_query query = SBX_QUERY_INIT;
    const int32_t state = SBX_STATE_RUNNING;
    int64_t count = -1;
    query.states = &state;
    query.state_count = 1;
    world_fault(&w, "{'op':'daytona.sandbox.list','phase':'before','effect':{'kind':'status','status':400}}");
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &count, &w.err), SBX_PROTOCOL);
    T_EQ(w.err.http_status, 400);
    T_EQ(count, -1);
    T_EQ(sent(&w, "\n"), 2);
    world_finish(&w);
}

static void other_labels_and_excluded_are_not_read(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_query query = SBX_QUERY_INIT;
    const struct sbx_pair ours = {"owner", "us"};
    char id[SBX_ID_SIZE];
    const char *exclude = id;
    int64_t count = -1;
    sbx_sandbox_id(w.sb, id);
    sbx_sim_advance_ms(w.sim, 1000);
    sbx_sim_timeline_reset(w.sim);
    query.exclude_ids = &exclude;
    query.exclude_count = 1;
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &count, &w.err), SBX_OK);
    T_EQ(count, 0);
    T_EQ(sent(&w, "GET  /sandbox/"), 0);
    query.exclude_count = 0;
    query.labels = &ours;
    query.label_count = 1;
    world_fault(&w,
                "{'op':'daytona.sandbox.list','phase':'mid_reply','effect':{'kind':'mutate','path':'$.items','value':"
                "[{'id':'x','state':'started','labels':{'owner':'them'}}]}}");
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &count, &w.err), SBX_OK);
    T_EQ(count, 0);
    T_EQ(sent(&w, "GET  /sandbox/"), 0);
    world_finish(&w);
}

/* One deadline for the pages and all the reads. */
static void ten_seconds_for_all_of_it(void) {
    struct world w = three(CURSOR);
    struct sbx_query query = SBX_QUERY_INIT;
    int64_t count = -1, from_ms = w.env->now_ms(w.env);
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','effect':{'kind':'slow','delay_ms':4000}}");
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &count, &w.err), SBX_DEADLINE);
    T_EQ(w.env->now_ms(w.env) - from_ms, 10000);
    T_EQ(count, -1);
    world_finish(&w);
}

T_CASES(T_CASE(cursor_lists), T_CASE(page_lists), T_CASE(array_lists), T_CASE(filter_and_pages),
        T_CASE(no_state_no_filter), T_CASE(on_its_way_is_listed_as_before), T_CASE(stopped_since_it_was_listed),
        T_CASE(a_refused_filter_is_left_out), T_CASE(a_list_that_is_refused_anyway),
        T_CASE(other_labels_and_excluded_are_not_read), T_CASE(ten_seconds_for_all_of_it))
