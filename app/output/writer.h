/* Writes pictures to PNG files and into a film, in a thread with a short queue. No picture is dropped: the producer
   waits if it is too fast. Usage: writer_open(); fill the pixels from writer_room() and call writer_give();
   writer_close(). */
#ifndef WRITER_H
#define WRITER_H

#include "output/queue.h"
#include "output/video.h"

enum { WRITER_DEEP = 4 }; /* pictures in the queue, at most */

typedef struct writer_slot {
    uint8_t *pixels; /* RGB */
    char path[4096]; /* of a PNG; empty: none */
    bool in_film;
} writer_slot;

typedef struct writer {
    int width, height;
    writer_slot slots[WRITER_DEEP];
    queue queue;
    video film;
    bool film_failed; /* under the queue's lock */
    double busy;      /* s, spent writing */
} writer;

/* Allocates the slots and starts the thread and the film. film->path NULL: no film; its width and height are those of
   all pictures. Returns false after printing an error; nothing needs to be closed then. A film that cannot be made is
   not an error here; see writer_film_error(). */
bool writer_open(writer *w, const video_def *film);
/* Writes everything queued, frees the slots and ends the film, which is kept only if `keep_film` is set and nothing
   failed. Returns false if a PNG failed; queue.error says why. Does nothing if not open. */
bool writer_close(writer *w, bool keep_film);

/* Returns the pixels for the next picture, width x height RGB bytes, waiting until there is room. Returns NULL if
   writing has failed. For one thread only. */
uint8_t *writer_room(writer *w);
/* Queues the picture in these pixels: to a PNG unless `path` is NULL, and into the film, if there is one, if
   `in_film`. */
void writer_give(writer *w, const char *path, bool in_film);
/* Writes the previous picture to another PNG, not into the film. There must be one. Does nothing after a failure. */
void writer_again(writer *w, const char *path);

/* Returns why the film failed so far; the text belongs to `w`. Returns NULL if it has not, or if no film was
   requested. */
const char *writer_film_error(writer *w);

#endif
