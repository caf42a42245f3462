/* Scripts run by this host's own shells. */
#include "host.h"
#include "t.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void host_write(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    T_TRUE(file != NULL);
    fputs(text, file);
    T_EQ(fclose(file), 0);
}

static void host_read(const char *path, struct sbx_buf *out) {
    char buf[4096];
    int fd = open(path, O_RDONLY);
    for (ssize_t n; fd >= 0 && (n = read(fd, buf, sizeof buf)) > 0;) sbx_buf_append(out, buf, (size_t)n);
    if (fd >= 0) close(fd);
}

void host_start(struct host *host, const char *shell) {
    *host = (struct host){.shell = shell, .scratch = "/tmp/sandport-differential-XXXXXX"};
    T_TRUE(mkdtemp(host->scratch) != NULL);
    T_EQ(chmod(host->scratch, 0755), 0);
}

void host_add(struct host *host, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%zu", host->scratch, host->count);
    T_EQ(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/%zu/work", host->scratch, host->count);
    T_EQ(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/%zu/script", host->scratch, host->count++);
    host_write(path, text);
}

#define RUNNER_INSIDE "/tmp/.host-runner" /* where the wrapper shows it, since its own place may be below /tmp */

/* The command in front of a command that runs it inside; empty where bubblewrap is absent or may not do its work. */
static void host_wrapper(const struct host *host, const char *runner, char *out, size_t cap) {
    snprintf(out, cap,
             "bwrap --unshare-all --die-with-parent --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --bind %s %s "
             "--ro-bind '%s' " RUNNER_INSIDE " ",
             host->scratch, host->scratch, runner);
    char probe[1024];
    snprintf(probe, sizeof probe, "%s true >/dev/null 2>&1", out);
    if (system(probe) != 0) *out = '\0';
}

void host_run(struct host *host) {
    char wrapper[900], command[1500], runner[400];
    const char *build = getenv("SANDPORT_BINARY_DIR");
    if (!host->count) return;
    snprintf(runner, sizeof runner, "%s/tests/sim_machine_host_runner", build ? build : ".");
    host_wrapper(host, runner, wrapper, sizeof wrapper);
    snprintf(command, sizeof command, "%s'%s' %s %s %zu", wrapper, *wrapper ? RUNNER_INSIDE : runner, host->shell,
             host->scratch, host->count);
    if (system(command) != 0) T_FAIL("the host's scripts could not be run: %s", command);
}

static int host_by_name(const void *a, const void *b) {
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
    qsort(names, n, sizeof names[0], host_by_name);
    for (size_t i = 0; i < n; i++) {
        char path[1024], name[1024];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        snprintf(name, sizeof name, "%s%s", prefix, names[i]);
        free(names[i]);
        if (lstat(path, &st)) continue;
        int type = S_ISDIR(st.st_mode) ? 'd' : S_ISLNK(st.st_mode) ? 'l' : S_ISFIFO(st.st_mode) ? 'p' : 'f';
        sbx_buf_printf(tree, "%s %c", name, type);
        if (type != 'l') sbx_buf_printf(tree, " %o", (unsigned)st.st_mode & 07777);
        if (type == 'f') {
            sbx_buf_text_append(tree, " [");
            host_read(path, tree);
            sbx_buf_text_append(tree, "]");
        }
        sbx_buf_char(tree, '\n');
        if (type != 'd') continue;
        snprintf(name, sizeof name, "%s/", strrchr(path, '/') + 1);
        struct sbx_buf below = SBX_BUF_INIT;
        sbx_buf_printf(&below, "%s%s", prefix, name);
        host_tree(path, sbx_buf_text(&below), tree);
        sbx_buf_finish(&below);
    }
}

void host_result(const struct host *host, size_t i, struct host_result *out) {
    char path[128];
    struct sbx_buf code = SBX_BUF_INIT;
    memset(out, 0, sizeof *out);
    snprintf(path, sizeof path, "%s/%zu/out", host->scratch, i);
    host_read(path, &out->out);
    snprintf(path, sizeof path, "%s/%zu/code", host->scratch, i);
    host_read(path, &code);
    out->code = code.len ? (int)strtol(sbx_buf_text(&code), NULL, 10) : -1;
    sbx_buf_finish(&code);
    snprintf(path, sizeof path, "%s/%zu/work", host->scratch, i);
    host_tree(path, "", &out->files);
}

void host_result_finish(struct host_result *result) {
    sbx_buf_finish(&result->out);
    sbx_buf_finish(&result->files);
}

void host_finish(struct host *host) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", host->scratch);
    if (system(command) != 0) t_fail(__FILE__, __LINE__, "could not remove %s", host->scratch);
}
