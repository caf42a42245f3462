/* ps: the table of processes, in the forms that scripts ask for. */
#include "sim/machine/tools/date.h"
#include "sim/machine/tools/tools.h"
#include <string.h>

struct ps_column {
    const char *name, *title;
    int width; /* negative: to the left */
};

static const struct ps_column ps_columns[] = {{"pid", "PID", 7},
                                              {"ppid", "PPID", 7},
                                              {"pgid", "PGID", 7},
                                              {"sid", "SID", 7},
                                              {"user", "USER", -8},
                                              {"uid", "UID", 5},
                                              {"comm", "COMMAND", -15},
                                              {"args", "COMMAND", -27},
                                              {"cmd", "CMD", -27},
                                              {"command", "COMMAND", -27},
                                              {"stat", "STAT", -4},
                                              {"state", "S", -1},
                                              {"s", "S", -1},
                                              {"tty", "TT", -8},
                                              {"time", "TIME", 8},
                                              {"etime", "ELAPSED", 11},
                                              {"pcpu", "%CPU", 4},
                                              {"%cpu", "%CPU", 4},
                                              {"pmem", "%MEM", 4},
                                              {"%mem", "%MEM", 4},
                                              {"rss", "RSS", 5},
                                              {"vsz", "VSZ", 6},
                                              {"c", "C", 2},
                                              {"stime", "STIME", 5},
                                              {"start", "START", 8},
                                              {"ni", "NI", 3},
                                              {"nlwp", "NLWP", 4}};

struct ps {
    struct sim_proc *p;
    struct {
        const struct ps_column *column;
        const char *title;
    } shown[32];
    int n;
    int32_t pids[64];
    int pid_count, all, no_title, hits;
};

static int ps_add(struct ps *ps, const char *name, const char *title) {
    for (size_t i = 0; i < sizeof ps_columns / sizeof ps_columns[0]; i++) {
        if (strcmp(ps_columns[i].name, name) != 0 || ps->n == 32) continue;
        ps->shown[ps->n].column = &ps_columns[i];
        ps->shown[ps->n++].title = title ? title : ps_columns[i].title;
        return 1;
    }
    return 0;
}

/* pid,comm= and so on: what is behind = is the title. */
static int ps_format(struct ps *ps, const char *text) {
    while (*text) {
        size_t n = strcspn(text, ", ="), rest = text[n] == '=' ? strcspn(text + n, ",") : 0;
        const char *title = rest ? sim_strndup(ps->p, text + n + 1, rest - 1) : NULL;
        if (n && !ps_add(ps, sim_strndup(ps->p, text, n), title)) return 0;
        text += n + rest;
        if (*text) text++;
    }
    return 1;
}

static int ps_pids(struct ps *ps, const char *text) {
    while (*text) {
        size_t n = strcspn(text, ", ");
        int32_t pid = sim_digits(sim_strndup(ps->p, text, n));
        if (pid < 0 || ps->pid_count == 64) return 0;
        ps->pids[ps->pid_count++] = pid;
        text += n;
        if (*text) text++;
    }
    return ps->pid_count > 0;
}

static const char *ps_args(struct sim_proc *p, const struct sim_proc *q) {
    struct sim_text text = {.p = p};
    int dead = q->state == SIM_PROC_DEAD;
    if (dead || !q->argv || !q->argv[0]) return sim_format(p, "[%s]%s", q->comm, dead ? " <defunct>" : "");
    for (char **arg = q->argv; *arg; arg++) sim_text_printf(&text, "%s%s", arg == q->argv ? "" : " ", *arg);
    return sim_text_get(&text);
}

static const char *ps_elapsed(struct sim_proc *p, int64_t seconds) {
    if (seconds >= 86400)
        return sim_format(p, "%lld-%02lld:%02lld:%02lld", (long long)(seconds / 86400),
                          (long long)(seconds / 3600 % 24), (long long)(seconds / 60 % 60), (long long)(seconds % 60));
    if (seconds >= 3600)
        return sim_format(p, "%02lld:%02lld:%02lld", (long long)(seconds / 3600), (long long)(seconds / 60 % 60),
                          (long long)(seconds % 60));
    return sim_format(p, "%02lld:%02lld", (long long)(seconds / 60), (long long)(seconds % 60));
}

