/* sed: the stream editor at work on its lines. */
#include "sim/machine/tools/sed.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SED_JUMPS_MAX  1000000 /* in one cycle */
#define SED_LIST_WIDTH 70

/* ---- input and output ---- */

static void sed_write(struct sed *s, int fd, const char *text, size_t len) {
    if (fd == 1) {
        sim_out(s->p, text, len);
        return;
    }
    int e = sim_sys_write(s->p, fd, text, len);
    if (e && !s->failed) {
        sim_errf(s->p, "sed: couldn't write to file: %s\n", sim_strerror(-e));
        s->failed = 4;
    }
}

static int sed_out(const struct sed *s) {
    return s->target >= 0 ? s->target : 1;
}

/* The newline that the last line lacked, before anything else is written. */
static void sed_complete(struct sed *s, int fd) {
    if (!(s->lacks[fd / 8] & (1U << (fd % 8)))) return;
    s->lacks[fd / 8] &= (unsigned char)~(1U << (fd % 8));
    sed_write(s, fd, &s->separator, 1);
}

static void sed_put(struct sed *s, int fd, const char *text, size_t len) {
    sed_complete(s, fd);
    sed_write(s, fd, text, len);
    if (s->newline)
        sed_write(s, fd, &s->separator, 1);
    else
        s->lacks[fd / 8] |= (unsigned char)(1U << (fd % 8));
}

static void sed_put_text(struct sed *s, const char *text, size_t len) {
    sed_complete(s, sed_out(s));
    sed_write(s, sed_out(s), text, len);
}

static void sed_end_file(struct sed *s) {
    if (!s->open) return;
    sim_lines_finish(&s->lines);
    sim_tool_close(s->p, s->lines.fd);
    s->open = 0;
}

/* -i writes beside the file and moves it into place. */
static void sed_start_target(struct sed *s) {
    struct sim_where at;
    uint32_t mode = 0644;
    if (!sim_sys_stat(s->p, s->current, 1, &at)) {
        mode = at.node->mode;
        sim_where_finish(&at);
    }
    const char *path = sim_format(s->p, "%s.sed-tmp", s->current);
    s->target = sim_sys_open(s->p, path, SIM_O_WRITE | SIM_O_CREATE | SIM_O_TRUNCATE, 0666);
    if (s->target < 0) {
        sim_errf(s->p, "sed: couldn't open temporary file %s: %s\n", path, sim_strerror(-s->target));
        s->failed = 4;
    } else {
        sim_sys_chmod(s->p, path, mode);
    }
}

static void sed_finish_target(struct sed *s) {
    if (s->target < 0) return;
    sim_sys_close(s->p, s->target);
    s->target = -1;
    if (*s->suffix)
        sim_sys_rename(s->p, s->current,
                       sim_format(s->p, strchr(s->suffix, '*') ? "%s" : "%s%s", s->current, s->suffix));
    sim_sys_rename(s->p, sim_format(s->p, "%s.sed-tmp", s->current), s->current);
}

static int sed_open_next(struct sed *s) {
    while (*s->files) {
        const char *name = *s->files++;
        int fd = sim_tool_open(s->p, "sed: can't read", name);
        if (fd < 0) {
            s->failed = 2;
            continue;
        }
        sim_lines_start(&s->lines, s->p, fd);
        s->lines.separator = s->separator;
        s->open = 1;
        s->current = name;
        return 1;
    }
    return 0;
}

/* Reads one line ahead, so that the last is known for what it is. */
static void sed_ahead(struct sed *s) {
    sim_drop(s->p, s->next);
    s->next = NULL;
    s->have_next = 0;
    for (;;) {
        if (!s->open) {
            if (s->separate && s->line) return;
            if (!sed_open_next(s)) return;
        }
        if (sim_lines_next(&s->lines)) break;
        if (s->lines.error) {
            sim_tool_fail(s->p, "sed: couldn't read", s->current, s->lines.error);
            s->failed = 2;
        }
        sed_end_file(s);
        if (s->separate) return;
    }
    s->next = sim_keep(s->p, s->lines.len + 1);
    memcpy(s->next, s->lines.line, s->lines.len + 1);
    s->next_len = s->lines.len;
    s->next_newline = s->lines.newline;
    s->have_next = 1;
}

