/* sandport-sim --exec host as its users meet it: real programs in sandboxes that Daytona's adapter launched over real
 * HTTP, what they cannot reach, and what is left when the program ends. */
#include "running.h"
#include "t.h"

#include <dirent.h>
#include <errno.h>
#include <sandport/curl.h>
#include <sandport/daytona.h>
#include <sandport/kit/text.h>
#include <sandport/sandport.h>
#include <sandport/sim.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The program, and a sandbox of it. */
struct served {
    struct running r;
    char temporary[64]; /* where its scratch folder is */
    char endpoint[64];
    struct sbx_env *env;
    struct sbx_runtime *rt;
    struct sbx_sandbox *sb;
    struct sbx_error err;
};

static void check(const struct served *s, enum sbx_status st, const char *what) {
    char line[512];
    if (!st) return;
    sbx_error_describe(&s->err, line, sizeof(line));
    T_FAIL("%s: %s", what, line);
}

#define DO(call) check(&s, call, #call)

static struct served served_start(const char *const *more) {
    struct served s = {.temporary = "/tmp/sandport-host-XXXXXX"};
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    const char *options[10] = {"--exec", "host"};
    for (size_t i = 0; more && more[i]; i++) options[i + 2] = more[i];
    T_TRUE(mkdtemp(s.temporary) != NULL);
    T_EQ(chmod(s.temporary, 0755), 0);
    setenv("TMPDIR", s.temporary, 1);
    s.r = running_start(options);
    snprintf(s.endpoint, sizeof(s.endpoint), "http://127.0.0.1:%d/api", s.r.daytona);
    sbx_error_init(&s.err, sizeof(s.err));
    T_STATUS(sbx_curl_env_create(NULL, &s.env), SBX_OK);
    opt.endpoint = s.endpoint;
    opt.api_key = SBX_SIM_DAYTONA_KEY;
    DO(sbx_daytona_create(&opt, s.env, &s.rt, &s.err));
    DO(sbx_runtime_launch(s.rt, NULL, NULL, &s.sb, &s.err));
    return s;
}

static void served_free(struct served *s) {
    sbx_sandbox_free(s->sb);
    sbx_runtime_free(s->rt);
    sbx_env_free(s->env);
}

static void served_end(struct served *s) {
    served_free(s);
    T_EQ(running_stop(&s->r), 0);
    if (rmdir(s->temporary)) T_FAIL("%s: something was left behind", s->temporary);
}

/* Runs a command that must say this on both streams and end so. */
static void run(struct served *at, const char *command, const char *out, int code) {
    struct sbx_exec_result *result = NULL;
    struct served s = *at;
    DO(sbx_sandbox_exec(s.sb, command, NULL, NULL, &result, &s.err));
    T_STR(sbx_exec_result_stdout(result, NULL), out);
    T_EQ(sbx_exec_result_exit_code(result), code);
    T_TRUE(sbx_exec_result_bytes_exact(result));
    sbx_exec_result_free(result);
}

static void files_go_both_ways(struct served *at) {
    static char bytes[300000];
    struct served s = *at;
    struct sbx_memory_reader memory;
    struct sbx_buf got = SBX_BUF_INIT;
    for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (char)(i * 31 % 256);
    const struct sbx_reader from = sbx_memory_reader_init(&memory, bytes, sizeof(bytes));
    const struct sbx_sink to = sbx_buf_sink(&got);
    DO(sbx_sandbox_upload(s.sb, "up/bytes", &from, NULL, NULL, NULL, &s.err));
    run(&s, "python3 -c 'd = open(\"up/bytes\", \"rb\").read(); open(\"back\", \"wb\").write(d[::-1]); print(len(d))'",
        "300000\n", 0);
    DO(sbx_sandbox_download(s.sb, "back", &to, NULL, NULL, NULL, &s.err));
    for (size_t i = 0; i < sizeof(bytes) / 2; i++) {
        const char one = bytes[i];
        bytes[i] = bytes[sizeof(bytes) - 1 - i];
        bytes[sizeof(bytes) - 1 - i] = one;
    }
    T_MEM(got.data, got.len, bytes, sizeof(bytes));
    sbx_buf_finish(&got);
}

