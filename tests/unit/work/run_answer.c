/* Finding an answer about a run in what came back, and what it means: every cut, noise, every code. Row D10. */
#include "src/work/run_answer.h"
#include "src/work/run_verdict.h"
#include "t.h"

#include <stdlib.h>

#define KEY   "00112233445566778899aabbccddeeff"
#define OTHER "ff112233445566778899aabbccddee00"
#define NONCE "0123456789abcdef0123456789abcdef"
#define HASH  "00000000000000000000000000000000ffffffffffffffffffffffffffffffff"
#define HEAD  "sbxr1 " KEY " "
#define ABOUT "1 " HASH " " NONCE " "
#define END   HEAD "end\n"
#define WHOLE HEAD "3 " ABOUT "-,late 13 7 b64\naGkK\n" HEAD "err\nZSAgJ3gnCg==\n" END

static const struct run_piece piece = {10, 0, 100};

static enum sbx_status read_text(const char *text, const struct run_piece *asked, struct run_answer *ans) {
    memset(ans, 0, sizeof(*ans));
    return sbx_run_answer_read(text, strlen(text), KEY, asked, ans);
}

static void is_whole(const char *text) {
    struct run_answer ans;
    T_STATUS(read_text(text, &piece, &ans), SBX_OK);
    T_EQ(ans.code, CODED_EXIT);
    T_EQ(ans.exit_code, 3);
    T_EQ(ans.version, 1);
    T_STR(ans.hash, HASH);
    T_STR(ans.nonce, NONCE);
    T_EQ(ans.late, 1);
    T_EQ(ans.kill_asked, 0);
    T_EQ(ans.out_total, 13);
    T_MEM(ans.out.data, ans.out.len, "hi\n", 3);
    T_MEM(ans.err.data, ans.err.len, "e  'x'\n", 7);
    sbx_run_answer_finish(&ans);
}

static void is_none(const char *text) {
    struct run_answer ans;
    if (read_text(text, &piece, &ans) != SBX_PROTOCOL) T_FAIL("taken for an answer: %s", text);
    sbx_run_answer_finish(&ans);
}

static void a_whole_answer_in_any_noise(void) {
    is_whole(WHOLE);
    is_whole("Welcome!\nno newline at its end\n" WHOLE "sbxr1 and so on");
    is_whole("sbxr1 " OTHER " 0 - - - - - - b64\nsbxr1 " OTHER " err\nsbxr1 " OTHER " end\n" WHOLE);
    is_whole(HEAD "3 " ABOUT "-,late 13 7 b64\n" WHOLE);
    is_whole(WHOLE HEAD "9 " ABOUT "- 1 0 b64\nYQ");
    is_whole(HEAD "3 " ABOUT "-,late 13 7 hex\r\n 68 69 0a\r\n" HEAD "err\r\n 65 20 20 27\r\n 78 27 0a\r\n" HEAD "end");
}

static void every_cut_is_no_answer(void) {
    for (size_t n = 0; n < strlen(WHOLE) - 1; n++) {
        struct run_answer ans = {0};
        char *cut = malloc(n + 1); /* exactly so long, so that the sanitizer sees a read behind it */
        T_TRUE(cut != NULL);
        memcpy(cut, WHOLE, n);
        if (sbx_run_answer_read(cut, n, KEY, &piece, &ans) != SBX_PROTOCOL) T_FAIL("taken although cut at %zu", n);
        sbx_run_answer_finish(&ans);
        free(cut);
    }
}

static void what_is_not_an_answer(void) {
#define STREAMS "\naGkK\n" HEAD "err\nZSAgJ3gnCg==\n" END
    is_none("");
    is_none("x" WHOLE);
    is_none(HEAD "3 " ABOUT "-,late 12 7 b64" STREAMS); /* a byte too many */
    is_none(HEAD "3 " ABOUT "-,late 14 7 b64" STREAMS); /* a byte missing */
    is_none(HEAD "256 " ABOUT "-,late 13 7 b64" STREAMS);
    is_none(HEAD "-1 " ABOUT "-,late 13 7 b64" STREAMS);
    is_none(HEAD "dead " ABOUT "-,late 13 7 b64" STREAMS);
    is_none(HEAD "3 0 " HASH " " NONCE " - 13 7 b64" STREAMS);
    is_none(HEAD "3 x " HASH " " NONCE " - 13 7 b64" STREAMS);
    is_none(HEAD "3 1 " NONCE " " NONCE " - 13 7 b64" STREAMS);
    is_none(HEAD "3 1 " HASH " " HASH " - 13 7 b64" STREAMS);
    is_none(HEAD "3 " ABOUT "late 13 7 b64" STREAMS);
    is_none(HEAD "3 " ABOUT "-,later 13 7 b64" STREAMS);
    is_none(HEAD "3 " ABOUT "-, 13 7 b64" STREAMS);
    is_none(HEAD "3 " ABOUT "- -13 7 b64" STREAMS);
    is_none(HEAD "3 " ABOUT "- 13 7 b85" STREAMS);
    is_none(HEAD "3 " ABOUT "- 13 7 b64 more" STREAMS);
    is_none(HEAD "tool: " ABOUT "- 13 7 b64" STREAMS);
}

