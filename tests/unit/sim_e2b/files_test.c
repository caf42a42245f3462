/* Files of a simulated E2B sandbox: up, down, signed, and by RPC. */
#include "ask.h"

#include <stdio.h>

#define MULTIPART "multipart/form-data; boundary=b"

static int put(struct ask *a, const char *path, const char *text) {
    char target[256];
    snprintf(target, sizeof(target), "/files?path=%s", path);
    return ask_envd(a, "POST", target, "application/octet-stream", text, strlen(text));
}

static int get(struct ask *a, const char *path) {
    char target[256];
    snprintf(target, sizeof(target), "/files?path=%s", path);
    return ask_envd(a, "GET", target, NULL, NULL, 0);
}

static void one_part_goes_to_the_path_of_the_query(void) {
    static const char body[] = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"/home/user/z.txt\"\r\n"
                               "Content-Type: application/octet-stream\r\n\r\nhello\r\n--b--\r\n";
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_envd(&a, "POST", "/files?path=%2Fhome%2Fuser%2Fa.txt", MULTIPART, body, sizeof(body) - 1), 200);
    T_STR(sbx_buf_text(&a.body), "[{\"path\":\"/home/user/a.txt\",\"name\":\"a.txt\",\"type\":\"file\"}]");
    T_EQ(get(&a, "a.txt"), 200);
    T_STR(sbx_buf_text(&a.body), "hello");
    T_EQ(get(&a, "%2Fhome%2Fuser%2Fz.txt"), 404);
    T_STR(ask_text(&a, "message"), "path '/home/user/z.txt' does not exist");
    T_TRUE(!strstr(sbx_sim_journal(a.sim, NULL), "hello"));
    ask_finish(&a);
}

static void many_parts_go_where_their_names_say(void) {
    static const char body[] =
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x/1.txt\"\r\n\r\none\r\n"
        "--b\r\nContent-Disposition: form-data; name=\"other\"; filename=\"no\"\r\n\r\nno\r\n"
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"/tmp/2.txt\"\r\n\r\n\r\n"
        "--b--\r\n";
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_envd(&a, "POST", "/files", MULTIPART, body, sizeof(body) - 1), 200);
    T_STR(sbx_buf_text(&a.body), "[{\"path\":\"/home/user/x/1.txt\",\"name\":\"1.txt\",\"type\":\"file\"},"
                                 "{\"path\":\"/tmp/2.txt\",\"name\":\"2.txt\",\"type\":\"file\"}]");
    T_EQ(get(&a, "~/x/1.txt"), 200);
    T_STR(sbx_buf_text(&a.body), "one");
    T_EQ(get(&a, "/tmp/2.txt"), 200);
    T_EQ(a.body.len, 0);
    T_CONTAINS(sbx_buf_text(&a.headers), "Content-Type: text/plain");
    T_EQ(ask_run(&a, "stat -c '%U %a' x x/1.txt", NULL), 200);
    T_STR(ask_output(&a, "stdout"), "user 755\nuser 644\n");
    ask_finish(&a);
}

static void any_bytes_come_back_as_they_went(void) {
    static char bytes[256 * 1024];
    struct ask a;
    for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (char)(i * 7 + i / 251);
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_envd(&a, "POST", "/files?path=%2Fo%20b%2Bc%25.bin&username=root", "application/octet-stream", bytes,
                  sizeof(bytes)),
         200);
    T_STR(sbx_buf_text(&a.body), "[{\"path\":\"/o b+c%.bin\",\"name\":\"o b+c%.bin\",\"type\":\"file\"}]");
    T_EQ(get(&a, "%2Fo+b%2Bc%25.bin"), 200);
    T_MEM(a.body.data, a.body.len, bytes, sizeof(bytes));
    ask_header(&a, "Range", "bytes=10-19");
    T_EQ(get(&a, "%2Fo+b%2Bc%25.bin"), 206);
    T_MEM(a.body.data, a.body.len, bytes + 10, 10);
    a.more_count = 0;
    ask_header(&a, "Range", "bytes=999999-");
    T_EQ(get(&a, "%2Fo+b%2Bc%25.bin"), 416);
    ask_finish(&a);
}