static void a_session_lives_on(struct served *at) {
    struct served s = *at;
    struct sbx_session *session = NULL;
    struct sbx_exec_result *result = NULL;
    DO(sbx_session_open(s.sb, NULL, &session, &s.err));
    DO(sbx_session_exec(session, "cd /tmp; word=kept", NULL, NULL, &result, &s.err));
    sbx_exec_result_free(result);
    DO(sbx_session_exec(session, "pwd; echo $word; echo aside >&2; (exit 5)", NULL, NULL, &result, &s.err));
    T_STR(sbx_exec_result_stdout(result, NULL), "/tmp\nkept\n");
    T_STR(sbx_exec_result_stderr(result, NULL), "aside\n");
    T_EQ(sbx_exec_result_exit_code(result), 5);
    sbx_exec_result_free(result);
    DO(sbx_session_close(session, NULL, &s.err));
    sbx_session_free(session);
}

static void a_durable_run_ends(struct served *at) {
    struct served s = *at;
    struct sbx_run_status status;
    struct sbx_run *run_handle = NULL;
    sbx_run_status_init(&status, sizeof(status));
    DO(sbx_sandbox_submit(s.sb, "job-1", "python3 -c 'print(2**100)'; exit 3", NULL, NULL, NULL, &s.err));
    DO(sbx_run_open(s.sb, "job-1", &run_handle, &s.err));
    DO(sbx_run_wait(run_handle, NULL, &status, &s.err));
    T_EQ(status.exit_code, 3);
    sbx_run_free(run_handle);
}

static void the_adapter_uses_a_real_sandbox(void) {
    struct served s = served_start(NULL);
    run(&s, "python3 -c 'import sys; print(6 * 7); sys.exit(3)'", "42\n", 3);
    run(&s,
        "git init -q r && cd r && git config user.email a@b.c && git config user.name n && echo x >y && "
        "git add y && git commit -qm one && git log --format=%s",
        "one\n", 0);
    run(&s, "kill -TERM $$", "", 128 + SIGTERM);
    files_go_both_ways(&s);
    a_session_lives_on(&s);
    a_durable_run_ends(&s);
    DO(sbx_sandbox_stop(s.sb, NULL, NULL, &s.err));
    DO(sbx_sandbox_start(s.sb, NULL, NULL, NULL, &s.err));
    run(&s, "wc -c <back | tr -d ' '", "300000\n", 0);
    DO(sbx_sandbox_destroy(s.sb, NULL, &s.err));
    served_end(&s);
}

static void a_sandbox_reaches_nothing_of_the_host(void) {
    struct served s = served_start(NULL);
    char script[256];
    run(&s, "id -u; id -un; pwd", "1000\ndaytona\n/home/daytona\n", 0);
    run(&s, "touch /usr/x 2>/dev/null; echo $?; touch /etc/x 2>/dev/null; echo $?", "1\n1\n", 0);
    run(&s, "v=/proc/sys/kernel/randomize_va_space; (cat $v >$v) 2>/dev/null || echo refused", "refused\n", 0);
    run(&s, "grep -c . /proc/net/route; grep CapEff /proc/self/status | tr -d '\\t'", "1\nCapEff:0000000000000000\n",
        0);
    run(&s, "kill -9 1; ls /proc | grep -c '^1$'", "1\n", 0);
    snprintf(script, sizeof(script), "ls %s 2>/dev/null; ls /proc/1/root/home; find /dev -type b", s.temporary);
    run(&s, script, "", 0);
    DO(sbx_sandbox_destroy(s.sb, NULL, &s.err));
    served_end(&s);
}

