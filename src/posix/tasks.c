/* Tasks side by side, on threads that end before the call returns: nothing of ours runs on afterwards. */
#include <sandport/kit/posix.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct tasks_queue {
    const struct sbx_task *tasks;
    size_t n;
    atomic_size_t next;
};

static void *tasks_work(void *arg) {
    struct tasks_queue *queue = arg;
    for (;;) {
        size_t i = atomic_fetch_add(&queue->next, 1);
        if (i >= queue->n) return NULL;
        queue->tasks[i].run(queue->tasks[i].arg);
    }
}

/* With every signal blocked, so that the host's handlers run on the host's threads.
 * @return how many could be started: the caller works too, so none is slow but not wrong */
static size_t tasks_start(struct tasks_queue *queue, pthread_t *threads, size_t want) {
    sigset_t all, before;
    size_t started = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < want && pthread_create(&threads[started], NULL, tasks_work, queue) == 0) started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void sbx_posix_run_all(const struct sbx_task *tasks, size_t n, size_t width) {
    struct tasks_queue queue = {tasks, n, 0};
    size_t wide = width < n ? width : n, want = wide > 1 ? wide - 1 : 0;
    pthread_t *threads = want ? calloc(want, sizeof(*threads)) : NULL;
    size_t started = threads ? tasks_start(&queue, threads, want) : 0;
    tasks_work(&queue);
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    free(threads);
}
