/* The file routes of the simulated Daytona beyond the plain ones: depth, owners, searches, odd names, broken uploads.
 */
#include "ask.h"

#include <stdio.h>

#define FILES "/toolbox/%s/files"

static void box(struct ask *a, const char *scenario) {
    ask_init(a, scenario);
    ask_create_started(a, NULL);
}

static void shell(struct ask *a, const char *command) {
    char body[1024];
    snprintf(body, sizeof(body), "{\"command\":\"%s\"}", command);
    T_EQ(ask_execute(a, body), 200);
    T_EQ(ask_int(a, "exitCode"), 0);
}

static const char *said(struct ask *a) {
    return sbx_buf_text(&a->body);
}

/* The paths or names of a list, a space behind each. */
static void names(struct ask *a, const char *member, const char *want) {
    struct sbx_buf text = SBX_BUF_INIT;
    const struct sbx_json_node *root = sbx_json_root(a->js);
    for (const struct sbx_json_node *it = sbx_json_first(root); it; it = sbx_json_next(it))
        sbx_buf_printf(&text, "%s ", sbx_json_opt_string(a->js, it, member, "-"));
    T_STR(sbx_buf_text(&text), want);
    sbx_buf_finish(&text);
}

static void a_list_goes_as_deep_as_asked(void) {
    struct ask a;
    box(&a, NULL);
    shell(&a, "mkdir -p t/a/b/c; touch t/f t/a/g t/a/b/h; ln -s nowhere t/dangling; ln -s a t/link");
    T_EQ(ask(&a, "GET", FILES "?path=t", NULL), 200);
    names(&a, "name", "a f link ");
    names(&a, "path", "- - - ");
    T_EQ(ask(&a, "GET", FILES "?path=t&depth=1", NULL), 200);
    names(&a, "path", "t/a t/f t/link ");
    T_EQ(ask(&a, "GET", FILES "?path=t/&depth=2", NULL), 200);
    names(&a, "path", "t/a t/a/b t/a/g t/f t/link ");
    T_EQ(ask(&a, "GET", FILES "?path=/home/daytona/t&depth=99", NULL), 200);
    T_EQ(sbx_json_count(sbx_json_root(a.js)), 7);
    T_EQ(ask(&a, "GET", FILES "?path=t/link", NULL), 200);
    names(&a, "name", "b g ");
    T_EQ(ask(&a, "GET", FILES, NULL), 200);
    names(&a, "name", "t ");
    static const char *const bad[] = {"0", "-1", "x", "99999999999", "1.5"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char path[128];
        snprintf(path, sizeof(path), "/toolbox/%%s/files?path=t&depth=%s", bad[i]);
        if (ask(&a, "GET", path, NULL) != 400) T_FAIL("depth %s: %d", bad[i], a.status);
    }
    T_EQ(ask(&a, "GET", FILES "?path=t/f", NULL), 400);
    T_EQ(ask(&a, "GET", FILES "?path=t/none", NULL), 404);
    T_EQ(a.body.len, 0);
    ask_finish(&a);
}

static void mode_owner_and_group(void) {
    struct ask a;
    box(&a, "{\"dialect\":\"coded\"}");
    shell(&a, "touch f");
    T_EQ(ask(&a, "POST", FILES "/permissions?path=f&mode=600&owner=daytona&group=1000", NULL), 200);
    T_EQ(ask(&a, "GET", FILES "/info?path=f", NULL), 200);
    T_STR(ask_text(&a, "permissions"), "0600");
    T_STR(ask_text(&a, "owner"), "1000");
    T_EQ(ask(&a, "POST", FILES "/permissions?path=f&owner=root", NULL), 403);
    T_STR(ask_text(&a, "code"), "FILE_ACCESS_DENIED");
    T_EQ(ask(&a, "POST", FILES "/permissions?path=/etc/passwd&mode=777", NULL), 403);
    T_EQ(ask(&a, "POST", FILES "/permissions?path=f&owner=nobody-here", NULL), 400);
    T_STR(ask_text(&a, "message"), "unknown user");
    T_EQ(ask(&a, "POST", FILES "/permissions?path=f&group=nobody-here", NULL), 400);
    T_STR(ask_text(&a, "message"), "unknown group");
    T_EQ(ask(&a, "POST", FILES "/permissions?path=none&owner=daytona", NULL), 404);
    T_STR(ask_text(&a, "code"), "FILE_NOT_FOUND");
    T_EQ(ask(&a, "POST", FILES "/permissions?path=f&mode=9", NULL), 400);
    ask_finish(&a);
}

