/* Guards of files by the daemon's calls: what is looked at before a change, and what of an answer is believed. Rows P8,
 * P11, D14. */
#include "e2b_script.h"

#include <stdio.h>

#define CALL(method)   "POST " BOX "/filesystem.Filesystem/" method
#define ENTRY(members) JSON(200, "{\"entry\":{\"name\":\"a\",\"path\":\"/home/user/a\"" members "}}")
#define IS_FILE        ENTRY(",\"type\":\"FILE_TYPE_FILE\",\"mode\":420")
#define IS_DIRECTORY   ENTRY(",\"type\":\"FILE_TYPE_DIRECTORY\",\"mode\":493")
#define IS_NOT_THERE   JSON(404, "{\"code\":\"not_found\",\"message\":\"file not found: lstat /home/user/a\"}")

/* ---- e2b_remove_asked_for_all: the daemon removes a directory with all that is in it ---- */

static void must_fire_e2b_remove_asked_for_all__a_directory(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, {.request = CALL("Stat"), .body = "\"path\":\"a\"", IS_DIRECTORY});
    T_STATUS(sbx_sandbox_remove(w.sb, "a", NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    T_STR(w.err.detail, "recursive: expected SBX_YES for a directory");
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    scripted_finish(&w);
}
static void must_not_fire_e2b_remove_asked_for_all__a_file(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, {.request = CALL("Stat"), IS_FILE},
           {.request = CALL("Remove"), .head = {"X-Access-Token: tok"}, .body = "{\"path\":\"a\"}", JSON(200, "{}")});
    T_STATUS(sbx_sandbox_remove(w.sb, "a", NULL, NULL, &w.err), SBX_OK);
    scripted_finish(&w);
}

static void what_is_not_there_is_not_removed(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, {.request = CALL("Stat"), IS_NOT_THERE});
    T_STATUS(sbx_sandbox_remove(w.sb, "a", NULL, NULL, &w.err), SBX_FILE_NOT_FOUND);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    scripted_finish(&w);
}

/* ---- e2b_move_replaces_nothing: the daemon replaces what it meets ---- */

static void must_fire_e2b_move_replaces_nothing__a_file_is_there(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, {.request = CALL("Stat"), .body = "\"path\":\"a\"", IS_FILE});
    T_STATUS(sbx_sandbox_move(w.sb, "b", "a", NULL, &w.err), SBX_ALREADY_EXISTS);
    T_CONTAINS(w.err.detail, "to");
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    scripted_finish(&w);
}
static void must_not_fire_e2b_move_replaces_nothing__nothing_is_there(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, {.request = CALL("Stat"), IS_NOT_THERE},
           {.request = CALL("Move"), .body = "{\"source\":\"b\",\"destination\":\"a\"}", IS_FILE});
    T_STATUS(sbx_sandbox_move(w.sb, "b", "a", NULL, &w.err), SBX_OK);
    scripted_finish(&w);
}

/* The daemon makes directories on the way; that one is not there is an error here. */
static void a_move_makes_no_directory(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, {.request = CALL("Stat"), .body = "\"path\":\"d/e/a\"", IS_NOT_THERE},
           {.request = CALL("Stat"), .body = "\"path\":\"d/e/\"", IS_NOT_THERE});
    T_STATUS(sbx_sandbox_move(w.sb, "b", "d/e/a", NULL, &w.err), SBX_FILE_NOT_FOUND);
    T_STR(w.err.detail, "from, or the directory of to");
    SCRIPT(w.script, {.request = CALL("Stat"), .body = "\"path\":\"f/a//\"", IS_NOT_THERE},
           {.request = CALL("Stat"), .body = "\"path\":\"f/\"", IS_FILE});
    T_STATUS(sbx_sandbox_move(w.sb, "b", "f/a//", NULL, &w.err), SBX_INVALID_ARGUMENT);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    SCRIPT(w.script, {.request = CALL("Stat"), .body = "\"path\":\"/a\"", IS_NOT_THERE},
           {.request = CALL("Stat"), .body = "\"path\":\"/\"", IS_DIRECTORY},
           {.request = CALL("Move"), .body = "\"destination\":\"/a\"", IS_FILE});
    T_STATUS(sbx_sandbox_move(w.sb, "b", "/a", NULL, &w.err), SBX_OK);
    scripted_finish(&w);
}

/* A look that fails has changed nothing, and the change is not sent. */
static void a_look_that_fails_comes_before_the_change(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, {.request = CALL("Stat"), JSON(403, "{\"code\":\"permission_denied\",\"message\":\"no\"}")});
    T_STATUS(sbx_sandbox_remove(w.sb, "a", NULL, NULL, &w.err), SBX_FILE_DENIED);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    SCRIPT(w.script, {.request = CALL("Stat"), JSON(501, "{\"code\":\"unimplemented\",\"message\":\"no\"}")});
    T_STATUS(sbx_sandbox_move(w.sb, "a", "b", NULL, &w.err), SBX_UNSUPPORTED);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    scripted_finish(&w);
}

/* ---- a read is put again, a change is not ---- */

