/* The shell's variables, positional parameters and functions. */
#include "sim/machine/sh/sh.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int sim_sh_is_name(const char *text, size_t len) {
    if (len == 0 || !(isalpha((unsigned char)text[0]) || text[0] == '_')) return 0;
    for (size_t i = 1; i < len; i++)
        if (!(isalnum((unsigned char)text[i]) || text[i] == '_')) return 0;
    return 1;
}

static size_t var_bucket(const char *name) {
    unsigned hash = 5381;
    for (; *name; name++) hash = hash * 33 + (unsigned char)*name;
    return hash % SH_VAR_BUCKETS;
}

struct sh_var *sim_sh_var(const struct sh *sh, const char *name) {
    struct sh_var *var = sh->vars[var_bucket(name)];
    while (var && strcmp(var->name, name) != 0) var = var->next;
    return var;
}

struct sh_var *sim_sh_var_make(struct sh *sh, const char *name) {
    struct sh_var *var = sim_sh_var(sh, name);
    if (var) return var;
    size_t size = strlen(name) + 1, bucket = var_bucket(name);
    var = sim_keep(sh->p, sizeof *var + size);
    memset(var, 0, sizeof *var);
    memcpy(var->name, name, size);
    var->next = sh->vars[bucket];
    sh->vars[bucket] = var;
    return var;
}

const char *sim_sh_get(const struct sh *sh, const char *name) {
    const struct sh_var *var = sim_sh_var(sh, name);
    return var ? var->value : NULL;
}

void sim_sh_set(struct sh *sh, const char *name, const char *value) {
    struct sh_var *var = sim_sh_var_make(sh, name);
    if (var->flags & SH_VAR_READONLY) sim_sh_give_up(sh, sh->bash ? "%s: readonly variable" : "%s: is read only", name);
    if (!sh->bash && strcmp(name, "OPTIND") == 0 && sim_digits(value) < 0)
        sim_sh_give_up(sh, "Illegal number: %s", value);
    char *old = var->value;
    var->value = sim_keep_text(sh->p, value);
    sim_drop(sh->p, old);
    if (sh->opt_a) var->flags |= SH_VAR_EXPORT;
    if (strcmp(name, "OPTIND") == 0) sh->getopts_at = 0;
    if (strcmp(name, "PATH") == 0) sim_sh_hash_forget(sh);
}

int sim_sh_is_readonly(const struct sh *sh, const char *name) {
    const struct sh_var *var = sim_sh_var(sh, name);
    return var && (var->flags & SH_VAR_READONLY);
}

void sim_sh_put(struct sh *sh, const char *name, const char *value) {
    if (sh->bash && sim_sh_is_readonly(sh, name)) sim_sh_fail(sh, 1, "%s: readonly variable", name);
    sim_sh_set(sh, name, value);
}

static void var_remove(struct sh *sh, struct sh_var *var) {
    struct sh_var **link = &sh->vars[var_bucket(var->name)];
    while (*link != var) link = &(*link)->next;
    *link = var->next;
    sim_drop(sh->p, var->value);
    sim_drop(sh->p, var);
}

void sim_sh_unset(struct sh *sh, const char *name) {
    struct sh_var *var = sim_sh_var(sh, name);
    if (!var) return;
    if (var->flags & SH_VAR_READONLY)
        sim_sh_fail(sh, 1, sh->bash ? "unset: %s: cannot unset: readonly variable" : "%s: is read only", name);
    if (!sh->bash && strcmp(name, "OPTIND") == 0) sim_sh_give_up(sh, "Illegal number: ");
    var_remove(sh, var);
}

void sim_sh_save_var(struct sh *sh, struct sh_saved **list, const char *name) {
    const struct sh_var *var = sim_sh_var(sh, name);
    size_t size = strlen(name) + 1;
    struct sh_saved *saved = sim_keep(sh->p, sizeof *saved + size);
    saved->value = var && var->value ? sim_keep_text(sh->p, var->value) : NULL;
    saved->flags = var ? var->flags : 0;
    memcpy(saved->name, name, size);
    saved->next = *list;
    *list = saved;
}

