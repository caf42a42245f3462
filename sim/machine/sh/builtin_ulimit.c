/* ulimit: limits that bite are those of descriptors and of a file's size; what a limit of another kind would do is not
 * known here, so that it cannot be set. */
#include "sim/machine/inside.h"
#include "sim/machine/sh/sh.h"
#include <string.h>

static int64_t *ulimit_place(struct sh *sh, char resource, int hard) {
    struct sim_limits *limits = &sh->p->limits;
    switch (resource) {
    case 'n':
        return hard ? &limits->fds_hard : &limits->fds;
    case 'f':
        return hard ? &limits->file_bytes_hard : &limits->file_bytes;
    case 'c':
        return hard ? &limits->core_hard : &limits->core;
    default:
        return NULL;
    }
}

/* What a number of it counts, in bytes: dash takes blocks of 512, bash of 1,024. */
static int64_t ulimit_unit(const struct sh *sh, char resource) {
    return resource == 'n' ? 1 : sh->bash ? 1024 : 512;
}

static void ulimit_show(struct sh *sh, char resource, int hard) {
    const int64_t *place = ulimit_place(sh, resource, hard);
    if (resource == 'u')
        sim_outf(sh->p, "%lld\n", (long long)sh->p->m->process_max);
    else if (place && *place != SIM_LIMIT_NONE)
        sim_outf(sh->p, "%lld\n", (long long)(*place / ulimit_unit(sh, resource)));
    else
        sim_out_str(sh->p, "unlimited\n");
}

static int ulimit_set(struct sh *sh, char resource, int soft, int hard, const char *text) {
    int64_t *soft_place = ulimit_place(sh, resource, 0), *hard_place = ulimit_place(sh, resource, 1);
    int64_t value = SIM_LIMIT_NONE;
    if (strcmp(text, "unlimited") != 0) {
        int32_t n = sim_digits(text);
        if (n < 0) sim_sh_fail(sh, 1, sh->bash ? "ulimit: %s: invalid number" : "bad number", text);
        value = n * ulimit_unit(sh, resource);
    }
    if (!soft_place) sim_sh_unsupported(sh, "ulimit -%c %s", resource, text);
    if (resource == 'n' && value > SIM_FD_MAX) value = *hard_place == SIM_FD_MAX ? SIM_FD_MAX : value;
    if (value > *hard_place) {
        if (sh->bash) sim_sh_warn(sh, "ulimit: cannot modify limit: Operation not permitted");
        if (!sh->bash) sim_sh_fail(sh, 2, "error setting limit: Operation not permitted");
        return 1;
    }
    if (soft) *soft_place = value;
    if (hard) *hard_place = value;
    if (*soft_place > *hard_place) *soft_place = *hard_place;
    return 0;
}

static int ulimit_main(struct sh *sh, int argc, char **argv) {
    int soft = 0, hard = 0, i = 1;
    char resource = 'f';
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        for (const char *c = argv[i] + 1; *c; c++) {
            if (*c == 'S')
                soft = 1;
            else if (*c == 'H')
                hard = 1;
            else if (strchr(sh->bash ? "cdflmnpstuv" : "cdflmnpstv", *c))
                resource = *c == 'p' && !sh->bash ? 'u' : *c;
            else if (!sh->bash)
                sim_sh_fail(sh, 2, "Illegal option -%c", *c);
            else
                sim_sh_unsupported(sh, "ulimit -%c", *c);
        }
    }
    if (i < argc) return ulimit_set(sh, resource, soft || !hard, hard || !soft, argv[i]);
    ulimit_show(sh, resource, hard && !soft);
    return 0;
}

const struct sh_builtin sim_sh_builtins_ulimit[] = {{"ulimit", ulimit_main, 0}, {NULL, NULL, 0}};
