/* Guards of reading a sandbox: its state, and where its toolbox is. Rows D3, D21, D22. */
#include "adapters/daytona/dto.h"

#include "daytona_world.h"

#include <stdio.h>

/* ---- unknown_state_is_not_running ---- */

static struct sbx_info *info_with_state(struct world *w, const char *state) {
    struct sbx_info *info = NULL;
    char fault[256];
    snprintf(
        fault, sizeof(fault),
        "{'op':'daytona.sandbox.get','phase':'mid_reply','effect':{'kind':'mutate','path':'$.state','value':'%s'}}",
        state);
    world_fault(w, fault);
    T_STATUS(sbx_sandbox_info(w->sb, NULL, &info, &w->err), SBX_OK);
    T_STR(sbx_info_state_text(info), state);
    return info;
}

static void the_info_says_unknown(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_info *info = info_with_state(&w, "hibernating");
    T_EQ(sbx_info_state(info), SBX_STATE_UNKNOWN);
    T_TIMELINE(w.sim, "[   430] GET  /sandbox/sb-1 -> 200\n");
    sbx_info_free(info);
    world_finish(&w);
}

#define EVERY_READ_SAYS(word)                                                                                          \
    "{'op':'daytona.sandbox.get','phase':'mid_reply','effect':{'kind':'mutate','path':'$.state','value':'" word "'}}"

/* A start waits for a state that it knows, and says which was the last it saw. */
static void a_start_waits(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    world_fault(&w, EVERY_READ_SAYS("hibernating"));
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_DEADLINE);
    T_STR(w.err.detail, "the last state seen was UNKNOWN");
    T_TRUE(strstr(sbx_sim_timeline(w.sim), "execute") == NULL);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    world_finish(&w);
}

static void a_launch_waits(void) {
    struct world w = world_new(SEED);
    struct sbx_call call = SBX_CALL_INIT;
    world_fault(&w, EVERY_READ_SAYS("startedish"));
    sbx_call_init_after(&call, sizeof(call), w.env, 20000);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err), SBX_DEADLINE);
    T_CONTAINS(w.err.detail, "UNKNOWN");
    T_TRUE(strstr(sbx_sim_timeline(w.sim), "process/execute") == NULL);
    world_finish(&w);
}

static void must_fire_unknown_state_is_not_running__new_word(void) {
    a_start_waits();
    a_launch_waits();
    the_info_says_unknown();
}

static void must_not_fire_unknown_state_is_not_running__other_case(void) {
    struct world w = world_with_running_sandbox(SEED), other = world_new(SEED);
    struct sbx_info *info = info_with_state(&w, "STARTED");
    T_EQ(sbx_info_state(info), SBX_STATE_RUNNING);
    sbx_info_free(info);
    world_finish(&w);
    world_fault(&other, "{'op':'daytona.sandbox.get','phase':'mid_reply','where':{'state':'started'},"
                        "'effect':{'kind':'mutate','path':'$.state','value':'STARTED'}}");
    T_STATUS(sbx_runtime_launch(other.rt, NULL, NULL, &other.sb, &other.err), SBX_OK);
    world_finish(&other);
}

/* ---- toolbox_downgrade: our credential does not leave TLS because an answer says so ---- */

static enum sbx_status identity_at(char *toolbox, struct sbx_identity *who, struct sbx_error *err) {
    char endpoint[] = "https://app.example/api", text[256];
    const struct daytona d = {.endpoint = endpoint};
    struct daytona_dto dto;
    struct sbx_json *js = NULL;
    sbx_error_init(err, sizeof(*err));
    snprintf(text, sizeof(text), "{\"id\":\"a-b\",\"state\":\"started\",\"toolboxProxyUrl\":\"%s\"}", toolbox);
    T_STATUS(sbx_json_parse(text, strlen(text), 0, &js), SBX_OK);
    daytona_dto_read(js, sbx_json_root(js), &dto);
    T_STATUS(sbx_json_status(js), SBX_OK);
    enum sbx_status st = daytona_dto_identity(&d, js, &dto, who, err);
    sbx_json_free(js);
    return st;
}

static void not_from_https_to_http(void) {
    char url[] = "http://proxy.example/toolbox";
    struct sbx_identity who = {.size = sizeof(who)};
    struct sbx_error err;
    T_STATUS(identity_at(url, &who, &err), SBX_PROTOCOL);
    T_EQ(err.outcome, SBX_OUTCOME_DONE);
    T_STR(err.detail, "toolboxProxyUrl: expected an absolute URL as safe as the endpoint's");
    T_STR(who.address, "");
}

static void launch_with_toolbox(const char *value, int32_t want) {
    struct world w = world_new(SEED);
    char fault[256];
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.sandbox.create','phase':'mid_reply',"
             "'effect':{'kind':'mutate','path':'$.toolboxProxyUrl','value':'%s'}}",
             value);
    world_fault(&w, fault);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), want);
    T_EQ(sbx_sim_ledger_live(w.sim), want == SBX_OK ? 1 : 0);
    world_finish(&w);
}

static void must_fire_toolbox_downgrade__unsafe(void) {
    not_from_https_to_http();
    launch_with_toolbox("ftp://elsewhere/", SBX_PROTOCOL);
    launch_with_toolbox("http://user:pass@elsewhere/toolbox", SBX_PROTOCOL);
}

static void from_https_to_https(void) {
    char url[] = "https://proxy.example/toolbox";
    struct sbx_identity who = {.size = sizeof(who)};
    struct sbx_error err;
    T_STATUS(identity_at(url, &who, &err), SBX_OK);
    T_STR(who.address, url);
    T_STR(who.id, "a-b");
    T_EQ(who.state, SBX_STATE_RUNNING);
}

static void must_not_fire_toolbox_downgrade__as_safe(void) {
    from_https_to_https();
    launch_with_toolbox("http://daytona.sim/toolbox/", SBX_OK);
}

T_CASES(T_CASE(must_fire_unknown_state_is_not_running__new_word),
        T_CASE(must_not_fire_unknown_state_is_not_running__other_case), T_CASE(must_fire_toolbox_downgrade__unsafe),
        T_CASE(must_not_fire_toolbox_downgrade__as_safe))
