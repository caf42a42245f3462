/* The fixtures of E2B's wire against the simulator: each request gives its response, member for member.
 * What the words in them mean: fixtures/e2b/README.md. */
#include "ask.h"
#include "fixture_match.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static const struct fixture_shape shapes[] = {
    {"stamp", "9999-99-99T99:99:99*"}, {"sandbox", "ixxxxxxxxxxxxxxxxxxxx*"}, {NULL, NULL}};

struct fixture {
    struct ask a;
    struct listener cat;
    struct sbx_json *js;
    const struct sbx_json_node *root;
    struct fixture_names names;
};

/* ---- what there is before ---- */

static void fixture_process(struct fixture *f) {
    char pid[16];
    f->cat = (struct listener){
        .a = &f->a,
        .method = "process.Process/Start",
        .json = "{\"process\":{\"cmd\":\"/bin/bash\",\"args\":[\"-l\",\"-c\",\"cat\"]},\"stdin\":true}"};
    ask_listen(&f->cat);
    T_EQ(ask_rpc(&f->a, "process.Process/List", "{}"), 200);
    const char *at = strstr(sbx_buf_text(&f->a.body), "\"pid\":");
    T_TRUE(at != NULL);
    snprintf(pid, sizeof(pid), "%ld", strtol(at + 6, NULL, 10));
    fixture_bind(&f->names, "$pid", pid, 1);
}

static void fixture_given(struct fixture *f) {
    const char *given = sbx_json_string(f->js, f->root, "given");
    ask_init(&f->a, NULL);
    fixture_bind(&f->names, "$key", SBX_SIM_E2B_KEY, 0);
    if (strcmp(given, "nothing") == 0) return;
    ask_create(&f->a, "{\"templateID\":\"base\",\"metadata\":{\"user\":\"a b\",\"k&\":\"v=1\"}}");
    fixture_bind(&f->names, "$id", f->a.id, 0);
    fixture_bind(&f->names, "$token", f->a.token, 0);
    if (strcmp(given, "paused") == 0) T_EQ(ask(&f->a, "POST", "/sandboxes/%s/pause", "{}"), 204);
    if (strcmp(given, "process") == 0) fixture_process(f);
    ask_pass_ms(&f->a, 1000);
}

static void fixture_files(struct fixture *f) {
    const struct sbx_json_node *files = sbx_json_opt_object(f->js, f->root, "files");
    for (const struct sbx_json_node *it = files ? sbx_json_first(files) : NULL; it; it = sbx_json_next(it)) {
        char path[128];
        const char *text = sbx_json_as_string(f->js, it);
        snprintf(path, sizeof(path), "/files?path=%s", sbx_json_key(it));
        T_EQ(ask_envd(&f->a, "POST", path, "application/octet-stream", text, strlen(text)), 200);
    }
}

/* ---- the request ---- */

/* Headers that matter, but for those that every request has here. */
static void fixture_headers(struct fixture *f, const struct sbx_json_node *headers) {
    for (const struct sbx_json_node *it = sbx_json_first(headers); it; it = sbx_json_next(it))
        if (strcmp(sbx_json_key(it), "X-API-KEY") != 0 && strcmp(sbx_json_key(it), "Content-Type") != 0)
            ask_header(&f->a, sbx_json_key(it), sbx_json_as_string(f->js, it));
}

static void fixture_body(struct fixture *f, const struct sbx_json_node *body, struct sbx_buf *out) {
    struct sbx_buf bytes = SBX_BUF_INIT;
    if (!body || sbx_json_type(body) == SBX_JSON_NULL) return;
    if (sbx_json_type(body) == SBX_JSON_STRING)
        sbx_buf_text_append(&bytes, sbx_json_as_string(f->js, body));
    else
        sbx_json_write_node(&bytes, body);
    fixture_fill(&f->names, sbx_buf_text(&bytes), out);
    sbx_buf_finish(&bytes);
}

static void fixture_ask(struct fixture *f) {
    const struct sbx_json_node *req = sbx_json_object(f->js, f->root, "request");
    const struct sbx_json_node *headers = sbx_json_object(f->js, req, "headers");
    const struct sbx_json_node *envelope = sbx_json_member(req, "envelope");
    const char *method = sbx_json_string(f->js, req, "method");
    const char *type = sbx_json_opt_string(f->js, headers, "Content-Type", NULL);
    struct sbx_buf path = SBX_BUF_INIT, bytes = SBX_BUF_INIT;
    fixture_fill(&f->names, sbx_json_string(f->js, req, "path"), &path);
    fixture_body(f, envelope ? envelope : sbx_json_member(req, "body"), &bytes);
    fixture_headers(f, headers);
    f->a.deadline_ms = sbx_json_opt_int(f->js, req, "leaves_after_ms", 0);
    if (envelope)
        ask_stream(&f->a, path.data + 1, bytes.data);
    else if (strcmp(sbx_json_string(f->js, req, "plane"), "api") == 0)
        ask(&f->a, method, path.data, bytes.data);
    else
        ask_envd(&f->a, method, path.data, type, bytes.data, bytes.len);
    sbx_buf_finish(&path);
    sbx_buf_finish(&bytes);
}

