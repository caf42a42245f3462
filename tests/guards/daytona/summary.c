/* The organisation's room for people: limits as they keep them, totals, levels, the idle of one's own. Row R16. */
#include "daytona_world.h"

#include <sandport/daytona_capacity.h>

/* ---- limits ---- */

static enum sbx_status parsed(const char *json, struct sbx_capacity_options *out, struct sbx_error *err) {
    sbx_error_init(err, sizeof(*err));
    return sbx_daytona_limits_parse(json, strlen(json), out, err);
}

static void limits_in_daytonas_units(void) {
    struct sbx_capacity_options out = SBX_CAPACITY_OPTIONS_INIT;
    struct sbx_error err;
    T_STATUS(parsed("{\"cpu\":250,\"memory_gib\":500,\"demand\":{\"cpu\":2,\"memory_gib\":0.5}}", &out, &err), SBX_OK);
    T_EQ((int64_t)out.bound[SBX_RESOURCE_CPU].limit, 250);
    T_EQ((int64_t)out.bound[SBX_RESOURCE_CPU].required, 2);
    T_EQ((int64_t)out.bound[SBX_RESOURCE_MEMORY].limit, 500 * 1024);
    T_EQ((int64_t)out.bound[SBX_RESOURCE_MEMORY].required, 512);
    T_EQ((int64_t)out.bound[SBX_RESOURCE_DISK].limit, 0);
}

static void limits_that_are_none(void) {
    static const struct {
        const char *json;
        const char *detail;
    } bad[] = {{"", "limits"},
               {"[]", "limits"},
               {"{}", "limits: expected one"},
               {"{\"cpu\":0}", "cpu"},
               {"{\"cpu\":-1}", "cpu"},
               {"{\"cpu\":\"250\"}", "cpu"},
               {"{\"cpu\":null}", "cpu"},
               {"{\"cpu\":1e13}", "cpu"},
               {"{\"cpus\":250}", "cpus"},
               {"{\"cpu\":250,\"tier\":2}", "tier"},
               {"{\"cpu\":250,\"demand\":{\"disk_gib\":1}}", "disk_gib"},
               {"{\"cpu\":250,\"demand\":{\"gpu\":1}}", "gpu"},
               {"{\"cpu\":250,\"demand\":2}", "demand"},
               {"{\"demand\":{}}", "limits: expected one"}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sbx_capacity_options out = SBX_CAPACITY_OPTIONS_INIT;
        struct sbx_error err;
        if (parsed(bad[i].json, &out, &err) != SBX_INVALID_ARGUMENT) T_FAIL("%s was taken", bad[i].json);
        T_CONTAINS(err.detail, bad[i].detail);
        T_EQ((int64_t)out.bound[SBX_RESOURCE_CPU].limit, 0);
    }
}

/* ---- the summary ---- */

static const struct sbx_pair blue = {"team", "blue"}, red = {"team", "red"};

/* Two of the blue team, one of them stopped, and a stopped one of the red. */
static struct world three_sandboxes(void) {
    struct world w = world_new(SEED);
    for (int i = 0; i < 3; i++) {
        struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
        struct sbx_sandbox *sb = NULL;
        opt.labels = i == 2 ? &red : &blue;
        opt.label_count = 1;
        opt.name = i == 0 ? "one" : i == 1 ? "two" : "three";
        T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &sb, &w.err), SBX_OK);
        if (i) T_STATUS(sbx_sandbox_stop(sb, NULL, NULL, &w.err), SBX_OK);
        sbx_sandbox_free(sb);
    }
    sbx_sim_advance_ms(w.sim, 10000);
    sbx_sim_timeline_reset(w.sim);
    return w;
}

static char *summary_of(struct world *w, double cpu_limit, const struct sbx_pair *workspace) {
    struct sbx_daytona_summary_options opt = SBX_DAYTONA_SUMMARY_OPTIONS_INIT;
    struct sbx_capacity_options limits = SBX_CAPACITY_OPTIONS_INIT;
    char *json = NULL;
    limits.bound[SBX_RESOURCE_CPU].limit = cpu_limit;
    opt.limits = &limits;
    opt.limits_source = "contract of May";
    opt.workspace = workspace;
    if (sbx_daytona_capacity_summary(w->rt, &opt, NULL, &json, &w->err)) T_FAIL("no summary: %s", w->err.detail);
    return json;
}

