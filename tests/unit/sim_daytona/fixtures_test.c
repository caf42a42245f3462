/* The fixtures of Daytona's wire against the simulator: each request gives its response, member for member.
 * "$key", "$id", "$name" and "$toolbox" are bound before; the shapes are stamp and uuid. */
#include "ask.h"
#include "fixture_match.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static const struct fixture_shape shapes[] = {
    {"stamp", "9999-99-99T99:99:99.999Z"}, {"uuid", "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh"}, {NULL, NULL}};

struct fixture {
    struct ask a;
    struct sbx_json *js;
    const struct sbx_json_node *root;
    struct fixture_names names;
};

static void fixture_programs(struct fixture *f) {
    const struct sbx_json_node *programs = sbx_json_opt_array(f->js, f->root, "programs");
    for (const struct sbx_json_node *it = programs ? sbx_json_first(programs) : NULL; it; it = sbx_json_next(it)) {
        struct sbx_buf rule = SBX_BUF_INIT;
        sbx_json_write_node(&rule, it);
        T_TRUE(sbx_sim_program_json(f->a.sim, rule.data, rule.len, NULL, 0) > 0);
        sbx_buf_finish(&rule);
    }
}

/* Brings the cloud to what the fixture starts from. */
static void fixture_given(struct fixture *f) {
    const char *given = sbx_json_string(f->js, f->root, "given");
    const char *body = "{\"name\":\"fix-1\",\"env\":{\"X\":\"y\"},\"target\":\"us\","
                       "\"labels\":{\"code-toolbox-language\":\"python\",\"a\":\"1\"}}";
    const int creating = strcmp(given, "creating") == 0;
    ask_init(&f->a, creating ? "{\"boot_ms\":60000}" : NULL);
    fixture_programs(f);
    fixture_bind(&f->names, "$key", SBX_SIM_DAYTONA_KEY, 0);
    fixture_bind(&f->names, "$toolbox", "http://daytona.sim/toolbox", 0);
    if (strcmp(given, "nothing") == 0) return;
    ask_create(&f->a, body);
    fixture_bind(&f->names, "$id", f->a.id, 0);
    fixture_bind(&f->names, "$name", "fix-1", 0);
    if (creating) return;
    T_STR(ask_state(&f->a), "started");
    if (strcmp(given, "stopped") == 0) T_EQ(ask(&f->a, "POST", "/api/sandbox/%s/stop", NULL), 200);
    ask_pass_ms(&f->a, 1000);
}

static void fixture_files(struct fixture *f) {
    const struct sbx_json_node *files = sbx_json_opt_object(f->js, f->root, "files");
    for (const struct sbx_json_node *it = files ? sbx_json_first(files) : NULL; it; it = sbx_json_next(it)) {
        struct sbx_buf body = SBX_BUF_INIT;
        sbx_buf_printf(&body,
                       "--b\r\nContent-Disposition: form-data; name=\"files[0].path\"\r\n\r\n%s\r\n"
                       "--b\r\nContent-Disposition: form-data; name=\"files[0].file\"; filename=\"f\"\r\n\r\n%s\r\n"
                       "--b--\r\n",
                       sbx_json_key(it), sbx_json_as_string(f->js, it));
        T_EQ(ask_raw(&f->a, "POST", "/toolbox/%s/files/bulk-upload", "multipart/form-data; boundary=b", body.data,
                     body.len),
             200);
        sbx_buf_finish(&body);
    }
}

/* Requests that lead to where the fixture begins; members of their answers are bound. */
static void fixture_before(struct fixture *f) {
    const struct sbx_json_node *list = sbx_json_opt_array(f->js, f->root, "before");
    for (const struct sbx_json_node *it = list ? sbx_json_first(list) : NULL; it; it = sbx_json_next(it)) {
        const struct sbx_json_node *bind = sbx_json_opt_object(f->js, it, "bind");
        struct sbx_buf path = SBX_BUF_INIT, bytes = SBX_BUF_INIT;
        fixture_fill(&f->names, sbx_json_string(f->js, it, "path"), &path);
        sbx_json_write_node(&bytes, sbx_json_member(it, "body"));
        ask(&f->a, sbx_json_string(f->js, it, "method"), sbx_buf_text(&path), sbx_buf_text(&bytes));
        T_EQ(f->a.status, sbx_json_int(f->js, it, "status"));
        for (const struct sbx_json_node *b = bind ? sbx_json_first(bind) : NULL; b; b = sbx_json_next(b))
            fixture_bind(&f->names, sbx_json_as_string(f->js, b), ask_text(&f->a, sbx_json_key(b)), 0);
        sbx_buf_finish(&path);
        sbx_buf_finish(&bytes);
    }
}

