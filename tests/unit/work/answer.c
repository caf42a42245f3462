/* Finding an exact answer in what came back: every cut, every split of its lines, noise of every kind. Rows P7, P11. */
#include "src/work/exact_answer.h"
#include "t.h"

#include <sandport/kit/text.h>
#include <stdlib.h>

#define NONCE "00112233445566778899aabbccddeeff"
#define OTHER "ff112233445566778899aabbccddee00"
#define HEAD  "sbx1 " NONCE " "
#define END   HEAD "end\n"
#define WHOLE HEAD "3 3 7 b64 self\naGkK\n" HEAD "err\nZSAgJ3gnCg==\n" END

static enum sbx_status read_text(const char *text, int64_t limit, struct exact_answer *ans) {
    memset(ans, 0, sizeof(*ans));
    return sbx_exact_answer_read(text, strlen(text), NONCE, limit, ans);
}

static void is_whole(const char *text) {
    struct exact_answer ans;
    T_STATUS(read_text(text, 100, &ans), SBX_OK);
    T_EQ(ans.code, CODED_EXIT);
    T_EQ(ans.exit_code, 3);
    T_EQ(ans.ended, EXACT_ENDED_SELF);
    T_EQ(ans.out_total, 3);
    T_EQ(ans.err_total, 7);
    T_MEM(ans.out.data, ans.out.len, "hi\n", 3);
    T_MEM(ans.err.data, ans.err.len, "e  'x'\n", 7);
    sbx_exact_answer_finish(&ans);
}

static void is_none(const char *text) {
    struct exact_answer ans;
    enum sbx_status st = read_text(text, 100, &ans);
    if (st != SBX_PROTOCOL) T_FAIL("taken for an answer: %s", text);
    sbx_exact_answer_finish(&ans);
}

static void a_whole_answer(void) {
    is_whole(WHOLE);
    is_whole("\n" WHOLE);
    is_whole(HEAD "3 3 7 b64 self\naG\nkK\n\n" HEAD "err\nZSAg\nJ3gnCg\n==\n" END);
    is_whole(HEAD "3 3 7 b64 self\r\naGkK\r\n" HEAD "err\r\nZSAgJ3gnCg==\r\n" HEAD "end\r\n");
    is_whole(HEAD "3 3 7 b64 self\naGkK\n" HEAD "err\nZSAgJ3gnCg==\n" HEAD "end"); /* the last newline trimmed */
    is_whole(HEAD "3 3 7 hex self\n 68 69 0a\n" HEAD "err\n 65 20 20 27\n 78 27 0a\n" END);
}

static void noise_is_ignored(void) {
    is_whole("Welcome!\nLast login: today\n" WHOLE "bye\n");
    is_whole("no newline at its end\n" WHOLE "sbx1 and so on");
    is_whole("sbx1 " OTHER " 0 0 0 b64 self\nsbx1 " OTHER " err\nsbx1 " OTHER " end\n" WHOLE);
    is_whole(HEAD "0 0 0 b64\n" WHOLE);                                    /* a head with a field missing */
    is_whole(HEAD "0 0 0 b64 self\nnot base64!\n" WHOLE);                  /* one whose stream is none */
    is_whole("+ exec /bin/sh -c 'sbx1 " NONCE " 9 0 0 b64 self'\n" WHOLE); /* the line echoed by a tracing shell */
    is_whole(WHOLE HEAD "9 1 0 b64 self\nYQ");                             /* a second one, cut */
}

static void every_cut_is_no_answer(void) {
    const size_t len = strlen(WHOLE) - 1; /* without the last newline it is whole */
    for (size_t n = 0; n < len; n++) {
        struct exact_answer ans = {0};
        char *cut = malloc(n + 1); /* exactly so long, so that the sanitizer sees a read behind it */
        T_TRUE(cut != NULL);
        memcpy(cut, WHOLE, n);
        if (sbx_exact_answer_read(cut, n, NONCE, 100, &ans) != SBX_PROTOCOL) T_FAIL("taken although cut at %zu", n);
        sbx_exact_answer_finish(&ans);
        free(cut);
    }
}

