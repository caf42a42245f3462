/* sandport-sim: the simulated clouds as a program. */
#include "sim/serve/serve.h"

#include "sim/machine/host/inside.h"

#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct serve_options opt;
    /* As the first process of a sandbox, see --exec host: nobody else calls it so. */
    if (argc == 2 && strcmp(argv[1], HOST_INSIDE_WORD) == 0) _exit(sim_host_inside(0));
    if (argc > 3 && strcmp(argv[1], HOST_DROP_WORD) == 0) _exit(sim_host_drop(argv[2], argv + 3));
    if (argc == 2 && strcmp(argv[1], HOST_PLAIN_WORD) == 0) _exit(sim_host_inside(1));
    int st = serve_options_read(argc, argv, &opt);
    if (st) return st - 128;
    if (strcmp(argv[1], "serve") == 0) return serve_command_serve(&opt);
    if (strcmp(argv[1], "run") == 0) return serve_command_run(&opt);
    return serve_command_env(&opt);
}