/* ---- the answer ---- */

static void fixture_envelopes(struct fixture *f, const struct sbx_json_node *list) {
    const char *at = sbx_buf_text(&f->a.events);
    for (const struct sbx_json_node *it = sbx_json_first(list); it; it = sbx_json_next(it)) {
        const size_t len = strcspn(at, "\n");
        if (!len) T_FAIL("too few envelopes: %s", sbx_buf_text(&f->a.events));
        T_EQ(strtol(at, NULL, 10), sbx_json_int(f->js, it, "flags"));
        struct sbx_json *got = NULL;
        T_STATUS(sbx_json_parse(at + 2, len - 2, 0, &got), SBX_OK);
        fixture_match(&f->names, f->js, sbx_json_member(it, "message"), got, sbx_json_root(got));
        sbx_json_free(got);
        at += len + 1;
    }
    T_STR(at, "");
}

static void fixture_answer(struct fixture *f) {
    const struct sbx_json_node *res = sbx_json_object(f->js, f->root, "response");
    const struct sbx_json_node *headers = sbx_json_object(f->js, res, "headers");
    const struct sbx_json_node *body = sbx_json_member(res, "body");
    const struct sbx_json_node *envelopes = sbx_json_opt_array(f->js, res, "envelopes");
    const int partial = sbx_json_opt_bool(f->js, res, "partial", 0);
    if (f->a.status != sbx_json_int(f->js, res, "status"))
        T_FAIL("status %d: %s", f->a.status, sbx_buf_text(&f->a.body));
    T_EQ(f->a.evidence, partial ? SBX_EVIDENCE_DEADLINE : SBX_EVIDENCE_DONE);
    for (const struct sbx_json_node *it = sbx_json_first(headers); it; it = sbx_json_next(it)) {
        char line[256];
        snprintf(line, sizeof(line), "%s: %s\n", sbx_json_key(it), sbx_json_as_string(f->js, it));
        T_CONTAINS(sbx_buf_text(&f->a.headers), line);
    }
    if (envelopes) {
        fixture_envelopes(f, envelopes);
    } else if (sbx_json_type(body) == SBX_JSON_NULL) {
        T_EQ(f->a.body.len, 0);
    } else if (sbx_json_type(body) == SBX_JSON_STRING) {
        T_STR(sbx_buf_text(&f->a.body), sbx_json_as_string(f->js, body));
    } else {
        T_TRUE(f->a.js != NULL);
        fixture_match(&f->names, f->js, body, f->a.js, sbx_json_root(f->a.js));
    }
}

static void fixture_run(const char *name) {
    struct fixture f = {.names = {.shapes = shapes}};
    char path[128];
    size_t len = 0;
    snprintf(path, sizeof(path), "fixtures/e2b/%s.json", name);
    char *text = t_read_source(path, &len);
    T_STATUS(sbx_json_parse(text, len, 0, &f.js), SBX_OK);
    f.root = sbx_json_root(f.js);
    fixture_given(&f);
    fixture_files(&f);
    fixture_ask(&f);
    fixture_answer(&f);
    ask_pass_ms(&f.a, 1); /* a stream that was left ends then */
    T_CONTAINS(sbx_sim_journal(f.a.sim, NULL), sbx_json_string(f.js, f.root, "op"));
    T_TRUE(!strstr(sbx_sim_journal(f.a.sim, NULL), "\"unread\""));
    T_EQ(sbx_sim_unsupported(f.a.sim), 0);
    T_STATUS(sbx_json_status(f.js), SBX_OK);
    if (f.cat.a) {
        ask_listener_finish(&f.cat);
        sbx_buf_finish(&f.cat.events);
    }
    ask_finish(&f.a);
    sbx_json_free(f.js);
    free(text);
}

#define FIXTURE(function, name)                                                                                        \
    static void function(void) {                                                                                       \
        fixture_run(name);                                                                                             \
    }

