/* Scripts that have been parsed, by their text. */
#include "sim/machine/sh/cache.h"
#include <stdlib.h>
#include <string.h>

#define CACHE_BYTES_MIN 128 /* less is parsed as fast as it is found */
#define CACHE_BYTES_MAX 65536

struct cache_command {
    struct sh_ast *ast; /* counted */
    struct sh_node *node;
    size_t end; /* where the next begins, and its line */
    int number;
    int more;
};

struct sh_script {
    int64_t refs; /* the shelf's and one for each shell that runs it */
    int bash;
    struct cache_command *commands;
    size_t count, cap;
    size_t len;
    char text[];
};

void sim_sh_script_release(struct sh_script *script) {
    if (!script || --script->refs > 0) return;
    for (size_t i = 0; i < script->count; i++) sim_sh_ast_release(script->commands[i].ast);
    free(script->commands);
    free(script);
}

static void cache_undo(void *arg) {
    sim_sh_script_release(arg);
}

static struct sh_script *cache_find(const struct sim_shelf *shelf, int bash, const struct sh_source *src) {
    for (size_t i = 0; i < SIM_SHELF_SCRIPTS; i++) {
        struct sh_script *script = shelf->scripts[i];
        if (script && script->len == src->len && script->bash == bash && !memcmp(script->text, src->text, src->len))
            return script;
    }
    return NULL;
}

/* In the place of the one that was put there longest ago. */
static struct sh_script *cache_add(struct sim_shelf *shelf, int bash, const struct sh_source *src) {
    struct sh_script *script = malloc(sizeof *script + src->len);
    if (!script) return NULL;
    *script = (struct sh_script){.refs = 1, .bash = bash, .len = src->len};
    memcpy(script->text, src->text, src->len);
    struct sh_script **place = &shelf->scripts[shelf->script_next++ % SIM_SHELF_SCRIPTS];
    sim_sh_script_release(*place);
    *place = script;
    shelf->let_go = sim_sh_script_release;
    return script;
}

struct sh_script *sim_sh_script_open(struct sh *sh, const struct sh_source *src, void **handle) {
    struct sim_shelf *shelf = sh->p->m->shelf;
    *handle = NULL;
    if (src->fd >= 0 || src->len < CACHE_BYTES_MIN || src->len > CACHE_BYTES_MAX) return NULL;
    struct sh_script *script = cache_find(shelf, sh->bash, src);
    if (!script) script = cache_add(shelf, sh->bash, src);
    if (!script) return NULL;
    *handle = sim_at_end(sh->p, cache_undo, script);
    script->refs++;
    return script;
}

void sim_sh_script_close(struct sh *sh, struct sh_script *script, void *handle) {
    sim_drop(sh->p, handle);
    sim_sh_script_release(script);
}

static void cache_put(struct sh_script *script, const struct cache_command *command) {
    if (script->count == script->cap) {
        size_t cap = script->cap ? script->cap * 2 : 8;
        struct cache_command *commands = realloc(script->commands, cap * sizeof *commands);
        if (!commands) return;
        script->commands = commands;
        script->cap = cap;
    }
    script->commands[script->count++] = *command;
    command->ast->refs++;
}

int sim_sh_script_parse(struct sh *sh, struct sh_script *script, size_t n, struct sh_source *src, struct sh_ast **ast,
                        void **handle, struct sh_node **node) {
    if (script && n < script->count && !sh->aliases) { /* aliases change what a text is */
        const struct cache_command *known = &script->commands[n];
        *ast = sh->ast = known->ast;
        *handle = sim_sh_ast_hold(sh->p, known->ast);
        *node = known->node;
        src->pos = known->end;
        src->number = known->number;
        return known->more;
    }
    *ast = sh->ast = sim_sh_ast_new(sh->p);
    *handle = sim_sh_ast_hold(sh->p, *ast);
    int more = sim_sh_parse(sh, src, *ast, node);
    /* Not where one was left out, for want of memory, or where the same text has run on inside of itself. */
    if (script && n == script->count && !sh->aliases)
        cache_put(script, &(struct cache_command){*ast, *node, src->pos, src->number, more});
    return more;
}