static void packed_bodies_are_unpacked_and_packed(void) {
    struct ask a;
    struct sbx_buf packed = SBX_BUF_INIT;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(put(&a, "a", "hello hello hello"), 200);
    ask_header(&a, "Accept-Encoding", "gzip");
    T_EQ(get(&a, "a"), 200);
    T_CONTAINS(sbx_buf_text(&a.headers), "Content-Encoding: gzip");
    sbx_buf_append(&packed, a.body.data, a.body.len);
    a.more_count = 0;
    ask_header(&a, "Content-Encoding", "gzip");
    T_EQ(ask_envd(&a, "POST", "/files?path=b", "application/octet-stream", packed.data, packed.len), 200);
    T_EQ(ask_envd(&a, "POST", "/files?path=c", "application/octet-stream", packed.data, packed.len - 6), 400);
    T_EQ(ask_envd(&a, "POST", "/files?path=c", "application/octet-stream", "plain", 5), 400);
    T_CONTAINS(ask_text(&a, "message"), "error decompressing request body");
    a.more_count = 0;
    T_EQ(get(&a, "b"), 200);
    T_STR(sbx_buf_text(&a.body), "hello hello hello");
    sbx_buf_finish(&packed);
    ask_finish(&a);
}

static void what_cannot_be_written_is_said(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(put(&a, "%2Ftmp", "x"), 400);
    T_STR(ask_text(&a, "message"), "path is a directory: /tmp");
    T_EQ(ask_envd(&a, "POST", "/files", "application/octet-stream", "x", 1), 400);
    T_STR(ask_text(&a, "message"), "path query parameter is required for raw body upload");
    T_EQ(ask_envd(&a, "POST", "/files?path=a", "text/plain", "x", 1), 400);
    T_CONTAINS(ask_text(&a, "message"), "unsupported content type: text/plain");
    T_EQ(ask_envd(&a, "POST", "/files?path=a&username=eve", "application/octet-stream", "x", 1), 401);
    T_STR(ask_text(&a, "message"), "error looking up user 'eve': user: unknown user eve");
    T_EQ(get(&a, "%2Ftmp"), 400);
    T_STR(ask_text(&a, "message"), "path '/tmp' is a directory");
    T_EQ(get(&a, "~eve/x"), 400);
    ask_finish(&a);
}

#define TWICE "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"

static void two_files_at_one_path_are_one_too_many(void) {
    static const char body[] = TWICE "one\r\n" TWICE "two\r\n--b--\r\n";
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_envd(&a, "POST", "/files", MULTIPART, body, sizeof(body) - 1), 400);
    T_CONTAINS(ask_text(&a, "message"), "you cannot upload multiple files to the same path '/home/user/a'");
    T_EQ(get(&a, "a"), 200);
    T_STR(sbx_buf_text(&a.body), "one");
    ask_finish(&a);
}

/* The signature is that of the digest's own recipe, made here apart from the simulator. */
static void sign(struct ask *a, const char *raw, struct sbx_buf *out) {
    char hex[SBX_SHA256_HEX];
    unsigned char digest[32];
    struct sbx_buf coded = SBX_BUF_INIT;
    unsigned byte = 0;
    (void)a;
    T_TRUE(sbx_sha256_of(raw, strlen(raw), hex));
    for (size_t i = 0; i < 32; i++) {
        T_EQ(sscanf(hex + 2 * i, "%2x", &byte), 1);
        digest[i] = (unsigned char)byte;
    }
    sbx_base64_encode(&coded, digest, sizeof(digest));
    coded.data[strcspn(coded.data, "=")] = 0;
    sbx_buf_clear(out);
    sbx_percent_encode(out, coded.data);
    sbx_buf_finish(&coded);
}

