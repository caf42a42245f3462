/* Builtins about processes, and those that wrap a tool of the same name: wait, kill, jobs, times, ulimit, hash; echo,
 * printf, test. */
#include "sim/machine/sh/sh.h"
#include <stdlib.h>
#include <string.h>

/* %1, %% and %+ as a process number; anything else is one already. @return 0 if there is no such job */
static int32_t jobs_pid(const struct sh *sh, const char *text) {
    int32_t n = sim_digits(text + (text[0] == '%')), i = 1;
    if (text[0] != '%') return n > 0 ? n : 0;
    const struct sh_job *job = sh->jobs;
    while (job && job->waited) job = job->next;
    if (n <= 0)
        while (job && job->next) job = job->next;
    else
        for (; job && i < n; job = job->next) i += !job->waited;
    return job ? job->pid : 0;
}

static int jobs_wait(struct sh *sh, int argc, char **argv) {
    int status = 0, i = 1;
    if (argc > 1 && strcmp(argv[1], "--") == 0) i++;
    if (i < argc && argv[i][0] == '-' && sh->bash) sim_sh_unsupported(sh, "wait %s", argv[i]);
    if (i < argc && argv[i][0] == '-') sim_sh_fail(sh, 2, "Illegal option %s", argv[i]);
    if (i >= argc) return sim_sh_job_wait_all(sh);
    for (; i < argc; i++) {
        int32_t pid = jobs_pid(sh, argv[i]);
        if (!pid && argv[i][0] == '%') {
            sim_sh_warn(sh, sh->bash ? "wait: %s: no such job" : "No such job: %s", argv[i]);
            status = sh->bash ? 127 : 2;
            continue;
        }
        if (!pid)
            sim_sh_fail(sh, 1, sh->bash ? "wait: `%s': not a pid or valid job spec" : "Illegal number: %s", argv[i]);
        status = sim_sh_job_wait(sh, pid, 1);
        if (sh->p->pending && status > 128) return status;
    }
    return status;
}

/* A signal's name that this shell does not take. */
static int jobs_bad_signal(struct sh *sh, const char *name) {
    if (sh->bash)
        sim_sh_warn(sh, "kill: %s: invalid signal specification", name);
    else
        sim_sh_warn(sh, "invalid signal number or name: %s", name);
    return sh->bash ? 1 : 2;
}

static int jobs_kill(struct sh *sh, int argc, char **argv) {
    char **copy = sim_alloc(sh->p, ((size_t)argc + 1) * sizeof *copy);
    if (argc > 2 && strcmp(argv[1], "-s") == 0 && sim_sh_signal(sh, argv[2]) < 0) return jobs_bad_signal(sh, argv[2]);
    if (argc > 1 && argv[1][0] == '-' && argv[1][1] && !strchr("lLsn-", argv[1][1]) &&
        sim_sh_signal(sh, argv[1] + 1) < 0 && sim_signal_number(argv[1] + 1) < 0)
        return jobs_bad_signal(sh, argv[1] + 1);
    for (int i = 0; i < argc; i++) {
        int32_t pid = argv[i][0] == '%' ? jobs_pid(sh, argv[i]) : 0;
        copy[i] = pid ? sim_format(sh->p, sh->opt_m || !sh->bash ? "-%d" : "%d", pid) : argv[i];
    }
    copy[argc] = NULL;
    return sim_kill_tool(sh->p, argc, copy);
}

static int jobs_list(struct sh *sh, int argc, char **argv) {
    int pids = argc > 1 && strcmp(argv[1], "-p") == 0, n = 1;
    if (argc > 1 && !pids) sim_sh_unsupported(sh, "jobs %s", argv[1]);
    for (const struct sh_job *job = sh->jobs; job; job = job->next) {
        if (job->waited) continue;
        if (pids)
            sim_outf(sh->p, "%d\n", job->pid);
        else if (sh->bash)
            sim_sh_unsupported(sh, "jobs: the text of a command");
        else
            sim_outf(sh->p, "[%d] %c %s\n", n, job->next ? '-' : '+', job->done ? "Done" : "Running");
        n++;
    }
    return 0;
}

static int jobs_times(struct sh *sh, int argc, char **argv) {
    (void)argc, (void)argv;
    sim_out_str(sh->p, "0m0.000000s 0m0.000000s\n0m0.000000s 0m0.000000s\n");
    return 0;
}

static int jobs_unsupported(struct sh *sh, int argc, char **argv) {
    (void)argc;
    sim_sh_unsupported(sh, "%s", argv[0]);
}

const struct sh_builtin sim_sh_builtins_jobs[] = {
    {"wait", jobs_wait, 0},      {"kill", jobs_kill, 0},      {"jobs", jobs_list, 0}, {"times", jobs_times, 1},
    {"fg", jobs_unsupported, 0}, {"bg", jobs_unsupported, 0}, {NULL, NULL, 0}};

static int text_echo(struct sh *sh, int argc, char **argv) {
    return sim_echo(sh->p, argc, argv, sh->bash ? 0 : 1);
}

static int text_printf(struct sh *sh, int argc, char **argv) {
    if (sh->bash && argc > 1 && strcmp(argv[1], "-v") == 0) sim_sh_unsupported(sh, "printf -v");
    return sim_printf(sh->p, "printf", argc, argv);
}

static int text_test(struct sh *sh, int argc, char **argv) {
    return sim_test_as(sh->p, argc, argv, !sh->bash);
}

const struct sh_builtin sim_sh_builtins_text[] = {
    {"[", text_test, 0}, {"test", text_test, 0}, {"echo", text_echo, 0}, {"printf", text_printf, 0}, {NULL, NULL, 0}};
