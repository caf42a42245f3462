/* Tools that make files of no content: mktemp mkfifo. */
#include "sim/machine/tools/tools.h"
#include <errno.h>
#include <string.h>

static int tool_mktemp(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"directory", 'd'}, {"quiet", 'q'},  {"tmpdir", 'p'},
                                                   {"dry-run", 'u'},   {"suffix", 'S'}, {NULL, 0}};
    struct sim_opts o;
    int dir = 0, quiet = 0, dry = 0, in_tmp = 0;
    const char *tmp = NULL, *suffix = "";
    sim_opts_start(&o, p, argc, argv, "dqp:utS:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'd')
            dir = 1;
        else if (opt == 'q')
            quiet = 1;
        else if (opt == 'u')
            dry = 1;
        else if (opt == 't')
            in_tmp = 1;
        else if (opt == 'S')
            suffix = o.arg;
        else if (opt == 'p') {
            tmp = o.arg;
            in_tmp = 1;
        } else
            return sim_opts_bad(&o);
    }
    const char *template = o.n ? o.operands[0] : "tmp.XXXXXXXXXX";
    if (!o.n) in_tmp = 1;
    size_t len = strlen(template), xs = 0;
    while (xs < len && template[len - 1 - xs] == 'X') xs++;
    if (xs < 3 && !*suffix) { /* tmp.XXXXXX.txt has its suffix behind */
        size_t end = len;
        while (end && template[end - 1] != 'X') end--;
        suffix = template + end;
        len = end;
        for (xs = 0; xs < len && template[len - 1 - xs] == 'X';) xs++;
    }
    if (xs < 3) {
        sim_errf(p, "mktemp: too few X's in template '%s'\n", template);
        return 1;
    }
    const char *env = sim_env_get(p->env, "TMPDIR");
    if (in_tmp && (!tmp || !*tmp)) tmp = env && *env ? env : "/tmp";
    for (int tries = 0; tries < 100; tries++) {
        char *random = sim_alloc(p, xs + 1);
        sim_draw_token(p->m->world, "machine.mktemp", random, xs);
        char *path = sim_format(p, "%.*s%s%s", (int)(len - xs), template, random, suffix);
        if (in_tmp) path = sim_file_join(p, tmp, path);
        int e = 0;
        if (dry)
            e = sim_file_type(p, path, 0) ? -EEXIST : 0;
        else if (dir)
            e = sim_sys_mkdir(p, path, 0700);
        else {
            int fd = sim_sys_open(p, path, SIM_O_WRITE | SIM_O_CREATE | SIM_O_EXCLUSIVE, 0600);
            if (fd >= 0) sim_sys_close(p, fd);
            e = fd < 0 ? fd : 0;
        }
        if (e == -EEXIST) continue;
        if (!e) {
            sim_outf(p, "%s\n", path);
            return 0;
        }
        if (!quiet)
            sim_errf(p, "mktemp: failed to create %s via template '%s': %s\n", dir ? "directory" : "file", template,
                     sim_strerror(-e));
        return 1;
    }
    return 1;
}

static int tool_mkfifo(struct sim_proc *p, int argc, char **argv) {
    struct sim_opts o;
    int status = 0;
    sim_opts_start(&o, p, argc, argv, "m:", NULL);
    uint32_t mode = 0666;
    for (int opt; (opt = sim_opts_next(&o)) != -1;)
        if (opt != 'm' || !sim_tool_mode(o.arg, 0666, 0, 0, &mode)) return sim_opts_bad(&o);
    for (int i = 0; i < o.n; i++) {
        int e = sim_sys_mkfifo(p, o.operands[i], mode);
        if (!e) continue;
        sim_errf(p, "mkfifo: cannot create fifo '%s': %s\n", o.operands[i], sim_strerror(-e));
        status = 1;
    }
    return status;
}

const struct sim_tool sim_tools_make[] = {{"mktemp", tool_mktemp}, {"mkfifo", tool_mkfifo}, {NULL, NULL}};
