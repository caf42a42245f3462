/* Running a builtin: what its errors are to the shell, and its output. */
#include "sim/machine/sh/sh.h"
#include <string.h>

struct builtin_call {
    const struct sh_builtin *builtin;
    int argc;
    char **argv;
};

static int builtin_run(struct sh *sh, void *arg) {
    const struct builtin_call *run = arg;
    return run->builtin->run(sh, run->argc, run->argv);
}

int sim_sh_run_builtin(struct sh *sh, const struct sh_builtin *builtin, int argc, char **argv, int guarded) {
    struct builtin_call run = {builtin, argc, argv};
    const char *outer = sh->command;
    int status;
    if (!sh->bash) sh->command = argv[0];
    if (sh->bash || guarded || !builtin->special)
        sim_sh_try(sh, SH_FAIL_BUILTIN, builtin_run, &run, &status);
    else
        status = builtin_run(sh, &run);
    int e = sim_out_flush(sh->p);
    if (e) {
        sh->p->out_error = 0;
        if (sh->bash)
            sim_sh_warn(sh, "%s: write error: %s", argv[0], sim_strerror(e));
        else
            sim_sh_warn(sh, "%s: I/O error", argv[0]);
        if (!status) status = 1;
    }
    sh->command = outer;
    return status;
}