static void the_recipe_gives_the_known_signatures(void) {
    struct sbx_buf out = SBX_BUF_INIT;
    sign(NULL, "/home/user/a b.txt:read::deadbeef:1796004203", &out);
    T_STR(out.data, "HTq9ljOOoMsdrZGpghlKkO1buxcx1Kqgol5yXWeGuo4");
    sign(NULL, "/home/user/a b.txt:write:root:deadbeef", &out);
    T_STR(out.data, "8fH0eunZ8IQ%2FCIPlwwR%2FbfW0RXNechff56NW7AbzAS0");
    sbx_buf_finish(&out);
}

static void a_signed_url_needs_no_token(void) {
    struct ask a;
    char raw[256], target[400], host[160];
    struct sbx_buf signature = SBX_BUF_INIT;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(put(&a, "%2Ftmp%2Fa", "signed"), 200);
    snprintf(raw, sizeof(raw), "/tmp/a:read::%s:1780315260", a.token); /* a minute behind the world's beginning */
    sign(&a, raw, &signature);
    a.token[0] = 0;
    a.no_headers = 1;
    snprintf(host, sizeof(host), "http://49983-%s.e2b.sim", a.id);
    a.host = host;
    snprintf(target, sizeof(target), "/files?path=%%2Ftmp%%2Fa&signature=v1_%s&signature_expiration=1780315260",
             signature.data);
    T_EQ(ask_envd(&a, "GET", target, NULL, NULL, 0), 200);
    T_STR(sbx_buf_text(&a.body), "signed");
    T_TRUE(!strstr(sbx_sim_journal(a.sim, NULL), signature.data));
    snprintf(target, sizeof(target), "/files?path=%%2Ftmp%%2Fb&signature=v1_%s&signature_expiration=1780315260",
             signature.data);
    T_EQ(ask_envd(&a, "GET", target, NULL, NULL, 0), 401);
    T_STR(ask_text(&a, "message"), "invalid signature");
    ask_pass_ms(&a, 61000);
    snprintf(target, sizeof(target), "/files?path=%%2Ftmp%%2Fa&signature=v1_%s&signature_expiration=1780315260",
             signature.data);
    T_EQ(ask_envd(&a, "GET", target, NULL, NULL, 0), 401);
    T_STR(ask_text(&a, "message"), "signature is already expired");
    sbx_buf_finish(&signature);
    ask_finish(&a);
}

#define FS "filesystem.Filesystem/"

