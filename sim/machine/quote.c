/* Names and words in what tools say, quoted as the GNU tools do: names as a shell would read them, other words by the
 * quotes of the locale. */
#include "sim/machine/tool.h"
#include <sandport/kit/text.h>
#include <string.h>

static int quote_is_utf8(const struct sim_proc *p) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = sim_env_get(p->env, names[i]);
        if (value && *value) return strstr(value, "UTF-8") || strstr(value, "utf8");
    }
    return 0;
}

/* Bytes of the character at `text` that can be shown; 0 if it cannot. */
static size_t quote_shown(const char *text, int utf8) {
    unsigned char c = (unsigned char)*text;
    if (c < 0x80) return c >= 32 && c != 127;
    size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    return utf8 && strnlen(text, n) == n && sbx_utf8_valid(text, n) == n ? n : 0;
}

/* One that cannot be shown, as C has it. */
static void quote_escape(struct sim_text *out, char c) {
    static const char from[] = "\a\b\t\n\v\f\r", to[] = "abtnvfr";
    const char *known = c ? strchr(from, c) : NULL;
    if (known)
        sim_text_printf(out, "\\%c", to[known - from]);
    else
        sim_text_printf(out, "\\%03o", (unsigned)(unsigned char)c);
}

const char *sim_quote(struct sim_proc *p, const char *text) {
    struct sim_text out = {.p = p};
    int utf8 = quote_is_utf8(p);
    sim_text_printf(&out, "%s", utf8 ? "\u2018" : "'");
    while (*text) {
        size_t n = quote_shown(text, utf8);
        if (!n)
            quote_escape(&out, *text);
        else if (*text == '\\' || (*text == '\'' && !utf8))
            sim_text_printf(&out, "\\%c", *text);
        else
            sim_text_add(&out, text, n);
        text += n ? n : 1;
    }
    sim_text_printf(&out, "%s", utf8 ? "\u2019" : "'");
    return sim_text_get(&out);
}

/* Between $' and ', as long as what cannot be shown goes on. */
static const char *quote_unseen(struct sim_text *out, const char *text, int utf8) {
    sim_text_printf(out, "'$'");
    while (*text && !quote_shown(text, utf8)) quote_escape(out, *text++);
    if (*text)
        sim_text_printf(out, "''");
    else
        sim_text_char(out, '\'');
    return text;
}

const char *sim_quote_name(struct sim_proc *p, const char *text, int always) {
    static const char risky[] = " !\"$&()*;<=>[^`|'\\?";
    struct sim_text out = {.p = p};
    int utf8 = quote_is_utf8(p), plain = !always, in_double = strchr(text, '\'') != NULL;
    if (*text == '#' || *text == '~' || !*text) plain = 0;
    if ((*text == '{' || *text == '}') && !text[1]) plain = 0;
    for (const char *at = text; *at;) {
        size_t n = quote_shown(at, utf8);
        if (!n || strchr(risky, *at)) plain = 0;
        if (!n || (strchr(risky, *at) && *at != '\'' && *at != ' ')) in_double = 0;
        at += n ? n : 1;
    }
    if (plain) return text;
    if (in_double) return sim_format(p, "\"%s\"", text);
    sim_text_char(&out, '\'');
    while (*text) {
        size_t n = quote_shown(text, utf8);
        if (!n) {
            text = quote_unseen(&out, text, utf8);
            if (!*text) return sim_text_get(&out);
        } else if (*text == '\'') {
            sim_text_printf(&out, "'\\''");
            text++;
        } else {
            sim_text_add(&out, text, n);
            text += n;
        }
    }
    sim_text_char(&out, '\'');
    return sim_text_get(&out);
}
