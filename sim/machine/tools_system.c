/* Tools that say where one is: date id whoami hostname uname nproc which pwd tty sync uptime expr. */
#include "sim/machine/date.h"
#include "sim/machine/tool.h"
#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* ---- date ---- */

/* What -I and --rfc-3339 show for "date", "seconds" and so on. */
static const char *date_precision(int rfc, const char *what) {
    if (!what || strcmp(what, "date") == 0) return rfc && !what ? NULL : "%Y-%m-%d";
    if (strcmp(what, "seconds") == 0) return rfc ? "%Y-%m-%d %H:%M:%S%:z" : "%Y-%m-%dT%H:%M:%S%:z";
    if (strcmp(what, "ns") == 0) return rfc ? "%Y-%m-%d %H:%M:%S.%N%:z" : "%Y-%m-%dT%H:%M:%S,%N%:z";
    if (rfc) return NULL;
    return strcmp(what, "minutes") == 0 ? "%Y-%m-%dT%H:%M%:z" : strcmp(what, "hours") == 0 ? "%Y-%m-%dT%H%:z" : NULL;
}

static int tool_date(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"utc", 'u'},       {"date", 'd'},      {"iso-8601", 'I'},
                                                   {"rfc-3339", 'T'},  {"rfc-email", 'R'}, {"universal", 'u'},
                                                   {"reference", 'r'}, {NULL, 0}};
    struct sim_opts o;
    int64_t ns = sim_machine_wall_ns(p->m);
    const char *format = NULL;
    sim_opts_start(&o, p, argc, argv, "ud:I::Rr:T:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'u') continue;
        if (opt == 'd') {
            if (!sim_date_parse(p, o.arg, ns, &ns)) return sim_unsupported(p, "date -d %s", o.arg);
        } else if (opt == 'I' || opt == 'T') {
            format = date_precision(opt == 'T', o.arg);
            if (!format) return sim_opts_bad(&o);
        } else if (opt == 'R')
            format = "%a, %d %b %Y %H:%M:%S %z";
        else if (opt == 'r') {
            struct sim_where at;
            int e = sim_sys_stat(p, o.arg, 1, &at);
            if (e) return sim_tool_fail(p, "date", o.arg, e);
            ns = at.node->mtime_ns;
            sim_where_finish(&at);
        } else
            return sim_opts_bad(&o);
    }
    if (o.n > 1) {
        sim_errf(p, "date: extra operand '%s'\n", o.operands[1]);
        return 1;
    }
    if (o.n && o.operands[0][0] == '+')
        format = o.operands[0] + 1;
    else if (o.n)
        return sim_unsupported(p, "date %s", o.operands[0]);
    const char *text = sim_date_format(p, ns, format ? format : "%a %b %e %H:%M:%S %Z %Y");
    if (!text) return sim_unsupported(p, "date +%s", format);
    sim_outf(p, "%s\n", text);
    return 0;
}

/* ---- who and where ---- */

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

/* ---- expr ---- */

struct expr {
    struct sim_proc *p;
    char **v;
    int n, at, error;
};

static const char *expr_or(struct expr *x);

static int expr_is(struct expr *x, const char *op) {
    if (x->at >= x->n || strcmp(x->v[x->at], op) != 0) return 0;
    x->at++;
    return 1;
}

static int expr_number(const char *text, int64_t *out) {
    const char *digits = text + (*text == '-');
    if (!*digits || strspn(digits, "0123456789") != strlen(digits)) return 0;
    *out = strtoll(text, NULL, 10);
    return 1;
}

static int expr_truth(const char *text) {
    int64_t n;
    return *text && !(expr_number(text, &n) && n == 0);
}

static void expr_free(void *arg) {
    regfree(arg);
    free(arg);
}

static const char *expr_match(struct expr *x, const char *text, const char *pattern) {
    regex_t *re = calloc(1, sizeof *re);
    if (!re) sim_proc_oom(x->p);
    if (regcomp(re, sim_format(x->p, "^%s", pattern), 0)) {
        free(re);
        x->error = 2;
        return "0";
    }
    sim_at_end(x->p, expr_free, re);
    regmatch_t m[2];
    int hit = regexec(re, text, 2, m, 0) == 0;
    if (re->re_nsub)
        return hit && m[1].rm_so >= 0 ? sim_strndup(x->p, text + m[1].rm_so, (size_t)(m[1].rm_eo - m[1].rm_so)) : "";
    return sim_format(x->p, "%d", hit ? (int)m[0].rm_eo : 0);
}

