/* The program as a user of a shell meets it: its command line, run's exit status, env's lines, the journal file. */
#include "running.h"
#include "t.h"

#include <sandport/sim.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char out[16384], err[16384];

#define RUN(...) program_run((const char *const[]){__VA_ARGS__, NULL}, out, err)

static void wrong_usage_is_64_on_stderr(void) {
    static const char *const lines[][6] = {
        {NULL},
        {"explore", NULL},
        {"serve", "--nothing", "x", NULL},
        {"serve", "--seed", NULL},
        {"serve", "--seed", "-1", NULL},
        {"serve", "--seed", "1x", NULL},
        {"serve", "--time", "slow", NULL},
        {"serve", "--exec", "host", "--time", "virtual", NULL},
        {"serve", "--unsafe-no-isolation", NULL},
        {"serve", "--host-network", NULL},
        {"serve", "--exec", "magic", NULL},
        {"serve", "--listen", "0.0.0.0", NULL},
        {"serve", "--listen", "example.com", NULL},
        {"serve", "--auto-advance", NULL},
        {"serve", "--url", "x", NULL},
        {"serve", "stray", NULL},
        {"run", NULL},
        {"run", "--", NULL},
        {"run", "true", NULL},
        {"env", NULL},
        {"env", "--seed", "1", NULL},
        {"env", "--url", "ftp://x", NULL},
        {"env", "--url", "http://127.0.0.1/_sim", NULL},
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        int status = program_run(lines[i], out, err);
        if (status != 64 || out[0] || !err[0])
            T_FAIL("%s %s: %d, out '%s', err '%s'", lines[i][0] ? lines[i][0] : "", lines[i][0] ? lines[i][1] : "",
                   status, out, err);
    }
    RUN("serve", "--exec", "host", "--time", "virtual");
    T_CONTAINS(err, "--exec host: expected --time real");
}

static void help_and_version_are_on_stdout(void) {
    T_EQ(RUN("--help"), 0);
    T_CONTAINS(out, "usage: sandport-sim serve");
    T_TRUE(!strstr(out, "explore") && !strstr(out, "replay"));
    T_STR(err, "");
    T_EQ(RUN("serve", "--help"), 0);
    T_CONTAINS(out, "usage: sandport-sim serve");
    T_EQ(RUN("--version"), 0);
    T_STR(out, "sandport-sim 0.1.0\n");
}

static void a_scenario_that_is_none_is_told(void) {
    char path[] = "/tmp/sandport-scenario-XXXXXX";
    int fd = mkstemp(path);
    T_TRUE(fd >= 0);
    T_EQ(write(fd, "{\"clouds\":1}", 12), 12);
    close(fd);
    T_EQ(RUN("serve", "--scenario", path), 65);
    T_CONTAINS(err, "scenario: ");
    unlink(path);
    T_EQ(RUN("serve", "--scenario", path), 74);
    T_CONTAINS(err, "cannot read");
    T_STR(out, "");
}

static void the_ready_line_is_all_that_serve_prints(void) {
    struct running r = running_virtual();
    char *end = strchr(r.ready, '\n');
    T_TRUE(end && !end[1]);
    T_TRUE(strncmp(r.ready, "{\"ready\":true,\"admin\":\"http://127.0.0.1:", 39) == 0);
    T_CONTAINS(r.ready, "\"providers\":{\"daytona\":{\"api_url\":\"http://127.0.0.1:");
    T_CONTAINS(r.ready, "\"api_key\":\"" SBX_SIM_DAYTONA_KEY "\"");
    T_CONTAINS(r.ready, "\"accounts\":[{\"name\":");
    T_EQ(running_stop(&r), 0);
}

static void a_signal_ends_serve_with_0_also_during_a_request(void) {
    struct running r = running_virtual();
    int fd = dial(r.daytona);
    say(fd, "POST /api/sandbox HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n" KEY_HEADER "\r\n{}");
    T_TRUE(hear_nothing(fd));
    T_EQ(running_stop(&r), 0);
    close(fd);
}