/* Headers that matter, but for those that every request has here. */
static void fixture_headers(struct fixture *f, const struct sbx_json_node *headers) {
    static const char *const own[] = {"Authorization", "Content-Type", "Transfer-Encoding"};
    for (const struct sbx_json_node *it = sbx_json_first(headers); it; it = sbx_json_next(it)) {
        size_t i = 0;
        while (i < 3 && strcmp(own[i], sbx_json_key(it)) != 0) i++;
        if (i == 3) ask_header(&f->a, sbx_json_key(it), sbx_json_as_string(f->js, it));
    }
}

static void fixture_ask(struct fixture *f) {
    const struct sbx_json_node *req = sbx_json_object(f->js, f->root, "request");
    const struct sbx_json_node *headers = sbx_json_object(f->js, req, "headers");
    const struct sbx_json_node *body = sbx_json_member(req, "body");
    const char *type = sbx_json_opt_string(f->js, headers, "Content-Type", "text/plain");
    struct sbx_buf path = SBX_BUF_INIT, bytes = SBX_BUF_INIT;
    fixture_fill(&f->names, sbx_json_string(f->js, req, "path"), &path);
    if (sbx_json_type(body) == SBX_JSON_STRING)
        sbx_buf_text_append(&bytes, sbx_json_as_string(f->js, body));
    else if (sbx_json_type(body) != SBX_JSON_NULL)
        sbx_json_write_node(&bytes, body);
    if (!sbx_json_member(headers, "Authorization")) f->a.key = NULL;
    fixture_headers(f, headers);
    f->a.chunked = sbx_json_member(headers, "Transfer-Encoding") != NULL;
    ask_raw(&f->a, sbx_json_string(f->js, req, "method"), sbx_buf_text(&path), type, bytes.data, bytes.len);
    sbx_buf_finish(&path);
    sbx_buf_finish(&bytes);
}

/* Frames of a WebSocket, short ones: the bytes of each, and the code of the last. */
static void fixture_frames(struct fixture *f, const struct sbx_json_node *body) {
    const struct sbx_json_node *frames = sbx_json_array(f->js, body, "frames");
    const int64_t code = sbx_json_int(f->js, body, "close");
    struct sbx_buf want = SBX_BUF_INIT;
    for (const struct sbx_json_node *it = sbx_json_first(frames); it; it = sbx_json_next(it)) {
        const char *text = sbx_json_as_string(f->js, it);
        sbx_buf_char(&want, (char)0x82);
        sbx_buf_char(&want, (char)strlen(text));
        sbx_buf_text_append(&want, text);
    }
    sbx_buf_append(&want, "\x88\x02", 2);
    sbx_buf_char(&want, (char)(code >> 8));
    sbx_buf_char(&want, (char)(code & 255));
    T_MEM(f->a.body.data, f->a.body.len, want.data, want.len);
    sbx_buf_finish(&want);
}

static void fixture_answer(struct fixture *f) {
    const struct sbx_json_node *res = sbx_json_object(f->js, f->root, "response");
    const struct sbx_json_node *headers = sbx_json_object(f->js, res, "headers");
    const struct sbx_json_node *body = sbx_json_member(res, "body");
    if (f->a.status != sbx_json_int(f->js, res, "status"))
        T_FAIL("status %d: %s", f->a.status, sbx_buf_text(&f->a.body));
    for (const struct sbx_json_node *it = sbx_json_first(headers); it; it = sbx_json_next(it)) {
        char line[256];
        snprintf(line, sizeof(line), "%s: %s\n", sbx_json_key(it), sbx_json_as_string(f->js, it));
        T_CONTAINS(sbx_buf_text(&f->a.headers), line);
    }
    if (sbx_json_type(body) == SBX_JSON_NULL) {
        T_EQ(f->a.body.len, 0);
    } else if (sbx_json_type(body) == SBX_JSON_STRING) {
        T_STR(sbx_buf_text(&f->a.body), sbx_json_as_string(f->js, body));
    } else if (f->a.status == 101) {
        fixture_frames(f, body);
    } else {
        T_TRUE(f->a.js != NULL);
        fixture_match(&f->names, f->js, body, f->a.js, sbx_json_root(f->a.js));
    }
}

