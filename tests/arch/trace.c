/* docs/requirements.md, the trace: every row is there once, what it names exists, and its tests are registered. */
#include "source.h"

#include "t.h"
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct family {
    char letter;
    int last;
} families[] = {{'P', 12}, {'D', 22}, {'E', 8}, {'L', 2}, {'X', 2}, {'R', 26}, {'V', 8}, {'S', 2}};

#define CELLS 4

struct row {
    char *cell[CELLS]; /* id, state, paths, tests; in the text of the line */
};

/* Splits "| P1 | done | a.c | b |"; 0 if the line is no row with an id. */
static int row_read(char *line, struct row *row) {
    char *at = line;
    if (*at++ != '|') return 0;
    for (int i = 0; i < CELLS; i++) {
        char *end = strchr(at, '|');
        if (!end) return 0;
        *end = 0;
        at += strspn(at, " ");
        for (char *tail = end; tail > at && tail[-1] == ' ';) *--tail = 0;
        row->cell[i] = at;
        at = end + 1;
    }
    return strchr("PDELXRVS", row->cell[0][0]) && row->cell[0][0] && row->cell[0][1] >= '1' && row->cell[0][1] <= '9';
}

typedef void (*row_fn)(const struct row *row, void *ctx);

static void each_row(row_fn visit, void *ctx) {
    char *text = t_read_source("docs/requirements.md", NULL);
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        struct row row;
        if (row_read(line, &row)) visit(&row, ctx);
    }
    free(text);
}

/* Visits each word of a cell: words are apart by blanks and commas, back-ticks do not count. */
static void each_word(const char *cell, void (*visit)(const char *word, void *ctx), void *ctx) {
    char words[2048];
    char *rest = NULL;
    snprintf(words, sizeof(words), "%s", cell);
    for (char *word = strtok_r(words, " ,`", &rest); word; word = strtok_r(NULL, " ,`", &rest)) visit(word, ctx);
}

struct check {
    const char *id;
    const char *tests;
    int words;
    struct sbx_buf wrong;
};

static void check_path(const char *word, void *ctx) {
    struct check *check = ctx;
    const char *root = getenv("SANDPORT_SOURCE_DIR");
    char full[2048];
    snprintf(full, sizeof(full), "%s/%s", root ? root : ".", word);
    check->words++;
    if (access(full, F_OK) != 0) sbx_buf_printf(&check->wrong, "%s: there is no %s\n", check->id, word);
}

/* A pattern is a CTest name in which * stands for any part. */
static int pattern_compile(regex_t *regex, const char *pattern) {
    struct sbx_buf text = SBX_BUF_INIT;
    sbx_buf_text_append(&text, "^");
    for (const char *p = pattern; *p; p++) {
        if (*p == '*')
            sbx_buf_text_append(&text, "[^\n]*");
        else if (*p == '.')
            sbx_buf_text_append(&text, "\\.");
        else
            sbx_buf_char(&text, *p);
    }
    sbx_buf_text_append(&text, "$");
    int failed = regcomp(regex, sbx_buf_text(&text), REG_EXTENDED | REG_NOSUB | REG_NEWLINE);
    sbx_buf_finish(&text);
    return failed;
}

static void check_test(const char *word, void *ctx) {
    struct check *check = ctx;
    regex_t regex;
    check->words++;
    if (pattern_compile(&regex, word) != 0) {
        sbx_buf_printf(&check->wrong, "%s: %s is no pattern\n", check->id, word);
        return;
    }
    if (regexec(&regex, check->tests, 0, NULL, 0) != 0)
        sbx_buf_printf(&check->wrong, "%s: no test is named %s\n", check->id, word);
    regfree(&regex);
}

static void check_row(const struct row *row, void *ctx) {
    struct check *check = ctx;
    const char *state = row->cell[1];
    int later = strcmp(state, "later") == 0;
    check->id = row->cell[0];
    if (!later && strcmp(state, "done") != 0 && strcmp(state, "partial") != 0)
        sbx_buf_printf(&check->wrong, "%s: a row is done, partial or later, not '%s'\n", check->id, state);
    check->words = 0;
    each_word(row->cell[2], check_path, check);
    if (!later && !check->words) sbx_buf_printf(&check->wrong, "%s: says not where it lives\n", check->id);
    check->words = 0;
    each_word(row->cell[3], check_test, check);
    if (!later && !check->words) sbx_buf_printf(&check->wrong, "%s: names no test\n", check->id);
}

static void what_the_trace_names_exists(void) {
    char *tests = source_ctest_names();
    struct check check = {.tests = tests, .wrong = SBX_BUF_INIT};
    each_row(check_row, &check);
    free(tests);
    source_report(&check.wrong);
}

struct count {
    const char *id;
    int times;
};

static void count_row(const struct row *row, void *ctx) {
    struct count *count = ctx;
    count->times += strcmp(row->cell[0], count->id) == 0;
}

static void every_row_is_in_the_trace_once(void) {
    struct sbx_buf wrong = SBX_BUF_INIT;
    for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++)
        for (int i = 1; i <= families[f].last; i++) {
            char id[16];
            struct count count = {id, 0};
            snprintf(id, sizeof(id), "%c%d", families[f].letter, i);
            each_row(count_row, &count);
            if (count.times != 1) sbx_buf_printf(&wrong, "%s is %d times in docs/requirements.md\n", id, count.times);
        }
    source_report(&wrong);
}

static void a_wrong_row_is_noticed(void) {
    char line[] = "| P1 | done | no/such/file.c | no_such_test.* |";
    struct row row;
    struct check check = {.tests = "\nsome.test\n", .wrong = SBX_BUF_INIT};
    T_TRUE(row_read(line, &row));
    check_row(&row, &check);
    T_STR(sbx_buf_text(&check.wrong), "P1: there is no no/such/file.c\nP1: no test is named no_such_test.*\n");
    sbx_buf_finish(&check.wrong);
}

T_CASES(T_CASE(what_the_trace_names_exists), T_CASE(every_row_is_in_the_trace_once), T_CASE(a_wrong_row_is_noticed))
