/* Names and patterns: * ? [a-z] [^x] and \, as Go matches them. Row D14. */
#include "src/work/name_match.h"
#include "t.h"

static void names_fit(void) {
    static const struct {
        const char *pattern, *name;
        int fits;
    } rows[] = {{"*", "a", 1},
                {"*", ".hidden", 1},
                {"", "", 1},
                {"", "a", 0},
                {"a", "a", 1},
                {"a", "b", 0},
                {"a", "ab", 0},
                {"?", "a", 1},
                {"?", "", 0},
                {"?", "\xc3\xbc", 1},
                {"??", "\xc3\xbc", 0},
                {"?", "\xe2\x82\xac", 1},
                {"?", "\xf0\x9f\x98\x80", 1},
                {"?", "\xff", 1},
                {"?", "\xe2\x82", 0},
                {"*.txt", "a.txt", 1},
                {"*.txt", ".txt", 1},
                {"*.txt", "a.txt.gz", 0},
                {"*a*b", "xaxbxab", 1},
                {"*a*b", "xaxbxac", 0},
                {"a*b*c", "abbbc", 1},
                {"[a-c]", "b", 1},
                {"[a-c]", "d", 0},
                {"[^a-c]", "d", 1},
                {"[^a-c]", "b", 0},
                {"[a^]", "^", 1},
                {"[\\]]", "]", 1},
                {"[\\-a]", "-", 1},
                {"[!a]", "!", 1},
                {"[!a]", "b", 0},
                {"[\xc3\xa4-\xc3\xbc]", "\xc3\xb6", 1},
                {"[xa-c]*", "bz", 1},
                {"\\*", "*", 1},
                {"\\*", "a", 0},
                {"\\?", "?", 1},
                {"\\?", "a", 0},
                {"\\\\", "\\", 1},
                {"a]", "a]", 1},
                {"*[0-9]", "log1", 1},
                {"*[0-9]", "log1x", 0}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        T_EQ(sbx_name_pattern_ok(rows[i].pattern), 1);
        if (sbx_name_fits(rows[i].pattern, rows[i].name) != rows[i].fits)
            T_FAIL("%s, %s: expected %d", rows[i].pattern, rows[i].name, rows[i].fits);
    }
}

static void what_is_no_pattern(void) {
    static const char *const wrong[] = {"[",   "[]", "[]a]", "[a",  "[a-",    "[a-]", "[-a]",
                                        "[^]", "[^", "\\",   "a\\", "x[b-\\", "[\\"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (sbx_name_pattern_ok(wrong[i])) T_FAIL("%s: taken for a pattern", wrong[i]);
}

static void the_coarse_pattern_fits_no_less(void) {
    static const char *const rows[][2] = {{"a?[^x].txt", "a**.txt"}, {"\\*\\[\\]\\\\\\?\\a", "\\*\\[\\]\\\\\\?a"},
                                          {"a]b", "a\\]b"},          {"*", "*"},
                                          {"[\\]]x", "*x"},          {"\xc3\xbc?", "\xc3\xbc*"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sbx_buf out = SBX_BUF_INIT;
        sbx_name_pattern_coarse(&out, rows[i][0]);
        T_STR(sbx_buf_text(&out), rows[i][1]);
        sbx_buf_finish(&out);
    }
}

T_CASES(T_CASE(names_fit), T_CASE(what_is_no_pattern), T_CASE(the_coarse_pattern_fits_no_less))
