/* tar: its command line, and what both its sides share. */
#include "sim/machine/tools/tar.h"
#include "sim/machine/sh/sh.h"
#include "sim/machine/tools/date.h"
#include <errno.h>
#include <sandport/kit/text.h>
#include <string.h>

void sim_tar_fail(struct tar *t, const char *fmt, ...) {
    struct sim_mark mark = sim_mark(t->p);
    va_list args;
    va_start(args, fmt);
    sim_errf(t->p, "tar: %s\n", sim_vformat(t->p, fmt, args));
    va_end(args);
    sim_release(t->p, mark);
    t->status = 2;
}

/* A pattern may match all of a path, or from behind any of its slashes, up to its end or to a slash. */
int sim_tar_excluded(const struct tar *t, const char *path) {
    for (size_t i = 0; i < t->exclude.n; i++) {
        const char *pattern = t->exclude.items[i];
        for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL) {
            if (sim_sh_match(pattern, at)) return 1;
            for (const char *slash = strchr(at, '/'); slash; slash = strchr(slash + 1, '/'))
                if (sim_sh_match_prefix(0, pattern, at, (size_t)(slash - at))) return 1;
        }
    }
    return 0;
}

const char *sim_tar_inside(struct tar *t, const char *path) {
    if (t->absolute || path[0] != '/') return path;
    if (!t->told_slash) sim_errf(t->p, "tar: Removing leading `/' from member names\n");
    t->told_slash = 1;
    path += strspn(path, "/");
    return *path ? path : ".";
}

static void tar_show_name(struct sim_text *out, const char *path) {
    int is_utf8 = sbx_utf8_valid(path, strlen(path)) == strlen(path);
    for (; *path; path++) { /* as GNU's tar escapes what a terminal should not get */
        unsigned char c = (unsigned char)*path;
        static const char from[] = "\a\b\f\n\r\t\v\\", to[] = "abfnrtv\\";
        const char *hit = strchr(from, *path);
        if (hit)
            sim_text_printf(out, "\\%c", to[hit - from]);
        else if (c < 32 || c == 127 || (c > 127 && !is_utf8))
            sim_text_printf(out, "\\%03o", c);
        else
            sim_text_char(out, *path);
    }
}

static void tar_show_long(struct tar *t, struct sim_text *out, const struct tar_member *m) {
    static const char bits[] = "rwxrwxrwx";
    char mode[11] = "-";
    mode[0] = m->type == 'f' ? '-' : m->type;
    for (int i = 0; i < 9; i++) mode[i + 1] = m->mode & (0400U >> i) ? bits[i] : '-';
    const char *owner = t->numeric || !*m->user || !*m->group
                            ? sim_format(t->p, "%lld/%lld", (long long)m->uid, (long long)m->gid)
                            : sim_format(t->p, "%s/%s", m->user, m->group);
    int pad = 18 - (int)strlen(owner);
    sim_text_printf(out, "%s %s %*lld %s ", mode, owner, pad > 0 ? pad : 1, (long long)m->size,
                    sim_date_format(t->p, m->mtime_s * SIM_SEC, "%Y-%m-%d %H:%M"));
}

void sim_tar_show(struct tar *t, const struct tar_member *m) {
    int much = t->verbose + (t->mode == 't');
    if (!much) return;
    struct sim_mark mark = sim_mark(t->p);
    struct sim_text out = {.p = t->p};
    if (much > 1) tar_show_long(t, &out, m);
    tar_show_name(&out, m->path);
    if (m->type == 'd' && m->path[strlen(m->path) - 1] != '/') sim_text_char(&out, '/');
    if (much > 1 && m->type == 'l') sim_text_printf(&out, " -> %s", m->target);
    if (much > 1 && m->type == 'h') sim_text_printf(&out, " link to %s", m->target);
    sim_text_char(&out, '\n');
    if (t->mode == 'c' && strcmp(t->archive, "-") == 0)
        sim_errf(t->p, "%s", sim_text_get(&out));
    else
        sim_out(t->p, sim_text_get(&out), out.len);
    sim_release(t->p, mark);
}

/* ---- the command line ---- */

/* tar xzf FILE: letters without a dash take their arguments from the words behind, in order. */
static char **tar_old_style(struct sim_proc *p, int *argc, char **argv) {
    struct sim_list args = {.p = p};
    if (*argc < 2 || argv[1][0] == '-') return argv;
    int next = 2;
    sim_list_add(&args, argv[0]);
    for (const char *c = argv[1]; *c; c++) {
        sim_list_add(&args, sim_format(p, "-%c", *c));
        if (strchr("fCTXbI", *c) && next < *argc) sim_list_add(&args, argv[next++]);
    }
    for (; next < *argc; next++) sim_list_add(&args, argv[next]);
    *argc = (int)args.n;
    return sim_list_texts(&args);
}

struct tar_line {
    struct sim_list dirs;
    int *dirs_at;
};

static void tar_names_from(struct tar *t, struct sim_opts *o, const char *path) {
    int fd = sim_tool_open(t->p, "tar", path);
    struct sim_lines l;
    if (fd < 0) sim_proc_exit(t->p, 2);
    struct sim_list all = {.p = t->p};
    for (int i = 0; i < o->n; i++) sim_list_add(&all, o->operands[i]);
    sim_lines_start(&l, t->p, fd);
    while (sim_lines_next(&l)) sim_list_add(&all, sim_strndup(t->p, l.line, l.len));
    sim_lines_finish(&l);
    sim_tool_close(t->p, fd);
    int n = (int)all.n;
    for (int i = 0; i < o->argc; i++) sim_list_add(&all, NULL); /* room for the operands behind */
    o->operands = sim_list_texts(&all);
    o->n = n;
}

