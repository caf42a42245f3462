/* What the daemon says of a file, read: all that is strict, all that may be missing. Row D14. */
#include "adapters/e2b/file.h"
#include "t.h"

struct entry {
    struct sbx_json *js;
    struct e2b_file file;
};

static enum sbx_status entry_read(struct entry *entry, const char *text, int listed) {
    const enum sbx_status st = sbx_json_parse(text, strlen(text), 0, &entry->js);
    if (st) return st;
    const struct sbx_json_node *root = sbx_json_as_object(entry->js, sbx_json_root(entry->js));
    e2b_file_info(entry->js, root, listed, &entry->file);
    return sbx_json_status(entry->js);
}

static void all_members(void) {
    struct entry is;
    T_STATUS(entry_read(&is,
                        "{\"name\":\"a.txt\",\"type\":\"FILE_TYPE_FILE\",\"path\":\"/home/user/a.txt\",\"size\":\"5\","
                        "\"mode\":420,\"permissions\":\"-rw-r--r--\",\"owner\":\"user\",\"group\":\"users\","
                        "\"modifiedTime\":\"2026-01-02T03:04:05.678901234Z\",\"metadata\":{\"a\":\"b\"}}",
                        1),
             SBX_OK);
    T_STR(is.file.draft.path, "a.txt");
    T_EQ(is.file.draft.type, SBX_FILE_REGULAR);
    T_EQ(is.file.draft.bytes, 5);
    T_EQ(is.file.draft.mode, 0644);
    T_STR(is.file.draft.owner, "user");
    T_STR(is.file.draft.group, "users");
    T_EQ(is.file.draft.modified_ms, INT64_C(1767323045678));
    T_EQ(is.file.leads_nowhere, 0);
    sbx_json_free(is.js);
}

/* What is zero is left out; links show what they lead to. */
static void what_is_left_out(void) {
    static const struct {
        const char *text;
        int32_t type, mode, leads_nowhere;
        int64_t bytes;
    } rows[] = {
        {"{\"name\":\"a\"}", SBX_FILE_OTHER, -1, 0, 0},
        {"{\"name\":\"a\",\"permissions\":\"----------\"}", SBX_FILE_OTHER, 0, 0, 0},
        {"{\"name\":\"a\",\"type\":\"FILE_TYPE_FILE\",\"mode\":2541,\"size\":7}", SBX_FILE_REGULAR, 0755, 0, 7},
        {"{\"name\":\"a\",\"type\":\"FILE_TYPE_FILE\",\"mode\":\"420\"}", SBX_FILE_REGULAR, -1, 0, 0},
        {"{\"name\":\"a\",\"type\":\"FILE_TYPE_DIRECTORY\",\"symlinkTarget\":\"d\"}", SBX_FILE_DIRECTORY, -1, 0, 0},
        {"{\"name\":\"a\",\"symlinkTarget\":\"nowhere\"}", SBX_FILE_OTHER, -1, 1, 0},
        {"{\"name\":\"a\",\"type\":\"FILE_TYPE_SYMLINK\"}", SBX_FILE_TYPE_UNKNOWN, -1, 1, 0},
        {"{\"name\":\"a\",\"type\":\"FILE_TYPE_NEW\"}", SBX_FILE_TYPE_UNKNOWN, -1, 0, 0},
        {"{\"name\":\"a\",\"size\":\"9223372036854775807\"}", SBX_FILE_OTHER, -1, 0, INT64_MAX},
        {"{\"name\":\"a\",\"size\":null,\"owner\":5,\"group\":null,\"modifiedTime\":\"soon\"}", SBX_FILE_OTHER, -1, 0,
         0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct entry is;
        T_STATUS(entry_read(&is, rows[i].text, 1), SBX_OK);
        T_EQ(is.file.draft.type, rows[i].type);
        T_EQ(is.file.draft.mode, rows[i].mode);
        T_EQ(is.file.leads_nowhere, rows[i].leads_nowhere);
        T_EQ(is.file.draft.bytes, rows[i].bytes);
        T_STR(is.file.draft.owner, "");
        T_EQ(is.file.draft.modified_ms, INT64_MIN);
        sbx_json_free(is.js);
    }
}

static void what_is_no_entry(void) {
    static const char *const wrong[] = {"{}",
                                        "[]",
                                        "{\"name\":null}",
                                        "{\"name\":5}",
                                        "{\"name\":\"\"}",
                                        "{\"name\":\".\"}",
                                        "{\"name\":\"..\"}",
                                        "{\"name\":\"../x\"}",
                                        "{\"name\":\"/\"}",
                                        "{\"name\":\"a\\u0000b\"}",
                                        "{\"name\":\"a\",\"type\":1}",
                                        "{\"name\":\"a\",\"type\":{}}",
                                        "{\"name\":\"a\",\"size\":-1}",
                                        "{\"name\":\"a\",\"size\":\"-1\"}",
                                        "{\"name\":\"a\",\"size\":1.5}",
                                        "{\"name\":\"a\",\"size\":\"9223372036854775808\"}",
                                        "{\"name\":\"a\",\"size\":\"\"}",
                                        "{\"name\":\"a\",\"size\":[]}"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct entry is = {0};
        if (entry_read(&is, wrong[i], 1) != SBX_PROTOCOL) T_FAIL("%s: taken for an entry", wrong[i]);
        sbx_json_free(is.js);
    }
}

static void only_one_path_alone_can_be_the_root(void) {
    struct entry is;
    T_STATUS(entry_read(&is, "{\"name\":\"/\",\"type\":\"FILE_TYPE_DIRECTORY\"}", 0), SBX_OK);
    T_STR(is.file.draft.path, "/");
    sbx_json_free(is.js);
    T_STATUS(entry_read(&is, "{\"name\":\"/etc\",\"type\":\"FILE_TYPE_DIRECTORY\"}", 0), SBX_PROTOCOL);
    sbx_json_free(is.js);
}

/* An entry that is cut anywhere is none. */
static void cut_anywhere(void) {
    static const char text[] = "{\"name\":\"a\",\"type\":\"FILE_TYPE_FILE\",\"size\":\"5\",\"mode\":420}";
    for (size_t len = 0; len < sizeof(text) - 1; len++) {
        struct entry is = {0};
        char cut[sizeof(text)];
        memcpy(cut, text, len);
        cut[len] = 0;
        T_STATUS(entry_read(&is, cut, 1), SBX_PROTOCOL);
        sbx_json_free(is.js);
    }
}

T_CASES(T_CASE(all_members), T_CASE(what_is_left_out), T_CASE(what_is_no_entry),
        T_CASE(only_one_path_alone_can_be_the_root), T_CASE(cut_anywhere))