static void pieces_are_as_long_as_was_asked(void) {
    static const struct {
        struct run_piece asked;
        const char *total, *coded;
        enum sbx_status status;
    } rows[] = {
        {{0, INT64_MAX, 2}, "3", "aGk=", SBX_OK},
        {{-1, INT64_MAX, 2}, "3", "aQo=", SBX_OK},
        {{-1, INT64_MAX, 9}, "3", "aGkK", SBX_OK},
        {{3, INT64_MAX, 9}, "3", "", SBX_OK},
        {{99, INT64_MAX, 9}, "3", "", SBX_OK},
        {{0, INT64_MAX, 0}, "3", "", SBX_OK},
        {{-1, INT64_MAX, 9}, "-", "", SBX_OK},
        {{0, INT64_MAX, 3}, "3", "aGk=", SBX_PROTOCOL},
        {{INT64_MAX, INT64_MAX, 9}, "3", "aA==", SBX_PROTOCOL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct run_answer ans;
        struct sbx_buf text = SBX_BUF_INIT;
        sbx_buf_printf(&text, HEAD "0 " ABOUT "- %s 7 b64\n%s\n" HEAD "err\n" END, rows[i].total, rows[i].coded);
        T_STATUS(read_text(sbx_buf_text(&text), &rows[i].asked, &ans), rows[i].status);
        sbx_run_answer_finish(&ans);
        sbx_buf_finish(&text);
    }
}

static void every_code_has_its_state(void) {
    static const struct {
        const char *word;
        int32_t state, exit_code;
        enum sbx_status submit, question;
    } rows[] = {
        {"0", SBX_RUN_EXITED, 0, SBX_OK, SBX_OK},
        {"255", SBX_RUN_EXITED, 255, SBX_OK, SBX_OK},
        {"lost", SBX_RUN_LOST, 255, SBX_OK, SBX_OK},
        {"running", SBX_RUN_RUNNING, -1, SBX_OK, SBX_OK},
        {"unknown", SBX_RUN_UNDECIDED, -1, SBX_OK, SBX_OK},
        {"never", SBX_RUN_REFUSED, -1, SBX_PROCESS_LOST, SBX_OK},
        {"cwd", SBX_RUN_REFUSED, -1, SBX_INVALID_ARGUMENT, SBX_OK},
        {"space", SBX_RUN_REFUSED, -1, SBX_NO_SPACE, SBX_OK},
        {"tool:head", SBX_RUN_REFUSED, -1, SBX_TOOL_MISSING, SBX_OK},
        {"absent", SBX_RUN_UNDECIDED, -1, SBX_PROTOCOL, SBX_RUN_NOT_FOUND},
    };
    const struct run_piece none = {INT64_MAX, INT64_MAX, 0};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct run_answer ans;
        struct sbx_run_status status = SBX_RUN_STATUS_INIT;
        struct sbx_buf text = SBX_BUF_INIT;
        enum sbx_outcome outcome;
        sbx_buf_printf(&text, HEAD "%s " ABOUT "- 0 0 b64\n" HEAD "err\n" END, rows[i].word);
        T_STATUS(read_text(sbx_buf_text(&text), &none, &ans), SBX_OK);
        sbx_run_status_fill(&status, &ans, NONCE);
        T_EQ(status.state, rows[i].state);
        T_EQ(status.exit_code, rows[i].exit_code);
        T_EQ(status.submitted, 1);
        T_STATUS(sbx_run_submit_verdict(&ans, HASH, &outcome), rows[i].submit);
        T_EQ(outcome, rows[i].submit == SBX_OK         ? SBX_OUTCOME_DONE
                      : rows[i].submit == SBX_PROTOCOL ? SBX_OUTCOME_UNKNOWN
                                                       : SBX_OUTCOME_REFUSED);
        T_STATUS(sbx_run_question_verdict(&ans), rows[i].question);
        sbx_run_answer_finish(&ans);
        sbx_buf_finish(&text);
    }
}

T_CASES(T_CASE(a_whole_answer_in_any_noise), T_CASE(every_cut_is_no_answer), T_CASE(what_is_not_an_answer),
        T_CASE(pieces_are_as_long_as_was_asked), T_CASE(every_code_has_its_state))