/* @return 0 for an option that is not known */
static int tar_option(struct tar *t, struct tar_line *line, struct sim_opts *o, int opt) {
    int64_t number;
    switch (opt) {
    case 'c':
    case 'x':
    case 't':
        if (t->mode && t->mode != (char)opt) {
            sim_errf(t->p, "tar: You may not specify more than one '-Acdtrux' option\n");
            sim_proc_exit(t->p, 2);
        }
        t->mode = (char)opt;
        return 1;
    case 'f':
        t->archive = o->arg;
        return 1;
    case 'C':
        line->dirs_at[line->dirs.n] = o->n;
        sim_list_add(&line->dirs, sim_strdup(t->p, o->arg));
        return 1;
    case 'T':
        tar_names_from(t, o, o->arg);
        return 1;
    case 'z':
        t->gzip = 1;
        return 1;
    case 'v':
        t->verbose++;
        return 1;
    case 'p':
        t->preserve = 1;
        return 1;
    case 'k':
        t->keep_old = 1;
        return 1;
    case 'O':
        t->to_stdout = 1;
        return 1;
    case 'h':
        t->follow = 1;
        return 1;
    case 'P':
        t->absolute = 1;
        return 1;
    case 'a':
        return 1;
    case '1':
        sim_list_add(&t->exclude, sim_strdup(t->p, o->arg));
        return 1;
    case '2':
        if (!sim_tool_number(o->arg, &number) || number > 1000) return 0;
        t->strip = (int)number;
        return 1;
    case '3':
        t->numeric = 1;
        return 1;
    case '4': /* what is so anyway */
        return 1;
    default:
        return 0;
    }
}

static int tar_extract(struct tar *t, const struct tar_line *line, const struct sim_opts *o) {
    struct sim_proc *p = t->p;
    t->fd = strcmp(t->archive, "-") == 0 ? 0 : sim_sys_open(p, t->archive, SIM_O_READ, 0);
    if (t->fd < 0) {
        sim_errf(p, "tar: %s: Cannot open: %s\ntar: Error is not recoverable: exiting now\n", t->archive,
                 sim_strerror(-t->fd));
        return 2;
    }
    for (size_t i = 0; i < line->dirs.n; i++) {
        int e = sim_sys_chdir(p, line->dirs.items[i]);
        if (!e) continue;
        sim_errf(p, "tar: %s: Cannot open: %s\ntar: Error is not recoverable: exiting now\n",
                 (char *)line->dirs.items[i], sim_strerror(-e));
        return 2;
    }
    return sim_tar_read_all(t, o->operands, o->n);
}

static int tool_tar(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"create", 'c'},
                                                   {"extract", 'x'},
                                                   {"get", 'x'},
                                                   {"list", 't'},
                                                   {"file", 'f'},
                                                   {"directory", 'C'},
                                                   {"gzip", 'z'},
                                                   {"gunzip", 'z'},
                                                   {"ungzip", 'z'},
                                                   {"verbose", 'v'},
                                                   {"preserve-permissions", 'p'},
                                                   {"same-permissions", 'p'},
                                                   {"keep-old-files", 'k'},
                                                   {"to-stdout", 'O'},
                                                   {"dereference", 'h'},
                                                   {"absolute-names", 'P'},
                                                   {"auto-compress", 'a'},
                                                   {"files-from", 'T'},
                                                   {"exclude", '1'},
                                                   {"strip-components", '2'},
                                                   {"numeric-owner", '3'},
                                                   {"no-same-owner", '4'},
                                                   {"overwrite", '4'},
                                                   {NULL, 0}};
    struct tar *t = sim_alloc_zero(p, sizeof *t);
    struct tar_line line = {.dirs = {.p = p}};
    struct sim_opts o;
    t->p = t->exclude.p = p;
    t->archive = "-";
    t->preserve = p->m->uid == 0;
    argv = tar_old_style(p, &argc, argv);
    line.dirs_at = sim_alloc(p, ((size_t)argc + 1) * sizeof *line.dirs_at);
    int compress_by_name = 0;
    sim_opts_start(&o, p, argc, argv, "cxtf:C:T:zvpkOhPa1:2:34", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (!tar_option(t, &line, &o, opt)) return sim_opts_bad(&o);
        compress_by_name |= opt == 'a';
    }
    if (!t->mode) {
        sim_errf(p, "tar: You must specify one of the '-Acdtrux', '--delete' or '--test-label' options\n");
        return 2;
    }
    size_t len = strlen(t->archive);
    if (compress_by_name && t->mode == 'c') {
        int gz = (len > 3 && strcmp(t->archive + len - 3, ".gz") == 0) ||
                 (len > 4 && strcmp(t->archive + len - 4, ".tgz") == 0);
        if (!gz && (len < 4 || strcmp(t->archive + len - 4, ".tar") != 0))
            return sim_unsupported(p, "tar -a of %s", t->archive);
        t->gzip |= gz;
    }
    int status;
    if (t->mode != 'c') {
        status = tar_extract(t, &line, &o);
    } else if (!o.n) {
        sim_errf(p, "tar: Cowardly refusing to create an empty archive\n");
        return 2;
    } else {
        status = sim_tar_write_all(t, o.operands, o.n, sim_list_texts(&line.dirs), line.dirs_at, (int)line.dirs.n);
    }
    if (status) {
        sim_out_flush(p);
        sim_errf(p, "tar: Exiting with failure status due to previous errors\n");
    }
    return status;
}

const struct sim_tool sim_tools_tar[] = {{"tar", tool_tar}, {NULL, NULL}};
