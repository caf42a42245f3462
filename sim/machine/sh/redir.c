/* Redirections: expanding their words, doing them, taking them back. */
#include "sim/machine/sh/sh.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REDIR_PRIVATE 10 /* descriptors of the shell's own begin here */

struct sh_redir_done *sim_sh_redir_expand(struct sh *sh, const struct sh_redir *redirs) {
    struct sh_redir_done *first = NULL, **tail = &first;
    for (; redirs; redirs = redirs->next) {
        struct sh_redir_done *done = sim_alloc_zero(sh->p, sizeof *done);
        done->op = redirs->op;
        done->fd = redirs->fd;
        done->text = sim_sh_expand_text(sh, redirs->word);
        if (done->op == SH_REDIR_HERE_STRING) done->text = sim_format(sh->p, "%s\n", done->text);
        done->len = strlen(done->text);
        *tail = done;
        tail = &done->next;
    }
    return first;
}

static int redir_here(struct sim_proc *p, const struct sh_redir_done *r) {
    int fds[2];
    int e = sim_sys_pipe(p, fds, SIZE_MAX / 4); /* all of it is there before anyone reads */
    if (e) return e;
    ptrdiff_t n = sim_pipe_put(sim_fd_get(p, fds[1])->pipe, r->text, r->len);
    sim_sys_close(p, fds[1]);
    return n < 0 ? (int)n : fds[0];
}

static int redir_clobber_refused(struct sh *sh, struct sim_proc *p, const struct sh_redir_done *r) {
    struct sim_where at;
    if (!sh->opt_C || r->op != SH_REDIR_WRITE || sim_sys_stat(p, r->text, 1, &at)) return 0;
    int regular = at.node->type == 'f';
    sim_where_finish(&at);
    return regular;
}

/* An open descriptor for it, or -errno. */
static int redir_open(struct sh *sh, struct sim_proc *p, const struct sh_redir_done *r) {
    switch (r->op) {
    case SH_REDIR_READ:
        return sim_sys_open(p, r->text, SIM_O_READ, 0);
    case SH_REDIR_READ_WRITE:
        return sim_sys_open(p, r->text, SIM_O_READ | SIM_O_WRITE | SIM_O_CREATE, 0666);
    case SH_REDIR_WRITE:
    case SH_REDIR_CLOBBER:
    case SH_REDIR_BOTH:
        if (redir_clobber_refused(sh, p, r)) return -EEXIST;
        return sim_sys_open(p, r->text, SIM_O_WRITE | SIM_O_CREATE | SIM_O_TRUNCATE, 0666);
    case SH_REDIR_APPEND:
    case SH_REDIR_BOTH_APPEND:
        return sim_sys_open(p, r->text, SIM_O_WRITE | SIM_O_CREATE | SIM_O_APPEND, 0666);
    case SH_REDIR_HERE:
    case SH_REDIR_HERE_STRING:
        return redir_here(p, r);
    case SH_REDIR_DUP:
        break;
    }
    return -EINVAL;
}

static void redir_save(struct sh *sh, struct sim_proc *p, int fd, struct sh_undo **undo) {
    if (!undo) return;
    for (const struct sh_undo *u = *undo; u; u = u->next)
        if (u->fd == fd) return;
    struct sh_undo *u = sim_alloc(sh->p, sizeof *u);
    u->fd = fd;
    u->saved = sim_fd_get(p, fd) ? sim_sys_dup(p, fd, REDIR_PRIVATE) : -1;
    if (u->saved >= 0) p->fd_inherit[u->saved / 8] |= (uint8_t)(1U << (u->saved % 8));
    u->next = *undo;
    *undo = u;
}

static int redir_complain(struct sh *sh, struct sim_proc *p, const struct sh_redir_done *r, int e) {
    int makes = r->op != SH_REDIR_READ;
    const char *why = sim_strerror(-e);
    if (sh->bash) {
        if (e == -EEXIST) why = "cannot overwrite existing file";
        sim_sh_warn_to(sh, p, "%s: %s", r->text, why);
    } else {
        if (e == -ENOENT) why = makes ? "Directory nonexistent" : "No such file";
        sim_sh_warn_to(sh, p, "cannot %s %s: %s", makes ? "create" : "open", r->text, why);
    }
    return 1;
}

static int redir_dup(struct sh *sh, struct sim_proc *p, const struct sh_redir_done *r, struct sh_undo **undo) {
    if (strcmp(r->text, "-") == 0) {
        redir_save(sh, p, r->fd, undo);
        sim_sys_close(p, r->fd);
        return 0;
    }
    if (!*r->text || strspn(r->text, "0123456789") != strlen(r->text)) {
        if (sh->bash && r->fd == 1) {
            struct sh_redir_done both = *r;
            both.op = SH_REDIR_BOTH;
            both.next = NULL;
            return sim_sh_redirect(sh, p, &both, undo);
        }
        sim_sh_warn_to(sh, p, "Syntax error: Bad fd number");
        return 1;
    }
    int from = sim_digits(r->text);
    struct sim_open *file = sim_fd_get(p, from);
    int is_private = from >= REDIR_PRIVATE && file && (p->fd_inherit[from / 8] & (1U << (from % 8)));
    if (!file || is_private) {
        sim_sh_warn_to(sh, p, "%s: Bad file descriptor", r->text);
        return 1;
    }
    if (from == r->fd) return 0;
    redir_save(sh, p, r->fd, undo);
    sim_sys_dup_to(p, from, r->fd);
    return 0;
}

int sim_sh_redirect(struct sh *sh, struct sim_proc *p, const struct sh_redir_done *list, struct sh_undo **undo) {
    for (const struct sh_redir_done *r = list; r; r = r->next) {
        if (r->op == SH_REDIR_DUP) {
            if (redir_dup(sh, p, r, undo)) return 1;
            continue;
        }
        /* Saved first, so that what is opened does not land where it will be wanted. */
        int both = r->op == SH_REDIR_BOTH || r->op == SH_REDIR_BOTH_APPEND;
        redir_save(sh, p, r->fd, undo);
        if (both) redir_save(sh, p, 2, undo);
        int fd = redir_open(sh, p, r);
        if (fd < 0) return redir_complain(sh, p, r, fd);
        if (fd != r->fd) {
            int e = sim_sys_dup_to(p, fd, r->fd);
            sim_sys_close(p, fd);
            if (e < 0) return redir_complain(sh, p, r, e);
        }
        if (both) sim_sys_dup_to(p, r->fd, 2);
    }
    return 0;
}

void sim_sh_redir_undo(struct sh *sh, struct sh_undo *undo) {
    for (; undo; undo = undo->next) {
        if (undo->saved >= 0) {
            sim_sys_dup_to(sh->p, undo->saved, undo->fd);
            sim_sys_close(sh->p, undo->saved);
        } else {
            sim_sys_close(sh->p, undo->fd);
        }
    }
}
