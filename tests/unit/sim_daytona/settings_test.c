/* Settings of a sandbox of the simulated Daytona: labels, intervals, public, network, activity. */
#include "ask.h"

static void labels_are_replaced_whole(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create_started(&a, "{\"labels\":{\"a\":\"1\",\"b\":\"2\"}}");
    T_EQ(ask(&a, "PUT", "/api/sandbox/%s/labels", "{\"labels\":{\"c\":\"\\u00e4&=+%\"}}"), 200);
    T_EQ(ask(&a, "GET", "/api/sandbox/%s", NULL), 200);
    const struct sbx_json_node *labels = sbx_json_member(sbx_json_root(a.js), "labels");
    T_EQ(sbx_json_count(labels), 1);
    T_STR(sbx_json_string(a.js, labels, "c"), "\xc3\xa4&=+%");
    T_EQ(ask(&a, "PUT", "/api/sandbox/%s/labels", "{\"labels\":{\"c\":1}}"), 400);
    T_EQ(ask(&a, "PUT", "/api/sandbox/%s/labels", "{}"), 400);
    ask_finish(&a);
}

static void the_newer_dialect_answers_labels_alone(void) {
    struct ask a;
    ask_init(&a, "{\"dialect\":\"coded\"}");
    ask_create_started(&a, NULL);
    T_EQ(ask(&a, "PUT", "/api/sandbox/%s/labels", "{\"labels\":{\"c\":\"3\"}}"), 200);
    T_STR(sbx_buf_text(&a.body), "{\"labels\":{\"c\":\"3\"}}");
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/autostop/5", NULL), 200);
    ask_finish(&a);
}

static void interval(struct ask *a, const char *path, int status, const char *member, int64_t value) {
    T_EQ(ask(a, "POST", path, NULL), status);
    if (status == 201) T_EQ(ask_int(a, member), value);
}

static void intervals_clamp_and_refuse(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create_started(&a, NULL);
    interval(&a, "/api/sandbox/%s/autostop/0", 201, "autoStopInterval", 0);
    interval(&a, "/api/sandbox/%s/autostop/-1", 400, NULL, 0);
    interval(&a, "/api/sandbox/%s/autostop/soon", 400, NULL, 0);
    interval(&a, "/api/sandbox/%s/autoarchive/0", 201, "autoArchiveInterval", 43200);
    interval(&a, "/api/sandbox/%s/autoarchive/99999", 201, "autoArchiveInterval", 43200);
    interval(&a, "/api/sandbox/%s/autoarchive/-1", 400, NULL, 0);
    interval(&a, "/api/sandbox/%s/autodelete/-1", 201, "autoDeleteInterval", -1);
    interval(&a, "/api/sandbox/%s/autodelete/0", 201, "autoDeleteInterval", 0);
    interval(&a, "/api/sandbox/%s/autopause/5", 422, NULL, 0);
    ask_finish(&a);
}

static void a_time_to_live_can_be_set_and_taken_away(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create_started(&a, NULL);
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/ttl/1", NULL), 201);
    T_TRUE(*ask_text(&a, "autoDestroyAt"));
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/ttl/0", NULL), 201);
    T_STR(ask_text(&a, "autoDestroyAt"), "");
    ask_pass_ms(&a, 120000);
    T_STR(ask_state(&a), "started");
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/ttl/1", NULL), 201);
    ask_pass_ms(&a, 75000);
    T_STR(ask_state(&a), "404");
    ask_finish(&a);
}

static void public_is_true_or_false(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create_started(&a, NULL);
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/public/true", NULL), 201);
    T_TRUE(sbx_json_bool(a.js, sbx_json_root(a.js), "public"));
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/public/maybe", NULL), 400);
    ask_finish(&a);
}

static void network(struct ask *a, const char *body, const char *cidrs, int block) {
    T_EQ(ask(a, "POST", "/api/sandbox/%s/network-settings", body), 200);
    T_STR(ask_text(a, "networkAllowList"), cidrs);
    T_EQ(sbx_json_bool(a->js, sbx_json_root(a->js), "networkBlockAll"), block);
}

static void network_settings_replace_each_other(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create_started(&a, NULL);
    network(&a, "{\"networkBlockAll\":true}", "", 1);
    network(&a, "{\"networkAllowList\":\"10.0.0.0/8\"}", "10.0.0.0/8", 0);
    network(&a, "{\"networkBlockAll\":false}", "", 0);
    network(&a, "{\"networkAllowList\":\"10.0.0.0/8\"}", "10.0.0.0/8", 0);
    network(&a, "{\"networkBlockAll\":true}", "", 1);
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/network-settings", "{}"), 400);
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/network-settings", "{\"networkAllowList\":\"::/0\"}"), 400);
    ask_finish(&a);
}

static void activity_is_noted(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create_started(&a, "{\"autoStopInterval\":1}");
    ask_pass_ms(&a, 50000);
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/last-activity", "{}"), 201);
    T_EQ(a.body.len, 0);
    ask_pass_ms(&a, 30000);
    T_STR(ask_state(&a), "started");
    ask_finish(&a);
}

static void the_toolbox_url_can_be_missing(void) {
    struct ask a;
    ask_init(&a, "{\"toolbox_url_in_dto\":false}");
    ask_create_started(&a, NULL);
    T_STR(ask_text(&a, "toolboxProxyUrl"), "");
    T_EQ(ask(&a, "GET", "/api/sandbox/%s/toolbox-proxy-url", NULL), 200);
    T_STR(ask_text(&a, "url"), "http://daytona.sim/toolbox");
    ask_finish(&a);
}

T_CASES(T_CASE(labels_are_replaced_whole), T_CASE(the_newer_dialect_answers_labels_alone),
        T_CASE(intervals_clamp_and_refuse), T_CASE(a_time_to_live_can_be_set_and_taken_away),
        T_CASE(public_is_true_or_false), T_CASE(network_settings_replace_each_other), T_CASE(activity_is_noted),
        T_CASE(the_toolbox_url_can_be_missing))