static void what_may_not_be_read_is_403(void) {
    struct ask a;
    box(&a, NULL);
    shell(&a, "mkdir shut; touch shut/f closed; chmod 0 shut closed");
    T_EQ(ask(&a, "GET", FILES "?path=shut", NULL), 403);
    T_EQ(a.body.len, 0);
    T_EQ(ask(&a, "GET", FILES "/info?path=shut/f", NULL), 403);
    T_EQ(ask(&a, "GET", FILES "/download?path=closed", NULL), 403);
    T_EQ(ask(&a, "DELETE", FILES "?path=shut/f", NULL), 403);
    T_EQ(ask(&a, "DELETE", FILES "?path=/etc/passwd", NULL), 403);
    T_EQ(ask(&a, "POST", FILES "/move?source=/etc/passwd&destination=p", NULL), 403);
    T_EQ(ask(&a, "POST", FILES "/bulk-download", "{\"paths\":[\"closed\",\"none\",\".\",\"\"]}"), 200);
    T_CONTAINS(said(&a), "\"statusCode\":403");
    T_CONTAINS(said(&a), "\"statusCode\":404");
    T_CONTAINS(said(&a), "\"statusCode\":400");
    T_CONTAINS(said(&a), "name=\"error\"; filename=\"closed\"");
    T_CONTAINS(said(&a), "--DAYTONA-FILE-BOUNDARY--\r\n");
    ask_finish(&a);
}

static void lines_are_found_in_texts_alone(void) {
    struct ask a;
    box(&a, NULL);
    shell(&a, "mkdir -p t/d; printf 'one\\nneedle two\\r\\n' > t/a; printf 'needle\\\\000' > t/bin; printf "
              "'x\\nneedle' > t/d/b; "
              "ln -s d/b t/z");
    T_EQ(ask(&a, "GET", FILES "/find?path=t&pattern=needle", NULL), 200);
    T_STR(said(&a), "[{\"file\":\"t/a\",\"line\":2,\"content\":\"needle two\"},"
                    "{\"file\":\"t/d/b\",\"line\":2,\"content\":\"needle\"},"
                    "{\"file\":\"t/z\",\"line\":2,\"content\":\"needle\"}]");
    T_EQ(ask(&a, "GET", FILES "/find?path=t/a&pattern=one", NULL), 200);
    T_STR(said(&a), "[{\"file\":\"t/a\",\"line\":1,\"content\":\"one\"}]");
    T_EQ(ask(&a, "GET", FILES "/find?path=t&pattern=nothing", NULL), 200);
    T_STR(said(&a), "[]");
    T_EQ(ask(&a, "GET", FILES "/find?path=none&pattern=x", NULL), 400);
    T_EQ(ask(&a, "GET", FILES "/find?path=t", NULL), 400);
    T_EQ(ask(&a, "GET", FILES "/find?pattern=x", NULL), 400);
    ask_finish(&a);
}

static void names_are_found_by_patterns(void) {
    static const struct {
        const char *pattern, *want;
    } rows[] = {
        {"*.ts", "{\"files\":[\"t/a.ts\",\"t/d/b.ts\"]}"},
        {"?.js", "{\"files\":[\"t/c.js\"]}"},
        {"[a-b].t*", "{\"files\":[\"t/a.ts\",\"t/d/b.ts\"]}"},
        {"[^a].ts", "{\"files\":[\"t/d/b.ts\"]}"},
        {"d", "{\"files\":[\"t/d\"]}"},
        {"none", "{\"files\":[]}"},
        {"a%5C.ts", "{\"files\":[\"t/a.ts\"]}"},
        {"%5B", NULL},
        {"[]", NULL},
        {"a[b", NULL},
        {"%5C", NULL},
        {"[a-", NULL},
    };
    struct ask a;
    box(&a, NULL);
    shell(&a, "mkdir -p t/d; touch t/a.ts t/d/b.ts t/c.js");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char path[128];
        snprintf(path, sizeof(path), "/toolbox/%%s/files/search?path=t&pattern=%s", rows[i].pattern);
        if (ask(&a, "GET", path, NULL) != (rows[i].want ? 200 : 400)) T_FAIL("%s: %d", rows[i].pattern, a.status);
        if (rows[i].want) T_STR(said(&a), rows[i].want);
    }
    ask_finish(&a);
}

