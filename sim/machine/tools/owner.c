/* Owners: chown and chgrp, and the names of the users that there are. */
#include "sim/machine/tools/tools.h"
#include <errno.h>
#include <string.h>

const char *sim_user_name(const struct sim_proc *p, int64_t id) {
    return id == 0 ? "root" : id == p->m->uid ? p->m->user : "nobody";
}

int64_t sim_user_id(const struct sim_proc *p, const char *name) {
    if (strcmp(name, "root") == 0) return 0;
    if (strcmp(name, p->m->user) == 0) return p->m->uid;
    return strcmp(name, "nobody") == 0 ? 65534 : -1;
}

struct chown {
    struct sim_proc *p;
    const char *who;
    int64_t uid, gid; /* -1: as it is */
    int recursive, links, quiet;
    int status;
};

/* A name, or a number; -1 if it is neither. */
static int64_t chown_id(const struct sim_proc *p, const char *text) {
    int64_t id = sim_user_id(p, text);
    return id >= 0 ? id : sim_digits(text);
}

/* OWNER, OWNER:GROUP, OWNER: (the user's own group), :GROUP. @return 0 after complaining */
static int chown_owner(struct chown *c, const char *text) {
    const char *colon = strchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : strlen(text);
    if (len) {
        c->uid = chown_id(c->p, sim_strndup(c->p, text, len));
        if (c->uid < 0) {
            sim_errf(c->p, "chown: invalid user: '%s'\n", text);
            return 0;
        }
    }
    if (colon && colon[1]) {
        c->gid = chown_id(c->p, colon + 1);
        if (c->gid < 0) {
            sim_errf(c->p, "chown: invalid group: '%s'\n", text);
            return 0;
        }
    } else if (colon && len) {
        if (sim_digits(sim_strndup(c->p, text, len)) >= 0) {
            sim_errf(c->p, "chown: invalid spec: '%s'\n", text);
            return 0;
        }
        c->gid = c->uid;
    }
    return 1;
}

static void chown_path(struct chown *c, const char *path, int top);

struct chown_tree {
    struct chown *c;
    const char *path;
};

static int chown_tree_main(struct sim_proc *p, void *arg) {
    const struct chown_tree *t = arg;
    struct sim_mark mark = sim_mark(p);
    struct sim_list names = {.p = p};
    int e = sim_sys_list(p, t->path, &names);
    if (e) {
        sim_errf(p, "%s: cannot read directory '%s': %s\n", t->c->who, t->path, sim_strerror(-e));
        t->c->status = 1;
    }
    for (size_t i = 0; !e && i < names.n; i++) chown_path(t->c, sim_file_join(p, t->path, names.items[i]), 0);
    sim_release(p, mark);
    return 0;
}

static void chown_path(struct chown *c, const char *path, int top) {
    struct sim_proc *p = c->p;
    struct chown_tree tree = {c, path};
    int follow = !c->links && (top || !c->recursive);
    int type = sim_file_type(p, path, top && !c->links);
    if (type == 'd' && c->recursive) {
        p->depth += 4;
        if (p->depth >= SIM_NICE_DEPTH)
            sim_proc_deeper(p, chown_tree_main, &tree);
        else
            chown_tree_main(p, &tree);
        p->depth -= 4;
    }
    int e = sim_sys_chown(p, path, follow, c->uid, c->gid);
    if (!e) return;
    c->status = 1;
    if (c->quiet) return;
    if (e == -EPERM)
        sim_errf(p, "%s: changing %s of '%s': %s\n", c->who, c->uid < 0 ? "group" : "ownership", path,
                 sim_strerror(-e));
    else
        sim_errf(p, "%s: cannot access '%s': %s\n", c->who, path, sim_strerror(-e));
}

static int chown_main(struct sim_proc *p, int argc, char **argv, const char *who) {
    static const struct sim_long_option longs[] = {{"recursive", 'R'}, {"no-dereference", 'h'}, {"silent", 'f'},
                                                   {"quiet", 'f'},     {"reference", 'Z'},      {NULL, 0}};
    struct chown c = {.p = p, .who = who, .uid = -1, .gid = -1};
    struct sim_opts o;
    const char *reference = NULL;
    sim_opts_start(&o, p, argc, argv, "RhfZ:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'R')
            c.recursive = 1;
        else if (opt == 'h')
            c.links = 1;
        else if (opt == 'f')
            c.quiet = 1;
        else if (opt == 'Z')
            reference = o.arg;
        else
            return sim_opts_bad(&o);
    }
    int i = reference ? 0 : 1;
    if (o.n <= i) {
        sim_errf(p, o.n ? "%s: missing operand after '%s'\n" : "%s: missing operand\n", who, o.n ? o.operands[0] : "");
        return 1;
    }
    if (reference) {
        struct sim_where at;
        int e = sim_sys_stat(p, reference, 1, &at);
        if (e) return sim_tool_fail(p, who, sim_format(p, "failed to get attributes of '%s'", reference), e);
        c.uid = strcmp(who, "chown") == 0 ? at.node->uid : -1;
        c.gid = at.node->gid;
        sim_where_finish(&at);
    } else if (strcmp(who, "chgrp") == 0) {
        c.gid = chown_id(p, o.operands[0]);
        if (c.gid < 0) {
            sim_errf(p, "chgrp: invalid group: '%s'\n", o.operands[0]);
            return 1;
        }
    } else if (!chown_owner(&c, o.operands[0])) {
        return 1;
    }
    for (; i < o.n; i++) chown_path(&c, o.operands[i], 1);
    return c.status;
}

static int tool_chown(struct sim_proc *p, int argc, char **argv) {
    return chown_main(p, argc, argv, "chown");
}

static int tool_chgrp(struct sim_proc *p, int argc, char **argv) {
    return chown_main(p, argc, argv, "chgrp");
}

const struct sim_tool sim_tools_owner[] = {{"chown", tool_chown}, {"chgrp", tool_chgrp}, {NULL, NULL}};
