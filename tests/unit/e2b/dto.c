/* E2B's sandbox object: read in its three forms, and every wrong one refused. Rows E1, R12. */
#include "adapters/e2b/dto.h"
#include "t.h"

#define READ                                                                                                           \
    "{\"sandboxID\":\"i0123456789abcdefghij\",\"clientID\":\"6532622b\",\"templateID\":\"tmpl\",\"alias\":\"base\","   \
    "\"state\":\"running\",\"startedAt\":\"2026-09-21T16:53:20.5Z\",\"endAt\":\"2026-09-21T17:23:20.123456789Z\","     \
    "\"cpuCount\":2,\"memoryMB\":512,\"diskSizeMB\":1024,\"envdVersion\":\"0.6.13\",\"domain\":null,"                  \
    "\"envdAccessToken\":\"deadbeef\",\"metadata\":{\"user\":\"ann\",\"sandport-acq\":"                                \
    "\"00112233445566778899aabbccddeeff\",\"sandport-name\":\"mine\"},\"lifecycle\":{\"onTimeout\":\"kill\"}}"

struct read {
    struct sbx_json *js;
    struct e2b_dto dto;
};

static enum sbx_status read_dto(struct read *r, const char *text, int made) {
    r->js = NULL;
    T_STATUS(sbx_json_parse(text, strlen(text), 0, &r->js), SBX_OK);
    e2b_dto_read(r->js, sbx_json_as_object(r->js, sbx_json_root(r->js)), made, &r->dto);
    return sbx_json_status(r->js);
}

static void a_read_of_one(void) {
    struct read r;
    T_STATUS(read_dto(&r, READ, 0), SBX_OK);
    T_STR(r.dto.id, "i0123456789abcdefghij");
    T_EQ(r.dto.state, SBX_STATE_RUNNING);
    T_STR(r.dto.domain, "");
    T_STR(r.dto.token, "deadbeef");
    T_EQ(r.dto.end_ms, INT64_C(1790011400123));
    T_STR(e2b_dto_label(r.js, &r.dto, "user"), "ann");
    sbx_json_free(r.js);
}

static void the_answer_to_a_create(void) {
    struct read r;
    T_STATUS(
        read_dto(&r, "{\"templateID\":\"t\",\"sandboxID\":\"i1\",\"clientID\":\"6532622b\",\"envdVersion\":\"0.6.13\"}",
                 1),
        SBX_OK);
    T_EQ(r.dto.state, SBX_STATE_RUNNING);
    T_STR(r.dto.token, "");
    T_EQ(r.dto.end_ms, 0);
    sbx_json_free(r.js);
}

static void wrong_ones_are_refused(void) {
    static const char *const wrong[] = {
        "{}",
        "{\"sandboxID\":7,\"state\":\"running\"}",
        "{\"sandboxID\":\"\",\"state\":\"running\"}",
        "{\"sandboxID\":\"evil.example/\",\"state\":\"running\"}",
        "{\"sandboxID\":\"I1\",\"state\":\"running\"}",
        "{\"sandboxID\":\"-x\",\"state\":\"running\"}",
        "{\"sandboxID\":\"i1\"}",
        "{\"sandboxID\":\"i1\",\"state\":7}",
        "{\"sandboxID\":\"i1\",\"state\":\"running\",\"metadata\":[]}",
        "{\"sandboxID\":\"i1\",\"state\":\"running\",\"envdAccessToken\":7}",
        "{\"sandboxID\":\"i1\",\"state\":\"running\",\"domain\":{}}",
        "{\"sandboxID\":\"i1\",\"state\":\"running\",\"endAt\":5}",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct read r;
        T_STATUS(read_dto(&r, wrong[i], 0), SBX_PROTOCOL);
        sbx_json_free(r.js);
    }
}

/* ---- e2b_unknown_state_is_not_running ---- */

static void must_fire_e2b_unknown_state_is_not_running__new_word(void) {
    T_EQ(e2b_state_of("snapshotting"), SBX_STATE_UNKNOWN);
    T_EQ(e2b_state_of(""), SBX_STATE_UNKNOWN);
    T_EQ(e2b_state_of("Running"), SBX_STATE_UNKNOWN);
}
static void must_not_fire_e2b_unknown_state_is_not_running__known(void) {
    T_EQ(e2b_state_of("running"), SBX_STATE_RUNNING);
    T_EQ(e2b_state_of("paused"), SBX_STATE_PAUSED);
}

static void states_are_asked_for_by_their_words(void) {
    const int32_t both[] = {SBX_STATE_PAUSED, SBX_STATE_RUNNING}, none[] = {SBX_STATE_STOPPED};
    T_STR(e2b_states_ask(0), "running,paused");
    T_STR(e2b_states_ask(e2b_states_bits(both, 2)), "running,paused");
    T_STR(e2b_states_ask(e2b_states_bits(both, 1)), "paused");
    T_STR(e2b_states_ask(e2b_states_bits(both + 1, 1)), "running");
    T_TRUE(e2b_states_ask(e2b_states_bits(none, 1)) == NULL);
}

/* ---- e2b_filter_is_checked: F091 ---- */

static void must_fire_e2b_filter_is_checked__anothers(void) {
    const struct sbx_pair labels[] = {{"user", "ann"}, {"job", "7"}}, other = {"user", "bob"};
    struct read r;
    T_STATUS(read_dto(&r, READ, 0), SBX_OK);
    T_EQ(e2b_dto_matches(r.js, &r.dto, labels, 2), 0);
    T_EQ(e2b_dto_matches(r.js, &r.dto, &other, 1), 0);
    sbx_json_free(r.js);
    T_STATUS(read_dto(&r, "{\"sandboxID\":\"i1\",\"state\":\"running\",\"metadata\":null}", 0), SBX_OK);
    T_EQ(e2b_dto_matches(r.js, &r.dto, labels, 1), 0);
    T_EQ(e2b_dto_matches(r.js, &r.dto, NULL, 0), 1);
    sbx_json_free(r.js);
}
static void must_not_fire_e2b_filter_is_checked__ours(void) {
    const struct sbx_pair label = {"user", "ann"};
    struct read r;
    T_STATUS(read_dto(&r, READ, 0), SBX_OK);
    T_EQ(e2b_dto_matches(r.js, &r.dto, &label, 1), 1);
    sbx_json_free(r.js);
}

