/* Tools about the environment: env printenv. */
#include "sim/machine/tools/tools.h"
#include <string.h>

/* -S: words of one text, so that a #! line can have several. NULL where quotes or the like would matter. */
static char **env_split(struct sim_proc *p, int *argc, char **argv) {
    struct sim_list args = {.p = p};
    if (*argc < 2 || (strncmp(argv[1], "-S", 2) != 0 && strcmp(argv[1], "--split-string") != 0)) return argv;
    int joined = strncmp(argv[1], "-S", 2) == 0 && argv[1][2], next = joined ? 2 : 3;
    const char *text = joined ? argv[1] + 2 : *argc > 2 ? argv[2] : "";
    if (strpbrk(text, "\"'\\$#")) return NULL;
    sim_list_add(&args, argv[0]);
    for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
        size_t n = strcspn(text, " \t");
        sim_list_add(&args, sim_strndup(p, text, n));
        text += n;
    }
    for (; next < *argc; next++) sim_list_add(&args, argv[next]);
    *argc = (int)args.n;
    return sim_list_texts(&args);
}

static int tool_env(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"ignore-environment", 'i'}, {"unset", 'u'}, {"null", '0'}, {"chdir", 'C'}, {"split-string", 'S'}, {NULL, 0}};
    struct sim_opts o;
    struct sim_list env = {.p = p}, unset = {.p = p};
    int empty = 0, i = 0;
    char end = '\n';
    argv = env_split(p, &argc, argv);
    if (!argv) return sim_unsupported(p, "env -S with quotes");
    sim_opts_start(&o, p, argc, argv, "+iu:0C:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'i')
            empty = 1;
        else if (opt == 'u')
            sim_list_add(&unset, sim_strdup(p, o.arg));
        else if (opt == '0')
            end = '\0';
        else if (opt == 'C') {
            int e = sim_sys_chdir(p, o.arg);
            if (e) return sim_tool_fail(p, "env: cannot change directory to", o.arg, e), 125;
        } else
            return sim_opts_bad(&o);
    }
    if (o.n && strcmp(o.operands[0], "-") == 0) {
        empty = 1;
        i++;
    }
    for (char **entry = p->env; !empty && entry && *entry; entry++) {
        int gone = 0;
        for (size_t u = 0; u < unset.n; u++) {
            size_t len = strlen(unset.items[u]);
            gone |= strncmp(*entry, unset.items[u], len) == 0 && (*entry)[len] == '=';
        }
        if (!gone) sim_list_add(&env, *entry);
    }
    for (; i < o.n && strchr(o.operands[i], '='); i++) {
        size_t len = (size_t)(strchr(o.operands[i], '=') - o.operands[i]) + 1, at = 0;
        while (at < env.n && strncmp(env.items[at], o.operands[i], len) != 0) at++;
        if (at < env.n)
            env.items[at] = o.operands[i];
        else
            sim_list_add(&env, o.operands[i]);
    }
    char **result = sim_list_texts(&env);
    if (i < o.n) return sim_tool_become(p, "env", o.operands + i, result);
    for (; *result; result++) {
        sim_out_str(p, *result);
        sim_out_char(p, end);
    }
    return 0;
}

static int tool_printenv(struct sim_proc *p, int argc, char **argv) {
    struct sim_opts o;
    int status = 0;
    char end = '\n';
    static const struct sim_long_option longs[] = {{"null", '0'}, {NULL, 0}};
    sim_opts_start(&o, p, argc, argv, "+0", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt != '0') return sim_opts_bad(&o);
        end = '\0';
    }
    for (char **entry = p->env; !o.n && entry && *entry; entry++) {
        sim_out_str(p, *entry);
        sim_out_char(p, end);
    }
    for (int i = 0; i < o.n; i++) {
        const char *value = strchr(o.operands[i], '=') ? NULL : sim_env_get(p->env, o.operands[i]);
        if (value) {
            sim_out_str(p, value);
            sim_out_char(p, end);
        } else
            status = 1;
    }
    return status;
}

const struct sim_tool sim_tools_env[] = {{"env", tool_env}, {"printenv", tool_printenv}, {NULL, NULL}};