static void a_look_is_asked_again(void) {
    struct scripted w = scripted_launched(NULL);
    struct sbx_files *files = NULL;
    SCRIPT(w.script, {.request = CALL("Stat"), .evidence = SBX_EVIDENCE_SENT_NO_ANSWER},
           {.request = CALL("Stat"), JSON(503, "{\"code\":\"unavailable\"}")}, {.request = CALL("Stat"), IS_FILE});
    T_STATUS(sbx_sandbox_stat(w.sb, "a", NULL, &files, &w.err), SBX_OK);
    sbx_files_free(files);
    scripted_finish(&w);
}

static void a_directory_that_is_there_is_success(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script,
           {.request = CALL("MakeDir"),
            JSON(409, "{\"code\":\"already_exists\",\"message\":\"directory already exists: /home/user/a\"}")});
    T_STATUS(sbx_sandbox_mkdir(w.sb, "a", NULL, NULL, &w.err), SBX_OK);
    SCRIPT(w.script, {.request = CALL("MakeDir"),
                      JSON(400, "{\"code\":\"invalid_argument\",\"message\":\"path already exists but it is not a "
                                "directory: /home/user/a\"}")});
    T_STATUS(sbx_sandbox_mkdir(w.sb, "a", NULL, NULL, &w.err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "path");
    SCRIPT(w.script, {.request = CALL("MakeDir"), JSON(409, "{\"code\":409,\"message\":\"conflict\"}")},
           STANDS("running"));
    T_STATUS(sbx_sandbox_mkdir(w.sb, "a", NULL, NULL, &w.err), SBX_PROVIDER);
    T_EQ(w.err.outcome, SBX_OUTCOME_UNKNOWN);
    scripted_finish(&w);
}

/* To the daemon ~ is the home directory, to callers a letter. */
static void a_tilde_is_a_letter(void) {
    struct scripted w = scripted_launched(NULL);
    struct sbx_files *files = NULL;
    struct sbx_buf got = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&got);
    SCRIPT(w.script, {.request = CALL("Stat"), .body = "\"path\":\"./~\"", IS_FILE},
           {.request = CALL("ListDir"), .body = "{\"path\":\"./~/d\",\"depth\":1}", JSON(200, "{}")},
           {.request = "GET " BOX "/files?path=.%2F~a", .http_status = 200, .answer = "x"});
    T_STATUS(sbx_sandbox_stat(w.sb, "~", NULL, &files, &w.err), SBX_OK);
    sbx_files_free(files);
    files = NULL;
    T_STATUS(sbx_sandbox_list_dir(w.sb, "~/d", NULL, &files, &w.err), SBX_OK);
    T_EQ(sbx_files_count(files), 0);
    sbx_files_free(files);
    T_STATUS(sbx_sandbox_download(w.sb, "~a", &to, NULL, NULL, NULL, &w.err), SBX_OK);
    sbx_buf_finish(&got);
    scripted_finish(&w);
}

/* ---- answers that are none; pieces of any size ---- */

static void answers_of_other_shapes(void) {
    static const struct script_step rows[] = {{.request = CALL("ListDir"), JSON(200, "[]")},
                                              {.request = CALL("ListDir"), JSON(200, "null")},
                                              {.request = CALL("ListDir"), JSON(200, "{\"entries\":{}}")},
                                              {.request = CALL("ListDir"), JSON(200, "{\"entries\":[5]}")},
                                              {.request = CALL("ListDir"), JSON(200, "{\"entries\":[{}]}")},
                                              {.request = CALL("ListDir"), JSON(200, "{\"entries\":[{\"name\":\"a\"")},
                                              {.request = CALL("ListDir"), JSON(200, "{\"entries\":[]}x")},
                                              {.request = CALL("ListDir"), JSON(200, "\xff\xfe")},
                                              {.request = CALL("ListDir"), JSON(200, "")}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        static const struct script_step seen = STANDS("running");
        struct script_step steps[2] = {rows[i], seen};
        struct scripted w = scripted_launched(NULL);
        struct sbx_files *files = NULL;
        script_play(w.script, steps, 2);
        T_STATUS(sbx_sandbox_list_dir(w.sb, "d", NULL, &files, &w.err), SBX_PROTOCOL);
        T_TRUE(files == NULL);
        scripted_finish(&w);
    }
}

static void pieces_of_any_size(void) {
    static const struct script_step whole = {
        .request = CALL("ListDir"),
        JSON(200, "{ \"entries\" : [{\"name\":\"a\",\"type\":\"FILE_TYPE_FILE\",\"size\":\"5\"},{\"name\":\"b\"}]}")};
    for (size_t piece = 1; piece < 100; piece++) {
        struct script_step step = whole;
        struct scripted w = scripted_launched(NULL);
        struct sbx_files *files = NULL;
        step.piece = piece;
        script_play(w.script, &step, 1);
        T_STATUS(sbx_sandbox_list_dir(w.sb, "d", NULL, &files, &w.err), SBX_OK);
        T_EQ(sbx_files_count(files), 2);
        T_EQ(sbx_files_size(files, 0), 5);
        T_EQ(sbx_files_type(files, 1), SBX_FILE_OTHER);
        sbx_files_free(files);
        scripted_finish(&w);
    }
}

