/* A short queue and the thread that empties it. Whoever fills it waits while it is full; a failure ends that, and what
   is still in it goes by. */
#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct queue {
    int deep;
    uint64_t given, done; /* things put into it, and through with */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool running, ending, failed;
    char error[1024]; /* why it failed */
} queue;

/* False: there is no thread to be had, and nothing to close. */
bool queue_open(queue *q, int deep, void *(*body)(void *), void *argument);
/* Once all in it is done. */
void queue_close(queue *q);

/* For the one who fills it. The slot for the next thing, once it is free; -1: the queue has failed. */
int queue_room(queue *q);
void queue_give(queue *q);
/* Waits until all that was given is done. False: something has failed. */
bool queue_settle(queue *q);
bool queue_has_failed(queue *q);

/* For the thread that empties it. The slot of the next thing; -1: there will be none. */
int queue_next(queue *q);
/* error: why it is not; NULL: all is well. */
void queue_done(queue *q, const char *error);

#endif
