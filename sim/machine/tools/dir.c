/* Tools that make and remove directories: mkdir rmdir. */
#include "sim/machine/tools/tools.h"
#include <errno.h>
#include <string.h>

static int file_mkdir_parents(struct sim_proc *p, const char *path, int verbose, const char *mode_text) {
    char *copy = sim_strdup(p, path);
    for (char *at = copy + strspn(copy, "/"); *at;) {
        size_t len = strcspn(at, "/");
        char *end = at + len, kept = *end;
        *end = '\0';
        int last = end[kept ? 1 + strspn(end + 1, "/") : 0] == '\0';
        int e = sim_sys_mkdir(p, copy, 0777);
        if (!e && verbose) sim_outf(p, "mkdir: created directory '%s'\n", copy);
        if (!e && last && mode_text) {
            uint32_t mode;
            sim_tool_mode(mode_text, 0777, 1, 0, &mode);
            sim_sys_chmod(p, copy, mode);
        }
        if (e && !sim_file_is_dir(p, copy)) {
            if (e == -EEXIST && !last) e = -ENOTDIR;
            sim_errf(p, "mkdir: cannot create directory '%s': %s\n", copy, sim_strerror(-e));
            return 1;
        }
        *end = kept;
        at = end + strspn(end, "/");
    }
    return 0;
}

static int tool_mkdir(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"parents", 'p'}, {"mode", 'm'}, {"verbose", 'v'}, {NULL, 0}};
    struct sim_opts o;
    const char *mode_text = NULL;
    int parents = 0, verbose = 0, status = 0;
    sim_opts_start(&o, p, argc, argv, "pm:v", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'p')
            parents = 1;
        else if (opt == 'v')
            verbose = 1;
        else if (opt == 'm')
            mode_text = o.arg;
        else
            return sim_opts_bad(&o);
    }
    uint32_t mode = 0777;
    if (mode_text && !sim_tool_mode(mode_text, 0777, 1, 0, &mode)) {
        sim_errf(p, "mkdir: invalid mode '%s'\n", mode_text);
        return 1;
    }
    if (o.n == 0) {
        sim_errf(p, "mkdir: missing operand\n");
        return 1;
    }
    for (int i = 0; i < o.n; i++) {
        if (parents) {
            status |= file_mkdir_parents(p, o.operands[i], verbose, mode_text);
            continue;
        }
        int e = sim_sys_mkdir(p, o.operands[i], mode);
        if (e) {
            sim_errf(p, "mkdir: cannot create directory '%s': %s\n", o.operands[i], sim_strerror(-e));
            status = 1;
            continue;
        }
        if (mode_text) sim_sys_chmod(p, o.operands[i], mode);
        if (verbose) sim_outf(p, "mkdir: created directory '%s'\n", o.operands[i]);
    }
    return status;
}

static int tool_rmdir(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"parents", 'p'}, {"ignore-fail-on-non-empty", 'I'}, {"verbose", 'v'}, {NULL, 0}};
    struct sim_opts o;
    int parents = 0, ignore = 0, verbose = 0, status = 0;
    sim_opts_start(&o, p, argc, argv, "pIv", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'p')
            parents = 1;
        else if (opt == 'I')
            ignore = 1;
        else if (opt == 'v')
            verbose = 1;
        else
            return sim_opts_bad(&o);
    }
    if (!o.n) {
        sim_errf(p, "rmdir: missing operand\n");
        return 1;
    }
    for (int i = 0; i < o.n; i++) {
        char *path = sim_strdup(p, o.operands[i]);
        for (;;) {
            if (verbose) sim_outf(p, "rmdir: removing directory, '%s'\n", path);
            int e = sim_sys_rmdir(p, path);
            if (e) {
                if (ignore && e == -ENOTEMPTY) break;
                sim_errf(p, "rmdir: failed to remove '%s': %s\n", path, sim_strerror(-e));
                status = 1;
                break;
            }
            char *slash = parents ? strrchr(path, '/') : NULL;
            if (!slash || slash == path) break;
            *slash = '\0';
        }
    }
    return status;
}

const struct sim_tool sim_tools_dir[] = {{"mkdir", tool_mkdir}, {"rmdir", tool_rmdir}, {NULL, NULL}};
