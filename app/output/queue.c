/* A bounded queue with one thread that empties it (queue.h). The producer calls queue_room(), fills that slot of an
   array of its own and calls queue_give(). The thread calls queue_next(), works on that slot and calls queue_done(). */
#include "output/queue.h"

#include <signal.h>
#include <stdio.h>

/* Starts a thread that runs body(argument) with all signals blocked, including SIGPIPE; the main thread handles
   signals. Returns 0 or an errno. */
static int start_thread(pthread_t *thread, void *(*body)(void *), void *argument) {
#ifdef _WIN32
    return pthread_create(thread, NULL, body, argument);
#else
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(thread, NULL, body, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
#endif
}

/* Destroys the lock and the condition of a queue whose thread does not run, and marks it as not running. Counts and
   error stay. */
static void destroy_lock(queue *q) {
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
    q->running = false;
}

bool queue_open(queue *q, int deep, void *(*body)(void *), void *argument) {
    *q = (queue){.deep = deep, .running = true};
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    if (start_thread(&q->thread, body, argument) != 0) destroy_lock(q);
    return q->running;
}

void queue_close(queue *q) {
    if (!q->running) return;
    pthread_mutex_lock(&q->lock);
    q->ending = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    pthread_join(q->thread, NULL);
    destroy_lock(q);
}

int queue_room(queue *q) {
    pthread_mutex_lock(&q->lock);
    while (q->given - q->done == (uint64_t)q->deep && !q->failed) pthread_cond_wait(&q->changed, &q->lock);
    const int slot = q->failed ? -1 : (int)(q->given % (uint64_t)q->deep);
    pthread_mutex_unlock(&q->lock);
    return slot;
}

bool queue_is_full(queue *q) {
    pthread_mutex_lock(&q->lock);
    const bool full = q->given - q->done == (uint64_t)q->deep && !q->failed;
    pthread_mutex_unlock(&q->lock);
    return full;
}

void queue_give(queue *q) {
    pthread_mutex_lock(&q->lock);
    q->given++;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

bool queue_settle(queue *q) {
    pthread_mutex_lock(&q->lock);
    while (q->done != q->given) pthread_cond_wait(&q->changed, &q->lock);
    const bool fine = !q->failed;
    pthread_mutex_unlock(&q->lock);
    return fine;
}

bool queue_has_failed(queue *q) {
    pthread_mutex_lock(&q->lock);
    const bool failed = q->failed;
    pthread_mutex_unlock(&q->lock);
    return failed;
}

int queue_next(queue *q) {
    pthread_mutex_lock(&q->lock);
    for (;;) {
        if (q->failed && q->done != q->given) {
            q->done = q->given;
            pthread_cond_broadcast(&q->changed);
        }
        if (q->done != q->given || q->ending) break;
        pthread_cond_wait(&q->changed, &q->lock);
    }
    const int slot = q->done != q->given ? (int)(q->done % (uint64_t)q->deep) : -1;
    pthread_mutex_unlock(&q->lock);
    return slot;
}

void queue_done(queue *q, const char *error) {
    pthread_mutex_lock(&q->lock);
    if (error && !q->failed) {
        q->failed = true;
        snprintf(q->error, sizeof q->error, "%s", error);
    }
    q->done++;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}
