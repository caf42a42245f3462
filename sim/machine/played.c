/* Programs that a scenario plays: what they are asked to run, and doing what the rule says. */
#include "sim/kit/sim.h"
#include "sim/machine/inside.h"
#include <errno.h>
#include <string.h>

#define PLAYED_CODE_BYTES (4 * 1024 * 1024)

/** Where the code is that a program is to run. */
struct played {
    struct sim_proc *p;
    const char *name;
    char **argv;
};

static const char *played_read(struct sim_proc *p, int fd) {
    struct sim_text text = {.p = p};
    char piece[4096];
    ptrdiff_t n = 0;
    while (text.len < PLAYED_CODE_BYTES && (n = sim_sys_read(p, fd, piece, sizeof piece)) != 0) {
        if (n < 0 && n != -EINTR) break;
        if (n > 0) sim_text_add(&text, piece, (size_t)n);
    }
    return sim_text_get(&text);
}

/* As interpreters have it: behind -c or -e, in a file, or on standard input. What the machine can run itself is given
 * none: its shell's script would be eaten. */
static const char *played_code(void *ctx) {
    const struct played *played = ctx;
    if (sim_tool_find(played->name)) return NULL;
    char **arg = played->argv[0] ? played->argv + 1 : played->argv;
    for (; *arg && (*arg)[0] == '-' && (*arg)[1]; arg++)
        if (strcmp(*arg, "-c") == 0 || strcmp(*arg, "-e") == 0) return arg[1];
    if (!*arg || strcmp(*arg, "-") == 0) return played_read(played->p, 0);
    int fd = sim_sys_open(played->p, *arg, SIM_O_READ, 0);
    if (fd < 0) return NULL;
    const char *code = played_read(played->p, fd);
    sim_sys_close(played->p, fd);
    return code;
}

struct sim_program *sim_played_find(struct sim_proc *p, const char *name, char **argv) {
    struct sim_programs *programs = sim_programs(p->m->sim);
    struct played played = {p, name, argv};
    struct sim_text line = {.p = p};
    if (!sim_programs_first(programs)) return NULL;
    sim_text_str(&line, name);
    for (char **arg = argv[0] ? argv + 1 : argv; *arg; arg++) {
        sim_text_char(&line, ' ');
        sim_text_str(&line, *arg);
    }
    return sim_programs_find(programs, sim_text_get(&line), played_code, &played);
}

static int played_file(struct sim_proc *p, const char *path, const char *text) {
    char *parent = sim_strdup(p, path);
    for (char *at = strchr(parent + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        int e = sim_sys_mkdir(p, parent, 0777);
        if (e && e != -EEXIST) return e;
        *at = '/';
    }
    int fd = sim_sys_open(p, path, SIM_O_WRITE | SIM_O_CREATE | SIM_O_TRUNCATE, 0666);
    if (fd < 0) return fd;
    int e = sim_sys_write(p, fd, text, strlen(text));
    sim_sys_close(p, fd);
    return e;
}

/* The rule may go while this sleeps: what it says is copied before. */
int sim_played_run(struct sim_proc *p, struct sim_program *program) {
    const char *out = sim_strdup(p, program->out), *err = sim_strdup(p, program->err);
    const int code = program->exit_code;
    struct sim_list files = {.p = p};
    for (const struct sim_program_file *file = program->files; file; file = file->next) {
        sim_list_add(&files, sim_strdup(p, file->path));
        sim_list_add(&files, sim_strdup(p, file->text));
    }
    program->hits++;
    if (program->duration_ms) {
        const int64_t until_ns = sim_now(p->m->world) + program->duration_ms * SIM_MS;
        while (sim_sys_sleep(p, until_ns) == -EINTR) continue;
    }
    for (char **file = sim_list_texts(&files); file && file[0]; file += 2) {
        int e = played_file(p, file[0], file[1]);
        if (!e) continue;
        sim_errf(p, "%s: %s\n", file[0], sim_strerror(-e));
        return 1;
    }
    sim_out_str(p, out);
    sim_out_flush(p);
    if (*err) sim_errf(p, "%s", err);
    return code;
}
