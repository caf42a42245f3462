/* Modes as chmod reads them; chmod. */
#include "sim/machine/tools/tools.h"
#include <stdlib.h>
#include <string.h>

/* A mode as chmod reads it, on top of `old`. @return 0 if it is none */
int sim_tool_mode(const char *text, uint32_t old, int is_dir, uint32_t umask, uint32_t *out) {
    if (*text && strspn(text, "01234567") == strlen(text) && strlen(text) < 6) {
        *out = (uint32_t)strtoul(text, NULL, 8);
        return *out <= 07777;
    }
    uint32_t mode = old;
    while (*text) {
        uint32_t who = 0;
        for (; *text && strchr("ugoa", *text); text++)
            who |= *text == 'u' ? 04700U : *text == 'g' ? 02070U : *text == 'o' ? 01007U : 07777U;
        uint32_t mask = who ? who : 07777 & ~umask;
        if (!*text || !strchr("+-=", *text)) return 0;
        while (*text && strchr("+-=", *text)) {
            char op = *text++;
            uint32_t perm = 0;
            for (; *text && strchr("rwxXst", *text); text++) {
                if (*text == 'r')
                    perm |= 0444;
                else if (*text == 'w')
                    perm |= 0222;
                else if (*text == 'x' || (*text == 'X' && (is_dir || (mode & 0111))))
                    perm |= 0111;
                else if (*text == 's')
                    perm |= 06000;
                else if (*text == 't')
                    perm |= 01000;
            }
            if (*text && strchr("ugo", *text)) {
                uint32_t from = *text == 'u' ? mode >> 6 : *text == 'g' ? mode >> 3 : mode;
                perm |= (from & 7) * 0111;
                text++;
            }
            perm &= mask;
            if (op == '=')
                mode = (mode & ~(mask & (is_dir ? 01777U : 07777U))) | perm;
            else
                mode = op == '+' ? mode | perm : mode & ~perm;
        }
        if (*text == ',')
            text++;
        else if (*text)
            return 0;
    }
    *out = mode;
    return 1;
}

struct chmod {
    const char *text; /* NULL: as `reference` */
    uint32_t reference;
    int recursive, quiet, verbose, changes, status;
};

static void chmod_say(struct sim_proc *p, const char *path, uint32_t old, uint32_t mode) {
    char was[11], is[11];
    struct sim_fs_node node = {.type = 'f', .mode = old};
    sim_file_mode(&node, was);
    node.mode = mode;
    sim_file_mode(&node, is);
    if (old == mode)
        sim_outf(p, "mode of '%s' retained as %04o (%s)\n", path, mode, is + 1);
    else
        sim_outf(p, "mode of '%s' changed from %04o (%s) to %04o (%s)\n", path, old, was + 1, mode, is + 1);
}

static void chmod_one(struct sim_proc *p, struct chmod *c, const char *path) {
    struct sim_where at;
    int e = sim_sys_stat(p, path, 1, &at);
    if (e) {
        if (!c->quiet) sim_errf(p, "chmod: cannot access '%s': %s\n", path, sim_strerror(-e));
        c->status = 1;
        return;
    }
    uint32_t mode = c->reference, old = at.node->mode;
    int is_dir = at.node->type == 'd';
    if (c->text) sim_tool_mode(c->text, at.node->mode, is_dir, p->umask, &mode);
    if (c->text && is_dir && c->text[0] >= '0' && c->text[0] <= '7' && strlen(c->text) < 5)
        mode |= at.node->mode & 06000;
    sim_where_finish(&at);
    e = sim_sys_chmod(p, path, mode);
    if (e) {
        if (!c->quiet) sim_errf(p, "chmod: changing permissions of '%s': %s\n", path, sim_strerror(-e));
        c->status = 1;
    }
    if (!e && (c->verbose || (c->changes && mode != old))) chmod_say(p, path, old, mode);
    if (!c->recursive || !is_dir) return;
    struct sim_list names = {.p = p};
    if (p->depth > SIM_NICE_DEPTH * 2) {
        c->status = sim_unsupported(p, "chmod -R of a tree so deep");
        return;
    }
    p->depth++;
    if (!sim_sys_list(p, path, &names))
        for (size_t i = 0; i < names.n; i++) {
            const char *sub = sim_file_join(p, path, names.items[i]);
            if (sim_file_type(p, sub, 0) != 'l') chmod_one(p, c, sub);
        }
    p->depth--;
}

static int tool_chmod(struct sim_proc *p, int argc, char **argv) {
    struct chmod c = {0};
    int i = 1;
    int referred = 0;
    uint32_t mode;
    for (; i < argc && argv[i][0] == '-' && argv[i][1] && !strchr("rwxst", argv[i][1]); i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        struct sim_where at;
        if (strcmp(argv[i], "-R") == 0 || strcmp(argv[i], "--recursive") == 0)
            c.recursive = 1;
        else if (strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "--verbose") == 0)
            c.verbose = 1;
        else if (strcmp(argv[i], "-c") == 0 || strcmp(argv[i], "--changes") == 0)
            c.changes = 1;
        else if (strcmp(argv[i], "-f") == 0 || strcmp(argv[i], "--silent") == 0 || strcmp(argv[i], "--quiet") == 0)
            c.quiet = 1;
        else if (strncmp(argv[i], "--reference=", 12) == 0) {
            int e = sim_sys_stat(p, argv[i] + 12, 1, &at);
            if (e) return sim_tool_fail(p, "chmod: failed to get attributes of", argv[i] + 12, e);
            c.reference = at.node->mode;
            referred = 1;
            sim_where_finish(&at);
        } else
            return sim_unsupported(p, "chmod %s", argv[i]);
    }
    if (argc - i < 2 - referred) {
        sim_errf(p, "chmod: missing operand\n");
        return 1;
    }
    if (!referred) c.text = argv[i++];
    if (i < argc && strcmp(argv[i], "--") == 0) i++;
    if (c.text && !sim_tool_mode(c.text, 0, 0, 0, &mode)) {
        sim_errf(p, "chmod: invalid mode: '%s'\n", c.text);
        return 1;
    }
    for (; i < argc; i++) chmod_one(p, &c, argv[i]);
    return c.status;
}

const struct sim_tool sim_tools_mode[] = {{"chmod", tool_chmod}, {NULL, NULL}};