static void sed_flush_append(struct sed *s) {
    if (s->append.len) sed_put_text(s, s->append.s, s->append.len);
    s->append.len = 0;
}

/* The next line into (or behind) the pattern space. */
static int sed_read(struct sed *s, int join) {
    sed_flush_append(s);
    if (!s->have_next) return 0;
    if (join)
        sim_text_char(&s->pattern, '\n');
    else
        s->pattern.len = 0;
    sim_text_add(&s->pattern, s->next, s->next_len);
    s->newline = s->next_newline;
    s->line++;
    sed_ahead(s);
    s->is_last = !s->have_next;
    return 1;
}

/* ---- running ---- */

static int sed_match(struct sed *s, regex_t *re, size_t from, regmatch_t *m, size_t n) {
    if (re) s->last_re = re;
    if (!s->last_re) return 0;
    m[0].rm_so = (regoff_t)from;
    m[0].rm_eo = (regoff_t)s->pattern.len;
    return regexec(s->last_re, sim_text_get(&s->pattern), n, m, REG_STARTEND | (from ? REG_NOTBOL : 0)) == 0;
}

static int sed_at(struct sed *s, const struct sed_address *a) {
    regmatch_t m[1];
    switch (a->kind) {
    case SED_LINE:
        return s->line == a->line;
    case SED_LAST:
        return s->is_last;
    case SED_REGEX:
        return sed_match(s, a->re, 0, m, 1);
    case SED_STEP:
        return a->step > 0 ? s->line >= a->line && (s->line - a->line) % a->step == 0 : s->line == a->line;
    case SED_NONE:
    case SED_PLUS:
    case SED_MULTIPLE:
        break;
    }
    return 1;
}

static int sed_by_number(const struct sed_command *c) {
    return c->to.kind == SED_LINE || c->to.kind == SED_PLUS || c->to.kind == SED_MULTIPLE;
}

static int sed_selected(struct sed *s, struct sed_command *c) {
    if (!c->to.kind) return sed_at(s, &c->from);
    if (c->in_range) {
        int ends = sed_by_number(c) ? s->line >= c->range_end : sed_at(s, &c->to);
        if (ends) c->in_range = 0;
        return c->to.kind != SED_LINE || s->line <= c->range_end;
    }
    int zero = c->from.kind == SED_LINE && c->from.line == 0 && c->to.kind == SED_REGEX;
    if (!(zero ? s->line == 1 : sed_at(s, &c->from))) return 0;
    c->range_end = c->to.kind == SED_PLUS ? s->line + c->to.line : c->to.line;
    if (c->to.kind == SED_MULTIPLE)
        c->range_end = c->to.line > 0 ? (s->line + c->to.line - 1) / c->to.line * c->to.line : s->line;
    c->in_range = 1;
    if (sed_by_number(c) && c->range_end <= s->line) c->in_range = 0;
    if (c->to.kind == SED_LAST && s->is_last) c->in_range = 0;
    if (zero && sed_at(s, &c->to)) c->in_range = 0;
    return 1;
}

/* Case as \U \L \u \l \E ask for it. */
struct sed_case {
    int all, once; /* U L u l, or 0 */
};

static void sed_add(struct sim_text *out, struct sed_case *k, const char *text, size_t len) {
    for (; len; len--, text++) {
        int how = k->once ? toupper(k->once) : k->all;
        k->once = 0;
        sim_text_char(out, (char)(how == 'U'   ? toupper((unsigned char)*text)
                                  : how == 'L' ? tolower((unsigned char)*text)
                                               : *text));
    }
}

static void sed_replacement(struct sim_text *out, const char *with, const char *text, const regmatch_t *m) {
    struct sed_case k = {0};
    for (; *with; with++) {
        int group = *with == '&' ? 0 : *with == '\\' && isdigit((unsigned char)with[1]) ? with[1] - '0' : -1;
        if (group >= 0) {
            if (m[group].rm_so >= 0) sed_add(out, &k, text + m[group].rm_so, (size_t)(m[group].rm_eo - m[group].rm_so));
            with += *with == '\\';
        } else if (*with == '\\' && with[1] && strchr("ULE", with[1])) {
            k = (struct sed_case){*++with == 'E' ? 0 : *with, 0};
        } else if (*with == '\\' && (with[1] == 'u' || with[1] == 'l')) {
            k.once = *++with;
        } else if (*with == '\\' && with[1]) {
            sed_add(out, &k, *++with == 'n' ? "\n" : with, 1);
        } else {
            sed_add(out, &k, with, 1);
        }
    }
}

