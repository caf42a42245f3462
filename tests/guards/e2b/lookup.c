/* Guards of looking sandboxes up: filters, pages, and what is proven absent. Rows E1, P12; F091, F094. */
#include "e2b_script.h"

#define ACQ               "00112233445566778899aabbccddeeff"
#define LISTS             "GET " API "/v2/sandboxes?state=running%2Cpaused&limit=100"
#define PAGE(items, next) .http_status = 200, .answer_head = "Content-Type: application/json\n" next, .answer = (items)

/* Digest 8, 8; captured of the official client for {"user": "a b", "k&": "v=1"}. */
static void f094_filters_are_coded_three_times(void) {
    const struct sbx_pair labels[] = {{"user", "a b"}, {"k&", "v=1"}, {"p", "50%"}, {"\xc3\xbc", "a+b"}};
    struct sbx_query query = SBX_QUERY_INIT;
    struct scripted w = scripted_new(NULL);
    int64_t n = -1;
    query.labels = labels;
    query.label_count = 4;
    SCRIPT(w.script,
           {.request = "GET " API "/v2/sandboxes?metadata=user%3Da%252520b%26k%252526%3Dv%25253D1%26p%3D50%252525"
                       "%26%2525C3%2525BC%3Da%25252Bb&state=running%2Cpaused&limit=100",
            PAGE("[]", "")});
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &n, &w.err), SBX_OK);
    T_EQ(n, 0);
    scripted_finish(&w);
}

static void states_that_nobody_can_be_in_ask_nothing(void) {
    const int32_t states[] = {SBX_STATE_STOPPED, SBX_STATE_ARCHIVED};
    struct sbx_query query = SBX_QUERY_INIT;
    struct scripted w = scripted_new(NULL);
    int64_t n = -1;
    query.states = states;
    query.state_count = 2;
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &n, &w.err), SBX_OK);
    T_EQ(n, 0);
    scripted_finish(&w);
}

/* F091: a server that takes no notice of the filter. */
static void f091_filters_that_are_ignored(void) {
    const struct sbx_pair label = {"user", "ann"};
    const int32_t paused = SBX_STATE_PAUSED;
    struct sbx_query query = SBX_QUERY_INIT;
    struct scripted w = scripted_new(NULL);
    struct sbx_list *list = NULL;
    query.labels = &label;
    query.label_count = 1;
    query.states = &paused;
    query.state_count = 1;
    SCRIPT(w.script, {.request = "GET " API "/v2/sandboxes?metadata=user%3Dann&state=paused&limit=100",
                      PAGE("[{\"sandboxID\":\"i1\",\"state\":\"paused\",\"metadata\":{\"user\":\"bob\"}},"
                           "{\"sandboxID\":\"i2\",\"state\":\"running\",\"metadata\":{\"user\":\"ann\"}},"
                           "{\"sandboxID\":\"i3\",\"state\":\"paused\"},"
                           "{\"sandboxID\":\"i4\",\"state\":\"paused\",\"metadata\":{\"user\":\"ann\",\"x\":\"y\"}}]",
                           "")});
    T_STATUS(sbx_runtime_find(w.rt, &query, NULL, &list, &w.err), SBX_OK);
    T_EQ(sbx_list_count(list), 1);
    T_STR(sbx_info_id(sbx_list_at(list, 0)), "i4");
    sbx_list_free(list);
    scripted_finish(&w);
}

/* ---- e2b_repeated_token; digest 8, 9 ---- */

#define ONE(id) "[{\"sandboxID\":\"" id "\",\"state\":\"running\"}]"

static void must_fire_e2b_repeated_token__loop(void) {
    struct scripted w = scripted_new(NULL);
    int64_t n = -1;
    SCRIPT(w.script, {.request = LISTS, PAGE(ONE("i1"), "X-Next-Token: t1\n")},
           {.request = LISTS "&nextToken=t1", PAGE(ONE("i2"), "X-Next-Token: t1\n")});
    T_STATUS(sbx_runtime_count(w.rt, NULL, NULL, &n, &w.err), SBX_PROTOCOL);
    T_CONTAINS(w.err.detail, "a new token");
    scripted_finish(&w);
}

static void must_not_fire_e2b_repeated_token__pages(void) {
    struct scripted w = scripted_new(NULL);
    int64_t n = -1;
    SCRIPT(w.script, {.request = LISTS, PAGE(ONE("i1"), "X-Next-Token: t1\n")},
           {.request = LISTS "&nextToken=t1", PAGE("[]", "x-next-token: t2\n")},
           {.request = LISTS "&nextToken=t2",
            PAGE("[{\"sandboxID\":\"i1\",\"state\":\"running\"},{\"sandboxID\":\"i3\","
                 "\"state\":\"paused\"}]",
                 "")});
    T_STATUS(sbx_runtime_count(w.rt, NULL, NULL, &n, &w.err), SBX_OK);
    T_EQ(n, 2); /* one that is on two pages counts once */
    scripted_finish(&w);
}

