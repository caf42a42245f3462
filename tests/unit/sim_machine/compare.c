/* The same script on the machine and on this host. */
#include "compare.h"
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the machine's tree, as the host's is written ---- */

struct tree_walk {
    struct rig *rig;
    const char *dir, *prefix;
    struct sbx_buf *tree;
};

static void machine_tree(struct rig *rig, const char *dir, const char *prefix, struct sbx_buf *tree);

static void machine_entry(void *ctx, const char *name) {
    struct tree_walk *w = ctx;
    struct sim_stat st;
    char path[1024], shown[1024], buf[4096];
    snprintf(path, sizeof path, "%s/%s", w->dir, name);
    snprintf(shown, sizeof shown, "%s%s", w->prefix, name);
    T_EQ(sim_stat(w->rig->m, path, 0, &st), 0);
    sbx_buf_printf(w->tree, "%s %c", shown, st.type);
    if (st.type != 'l') sbx_buf_printf(w->tree, " %o", st.mode);
    if (st.type == 'f') {
        struct sim_file *file = NULL;
        sbx_buf_text_append(w->tree, " [");
        sim_chmod(w->rig->m, path, 0600); /* the host's side is read by root */
        T_EQ(sim_open_read(w->rig->m, path, &file), 0);
        for (ptrdiff_t n; (n = sim_file_read(file, buf, sizeof buf)) > 0;) sbx_buf_append(w->tree, buf, (size_t)n);
        sim_file_close(file);
        sim_chmod(w->rig->m, path, st.mode);
        sbx_buf_text_append(w->tree, "]");
    }
    sbx_buf_char(w->tree, '\n');
    if (st.type == 'd') {
        snprintf(shown, sizeof shown, "%s%s/", w->prefix, name);
        machine_tree(w->rig, path, shown, w->tree);
    }
}

static void machine_tree(struct rig *rig, const char *dir, const char *prefix, struct sbx_buf *tree) {
    struct tree_walk w = {rig, dir, prefix, tree};
    sim_list(rig->m, dir, machine_entry, &w);
}

/* ---- the comparison ---- */

void compare_start(struct compare *c, const char *shell) {
    memset(c, 0, sizeof *c);
    c->shell = shell;
    host_start(&c->host, shell);
}

void compare_add(struct compare *c, const char *name, const char *text) {
    if (c->count == c->cap) {
        c->cap = c->cap ? c->cap * 2 : 64;
        c->names = realloc(c->names, c->cap * sizeof *c->names);
        c->texts = realloc(c->texts, c->cap * sizeof *c->texts);
        T_TRUE(c->names && c->texts);
    }
    c->names[c->count] = strdup(name);
    c->texts[c->count++] = strdup(text);
    host_add(&c->host, text);
}

static void compare_differ(struct compare *c, size_t i, const char *what, const char *want, const char *got) {
    c->wrong_count++;
    if (c->shows_text) sbx_buf_printf(&c->wrong, "%s\n", c->texts[i]);
    sbx_buf_printf(&c->wrong, "%s: %s: %s\n  host:    %s\n  machine: %s\n", c->shell, c->names[i], what, want, got);
}

static void compare_one(struct compare *c, size_t i) {
    struct host_result host;
    struct rig_result sim = {0};
    struct sbx_buf files = SBX_BUF_INIT;
    struct rig rig;
    char start[400], want[16], got[16];
    const char *text = c->texts[i];
    host_result(&c->host, i, &host);
    rig_start(&rig, NULL);
    T_EQ(sim_mkdir(rig.m, "run", 0755, 0), 0);
    T_EQ(sim_mkdir(rig.m, "run/work", 0755, 0), 0);
    rig_put(&rig, "run/script", text, strlen(text), 0644);
    snprintf(start, sizeof start,
             "cd run/work; exec env -i HOME=$PWD TMPDIR=/tmp "
             "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TZ=UTC "
             "%s ../script one 'two words' </dev/null",
             c->shell);
    rig_sh(&rig, start, &sim);
    machine_tree(&rig, "run/work", "", &files);
    snprintf(want, sizeof want, "%d", host.code);
    snprintf(got, sizeof got, "%d", sim.signal ? 128 + sim.signal : sim.code);
    if (rig_unsupported(&rig))
        compare_differ(c, i, "not simulated", sbx_buf_text(&host.out), sbx_buf_text(&sim.err));
    else if (strcmp(sbx_buf_text(&host.out), sbx_buf_text(&sim.out)) != 0 || host.out.len != sim.out.len)
        compare_differ(c, i, "output", sbx_buf_text(&host.out), sbx_buf_text(&sim.out));
    if (strcmp(want, got) != 0) compare_differ(c, i, "exit code", want, got);
    if (strcmp(sbx_buf_text(&host.files), sbx_buf_text(&files)) != 0)
        compare_differ(c, i, "files", sbx_buf_text(&host.files), sbx_buf_text(&files));
    host_result_finish(&host);
    sbx_buf_finish(&files);
    rig_result_finish(&sim);
    rig_finish(&rig);
}

void compare_run(struct compare *c) {
    host_run(&c->host);
    for (size_t i = 0; i < c->count; i++) compare_one(c, i);
}

void compare_finish(struct compare *c) {
    host_finish(&c->host);
    for (size_t i = 0; i < c->count; i++) {
        free(c->names[i]);
        free(c->texts[i]);
    }
    free(c->names);
    free(c->texts);
    sbx_buf_finish(&c->wrong);
}
