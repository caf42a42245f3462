/* The machine against this host's own sh: the same script, the same output, exit code and files. */
#include "rig.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct host_result {
    struct sbx_buf out;
    int code;
};

struct differential {
    const char *file;
    const char *shell;
    char scratch[64];
    size_t run;
    struct sbx_buf wrong;
    size_t wrong_count;
};

/* ---- the host ---- */

static void host_child(const struct differential *d, const char *dir, int out) {
    char home[256], tmp[256];
    snprintf(home, sizeof home, "HOME=%s", dir);
    snprintf(tmp, sizeof tmp, "TMPDIR=%s", d->scratch);
    char *env[] = {home,
                   tmp,
                   strdup("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
                   strdup("LC_ALL=C.UTF-8"),
                   strdup("TZ=UTC"),
                   NULL};
    char *argv[] = {strdup(d->shell), strdup("../script"), strdup("one"), strdup("two words"), NULL};
    int null = open("/dev/null", O_RDWR);
    umask(022);
    if (null < 0 || chdir(dir) || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0) _exit(99);
    for (int fd = 3; fd < 32; fd++) close(fd);
    execvpe(d->shell, argv, env);
    _exit(99);
}

static void host_run(struct differential *d, const char *dir, struct host_result *result) {
    int fds[2], status;
    char buf[4096];
    ssize_t n;
    T_EQ(pipe(fds), 0);
    pid_t pid = fork();
    T_TRUE(pid >= 0);
    if (pid == 0) host_child(d, dir, fds[1]);
    close(fds[1]);
    while ((n = read(fds[0], buf, sizeof buf)) > 0) sbx_buf_append(&result->out, buf, (size_t)n);
    close(fds[0]);
    T_TRUE(waitpid(pid, &status, 0) == pid);
    result->code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int by_name(const void *a, const void *b) {
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* Every name below a directory with its type, mode and content. */
static void host_tree(const char *dir, const char *prefix, struct sbx_buf *tree) {
    DIR *d = opendir(dir);
    char *names[512];
    size_t n = 0;
    if (!d) return;
    for (struct dirent *e; n < 512 && (e = readdir(d)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) names[n++] = strdup(e->d_name);
    closedir(d);
    qsort(names, n, sizeof names[0], by_name);
    for (size_t i = 0; i < n; i++) {
        char path[1024], name[1024], buf[4096];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        snprintf(name, sizeof name, "%s%s", prefix, names[i]);
        if (lstat(path, &st)) continue;
        int type = S_ISDIR(st.st_mode) ? 'd' : S_ISLNK(st.st_mode) ? 'l' : S_ISFIFO(st.st_mode) ? 'p' : 'f';
        sbx_buf_printf(tree, "%s %c", name, type);
        if (type != 'l') sbx_buf_printf(tree, " %o", (unsigned)st.st_mode & 07777);
        if (type == 'f') {
            int fd = open(path, O_RDONLY);
            sbx_buf_text_append(tree, " [");
            for (ssize_t got; fd >= 0 && (got = read(fd, buf, sizeof buf)) > 0;) sbx_buf_append(tree, buf, (size_t)got);
            sbx_buf_text_append(tree, "]");
            if (fd >= 0) close(fd);
        }
        sbx_buf_char(tree, '\n');
        if (type == 'd') {
            snprintf(name, sizeof name, "%s%s/", prefix, names[i]);
            host_tree(path, name, tree);
        }
        free(names[i]);
    }
}

/* ---- the machine ---- */

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

static void differ(struct differential *d, const char *name, const char *what, const char *want, const char *got) {
    d->wrong_count++;
    sbx_buf_printf(&d->wrong, "%s: %s: %s\n  host:    %s\n  machine: %s\n", d->file, name, what, want, got);
}

static void compare(void *ctx, const char *name, const char *text) {
    struct differential *d = ctx;
    char dir[96], script[128], work[128];
    struct host_result host = {0};
    struct rig_result sim = {0};
    struct sbx_buf host_files = SBX_BUF_INIT, sim_files = SBX_BUF_INIT;
    struct rig rig;
    snprintf(dir, sizeof dir, "%s/%zu", d->scratch, d->run++);
    snprintf(script, sizeof script, "%s/script", dir);
    snprintf(work, sizeof work, "%s/work", dir);
    T_EQ(mkdir(dir, 0755), 0);
    T_EQ(mkdir(work, 0755), 0);
    FILE *file = fopen(script, "w");
    T_TRUE(file != NULL);
    fputs(text, file);
    fclose(file);
    host_run(d, work, &host);
    host_tree(work, "", &host_files);

    rig_start(&rig, NULL);
    T_EQ(sim_mkdir(rig.m, "run", 0755, 0), 0);
    T_EQ(sim_mkdir(rig.m, "run/work", 0755, 0), 0);
    rig_put(&rig, "run/script", text, strlen(text), 0644);
    char start[200];
    snprintf(start, sizeof start, "cd run/work; HOME=$PWD exec %s ../script one 'two words' </dev/null 2>/dev/null",
             d->shell);
    rig_sh(&rig, start, &sim);
    machine_tree(&rig, "run/work", "", &sim_files);

    char want[16], got[16];
    snprintf(want, sizeof want, "%d", host.code);
    snprintf(got, sizeof got, "%d", sim.signal ? 128 + sim.signal : sim.code);
    if (rig_unsupported(&rig))
        differ(d, name, "not simulated", sbx_buf_text(&host.out), "");
    else if (strcmp(sbx_buf_text(&host.out), sbx_buf_text(&sim.out)) != 0 || host.out.len != sim.out.len)
        differ(d, name, "output", sbx_buf_text(&host.out), sbx_buf_text(&sim.out));
    if (strcmp(want, got) != 0) differ(d, name, "exit code", want, got);
    if (strcmp(sbx_buf_text(&host_files), sbx_buf_text(&sim_files)) != 0)
        differ(d, name, "files", sbx_buf_text(&host_files), sbx_buf_text(&sim_files));
    sbx_buf_finish(&host.out);
    sbx_buf_finish(&host_files);
    sbx_buf_finish(&sim_files);
    rig_result_finish(&sim);
    rig_finish(&rig);
}

static void remove_scratch(const char *scratch) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    if (system(command) != 0) t_fail(__FILE__, __LINE__, "could not remove %s", scratch);
}

static void compare_corpus(const char *file, const char *shell, size_t least) {
    struct differential d = {.file = file, .shell = shell, .scratch = "/tmp/sandport-differential-XXXXXX"};
    char path[160];
    T_TRUE(mkdtemp(d.scratch) != NULL);
    snprintf(path, sizeof path, "tests/unit/sim_machine/corpus/%s", file);
    size_t n = rig_corpus(path, compare, &d);
    remove_scratch(d.scratch);
    if (d.wrong_count) T_FAIL("%zu differences in %zu scripts\n%s", d.wrong_count, n, sbx_buf_text(&d.wrong));
    sbx_buf_finish(&d.wrong);
    if (n < least) T_FAIL("%s has only %zu scripts", file, n);
}

static void the_language_is_the_hosts_sh(void) {
    compare_corpus("language.txt", "sh", 100);
}

static void expansion_is_the_hosts_sh(void) {
    compare_corpus("expansion.txt", "sh", 60);
}

static void texts_are_the_hosts(void) {
    compare_corpus("tools_text.txt", "sh", 100);
}

static void files_are_the_hosts(void) {
    compare_corpus("tools_files.txt", "sh", 100);
}

static void sed_is_the_hosts(void) {
    compare_corpus("tools_sed.txt", "sh", 40);
}

static void grep_is_the_hosts(void) {
    compare_corpus("tools_grep.txt", "sh", 30);
}

static void find_is_the_hosts(void) {
    compare_corpus("tools_find.txt", "sh", 30);
}

static void commands_are_the_hosts(void) {
    compare_corpus("tools_process.txt", "sh", 60);
}

static void awk_is_the_hosts(void) {
    compare_corpus("tools_awk.txt", "sh", 90);
}

static void archives_are_the_hosts(void) {
    compare_corpus("tools_archive.txt", "sh", 40);
}

static void codes_are_the_hosts(void) {
    compare_corpus("tools_code.txt", "sh", 60);
}

static void processes_are_the_hosts(void) {
    compare_corpus("processes.txt", "sh", 20);
}

static void bash_is_the_hosts_bash(void) {
    compare_corpus("bash.txt", "bash", 20);
}

T_CASES(T_CASE(the_language_is_the_hosts_sh), T_CASE(expansion_is_the_hosts_sh), T_CASE(texts_are_the_hosts),
        T_CASE(files_are_the_hosts), T_CASE(sed_is_the_hosts), T_CASE(grep_is_the_hosts), T_CASE(find_is_the_hosts),
        T_CASE(commands_are_the_hosts), T_CASE(awk_is_the_hosts), T_CASE(archives_are_the_hosts),
        T_CASE(codes_are_the_hosts), T_CASE(processes_are_the_hosts), T_CASE(bash_is_the_hosts_bash))
