/* Aliases: dash expands them in scripts too, bash only keeps them. The lexer puts their text in. */
#include "sim/machine/sh/sh.h"
#include <stdlib.h>
#include <string.h>

static struct sh_alias *alias_find(const struct sh *sh, const char *name) {
    struct sh_alias *alias = sh->aliases;
    while (alias && strcmp(alias->name, name) != 0) alias = alias->next;
    return alias;
}

struct sh_alias *sim_sh_alias_use(const struct sh *sh, const char *name) {
    struct sh_alias *alias = alias_find(sh, name);
    return alias && !alias->in_use ? alias : NULL;
}

const char *sim_sh_alias(const struct sh *sh, const char *name) {
    const struct sh_alias *alias = alias_find(sh, name);
    return alias ? alias->value : NULL;
}

void sim_sh_alias_put(struct sh *sh, const char *name, const char *value) {
    struct sh_alias *alias = alias_find(sh, name), **tail = &sh->aliases;
    if (alias) {
        char *old = alias->value;
        alias->value = sim_keep_text(sh->p, value);
        sim_drop(sh->p, old);
        return;
    }
    size_t size = strlen(name) + 1;
    alias = sim_keep(sh->p, sizeof *alias + size);
    *alias = (struct sh_alias){.value = sim_keep_text(sh->p, value)};
    memcpy(alias->name, name, size);
    while (*tail) tail = &(*tail)->next;
    *tail = alias;
}

/* One that is in use stays in memory, since the lexer reads from it. */
int sim_sh_alias_drop(struct sh *sh, const char *name) {
    struct sh_alias **link = &sh->aliases;
    while (*link && strcmp((*link)->name, name) != 0) link = &(*link)->next;
    if (!*link) return 0;
    *link = (*link)->next;
    return 1;
}

void sim_sh_alias_clone(struct sh *to, const struct sh *from) {
    to->aliases = NULL;
    for (const struct sh_alias *alias = from->aliases; alias; alias = alias->next)
        sim_sh_alias_put(to, alias->name, alias->value);
}

static void alias_show(struct sh *sh, const char *name, const char *value) {
    if (sh->bash)
        sim_outf(sh->p, "alias %s=%s\n", name, sim_sh_quote_single(sh->p, value));
    else
        sim_outf(sh->p, "%s=%s\n", name, sim_sh_quote(sh->p, value));
}

/* dash shows them as its table has them, bash by name. */
static unsigned alias_place(const char *name) {
    unsigned place = (unsigned)(unsigned char)*name << 4;
    for (; *name; name++) place += (unsigned)*name;
    return place % 39;
}

static int alias_by_name(const void *a, const void *b) {
    const struct sh_alias *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static int alias_show_all(struct sh *sh) {
    struct sim_list list = {.p = sh->p};
    for (struct sh_alias *alias = sh->aliases; alias; alias = alias->next) sim_list_add(&list, alias);
    if (list.n && sh->bash) qsort(list.items, list.n, sizeof *list.items, alias_by_name);
    for (size_t i = 1; i < list.n && !sh->bash; i++) {
        struct sh_alias *alias = list.items[i];
        size_t at = i;
        for (; at && alias_place(((struct sh_alias *)list.items[at - 1])->name) > alias_place(alias->name); at--)
            list.items[at] = list.items[at - 1];
        list.items[at] = alias;
    }
    for (size_t i = 0; i < list.n; i++) {
        const struct sh_alias *alias = list.items[i];
        alias_show(sh, alias->name, alias->value);
    }
    return 0;
}

static int alias_main(struct sh *sh, int argc, char **argv) {
    int status = 0, i = 1;
    if (argc > 1 && (strcmp(argv[1], "-p") == 0 || strcmp(argv[1], "--") == 0)) i++;
    if (i >= argc) return alias_show_all(sh);
    for (; i < argc; i++) {
        const char *equals = argv[i][0] ? strchr(argv[i] + 1, '=') : NULL;
        if (equals) {
            sim_sh_alias_put(sh, sim_strndup(sh->p, argv[i], (size_t)(equals - argv[i])), equals + 1);
            continue;
        }
        const char *value = sim_sh_alias(sh, argv[i]);
        if (value) {
            alias_show(sh, argv[i], value);
            continue;
        }
        status = 1;
        if (sh->bash)
            sim_sh_warn(sh, "alias: %s: not found", argv[i]);
        else
            sim_errf(sh->p, "alias: %s not found\n", argv[i]);
    }
    return status;
}

static int unalias_main(struct sh *sh, int argc, char **argv) {
    int status = 0;
    if (argc > 1 && strcmp(argv[1], "-a") == 0) {
        sh->aliases = NULL;
        return 0;
    }
    for (int i = 1; i < argc; i++) {
        if (sim_sh_alias_drop(sh, argv[i])) continue;
        status = 1;
        if (sh->bash)
            sim_sh_warn(sh, "unalias: %s: not found", argv[i]);
        else
            sim_errf(sh->p, "unalias: %s not found\n", argv[i]);
    }
    return status;
}

const struct sh_builtin sim_sh_builtins_alias[] = {
    {"alias", alias_main, 0}, {"unalias", unalias_main, 0}, {NULL, NULL, 0}};