static void versions_are_compared_by_number(void) {
    static const struct {
        const char *software;
        int since;
    } rows[] = {{"0.5.7", 1},     {"0.5.10", 1}, {"0.6.0", 1}, {"1.0.0", 1},  {"v0.5.7", 1},
                {"0.5.7-dev", 1}, {"0.10.0", 1}, {"0.5.6", 0}, {"0.4.99", 0}, {"v0.5.6", 0},
                {"", 0},          {"0.5", 0},    {"0", 0},     {"latest", 0}, {"0.5.x", 0},
                {"-1.0.0", 0},    {"..", 0},     {"0..9", 0},  {"1", 1},      {"99999999999.0.0", 0}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (e2b_software_since(rows[i].software, 0, 5, 7) != rows[i].since)
            T_FAIL("%s: expected %d", rows[i].software, rows[i].since);
}

static void stamps_are_read_to_the_millisecond(void) {
    T_EQ(e2b_stamp_ms("1970-01-01T00:00:00Z"), 0);
    T_EQ(e2b_stamp_ms("1970-01-02T00:00:00.001Z"), 86400001);
    T_EQ(e2b_stamp_ms("2000-02-29T23:59:59.999999999Z"), INT64_C(951868799999));
    T_EQ(e2b_stamp_ms("2026-09-21T16:53:20Z"), INT64_C(1790009600000));
    T_EQ(e2b_stamp_ms("2026-09-21T16:53:20.5+00:00"), INT64_C(1790009600500));
    T_EQ(e2b_stamp_ms("2026-09-21T16:53:20+02:00"), INT64_C(1790002400000));
    T_EQ(e2b_stamp_ms("2026-13-21T16:53:20Z"), 0);
    T_EQ(e2b_stamp_ms("soon"), 0);
    T_EQ(e2b_stamp_ms(""), 0);
}

/* ---- identities ---- */

static enum sbx_status identity(const char *endpoint, const char *form, const char *text, struct sbx_identity *out) {
    char endpoint_kept[64], form_kept[64];
    struct e2b e = {.endpoint = endpoint_kept, .sandbox_url = form ? form_kept : NULL};
    struct sbx_error err = SBX_ERROR_INIT;
    struct read r;
    strcpy(endpoint_kept, endpoint);
    if (form) strcpy(form_kept, form);
    memset(out, 0, sizeof(*out));
    T_STATUS(read_dto(&r, text, 0), SBX_OK);
    enum sbx_status st = e2b_dto_identity(&e, r.js, &r.dto, out, &err);
    sbx_json_free(r.js);
    return st;
}

static void a_sandbox_is_reached_where_it_is(void) {
    static const char in_domain[] = "{\"sandboxID\":\"i1-6532622b\",\"state\":\"running\",\"domain\":\"x.example\"}";
    struct sbx_identity who;
    T_STATUS(identity("https://api.e2b.app", NULL, READ, &who), SBX_OK);
    T_STR(who.address, "https://49983-i0123456789abcdefghij.e2b.app");
    T_STR(who.token, "deadbeef");
    T_STR(who.acquisition, "00112233445566778899aabbccddeeff");
    T_STATUS(identity("https://api.e2b.app", NULL, in_domain, &who), SBX_OK);
    T_STR(who.address, "https://49983-i1.x.example");
    T_STATUS(identity("https://api.e2b.app", "https://{id}.sb.example:9", in_domain, &who), SBX_OK);
    T_STR(who.address, "https://i1.sb.example:9");
    T_STATUS(identity("http://127.0.0.1:3000", "http://127.0.0.1:3002", in_domain, &who), SBX_OK);
    T_STR(who.address, "http://127.0.0.1:3002");
}

static void a_credential_goes_nowhere_else(void) {
    struct sbx_identity who;
    T_STATUS(identity("https://api.e2b.app", NULL,
                      "{\"sandboxID\":\"i1\",\"state\":\"running\",\"domain\":\"evil.example/@\"}", &who),
             SBX_PROTOCOL);
    T_STATUS(identity("https://api.e2b.app", NULL,
                      "{\"sandboxID\":\"i1\",\"state\":\"running\",\"domain\":\"e2b.app\",\"envdAccessToken\":\"a b\"}",
                      &who),
             SBX_PROTOCOL);
    T_STR(who.token, "");
    T_STATUS(identity("http://127.0.0.1:3000", NULL, READ, &who), SBX_INVALID_ARGUMENT);
}

T_CASES(T_CASE(a_read_of_one), T_CASE(the_answer_to_a_create), T_CASE(wrong_ones_are_refused),
        T_CASE(must_fire_e2b_unknown_state_is_not_running__new_word),
        T_CASE(must_not_fire_e2b_unknown_state_is_not_running__known), T_CASE(states_are_asked_for_by_their_words),
        T_CASE(must_fire_e2b_filter_is_checked__anothers), T_CASE(must_not_fire_e2b_filter_is_checked__ours),
        T_CASE(stamps_are_read_to_the_millisecond), T_CASE(a_sandbox_is_reached_where_it_is),
        T_CASE(a_credential_goes_nowhere_else), T_CASE(versions_are_compared_by_number))