FIXTURE(row_01_create, "01-create")
FIXTURE(row_01a_create_v1, "01a-create-v1")
FIXTURE(row_01b_create_options, "01b-create-options")
FIXTURE(row_02_run, "02-run")
FIXTURE(row_02a_run_options, "02a-run-options")
FIXTURE(row_02b_run_fails, "02b-run-fails")
FIXTURE(row_03_background, "03-background")
FIXTURE(row_04_list, "04-list")
FIXTURE(row_04_list_empty, "04-list-empty")
FIXTURE(row_05_connect, "05-connect")
FIXTURE(row_05a_connect_unknown, "05a-connect-unknown")
FIXTURE(row_06_input, "06-input")
FIXTURE(row_07_close_stdin, "07-close-stdin")
FIXTURE(row_09_kill, "09-kill")
FIXTURE(row_09a_kill_unknown, "09a-kill-unknown")
FIXTURE(row_10_write, "10-write")
FIXTURE(row_10a_write_many, "10a-write-many")
FIXTURE(row_10b_write_octets, "10b-write-octets")
FIXTURE(row_10d_write_user, "10d-write-user")
FIXTURE(row_11_read, "11-read")
FIXTURE(row_11_read_missing, "11-read-missing")
FIXTURE(row_12_list_dir, "12-list-dir")
FIXTURE(row_13_make_dir, "13-make-dir")
FIXTURE(row_13_make_dir_again, "13-make-dir-again")
FIXTURE(row_14_move, "14-move")
FIXTURE(row_15_stat, "15-stat")
FIXTURE(row_15_stat_missing, "15-stat-missing")
FIXTURE(row_16_remove, "16-remove")
FIXTURE(row_17_watch_dir, "17-watch-dir")
FIXTURE(row_18_is_running, "18-is-running")
FIXTURE(row_19_timeout, "19-timeout")
FIXTURE(row_20_get, "20-get")
FIXTURE(row_21_list, "21-list")
FIXTURE(row_22_pause, "22-pause")
FIXTURE(row_22_pause_2_45, "22-pause-2-45")
FIXTURE(row_22_pause_again, "22-pause-again")
FIXTURE(row_23_connect, "23-connect")
FIXTURE(row_23_connect_paused, "23-connect-paused")
FIXTURE(row_23_connect_v1, "23-connect-v1")
FIXTURE(row_24_kill, "24-kill")
FIXTURE(row_24_kill_missing, "24-kill-missing")
FIXTURE(row_25_metrics, "25-metrics")

static const char *const names[] = {"01-create",       "01a-create-v1",     "01b-create-options",  "02-run",
                                    "02a-run-options", "02b-run-fails",     "03-background",       "04-list",
                                    "04-list-empty",   "05-connect",        "05a-connect-unknown", "06-input",
                                    "07-close-stdin",  "09-kill",           "09a-kill-unknown",    "10-write",
                                    "10a-write-many",  "10b-write-octets",  "10d-write-user",      "11-read",
                                    "11-read-missing", "12-list-dir",       "13-make-dir",         "13-make-dir-again",
                                    "14-move",         "15-stat",           "15-stat-missing",     "16-remove",
                                    "17-watch-dir",    "18-is-running",     "19-timeout",          "20-get",
                                    "21-list",         "22-pause",          "22-pause-2-45",       "22-pause-again",
                                    "23-connect",      "23-connect-paused", "23-connect-v1",       "24-kill",
                                    "24-kill-missing", "25-metrics"};

static void every_fixture_is_played(void) {
    char path[1024];
    const char *root = getenv("SANDPORT_SOURCE_DIR");
    size_t count = 0;
    snprintf(path, sizeof(path), "%s/fixtures/e2b", root ? root : ".");
    DIR *folder = opendir(path);
    T_TRUE(folder != NULL);
    for (struct dirent *it = readdir(folder); it; it = readdir(folder)) count += strstr(it->d_name, ".json") != NULL;
    closedir(folder);
    T_EQ(count, sizeof(names) / sizeof(names[0]));
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "fixtures/e2b/%s.json", names[i]);
        free(t_read_source(path, NULL));
    }
}

T_CASES(T_CASE(row_01_create), T_CASE(row_01a_create_v1), T_CASE(row_01b_create_options), T_CASE(row_02_run),
        T_CASE(row_02a_run_options), T_CASE(row_02b_run_fails), T_CASE(row_03_background), T_CASE(row_04_list),
        T_CASE(row_04_list_empty), T_CASE(row_05_connect), T_CASE(row_05a_connect_unknown), T_CASE(row_06_input),
        T_CASE(row_07_close_stdin), T_CASE(row_09_kill), T_CASE(row_09a_kill_unknown), T_CASE(row_10_write),
        T_CASE(row_10a_write_many), T_CASE(row_10b_write_octets), T_CASE(row_10d_write_user), T_CASE(row_11_read),
        T_CASE(row_11_read_missing), T_CASE(row_12_list_dir), T_CASE(row_13_make_dir), T_CASE(row_13_make_dir_again),
        T_CASE(row_14_move), T_CASE(row_15_stat), T_CASE(row_15_stat_missing), T_CASE(row_16_remove),
        T_CASE(row_17_watch_dir), T_CASE(row_18_is_running), T_CASE(row_19_timeout), T_CASE(row_20_get),
        T_CASE(row_21_list), T_CASE(row_22_pause), T_CASE(row_22_pause_2_45), T_CASE(row_22_pause_again),
        T_CASE(row_23_connect), T_CASE(row_23_connect_paused), T_CASE(row_23_connect_v1), T_CASE(row_24_kill),
        T_CASE(row_24_kill_missing), T_CASE(row_25_metrics), T_CASE(every_fixture_is_played))
