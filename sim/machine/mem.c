/* Memory of a simulated process: a scratch stack, and kept blocks. */
#include "sim/machine/mem.h"
#include "sim/machine/inside.h"
#include "sim/machine/proc.h"
#include <assert.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEM_CHUNK_BYTES 8064
#define MEM_ALIGN       _Alignof(max_align_t)

struct sim_arena_chunk {
    struct sim_arena_chunk *below;
    size_t cap;
    size_t used;
    _Alignas(max_align_t) char data[];
};

struct sim_kept {
    struct sim_kept *next;
    struct sim_kept **link;
    void (*undo)(void *arg);
    void *arg;
    size_t size;
    _Alignas(max_align_t) char data[];
};

/* A process that wants more than the sandbox has is killed, as the kernel would. */
static void mem_check(struct sim_proc *p) {
    if ((int64_t)p->arena.bytes > p->m->memory_max) sim_proc_oom(p);
}

static struct sim_arena_chunk *mem_chunk(struct sim_proc *p, size_t size) {
    struct sim_arena *a = &p->arena;
    struct sim_arena_chunk *chunk = NULL;
    if (a->spare && a->spare->cap >= size) {
        chunk = a->spare;
        a->spare = NULL;
    } else {
        size_t cap = size > MEM_CHUNK_BYTES ? size : MEM_CHUNK_BYTES;
        chunk = malloc(sizeof *chunk + cap);
        if (!chunk) sim_proc_oom(p);
        chunk->cap = cap;
        a->bytes += cap;
    }
    chunk->used = 0;
    chunk->below = a->top;
    a->top = chunk;
    mem_check(p);
    return chunk;
}

void *sim_alloc(struct sim_proc *p, size_t size) {
    if (size > SIZE_MAX / 4) sim_proc_oom(p);
    size = (size + MEM_ALIGN - 1) & ~(MEM_ALIGN - 1);
    struct sim_arena_chunk *chunk = p->arena.top;
    if (!chunk || chunk->cap - chunk->used < size) chunk = mem_chunk(p, size);
    void *at = chunk->data + chunk->used;
    chunk->used += size;
    return at;
}

void *sim_alloc_zero(struct sim_proc *p, size_t size) {
    void *at = sim_alloc(p, size);
    memset(at, 0, size);
    return at;
}

char *sim_strndup(struct sim_proc *p, const char *text, size_t len) {
    char *copy = sim_alloc(p, len + 1);
    if (len) memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

char *sim_strdup(struct sim_proc *p, const char *text) {
    return sim_strndup(p, text, strlen(text));
}

char *sim_vformat(struct sim_proc *p, const char *fmt, va_list args) {
    char small[256];
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(small, sizeof small, fmt, again);
    va_end(again);
    if (len < 0) return sim_strdup(p, "");
    if ((size_t)len < sizeof small) return sim_strndup(p, small, (size_t)len);
    char *text = sim_alloc(p, (size_t)len + 1);
    vsnprintf(text, (size_t)len + 1, fmt, args);
    return text;
}

char *sim_format(struct sim_proc *p, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *text = sim_vformat(p, fmt, args);
    va_end(args);
    return text;
}

char *sim_number(struct sim_proc *p, int64_t value) {
    char digits[24], *at = digits + sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) *--at = '-';
    return sim_strndup(p, at, (size_t)(digits + sizeof digits - at));
}

int32_t sim_digits(const char *text) {
    int64_t value;
    return *text != '-' && sbx_text_int(text, 0, INT32_MAX, &value) ? (int32_t)value : -1;
}

struct sim_mark sim_mark(const struct sim_proc *p) {
    const struct sim_arena_chunk *top = p->arena.top;
    return (struct sim_mark){p->arena.top, top ? top->used : 0};
}

void sim_release(struct sim_proc *p, struct sim_mark mark) {
    struct sim_arena *a = &p->arena;
    while (a->top != mark.chunk) {
        struct sim_arena_chunk *chunk = a->top;
        a->top = chunk->below;
        if (a->spare) a->bytes -= a->spare->cap;
        free(a->spare);
        a->spare = chunk;
    }
    if (a->top) a->top->used = mark.used;
}