static const char *ps_value(struct sim_proc *p, const struct sim_proc *q, const char *name) {
    int dead = q->state == SIM_PROC_DEAD;
    int64_t age = sim_now(p->m->world) - q->start_ns;
    if (strcmp(name, "pid") == 0) return sim_format(p, "%d", q->pid);
    if (strcmp(name, "ppid") == 0) return sim_format(p, "%d", q->parent ? q->parent->pid : q->pid == 1 ? 0 : 1);
    if (strcmp(name, "pgid") == 0) return sim_format(p, "%d", q->pgid);
    if (strcmp(name, "sid") == 0) return sim_format(p, "%d", q->sid);
    if (strcmp(name, "user") == 0) return sim_user_name(p, p->m->uid);
    if (strcmp(name, "uid") == 0) return sim_format(p, "%lld", (long long)p->m->uid);
    if (strcmp(name, "comm") == 0) return dead ? sim_format(p, "%s <defunct>", q->comm) : q->comm;
    if (strcmp(name, "args") == 0 || strcmp(name, "cmd") == 0 || strcmp(name, "command") == 0) return ps_args(p, q);
    if (strcmp(name, "stat") == 0 || *name == 's')
        if (strcmp(name, "stime") != 0 && strcmp(name, "start") != 0)
            return dead ? "Z" : q->state == SIM_PROC_STOPPED ? "T" : q == p ? "R" : "S";
    if (strcmp(name, "tty") == 0) return "?";
    if (strcmp(name, "time") == 0) return "00:00:00";
    if (strcmp(name, "etime") == 0) return ps_elapsed(p, age / SIM_SEC);
    if (strcmp(name, "stime") == 0 || strcmp(name, "start") == 0)
        return sim_date_format(p, sim_machine_wall_ns(p->m) - age, strcmp(name, "start") == 0 ? "%H:%M:%S" : "%H:%M");
    if (name[0] == '%' || strcmp(name, "pcpu") == 0 || strcmp(name, "pmem") == 0) return "0.0";
    if (strcmp(name, "nlwp") == 0) return "1";
    return "0"; /* c, ni, and memory, which is not counted here */
}

static void ps_row(struct ps *ps, const struct sim_proc *q) {
    struct sim_mark mark = sim_mark(ps->p);
    for (int i = 0; i < ps->n; i++) {
        const struct ps_column *c = ps->shown[i].column;
        const char *text = q ? ps_value(ps->p, q, c->name) : ps->shown[i].title;
        int width = c->width < 0 && i == ps->n - 1 ? 0 : c->width;
        sim_outf(ps->p, "%s%*s", i ? " " : "", width, text);
    }
    sim_out_char(ps->p, '\n');
    sim_release(ps->p, mark);
}

static int ps_wanted(const struct ps *ps, const struct sim_proc *q) {
    for (int i = 0; i < ps->pid_count; i++)
        if (ps->pids[i] == q->pid) return 1;
    return !ps->pid_count && (ps->all || q->sid == ps->p->sid);
}

/* aux, ax, -ef and the like: letters without arguments. @return 0 for one that is not known */
static int ps_letters(struct ps *ps, const char *text, const char **form) {
    int bsd = *text != '-';
    for (text += !bsd; *text; text++) {
        if (strchr(bsd ? "ax" : "eA", *text))
            ps->all = 1;
        else if (bsd && *text == 'u')
            *form = "user,pid,%cpu,%mem,vsz,rss,tty=TTY,stat,stime=START,time,command";
        else if (!bsd && *text == 'f')
            *form = "user=UID,pid,ppid,c,stime,tty=TTY,time,cmd";
        else if (bsd && *text == 'h')
            ps->no_title = 1;
        else if (*text != 'w')
            return 0;
    }
    return 1;
}

static int tool_ps(struct sim_proc *p, int argc, char **argv) {
    struct ps *ps = sim_alloc_zero(p, sizeof *ps);
    const char *form = "pid,tty=TTY,time,comm=CMD";
    ps->p = p;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *value = NULL;
        int is_pid = strncmp(a, "-p", 2) == 0 || strncmp(a, "--pid", 5) == 0;
        int is_form = strncmp(a, "-o", 2) == 0 || strcmp(a, "o") == 0 || strncmp(a, "--format", 8) == 0;
        int good = 1;
        if (is_pid || is_form) {
            value = a[0] == '-' && a[1] == '-' ? strchr(a, '=') : a[0] == '-' && a[2] ? a + 1 : NULL;
            value = value ? value + 1 : i + 1 < argc ? argv[++i] : "";
            good = is_pid ? ps_pids(ps, value) : ps_format(ps, value);
        } else if (strcmp(a, "--no-headers") == 0 || strcmp(a, "--no-heading") == 0) {
            ps->no_title = 1;
        } else if (sim_digits(a) > 0) {
            good = ps_pids(ps, a);
        } else {
            good = ps_letters(ps, a, &form);
        }
        if (!good) return sim_unsupported(p, "ps %s%s%s", a, value ? " " : "", value ? value : "");
    }
    if (!ps->n && !ps_format(ps, form)) return sim_unsupported(p, "ps %s", form);
    int titled = 0;
    for (int i = 0; i < ps->n; i++) titled |= *ps->shown[i].title != 0;
    if (titled && !ps->no_title) ps_row(ps, NULL);
    for (const struct sim_proc *q = p->m->procs; q; q = q->next) {
        if (!ps_wanted(ps, q)) continue;
        ps_row(ps, q);
        ps->hits++;
    }
    return ps->hits == 0;
}

const struct sim_tool sim_tools_ps[] = {{"ps", tool_ps}, {NULL, NULL}};