static void same_network(const char *const *more, int same) {
    struct served s = served_start(more);
    char own[64] = "", line[160];
    T_TRUE(readlink("/proc/self/ns/net", own, sizeof(own) - 1) > 0);
    snprintf(line, sizeof(line), "test \"$(readlink /proc/self/ns/net)\" = '%s'", own);
    run(&s, line, "", !same);
    DO(sbx_sandbox_destroy(s.sb, NULL, &s.err));
    served_end(&s);
}

static void the_network_is_the_hosts_only_when_asked_for(void) {
    static const char *const asked[] = {"--host-network", NULL};
    same_network(NULL, 0);
    same_network(asked, 1);
}

static void code_run_has_real_interpreters(void) {
    struct served s = served_start(NULL);
    char id[SBX_ID_SIZE], target[160], *answer = NULL;
    sbx_sandbox_id(s.sb, id);
    snprintf(target, sizeof(target), "/toolbox/%s/process/code-run", id);
    const char *json = ask_ok(s.r.daytona, "POST", target, KEY_HEADER "Content-Type: application/json\r\n",
                              "{\"code\":\"print(6*7)\",\"language\":\"python\"}", 200, &answer);
    T_CONTAINS(json, "\"exitCode\":0");
    T_CONTAINS(json, "\"result\":\"42\\n\"");
    free(answer);
    json = ask_ok(s.r.admin, "GET", "/_sim/health", "", NULL, 200, &answer);
    T_CONTAINS(json, "\"exec\":\"host\"");
    T_CONTAINS(json, "/bwrap\"");
    free(answer);
    DO(sbx_sandbox_destroy(s.sb, NULL, &s.err));
    served_end(&s);
}

/* ---- what is left ---- */

/* Is there a process with this word on its command line? */
static int process_is_there(const char *word) {
    DIR *proc = opendir("/proc");
    int found = 0;
    T_TRUE(proc != NULL);
    for (const struct dirent *entry; (entry = readdir(proc)) != NULL;) {
        char path[300], text[512];
        snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
        FILE *f = entry->d_name[strspn(entry->d_name, "0123456789")] ? NULL : fopen(path, "r");
        const size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
        if (f) fclose(f);
        for (size_t i = 0; i < n; i++)
            if (!text[i]) text[i] = ' ';
        text[n] = 0;
        found |= strstr(text, word) != NULL;
    }
    closedir(proc);
    return found;
}

/* Each looking takes a while of its own: 10 s and more in all. */
static void gone_soon(const char *word) {
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    for (int tries = 0; process_is_there(word); tries++) {
        if (tries == 1000) T_FAIL("a process outlived its server");
        nanosleep(&pause, NULL);
    }
}

static void leave_processes(struct served *s, char word[32]) {
    char script[160];
    snprintf(word, 32, "%d%06d", 7, (int)getpid());
    snprintf(script, sizeof(script), "setsid sleep %s >/dev/null 2>&1 & sleep %s >/dev/null 2>&1 & echo up", word,
             word);
    run(s, script, "up\n", 0);
    T_TRUE(process_is_there(word));
}

static void a_stop_ends_all_processes(void) {
    struct served s = served_start(NULL);
    char word[32];
    leave_processes(&s, word);
    DO(sbx_sandbox_stop(s.sb, NULL, NULL, &s.err));
    gone_soon(word);
    served_end(&s);
}

static void nothing_outlives_the_program_that_is_told_to_end(void) {
    struct served s = served_start(NULL);
    char word[32];
    leave_processes(&s, word);
    served_end(&s);
    T_TRUE(!process_is_there(word));
}

static void remove_all(const char *folder) {
    char line[128];
    snprintf(line, sizeof(line), "rm -r %s", folder);
    T_TRUE(strncmp(folder, "/tmp/sandport-host-", 19) == 0 && system(line) == 0);
}

