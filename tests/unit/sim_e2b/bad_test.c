/* What no client should send: lengths that lie, flags, shapes, numbers. Typed answers, and nothing believed. */
#include "ask.h"

#define S "process.Process/Start"

static int raw(struct ask *a, const void *body, size_t len) {
    const int status = ask_envd(a, "POST", "/" S, "application/connect+json", body, len);
    if (status == 200) {
        T_TRUE(a->body.len > 5 && a->body.data[0] == 2);
        sbx_json_free(a->js);
        T_STATUS(sbx_json_parse(a->body.data + 5, a->body.len - 5, 0, &a->js), SBX_OK);
    }
    return status;
}

static const char *code(struct ask *a) {
    return sbx_json_string(a->js, sbx_json_object(a->js, sbx_json_root(a->js), "error"), "code");
}

static void envelopes_that_lie(void) {
    static const struct {
        const char *bytes;
        size_t len;
        const char *code;
    } bodies[] = {
        {"", 0, "invalid_argument"},
        {"\0\0\0", 3, "invalid_argument"},
        {"\0\xff\xff\xff\xff{}", 7, "invalid_argument"},
        {"\0\0\0\0\x03{}", 7, "invalid_argument"},
        {"\0\0\0\0\x01{}", 7, "unimplemented"},
        {"\1\0\0\0\x02{}", 7, "internal"},
        {"\x80\0\0\0\x02{}", 7, "invalid_argument"},
        {"\2\0\0\0\x02{}", 7, "invalid_argument"},
        {"\0\0\0\0\x02{]", 7, "invalid_argument"},
        {"\0\0\0\0\x02[]", 7, "invalid_argument"},
        {"\0\0\0\0\x04null", 9, "invalid_argument"},
    };
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        T_EQ(raw(&a, bodies[i].bytes, bodies[i].len), 200);
        T_STR(code(&a), bodies[i].code);
    }
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    T_STR(sbx_buf_text(&a.body), "{}");
    ask_finish(&a);
}

static void messages_of_the_wrong_shape(void) {
    static const struct {
        const char *method, *json;
        int status;
        const char *code;
    } calls[] = {
        {"process.Process/List", "[", 400, "invalid_argument"},
        {"process.Process/SendInput", "{\"process\":{\"pid\":-1},\"input\":{\"stdin\":\"\"}}", 400, "invalid_argument"},
        {"process.Process/SendInput", "{\"process\":{\"pid\":4294967296},\"input\":{\"stdin\":\"\"}}", 400,
         "invalid_argument"},
        {"process.Process/SendInput", "{\"process\":{\"pid\":1},\"input\":{\"stdin\":\"!!\"}}", 400,
         "invalid_argument"},
        {"process.Process/SendInput", "{\"process\":{\"pid\":1},\"input\":{}}", 501, "unimplemented"},
        {"process.Process/SendInput", "{\"process\":{\"pid\":7777},\"input\":{\"stdin\":\"aGk\"}}", 404, "not_found"},
        {"process.Process/SendSignal", "{\"process\":{\"pid\":7777},\"signal\":\"SIGNAL_SIGKILL\"}", 404, "not_found"},
        {"process.Process/SendSignal", "{\"process\":{\"pid\":7777},\"signal\":\"SIGNAL_SIGHUP\"}", 400,
         "invalid_argument"},
        {"process.Process/SendSignal", "{\"process\":{\"pid\":7777},\"signal\":1}", 501, "unimplemented"},
        {"process.Process/SendSignal", "{\"process\":{\"pid\":7777}}", 501, "unimplemented"},
        {"process.Process/CloseStdin", "{}", 501, "unimplemented"},
        {"process.Process/CloseStdin", "{\"process\":7}", 400, "invalid_argument"},
        {"filesystem.Filesystem/ListDir", "{\"path\":\"/\",\"depth\":-1}", 400, "invalid_argument"},
        {"filesystem.Filesystem/Stat", "{\"path\":7}", 400, "invalid_argument"},
        {"filesystem.Filesystem/Stat", "{\"path\":\"~eve\"}", 400, "invalid_argument"},
        {"filesystem.Filesystem/GetWatcherEvents", "{}", 404, "not_found"},
    };
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        T_EQ(ask_rpc(&a, calls[i].method, calls[i].json), calls[i].status);
        T_STR(ask_text(&a, "code"), calls[i].code);
    }
    ask_finish(&a);
}

static void a_start_of_the_wrong_shape_starts_nothing(void) {
    static const char *const messages[] = {"{\"process\":{\"cmd\":7}}", "{\"process\":{\"cmd\":\"a\",\"args\":[1]}}",
                                           "{\"process\":{\"cmd\":\"a\",\"envs\":{\"A\":1}}}", "{\"process\":[]}",
                                           "{\"process\":{\"cmd\":\"a\"},\"tag\":{}}"};
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
        T_EQ(ask_stream(&a, S, messages[i]), 200);
        T_CONTAINS(sbx_buf_text(&a.events), "2 {\"error\":{\"code\":\"invalid_argument\"");
    }
    T_TRUE(!strstr(sbx_sim_state_json(a.sim), "\"processes\":1"));
    ask_finish(&a);
}

static void a_pty_is_refused_and_told(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_stream(&a, S, "{\"process\":{\"cmd\":\"/bin/bash\"},\"pty\":{\"size\":{\"cols\":80,\"rows\":24}}}"), 200);
    T_CONTAINS(sbx_buf_text(&a.events), "\"code\":\"unimplemented\"");
    T_EQ(sbx_sim_unsupported(a.sim), 1);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/fork", "{\"count\":2}"), 501);
    T_EQ(sbx_sim_unsupported(a.sim), 2);
    ask_finish(&a);
}

static void uploads_without_an_end(void) {
    static const char body[] = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"cut.txt\"\r\n\r\nhalf";
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_envd(&a, "POST", "/files", "multipart/form-data; boundary=b", body, sizeof(body) - 1), 500);
    T_CONTAINS(ask_text(&a, "message"), "error parsing multipart form");
    T_EQ(ask_envd(&a, "POST", "/files", "multipart/form-data", body, sizeof(body) - 1), 500);
    T_EQ(ask_envd(&a, "POST", "/files", "multipart/form-data; boundary=b", "--b\r\nnonsense", 13), 500);
    ask_finish(&a);
}

static void bodies_beyond_the_limit(void) {
    static char big[5 * 1024 * 1024];
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    memset(big, ' ', sizeof(big));
    T_EQ(ask_envd(&a, "POST", "/process.Process/List", "application/json", big, sizeof(big)), 429);
    T_STR(ask_text(&a, "code"), "resource_exhausted");
    ask_finish(&a);
}

T_CASES(T_CASE(envelopes_that_lie), T_CASE(messages_of_the_wrong_shape),
        T_CASE(a_start_of_the_wrong_shape_starts_nothing), T_CASE(a_pty_is_refused_and_told),
        T_CASE(uploads_without_an_end), T_CASE(bodies_beyond_the_limit))