static void totals_levels_and_provenance(void) {
    struct world w = three_sandboxes();
    char *json = summary_of(&w, 3.5, &blue);
    T_CONTAINS(json, "{\"level\":\"warning\",\"thresholds\":{\"warning\":80,\"critical\":95},"
                     "\"limits\":{\"source\":\"contract of May\"},"
                     "\"totals\":{\"sandboxes\":3,\"running\":1,\"coerced\":0,"
                     "\"cpu\":{\"used\":3,\"limit\":4,\"percent\":85,\"level\":\"warning\"},"
                     "\"memory_mib\":{\"used\":3072,\"limit\":null,\"percent\":null,\"level\":\"unknown\"}");
    T_CONTAINS(json, "\"workspace\":{\"label\":\"team=blue\",\"sandboxes\":2,\"idle\":[{\"id\":\"");
    T_CONTAINS(json, "\"name\":\"two\",\"state\":\"stopped\",\"last_activity\":\"20");
    T_CONTAINS(json, "\"provisioning_check\":\"not_covered\"}");
    T_TRUE(strstr(sbx_sim_timeline(w.sim), "POST") == NULL);
    sbx_text_free(json);
    json = summary_of(&w, 100, NULL);
    T_CONTAINS(json, "{\"level\":\"ok\"");
    T_TRUE(strstr(json, "workspace") == NULL);
    sbx_text_free(json);
    json = summary_of(&w, 3, NULL);
    T_CONTAINS(json, "{\"level\":\"critical\"");
    sbx_text_free(json);
    json = summary_of(&w, 0, NULL);
    T_CONTAINS(json, "{\"level\":\"unknown\"");
    sbx_text_free(json);
    world_finish(&w);
}

/* What admission refuses to believe is good enough to be shown, and is counted. */
static void display_coerces_and_admission_does_not(void) {
    struct world w = three_sandboxes();
    struct sbx_capacity_options limits = SBX_CAPACITY_OPTIONS_INIT;
    struct sbx_capacity room = SBX_CAPACITY_INIT;
    limits.bound[SBX_RESOURCE_CPU].limit = 10;
    limits.bound[SBX_RESOURCE_CPU].required = 1;
    world_fault(&w, "{'op':'daytona.sandbox.list','phase':'before','effect':{'kind':'mutate','path':'$.items[1].cpu',"
                    "'value':'7'}}");
    char *json = summary_of(&w, 10, NULL);
    T_CONTAINS(json, "\"coerced\":1,\"cpu\":{\"used\":9,");
    sbx_text_free(json);
    T_STATUS(sbx_runtime_capacity(w.rt, &limits, NULL, &room, &w.err), SBX_PROTOCOL);
    T_EQ(room.known, 0);
    world_finish(&w);
}

static void summaries_that_are_none(void) {
    struct world w = world_new(SEED);
    struct sbx_daytona_summary_options opt = SBX_DAYTONA_SUMMARY_OPTIONS_INIT;
    char *json = NULL;
    T_STATUS(sbx_daytona_capacity_summary(NULL, NULL, NULL, &json, &w.err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_daytona_capacity_summary(w.rt, NULL, NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    opt.warning_percent = 95;
    T_STATUS(sbx_daytona_capacity_summary(w.rt, &opt, NULL, &json, &w.err), SBX_INVALID_ARGUMENT);
    opt.warning_percent = 0;
    opt.limits_source = "\xff";
    T_STATUS(sbx_daytona_capacity_summary(w.rt, &opt, NULL, &json, &w.err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "limits_source");
    world_fault(&w, "{'op':'daytona.sandbox.list','phase':'before','effect':{'kind':'status','status':401}}");
    T_STATUS(sbx_daytona_capacity_summary(w.rt, NULL, NULL, &json, &w.err), SBX_UNAUTHORISED);
    T_STR(w.err.operation, "capacity_summary");
    T_TRUE(json == NULL);
    world_finish(&w);
}

static void idle_of(const struct sbx_pair *workspace, int shows_two, int shows_three) {
    struct world w = three_sandboxes();
    char *json = summary_of(&w, 10, workspace);
    T_EQ(strstr(json, "\"two\"") != NULL, shows_two);
    T_EQ(strstr(json, "\"three\"") != NULL, shows_three);
    sbx_text_free(json);
    world_finish(&w);
}

static void must_fire_idle_of_ones_own__blue(void) {
    idle_of(&blue, 1, 0);
}

static void must_not_fire_idle_of_ones_own__red(void) {
    idle_of(&red, 0, 1);
}

T_CASES(T_CASE(limits_in_daytonas_units), T_CASE(limits_that_are_none), T_CASE(totals_levels_and_provenance),
        T_CASE(display_coerces_and_admission_does_not), T_CASE(summaries_that_are_none),
        T_CASE(must_fire_idle_of_ones_own__blue), T_CASE(must_not_fire_idle_of_ones_own__red))