static void texts_are_replaced_file_by_file(void) {
    struct ask a;
    box(&a, NULL);
    shell(&a, "printf 'x one x' > a; printf 'none' > b");
    T_EQ(ask(&a, "POST", FILES "/replace",
             "{\"files\":[\"a\",\"none\",\"/etc/passwd\",\"b\"],\"pattern\":\"x\",\"newValue\":\"yy\"}"),
         200);
    T_STR(said(&a), "[{\"file\":\"a\",\"success\":true},"
                    "{\"file\":\"none\",\"success\":false,\"error\":\"no such file or directory\"},"
                    "{\"file\":\"/etc/passwd\",\"success\":false,\"error\":\"permission denied\"},"
                    "{\"file\":\"b\",\"success\":true}]");
    T_EQ(ask_execute(&a, "{\"command\":\"cat a b\"}"), 200);
    T_STR(ask_text(&a, "result"), "yy one yynone");
    static const char *const bad[] = {"{}", "{\"files\":[],\"pattern\":\"x\"}", "{\"files\":[\"a\"]}",
                                      "{\"files\":[7],\"pattern\":\"x\"}", "{\"files\":\"a\",\"pattern\":\"x\"}"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (ask(&a, "POST", FILES "/replace", bad[i]) != 400) T_FAIL("%s: %d", bad[i], a.status);
    ask_finish(&a);
}

static void odd_names_come_and_go(void) {
    static const char upload[] = "--b\r\nContent-Disposition: form-data; name=\"files[0].path\"\r\n\r\n"
                                 "t/q\"uo\nte\xff\r\n"
                                 "--b\r\nContent-Disposition: form-data; name=\"files[0].file\"; filename=\"f\"\r\n\r\n"
                                 "hi\r\n--b--\r\n";
    struct ask a;
    box(&a, NULL);
    T_EQ(ask_raw(&a, "POST", FILES "/bulk-upload", "multipart/form-data; boundary=b", upload, sizeof(upload) - 1), 200);
    T_CONTAINS(said(&a), "\"path\":\"t/q\\\"uo\\nte\xef\xbf\xbd\"");
    T_EQ(ask(&a, "GET", FILES "?path=t&depth=2", NULL), 200);
    names(&a, "name", "q\"uo\nte\xef\xbf\xbd ");
    T_EQ(ask(&a, "GET", FILES "/info?path=t/q%22uo%0Ate%FF", NULL), 200);
    T_EQ(ask_int(&a, "size"), 2);
    T_EQ(ask(&a, "GET", FILES "/search?path=t&pattern=q*", NULL), 200);
    T_CONTAINS(said(&a), "\xef\xbf\xbd");
    T_EQ(ask(&a, "GET", FILES "/find?path=t&pattern=hi", NULL), 200);
    T_EQ(sbx_json_count(sbx_json_root(a.js)), 1);
    T_EQ(ask(&a, "POST", FILES "/bulk-download", "{\"paths\":[\"t/q\\\"uo\\nte\"]}"), 200);
    T_CONTAINS(said(&a), "filename=\"t/q\\\"uote\"; filename*=utf-8''t%2Fq%22uo%0Ate\r\n");
    T_EQ(ask(&a, "DELETE", FILES "?path=t/q%22uo%0Ate%FF", NULL), 204);
    ask_finish(&a);
}

/* Whatever is broken about an upload, it is answered, and what came whole stays. */
static void broken_uploads_are_400(void) {
    static const char *const bodies[] = {
        "",
        "--b",
        "--b\r\n",
        "--b\r\nContent-Disposition: form-data; name=\"files[0].path\"\r\n\r\nt\r\n",
        "--b\r\nContent-Disposition: form-data; name=\"files[0].path\"\r\n\r\nt\r\n"
        "--b\r\nContent-Disposition: form-data; name=\"files[0].file\"; filename=\"f\"\r\n"
        "Content-Length: 4294967296\r\n\r\nshort",
        "--b\r\nno headers\r\n\r\nx\r\n--b--\r\n",
        "--b\r\nContent-Disposition: form-data; name=\"files[99999999999999999999].file\"; filename=\"f\"\r\n\r\nx",
        "--b\r\nContent-Disposition: form-data; name=\"files[-1].file\"; filename=\"f\"\r\n\r\nx",
        "--c\r\nContent-Disposition: form-data; name=\"files[0].path\"\r\n\r\nt\r\n--c--\r\n"};
    struct ask a;
    char body[9000];
    box(&a, NULL);
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        ask_raw(&a, "POST", FILES "/bulk-upload", "multipart/form-data; boundary=b", bodies[i], strlen(bodies[i]));
        if (a.status != 400) T_FAIL("%s: %d", bodies[i], a.status);
        T_CONTAINS(said(&a), "NextPart: unexpected EOF");
    }
    T_EQ(ask_raw(&a, "POST", FILES "/bulk-upload", "text/plain", "x", 1), 400);
    T_EQ(ask_raw(&a, "POST", FILES "/upload?path=f", "multipart/form-data; boundary=b", "--b", 3), 400);
    T_EQ(ask_raw(&a, "POST", FILES "/upload", "multipart/form-data; boundary=b", "--b--", 5), 400);
    snprintf(body, sizeof(body),
             "--b\r\nContent-Disposition: form-data; name=\"files[0].path\"\r\n\r\n%05000d\r\n"
             "--b\r\nContent-Disposition: form-data; name=\"files[0].file\"; filename=\"f\"\r\n\r\nx\r\n--b--\r\n",
             0);
    T_EQ(ask_raw(&a, "POST", FILES "/bulk-upload", "multipart/form-data; boundary=b", body, strlen(body)), 400);
    static const char nul[] =
        "--b\r\nContent-Disposition: form-data; name=\"files[0].path\"\r\n\r\na\0b\r\n"
        "--b\r\nContent-Disposition: form-data; name=\"files[0].file\"; filename=\"f\"\r\n\r\nx\r\n--b--\r\n";
    T_EQ(ask_raw(&a, "POST", FILES "/bulk-upload", "multipart/form-data; boundary=b", nul, sizeof(nul) - 1), 400);
    T_EQ(ask(&a, "GET", FILES "/info?path=a", NULL), 404);
    ask_finish(&a);
}

