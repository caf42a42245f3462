/* Memory of a simulated process. It all belongs to the process and goes when the process ends, however it ends; so code
 * that runs in a process checks no allocation and frees nothing for safety: where memory runs out the process is
 * killed. */
#ifndef SIM_MACHINE_MEM_H
#define SIM_MACHINE_MEM_H

#include <sandport/api.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct sim_proc;
struct sim_arena_chunk;
struct sim_kept;

/** Scratch memory of a process, taken and given back like a stack. */
struct sim_arena {
    size_t bytes; /* of the chunks and of what is kept */
    struct sim_arena_chunk *top;
    struct sim_arena_chunk *spare; /* the chunk released last */
};

/** A height of the scratch stack. */
struct sim_mark {
    struct sim_arena_chunk *chunk;
    size_t used;
};

/** A growing text in scratch memory, always with a NUL behind. Zeroed but for `p` is empty; text may be NULL then. */
struct sim_text {
    struct sim_proc *p;
    char *s;
    size_t len;
    size_t cap;
};

void *sim_alloc(struct sim_proc *p, size_t size);
void *sim_alloc_zero(struct sim_proc *p, size_t size);
char *sim_strdup(struct sim_proc *p, const char *text);
char *sim_strndup(struct sim_proc *p, const char *text, size_t len);
char *sim_format(struct sim_proc *p, const char *fmt, ...) SBX_PRINTF(2, 3);
char *sim_vformat(struct sim_proc *p, const char *fmt, va_list args) SBX_PRINTF(2, 0);
char *sim_number(struct sim_proc *p, int64_t value); /* "%lld", without printf's cost */
/** Digits as a number; -1 if it is anything else or too large. */
int32_t sim_digits(const char *text);
struct sim_mark sim_mark(const struct sim_proc *p);
void sim_release(struct sim_proc *p, struct sim_mark mark);

/** Memory that outlives marks: shell variables and the like. */
void *sim_keep(struct sim_proc *p, size_t size);
char *sim_keep_text(struct sim_proc *p, const char *text);
void sim_drop(struct sim_proc *p, void *kept);
/** Runs undo(arg) when the process ends, unless what this gives is dropped before; for memory not the process's own. */
void *sim_at_end(struct sim_proc *p, void (*undo)(void *arg), void *arg);

/** All of it goes. */
void sim_mem_finish(struct sim_proc *p);

void sim_text_char(struct sim_text *t, char c);
void sim_text_add(struct sim_text *t, const char *data, size_t len);
void sim_text_str(struct sim_text *t, const char *text);
void sim_text_printf(struct sim_text *t, const char *fmt, ...) SBX_PRINTF(2, 3);
/** The text, never NULL. */
char *sim_text_get(struct sim_text *t);

/** A list of pointers in scratch memory, with a NULL behind. */
struct sim_list {
    struct sim_proc *p;
    void **items;
    size_t n;
    size_t cap;
};
void sim_list_add(struct sim_list *list, void *item);
/** Its items as texts, never NULL. */
char **sim_list_texts(struct sim_list *list);

#endif
