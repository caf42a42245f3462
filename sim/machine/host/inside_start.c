/* Starting a program inside of a sandbox. */
#include "sim/machine/host/inside.h"
#include "sim/machine/host/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct start_words {
    char *text; /* mapped */
    size_t len;
    char **list; /* cwd, argv and a NULL, env and a NULL */
};

static int words_read(struct start_words *w, int fd, int argc, int envc) {
    struct stat st;
    const size_t count = (size_t)argc + (size_t)envc + 1;
    size_t at = 0, n = 0;
    if (argc < 1 || envc < 0 || fstat(fd, &st) || st.st_size < 1) return EINVAL;
    w->len = (size_t)st.st_size;
    w->text = mmap(NULL, w->len, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (w->text == MAP_FAILED) return errno;
    w->list = calloc(count + 2, sizeof(*w->list));
    if (!w->list) return ENOMEM;
    if (w->text[w->len - 1]) return EINVAL;
    for (size_t i = 0; i < count && at < w->len; i++) {
        w->list[n++] = w->text + at;
        if (i == (size_t)argc) n++; /* the NULL behind argv */
        at += strlen(w->text + at) + 1;
    }
    return n == count + 1 ? 0 : EINVAL;
}

static void words_finish(struct start_words *w) {
    free(w->list);
    if (w->text && w->text != MAP_FAILED) munmap(w->text, w->len);
}

/* The program's path, by the PATH of its own environment. */
static int start_find(const char *name, char **env, char *out, size_t cap) {
    const char *list = "";
    int found = ENOENT;
    for (; !strchr(name, '/') && *env; env++)
        if (strncmp(*env, "PATH=", 5) == 0) list = *env + 5;
    for (const char *at = list; at && *name;) {
        const size_t len = strcspn(at, ":");
        const int n = snprintf(out, cap, "%.*s%s%s", (int)len, at, len ? "/" : "", name);
        struct stat st;
        if (n > 0 && (size_t)n < cap && stat(out, &st) == 0) {
            if (S_ISREG(st.st_mode) && access(out, X_OK) == 0) return 0;
            found = EACCES;
        }
        at = at[len] ? at + len + 1 : NULL;
    }
    return found;
}

/* execvp's way with a text that is no program. */
static int start_script(char *path, int argc, char **argv, char **env, const int stdio[3], pid_t *pid) {
    char **words = calloc((size_t)argc + 2, sizeof(*words));
    char shell[] = "sh";
    if (!words) return ENOMEM;
    words[0] = shell;
    words[1] = path;
    for (int i = 1; i < argc; i++) words[i + 1] = argv[i];
    const int failed = sim_host_launch("/bin/sh", words, env, 1, stdio, 3, pid);
    free(words);
    return failed;
}

int32_t sim_inside_start(int fd, int argc, int envc, const int stdio[3]) {
    struct start_words w = {0};
    char path[4096];
    pid_t pid = 0;
    int failed = words_read(&w, fd, argc, envc);
    if (!failed && !w.list) failed = EINVAL;
    if (!failed && chdir(w.list[0])) failed = errno;
    char **argv = failed ? NULL : w.list + 1, **env = failed ? NULL : argv + argc + 1;
    if (!failed) failed = start_find(argv[0], env, path, sizeof(path));
    if (!failed) failed = sim_host_launch(path, argv, env, 1, stdio, 3, &pid);
    if (failed == ENOEXEC && argv) failed = start_script(path, argc, argv, env, stdio, &pid);
    words_finish(&w);
    if (chdir("/") && !failed) failed = errno;
    return failed ? -failed : (int32_t)pid;
}
