/* Builtins about processes, and those that wrap a tool of the same name: wait, kill, jobs, times, ulimit, hash; echo,
 * printf, test. */
#include "sim/machine/sh.h"
#include <stdlib.h>
#include <string.h>

/* %1, %% and %+ as a process number; anything else is one already. @return 0 if there is no such job */
static int32_t jobs_pid(const struct sh *sh, const char *text) {
    int32_t n = sim_digits(text + (text[0] == '%')), i = 1;
    if (text[0] != '%') return n > 0 ? n : 0;
    const struct sh_job *job = sh->jobs;
    if (n <= 0)
        while (job && job->next) job = job->next;
    else
        while (job && i++ < n) job = job->next;
    return job ? job->pid : 0;
}

static int jobs_wait(struct sh *sh, int argc, char **argv) {
    int status = 0, i = 1;
    if (argc > 1 && strcmp(argv[1], "--") == 0) i++;
    if (i < argc && argv[i][0] == '-' && sh->bash) sim_sh_unsupported(sh, "wait %s", argv[i]);
    if (i >= argc) {
        while (sh->jobs && !sh->p->pending) {
            status = sim_sh_job_wait(sh, sh->jobs->pid, 1);
            if (sh->p->pending && status > 128) return status;
            if (sh->jobs && status == 127) break;
        }
        return 0;
    }
    for (; i < argc; i++) {
        int32_t pid = jobs_pid(sh, argv[i]);
        if (!pid) sim_sh_fail(sh, 2, "wait: Illegal number: %s", argv[i]);
        status = sim_sh_job_wait(sh, pid, 1);
        if (sh->p->pending && status > 128) return status;
    }
    return status;
}

static int jobs_kill(struct sh *sh, int argc, char **argv) {
    char **copy = sim_alloc(sh->p, ((size_t)argc + 1) * sizeof *copy);
    for (int i = 0; i < argc; i++) {
        int32_t pid = argv[i][0] == '%' ? jobs_pid(sh, argv[i]) : 0;
        copy[i] = pid ? sim_format(sh->p, sh->opt_m ? "-%d" : "%d", pid) : argv[i];
    }
    copy[argc] = NULL;
    return sim_kill_tool(sh->p, argc, copy);
}

static int jobs_list(struct sh *sh, int argc, char **argv) {
    int pids = argc > 1 && strcmp(argv[1], "-p") == 0, n = 1;
    if (argc > 1 && !pids) sim_sh_unsupported(sh, "jobs %s", argv[1]);
    for (const struct sh_job *job = sh->jobs; job; job = job->next, n++) {
        if (pids)
            sim_outf(sh->p, "%d\n", job->pid);
        else
            sim_outf(sh->p, "[%d] %c %s\n", n, job->next ? '-' : '+', job->done ? "Done" : "Running");
    }
    return 0;
}

static int jobs_times(struct sh *sh, int argc, char **argv) {
    (void)argc, (void)argv;
    sim_out_str(sh->p, "0m0.000000s 0m0.000000s\n0m0.000000s 0m0.000000s\n");
    return 0;
}

static int jobs_ulimit(struct sh *sh, int argc, char **argv) {
    if (argc > 2 || (argc == 2 && argv[1][0] != '-')) sim_sh_unsupported(sh, "setting limits with ulimit");
    if (argc == 2 && strcmp(argv[1], "-n") == 0)
        sim_outf(sh->p, "%d\n", SIM_FD_MAX);
    else if (argc == 2 && strcmp(argv[1], "-u") == 0)
        sim_outf(sh->p, "%lld\n", (long long)sh->p->m->process_max);
    else if (argc == 2 && strcmp(argv[1], "-a") == 0)
        sim_sh_unsupported(sh, "ulimit -a");
    else
        sim_out_str(sh->p, "unlimited\n");
    return 0;
}

static int jobs_hash(struct sh *sh, int argc, char **argv) {
    int status = 0, why;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' || sim_sh_builtin(sh, argv[i])) continue;
        if (sim_program_find(sh->p, argv[i], sim_sh_get(sh, "PATH"), &why)) continue;
        sim_sh_warn(sh, "hash: %s: not found", argv[i]);
        status = 1;
    }
    return status;
}

static int jobs_unsupported(struct sh *sh, int argc, char **argv) {
    (void)argc;
    sim_sh_unsupported(sh, "%s", argv[0]);
}

const struct sh_builtin sim_sh_builtins_jobs[] = {{"wait", jobs_wait, 0},
                                                  {"kill", jobs_kill, 0},
                                                  {"jobs", jobs_list, 0},
                                                  {"times", jobs_times, 1},
                                                  {"ulimit", jobs_ulimit, 0},
                                                  {"hash", jobs_hash, 0},
                                                  {"fg", jobs_unsupported, 0},
                                                  {"bg", jobs_unsupported, 0},
                                                  {"alias", jobs_unsupported, 0},
                                                  {"unalias", jobs_unsupported, 0},
                                                  {NULL, NULL, 0}};

static int text_echo(struct sh *sh, int argc, char **argv) {
    return sim_echo(sh->p, argc, argv, sh->bash ? 0 : 1);
}

static int text_printf(struct sh *sh, int argc, char **argv) {
    if (sh->bash && argc > 1 && strcmp(argv[1], "-v") == 0) sim_sh_unsupported(sh, "printf -v");
    return sim_printf(sh->p, "printf", argc, argv);
}

static int text_test(struct sh *sh, int argc, char **argv) {
    return sim_test(sh->p, argc, argv);
}

const struct sh_builtin sim_sh_builtins_text[] = {
    {"[", text_test, 0}, {"test", text_test, 0}, {"echo", text_echo, 0}, {"printf", text_printf, 0}, {NULL, NULL, 0}};
