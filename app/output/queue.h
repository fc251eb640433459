/* A bounded queue and the thread that empties it. It counts slots of an array that the caller owns. The producer waits
   while the queue is full. After a failure it no longer waits, and entries still in the queue are dropped. */
#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct queue {
    int deep;             /* number of slots */
    uint64_t given, done; /* entries put in, and finished */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool running, ending, failed;
    char error[1024]; /* why it failed */
} queue;

/* Starts the thread, which runs body(argument) and must call queue_next() until that returns -1, or end after a
   failure. `deep`: number of slots. Returns false if there is no thread; nothing needs to be closed then. */
bool queue_open(queue *q, int deep, void *(*body)(void *), void *argument);
/* Waits until all entries are done, and ends the thread. `failed` and `error` stay to be read. Does nothing if it is
   not running. */
void queue_close(queue *q);

/* Producer: returns the slot for the next entry, waiting until it is free. Returns -1 if the queue has failed. Takes
   nothing: without queue_give() the next call returns the same slot. */
int queue_room(queue *q);
/* Producer: returns whether queue_room() would have to wait. */
bool queue_is_full(queue *q);
/* Producer: adds the entry in the slot that queue_room() returned. */
void queue_give(queue *q);
/* Producer: waits until all entries are done, or dropped after a failure. Returns false if anything failed; q->error
   says why. */
bool queue_settle(queue *q);
/* Returns true once an entry has failed, without waiting; q->error says why. */
bool queue_has_failed(queue *q);

/* Thread: waits for the next entry and returns its slot, or -1 if there will be no more. Drops all entries after a
   failure. */
int queue_next(queue *q);
/* Thread: the entry of the last queue_next() is finished. `error`: why it failed, which is copied if it is the first;
   NULL: it did not. */
void queue_done(queue *q, const char *error);

#endif
