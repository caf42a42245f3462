/* kill, as a builtin and as a program. */
#include "sim/machine/sh/sh.h"
#include "sim/machine/tool.h"
#include <string.h>

static int kill_list(struct sim_proc *p, int argc, char **argv) {
    if (argc > 2) {
        int n = sim_digits(argv[2]);
        const char *name = sim_signal_name(n > 128 ? n - 128 : n);
        if (name)
            sim_outf(p, "%s\n", name);
        else if (sim_signal_number(argv[2]) > 0)
            sim_outf(p, "%d\n", sim_signal_number(argv[2]));
        else
            return 1;
        return 0;
    }
    for (int i = 1; i < SIM_SIGNAL_COUNT; i++) sim_outf(p, "%s\n", sim_signal_name(i));
    return 0;
}

int sim_kill_tool(struct sim_proc *p, int argc, char **argv) {
    int i = 1, signal = SIM_SIGTERM, status = 0;
    if (argc > 1 && (strcmp(argv[1], "-l") == 0 || strcmp(argv[1], "-L") == 0)) return kill_list(p, argc, argv);
    if (argc > 2 && (strcmp(argv[1], "-s") == 0 || strcmp(argv[1], "-n") == 0)) {
        signal = sim_signal_number(argv[2]);
        i = 3;
    } else if (argc > 1 && argv[1][0] == '-' && argv[1][1] && strcmp(argv[1], "--") != 0) {
        signal = sim_signal_number(argv[1] + 1);
        i = 2;
    }
    if (signal < 0) {
        sim_errf(p, "kill: invalid signal number or name: %s\n", argv[i - 1]);
        return p->argv && strcmp(sim_base_name(argv[0]), "kill") == 0 ? 1 : 2;
    }
    if (i < argc && strcmp(argv[i], "--") == 0) i++;
    if (i >= argc) {
        sim_errf(p, "kill: usage: kill [-s sigspec | -signum | -sigspec] [pid | job]...\n");
        return 2;
    }
    for (; i < argc; i++) {
        int negative = argv[i][0] == '-';
        int32_t pid = sim_digits(argv[i] + negative);
        if (pid < 0) {
            sim_errf(p, "kill: Illegal number: %s\n", argv[i]);
            status = 2;
            continue;
        }
        sim_out_flush(p);
        int e = sim_sys_kill(p, negative ? -pid : pid, signal);
        if (!e) continue;
        sim_errf(p, "kill: (%s) - %s\n", argv[i], sim_strerror(-e));
        status = 1;
    }
    return status;
}