static void day8_37_an_old_daemon_deletes_with_a_slash_only(void) {
    struct ask a;
    box(&a, "{\"daemon\":\"v0.187.0\"}");
    shell(&a, "touch f g; mkdir d");
    T_EQ(ask(&a, "GET", "/toolbox/%s/version", NULL), 200);
    T_STR(ask_text(&a, "version"), "v0.187.0");
    T_EQ(ask(&a, "DELETE", FILES "?path=f", NULL), 404);
    T_STR(said(&a), "404 page not found");
    T_CONTAINS(sbx_buf_text(&a.headers), "Content-Type: text/plain");
    T_EQ(ask(&a, "DELETE", FILES "/?path=f", NULL), 204);
    T_EQ(ask(&a, "DELETE", FILES "/?path=d", NULL), 400);
    ask_finish(&a);
    box(&a, "{\"daemon\":\"v0.188.0\"}");
    shell(&a, "touch f; mkdir d d/e");
    T_EQ(ask(&a, "DELETE", FILES "?path=f", NULL), 204);
    T_EQ(ask(&a, "DELETE", FILES "?path=d", NULL), 400);
    T_EQ(ask(&a, "DELETE", FILES "?path=d&recursive=true", NULL), 204);
    ask_finish(&a);
}

/* F-rows of downloads: every byte of a multipart answer can be the last. */
static void a_download_cut_at_every_byte(void) {
    struct ask a;
    box(&a, NULL);
    shell(&a, "printf hello > f");
    T_EQ(ask(&a, "POST", FILES "/bulk-download", "{\"paths\":[\"f\"]}"), 200);
    const size_t whole = a.body.len;
    T_TRUE(whole > 150);
    for (size_t at = 0; at < whole; at++) {
        const struct sbx_fault cut = {.op = "daytona.toolbox.download",
                                      .phase = "mid_reply",
                                      .times = 1,
                                      .effect = {.kind = "cut", .at_bytes = (int64_t)at}};
        ask_fault(&a, &cut);
        T_EQ(ask(&a, "POST", FILES "/bulk-download", "{\"paths\":[\"f\"]}"), 200);
        T_EQ(a.evidence, SBX_EVIDENCE_PARTIAL);
        T_EQ(a.body.len, at);
    }
    ask_finish(&a);
}

static void a_deep_tree_is_walked(void) {
    struct ask a;
    box(&a, NULL);
    shell(&a, "i=0; while [ $i -lt 300 ]; do mkdir d && cd d; i=$((i+1)); done; touch leaf");
    T_EQ(ask(&a, "GET", FILES "/search?path=.&pattern=leaf", NULL), 200);
    T_TRUE(a.body.len > 600);
    ask_finish(&a);
}

T_CASES(T_CASE(a_list_goes_as_deep_as_asked), T_CASE(mode_owner_and_group), T_CASE(what_may_not_be_read_is_403),
        T_CASE(lines_are_found_in_texts_alone), T_CASE(names_are_found_by_patterns),
        T_CASE(texts_are_replaced_file_by_file), T_CASE(odd_names_come_and_go), T_CASE(broken_uploads_are_400),
        T_CASE(day8_37_an_old_daemon_deletes_with_a_slash_only), T_CASE(a_download_cut_at_every_byte),
        T_CASE(a_deep_tree_is_walked))
