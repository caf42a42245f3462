/* Names and lines that are found in a sandbox, by its own find and grep: for a provider without searches. Row D14;
 * docs/files.md.
 *
 * What is found comes with a NUL behind each name and each file's lines, the one byte that is in neither. */
#include "src/work/name_match.h"
#include "src/work/tool.h"

#include <stdlib.h>
#include <string.h>

/* What the scripts end with. */
enum look_code { LOOK_NO_TOOL = 91, LOOK_ABSENT, LOOK_NO_DIR, LOOK_DENIED };

/* A name that was found, and the lines in it. */
struct hit {
    const char *path;
    const char *lines; /* NULL = only its name was asked for */
};

struct look {
    const struct sbx_work_host *host;
    const char *dir;
    const struct sbx_call *call;
    struct sbx_files *into;
    struct sbx_buf script;
    struct tool_end end;
    struct hit *hits;
    size_t count;
};

/* ---- asking ---- */

/* Until here nothing has been looked at but the directory, in which the rest runs. */
static void look_begin(struct look *look, const char *tools) {
    struct sbx_buf *script = &look->script;
    sbx_buf_printf(script, "for t in %s; do command -v $t >/dev/null 2>&1 || { echo $t; exit %d; }; done\nd=", tools,
                   LOOK_NO_TOOL);
    sbx_tool_path(script, look->dir);
    sbx_buf_printf(script, "\n[ -e \"$d\" ] || { ls -d \"$d\"; exit %d; }\n", LOOK_ABSENT);
}

static enum sbx_status look_meaning(const struct look *look, struct sbx_error *err) {
    const enum sbx_status words = sbx_work_words(look->end.err);
    switch (look->end.code) {
    case 0:
        return SBX_OK;
    case LOOK_NO_TOOL:
        return sbx_fail(err, SBX_TOOL_MISSING, SBX_OUTCOME_REFUSED, "%.*s", (int)strcspn(look->end.out, "\n"),
                        look->end.out);
    case LOOK_ABSENT: /* or it cannot be seen */
        return sbx_fail(err, words == SBX_PROVIDER ? SBX_FILE_NOT_FOUND : words, SBX_OUTCOME_REFUSED, NULL);
    case LOOK_NO_DIR:
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "dir: expected a directory");
    case LOOK_DENIED:
        return sbx_fail(err, SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, NULL);
    default:
        return sbx_fail(err, words, SBX_OUTCOME_REFUSED, "the sandbox's find failed");
    }
}

static enum sbx_status look_ask(struct look *look, struct sbx_error *err) {
    if (look->script.failed) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    const enum sbx_status st = sbx_tool_run(look->host, sbx_buf_text(&look->script), look->call, &look->end, err);
    if (st && err->http_status) err->outcome = SBX_OUTCOME_REFUSED; /* an answer that is an error has found nothing */
    return st ? st : look_meaning(look, err);
}

static void look_finish(struct look *look) {
    free(look->hits);
    sbx_tool_finish(&look->end);
    sbx_buf_finish(&look->script);
}

/* ---- what was found ---- */

/* The names in a directory before what is below one of them, as if a slash were the first of all letters. */
static int by_path(const void *one, const void *other) {
    const unsigned char *a = (const unsigned char *)((const struct hit *)one)->path;
    const unsigned char *b = (const unsigned char *)((const struct hit *)other)->path;
    while (*a && *a == *b) a++, b++;
    const int first = *a == '/' ? 1 : *a ? *a + 1 : 0, second = *b == '/' ? 1 : *b ? *b + 1 : 0;
    return first - second;
}

/* @param texts each hit has so many */
static enum sbx_status look_take(struct look *look, int texts, struct sbx_error *err) {
    const char *at = look->end.out, *end = at + look->end.out_len;
    size_t nuls = 0;
    for (const char *c = at; c < end; c++) nuls += !*c;
    if (nuls % (size_t)texts || (at < end && end[-1]))
        return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, "expected what find has found");
    look->hits = calloc(nuls + 1, sizeof(*look->hits));
    if (!look->hits) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_UNKNOWN, NULL);
    while (at < end) {
        struct hit *hit = &look->hits[look->count++];
        hit->path = at;
        at += strlen(at) + 1;
        if (texts == 2) hit->lines = at;
        if (texts == 2) at += strlen(at) + 1;
    }
    qsort(look->hits, look->count, sizeof(*look->hits), by_path);
    return SBX_OK;
}

/* "./a" below "t/" is "t/a"; a name that does not begin so is the path that was asked about. */
static void put_path(struct sbx_buf *out, const char *dir, const char *found) {
    size_t len = strlen(dir);
    sbx_buf_clear(out);
    if (strncmp(found, "./", 2) != 0) {
        sbx_buf_text_append(out, dir);
        return;
    }
    while (len > 1 && dir[len - 1] == '/') len--;
    if (len != 1 || *dir != '.') {
        sbx_buf_append(out, dir, len);
        if (dir[len - 1] != '/') sbx_buf_char(out, '/');
    }
    sbx_utf8_append(out, found + 2, strlen(found + 2));
}

static enum sbx_status look_add(struct look *look, const struct sbx_buf *path, const struct sbx_buf *text, int64_t line,
                                struct sbx_error *err) {
    struct sbx_file_draft draft = SBX_FILE_DRAFT_INIT;
    draft.path = sbx_buf_text(path);
    draft.text = text ? sbx_buf_text(text) : NULL;
    draft.line = line;
    if (path->failed || (text && text->failed) || sbx_files_add(look->into, &draft))
        return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_UNKNOWN, NULL);
    return SBX_OK;
}