static void the_tree_is_made_told_moved_and_removed(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_rpc(&a, FS "MakeDir", "{\"path\":\"/home/user/d/e\"}"), 200);
    T_CONTAINS(sbx_buf_text(&a.body),
               "\"entry\":{\"name\":\"e\",\"type\":\"FILE_TYPE_DIRECTORY\",\"path\":\"/home/user/"
               "d/e\"");
    T_EQ(ask_rpc(&a, FS "MakeDir", "{\"path\":\"/home/user/d/e\"}"), 409);
    T_STR(ask_text(&a, "message"), "directory already exists: /home/user/d/e");
    T_EQ(put(&a, "d%2Fa.txt", "hello"), 200);
    T_EQ(ask_rpc(&a, FS "MakeDir", "{\"path\":\"d/a.txt\"}"), 400);
    T_EQ(ask_rpc(&a, FS "ListDir", "{\"path\":\"d\"}"), 200);
    T_CONTAINS(
        sbx_buf_text(&a.body),
        "{\"name\":\"a.txt\",\"type\":\"FILE_TYPE_FILE\",\"path\":\"/home/user/d/a.txt\",\"size\":\"5\",\"mode\":420,"
        "\"permissions\":\"-rw-r--r--\",\"owner\":\"user\",\"group\":\"user\",\"modifiedTime\":\"2026-06-01T");
    T_TRUE(strstr(sbx_buf_text(&a.body), "a.txt") < strstr(sbx_buf_text(&a.body), "\"e\""));
    T_EQ(ask_rpc(&a, FS "ListDir", "{\"path\":\"/home/user\",\"depth\":2}"), 200);
    T_CONTAINS(sbx_buf_text(&a.body), "/home/user/d/e");
    T_EQ(ask_rpc(&a, FS "ListDir", "{\"path\":\"/home/user\",\"depth\":1}"), 200);
    T_TRUE(!strstr(sbx_buf_text(&a.body), "/home/user/d/e"));
    T_EQ(ask_rpc(&a, FS "ListDir", "{\"path\":\"d/e\"}"), 200);
    T_STR(sbx_buf_text(&a.body), "{}");
    T_EQ(ask_rpc(&a, FS "ListDir", "{\"path\":\"nope\"}"), 404);
    T_EQ(ask_rpc(&a, FS "ListDir", "{\"path\":\"d/a.txt\"}"), 400);
    T_EQ(ask_rpc(&a, FS "Move", "{\"source\":\"d/a.txt\",\"destination\":\"n/b.txt\"}"), 200);
    T_CONTAINS(sbx_buf_text(&a.body), "/home/user/n/b.txt");
    T_EQ(ask_rpc(&a, FS "Move", "{\"source\":\"d/a.txt\",\"destination\":\"c\"}"), 404);
    T_EQ(ask_rpc(&a, FS "Stat", "{\"path\":\"d/a.txt\"}"), 404);
    T_CONTAINS(ask_text(&a, "message"), "file not found: ");
    T_EQ(ask_run(&a, "ln -s /etc link", NULL), 200);
    T_EQ(ask_rpc(&a, FS "Stat", "{\"path\":\"link\"}"), 200);
    T_CONTAINS(sbx_buf_text(&a.body), "\"permissions\":\"Lrwxr-xr-x\"");
    T_CONTAINS(sbx_buf_text(&a.body), "\"symlinkTarget\":\"/etc\"");
    T_EQ(ask_rpc(&a, FS "Remove", "{\"path\":\"d\"}"), 200);
    T_STR(sbx_buf_text(&a.body), "{}");
    T_EQ(ask_rpc(&a, FS "Remove", "{\"path\":\"d\"}"), 200);
    T_EQ(ask_rpc(&a, FS "Stat", "{\"path\":\"d\"}"), 404);
    ask_finish(&a);
}

static void a_watch_tells_what_changes(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    struct listener l = {.a = &a,
                         .method = FS "WatchDir",
                         .json = "{\"path\":\"/home/user\",\"recursive\":true}",
                         .timeout_ms = "60000"};
    ask_listen(&l);
    T_EQ(put(&a, "a.txt", "hello"), 200);
    ask_pass_ms(&a, 100);
    T_EQ(ask_run(&a, "mkdir s; echo x >s/b; mv a.txt c.txt", NULL), 200);
    ask_pass_ms(&a, 100);
    T_EQ(ask_run(&a, "chmod 600 c.txt; rm s/b", NULL), 200);
    ask_pass_ms(&a, 100);
    ask_listener_finish(&l);
    T_STR(sbx_buf_text(&l.events), "0 {\"start\":{}}\n"
                                   "0 {\"filesystem\":{\"name\":\"a.txt\",\"type\":\"EVENT_TYPE_CREATE\"}}\n"
                                   "0 {\"filesystem\":{\"name\":\"a.txt\",\"type\":\"EVENT_TYPE_WRITE\"}}\n"
                                   "0 {\"filesystem\":{\"name\":\"c.txt\",\"type\":\"EVENT_TYPE_CREATE\"}}\n"
                                   "0 {\"filesystem\":{\"name\":\"s\",\"type\":\"EVENT_TYPE_CREATE\"}}\n"
                                   "0 {\"filesystem\":{\"name\":\"s/b\",\"type\":\"EVENT_TYPE_CREATE\"}}\n"
                                   "0 {\"filesystem\":{\"name\":\"a.txt\",\"type\":\"EVENT_TYPE_RENAME\"}}\n"
                                   "0 {\"filesystem\":{\"name\":\"s/b\",\"type\":\"EVENT_TYPE_WRITE\"}}\n"
                                   "0 {\"filesystem\":{\"name\":\"c.txt\",\"type\":\"EVENT_TYPE_CHMOD\"}}\n"
                                   "0 {\"filesystem\":{\"name\":\"s/b\",\"type\":\"EVENT_TYPE_REMOVE\"}}\n");
    sbx_buf_finish(&l.events);
    ask_finish(&a);
}

