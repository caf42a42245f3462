/* Whole live runs over the simulation: what they tell, what they leave - nothing -, and what their transcript holds.
 * Row V6. */
#include "daytona_world.h"
#include "live/live.h"

#include <dirent.h>
#include <sandport/kit/json.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A run in a world of its own. */
struct staged {
    struct world w;
    char folder[64];
    struct sbx_buf told;
    const char *stop_after; /* it is cancelled when this has been told; may be NULL */
    char *transcript;
    struct sbx_cancel *cancel;
    enum live_verdict verdict;
};

static void transcript_take(struct staged *s) {
    char path[400] = "";
    DIR *folder = opendir(s->folder);
    T_TRUE(folder != NULL);
    for (struct dirent *it = readdir(folder); it; it = readdir(folder))
        if (strncmp(it->d_name, "daytona-", 8) == 0) snprintf(path, sizeof(path), "%s/%s", s->folder, it->d_name);
    closedir(folder);
    FILE *f = fopen(path, "rb");
    T_TRUE(f != NULL);
    s->transcript = calloc(1, 1 << 20);
    T_TRUE(s->transcript != NULL);
    T_TRUE(fread(s->transcript, 1, (1 << 20) - 1, f) < (1 << 20) - 1);
    fclose(f);
    unlink(path);
    rmdir(s->folder);
}

static void staged_begin(struct staged *s) {
    *s = (struct staged){.w = world_new(SEED), .folder = "/tmp/sandport-live-XXXXXX"};
    T_TRUE(mkdtemp(s->folder) != NULL);
    s->cancel = sbx_cancel_create(s->w.env);
    T_TRUE(s->cancel != NULL);
}

static ssize_t told_take(void *cookie, const char *data, size_t len) {
    struct staged *s = cookie;
    sbx_buf_append(&s->told, data, len);
    if (s->stop_after && strstr(sbx_buf_text(&s->told), s->stop_after)) sbx_cancel_fire(s->cancel);
    return (ssize_t)len;
}

static void staged_run(struct staged *s, const char *key) {
    struct live_account account = {.api_url = SBX_SIM_DAYTONA_ENDPOINT};
    snprintf(account.api_key, sizeof(account.api_key), "%s", key);
    FILE *out = fopencookie(s, "w", (cookie_io_functions_t){.write = told_take});
    T_TRUE(out != NULL);
    const struct live_run run = {
        .under = s->w.env, .account = &account, .folder = s->folder, .out = out, .cancel = s->cancel};
    s->verdict = live_run_do(&run);
    T_EQ(fclose(out), 0);
    transcript_take(s);
}

/* Searches everything that was written. */
static void staged_end(struct staged *s) {
    if (strstr(sbx_buf_text(&s->told), "canary")) T_FAIL("the key shows: %s", sbx_buf_text(&s->told));
    if (strstr(s->transcript, "canary")) T_FAIL("the key shows in the transcript");
    sbx_buf_finish(&s->told);
    free(s->transcript);
    sbx_cancel_free(s->cancel);
    world_finish(&s->w);
}

static void staged_ends(struct staged *s, enum live_verdict verdict, const char *says) {
    staged_run(s, SBX_SIM_DAYTONA_KEY);
    if (s->verdict != verdict)
        T_FAIL("ended %d, expected %d:\n%s", (int)s->verdict, (int)verdict, sbx_buf_text(&s->told));
    T_CONTAINS(sbx_buf_text(&s->told), says);
}

static void healthy(void) {
    struct staged s;
    staged_begin(&s);
    staged_ends(&s, LIVE_HELD, "All of it held, and nothing is left.\n");
    T_TRUE(!strstr(sbx_buf_text(&s.told), "NOT SO"));
    T_CONTAINS(sbx_buf_text(&s.told), "| sent: create 1, get ");
    T_CONTAINS(sbx_buf_text(&s.told), "nothing carries the label live-run=");
    T_EQ(sbx_sim_ledger_made(s.w.sim), 1);
    T_EQ(sbx_sim_ledger_live(s.w.sim), 0);
    T_EQ(sbx_sim_unsupported(s.w.sim), 0);
    staged_end(&s);
}

static void wrong_key_makes_nothing(void) {
    struct staged s;
    staged_begin(&s);
    staged_run(&s, "dtn_another_canary_1111111111111111");
    T_EQ(s.verdict, LIVE_NOT_SO);
    T_CONTAINS(sbx_buf_text(&s.told), "UNAUTHORISED");
    T_CONTAINS(sbx_buf_text(&s.told), "nothing was made");
    T_EQ(sbx_sim_ledger_made(s.w.sim), 0);
    staged_end(&s);
}

