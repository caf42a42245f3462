/* JSON: what is refused, what errors say, what is read, what is written. */
#include "t.h"

#include <sandport/kit/json.h>
#include <stdlib.h>

static struct sbx_json *parsed(const char *text) {
    struct sbx_json *js = NULL;
    T_STATUS(sbx_json_parse(text, strlen(text), 0, &js), SBX_OK);
    return js;
}

static void refused(const char *text, size_t len, const char *says) {
    struct sbx_json *js = NULL;
    T_STATUS(sbx_json_parse(text, len, 0, &js), SBX_PROTOCOL);
    T_CONTAINS(sbx_json_error(js), says);
    sbx_json_free(js);
}

static void refuses_what_is_not_json(void) {
    static const char *const rows[][2] = {
        {"", "a value"},
        {"{", "a string"},
        {"{\"a\"}", "a colon"},
        {"{\"a\":1,}", "a string"},
        {"[1,]", "a value"},
        {"[1 2]", "a comma or ]"},
        {"01", "the end"},
        {"+1", "a value"},
        {"-", "a digit"},
        {"1.", "a digit"},
        {"1e", "a digit"},
        {"nul", "a value"},
        {"true false", "the end"},
        {"\"a", "the end of a string"},
        {"\"a\nb\"", "no control character"},
        {"\"\\x\"", "an escape"},
        {"\"\\u12g4\"", "four hex digits"},
        {"\"\\u0000\"", "no escaped NUL"},
        {"\"\\ud800\"", "a low surrogate"},
        {"\"\\udc00\"", "a high surrogate first"},
        {"\"\xff\"", "valid UTF-8"},
        {"\"\xc0\x80\"", "valid UTF-8"},
        {"\"\xed\xa0\x80\"", "valid UTF-8"},
        {"<html>", "a value"},
        {"9007199254740993", "a number within 2^53"},
        {"[1e400]", "a number within 2^53 at $[0]"},
        {"{\"a\":{\"k\":1,\"k\":2}}", "each key once at $.a"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) refused(rows[i][0], strlen(rows[i][0]), rows[i][1]);
    refused("[1]\0", 4, "the end");
}

/* Every prefix of a document is refused, and says so without reading beyond it. */
static void refuses_every_prefix(void) {
    const char *text = "{\"a\":[1,-2.5e3,\"x\\u00e9\\ud83d\\ude00\",null,true],\"b\":{}}";
    for (size_t len = 0; len < strlen(text); len++) {
        char *copy = malloc(len ? len : 1);
        struct sbx_json *js = NULL;
        T_TRUE(copy != NULL);
        memcpy(copy, text, len);
        T_STATUS(sbx_json_parse(copy, len, 0, &js), SBX_PROTOCOL);
        sbx_json_free(js);
        free(copy);
    }
    sbx_json_free(parsed(text));
}

static void bounds_depth_and_size(void) {
    char deep[200];
    memset(deep, '[', 65);
    memset(deep + 65, ']', 65);
    refused(deep, 130, "fewer levels");
    struct sbx_json *js = NULL;
    T_STATUS(sbx_json_parse(deep + 1, 128, 0, &js), SBX_OK);
    sbx_json_free(js);
    T_STATUS(sbx_json_parse("[1,2,3]", 7, 6, &js), SBX_PROTOCOL);
    T_CONTAINS(sbx_json_error(js), "at most 6 bytes");
    sbx_json_free(js);
}

static void errors_name_the_path(void) {
    struct sbx_json *js = parsed("{\"items\":[{\"id\":\"a\"},{\"id\":7}],\"n\":1.5,\"s\":null}");
    const struct sbx_json_node *items = sbx_json_array(js, sbx_json_root(js), "items");
    const struct sbx_json_node *second = sbx_json_next(sbx_json_first(items));
    T_STR(sbx_json_string(js, sbx_json_first(items), "id"), "a");
    T_STATUS(sbx_json_status(js), SBX_OK);
    T_TRUE(sbx_json_string(js, second, "id") == NULL);
    T_STR(sbx_json_error(js), "expected a string at $.items[1].id, found a number");
    T_EQ(sbx_json_int(js, sbx_json_root(js), "gone"), 0); /* the first one stays */
    T_STR(sbx_json_error(js), "expected a string at $.items[1].id, found a number");
    sbx_json_free(js);
    js = parsed("{\"n\":1.5}");
    T_EQ(sbx_json_int(js, sbx_json_root(js), "n"), 0);
    T_STR(sbx_json_error(js), "expected an integer at $.n, found a fraction");
    sbx_json_free(js);
}

static void absent_and_null_are_alike(void) {
    struct sbx_json *js = parsed("{\"s\":null,\"b\":true}");
    const struct sbx_json_node *root = sbx_json_root(js);
    T_STR(sbx_json_opt_string(js, root, "s", "other"), "other");
    T_STR(sbx_json_opt_string(js, root, "t", "other"), "other");
    T_EQ(sbx_json_opt_int(js, root, "i", 7), 7);
    T_EQ(sbx_json_opt_bool(js, root, "b", 0), 1);
    T_TRUE(sbx_json_opt_object(js, NULL, "x") == NULL);
    T_STATUS(sbx_json_status(js), SBX_OK);
    sbx_json_free(js);
}

static void note_path(void *ctx, const char *path) {
    sbx_buf_text_append(ctx, path);
    sbx_buf_char(ctx, ' ');
}

static void tells_what_nobody_read(void) {
    struct sbx_json *js = parsed("{\"a\":1,\"b\":{\"c\":2,\"d\":[3]},\"e\":{\"f\":1}}");
    struct sbx_buf paths = SBX_BUF_INIT;
    const struct sbx_json_node *root = sbx_json_root(js);
    T_EQ(sbx_json_int(js, sbx_json_object(js, root, "b"), "c"), 2);
    sbx_json_touch(sbx_json_member(root, "e"));
    sbx_json_unread(js, note_path, &paths);
    T_STR(sbx_buf_text(&paths), "$.a $.b.d ");
    sbx_buf_finish(&paths);
    sbx_json_free(js);
}

static void writes_what_it_reads(void) {
    const char *text = "{\"a\":[1,-2,2.5,\"q\\\"\\\\\\n\\u0001\",null,true,{}],\"b\":[],\"max\":9007199254740991}";
    struct sbx_json *js = parsed(text);
    struct sbx_buf out = SBX_BUF_INIT;
    sbx_json_write_node(&out, sbx_json_root(js));
    T_STR(sbx_buf_text(&out), text);
    sbx_buf_finish(&out);
    sbx_json_free(js);
}

static void writes_with_commas_that_are_due(void) {
    struct sbx_buf out = SBX_BUF_INIT;
    sbx_json_begin_object(&out, NULL);
    sbx_json_put_string(&out, "a", "x{");
    sbx_json_begin_array(&out, "b");
    sbx_json_put_int(&out, NULL, INT64_MIN);
    sbx_json_put_bool(&out, NULL, 0);
    sbx_json_put_string(&out, NULL, NULL);
    sbx_json_end_array(&out);
    sbx_json_put_raw(&out, "c", "{}", 2);
    sbx_json_put_text(&out, "d", "n\0l", 3);
    sbx_json_end_object(&out);
    T_STR(sbx_buf_text(&out), "{\"a\":\"x{\",\"b\":[-9223372036854775808,false,null],\"c\":{},\"d\":\"n\\u0000l\"}");
    sbx_buf_finish(&out);
}

/* Wherever it stands, behind bytes that need no escape and before others. */
static void escapes_every_byte_that_needs_it_at_every_place(void) {
    static const struct {
        char byte;
        const char *as;
    } rows[] = {{'"', "\\\""},       {'\\', "\\\\"},   {'\n', "\\n"},    {'\t', "\\t"}, {'\x01', "\\u0001"},
                {'\x1f', "\\u001f"}, {'\x20', "\x20"}, {'\x7f', "\x7f"}, {'!', "!"},    {'[', "["}};
    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++)
        for (size_t at = 0; at < 20; at++) {
            struct sbx_buf out = SBX_BUF_INIT, want = SBX_BUF_INIT;
            char text[21] = "abcdefghijklmnopqrst";
            memset(text, 'a', at);
            text[at] = rows[row].byte;
            sbx_buf_printf(&want, "\"%.*s%s%s\"", (int)at, text, rows[row].as, text + at + 1);
            sbx_json_put_text(&out, NULL, text, 20);
            T_STR(sbx_buf_text(&out), sbx_buf_text(&want));
            sbx_buf_finish(&out);
            sbx_buf_finish(&want);
        }
}

T_CASES(T_CASE(refuses_what_is_not_json), T_CASE(refuses_every_prefix), T_CASE(bounds_depth_and_size),
        T_CASE(errors_name_the_path), T_CASE(absent_and_null_are_alike), T_CASE(tells_what_nobody_read),
        T_CASE(writes_what_it_reads), T_CASE(writes_with_commas_that_are_due),
        T_CASE(escapes_every_byte_that_needs_it_at_every_place))