static void a_watcher_is_asked(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_rpc(&a, FS "CreateWatcher", "{\"path\":\"/home/user\",\"includeEntry\":true}"), 200);
    T_STR(ask_text(&a, "watcherId"), "w1");
    T_EQ(ask_rpc(&a, FS "GetWatcherEvents", "{\"watcherId\":\"w1\"}"), 200);
    T_STR(sbx_buf_text(&a.body), "{}");
    T_EQ(put(&a, "a.txt", ""), 200);
    T_EQ(ask_rpc(&a, FS "GetWatcherEvents", "{\"watcherId\":\"w1\"}"), 200);
    T_CONTAINS(sbx_buf_text(&a.body), "{\"events\":[{\"name\":\"a.txt\",\"type\":\"EVENT_TYPE_CREATE\",\"entry\":{");
    T_EQ(ask_rpc(&a, FS "RemoveWatcher", "{\"watcherId\":\"w1\"}"), 200);
    T_EQ(ask_rpc(&a, FS "RemoveWatcher", "{\"watcherId\":\"w1\"}"), 404);
    T_EQ(ask_rpc(&a, FS "CreateWatcher", "{\"path\":\"/nope\"}"), 404);
    T_EQ(ask_rpc(&a, FS "CreateWatcher", "{\"path\":\"/etc/passwd\"}"), 400);
    T_STR(ask_text(&a, "message"), "path /etc/passwd not a directory: %!w(<nil>)");
    ask_finish(&a);
}

static void daemons_before_0_5_7_take_forms_alone(void) {
    static const char form[] =
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\nhello\r\n--b--\r\n";
    static const struct {
        const char *version;
        int status;
    } rows[] = {{"0.5.6", 500}, {"0.4.9", 500}, {"0.5.7", 200}, {"0.6.13", 200}, {"1.0.0", 200}, {"unknown", 200}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ask a;
        char scenario[64];
        snprintf(scenario, sizeof(scenario), "{\"envd_version\":\"%s\"}", rows[i].version);
        ask_init(&a, scenario);
        ask_create(&a, NULL);
        T_EQ(put(&a, "raw", "hello"), rows[i].status);
        if (rows[i].status == 500)
            T_STR(ask_text(&a, "message"),
                  "error parsing multipart form: request Content-Type isn't multipart/form-data");
        T_EQ(get(&a, "raw"), rows[i].status == 200 ? 200 : 404);
        T_EQ(ask_envd(&a, "POST", "/files?path=form", MULTIPART, form, sizeof(form) - 1), 200);
        T_EQ(get(&a, "form"), 200);
        T_STR(sbx_buf_text(&a.body), "hello");
        ask_finish(&a);
    }
}

T_CASES(T_CASE(one_part_goes_to_the_path_of_the_query), T_CASE(many_parts_go_where_their_names_say),
        T_CASE(any_bytes_come_back_as_they_went), T_CASE(packed_bodies_are_unpacked_and_packed),
        T_CASE(what_cannot_be_written_is_said), T_CASE(two_files_at_one_path_are_one_too_many),
        T_CASE(the_recipe_gives_the_known_signatures), T_CASE(a_signed_url_needs_no_token),
        T_CASE(the_tree_is_made_told_moved_and_removed), T_CASE(a_watch_tells_what_changes), T_CASE(a_watcher_is_asked),
        T_CASE(daemons_before_0_5_7_take_forms_alone))
