/* The command line of sandport-sim. Wrong usage is told on stderr and exits 64. */
#include "sim/serve/serve.h"

#include <arpa/inet.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>

#define USAGE_EXIT 64

static const char usage_text[] =
    "usage: sandport-sim serve [OPTIONS]\n"
    "       sandport-sim run [OPTIONS] -- COMMAND [ARGUMENT...]\n"
    "       sandport-sim env --url ADMIN_URL\n"
    "\n"
    "Simulated agent-sandbox clouds on loopback. serve prints one line of JSON when it is ready, with every address "
    "and\n"
    "key, and runs until SIGINT or SIGTERM. run serves while COMMAND runs, with DAYTONA_API_URL, DAYTONA_API_KEY,\n"
    "E2B_API_URL, E2B_SANDBOX_URL, E2B_API_KEY and SANDPORT_SIM_ADMIN in its environment. env prints the same as "
    "export\n"
    "lines.\n"
    "\n"
    "  --listen ADDRESS   a loopback address (127.0.0.1)\n"
    "  --scenario FILE    accounts, snapshots, settings and faults: fixtures/schema/scenario.json\n"
    "  --seed N           decides every id, token and draw (0, or the scenario's)\n"
    "  --exec virtual     commands run on the simulated machine; or\n"
    "  --exec host        they are real processes of this machine's own programs, each sandbox in a scratch tree\n"
    "                     isolated by bubblewrap, without a network\n"
    "  --host-network     (with it) they may use this machine's network, but for sandboxes that block it\n"
    "  --unsafe-no-isolation  (with it) without bubblewrap: they can read and change all that you can\n"
    "  --time real        the clock follows real time, with short boots; or\n"
    "  --time virtual     it moves only by POST /_sim/clock/advance, or\n"
    "  --auto-advance     (with it) also by itself whenever every connection is idle\n"
    "  --journal FILE     writes each line of the journal there\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0, or of run: COMMAND's own; 70 if it passed but left sandboxes behind; 71 if it passed but used\n"
    "something that is not simulated. 64 wrong usage, 65 a scenario that is none, 69 --exec host without bubblewrap,\n"
    "74 no such file or address.\n";

static int usage_error(const char *what, const char *about) {
    fprintf(stderr, "sandport-sim: %s%s%s\nTry: sandport-sim --help\n", what, about ? ": " : "", about ? about : "");
    return 128 + USAGE_EXIT;
}

static int is_loopback_address(const char *text) {
    struct in_addr at;
    return inet_pton(AF_INET, text, &at) == 1 && (ntohl(at.s_addr) >> 24) == 127;
}

static int option_value(struct serve_options *opt, const char *name, const char *value) {
    int64_t seed = 0;
    if (strcmp(name, "--listen") == 0) {
        if (!is_loopback_address(value)) return usage_error("--listen: expected an address in 127.0.0.0/8", value);
        opt->listen = value;
    } else if (strcmp(name, "--scenario") == 0) {
        opt->scenario_file = value;
    } else if (strcmp(name, "--journal") == 0) {
        opt->journal_file = value;
    } else if (strcmp(name, "--seed") == 0) {
        if (!sbx_text_int(value, 0, INT64_MAX, &seed)) return usage_error("--seed: expected a whole number", value);
        opt->seed = (uint64_t)seed;
        opt->seed_given = 1;
    } else if (strcmp(name, "--time") == 0) {
        opt->virtual_time = strcmp(value, "virtual") == 0;
        if (!opt->virtual_time && strcmp(value, "real") != 0)
            return usage_error("--time: expected real or virtual", value);
    } else if (strcmp(name, "--exec") == 0) {
        opt->exec_host = strcmp(value, "host") == 0;
        if (!opt->exec_host && strcmp(value, "virtual") != 0)
            return usage_error("--exec: expected virtual or host", value);
    } else if (strcmp(name, "--url") == 0) {
        opt->url = value;
    } else {
        return usage_error("no such option", name);
    }
    return 0;
}

static int options_of(int argc, char **argv, struct serve_options *opt) {
    const char *command = argv[1];
    int is_env = strcmp(command, "env") == 0, is_run = strcmp(command, "run") == 0;
    for (int i = 2; i < argc; i++) {
        if (is_run && strcmp(argv[i], "--") == 0) {
            opt->command = &argv[i + 1];
            break;
        }
        if (!is_env && strcmp(argv[i], "--auto-advance") == 0) {
            opt->auto_advance = 1;
            continue;
        }
        if (!is_env && strcmp(argv[i], "--host-network") == 0) {
            opt->exec_network = 1;
            continue;
        }
        if (!is_env && strcmp(argv[i], "--unsafe-no-isolation") == 0) {
            opt->exec_plain = 1;
            continue;
        }
        if (is_env != (strcmp(argv[i], "--url") == 0)) return usage_error("no such option here", argv[i]);
        if (i + 1 == argc) return usage_error("a value is missing behind", argv[i]);
        int st = option_value(opt, argv[i], argv[i + 1]);
        if (st) return st;
        i++;
    }
    if (is_run && (!opt->command || !opt->command[0])) return usage_error("run: expected -- COMMAND", NULL);
    if (is_env && !opt->url) return usage_error("env: expected --url ADMIN_URL", NULL);
    if (opt->auto_advance && !opt->virtual_time)
        return usage_error("--auto-advance: expected --time virtual too", NULL);
    if (opt->exec_host && opt->virtual_time)
        return usage_error("--exec host: expected --time real: real processes take real time", NULL);
    if (opt->exec_plain && !opt->exec_host) return usage_error("--unsafe-no-isolation: expected --exec host too", NULL);
    if (opt->exec_network && !opt->exec_host) return usage_error("--host-network: expected --exec host too", NULL);
    return 0;
}

int serve_options_read(int argc, char **argv, struct serve_options *opt) {
    memset(opt, 0, sizeof(*opt));
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage_text, stdout);
            return 128;
        }
        if (strcmp(argv[i], "--version") == 0) {
            printf("sandport-sim %s\n", sbx_version());
            return 128;
        }
    }
    if (argc < 2) return usage_error("expected serve, run or env", NULL);
    if (strcmp(argv[1], "serve") != 0 && strcmp(argv[1], "run") != 0 && strcmp(argv[1], "env") != 0)
        return usage_error("expected serve, run or env, found", argv[1]);
    return options_of(argc, argv, opt);
}