/* An account that knows no time-to-live: the refusal made nothing, and the idle limit is enough. */
static void time_to_live_refused(void) {
    struct staged s;
    staged_begin(&s);
    world_fault(&s.w, "{'op':'daytona.sandbox.create','phase':'before','times':1,"
                      "'effect':{'kind':'status','status':400,'body':'{\\'message\\':\\'ttlMinutes must be off\\'}'}}");
    staged_ends(&s, LIVE_HELD, "sent: create 2, ");
    T_CONTAINS(sbx_buf_text(&s.told), "time-to-live refused");
    T_EQ(sbx_sim_ledger_made(s.w.sim), 1);
    T_EQ(sbx_sim_ledger_live(s.w.sim), 0);
    staged_end(&s);
}

static void refused_again_is_the_end(void) {
    struct staged s;
    staged_begin(&s);
    world_fault(&s.w, "{'op':'daytona.sandbox.create','phase':'before',"
                      "'effect':{'kind':'status','status':400,'body':'{\\'message\\':\\'cpu must be less\\'}'}}");
    staged_ends(&s, LIVE_NOT_SO, "sent: create 2 |");
    T_EQ(sbx_sim_ledger_made(s.w.sim), 0);
    staged_end(&s);
}

static void create_without_answer_leaves_nothing(void) {
    struct staged s;
    staged_begin(&s);
    world_fault(&s.w, "{'op':'daytona.sandbox.create','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
    staged_ends(&s, LIVE_NOT_SO, "Not all of it held; nothing is left.\n");
    T_EQ(sbx_sim_ledger_made(s.w.sim), 1);
    T_EQ(sbx_sim_ledger_live(s.w.sim), 0);
    staged_end(&s);
}

/* The launch cannot even look it up: what became of it is asked for afterwards. */
static void what_the_launch_cannot_find_is_reconciled(void) {
    struct staged s;
    staged_begin(&s);
    world_fault(&s.w, "{'op':'daytona.sandbox.create','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
    world_fault(&s.w, "{'op':'daytona.sandbox.get','phase':'before','times':1,'effect':{'kind':'hang'}}");
    world_fault(&s.w,
                "{'op':'daytona.sandbox.get','phase':'before','times':40,'effect':{'kind':'status','status':500}}");
    staged_ends(&s, LIVE_NOT_SO, "[ok]     reconcile ");
    T_CONTAINS(sbx_buf_text(&s.told), "found and deleted");
    T_EQ(sbx_sim_ledger_live(s.w.sim), 0);
    staged_end(&s);
}

static void a_step_that_fails_is_told_and_taken_down(void) {
    struct staged s;
    staged_begin(&s);
    world_fault(&s.w, "{'op':'daytona.toolbox.download','phase':'before','effect':{'kind':'status','status':500}}");
    staged_ends(&s, LIVE_NOT_SO, "[NOT SO] download ");
    T_CONTAINS(sbx_buf_text(&s.told), "[ok]     destroy ");
    T_EQ(sbx_sim_ledger_live(s.w.sim), 0);
    staged_end(&s);
}

static void what_cannot_be_deleted_is_told(void) {
    struct staged s;
    staged_begin(&s);
    world_fault(&s.w, "{'op':'daytona.sandbox.delete','phase':'before','effect':{'kind':'status','status':500}}");
    staged_ends(&s, LIVE_LEFT, "SOMETHING MAY BE LEFT");
    T_CONTAINS(sbx_buf_text(&s.told), "may live on");
    T_EQ(sbx_sim_ledger_live(s.w.sim), 1);
    staged_end(&s);
}

/* The partner of the one above: it is refused only at first. */
static void what_is_deleted_late_is_not_left(void) {
    struct staged s;
    staged_begin(&s);
    world_fault(&s.w,
                "{'op':'daytona.sandbox.delete','phase':'before','times':2,'effect':{'kind':'status','status':500}}");
    staged_run(&s, SBX_SIM_DAYTONA_KEY);
    T_TRUE(s.verdict == LIVE_HELD || s.verdict == LIVE_NOT_SO);
    T_EQ(sbx_sim_ledger_live(s.w.sim), 0);
    staged_end(&s);
}

static void an_account_that_does_not_say_is_not_trusted(void) {
    struct staged s;
    staged_begin(&s);
    world_fault(&s.w, "{'op':'daytona.sandbox.list','phase':'before','nth':2,'effect':{'kind':'status','status':403}}");
    staged_ends(&s, LIVE_LEFT, "the account does not say what is left");
    T_EQ(sbx_sim_ledger_live(s.w.sim), 0);
    staged_end(&s);
}

static void cancelled_after(const char *told, int made) {
    struct staged s;
    staged_begin(&s);
    s.stop_after = told;
    staged_ends(&s, LIVE_NOT_SO, "CANCELLED");
    T_EQ(sbx_sim_ledger_made(s.w.sim), made);
    T_EQ(sbx_sim_ledger_live(s.w.sim), 0);
    staged_end(&s);
}

static void a_cancel_before_the_launch(void) {
    cancelled_after("the key is good", 0);
}

static void a_cancel_while_it_runs(void) {
    cancelled_after("it has run a command", 1);
}

/* ---- the recorder alone ---- */

static enum sbx_status create_once(struct live_recorder *r) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_runtime *rt = NULL;
    struct sbx_sandbox *sb = NULL;
    opt.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    opt.api_key = SBX_SIM_DAYTONA_KEY;
    T_STATUS(sbx_daytona_create(&opt, &r->env, &rt, NULL), SBX_OK);
    enum sbx_status st = sbx_runtime_launch(rt, NULL, NULL, &sb, NULL);
    sbx_sandbox_free(sb);
    sbx_runtime_free(rt);
    return st;
}

static void no_create_beyond_the_limit(void) {
    struct staged s;
    struct live_transcript to;
    struct live_recorder r;
    staged_begin(&s);
    T_TRUE(live_transcript_open(&to, s.folder, "x", SBX_SIM_DAYTONA_KEY));
    live_recorder_init(&r, s.w.env, &to, SBX_SIM_DAYTONA_ENDPOINT, 2);
    T_STATUS(create_once(&r), SBX_OK);
    T_STATUS(create_once(&r), SBX_OK);
    T_TRUE(create_once(&r) != SBX_OK);
    T_EQ(sbx_sim_ledger_made(s.w.sim), 2);
    T_TRUE(live_transcript_close(&to));
    transcript_take(&s);
    staged_end(&s);
}

/* ---- the transcript ---- */

static const struct sbx_json_node *member_of_type(const struct sbx_json_node *obj, const char *key,
                                                  enum sbx_json_type type) {
    const struct sbx_json_node *node = sbx_json_member(obj, key);
    if (!node || sbx_json_type(node) != type) T_FAIL("%s: missing, or of another type", key);
    return node;
}

/* Each line has the members of a fixture, but for the row; what one adds is no member of another name's. */
static void line_check(const char *line, size_t len, int number) {
    static const char *const known[] = {"n",        "step",          "op",       "sdk", "given",  "request",
                                        "response", "other_headers", "evidence", "cut", "took_ms"};
    struct sbx_json *js = NULL;
    T_STATUS(sbx_json_parse(line, len, 0, &js), SBX_OK);
    const struct sbx_json_node *root = sbx_json_root(js);
    T_EQ(sbx_json_int(js, root, "n"), number);
    T_STR(sbx_json_string(js, root, "evidence"), "done");
    T_TRUE(strcmp(sbx_json_string(js, root, "op"), "daytona.other") != 0);
    for (const struct sbx_json_node *it = sbx_json_first(root); it; it = sbx_json_next(it)) {
        int found = 0;
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) found |= strcmp(sbx_json_key(it), known[i]) == 0;
        if (!found) T_FAIL("line %d has a member %s", number, sbx_json_key(it));
    }
    const struct sbx_json_node *req = member_of_type(root, "request", SBX_JSON_OBJECT);
    const struct sbx_json_node *res = member_of_type(root, "response", SBX_JSON_OBJECT);
    const struct sbx_json_node *headers = member_of_type(req, "headers", SBX_JSON_OBJECT);
    T_STR(sbx_json_string(js, headers, "Authorization"), "Bearer $key");
    T_TRUE(*sbx_json_string(js, req, "path") == '/');
    T_TRUE(sbx_json_member(req, "body") && sbx_json_member(res, "body"));
    T_TRUE(sbx_json_int(js, res, "status") >= 200);
    (void)member_of_type(res, "headers", SBX_JSON_OBJECT);
    T_STATUS(sbx_json_status(js), SBX_OK);
    sbx_json_free(js);
}