static void fixture_run(const char *name) {
    struct fixture f = {.names = {.shapes = shapes}};
    char path[128];
    size_t len = 0;
    snprintf(path, sizeof(path), "fixtures/daytona/%s.json", name);
    char *text = t_read_source(path, &len);
    T_STATUS(sbx_json_parse(text, len, 0, &f.js), SBX_OK);
    f.root = sbx_json_root(f.js);
    fixture_given(&f);
    fixture_files(&f);
    fixture_before(&f);
    fixture_ask(&f);
    fixture_answer(&f);
    T_CONTAINS(sbx_sim_journal(f.a.sim, NULL), sbx_json_string(f.js, f.root, "op"));
    T_STATUS(sbx_json_status(f.js), SBX_OK);
    ask_finish(&f.a);
    sbx_json_free(f.js);
    free(text);
}

#define FIXTURE(function, name)                                                                                        \
    static void function(void) {                                                                                       \
        fixture_run(name);                                                                                             \
    }

FIXTURE(row_01_socket, "01-socket")
FIXTURE(row_02_create, "02-create")
FIXTURE(row_03_wait, "03-wait")
FIXTURE(row_03_wait_creating, "03-wait-creating")
FIXTURE(row_04_home_dir, "04-home-dir")
FIXTURE(row_04_work_dir, "04-work-dir")
FIXTURE(row_05_execute, "05-execute")
FIXTURE(row_05_execute_bare, "05-execute-bare")
FIXTURE(row_06_code_run, "06-code-run")
FIXTURE(row_07_session_create, "07-session-create")
FIXTURE(row_08_session_exec, "08-session-exec")
FIXTURE(row_09_session_exec_async, "09-session-exec-async")
FIXTURE(row_10_command, "10-command")
FIXTURE(row_10_command_running, "10-command-running")
FIXTURE(row_11_logs, "11-logs")
FIXTURE(row_11_logs_text, "11-logs-text")
FIXTURE(row_12_logs_follow, "12-logs-follow")
FIXTURE(row_13_input, "13-input")
FIXTURE(row_14_session_list, "14-session-list")
FIXTURE(row_14_session_get, "14-session-get")
FIXTURE(row_14_session_delete, "14-session-delete")
FIXTURE(row_15_folder, "15-folder")
FIXTURE(row_16_upload, "16-upload")
FIXTURE(row_17_download, "17-download")
FIXTURE(row_18_list_files, "18-list-files")
FIXTURE(row_18_file_info, "18-file-info")
FIXTURE(row_19_move, "19-move")
FIXTURE(row_19_permissions, "19-permissions")
FIXTURE(row_20_find, "20-find")
FIXTURE(row_20_search, "20-search")
FIXTURE(row_20_replace, "20-replace")
FIXTURE(row_21_delete_file, "21-delete-file")
FIXTURE(row_21_delete_folder, "21-delete-folder")
FIXTURE(row_24_labels, "24-labels")
FIXTURE(row_25_autostop, "25-autostop")
FIXTURE(row_25_autoarchive, "25-autoarchive")
FIXTURE(row_25_autodelete, "25-autodelete")
FIXTURE(row_26_network, "26-network")
FIXTURE(row_28_activity, "28-activity")
FIXTURE(row_28_activity_bare, "28-activity-bare")
FIXTURE(row_30_stop, "30-stop")
FIXTURE(row_31_start, "31-start")
FIXTURE(row_32_get, "32-get")
FIXTURE(row_33_list, "33-list")
FIXTURE(row_33_list_pages, "33-list-pages")
FIXTURE(row_34_delete, "34-delete")
FIXTURE(row_35_get_missing, "35-get-missing")
FIXTURE(row_36_snapshots, "36-snapshots")
FIXTURE(row_39_create_image, "39-create-image")