static void lists_of_other_shapes(void) {
    static const struct {
        struct script_step step;
        enum sbx_status st;
    } cases[] = {{{.request = LISTS, PAGE("null", "")}, SBX_OK},
                 {{.request = LISTS, PAGE("{}", "")}, SBX_PROTOCOL},
                 {{.request = LISTS, PAGE("[7]", "")}, SBX_PROTOCOL},
                 {{.request = LISTS, PAGE("[{\"sandboxID\":\"i1\"}]", "")}, SBX_PROTOCOL},
                 {{.request = LISTS, JSON(400, "{\"code\":400,\"message\":\"Invalid next token\"}")}, SBX_PROTOCOL},
                 {{.request = LISTS, JSON(401, "{\"code\":401}")}, SBX_UNAUTHORISED}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scripted w = scripted_new(NULL);
        int64_t n = -1;
        script_play(w.script, &cases[i].step, 1);
        T_STATUS(sbx_runtime_count(w.rt, NULL, NULL, &n, &w.err), cases[i].st);
        scripted_finish(&w);
    }
}

static void attaching_wakes_nothing(void) {
    struct scripted w = scripted_new(NULL);
    SCRIPT(w.script, STANDS("paused"));
    T_STATUS(sbx_runtime_attach(w.rt, "i1", NULL, &w.sb, &w.err), SBX_OK);
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_PAUSED);
    T_EQ(sbx_sandbox_owned(w.sb), 0);
    scripted_finish(&w);
}

static void what_only_e2b_says(void) {
    struct scripted w = scripted_launched(NULL);
    struct sbx_info *info = NULL;
    SCRIPT(w.script,
           {.request = "GET " API "/sandboxes/i1",
            JSON(200, "{\"sandboxID\":\"i1\",\"templateID\":\"t\",\"alias\":\"base\",\"state\":\"running\","
                      "\"endAt\":\"2026-09-21T17:23:20Z\",\"cpuCount\":2,\"memoryMB\":512,\"diskSizeMB\":1024,"
                      "\"envdVersion\":\"0.6.13\",\"envdAccessToken\":\"tok\",\"metadata\":{\"user\":\"ann\"},"
                      "\"lifecycle\":{\"onTimeout\":\"kill\",\"autoResume\":false}}")});
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    T_STR(sbx_info_snapshot(info), "t");
    T_STR(sbx_info_extra(info, "alias"), "base");
    T_STR(sbx_info_extra(info, "onTimeout"), "kill");
    T_STR(sbx_info_label(info, "user"), "ann");
    T_EQ(sbx_info_memory_mib(info), 512);
    T_TRUE(sbx_info_extra(info, "envdAccessToken") == NULL);
    sbx_info_free(info);
    scripted_finish(&w);
}

/* ---- e2b_absent_beyond_horizon ---- */

#define BY_ACQ "GET " API "/v2/sandboxes?metadata=sandport-acq%3D" ACQ "&state=running%2Cpaused&limit=100"

static int32_t reconciled(struct scripted *w, int64_t sent_ms_ago, int64_t for_ms) {
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_call call = SBX_CALL_INIT;
    int32_t verdict = -1;
    opt.acquisition = ACQ;
    opt.sent_ms_ago = sent_ms_ago;
    sbx_call_init_after(&call, sizeof(call), w->env, for_ms);
    T_STATUS(sbx_runtime_reconcile(w->rt, &opt, &call, &verdict, NULL, &w->err), SBX_OK);
    script_done(w->script);
    return verdict;
}

static void must_fire_e2b_absent_beyond_horizon__too_early(void) {
    struct scripted w = scripted_new(NULL);
    SCRIPT(w.script, {.request = BY_ACQ, PAGE("[]", "")}, {.request = BY_ACQ, PAGE("[]", "")});
    T_EQ(reconciled(&w, 70000, 4000), SBX_RECONCILE_UNDECIDED);
    scripted_finish(&w);
}

static void must_not_fire_e2b_absent_beyond_horizon__twice_beyond(void) {
    struct scripted w = scripted_new(NULL);
    SCRIPT(w.script, {.request = BY_ACQ, PAGE("[]", "")}, {.request = BY_ACQ, PAGE("[]", "")});
    T_EQ(reconciled(&w, 76000, 4000), SBX_RECONCILE_ABSENT);
    SCRIPT(w.script, {.request = BY_ACQ,
                      PAGE("[{\"sandboxID\":\"i1\",\"state\":\"paused\",\"metadata\":{"
                           "\"sandport-acq\":\"" ACQ "\"}}]",
                           "")});
    T_EQ(reconciled(&w, 0, 4000), SBX_RECONCILE_FOUND);
    scripted_finish(&w);
}

T_CASES(T_CASE(f094_filters_are_coded_three_times), T_CASE(states_that_nobody_can_be_in_ask_nothing),
        T_CASE(f091_filters_that_are_ignored), T_CASE(must_fire_e2b_repeated_token__loop),
        T_CASE(must_not_fire_e2b_repeated_token__pages), T_CASE(lists_of_other_shapes), T_CASE(attaching_wakes_nothing),
        T_CASE(what_only_e2b_says), T_CASE(must_fire_e2b_absent_beyond_horizon__too_early),
        T_CASE(must_not_fire_e2b_absent_beyond_horizon__twice_beyond))