/* ---- run ---- */

static void run_gives_the_command_its_clouds(void) {
    T_EQ(RUN("run", "--", "sh", "-c", "echo \"$DAYTONA_API_URL $DAYTONA_API_KEY $SANDPORT_SIM_ADMIN\""), 0);
    T_CONTAINS(out, "http://127.0.0.1:");
    T_CONTAINS(out, "/api " SBX_SIM_DAYTONA_KEY " http://127.0.0.1:");
    T_CONTAINS(out, "/_sim\n");
    T_STR(err, "");
}

static void run_ends_as_its_command_does(void) {
    T_EQ(RUN("run", "--", "true"), 0);
    T_EQ(RUN("run", "--", "sh", "-c", "exit 3"), 3);
    T_EQ(RUN("run", "--", "sh", "-c", "kill -9 $$"), 137);
    T_EQ(RUN("run", "--", "/nonexistent/command"), 127);
    T_CONTAINS(err, "cannot run /nonexistent/command");
}

/* The command is this program again: see main(). */
static int run_client(const char *act) {
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    T_TRUE(n > 0);
    exe[n] = 0;
    setenv("SIM_SERVE_ACT", act, 1);
    int status = RUN("run", "--time", "virtual", "--auto-advance", "--", exe);
    unsetenv("SIM_SERVE_ACT");
    return status;
}

static void must_fire_run_leaked__sandbox_left(void) {
    T_EQ(run_client("create"), 70);
    T_CONTAINS(err, "left behind");
    T_EQ(run_client("create,fail"), 5); /* what the command says of itself goes first */
    T_CONTAINS(err, "left behind");
}

static void must_not_fire_run_leaked__sandbox_deleted(void) {
    T_EQ(run_client("create,delete"), 0);
    T_TRUE(!strstr(err, "left behind"));
}

static void must_fire_run_unsupported__route_not_simulated(void) {
    T_EQ(run_client("unsupported"), 71);
    T_CONTAINS(err, "not simulated");
}

static void must_not_fire_run_unsupported__harmless_route(void) {
    T_EQ(run_client("harmless"), 0);
    T_STR(err, "");
}

static void run_forwards_signals(void) {
    T_EQ(RUN("run", "--", "sh", "-c", "trap 'exit 9' TERM; kill -TERM $PPID; while :; do :; done"), 9);
}

/* As a command of run: plays the client that the case wants, and exits as it says. */
static _Noreturn void act_as_client(const char *act) {
    const char *url = getenv("DAYTONA_API_URL");
    int port = (int)strtol(strrchr(url, ':') + 1, NULL, 10);
    char *answer, id[128] = "";
    if (strstr(act, "create")) {
        const char *body = ask_ok(port, "POST", "/api/sandbox", KEY_HEADER, "{}", 200, &answer);
        const char *at = strstr(body, "\"id\":\"");
        snprintf(id, sizeof(id), "/api/sandbox/%.36s", at + 6);
        free(answer);
    }
    if (strstr(act, "delete")) {
        ask_ok(port, "DELETE", id, KEY_HEADER, NULL, 200, &answer);
        free(answer);
    }
    if (strstr(act, "unsupported")) free(ask(port, "GET", "/api/volumes", KEY_HEADER, NULL));
    if (strstr(act, "harmless")) free(ask(port, "GET", "/api/socket.io/?EIO=4", "", NULL));
    if (strstr(act, "fail")) _exit(5);
    _exit(0);
}

/* ---- env, journal ---- */

static void env_prints_what_a_shell_can_read(void) {
    struct running r = running_virtual();
    char url[64], want[160];
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/_sim", r.admin);
    T_EQ(RUN("env", "--url", url), 0);
    snprintf(want, sizeof(want), "export SANDPORT_SIM_ADMIN='%s'\n", url);
    T_CONTAINS(out, want);
    snprintf(want, sizeof(want), "export DAYTONA_API_URL='http://127.0.0.1:%d/api'\n", r.daytona);
    T_CONTAINS(out, want);
    T_CONTAINS(out, "export DAYTONA_API_KEY='" SBX_SIM_DAYTONA_KEY "'\n");
    T_EQ(running_stop(&r), 0);
    T_EQ(RUN("env", "--url", url), 69);
    T_STR(out, "");
}