void sim_sh_restore_vars(struct sh *sh, struct sh_saved *list) {
    while (list) {
        struct sh_saved *saved = list;
        list = saved->next;
        struct sh_var *var = sim_sh_var_make(sh, saved->name);
        sim_drop(sh->p, var->value);
        var->value = saved->value;
        var->flags = saved->flags;
        if (strcmp(saved->name, "PATH") == 0) sim_sh_hash_forget(sh);
        if (!var->value && !var->flags) var_remove(sh, var);
        sim_drop(sh->p, saved);
    }
}

static int var_order(const void *a, const void *b) {
    const struct sh_var *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

struct sh_var **sim_sh_var_list(struct sh *sh, size_t *n) {
    struct sim_list list = {.p = sh->p};
    for (size_t i = 0; i < SH_VAR_BUCKETS; i++)
        for (struct sh_var *var = sh->vars[i]; var; var = var->next) sim_list_add(&list, var);
    *n = list.n;
    if (list.n) qsort(list.items, list.n, sizeof *list.items, var_order);
    return (struct sh_var **)list.items;
}

char **sim_sh_env(struct sh *sh, struct sim_proc *into) {
    struct sim_list list = {.p = into};
    for (size_t i = 0; i < SH_VAR_BUCKETS; i++) {
        for (const struct sh_var *var = sh->vars[i]; var; var = var->next) {
            if (!(var->flags & SH_VAR_EXPORT) || !var->value) continue;
            size_t name = strlen(var->name), value = strlen(var->value);
            char *entry = sim_alloc(into, name + value + 2);
            memcpy(entry, var->name, name);
            entry[name] = '=';
            memcpy(entry + name + 1, var->value, value + 1);
            sim_list_add(&list, entry);
        }
    }
    return sim_list_texts(&list);
}

void sim_sh_vars_clone(struct sh *to, const struct sh *from) {
    for (size_t i = 0; i < SH_VAR_BUCKETS; i++) {
        for (const struct sh_var *var = from->vars[i]; var; var = var->next) {
            struct sh_var *copy = sim_sh_var_make(to, var->name);
            copy->flags = var->flags;
            copy->value = var->value ? sim_keep_text(to->p, var->value) : NULL;
        }
    }
    struct sh_function *fn = from->functions;
    for (; fn; fn = fn->next) sim_sh_define(to, fn->name, fn->body, fn->ast);
}

struct sh_function *sim_sh_function(const struct sh *sh, const char *name) {
    struct sh_function *fn = sh->functions;
    while (fn && strcmp(fn->name, name) != 0) fn = fn->next;
    return fn;
}

void sim_sh_define(struct sh *sh, const char *name, struct sh_node *body, struct sh_ast *ast) {
    sim_sh_undefine(sh, name);
    size_t size = strlen(name) + 1;
    struct sh_function *fn = sim_keep(sh->p, sizeof *fn + size);
    memcpy(fn->name, name, size);
    fn->body = body;
    fn->ast = ast;
    fn->handle = sim_sh_ast_hold(sh->p, ast);
    fn->next = sh->functions;
    sh->functions = fn;
}

void sim_sh_undefine(struct sh *sh, const char *name) {
    for (struct sh_function **link = &sh->functions; *link; link = &(*link)->next) {
        struct sh_function *fn = *link;
        if (strcmp(fn->name, name) != 0) continue;
        *link = fn->next;
        sim_sh_ast_unhold(sh->p, fn->handle, fn->ast);
        sim_drop(sh->p, fn);
        return;
    }
}

void sim_sh_set_args(struct sh *sh, char **v, int n) {
    size_t size = ((size_t)n + 1) * sizeof *v;
    for (int i = 0; i < n; i++) size += strlen(v[i]) + 1;
    char **block = sim_keep(sh->p, size);
    char *at = (char *)(block + n + 1);
    for (int i = 0; i < n; i++) {
        size_t len = strlen(v[i]) + 1;
        block[i] = memcpy(at, v[i], len);
        at += len;
    }
    block[n] = NULL;
    sim_drop(sh->p, sh->args.owned);
    sh->args = (struct sh_args){block, n, block};
}