/* ---- names ---- */

enum sbx_status sbx_work_search(const struct sbx_work_host *host, const char *dir, const char *pattern,
                                const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err) {
    struct look look = {.host = host, .dir = dir, .call = call, .into = into};
    struct sbx_buf text = SBX_BUF_INIT;
    if (!sbx_name_pattern_ok(pattern))
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "pattern: it does not end as it began");
    sbx_name_pattern_coarse(&text, pattern);
    look_begin(&look, "find ls");
    sbx_buf_printf(&look.script, "[ -d \"$d\" ] || exit %d\ncd \"$d\" || exit %d\nfind . -name ", LOOK_NO_DIR,
                   LOOK_DENIED);
    sbx_shell_quote(&look.script, sbx_buf_text(&text));
    sbx_buf_text_append(&look.script, " -exec printf '%s\\000' {} + 2>/dev/null\n:\n"); /* but what cannot be read */
    if (text.failed) look.script.failed = 1;
    enum sbx_status st = look_ask(&look, err);
    if (!st) st = look_take(&look, 1, err);
    for (size_t i = 0; i < look.count && !st; i++) {
        const char *slash = strrchr(look.hits[i].path, '/');
        if (!slash || !sbx_name_fits(pattern, slash + 1)) continue;
        put_path(&text, dir, look.hits[i].path);
        st = look_add(&look, &text, NULL, 0, err);
    }
    sbx_buf_finish(&text);
    look_finish(&look);
    return st;
}

/* ---- lines ---- */

/* One grep for as many files as go on a line, and those that hold it one by one. A file with NUL in it is no text. */
static const char find_script[] =
    "s='grep -lF -e \"$SBX_TEXT\" \"$@\" >/dev/null 2>&1 || exit 0\n"
    "for f do grep -qF -e \"$SBX_TEXT\" \"$f\" 2>/dev/null || continue\n"
    "[ $(tr -d \"\\000\" <\"$f\" | wc -c) = $(wc -c <\"$f\") ] || continue\n"
    "printf \"%s\\000\" \"$f\"; grep -nF -e \"$SBX_TEXT\" \"$f\"; printf \"\\000\"\ndone'\n"
    "export SBX_TEXT\n";

/* One file: by its absolute name, so that it is not taken for one below the directory. */
static void find_in_one(struct sbx_buf *script) {
    sbx_buf_printf(script, "if [ ! -d \"$d\" ]; then\n[ -f \"$d\" ] || exit %d\n[ -r \"$d\" ] || exit %d\n",
                   LOOK_NO_DIR, LOOK_DENIED);
    sbx_buf_text_append(script, "case $d in /*) ;; *) d=$PWD/$d ;; esac\nsh -c \"$s\" sh \"$d\"\nexit 0\nfi\n");
}

/* "12:a line" */
static enum sbx_status line_take(struct look *look, const struct sbx_buf *path, const char *line, size_t len,
                                 struct sbx_buf *text, struct sbx_error *err) {
    char digits[24] = "";
    int64_t number = 0;
    const char *colon = memchr(line, ':', len);
    const size_t n = colon ? (size_t)(colon - line) : sizeof(digits);
    if (n < sizeof(digits)) memcpy(digits, line, n);
    if (n >= sizeof(digits) || !sbx_text_int(digits, 1, INT64_MAX, &number))
        return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, "expected lines with their numbers");
    len -= n + 1;
    if (len > 0 && colon[len] == '\r') len--;
    sbx_buf_clear(text);
    sbx_utf8_append(text, colon + 1, len);
    return look_add(look, path, text, number, err);
}

static enum sbx_status lines_take(struct look *look, const struct hit *hit, struct sbx_buf *path, struct sbx_buf *text,
                                  struct sbx_error *err) {
    enum sbx_status st = SBX_OK;
    put_path(path, look->dir, hit->path);
    for (const char *line = hit->lines; *line && !st; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
        st = line_take(look, path, line, strcspn(line, "\n"), text, err);
    return st;
}

enum sbx_status sbx_work_find_text(const struct sbx_work_host *host, const char *dir, const char *text,
                                   const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err) {
    struct look look = {.host = host, .dir = dir, .call = call, .into = into};
    struct sbx_buf path = SBX_BUF_INIT, line = SBX_BUF_INIT;
    look_begin(&look, "find grep ls");
    if (!strchr(text, '\n')) { /* which no line has */
        sbx_buf_text_append(&look.script, "SBX_TEXT=");
        sbx_shell_quote(&look.script, text);
        sbx_buf_char(&look.script, '\n');
        sbx_buf_text_append(&look.script, find_script);
        find_in_one(&look.script);
        sbx_buf_printf(&look.script, "cd \"$d\" || exit %d\n", LOOK_DENIED);
        sbx_buf_text_append(&look.script, "find . -type f -exec sh -c \"$s\" sh {} + 2>/dev/null\n:\n");
    }
    enum sbx_status st = look_ask(&look, err);
    if (!st) st = look_take(&look, 2, err);
    for (size_t i = 0; i < look.count && !st; i++) st = lines_take(&look, &look.hits[i], &path, &line, err);
    sbx_buf_finish(&path);
    sbx_buf_finish(&line);
    look_finish(&look);
    return st;
}