/* A serial client on virtual time: byte for byte, also with --auto-advance. */
static char *journal_of_a_session(int auto_advance, const char *seed) {
    char path[] = "/tmp/sandport-journal-XXXXXX";
    char *answer;
    int fd = mkstemp(path);
    T_TRUE(fd >= 0);
    const char *options[] = {
        "--time", "virtual", "--seed", seed, "--journal", path, auto_advance ? "--auto-advance" : NULL, NULL};
    struct running r = running_start(options);
    if (auto_advance) {
        ask_ok(r.daytona, "POST", "/api/sandbox", "Host-Is-Not-Told: 1\r\n" KEY_HEADER, "{\"labels\":{\"a\":\"1\"}}",
               200, &answer);
        free(answer);
    } else {
        fault(&r, "{\"op\":\"daytona.sandbox.get\",\"phase\":\"before\",\"rate\":0.5,\"effect\":{\"kind\":\"status\","
                  "\"status\":500}}");
        free(ask(r.daytona, "POST", "/api/sandbox", "", "{}")); /* no key */
    }
    for (int i = 0; i < 20; i++) free(ask(r.daytona, "GET", "/api/sandbox/none", KEY_HEADER, NULL));
    T_EQ(running_stop(&r), 0);
    FILE *f = fdopen(fd, "r");
    char *text = calloc(1, 1 << 18);
    T_TRUE(f && text && fread(text, 1, (1 << 18) - 1, f) > 0);
    fclose(f);
    unlink(path);
    return text;
}

/* Ports are the system's choice and stand in Host headers and answers. */
static void blank_ports(char *text) {
    for (char *at = text; (at = strstr(at, "127.0.0.1:")) != NULL;) {
        char *digits = at + 10;
        size_t n = strspn(digits, "0123456789");
        memmove(digits, digits + n, strlen(digits + n) + 1);
        at = digits;
    }
}

static void the_same_seed_writes_the_same_journal(void) {
    for (int auto_advance = 0; auto_advance < 2; auto_advance++) {
        char *one = journal_of_a_session(auto_advance, "7"), *two = journal_of_a_session(auto_advance, "7");
        char *other = journal_of_a_session(auto_advance, "8");
        blank_ports(one);
        blank_ports(two);
        blank_ports(other);
        T_STR(two, one);
        T_TRUE(strcmp(one, other) != 0);
        T_TRUE(!strstr(one, SBX_SIM_DAYTONA_KEY));
        free(one);
        free(two);
        free(other);
    }
}

static const struct t_case cases[] = {T_CASE(wrong_usage_is_64_on_stderr),
                                      T_CASE(help_and_version_are_on_stdout),
                                      T_CASE(a_scenario_that_is_none_is_told),
                                      T_CASE(the_ready_line_is_all_that_serve_prints),
                                      T_CASE(a_signal_ends_serve_with_0_also_during_a_request),
                                      T_CASE(run_gives_the_command_its_clouds),
                                      T_CASE(run_ends_as_its_command_does),
                                      T_CASE(must_fire_run_leaked__sandbox_left),
                                      T_CASE(must_not_fire_run_leaked__sandbox_deleted),
                                      T_CASE(must_fire_run_unsupported__route_not_simulated),
                                      T_CASE(must_not_fire_run_unsupported__harmless_route),
                                      T_CASE(run_forwards_signals),
                                      T_CASE(env_prints_what_a_shell_can_read),
                                      T_CASE(the_same_seed_writes_the_same_journal)};

int main(int argc, char **argv) {
    const char *act = getenv("SIM_SERVE_ACT");
    if (act) act_as_client(act);
    return t_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
