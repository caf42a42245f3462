/* sandport-sim: the simulated clouds as a program. */
#include "sim/serve/serve.h"

#include <string.h>

int main(int argc, char **argv) {
    struct serve_options opt;
    int st = serve_options_read(argc, argv, &opt);
    if (st) return st - 128;
    if (strcmp(argv[1], "serve") == 0) return serve_command_serve(&opt);
    if (strcmp(argv[1], "run") == 0) return serve_command_run(&opt);
    return serve_command_env(&opt);
}