static void sed_do_substitute(struct sed *s, const struct sed_command *c) {
    struct sim_text out = s->scratch; /* used again by every substitution */
    regmatch_t m[10];
    out.len = 0;
    size_t from = 0, len = s->pattern.len;
    int count = 0, done = 0;
    while (from <= len && sed_match(s, c->re, from, m, 10)) {
        size_t so = (size_t)m[0].rm_so, eo = (size_t)m[0].rm_eo;
        sim_text_add(&out, s->pattern.s + from, so - from);
        count++;
        if (count >= (c->nth ? c->nth : 1)) {
            sed_replacement(&out, c->text, s->pattern.s, m);
            done = 1;
        } else {
            sim_text_add(&out, s->pattern.s + so, eo - so);
        }
        from = eo;
        if (eo == so) { /* an empty match: the next character is passed over */
            if (from < len) sim_text_char(&out, s->pattern.s[from]);
            from++;
        }
        if (done && !c->global) break;
        if (from < len && eo > so) {
            regmatch_t again[1];
            if (sed_match(s, c->re, from, again, 1) && again[0].rm_so == again[0].rm_eo &&
                (size_t)again[0].rm_so == from) {
                sim_text_char(&out, s->pattern.s[from]); /* no empty match right behind another */
                from++;
            }
        } else if (from == len && eo > so) {
            break;
        }
    }
    s->scratch = out;
    if (!done) return;
    if (from < len) sim_text_add(&out, s->pattern.s + from, len - from);
    s->scratch = out;
    s->pattern.len = 0;
    sim_text_add(&s->pattern, sim_text_get(&out), out.len);
    s->substituted = 1;
    if (c->print) sed_put(s, sed_out(s), s->pattern.s, s->pattern.len);
    if (c->out > 0) sed_put(s, c->out, s->pattern.s, s->pattern.len);
}

enum sed_next { SED_GO_ON, SED_END_CYCLE, SED_DELETE, SED_RESTART };

static void sed_swap_texts(struct sed *s) {
    struct sim_text swap = s->pattern;
    s->pattern = s->hold;
    s->hold = swap;
    sim_text_get(&s->pattern);
}

/* l: everything that cannot be seen is written so that it can. */
static void sed_list(struct sed *s) {
    static const char from[] = "\a\b\f\n\r\t\v\\", to[] = "abfnrtv\\";
    struct sim_mark mark = sim_mark(s->p);
    size_t column = 0;
    sed_complete(s, sed_out(s));
    for (size_t i = 0; i < s->pattern.len; i++) {
        unsigned char c = (unsigned char)s->pattern.s[i];
        const char *hit = c ? strchr(from, c) : NULL;
        char shown[8];
        int n = hit                  ? snprintf(shown, sizeof shown, "\\%c", to[hit - from])
                : c >= 32 && c < 127 ? snprintf(shown, sizeof shown, "%c", c)
                                     : snprintf(shown, sizeof shown, "\\%03o", c);
        if (column + (size_t)n > SED_LIST_WIDTH - 1) {
            sed_write(s, sed_out(s), "\\\n", 2);
            column = 0;
        }
        sed_write(s, sed_out(s), shown, (size_t)n);
        column += (size_t)n;
    }
    sed_write(s, sed_out(s), "$\n", 2);
    sim_release(s->p, mark);
}

/* r: a file's text behind the line; one that is not there is no error. */
static void sed_read_file(struct sed *s, const char *path) {
    char buf[4096];
    ptrdiff_t n;
    int fd = strcmp(path, "/dev/stdin") == 0 ? 0 : sim_sys_open(s->p, path, SIM_O_READ, 0);
    if (fd < 0) return;
    while ((n = sim_sys_read(s->p, fd, buf, sizeof buf)) > 0) sim_text_add(&s->append, buf, (size_t)n);
    sim_tool_close(s->p, fd);
}