/* ---- e2b_upload_form: daemons before 0.5.7 take a form and nothing else ---- */

#define UPLOAD        "POST " BOX "/files?path=d%2Fa%20b.txt"
#define WRITTEN       JSON(200, "[{\"path\":\"/home/user/d/a b.txt\",\"name\":\"a b.txt\",\"type\":\"file\"}]")
#define FORM_HEAD     "Content-Disposition: form-data; name=\"file\"; filename=\"a_b.txt\"\r\n"
#define FORM(content) FORM_HEAD "Content-Type: application/octet-stream\r\n\r\n" content "\r\n--"
#define READ(version)                                                                                                  \
    {                                                                                                                  \
        .request = "GET " API "/sandboxes/i1",                                                                         \
        JSON(200, "{\"sandboxID\":\"i1\",\"templateID\":\"t\",\"state\":\"running\",\"metadata\":{}" version "}")      \
    }

static void attached(struct scripted *w, const struct script_step *read) {
    *w = scripted_new(NULL);
    script_play(w->script, read, 1);
    T_STATUS(sbx_runtime_attach(w->rt, "i1", NULL, &w->sb, &w->err), SBX_OK);
}

static enum sbx_status upload(struct scripted *w) {
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "hello", 5);
    return sbx_sandbox_upload(w->sb, "d/a b.txt", &from, NULL, NULL, NULL, &w->err);
}

static void must_fire_e2b_upload_form__before(void) {
    static const struct script_step read = READ(",\"envdVersion\":\"0.5.6\"");
    struct scripted w;
    attached(&w, &read);
    SCRIPT(w.script, {.request = UPLOAD, .head = {"!Content-Length"}, .body = FORM("hello"), WRITTEN});
    T_STATUS(upload(&w), SBX_OK);
    scripted_finish(&w);
}
static void must_not_fire_e2b_upload_form__since(void) {
    static const struct script_step read = READ(",\"envdVersion\":\"0.5.7\"");
    struct scripted w;
    size_t len = 0;
    attached(&w, &read);
    SCRIPT(w.script, {.request = UPLOAD, .head = {"Content-Type: application/octet-stream"}, .body = "hello", WRITTEN});
    T_STATUS(upload(&w), SBX_OK);
    T_STR(script_body(w.script, &len), "hello");
    scripted_finish(&w);
}

/* Every daemon takes a form, so one whose version is not known gets one. */
static void a_version_that_is_not_said(void) {
    static const struct script_step reads[] = {READ(""), READ(",\"envdVersion\":null"), READ(",\"envdVersion\":7"),
                                               READ(",\"envdVersion\":\"new\"")};
    for (size_t i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
        struct scripted w;
        attached(&w, &reads[i]);
        SCRIPT(w.script, {.request = UPLOAD, .body = FORM("hello"), WRITTEN});
        T_STATUS(upload(&w), SBX_OK);
        scripted_finish(&w);
    }
}

/* A resume's answer says it anew; one that does not say it changes nothing. */
static void a_version_is_that_of_the_last_answer(void) {
    static const struct script_step read = READ(",\"envdVersion\":\"0.5.6\"");
    struct scripted w;
    attached(&w, &read);
    SCRIPT(w.script, {.request = "POST " API "/v2/sandboxes/i1/connect", JSON(201, "{\"sandboxID\":\"i1\"}")}, PROBED,
           {.request = UPLOAD, .body = FORM("hello"), WRITTEN});
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    T_STATUS(upload(&w), SBX_OK);
    SCRIPT(w.script,
           {.request = "POST " API "/v2/sandboxes/i1/connect",
            JSON(201, "{\"sandboxID\":\"i1\",\"envdVersion\":\"0.6.13\"}")},
           PROBED, {.request = UPLOAD, .head = {"Content-Type: application/octet-stream"}, WRITTEN});
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    T_STATUS(upload(&w), SBX_OK);
    scripted_finish(&w);
}

T_CASES(T_CASE(must_fire_e2b_remove_asked_for_all__a_directory), T_CASE(must_not_fire_e2b_remove_asked_for_all__a_file),
        T_CASE(what_is_not_there_is_not_removed), T_CASE(must_fire_e2b_move_replaces_nothing__a_file_is_there),
        T_CASE(must_not_fire_e2b_move_replaces_nothing__nothing_is_there), T_CASE(a_move_makes_no_directory),
        T_CASE(a_look_that_fails_comes_before_the_change), T_CASE(a_look_is_asked_again),
        T_CASE(a_directory_that_is_there_is_success), T_CASE(a_tilde_is_a_letter), T_CASE(answers_of_other_shapes),
        T_CASE(pieces_of_any_size), T_CASE(must_fire_e2b_upload_form__before),
        T_CASE(must_not_fire_e2b_upload_form__since), T_CASE(a_version_that_is_not_said),
        T_CASE(a_version_is_that_of_the_last_answer))
