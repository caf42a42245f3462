/* What set -x says: dash the words as they are, bash quoted so that they could be read again, and more of them. */
#include "sim/machine/sh/sh.h"
#include <ctype.h>
#include <string.h>

static int trace_has_metas(const char *text) {
    for (const char *at = text; *at; at++) {
        if (strchr(" \t\n'\"\\|&;()<>!{}*[]?^$`", *at)) return 1;
        if (*at == '~' && (at == text || at[-1] == '=' || at[-1] == ':')) return 1;
        if (*at == '#' && (at == text || at[-1] == ' ')) return 1;
    }
    return 0;
}

static int trace_is_utf8(const char *text) {
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        int more = *at < 0x80                  ? 0
                   : *at >= 0xc2 && *at < 0xe0 ? 1
                   : *at >= 0xe0 && *at < 0xf0 ? 2
                   : *at >= 0xf0               ? 3
                                               : -1;
        if (more < 0) return 0;
        for (at++; more > 0; more--, at++)
            if ((*at & 0xc0) != 0x80) return 0;
    }
    return 1;
}

/* $'...' */
static char *trace_ansi(struct sim_proc *p, const char *text) {
    static const char from[] = "\a\b\033\f\n\r\t\v\\'", to[] = "abEfnrtv\\'";
    struct sim_text out = {.p = p};
    sim_text_str(&out, "$'");
    for (; *text; text++) {
        const char *at = strchr(from, *text);
        if (at)
            sim_text_printf(&out, "\\%c", to[at - from]);
        else if (isprint((unsigned char)*text))
            sim_text_char(&out, *text);
        else
            sim_text_printf(&out, "\\%03o", (unsigned char)*text);
    }
    sim_text_char(&out, '\'');
    return sim_text_get(&out);
}

static int trace_is_odd(const char *text) {
    int utf8 = trace_is_utf8(text);
    for (; *text; text++)
        if (iscntrl((unsigned char)*text) || (!utf8 && (unsigned char)*text >= 0x80)) return 1;
    return 0;
}

char *sim_sh_quote_bash(struct sim_proc *p, const char *text) {
    if (!trace_has_metas(text)) return trace_is_odd(text) ? trace_ansi(p, text) : sim_strdup(p, text);
    return strcmp(text, "'") == 0 ? sim_strdup(p, "\\'") : sim_sh_quote_single(p, text);
}

char *sim_sh_quote_single(struct sim_proc *p, const char *text) {
    struct sim_text out = {.p = p};
    sim_text_char(&out, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            sim_text_str(&out, "'\\''");
        else
            sim_text_char(&out, *text);
    }
    sim_text_char(&out, '\'');
    return sim_text_get(&out);
}

/* PS4, expanded; bash says how deep it is by its first character. */
static void trace_prefix(struct sh *sh, struct sim_text *line) {
    const char *ps4 = sim_sh_get(sh, "PS4");
    int on = sh->opt_x, status = sh->status;
    if (!ps4) ps4 = "";
    sh->opt_x = 0;
    const char *text = sim_sh_expand_string(sh, ps4);
    sh->opt_x = on;
    sh->status = status;
    for (int i = 1; sh->bash && *text && i < sh->trace_level; i++) sim_text_char(line, *text);
    sim_text_str(line, text);
}

static void trace_write(struct sh *sh, struct sim_text *line) {
    sim_text_char(line, '\n');
    sim_out_flush(sh->p);
    sim_sys_write(sh->p, sh->trace_fd ? sh->trace_fd : 2, line->s, line->len);
}

void sim_sh_trace_hold(struct sh *sh, const struct sh_redir_done *redirs) {
    sh->trace_fd = 0;
    if (!sh->opt_x) return;
    while (redirs && redirs->fd != 2 && redirs->op < SH_REDIR_BOTH) redirs = redirs->next;
    int fd = redirs ? sim_sys_dup(sh->p, 2, 10) : -1;
    if (fd > 0) sh->trace_fd = fd;
}

void sim_sh_trace_drop(struct sh *sh) {
    if (sh->trace_fd) sim_sys_close(sh->p, sh->trace_fd);
    sh->trace_fd = 0;
}

void sim_sh_trace_assign(struct sh *sh, const char *name, const char *value, struct sim_list *later) {
    if (!sh->opt_x) return;
    const char *text = sh->bash ? sim_sh_quote_bash(sh->p, value) : value;
    sim_list_add(later, sim_format(sh->p, "%s=%s", name, text));
    if (!sh->bash) return;
    struct sim_text line = {.p = sh->p};
    trace_prefix(sh, &line);
    sim_text_str(&line, later->items[--later->n]);
    trace_write(sh, &line);
}

void sim_sh_trace_words(struct sh *sh, const struct sim_list *assigns, char **argv, int argc) {
    const char *gap = "";
    if (!sh->opt_x || (!argc && !assigns->n)) return;
    struct sim_text line = {.p = sh->p};
    trace_prefix(sh, &line);
    for (size_t i = 0; i < assigns->n; i++, gap = " ") {
        sim_text_str(&line, gap);
        sim_text_str(&line, assigns->items[i]);
    }
    for (int i = 0; i < argc; i++, gap = " ") {
        sim_text_str(&line, gap);
        if (sh->bash && !*argv[i])
            sim_text_str(&line, "''");
        else
            sim_text_str(&line, sh->bash ? sim_sh_quote_bash(sh->p, argv[i]) : argv[i]);
    }
    trace_write(sh, &line);
}

void sim_sh_trace_for(struct sh *sh, const struct sh_node *node) {
    if (!sh->opt_x || !sh->bash) return;
    struct sim_text line = {.p = sh->p};
    trace_prefix(sh, &line);
    sim_text_printf(&line, "for %s in", node->name);
    for (const struct sh_word *word = node->words; word; word = word->next)
        sim_text_printf(&line, " %s", word->raw ? word->raw : "");
    if (!node->has_list) sim_text_str(&line, " \"$@\"");
    trace_write(sh, &line);
}

void sim_sh_trace_case(struct sh *sh, const struct sh_node *node) {
    if (!sh->opt_x || !sh->bash) return;
    struct sim_text line = {.p = sh->p};
    trace_prefix(sh, &line);
    sim_text_printf(&line, "case %s in", node->words->raw ? node->words->raw : "");
    trace_write(sh, &line);
}
