/* Fibers: a switch in twenty lines of assembly on x86-64, ucontext elsewhere, and all that sanitizers and valgrind must
 * be told about stacks that change.
 *
 * A stack is 256 KiB of address space with a page below it that faults: only touched pages cost memory. Stacks are kept
 * for the next fiber, since mapping one costs a hundred times more than switching to it. */
#include "sim/kit/fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define FIBER_ASM 1
#else
#define FIBER_ASM 0
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif

#if defined(FIBER_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(FIBER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif
#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define FIBER_VALGRIND 1
#endif
#endif

#define STACK_BYTES ((size_t)256 * 1024)

struct stack {
    struct stack *next; /* in the list of those kept; lies at the top of the stack's own memory */
    void *base;         /* of the mapping, guard page included */
    unsigned valgrind_id;
};

struct sim_fibers {
    struct stack *kept;
#if FIBER_ASM
    void *sp;
#else
    ucontext_t context;
#endif
#if defined(FIBER_ASAN)
    void *fake_stack;
    const void *bottom;
    size_t size;
#endif
#if defined(FIBER_TSAN)
    void *tsan;
#endif
};

struct sim_fiber {
    struct sim_fibers *fibers;
    struct stack *stack;
    void (*run)(void *arg);
    void *arg;
    int returned;
#if FIBER_ASM
    void *sp;
#else
    ucontext_t context;
#endif
#if defined(FIBER_ASAN)
    void *fake_stack;
#endif
#if defined(FIBER_TSAN)
    void *tsan;
#endif
};

/* ---- stacks ---- */

static size_t page_bytes(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

__attribute__((unused)) static char *stack_bottom(const struct stack *stack) { /* sanitizers and ucontext ask */
    return (char *)stack->base + page_bytes();
}

static char *stack_top(struct stack *stack) {
    return (char *)((uintptr_t)stack & ~(uintptr_t)63);
}

static struct stack *stack_new(void) {
    size_t page = page_bytes();
    char *base = mmap(NULL, STACK_BYTES + page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base == MAP_FAILED) return NULL;
    if (mprotect(base, page, PROT_NONE)) {
        munmap(base, STACK_BYTES + page);
        return NULL;
    }
    struct stack *stack = (struct stack *)(void *)(base + page + STACK_BYTES - sizeof(*stack));
    stack->next = NULL;
    stack->base = base;
    stack->valgrind_id = 0;
#if defined(FIBER_VALGRIND)
    stack->valgrind_id = VALGRIND_STACK_REGISTER(base + page, base + page + STACK_BYTES);
#endif
    return stack;
}

static void stack_free(struct stack *stack) {
#if defined(FIBER_VALGRIND)
    VALGRIND_STACK_DEREGISTER(stack->valgrind_id);
#endif
    munmap(stack->base, STACK_BYTES + page_bytes());
}

static struct stack *stack_take(struct sim_fibers *fibers) {
    struct stack *stack = fibers->kept;
    if (!stack) return stack_new();
    fibers->kept = stack->next;
#if defined(FIBER_ASAN)
    __asan_unpoison_memory_region(stack_bottom(stack), (size_t)((char *)stack - stack_bottom(stack)));
#endif
    return stack;
}

static void stack_keep(struct sim_fibers *fibers, struct stack *stack) {
    stack->next = fibers->kept;
    fibers->kept = stack;
}

/* ---- the switch ---- */

/* A sanitizer must hear of a switch before it happens and after it has. `leaving` is 1 on a fiber's last one. Always
 * inline: ThreadSanitizer counts calls and returns, and between its switch and ours no function may return. */
#define SWITCH_NOTE static inline __attribute__((always_inline)) void
SWITCH_NOTE switch_to_fiber_begin(struct sim_fiber *fiber) {
#if defined(FIBER_ASAN)
    __sanitizer_start_switch_fiber(&fiber->fibers->fake_stack, stack_bottom(fiber->stack),
                                   (size_t)(stack_top(fiber->stack) - stack_bottom(fiber->stack)));
#endif
#if defined(FIBER_TSAN)
    __tsan_switch_to_fiber(fiber->tsan, 0);
#endif
    (void)fiber;
}

SWITCH_NOTE switch_to_fiber_end(struct sim_fiber *fiber) {
#if defined(FIBER_ASAN)
    __sanitizer_finish_switch_fiber(fiber->fake_stack, &fiber->fibers->bottom, &fiber->fibers->size);
#endif
    (void)fiber;
}

SWITCH_NOTE switch_back_begin(struct sim_fiber *fiber, int leaving) {
#if defined(FIBER_ASAN)
    __sanitizer_start_switch_fiber(leaving ? NULL : &fiber->fake_stack, fiber->fibers->bottom, fiber->fibers->size);
#endif
#if defined(FIBER_TSAN)
    __tsan_switch_to_fiber(fiber->fibers->tsan, 0);
#endif
    (void)fiber;
    (void)leaving;
}

SWITCH_NOTE switch_back_end(struct sim_fibers *fibers) {
#if defined(FIBER_ASAN)
    __sanitizer_finish_switch_fiber(fibers->fake_stack, NULL, NULL);
#endif
    (void)fibers;
}

#if FIBER_ASM
/* Saves what the System V ABI says a callee keeps, changes stacks, and takes the same back. */
void sim_fiber_switch(void **save_sp, void *load_sp);
__asm__(".text\n"
        ".globl sim_fiber_switch\n"
        ".hidden sim_fiber_switch\n"
        ".type sim_fiber_switch,@function\n"
        "sim_fiber_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size sim_fiber_switch,.-sim_fiber_switch\n"
        ".section .note.GNU-stack,\"\",@progbits\n"
        ".text\n");
#endif

/* Read once by the fiber that starts; worlds of other threads have their own. */
static _Thread_local struct sim_fiber *fiber_entering;

static void fiber_main(void) {
    struct sim_fiber *fiber = fiber_entering;
    switch_to_fiber_end(fiber);
    fiber->run(fiber->arg);
    fiber->returned = 1;
    switch_back_begin(fiber, 1);
#if FIBER_ASM
    sim_fiber_switch(&fiber->sp, fiber->fibers->sp);
#else
    swapcontext(&fiber->context, &fiber->fibers->context);
#endif
    abort(); /* a fiber that has returned is never resumed */
}

static int fiber_prepare(struct sim_fiber *fiber) {
#if FIBER_ASM
    /* As if fiber_main had been called: six saved registers, its address, and a return address that is never used. The
     * ABI wants the stack 16-byte aligned before a call. */
    void **sp = (void **)(void *)(stack_top(fiber->stack) - 64);
    *--sp = NULL;
    union {
        void (*function)(void);
        void *address;
    } entry = {fiber_main};
    *--sp = entry.address;
    for (int i = 0; i < 6; i++) *--sp = NULL;
    fiber->sp = sp;
    return 1;
#else
    if (getcontext(&fiber->context)) return 0;
    fiber->context.uc_stack.ss_sp = stack_bottom(fiber->stack);
    fiber->context.uc_stack.ss_size = (size_t)(stack_top(fiber->stack) - stack_bottom(fiber->stack));
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, fiber_main, 0);
    return 1;
#endif
}

