/* Durable runs over real shells, in the folder of a test: what their tests begin with. */
#ifndef TESTS_SUPPORT_RUN_HOST_H
#define TESTS_SUPPORT_RUN_HOST_H

#include "shell_host.h"

/** Where the runs of a host are; `@` is the test's folder. */
#define RUNS "@/.sandport/v1/runs"

/** How the run stood at the last successful call. */
extern struct sbx_run_status run_status;

/** `@` in the command is the test's folder; cwd, env and lifetime are host->opt's (60 s unless it says). */
enum sbx_status run_submit(struct shell_host *host, const char *id, const char *command);
enum sbx_status run_poll(struct shell_host *host, const char *id);
enum sbx_status run_kill(struct shell_host *host, const char *id);
/** @param log the caller's to free, also on failure */
enum sbx_status run_read(struct shell_host *host, const char *id, int64_t out_from, int64_t err_from, int64_t max,
                         struct sbx_log **log);

/** Polls until it has ended; one that does not end fails by the suite's time limit. */
void run_await(struct shell_host *host, const char *id);

/** A shell command of the test's own, which must succeed; `@` is the test's folder. */
void run_outside(const struct shell_host *host, const char *command);

#endif