static enum sed_next sed_command(struct sed *s, struct sed_command *c, size_t *i) {
    size_t line_len;
    switch (c->name) {
    case 's':
        sed_do_substitute(s, c);
        break;
    case 'p':
        sed_put(s, sed_out(s), s->pattern.s, s->pattern.len);
        break;
    case 'P':
    case 'W':
        line_len = strcspn(s->pattern.s, "\n");
        if (c->name == 'P') sed_put_text(s, s->pattern.s, line_len);
        if (c->name == 'P') sed_put_text(s, &s->separator, 1);
        if (c->name == 'W') sed_write(s, c->out, s->pattern.s, line_len);
        if (c->name == 'W') sed_write(s, c->out, "\n", 1);
        break;
    case 'l':
        sed_list(s);
        break;
    case 'F':
        sed_put_text(s, s->current, strlen(s->current));
        sed_put_text(s, "\n", 1);
        break;
    case 'r':
        sed_read_file(s, c->text);
        break;
    case 'd':
        return SED_DELETE;
    case 'D':
        if (!strchr(s->pattern.s, '\n')) return SED_DELETE;
        line_len = strcspn(s->pattern.s, "\n") + 1;
        memmove(s->pattern.s, s->pattern.s + line_len, s->pattern.len - line_len + 1);
        s->pattern.len -= line_len;
        return SED_RESTART;
    case 'g':
        s->pattern.len = 0;
        sim_text_add(&s->pattern, sim_text_get(&s->hold), s->hold.len);
        break;
    case 'G':
        sim_text_char(&s->pattern, '\n');
        sim_text_add(&s->pattern, sim_text_get(&s->hold), s->hold.len);
        break;
    case 'h':
        s->hold.len = 0;
        sim_text_add(&s->hold, s->pattern.s, s->pattern.len);
        break;
    case 'H':
        sim_text_char(&s->hold, '\n');
        sim_text_add(&s->hold, s->pattern.s, s->pattern.len);
        break;
    case 'x':
        sed_swap_texts(s);
        break;
    case 'z':
        s->pattern.len = 0;
        break;
    case 'n':
        if (!s->have_next) return s->quit = 1, SED_END_CYCLE;
        if (!s->quiet) sed_put(s, sed_out(s), s->pattern.s, s->pattern.len);
        sed_read(s, 0);
        break;
    case 'N':
        if (!s->have_next) return s->quit = 1, SED_END_CYCLE;
        sed_read(s, 1);
        break;
    case 'a':
        sim_text_str(&s->append, c->text);
        break;
    case 'i':
        sed_put_text(s, c->text, strlen(c->text));
        break;
    case 'c':
        if (!c->to.kind || c->negate || !c->in_range) sed_put_text(s, c->text, strlen(c->text));
        return SED_DELETE;
    case '=': {
        char number[32];
        int n = snprintf(number, sizeof number, "%lld\n", (long long)s->line);
        sed_put_text(s, number, (size_t)n);
        break;
    }
    case 'y':
        for (size_t k = 0; k < s->pattern.len; k++) s->pattern.s[k] = (char)c->map[(unsigned char)s->pattern.s[k]];
        break;
    case 'w':
        sed_put(s, c->out, s->pattern.s, s->pattern.len);
        break;
    case 'q':
    case 'Q':
        s->quit = 1;
        s->code = c->nth;
        return c->name == 'q' ? SED_END_CYCLE : SED_DELETE;
    case 'b':
        *i = c->jump - 1;
        break;
    case 't':
    case 'T':
        if (s->substituted == (c->name == 't')) *i = c->jump - 1;
        s->substituted = 0;
        break;
    default:
        break; /* : { } */
    }
    return SED_GO_ON;
}

static enum sed_next sed_cycle(struct sed *s) {
    int64_t jumps = 0;
    s->substituted = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct sed_command *c = &s->commands[i];
        sim_proc_step(s->p);
        if (++jumps > SED_JUMPS_MAX) {
            s->code = sim_unsupported(s->p, "sed script that goes round for ever");
            s->quit = 1;
            return SED_DELETE;
        }
        if (sed_selected(s, c) == c->negate) {
            if (c->name == '{') i = c->jump;
            continue;
        }
        enum sed_next next = sed_command(s, c, &i);
        if (next != SED_GO_ON) return next;
    }
    return SED_END_CYCLE;
}

