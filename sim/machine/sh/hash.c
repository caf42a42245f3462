/* Where programs were found: a shell looks along PATH once, and again when PATH has changed or the program has gone. */
#include "sim/machine/sh/sh.h"
#include <errno.h>
#include <string.h>

struct sh_hashed {
    struct sh_hashed *next;
    char *path; /* kept */
    int hits;
    char name[];
};

void sim_sh_hash_forget(struct sh *sh) {
    while (sh->hashed) {
        struct sh_hashed *entry = sh->hashed;
        sh->hashed = entry->next;
        sim_drop(sh->p, entry->path);
        sim_drop(sh->p, entry);
    }
}

static struct sh_hashed *hash_find(const struct sh *sh, const char *name) {
    struct sh_hashed *entry = sh->hashed;
    while (entry && strcmp(entry->name, name) != 0) entry = entry->next;
    return entry;
}

const char *sim_sh_find(struct sh *sh, const char *name, int *why) {
    const char *list = sim_sh_get(sh, "PATH");
    struct sh_hashed *entry = strchr(name, '/') ? NULL : hash_find(sh, name);
    if (entry && sim_program_find(sh->p, entry->path, NULL, why)) {
        entry->hits++;
        return entry->path;
    }
    const char *path = sim_program_find(sh->p, name, list, why);
    if (!path || *path != '/' || strchr(name, '/')) return path;
    if (entry) {
        sim_drop(sh->p, entry->path);
    } else {
        size_t size = strlen(name) + 1;
        entry = sim_keep(sh->p, sizeof *entry + size);
        memcpy(entry->name, name, size);
        entry->next = sh->hashed;
        sh->hashed = entry;
    }
    entry->path = sim_keep_text(sh->p, path);
    entry->hits = 1;
    return entry->path;
}

static int hash_show(struct sh *sh) {
    struct sim_list list = {.p = sh->p};
    for (struct sh_hashed *entry = sh->hashed; entry; entry = entry->next) sim_list_add(&list, entry);
    if (sh->bash) sim_outf(sh->p, list.n ? "hits\tcommand\n" : "hash: hash table empty\n");
    if (list.n > 1) sim_sh_unsupported(sh, "the order of what hash shows");
    for (size_t i = 0; i < list.n; i++) {
        const struct sh_hashed *entry = list.items[i];
        if (sh->bash)
            sim_outf(sh->p, "%4d\t%s\n", entry->hits, entry->path);
        else
            sim_outf(sh->p, "%s\n", entry->path);
    }
    return 0;
}

static int hash_main(struct sh *sh, int argc, char **argv) {
    int status = 0, why, i = 1;
    if (argc == 1) return hash_show(sh);
    if (strcmp(argv[1], "-r") == 0) {
        sim_sh_hash_forget(sh);
        i++;
    } else if (argv[1][0] == '-') {
        if (sh->bash) sim_sh_unsupported(sh, "hash %s", argv[1]);
        sim_sh_fail(sh, 2, "Illegal option %s", argv[1]);
    }
    for (; i < argc; i++) {
        if (strchr(argv[i], '/') || sim_sh_builtin(sh, argv[i]) || sim_sh_find(sh, argv[i], &why)) continue;
        sim_sh_warn(sh, sh->bash ? "hash: %s: not found" : "%s: not found", argv[i]);
        status = 1;
    }
    return status;
}

const struct sh_builtin sim_sh_builtins_hash[] = {{"hash", hash_main, 0}, {NULL, NULL, 0}};
