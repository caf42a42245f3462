/* Memory of parsed scripts, counted. */
#include "sim/machine/sh/ast.h"
#include <stdlib.h>
#include <string.h>

#define AST_CHUNK 2016

struct sh_ast_chunk {
    struct sh_ast_chunk *next;
    size_t cap, used;
    _Alignas(max_align_t) char data[];
};

struct sh_ast *sim_sh_ast_new(struct sim_proc *p) {
    struct sh_ast *ast = calloc(1, sizeof *ast);
    if (!ast) sim_proc_oom(p);
    return ast;
}

void sim_sh_ast_release(struct sh_ast *ast) {
    if (!ast || --ast->refs > 0) return;
    while (ast->chunks) {
        struct sh_ast_chunk *chunk = ast->chunks;
        ast->chunks = chunk->next;
        free(chunk);
    }
    free(ast);
}

static void ast_undo(void *arg) {
    sim_sh_ast_release(arg);
}

void *sim_sh_ast_hold(struct sim_proc *p, struct sh_ast *ast) {
    void *handle = sim_at_end(p, ast_undo, ast);
    ast->refs++;
    return handle;
}

void sim_sh_ast_unhold(struct sim_proc *p, void *handle, struct sh_ast *ast) {
    sim_drop(p, handle);
    sim_sh_ast_release(ast);
}

void *sim_sh_ast_alloc(struct sim_proc *p, struct sh_ast *ast, size_t size) {
    const size_t align = _Alignof(max_align_t);
    size = (size + align - 1) & ~(align - 1);
    struct sh_ast_chunk *chunk = ast->chunks;
    if (!chunk || chunk->cap - chunk->used < size) {
        size_t cap = size > AST_CHUNK ? size : AST_CHUNK;
        chunk = malloc(sizeof *chunk + cap);
        if (!chunk) sim_proc_oom(p);
        chunk->cap = cap;
        chunk->used = 0;
        chunk->next = ast->chunks;
        ast->chunks = chunk;
    }
    void *at = chunk->data + chunk->used;
    chunk->used += size;
    return memset(at, 0, size);
}

char *sim_sh_ast_text(struct sim_proc *p, struct sh_ast *ast, const char *text, size_t len) {
    char *copy = sim_sh_ast_alloc(p, ast, len + 1);
    if (len) memcpy(copy, text, len);
    return copy;
}
