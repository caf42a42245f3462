/* Tools about times and sizes of files: touch truncate. */
#include "sim/machine/tools/date.h"
#include "sim/machine/tools/tools.h"
#include <errno.h>
#include <string.h>

/* [[CC]YY]MMDDhhmm[.ss] */
static int touch_stamp(struct sim_proc *p, const char *text, int64_t *out) {
    size_t n = strspn(text, "0123456789");
    const char *seconds = text[n] == '.' ? text + n + 1 : "00";
    const char *year = sim_date_format(p, sim_machine_wall_ns(p->m), "%Y");
    if ((text[n] && text[n] != '.') || strlen(seconds) != 2 || (n != 8 && n != 10 && n != 12)) return 0;
    if (n == 12) year = sim_strndup(p, text, 4);
    if (n == 10)
        year = sim_format(p, "%s%.2s",
                          text[0] < '7' && text[0] != '6'   ? "20"
                          : text[0] == '6' && text[1] < '9' ? "20"
                                                            : "19",
                          text);
    const char *rest = text + n - 8;
    return sim_date_parse(
        p, sim_format(p, "%s-%.2s-%.2s %.2s:%.2s:%s", year, rest, rest + 2, rest + 4, rest + 6, seconds), 0, out);
}

static int tool_touch(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"no-create", 'c'}, {"reference", 'r'}, {"date", 'd'}, {NULL, 0}};
    struct sim_opts o;
    int create = 1, a = 0, m = 0, status = 0;
    int64_t when = sim_machine_wall_ns(p->m), atime = when;
    sim_opts_start(&o, p, argc, argv, "acmr:d:t:f", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'c')
            create = 0;
        else if (opt == 'a')
            a = 1;
        else if (opt == 'm')
            m = 1;
        else if (opt == 'f')
            continue;
        else if (opt == 'd') {
            if (!sim_date_parse(p, o.arg, when, &when)) return sim_unsupported(p, "touch -d %s", o.arg);
            atime = when;
        } else if (opt == 't') {
            if (!touch_stamp(p, o.arg, &when)) {
                sim_errf(p, "touch: invalid date format '%s'\n", o.arg);
                return 1;
            }
            atime = when;
        } else if (opt == 'r') {
            struct sim_where at;
            int e = sim_sys_stat(p, o.arg, 1, &at);
            if (e) return sim_tool_fail(p, "touch: failed to get attributes of", o.arg, e);
            when = at.node->mtime_ns;
            atime = at.node->atime_ns;
            sim_where_finish(&at);
        } else
            return sim_opts_bad(&o);
    }
    if (!o.n) {
        sim_errf(p, "touch: missing file operand\n");
        return 1;
    }
    for (int i = 0; i < o.n; i++) {
        const char *path = o.operands[i];
        if (!sim_file_type(p, path, 1)) {
            if (!create) continue;
            int fd = sim_sys_open(p, path, SIM_O_WRITE | SIM_O_CREATE, 0666);
            if (fd < 0) {
                sim_errf(p, "touch: cannot touch '%s': %s\n", path, sim_strerror(-fd));
                status = 1;
                continue;
            }
            sim_sys_close(p, fd);
        }
        int e = sim_sys_utime(p, path, m && !a ? SIM_NEVER : atime, a && !m ? SIM_NEVER : when);
        if (!e) continue;
        sim_errf(p, "touch: cannot touch '%s': %s\n", path, sim_strerror(-e));
        status = 1;
    }
    return status;
}

static int tool_truncate(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"size", 's'}, {"no-create", 'c'}, {NULL, 0}};
    struct sim_opts o;
    int create = SIM_O_CREATE, status = 0;
    int64_t size = -1;
    sim_opts_start(&o, p, argc, argv, "s:c", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'c')
            create = 0;
        else if (opt != 's' || !sim_tool_number(o.arg, &size))
            return sim_opts_bad(&o);
    }
    if (size < 0 || !o.n) {
        sim_errf(p, "truncate: you must specify either '--size' or '--reference'\n");
        return 1;
    }
    for (int i = 0; i < o.n; i++) {
        int fd = sim_sys_open(p, o.operands[i], SIM_O_WRITE | create, 0666);
        if (fd == -ENOENT && !create) continue;
        int e = fd < 0 ? -fd : sim_fs_truncate(sim_fd_get(p, fd)->node, size);
        if (fd >= 0) sim_sys_close(p, fd);
        if (!e) continue;
        sim_errf(p, "truncate: cannot open '%s' for writing: %s\n", o.operands[i], sim_strerror(e));
        status = 1;
    }
    return status;
}

const struct sim_tool sim_tools_touch[] = {{"touch", tool_touch}, {"truncate", tool_truncate}, {NULL, NULL}};
