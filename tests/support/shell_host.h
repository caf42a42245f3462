/* A host for src/work over real shells: gives the line to a shell's standard input as a provider's daemon does, merges
 * both outputs, answers when nobody holds them any more - and loses, replays or ends requests on demand.
 *
 * Every test of it runs twice, with dash and with bash as /bin/sh: shell_host_each(). */
#ifndef TESTS_SUPPORT_SHELL_HOST_H
#define TESTS_SUPPORT_SHELL_HOST_H

#include <sandport/kit/work.h>
#include <sys/types.h>

enum shell_step_kind {
    SHELL_PASS,    /* run it, hand over the text */
    SHELL_LOSE,    /* run it to its end, lose the text: `status`, outcome UNKNOWN */
    SHELL_DROP,    /* do not run it: `status`, `outcome` */
    SHELL_ABANDON, /* start it, wait until the command says so through the fifo, then `status` while it goes on */
    SHELL_KILL,    /* the same, and SIGKILL for the group of the request, as a provider's own timeout does */
    SHELL_REPEAT,  /* run it `count` times one after the other, hand over the last text */
    SHELL_AT_ONCE  /* run it `count` times at once, hand over the last text to come */
};

struct shell_step {
    enum shell_step_kind kind;
    enum sbx_status status;
    enum sbx_outcome outcome;
    int count;
};

#define SHELL_NONCES 16
#define SHELL_LEFT   16

struct shell_host {
    struct sbx_work_host work;
    struct sbx_env *env;
    char dir[64];   /* of this test: `count` is appended to by commands, `fifo` tells that one has begun */
    char sh[128];   /* what stands for /bin/sh */
    char outer[64]; /* what gets the line on its standard input */
    const struct shell_step *steps; /* of the requests in order; SHELL_PASS after the last */
    size_t step_count;
    size_t requests;    /* so far */
    size_t starts;      /* shells started so far */
    const char *before; /* text that comes out before and after the answer's, or NULL */
    const char *after;
    const char *edit_find; /* in the line of the first request: this text, which must be there, ... */
    const char *edit_with; /* ... becomes this */
    const char *ask_find;  /* the same for the requests after the first */
    const char *ask_with;
    char path[96]; /* PATH of the commands; "" = as it is */
    char last_line[256 * 1024];
    char nonces[SHELL_NONCES][33];
    size_t nonce_count;
    pid_t left[SHELL_LEFT]; /* started and not waited for */
    size_t left_count;
    struct sbx_exec_options opt;
    struct sbx_call call;
    struct sbx_error err;
    struct sbx_exec_result *result;
};

/** Runs `test` with each kind of shell, on a fresh host; removes what it left. */
void shell_host_each(void (*test)(struct shell_host *host));

/** The command, with every `@` in it replaced by the test's folder, and all that is in host->opt, host->call. */
enum sbx_status shell_host_exec(struct shell_host *host, const char *command);

/** Sends the last line again, or one of your own, with no step applied; the text is dropped. */
void shell_host_replay(struct shell_host *host, const char *line);

/** How many commands have said `echo x >>@/count`. */
int shell_host_count(const struct shell_host *host);

/** Is anything there called `name` in the directory of the latest nonce? "" asks for the directory. */
int shell_host_has(const struct shell_host *host, const char *name);

/** Makes a folder with links to those tools and nothing else, and gives an edit of the line that makes it the script's
 * PATH.
 *  @param tools separated by spaces */
void shell_host_tools(struct shell_host *host, const char *tools);

/** The same, but as the PATH of the commands alone. */
void shell_host_commands(struct shell_host *host, const char *tools);

#endif
