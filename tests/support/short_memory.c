/* Memory that runs out on demand: the counted allocator, and the env that masks what is not the library's. */
#include "short_memory.h"

#include "t.h"
#include <cjson/cJSON.h>
#include <malloc.h>
#include <openssl/crypto.h>
#include <stdlib.h>

static _Thread_local struct {
    int64_t nth;
    int64_t requests;
    int64_t refused;
    enum short_memory how;
    int64_t tree_max;
    int64_t in_tree; /* requests of cJSON since the last of somebody else */
    int armed;
    int before; /* what `masked` was when it was armed */
    int masked; /* where control is now; each fiber finds its own again, since it was masked when it paused */
    void (*freed)(const void *block, size_t size);
} memory;

/* One request. @return is it refused? */
static int memory_refuses_in(int is_tree) {
    if (!memory.armed || memory.masked) return 0;
    memory.in_tree = is_tree ? memory.in_tree + 1 : 0;
    if (!memory.tree_max || memory.in_tree <= memory.tree_max)
        memory.requests++;
    else if (memory.how == MEMORY_SHORT_ONCE)
        return 0;
    int hit = memory.how == MEMORY_SHORT_ONCE ? memory.requests == memory.nth : memory.requests >= memory.nth;
    if (!memory.nth || !hit) return 0;
    memory.refused++;
    return 1;
}

static int memory_refuses(void) {
    return memory_refuses_in(0);
}

/* ---- what the linker puts in the place of the C library's ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *block);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *block);

static void memory_freed(const void *block) {
    if (block && memory.freed && !memory.masked) memory.freed(block, malloc_usable_size((void *)(uintptr_t)block));
}

/* What a block held in an earlier life is nobody's who has it now. */
static void *memory_cleared(void *block, size_t from) {
    const size_t size = block && memory.freed ? malloc_usable_size(block) : 0;
    if (size > from) memset((char *)block + from, 0, size - from);
    return block;
}

void *__wrap_malloc(size_t size) {
    return memory_refuses() ? NULL : memory_cleared(__real_malloc(size), 0);
}

void *__wrap_calloc(size_t n, size_t size) {
    return memory_refuses() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size) {
    if (memory_refuses()) return NULL;
    memory_freed(old); /* it may move, and leave what it held behind */
    const size_t kept = memory.freed ? malloc_usable_size(old) : 0;
    return memory_cleared(__real_realloc(old, size), kept);
}

void __wrap_free(void *block) {
    memory_freed(block);
    __real_free(block);
}

char *__wrap_strdup(const char *text) {
    return memory_refuses() ? NULL : __real_strdup(text);
}

/* cJSON is a library of its own, where the linker wraps nothing. It takes hooks at any time. */
static void *cjson_malloc(size_t size) {
    return memory_refuses_in(1) ? NULL : __real_malloc(size);
}

/* Neither can libcrypto, which takes its allocator only before its first request: so, before main. */
static void *crypto_malloc(size_t size, const char *file, int line) {
    (void)file, (void)line;
    return memory_refuses() ? NULL : __real_malloc(size);
}

static void *crypto_realloc(void *old, size_t size, const char *file, int line) {
    (void)file, (void)line;
    return memory_refuses() ? NULL : __real_realloc(old, size);
}

static void crypto_free(void *old, const char *file, int line) {
    (void)file, (void)line;
    free(old);
}

__attribute__((constructor)) static void crypto_take_over(void) {
    if (!CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free)) abort();
}

void short_memory_watch(void (*freed)(const void *block, size_t size)) {
    cJSON_Hooks hooks = {cjson_malloc, free};
    cJSON_InitHooks(&hooks);
    memory.freed = freed;
}

int short_memory_mask(int masked) {
    int before = memory.masked;
    memory.masked = masked;
    return before;
}

void short_memory_arm(int64_t nth, enum short_memory how) {
    cJSON_Hooks hooks = {cjson_malloc, free};
    cJSON_InitHooks(&hooks);
    memory.nth = nth;
    memory.how = how;
    memory.requests = 0;
    memory.refused = 0;
    memory.armed = 1;
    memory.before = memory.masked;
    memory.masked = 0; /* who arms is library code, or about to call it */
}

void short_memory_tree_max(int64_t max) {
    memory.tree_max = max;
}

int64_t short_memory_disarm(void) {
    memory.armed = 0;
    memory.masked = memory.before;
    return memory.refused;
}

/* ---- the env ---- */

struct short_env {
    struct sbx_env env; /* first: a struct sbx_env * is one of these */
    struct sbx_env *inner;
};

static struct sbx_env *inner_of(struct sbx_env *env) {
    return ((struct short_env *)(void *)env)->inner;
}

static int mask(int masked) {
    return short_memory_mask(masked);
}

/* Whom the env calls back: library code, whose requests count. */
struct callers {
    const struct sbx_receiver *to;
    const struct sbx_reader *from;
};

static ptrdiff_t callers_read(void *ctx, void *buf, size_t cap) {
    const struct callers *callers = ctx;
    int before = mask(0);
    ptrdiff_t n = callers->from->read(callers->from->ctx, buf, cap);
    mask(before);
    return n;
}

static int callers_head(void *ctx, int http_status, const struct sbx_header *headers, size_t header_count) {
    const struct callers *callers = ctx;
    int before = mask(0), stop = 0;
    if (callers->to->head) stop = callers->to->head(callers->to->ctx, http_status, headers, header_count);
    mask(before);
    return stop;
}

