/* date. */
#include "sim/machine/tools/date.h"
#include "sim/machine/tools/tools.h"
#include <string.h>

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

const struct sim_tool sim_tools_date[] = {{"date", tool_date}, {NULL, NULL}};