static void no_process_outlives_the_program_that_is_killed(void) {
    struct served s = served_start(NULL);
    char word[32];
    int status = 0;
    leave_processes(&s, word);
    kill(s.r.pid, SIGKILL);
    T_EQ(waitpid(s.r.pid, &status, 0), s.r.pid);
    gone_soon(word);
    served_free(&s);
    remove_all(s.temporary);
}

static void without_isolation_it_works_too_and_ends_too(void) {
    static const char *const plain[] = {"--unsafe-no-isolation", NULL};
    struct served s = served_start(plain);
    char word[32], *home = NULL;
    DO(sbx_sandbox_home_dir(s.sb, NULL, &home, &s.err));
    T_CONTAINS(home, s.temporary);
    sbx_text_free(home);
    run(&s, "python3 -c 'print(1)'; exit 4", "1\n", 4);
    files_go_both_ways(&s);
    a_session_lives_on(&s);
    leave_processes(&s, word);
    DO(sbx_sandbox_destroy(s.sb, NULL, &s.err));
    gone_soon(word);
    served_end(&s);
}

/* ---- bubblewrap ---- */

static char out[16384], err[16384];

/* `run --exec host -- true` with a PATH of one folder, in which `bwrap` is this script; NULL = none. */
static int with_bwrap(const char *script, const char *more) {
    char folder[] = "/tmp/sandport-host-XXXXXX", path[64];
    T_TRUE(mkdtemp(folder) != NULL);
    T_EQ(chmod(folder, 0755), 0);
    snprintf(path, sizeof(path), "%s/bwrap", folder);
    FILE *f = script ? fopen(path, "w") : NULL;
    if (script) {
        T_TRUE(f && fputs(script, f) >= 0 && fclose(f) == 0);
        T_EQ(chmod(path, 0755), 0);
    }
    unsetenv("TMPDIR");
    setenv("PATH", folder, 1);
    const char *const args[] = {"run",
                                "--exec",
                                "host",
                                more ? more : "--seed",
                                more ? "--" : "1",
                                more ? "/bin/true" : "--",
                                more ? NULL : "/bin/true",
                                NULL};
    const int status = program_run(args, out, err);
    setenv("PATH", "/usr/bin:/bin", 1);
    remove_all(folder);
    return status;
}

static void without_bubblewrap_it_does_not_start(void) {
    T_EQ(with_bwrap(NULL, NULL), 69);
    T_CONTAINS(err, "bubblewrap is not installed");
    T_CONTAINS(err, "apt-get install bubblewrap");
    T_CONTAINS(err, "--unsafe-no-isolation");
    T_EQ(with_bwrap(NULL, "--unsafe-no-isolation"), 0);
    T_CONTAINS(err, "warning: --unsafe-no-isolation");
}

static void must_fire_host_needs_isolation__bwrap_that_fails(void) {
    T_EQ(with_bwrap("#!/bin/sh\necho 'no permissions to create a namespace' >&2\nexit 1\n", NULL), 69);
    T_CONTAINS(err, "bubblewrap does not work here: no permissions to create a namespace");
}

static void must_not_fire_host_needs_isolation__bwrap_that_works(void) {
    T_EQ(with_bwrap("#!/bin/sh\nPATH=/usr/local/bin:/usr/bin:/bin\nexec bwrap \"$@\"\n", NULL), 0);
    T_STR(err, "");
}

T_CASES(T_CASE(the_adapter_uses_a_real_sandbox), T_CASE(a_sandbox_reaches_nothing_of_the_host),
        T_CASE(the_network_is_the_hosts_only_when_asked_for), T_CASE(code_run_has_real_interpreters),
        T_CASE(a_stop_ends_all_processes), T_CASE(nothing_outlives_the_program_that_is_told_to_end),
        T_CASE(no_process_outlives_the_program_that_is_killed), T_CASE(without_isolation_it_works_too_and_ends_too),
        T_CASE(without_bubblewrap_it_does_not_start), T_CASE(must_fire_host_needs_isolation__bwrap_that_fails),
        T_CASE(must_not_fire_host_needs_isolation__bwrap_that_works))