static void sed_run(struct sed *s) {
    enum sed_next next = SED_END_CYCLE;
    s->line = 0;
    sed_ahead(s);
    if (s->in_place && s->have_next) sed_start_target(s);
    while (!s->quit && (next == SED_RESTART || sed_read(s, 0))) {
        next = sed_cycle(s);
        if (next == SED_END_CYCLE && !s->quiet) sed_put(s, sed_out(s), s->pattern.s, s->pattern.len);
        if (next == SED_RESTART) sed_flush_append(s);
        if (s->p->out_error) break;
    }
    sed_flush_append(s);
    while (s->in_place && s->quit && s->have_next) { /* what was not read stays as it is */
        sed_read(s, 0);
        sed_put(s, sed_out(s), s->pattern.s, s->pattern.len);
    }
    sed_end_file(s);
}

static int tool_sed(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"quiet", 'n'}, {"silent", 'n'},          {"expression", 'e'},
                                                   {"file", 'f'},  {"regexp-extended", 'E'}, {"separate", 's'},
                                                   {NULL, 0}};
    static char dash[] = "-";
    char *standard[] = {dash, NULL};
    struct sed *s = sim_alloc_zero(p, sizeof *s);
    struct sim_text script = {.p = p};
    struct sim_list args = {.p = p};
    struct sim_opts o;
    s->p = s->pattern.p = s->hold.p = s->append.p = s->scratch.p = p;
    s->suffix = "";
    s->separator = '\n';
    s->target = -1;
    for (int i = 0; i < argc; i++) { /* -i takes its suffix only where it is attached */
        int in_place = strncmp(argv[i], "--in-place", 10) == 0;
        if (i && (in_place || (argv[i][0] == '-' && argv[i][1] == 'i'))) {
            s->in_place = s->separate = 1;
            s->suffix = in_place ? argv[i][10] ? argv[i] + 11 : "" : argv[i] + 2;
        } else
            sim_list_add(&args, argv[i]);
    }
    int given = 0;
    sim_opts_start(&o, p, (int)args.n, sim_list_texts(&args), "ne:f:Ersuz", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        size_t len;
        if (opt == 'n')
            s->quiet = 1;
        else if (opt == 'E' || opt == 'r')
            s->extended = 1;
        else if (opt == 's')
            s->separate = 1;
        else if (opt == 'e' || opt == 'f') {
            int fd = opt == 'f' ? sim_tool_open(p, "sed: couldn't open file", o.arg) : 0;
            const char *text = opt == 'e' ? o.arg : fd < 0 ? NULL : sim_tool_read_all(p, "sed", o.arg, fd, &len);
            if (!text) return 1;
            if (opt == 'f') sim_tool_close(p, fd);
            sim_text_str(&script, text);
            sim_text_char(&script, '\n');
            given = 1;
        } else if (opt == 'z')
            s->separator = '\0';
        else if (opt != 'u')
            return sim_opts_bad(&o);
    }
    char **files = o.operands;
    if (!given) {
        if (!o.n) {
            sim_errf(p, "Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...\n");
            return 1;
        }
        sim_text_str(&script, *files++);
    }
    int known = sim_sed_compile(s, sim_text_get(&script));
    if (!known && s->wrong) {
        sim_errf(p, "sed: -e expression #1: %s\n", s->wrong);
        return s->wrong_code ? s->wrong_code : 1;
    }
    if (!known) return sim_unsupported(p, "sed %s", sim_text_get(&script));
    if (!*files) files = standard;
    if (!s->separate) {
        s->files = files;
        sed_run(s);
    }
    for (; s->separate && *files && !s->quit; files++) {
        char *one[] = {*files, NULL};
        s->files = one;
        sed_run(s);
        sed_finish_target(s);
    }
    return s->code ? s->code : s->failed;
}

const struct sim_tool sim_tools_sed[] = {{"sed", tool_sed}, {NULL, NULL}};
