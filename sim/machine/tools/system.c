/* Tools that say where one is: id whoami hostname uname nproc which pwd tty sync. */
#include "sim/machine/tools/tools.h"
#include <errno.h>
#include <string.h>

static int tool_id(struct sim_proc *p, int argc, char **argv) {
    struct sim_opts o;
    int what = 0, name = 0;
    long long uid = (long long)p->m->uid;
    static const struct sim_long_option longs[] = {{"user", 'u'}, {"group", 'g'}, {"groups", 'G'},
                                                   {"name", 'n'}, {"real", 'r'},  {NULL, 0}};
    sim_opts_start(&o, p, argc, argv, "ugGnr", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == '?') return sim_opts_bad(&o);
        if (opt == 'n')
            name = 1;
        else if (opt != 'r')
            what = opt;
    }
    const char *user = p->m->uid ? p->m->user : "root";
    if (name && !what) {
        sim_errf(p, "id: cannot print only names or real IDs in default format\n");
        return 1;
    }
    if (o.n && strcmp(o.operands[0], user) != 0) {
        if (strcmp(o.operands[0], "root") != 0) {
            sim_errf(p, "id: '%s': no such user\n", o.operands[0]);
            return 1;
        }
        user = "root";
        uid = 0;
    }
    if (!what)
        sim_outf(p, "uid=%lld(%s) gid=%lld(%s) groups=%lld(%s)\n", uid, user, uid, user, uid, user);
    else if (name)
        sim_outf(p, "%s\n", user);
    else
        sim_outf(p, "%lld\n", uid);
    return 0;
}

static int tool_whoami(struct sim_proc *p, int argc, char **argv) {
    if (argc > 1 && argv[1][0] != '-') {
        sim_errf(p, "whoami: extra operand '%s'\n", argv[1]);
        return 1;
    }
    if (argc > 1) return sim_unsupported(p, "whoami %s", argv[1]);
    sim_outf(p, "%s\n", p->m->uid ? p->m->user : "root");
    return 0;
}

static int tool_hostname(struct sim_proc *p, int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "-s") != 0 && strcmp(argv[1], "-f") != 0)
        return sim_unsupported(p, "hostname %s", argv[1]);
    sim_outf(p, "%s\n", p->m->hostname);
    return 0;
}

static int tool_uname(struct sim_proc *p, int argc, char **argv) {
    struct sim_opts o;
    int bits = 0;
    static const char letters[] = "snrvmo";
    const char *values[] = {"Linux", p->m->hostname, "6.8.0", "#1 SMP sandport-sim", "x86_64", "GNU/Linux"}, *gap = "";
    static const struct sim_long_option longs[] = {{"all", 'a'},
                                                   {"kernel-name", 's'},
                                                   {"nodename", 'n'},
                                                   {"kernel-release", 'r'},
                                                   {"kernel-version", 'v'},
                                                   {"machine", 'm'},
                                                   {"operating-system", 'o'},
                                                   {NULL, 0}};
    sim_opts_start(&o, p, argc, argv, "asnrvmpio", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        const char *at = strchr(letters, opt);
        if (opt == '?') return sim_opts_bad(&o);
        if (opt == 'a')
            bits = 63;
        else if (at)
            bits |= 1 << (at - letters);
        else
            bits |= 16;
    }
    if (o.n) {
        sim_errf(p, "uname: extra operand '%s'\n", o.operands[0]);
        return 1;
    }
    if (!bits) bits = 1;
    for (int i = 0; i < 6; i++) {
        if (!(bits & (1 << i))) continue;
        sim_outf(p, "%s%s", gap, values[i]);
        gap = " ";
    }
    sim_out_char(p, '\n');
    return 0;
}

static int tool_nproc(struct sim_proc *p, int argc, char **argv) {
    (void)argv;
    if (argc > 1) return sim_unsupported(p, "nproc %s", argv[1]);
    sim_out_str(p, "1\n");
    return 0;
}

static int tool_pwd(struct sim_proc *p, int argc, char **argv) {
    char path[SIM_PATH_MAX];
    const char *pwd = sim_env_get(p->env, "PWD");
    if (argc > 1 && strcmp(argv[1], "-L") == 0 && pwd)
        sim_outf(p, "%s\n", pwd);
    else if (sim_path_of(p->cwd, path, sizeof path))
        sim_outf(p, "%s\n", path);
    else
        return sim_tool_fail(p, "pwd", "couldn't find directory entry in '..' with matching i-node", -ENOENT);
    return 0;
}

static int tool_which(struct sim_proc *p, int argc, char **argv) {
    int status = argc < 2, why, i = 1;
    const char *list = sim_env_get(p->env, "PATH");
    int all = argc > 1 && strcmp(argv[1], "-a") == 0;
    i += all;
    for (; i < argc; i++) {
        const char *rest = list ? list : "";
        int found = 0;
        do { /* each directory by itself, for -a */
            size_t len = strcspn(rest, ":");
            const char *one = strchr(argv[i], '/') ? rest : sim_strndup(p, rest, len);
            const char *path = sim_program_find(p, argv[i], one, &why);
            if (path && (all || !found)) sim_outf(p, "%s\n", path);
            found |= path != NULL;
            rest = rest[len] && !strchr(argv[i], '/') ? rest + len + 1 : NULL;
        } while (rest && (all || !found));
        status |= !found;
    }
    return status;
}

static int tool_sync(struct sim_proc *p, int argc, char **argv) {
    (void)p, (void)argc, (void)argv;
    return 0;
}

static int tool_tty(struct sim_proc *p, int argc, char **argv) {
    (void)argc, (void)argv;
    sim_out_str(p, "not a tty\n");
    return 1;
}

const struct sim_tool sim_tools_system[] = {{"id", tool_id},       {"whoami", tool_whoami}, {"hostname", tool_hostname},
                                            {"uname", tool_uname}, {"nproc", tool_nproc},   {"pwd", tool_pwd},
                                            {"which", tool_which}, {"sync", tool_sync},     {"tty", tool_tty},
                                            {NULL, NULL}};