static void what_is_not_an_answer(void) {
    is_none("");
    is_none("hello\n");
    is_none("x" WHOLE);                                                       /* not at the start of a line */
    is_none(HEAD "3 4 7 b64 self\naGkK\n" HEAD "err\nZSAgJ3gnCg==\n" END);    /* a byte missing */
    is_none(HEAD "3 2 7 b64 self\naGkK\n" HEAD "err\nZSAgJ3gnCg==\n" END);    /* a byte too many */
    is_none(HEAD "3 3 7 b64 self\naGkK\nx\n" HEAD "err\nZSAgJ3gnCg==\n" END); /* noise inside */
    is_none(HEAD "3 3 7 b85 self\naGkK\n" HEAD "err\nZSAgJ3gnCg==\n" END);    /* an unknown coding */
    is_none(HEAD "3 3 7 b64 them\naGkK\n" HEAD "err\nZSAgJ3gnCg==\n" END);
    is_none(HEAD "256 0 0 b64 self\n" HEAD "err\n" END);
    is_none(HEAD "-1 0 0 b64 self\n" HEAD "err\n" END);
    is_none(HEAD "+1 0 0 b64 self\n" HEAD "err\n" END);
    is_none(HEAD "1x 0 0 b64 self\n" HEAD "err\n" END);
    is_none(HEAD "1 0 0 b64 self more\n" HEAD "err\n" END);
    is_none(HEAD "1  0 0 b64 self\n" HEAD "err\n" END);
    is_none(HEAD "1 0 -2 b64 self\n" HEAD "err\n" END);
    is_none(HEAD "1 0 99999999999999999999 b64 self\n" HEAD "err\n" END);
    is_none(HEAD "tool: - - b64 self\n" HEAD "err\n" END);
    is_none(HEAD "tool:a-name-that-is-too-long - - b64 self\n" HEAD "err\n" END);
    is_none(HEAD "1 0 0 hex self\n 6\n" HEAD "err\n" END);
    is_none(HEAD "1 0 1 hex self\n" HEAD "err\n 6G\n" END);
    is_none(HEAD "1 0 0 b64 self\n" HEAD "end\n" HEAD "err\n");
}

static void a_cut_stream_has_its_total(void) {
    struct exact_answer ans;
    T_STATUS(read_text(HEAD "0 1000000 2 b64 self\naGkK\n" HEAD "err\nYWI=\n" END, 3, &ans), SBX_OK);
    T_EQ(ans.out_total, 1000000);
    T_MEM(ans.out.data, ans.out.len, "hi\n", 3);
    T_EQ(ans.err_total, 2);
    sbx_exact_answer_finish(&ans);
    T_STATUS(read_text(HEAD "0 5 0 b64 self\n" HEAD "err\n" END, 0, &ans), SBX_OK); /* nothing kept */
    T_EQ(ans.out_total, 5);
    T_EQ(ans.out.len, 0);
    sbx_exact_answer_finish(&ans);
    T_STATUS(read_text(HEAD "0 - - b64 self\n" HEAD "err\n" END, 3, &ans), SBX_OK); /* the files are gone */
    T_EQ(ans.out_total, -1);
    T_EQ(ans.err_total, -1);
    sbx_exact_answer_finish(&ans);
}

static void every_code_and_end(void) {
    static const struct {
        const char *word;
        enum coded_code code;
    } codes[] = {{"0", CODED_EXIT},          {"255", CODED_EXIT},          {"lost", CODED_LOST},
                 {"running", CODED_RUNNING}, {"never", CODED_NEVER},       {"cwd", CODED_NO_CWD},
                 {"space", CODED_NO_ROOM},   {"tool:head", CODED_NO_TOOL}, {"absent", CODED_ABSENT},
                 {"unknown", CODED_UNKNOWN}};
    static const char *const ends[] = {"self", "dead", "killed", "unproven"};
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        for (size_t e = 0; e < sizeof(ends) / sizeof(ends[0]); e++) {
            struct exact_answer ans = {0};
            struct sbx_buf text = SBX_BUF_INIT;
            sbx_buf_printf(&text, HEAD "%s 0 0 b64 %s\n" HEAD "err\n" END, codes[i].word, ends[e]);
            T_STATUS(sbx_exact_answer_read(text.data, text.len, NONCE, 9, &ans), SBX_OK);
            T_EQ(ans.code, codes[i].code);
            T_EQ(ans.ended, e);
            if (ans.code == CODED_NO_TOOL) T_STR(ans.tool, "head");
            sbx_exact_answer_finish(&ans);
            sbx_buf_finish(&text);
        }
}

static void every_byte_in_both_codings(void) {
    unsigned char bytes[256];
    for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (unsigned char)i;
    for (int hex = 0; hex < 2; hex++) {
        struct exact_answer ans = {0};
        struct sbx_buf text = SBX_BUF_INIT;
        sbx_buf_printf(&text, HEAD "0 256 0 %s self\n", hex ? "hex" : "b64");
        if (hex)
            for (size_t i = 0; i < sizeof(bytes); i++)
                sbx_buf_printf(&text, " %02x%s", bytes[i], i % 16 == 15 ? "\n" : "");
        else
            sbx_base64_encode(&text, bytes, sizeof(bytes));
        sbx_buf_text_append(&text, "\n" HEAD "err\n" END);
        T_STATUS(sbx_exact_answer_read(text.data, text.len, NONCE, 1000, &ans), SBX_OK);
        T_MEM(ans.out.data, ans.out.len, bytes, sizeof(bytes));
        sbx_exact_answer_finish(&ans);
        sbx_buf_finish(&text);
    }
}

T_CASES(T_CASE(a_whole_answer), T_CASE(noise_is_ignored), T_CASE(every_cut_is_no_answer), T_CASE(what_is_not_an_answer),
        T_CASE(a_cut_stream_has_its_total), T_CASE(every_code_and_end), T_CASE(every_byte_in_both_codings))