static const char *expr_primary(struct expr *x) {
    if (x->at >= x->n) {
        x->error = 2;
        return "";
    }
    if (expr_is(x, "(")) {
        const char *value = expr_or(x);
        if (!expr_is(x, ")")) x->error = 2;
        return value;
    }
    if (x->n - x->at >= 2 && strcmp(x->v[x->at], "length") == 0) {
        x->at += 2;
        return sim_format(x->p, "%zu", strlen(x->v[x->at - 1]));
    }
    if (x->n - x->at >= 4 && strcmp(x->v[x->at], "substr") == 0) {
        int64_t from, len, have = (int64_t)strlen(x->v[x->at + 1]);
        x->at += 4;
        if (!expr_number(x->v[x->at - 2], &from) || !expr_number(x->v[x->at - 1], &len) || from < 1 || len < 1 ||
            from > have)
            return "";
        if (len > have - from + 1) len = have - from + 1;
        return sim_strndup(x->p, x->v[x->at - 3] + from - 1, (size_t)len);
    }
    if (x->n - x->at >= 3 && strcmp(x->v[x->at], "index") == 0) {
        x->at += 3;
        const char *hit = strpbrk(x->v[x->at - 2], x->v[x->at - 1]);
        return sim_format(x->p, "%d", hit ? (int)(hit - x->v[x->at - 2]) + 1 : 0);
    }
    if (x->n - x->at >= 3 && strcmp(x->v[x->at], "match") == 0) {
        x->at += 3;
        return expr_match(x, x->v[x->at - 2], x->v[x->at - 1]);
    }
    return x->v[x->at++];
}

static const char *expr_colon(struct expr *x) {
    const char *a = expr_primary(x);
    while (!x->error && expr_is(x, ":")) a = expr_match(x, a, expr_primary(x));
    return a;
}

static const char *expr_calculate(struct expr *x, const char *a, char op, const char *b) {
    int64_t n, m;
    if (!expr_number(a, &n) || !expr_number(b, &m)) {
        if (!x->error) sim_errf(x->p, "expr: non-integer argument\n");
        x->error = 2;
        return "";
    }
    if ((op == '/' || op == '%') && m == 0) {
        sim_errf(x->p, "expr: division by zero\n");
        x->error = 2;
        return "";
    }
    uint64_t u = (uint64_t)n, w = (uint64_t)m;
    int64_t r = op == '+'   ? (int64_t)(u + w)
                : op == '-' ? (int64_t)(u - w)
                : op == '*' ? (int64_t)(u * w)
                : m == -1   ? (op == '/' ? (int64_t)(0 - u) : 0)
                : op == '/' ? n / m
                            : n % m;
    return sim_format(x->p, "%lld", (long long)r);
}

static const char *expr_product(struct expr *x) {
    const char *a = expr_colon(x);
    for (;;) {
        char op = expr_is(x, "*") ? '*' : expr_is(x, "/") ? '/' : expr_is(x, "%") ? '%' : 0;
        if (!op || x->error) return a;
        a = expr_calculate(x, a, op, expr_colon(x));
    }
}

static const char *expr_sum(struct expr *x) {
    const char *a = expr_product(x);
    for (;;) {
        char op = expr_is(x, "+") ? '+' : expr_is(x, "-") ? '-' : 0;
        if (!op || x->error) return a;
        a = expr_calculate(x, a, op, expr_product(x));
    }
}

static const char *expr_compare(struct expr *x) {
    static const char *const ops[] = {"<=", ">=", "!=", "==", "=", "<", ">"};
    const char *a = expr_sum(x);
    for (;;) {
        size_t i = 0;
        while (i < 7 && !expr_is(x, ops[i])) i++;
        if (i == 7 || x->error) return a;
        const char *b = expr_sum(x);
        int64_t n, m;
        int order = expr_number(a, &n) && expr_number(b, &m) ? (n < m ? -1 : n > m) : strcmp(a, b);
        int yes = i == 0   ? order <= 0
                  : i == 1 ? order >= 0
                  : i == 2 ? order != 0
                  : i <= 4 ? order == 0
                  : i == 5 ? order < 0
                           : order > 0;
        a = yes ? "1" : "0";
    }
}

static const char *expr_and(struct expr *x) {
    const char *a = expr_compare(x);
    while (!x->error && expr_is(x, "&")) {
        const char *b = expr_compare(x);
        if (!expr_truth(a) || !expr_truth(b)) a = "0";
    }
    return a;
}

static const char *expr_or(struct expr *x) {
    const char *a = expr_and(x);
    while (!x->error && expr_is(x, "|")) {
        const char *b = expr_and(x);
        if (!expr_truth(a)) a = expr_truth(b) ? b : "0";
    }
    return a;
}

static int tool_expr(struct sim_proc *p, int argc, char **argv) {
    struct expr x = {.p = p, .v = argv + 1, .n = argc - 1};
    if (x.n && strcmp(x.v[0], "--") == 0) {
        x.v++;
        x.n--;
    }
    const char *value = expr_or(&x);
    if (x.error || x.at < x.n) {
        sim_errf(p, "expr: syntax error\n");
        return 2;
    }
    sim_outf(p, "%s\n", value);
    return !expr_truth(value);
}

const struct sim_tool sim_tools_system[] = {{"date", tool_date},         {"id", tool_id},       {"whoami", tool_whoami},
                                            {"hostname", tool_hostname}, {"uname", tool_uname}, {"nproc", tool_nproc},
                                            {"pwd", tool_pwd},           {"which", tool_which}, {"sync", tool_sync},
                                            {"tty", tool_tty},           {"expr", tool_expr},   {NULL, NULL}};
