/* Pictures on their way into files and a film: through a short queue. Nothing is ever left out; whoever is too fast
 * waits. */
#ifndef WRITER_H
#define WRITER_H

#include "output/queue.h"
#include "output/video.h"

enum { WRITER_DEEP = 4 };

typedef struct writer_slot {
    uint8_t *pixels;
    char path[4096]; /* of a PNG; empty: none */
    bool in_film;
} writer_slot;

typedef struct writer {
    int width, height;
    writer_slot slots[WRITER_DEEP];
    queue queue;
    video film;
    bool film_failed; /* under the queue's lock */
    double busy;      /* s */
} writer;

/* film.path of NULL: none. False after a sentence; a film that cannot be made is no reason to fail: look at
   writer_film_error. */
bool writer_open(writer *w, const video_def *film);
/* Empties the queue and ends the film, which is kept only if keep_film is set and nothing failed. False: the queue's
 * error says why. */
bool writer_close(writer *w, bool keep_film);

/* For one thread at a time. Room for the next picture, once there is some; NULL: writing has failed. */
uint8_t *writer_room(writer *w);
/* What has been put there goes into a PNG, unless path is NULL, and into the film if there is one and in_film is set.
 */
void writer_give(writer *w, const char *path, bool in_film);
/* The picture before once more, as another PNG. */
void writer_again(writer *w, const char *path);

/* Why there is no film; NULL: there is one, or none was asked for. */
const char *writer_film_error(writer *w);

#endif