static struct sim_kept *mem_keep(struct sim_proc *p, size_t size) {
    if (size > SIZE_MAX / 4) sim_proc_oom(p);
    struct sim_kept *kept = malloc(sizeof *kept + size);
    if (!kept) sim_proc_oom(p);
    kept->undo = NULL;
    kept->arg = NULL;
    kept->size = size;
    kept->next = p->kept;
    kept->link = &p->kept;
    if (kept->next) kept->next->link = &kept->next;
    p->kept = kept;
    p->arena.bytes += size;
    mem_check(p);
    return kept;
}

void *sim_keep(struct sim_proc *p, size_t size) {
    return mem_keep(p, size)->data;
}

char *sim_keep_text(struct sim_proc *p, const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(sim_keep(p, size), text, size);
}

static void mem_unlink(struct sim_kept *kept) {
    *kept->link = kept->next;
    if (kept->next) kept->next->link = kept->link;
}

void sim_drop(struct sim_proc *p, void *data) {
    if (!data) return;
    struct sim_kept *kept = (struct sim_kept *)((char *)data - offsetof(struct sim_kept, data));
    mem_unlink(kept);
    p->arena.bytes -= kept->size;
    free(kept);
}

void *sim_at_end(struct sim_proc *p, void (*undo)(void *arg), void *arg) {
    struct sim_kept *kept = mem_keep(p, 0);
    kept->undo = undo;
    kept->arg = arg;
    return kept->data;
}

void sim_mem_finish(struct sim_proc *p) {
    while (p->kept) {
        struct sim_kept *kept = p->kept;
        p->kept = kept->next;
        if (p->kept) p->kept->link = &p->kept;
        if (kept->undo) kept->undo(kept->arg);
        free(kept);
    }
    sim_release(p, (struct sim_mark){0});
    free(p->arena.spare);
    p->arena.spare = NULL;
}

static void text_room(struct sim_text *t, size_t more) {
    assert(t->len <= t->cap && !t->cap == !t->s);
    if (t->cap - t->len > more) return;
    size_t cap = t->cap ? t->cap * 2 : 64;
    while (cap - t->len <= more) cap *= 2;
    struct sim_arena_chunk *top = t->p->arena.top;
    size_t grow = cap - t->cap;
    /* The text that was taken last grows where it is: most are built one at a time. */
    if (t->s && top && t->s + t->cap == top->data + top->used && top->cap - top->used >= grow) {
        top->used += grow;
    } else {
        char *s = sim_alloc(t->p, cap);
        if (t->s) memcpy(s, t->s, t->len);
        t->s = s;
    }
    t->cap = cap;
}

void sim_text_add(struct sim_text *t, const char *data, size_t len) {
    text_room(t, len + 1);
    if (len) memcpy(t->s + t->len, data, len);
    t->len += len;
    t->s[t->len] = '\0';
}

void sim_text_char(struct sim_text *t, char c) {
    if (!t->s || t->cap - t->len < 3) text_room(t, 2);
    t->s[t->len++] = c;
    t->s[t->len] = '\0';
}

void sim_text_str(struct sim_text *t, const char *text) {
    sim_text_add(t, text, strlen(text));
}

void sim_text_printf(struct sim_text *t, const char *fmt, ...) {
    char small[256];
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(small, sizeof small, fmt, args);
    va_end(args);
    if (len < 0) return;
    if ((size_t)len < sizeof small) {
        sim_text_add(t, small, (size_t)len);
        return;
    }
    text_room(t, (size_t)len + 1);
    va_start(args, fmt);
    vsnprintf(t->s + t->len, (size_t)len + 1, fmt, args);
    va_end(args);
    t->len += (size_t)len;
}

char *sim_text_get(struct sim_text *t) {
    if (!t->s) text_room(t, 1);
    t->s[t->len] = '\0';
    return t->s;
}

void sim_list_add(struct sim_list *list, void *item) {
    if (!list->items || list->n + 1 >= list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 8;
        void **items = sim_alloc(list->p, cap * sizeof *items);
        if (list->items) memcpy(items, list->items, list->n * sizeof *items);
        list->items = items;
        list->cap = cap;
    }
    list->items[list->n++] = item;
    list->items[list->n] = NULL;
}

char **sim_list_texts(struct sim_list *list) {
    if (!list->items) {
        sim_list_add(list, NULL);
        list->n = 0;
    }
    return (char **)list->items;
}