static const char *const names[] = {"01-socket",
                                    "02-create",
                                    "03-wait",
                                    "03-wait-creating",
                                    "04-home-dir",
                                    "04-work-dir",
                                    "05-execute",
                                    "05-execute-bare",
                                    "06-code-run",
                                    "07-session-create",
                                    "08-session-exec",
                                    "09-session-exec-async",
                                    "10-command",
                                    "10-command-running",
                                    "11-logs",
                                    "11-logs-text",
                                    "12-logs-follow",
                                    "13-input",
                                    "14-session-list",
                                    "14-session-get",
                                    "14-session-delete",
                                    "20-find",
                                    "20-search",
                                    "20-replace",
                                    "15-folder",
                                    "16-upload",
                                    "17-download",
                                    "18-list-files",
                                    "18-file-info",
                                    "19-move",
                                    "19-permissions",
                                    "21-delete-file",
                                    "21-delete-folder",
                                    "24-labels",
                                    "25-autostop",
                                    "25-autoarchive",
                                    "25-autodelete",
                                    "26-network",
                                    "28-activity",
                                    "28-activity-bare",
                                    "30-stop",
                                    "31-start",
                                    "32-get",
                                    "33-list",
                                    "33-list-pages",
                                    "34-delete",
                                    "35-get-missing",
                                    "36-snapshots",
                                    "39-create-image"};

static void every_fixture_is_played(void) {
    char path[1024];
    const char *root = getenv("SANDPORT_SOURCE_DIR");
    size_t count = 0;
    snprintf(path, sizeof(path), "%s/fixtures/daytona", root ? root : ".");
    DIR *folder = opendir(path);
    T_TRUE(folder != NULL);
    for (struct dirent *it = readdir(folder); it; it = readdir(folder)) count += strstr(it->d_name, ".json") != NULL;
    closedir(folder);
    T_EQ(count, sizeof(names) / sizeof(names[0]));
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "fixtures/daytona/%s.json", names[i]);
        free(t_read_source(path, NULL));
    }
}

T_CASES(T_CASE(row_01_socket), T_CASE(row_02_create), T_CASE(row_03_wait), T_CASE(row_03_wait_creating),
        T_CASE(row_04_home_dir), T_CASE(row_04_work_dir), T_CASE(row_05_execute), T_CASE(row_05_execute_bare),
        T_CASE(row_06_code_run), T_CASE(row_07_session_create), T_CASE(row_08_session_exec),
        T_CASE(row_09_session_exec_async), T_CASE(row_10_command), T_CASE(row_10_command_running), T_CASE(row_11_logs),
        T_CASE(row_11_logs_text), T_CASE(row_12_logs_follow), T_CASE(row_13_input), T_CASE(row_14_session_list),
        T_CASE(row_14_session_get), T_CASE(row_14_session_delete), T_CASE(row_20_find), T_CASE(row_20_search),
        T_CASE(row_20_replace), T_CASE(row_15_folder), T_CASE(row_16_upload), T_CASE(row_17_download),
        T_CASE(row_18_list_files), T_CASE(row_18_file_info), T_CASE(row_19_move), T_CASE(row_19_permissions),
        T_CASE(row_21_delete_file), T_CASE(row_21_delete_folder), T_CASE(row_24_labels), T_CASE(row_25_autostop),
        T_CASE(row_25_autoarchive), T_CASE(row_25_autodelete), T_CASE(row_26_network), T_CASE(row_28_activity),
        T_CASE(row_28_activity_bare), T_CASE(row_30_stop), T_CASE(row_31_start), T_CASE(row_32_get),
        T_CASE(row_33_list), T_CASE(row_33_list_pages), T_CASE(row_34_delete), T_CASE(row_35_get_missing),
        T_CASE(row_36_snapshots), T_CASE(row_39_create_image), T_CASE(every_fixture_is_played))
