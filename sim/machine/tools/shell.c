/* The shells, and builtins of theirs that are programs too; yes. */
#include "sim/machine/sh/sh.h"
#include "sim/machine/tools/tools.h"
#include <string.h>

static int tool_true(struct sim_proc *p, int argc, char **argv) {
    (void)p, (void)argc, (void)argv;
    return 0;
}

static int tool_false(struct sim_proc *p, int argc, char **argv) {
    (void)p, (void)argc, (void)argv;
    return 1;
}

static int tool_echo(struct sim_proc *p, int argc, char **argv) {
    return sim_echo(p, argc, argv, 0);
}

static int tool_printf(struct sim_proc *p, int argc, char **argv) {
    return sim_printf(p, "printf", argc, argv);
}

static int tool_yes(struct sim_proc *p, int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--") == 0) {
        argv++;
        argc--;
    }
    for (;;) {
        for (int i = 1; i < argc; i++) sim_outf(p, "%s%s", i > 1 ? " " : "", argv[i]);
        sim_out_str(p, argc > 1 ? "\n" : "y\n");
        if (p->out_error) return 1;
    }
}

const struct sim_tool sim_tools_shell[] = {{"sh", sim_sh_main},     {"bash", sim_sh_main}, {"dash", sim_sh_main},
                                           {"true", tool_true},     {"false", tool_false}, {"echo", tool_echo},
                                           {"printf", tool_printf}, {"test", sim_test},    {"[", sim_test},
                                           {"kill", sim_kill_tool}, {"yes", tool_yes},     {NULL, NULL}};