/* ---- the life of fibers ---- */

struct sim_fibers *sim_fibers_new(void) {
    struct sim_fibers *fibers = calloc(1, sizeof(*fibers));
#if defined(FIBER_TSAN)
    if (fibers) fibers->tsan = __tsan_get_current_fiber();
#endif
    return fibers;
}

void sim_fibers_free(struct sim_fibers *fibers) {
    if (!fibers) return;
    while (fibers->kept) {
        struct stack *stack = fibers->kept;
        fibers->kept = stack->next;
        stack_free(stack);
    }
    free(fibers);
}

struct sim_fiber *sim_fiber_new(struct sim_fibers *fibers, void (*run)(void *arg), void *arg) {
    struct sim_fiber *fiber = calloc(1, sizeof(*fiber));
    if (!fiber) return NULL;
    fiber->fibers = fibers;
    fiber->run = run;
    fiber->arg = arg;
    fiber->stack = stack_take(fibers);
    if (!fiber->stack || !fiber_prepare(fiber)) {
        if (fiber->stack) stack_keep(fibers, fiber->stack);
        free(fiber);
        return NULL;
    }
#if defined(FIBER_TSAN)
    fiber->tsan = __tsan_create_fiber(0);
#endif
    return fiber;
}

static void fiber_free(struct sim_fiber *fiber) {
#if defined(FIBER_TSAN)
    __tsan_destroy_fiber(fiber->tsan);
#endif
    stack_keep(fiber->fibers, fiber->stack);
    free(fiber);
}

void sim_fiber_drop(struct sim_fiber *fiber) {
    if (fiber) fiber_free(fiber);
}

int sim_fiber_resume(struct sim_fiber *fiber) {
    struct sim_fibers *fibers = fiber->fibers;
    fiber_entering = fiber;
    switch_to_fiber_begin(fiber);
#if FIBER_ASM
    sim_fiber_switch(&fibers->sp, fiber->sp);
#else
    swapcontext(&fibers->context, &fiber->context);
#endif
    switch_back_end(fibers);
    if (!fiber->returned) return 0;
    fiber_free(fiber);
    return 1;
}

void sim_fiber_pause(struct sim_fiber *fiber) {
    switch_back_begin(fiber, 0);
#if FIBER_ASM
    sim_fiber_switch(&fiber->sp, fiber->fibers->sp);
#else
    swapcontext(&fiber->context, &fiber->fibers->context);
#endif
    switch_to_fiber_end(fiber);
}