static void each_line_has_the_shape_of_a_fixture(void) {
    struct staged s;
    int number = 0;
    staged_begin(&s);
    staged_ends(&s, LIVE_HELD, "exchanges, each line searched for the key");
    for (const char *line = s.transcript; *line; line = strchr(line, '\n') + 1)
        line_check(line, strcspn(line, "\n"), ++number);
    T_TRUE(number >= 15);
    staged_end(&s);
}

static int is_uuid(const char *text) {
    char hex[33], uuid[37];
    memcpy(uuid, text, 36);
    uuid[36] = 0;
    return sbx_hex_from_uuid(uuid, hex);
}

static void nothing_private_is_in_it(void) {
    static const char *const there[] = {
        "\"op\":\"daytona.sandbox.create\",\"sdk\":\"sandport " SBX_VERSION_TEXT "\",\"given\":\"nothing\"",
        "\"path\":\"/api/sandbox/$id\"",
        "\"path\":\"/toolbox/$id/process/execute\"",
        "\"organizationId\":\"$organizationId\"",
        "\"toolboxProxyUrl\":\"$toolbox\"",
        "--$boundary\\r\\n",
        "\"body\":null,\"body_base64\":\"",
        "\"Content-Type\":\"multipart/form-data; boundary=$boundary\"",
        "\"Transfer-Encoding\":\"chunked\"",
        "\"given\":\"started\"",
        "first line\\nZ\xc3\xbcrich",
    };
    struct staged s;
    staged_begin(&s);
    staged_ends(&s, LIVE_HELD, "All of it held");
    for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++) T_CONTAINS(s.transcript, there[i]);
    T_TRUE(!strstr(s.transcript, "daytona.sim"));
    for (size_t i = 0; i + 36 < strlen(s.transcript); i++) T_TRUE(!is_uuid(s.transcript + i));
    staged_end(&s);
}

