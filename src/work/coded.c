/* Marks, and streams coded between them. Row P7. */
#include "src/work/coded.h"

#include <sandport/kit/text.h>
#include <string.h>

int sbx_coded_next(struct coded_text *in, struct coded_line *out) {
    if (in->at == in->end) return 0;
    const char *newline = memchr(in->at, '\n', (size_t)(in->end - in->at));
    const char *stop = newline ? newline : in->end;
    out->text = in->at;
    out->len = (size_t)(stop - in->at);
    if (out->len && out->text[out->len - 1] == '\r') out->len--;
    in->at = newline ? newline + 1 : in->end;
    return 1;
}

/* Takes a word and the space behind it off the line. */
static int takes_word(struct coded_line *line, const char *word) {
    size_t len = strlen(word);
    if (line->len < len + 1 || memcmp(line->text, word, len) != 0 || line->text[len] != ' ') return 0;
    line->text += len + 1;
    line->len -= len + 1;
    return 1;
}

static int takes_mark(struct coded_line *line, const struct coded_mark *mark) {
    return takes_word(line, mark->tag) && takes_word(line, mark->key);
}

static int split(char *text, char **fields, size_t count) {
    size_t n = 0;
    for (char *at = text; at; n++) {
        char *space = strchr(at, ' ');
        if (space) *space = 0;
        if (n == count || !*at) return 0;
        fields[n] = at;
        at = space ? space + 1 : NULL;
    }
    return n == count;
}

int sbx_coded_head(const struct coded_line *line, const struct coded_mark *mark, char *room, size_t cap, char **fields,
                   size_t count) {
    struct coded_line rest = *line;
    if (!takes_mark(&rest, mark) || rest.len >= cap || memchr(rest.text, 0, rest.len)) return 0;
    memcpy(room, rest.text, rest.len);
    room[rest.len] = 0;
    return split(room, fields, count);
}

int sbx_coded_verdict(const char *text, enum coded_code *code, int32_t *exit_code, char tool[CODED_TOOL_SIZE]) {
    static const struct {
        const char *word;
        enum coded_code code;
    } words[] = {{"lost", CODED_LOST},     {"running", CODED_RUNNING}, {"never", CODED_NEVER},    {"cwd", CODED_NO_CWD},
                 {"space", CODED_NO_ROOM}, {"absent", CODED_ABSENT},   {"unknown", CODED_UNKNOWN}};
    int64_t number = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(text, words[i].word) != 0) continue;
        *code = words[i].code;
        return 1;
    }
    if (strncmp(text, "tool:", 5) == 0) {
        *code = CODED_NO_TOOL;
        return text[5] && sbx_copy(tool, CODED_TOOL_SIZE, text + 5);
    }
    *code = CODED_EXIT;
    if (!sbx_text_int(text, 0, 255, &number)) return 0;
    *exit_code = (int32_t)number;
    return 1;
}

int sbx_coded_total(const char *text, int64_t *out) {
    *out = -1;
    return strcmp(text, "-") == 0 || sbx_text_int(text, 0, INT64_MAX, out);
}

int sbx_coded_coding(const char *text, int *hex) {
    *hex = strcmp(text, "hex") == 0;
    return *hex || strcmp(text, "b64") == 0;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int decode_hex(struct sbx_buf *out, const char *text, size_t len) {
    if (len % 2) return 0;
    for (size_t i = 0; i < len; i += 2) {
        int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0) return 0;
        sbx_buf_char(out, (char)(high << 4 | low));
    }
    return 1;
}

static int is_end(const struct coded_line *line, const struct coded_mark *mark, const char *until) {
    struct coded_line rest = *line;
    size_t len = strlen(until);
    return takes_mark(&rest, mark) && rest.len == len && memcmp(rest.text, until, len) == 0;
}

/* The coding's own spaces and line breaks mean nothing. */
int sbx_coded_stream(struct coded_text *in, const struct coded_mark *mark, const char *until, int hex,
                     struct sbx_buf *scratch, struct sbx_buf *out) {
    struct coded_line line;
    sbx_buf_clear(scratch);
    for (;;) {
        if (!sbx_coded_next(in, &line)) return 0;
        if (is_end(&line, mark, until)) break;
        for (const char *at = line.text, *end = line.text + line.len; at < end;) {
            const char *space = memchr(at, ' ', (size_t)(end - at)), *stop = space ? space : end;
            sbx_buf_append(scratch, at, (size_t)(stop - at));
            at = space ? space + 1 : end;
        }
    }
    const char *text = sbx_buf_text(scratch);
    return hex ? decode_hex(out, text, scratch->len) : sbx_base64_decode(out, text, scratch->len);
}