static int callers_body(void *ctx, const void *data, size_t len) {
    const struct callers *callers = ctx;
    int before = mask(0), stop = 0;
    if (callers->to->body) stop = callers->to->body(callers->to->ctx, data, len);
    mask(before);
    return stop;
}

/* An env may run out before a byte has left, and when the answer is there: then nobody is given it. */
static enum sbx_evidence env_exchange(struct sbx_env *env, const struct sbx_request *req, const struct sbx_receiver *to,
                                      struct sbx_exchange_info *info) {
    struct sbx_env *inner = inner_of(env);
    struct callers callers = {to, req->reader};
    const struct sbx_receiver receiver = {&callers, callers_head, callers_body};
    const struct sbx_reader reader = {&callers, callers_read};
    struct sbx_request sent = *req;
    if (req->reader) sent.reader = &reader;
    if (memory_refuses()) return SBX_EVIDENCE_MEMORY;
    int lost = memory_refuses(), before = mask(1);
    enum sbx_evidence how = inner->exchange(inner, &sent, to && !lost ? &receiver : NULL, info);
    mask(before);
    return lost ? SBX_EVIDENCE_MEMORY : how;
}

static void task_run(void *arg) {
    const struct sbx_task *task = arg;
    int before = mask(0);
    task->run(task->arg);
    mask(before);
}

static void env_run_all(struct sbx_env *env, const struct sbx_task *tasks, size_t n, size_t width) {
    struct sbx_task *copies = __real_calloc(2 * n + 1, sizeof(*copies)), *masked = copies + n;
    T_TRUE(copies != NULL);
    for (size_t i = 0; i < n; i++) {
        copies[i] = tasks[i];
        masked[i] = (struct sbx_task){task_run, &copies[i]};
    }
    int before = mask(1);
    inner_of(env)->run_all(inner_of(env), masked, n, width);
    mask(before);
    free(copies);
}

static int64_t env_now_ms(struct sbx_env *env) {
    int before = mask(1);
    int64_t now = inner_of(env)->now_ms(inner_of(env));
    mask(before);
    return now;
}

static int64_t env_wall_ms(struct sbx_env *env) {
    int before = mask(1);
    int64_t now = inner_of(env)->wall_ms(inner_of(env));
    mask(before);
    return now;
}

static enum sbx_status env_sleep_until(struct sbx_env *env, int64_t when_ms, struct sbx_event *cancel) {
    int before = mask(1);
    enum sbx_status st = inner_of(env)->sleep_until(inner_of(env), when_ms, cancel);
    mask(before);
    return st;
}

static enum sbx_status env_random(struct sbx_env *env, void *buf, size_t len) {
    int before = mask(1);
    enum sbx_status st = inner_of(env)->random(inner_of(env), buf, len);
    mask(before);
    return st;
}

static struct sbx_lock *env_lock_new(struct sbx_env *env) {
    if (memory_refuses()) return NULL;
    int before = mask(1);
    struct sbx_lock *lock = inner_of(env)->lock_new(inner_of(env));
    mask(before);
    return lock;
}

static void env_lock(struct sbx_env *env, struct sbx_lock *lock) {
    inner_of(env)->lock(inner_of(env), lock);
}

static void env_unlock(struct sbx_env *env, struct sbx_lock *lock) {
    inner_of(env)->unlock(inner_of(env), lock);
}

static void env_lock_free(struct sbx_env *env, struct sbx_lock *lock) {
    inner_of(env)->lock_free(inner_of(env), lock);
}

static struct sbx_event *env_event_new(struct sbx_env *env) {
    if (memory_refuses()) return NULL;
    int before = mask(1);
    struct sbx_event *event = inner_of(env)->event_new(inner_of(env));
    mask(before);
    return event;
}

static void env_event_set(struct sbx_env *env, struct sbx_event *event) {
    int before = mask(1);
    inner_of(env)->event_set(inner_of(env), event);
    mask(before);
}

static enum sbx_status env_event_wait(struct sbx_env *env, struct sbx_event *event, int64_t deadline_ms,
                                      struct sbx_event *cancel) {
    int before = mask(1);
    enum sbx_status st = inner_of(env)->event_wait(inner_of(env), event, deadline_ms, cancel);
    mask(before);
    return st;
}

static void env_event_free(struct sbx_env *env, struct sbx_event *event) {
    inner_of(env)->event_free(inner_of(env), event);
}

static void env_note(struct sbx_env *env, const char *text) {
    int before = mask(1);
    if (inner_of(env)->note) inner_of(env)->note(inner_of(env), text);
    mask(before);
}

static void env_free(struct sbx_env *env) {
    free(env);
}

struct sbx_env *short_memory_env(struct sbx_env *inner) {
    struct short_env *self = __real_calloc(1, sizeof(*self));
    T_TRUE(self != NULL);
    self->inner = inner;
    self->env = (struct sbx_env){.size = sizeof(self->env),
                                 .exchange = env_exchange,
                                 .run_all = env_run_all,
                                 .now_ms = env_now_ms,
                                 .wall_ms = env_wall_ms,
                                 .sleep_until = env_sleep_until,
                                 .random = env_random,
                                 .lock_new = env_lock_new,
                                 .lock = env_lock,
                                 .unlock = env_unlock,
                                 .lock_free = env_lock_free,
                                 .event_new = env_event_new,
                                 .event_set = env_event_set,
                                 .event_wait = env_event_wait,
                                 .event_free = env_event_free,
                                 .note = env_note,
                                 .free = env_free};
    return &self->env;
}