/* A provider that repeats the key in an answer, and in the encoding of its choice. */
static void an_answer_with_the_key_is_cleaned(void) {
    struct staged s;
    staged_begin(&s);
    world_fault(&s.w, "{'op':'daytona.toolbox.upload','phase':'before','effect':{'kind':'status','status':403,"
                      "'body':'{\\'message\\':\\'" SBX_SIM_DAYTONA_KEY " may not\\'}'}}");
    staged_ends(&s, LIVE_NOT_SO, "[NOT SO] upload");
    T_CONTAINS(s.transcript, "{\"message\":\"$key may not\"}");
    staged_end(&s);
}

static void a_line_that_would_show_the_key_is_not_written(void) {
    struct staged s;
    struct sbx_buf fault = SBX_BUF_INIT, coded = SBX_BUF_INIT;
    staged_begin(&s);
    sbx_base64_encode(&coded, SBX_SIM_DAYTONA_KEY, strlen(SBX_SIM_DAYTONA_KEY));
    sbx_buf_printf(&fault,
                   "{'op':'daytona.toolbox.upload','phase':'before','effect':{'kind':'status','status':403,"
                   "'body':'{\\'message\\':\\'%s\\'}'}}",
                   sbx_buf_text(&coded));
    world_fault(&s.w, sbx_buf_text(&fault));
    staged_ends(&s, LIVE_NOT_SO, "exchanges; some are missing");
    T_TRUE(!strstr(s.transcript, sbx_buf_text(&coded)));
    sbx_buf_finish(&fault);
    sbx_buf_finish(&coded);
    staged_end(&s);
}

T_CASES(T_CASE(healthy), T_CASE(wrong_key_makes_nothing), T_CASE(time_to_live_refused),
        T_CASE(refused_again_is_the_end), T_CASE(create_without_answer_leaves_nothing),
        T_CASE(what_the_launch_cannot_find_is_reconciled), T_CASE(a_step_that_fails_is_told_and_taken_down),
        T_CASE(what_cannot_be_deleted_is_told), T_CASE(what_is_deleted_late_is_not_left),
        T_CASE(an_account_that_does_not_say_is_not_trusted), T_CASE(a_cancel_before_the_launch),
        T_CASE(a_cancel_while_it_runs), T_CASE(no_create_beyond_the_limit),
        T_CASE(each_line_has_the_shape_of_a_fixture), T_CASE(nothing_private_is_in_it),
        T_CASE(an_answer_with_the_key_is_cleaned), T_CASE(a_line_that_would_show_the_key_is_not_written))
